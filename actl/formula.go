package actl

import (
	"slices"
	"strings"

	"github.com/inev-lts/inev/property"
)

// MaxSteps is the largest number of steps a formula may have.
const MaxSteps = property.MaxSteps

// Formula is a property: that on every maximal trace transitions occur which do its
// steps, in this order and not necessarily one after the other; or, of the form
// Response(A; B), that after each transition which does the first step the others
// follow. It comes from [Parse] or [ParseFile] and is immutable.
type Formula struct {
	form  form
	steps []Pattern
}

// form is the kind of property that a formula is.
type form uint8

const (
	inevitability form = iota
	response
)

// Len returns the number of steps, 1 to [MaxSteps].
func (f *Formula) Len() int { return len(f.steps) }

// Steps returns the pattern of each step, in their order. The slice is the
// caller's own.
func (f *Formula) Steps() []Pattern { return slices.Clone(f.steps) }

// String returns the formula as Inev(…) or Response(…), in a form that depends on nothing but
// its meaning and the layout inside its labels, and that [Parse] takes back to a
// formula equal to f. Cost O(length of the text).
func (f *Formula) String() string {
	var b strings.Builder
	b.WriteString([...]string{inevitability: "Inev(", response: "Response("}[f.form])
	for i, step := range f.steps {
		switch {
		case i == 1 && f.form == response:
			b.WriteString("; ")
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(step.String())
	}
	b.WriteByte(')')
	return b.String()
}

// ACTL returns the formula written out as in Definition 3 of SEFM 2018,
// A[true_{true} U_{l1} A[…]]. A set is written with or. [Parse] takes inevitability
// back to a formula equal to f. Cost O(length of the text).
func (f *Formula) ACTL() string {
	subscripts := make([]string, len(f.steps))
	for i, step := range f.steps {
		subscripts[i] = step.subscript()
	}
	if f.form == response {
		return "AG [" + subscripts[0] + "] " + nestedUntils(subscripts[1:])
	}
	return nestedUntils(subscripts)
}

// nestedUntils nests one until operator for each subscript.
func nestedUntils(subscripts []string) string {
	var b strings.Builder
	for _, s := range subscripts {
		b.WriteString("A[true_{true} U_{")
		b.WriteString(s)
		b.WriteString("} ")
	}
	b.WriteString("true")
	for range subscripts {
		b.WriteByte(']')
	}
	return b.String()
}

// Kind names the kind of property for people.
func (f *Formula) Kind() string {
	return [...]string{inevitability: "Inevitability", response: "Response"}[f.form]
}

// Equal reports whether f and g have the same patterns in the same order. Sets are
// compared as they are written: {a, b} is not equal to {b, a}.
func (f *Formula) Equal(g *Formula) bool {
	return f.form == g.form && slices.EqualFunc(f.steps, g.steps, func(a, b Pattern) bool { return a.key() == b.key() })
}
