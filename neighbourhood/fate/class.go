package fate

import "github.com/inev-lts/inev/internal/enumeration"

// Class is the meaning of a transition for the property; 0, with an empty name,
// if it was not computed.
type Class uint8

// The classes of Definitions 10 and 11.
const (
	Neutral   Class = iota + 1 // some maximal runs through the transition satisfy the property, others do not
	Correct                    // every maximal run through the transition satisfies the property
	Incorrect                  // no maximal run through the transition satisfies the property
	Excluded                   // no run through it counts: see [github.com/inev-lts/inev/property.Fairness.Excludes]
)

var classNames = enumeration.New("class", "", "neutral", "correct", "incorrect", "excluded")

func (c Class) String() string { return classNames.Name(uint8(c)) }

// MarshalText returns the name of the class.
func (c Class) MarshalText() ([]byte, error) { return classNames.Text(uint8(c)) }

// UnmarshalText sets the class by its name.
func (c *Class) UnmarshalText(text []byte) error { return enumeration.Set(classNames, c, text) }
