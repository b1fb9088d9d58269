package explain

import (
	"github.com/inev-lts/inev/internal/enumeration"
)

// Verdict says whether a property holds; 0 has no name, and is none.
type Verdict uint8

// The verdicts.
const (
	Satisfied Verdict = iota + 1 // every maximal trace satisfies the property
	Violated                     // some maximal trace does not
)

var verdictNames = enumeration.New("verdict", "", "satisfied", "violated")

func (v Verdict) String() string { return verdictNames.Name(uint8(v)) }

// MarshalText returns the name of the verdict.
func (v Verdict) MarshalText() ([]byte, error) { return verdictNames.Text(uint8(v)) }

// UnmarshalText sets the verdict by its name.
func (v *Verdict) UnmarshalText(text []byte) error { return enumeration.Set(verdictNames, v, text) }

// whether is a fact that [Check] does not find out: then it is 0.
type whether uint8

// What is known of a fact.
const (
	no whether = iota + 1
	yes
)

// whetherIt returns a fact that is known.
func whetherIt(is bool) whether {
	if is {
		return yes
	}
	return no
}

// Is reports whether the fact is known, and true.
func (w whether) Is() bool { return w == yes }

// MarshalJSON returns true or false, null for what is unknown.
func (w whether) MarshalJSON() ([]byte, error) {
	switch w {
	case yes:
		return []byte("true"), nil
	case no:
		return []byte("false"), nil
	}
	return []byte("null"), nil
}
