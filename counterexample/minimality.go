package counterexample

import "github.com/inev-lts/inev/internal/enumeration"

// Minimality says among which runs none is shorter that violates the property.
type Minimality uint8

// The places in which a counterexample can be a shortest one.
const (
	MinimalUnknown Minimality = iota // that was not found out
	InProduct                        // in the product of model and automaton that was searched; it is not known to be one in the model
	InModel                          // in the model
)

var minimalityNames = enumeration.New("place where a counterexample is minimal", "unknown", "product", "model")

func (m Minimality) String() string { return minimalityNames.Name(uint8(m)) }

// MarshalText returns the name of the place.
func (m Minimality) MarshalText() ([]byte, error) { return minimalityNames.Text(uint8(m)) }

// UnmarshalText sets the place by its name.
func (m *Minimality) UnmarshalText(text []byte) error {
	return enumeration.Set(minimalityNames, m, text)
}

// ifShortest returns where a run is minimal that is a shortest one of the model, if it is.
func ifShortest(is bool) Minimality {
	if is {
		return InModel
	}
	return MinimalUnknown
}

// closesInModel notes that this run, if it is known to be a shortest one, is a shortest one among
// the runs of the model.
func (r *Result) closesInModel() *Result {
	r.Minimal = ifShortest(r.Minimal != MinimalUnknown)
	return r
}
