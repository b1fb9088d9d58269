package explain

import (
	"github.com/inev-lts/inev/internal/enumeration"
)

// Verdict says whether a property holds; 0, of which the name is empty, is none.
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

// Whether is a fact that [Check] does not find out.
type Whether uint8

// What is known of a fact.
const (
	Unknown Whether = iota
	No
	Yes
)

// whether returns a fact that is known.
func whether(is bool) Whether {
	if is {
		return Yes
	}
	return No
}

// MarshalJSON returns true or false, null for what is unknown.
func (w Whether) MarshalJSON() ([]byte, error) {
	switch w {
	case Yes:
		return []byte("true"), nil
	case No:
		return []byte("false"), nil
	}
	return []byte("null"), nil
}
