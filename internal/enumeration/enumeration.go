// Package enumeration maps the values of small integer types to names, for people and in data, and
// back. A name belongs to one value. Reading accepts names only, and whatever is written can be
// read.
package enumeration

import (
	"fmt"
	"slices"

	"github.com/inev-lts/inev/internal/printable"
)

// Names are the names of the values of a type: the name of value i has the index i.
type Names struct {
	what string
	of   []string
}

// New returns the names of the values 0, 1, … of a type; in errors, what is the noun for such a
// value. An empty name, for value 0 only, means that the value is unknown or does not exist: it is
// read and written as an empty text.
func New(what string, names ...string) Names { return Names{what, names} }

// Name returns the name of a value, or its number if it has no name. Cost O(1).
func (n Names) Name(value uint8) string {
	if int(value) < len(n.of) {
		return n.of[value]
	}
	return fmt.Sprintf("%s %d", n.what, value)
}

// Text returns the name of a value; it fails for one that has none. Cost O(1).
func (n Names) Text(value uint8) ([]byte, error) {
	if int(value) < len(n.of) {
		return []byte(n.of[value]), nil
	}
	return nil, fmt.Errorf("there is no %s %d", n.what, value)
}

// Set sets a value by its name. If there is no such name, it fails with a list of
// the names, and leaves the value unchanged. Cost O(number of names).
func Set[T ~uint8](n Names, value *T, text []byte) error {
	at := slices.Index(n.of, string(text))
	if at < 0 {
		names := n.of
		if len(names) > 0 && names[0] == "" {
			names = names[1:]
		}
		return fmt.Errorf("there is no %s %q; choose %s", n.what, text,
			printable.List(names, "or"))
	}
	*value = T(at)
	return nil
}
