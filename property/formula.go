package property

import (
	"context"

	"github.com/inev-lts/inev/lts"
)

// Formula is a property as it is written, bound to no model yet: what the readers of
// syntaxes give. A syntax may have more to say of its formulas, such as how they are
// written in other logics.
type Formula interface {
	// String returns the formula in a form that its reader takes back.
	String() string
	// Kind names the kind of property for people.
	Kind() string
	// Bind returns the property that the formula is for a model with this alphabet, and
	// warnings about what matches none of its labels. It fails if ctx is done.
	Bind(context.Context, *lts.Alphabet) (*Property, []string, error)
	// Unmatched returns an error where a part of the formula matches no label, which
	// names the closest ones. It fails if ctx is done.
	Unmatched(context.Context, *lts.Alphabet) error
}
