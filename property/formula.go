package property

import (
	"context"

	"github.com/inev-lts/inev/lts"
)

// Formula is a property as it is written, not bound to a model yet; the readers
// of syntaxes return it. The formulas of a syntax may have more methods, such as
// a translation into other logics.
type Formula interface {
	// String returns the formula in a form that its reader accepts.
	String() string
	// Kind names the kind of property for people.
	Kind() string
	// Bind returns the property that the formula denotes for a model with this
	// alphabet, and warnings about parts that match none of its labels. It fails
	// if ctx is done.
	Bind(context.Context, *lts.Alphabet) (*Property, []string, error)
	// Unmatched returns an error if a part of the formula matches no label; the
	// error names the closest labels. It fails if ctx is done.
	Unmatched(context.Context, *lts.Alphabet) error
}
