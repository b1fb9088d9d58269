package counterexample

import "github.com/inev-lts/inev/internal/enumeration"

// Minimality is the set of runs among which a counterexample is a shortest one.
type Minimality uint8

// The sets of runs.
const (
	MinimalUnknown Minimality = iota // not known to be shortest
	InProduct                        // shortest in the product of model and automaton that was searched, but perhaps not in the model
	InModel                          // shortest in the model
)

var minimalityNames = enumeration.New("place where a counterexample is minimal", "unknown", "product", "model")

func (m Minimality) String() string { return minimalityNames.Name(uint8(m)) }

// MarshalText returns the name of the set.
func (m Minimality) MarshalText() ([]byte, error) { return minimalityNames.Text(uint8(m)) }

// UnmarshalText sets the set by its name.
func (m *Minimality) UnmarshalText(text []byte) error {
	return enumeration.Set(minimalityNames, m, text)
}

// ifShortest returns InModel if a run is known to be a shortest one of the model, otherwise
// MinimalUnknown.
func ifShortest(is bool) Minimality {
	if is {
		return InModel
	}
	return MinimalUnknown
}

// closesInModel changes the minimality of a run that is known to be a shortest one to InModel.
func (r *Result) closesInModel() { r.Minimal = ifShortest(r.Minimal != MinimalUnknown) }
