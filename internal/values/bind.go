package values

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Bound is an atom about the parameters of a model.
type Bound struct {
	atom  *Atom
	left  bound
	right *bound // nil for a value
}

// bound is a place in the value of a parameter.
type bound struct {
	parameter int
	path      []Value
	length    bool
}

// Bind returns the atom for a model with parameters of these names. A value that is written like
// a parameter is that parameter. The error is an [*UnknownNameError].
func (a *Atom) Bind(names []string) (*Bound, error) {
	left, ok := a.left.bind(names)
	if !ok {
		return nil, &UnknownNameError{Atom: a, Name: a.left.name, Names: names}
	}
	b := &Bound{atom: a, left: left}
	if a.right.maybe.name != "" {
		if right, ok := a.right.maybe.bind(names); ok {
			b.right = &right
		} else if a.right.maybe.path != "" || a.right.maybe.length != "" || a.op == In || a.op == NotIn {
			return nil, &UnknownNameError{Atom: a, Name: a.right.maybe.name, Names: names}
		}
	}
	return b, nil
}

// bind finds the longest name that is a parameter; what is behind it is a path.
func (p place) bind(names []string) (bound, bool) {
	whole := p.name + p.path
	if i := slices.Index(names, whole); i >= 0 {
		return bound{parameter: i, length: p.length != ""}, true
	}
	for end := len(p.name); end > 0; end = strings.LastIndexByte(p.name[:end], '.') {
		if i := slices.Index(names, p.name[:end]); i >= 0 {
			path, ok := readPath(whole[end:])
			return bound{i, path, p.length != ""}, ok
		}
	}
	return bound{}, false
}

// readPath reads .field and [key], any number of them.
func readPath(text string) (path []Value, ok bool) {
	r := &reader{text: text}
	for r.pos < len(text) {
		if r.take(".") {
			path = append(path, leaf(String, r.word()))
			continue
		}
		if !r.take("[") {
			return nil, false
		}
		keys, ok := r.items(0, "]")
		if !ok || len(keys) == 0 {
			return nil, false
		}
		key := keys[0]
		if len(keys) > 1 {
			key = tree(Sequence, "", nil, keys)
		}
		path = append(path, key)
	}
	return path, true
}

// of returns what stands at the place, false where nothing does.
func (b bound) of(v Value) (Value, bool) {
	for _, key := range b.path {
		part, ok := v.At(key)
		if !ok && key.kind == Text {
			part, ok = v.At(leaf(String, key.text))
		}
		if !ok {
			return Value{}, false
		}
		v = part
	}
	if b.length {
		n, ok := v.Len()
		return leaf(Int, fmt.Sprint(n)), ok
	}
	return v, true
}

// Parameters returns the numbers of the parameters that the atom reads: one, or two.
func (b *Bound) Parameters() []int {
	if b.right == nil {
		return []int{b.left.parameter}
	}
	return []int{b.left.parameter, b.right.parameter}
}

// Left returns what stands left of the sign where its parameter has a value; false where
// nothing does.
func (b *Bound) Left(v Value) (Value, bool) { return b.left.of(v) }

// Holds reports whether the atom holds where its parameters, in the order of
// [Bound.Parameters], have these values. It is false where something that it reads is not
// there. The error is an [*OrderError].
func (b *Bound) Holds(of ...Value) (bool, error) {
	left, ok := b.left.of(of[0])
	if !ok {
		return false, nil
	}
	o := b.atom.right
	right := o.literal
	if b.right != nil {
		if right, ok = b.right.of(of[1]); !ok {
			return false, nil
		}
	}
	op := b.atom.op
	if op.Ordered() {
		return b.ordered(left, right)
	}
	var holds bool
	switch {
	case o.pattern != nil:
		text := left.String()
		if left.kind == String {
			text = left.text
		}
		holds = o.pattern.MatchString(text)
	case op == In || op == NotIn:
		holds = right.Has(left)
	case b.right == nil && o.quoted:
		holds = left.isQuoted(right.text)
	default:
		holds = left.Equal(right)
	}
	return holds != op.negated(), nil
}

// isQuoted reports whether the value is what a text in quotes stands for: that string, or a
// value that is no number written so.
func (v Value) isQuoted(text string) bool {
	if v.kind == String {
		return v.text == text || v.String() == text
	}
	return v.kind != Int && Parse(text).Equal(v)
}

func (b *Bound) ordered(left, right Value) (bool, error) {
	x, isX := left.Number()
	y, isY := right.Number()
	if !isX {
		return false, &OrderError{b.atom, left}
	}
	if !isY {
		return false, &OrderError{b.atom, right}
	}
	switch c := x.Cmp(y); b.atom.op {
	case Less:
		return c < 0, nil
	case LessEqual:
		return c <= 0, nil
	case Greater:
		return c > 0, nil
	default:
		return c >= 0, nil
	}
}

// Particular reports whether the atom asks for one value, or for some of a set, so that one
// that holds nowhere is likely to be a slip.
func (b *Bound) Particular() bool {
	return b.right == nil && (b.atom.op == Equal || b.atom.op == In)
}

// OrderError says that what is no number was to be compared by size.
type OrderError struct {
	Atom  *Atom
	Value Value
}

func (e *OrderError) Error() string {
	return fmt.Sprintf("%s compares numbers, and %s is none; other values are compared by = and !=", e.Atom, e.Value)
}

// UnknownNameError says that a model has no parameter of a name.
type UnknownNameError struct {
	Atom  *Atom
	Name  string
	Names []string // those that there are
}

func (e *UnknownNameError) Error() string {
	if len(e.Names) == 0 {
		return fmt.Sprintf("%s asks for a value, and the states of the model have none: read them from a file of TLC, .fsm or .lts, or give a table of them (a label that contains %s is quoted as a whole)", e.Atom, e.Atom.op)
	}
	return fmt.Sprintf("%s: no parameter of states is called %s; the closest are %s (inev info lists all; a label that contains %s is quoted as a whole)",
		e.Atom, e.Name, strings.Join(Closest(e.Name, e.Names, 3), ", "), e.Atom.op)
}

// NoValueError says that a state with what an atom asks for is not there.
type NoValueError struct {
	Atom *Atom
	// Place is what the atom reads, and Values are the closest ones that it has.
	Place  string
	Values []string
}

func (e *NoValueError) Error() string {
	if len(e.Values) == 0 {
		return fmt.Sprintf("%s holds in no state: %s has no value", e.Atom, e.Place)
	}
	return fmt.Sprintf("%s holds in no state; the closest values of %s are %s", e.Atom, e.Place, strings.Join(e.Values, ", "))
}

// NoState returns the error that the atom holds in no state, where its place has these values.
func (b *Bound) NoState(have []string) *NoValueError {
	wanted := b.atom.right.literal
	if wanted.kind == Set && len(wanted.items) > 0 {
		wanted = wanted.items[0]
	}
	return &NoValueError{Atom: b.atom, Place: b.atom.left.String(), Values: Closest(wanted.String(), have, 3)}
}

// Closest returns those of some texts that are nearest to another one, at most so many.
func Closest(to string, of []string, most int) []string {
	const longest = 100
	distance := func(text string) int {
		if len(text) > longest || len(to) > longest {
			return longest
		}
		return levenshtein.ComputeDistance(strings.ToLower(to), strings.ToLower(text))
	}
	sorted := slices.Clone(of)
	slices.Sort(sorted)
	sorted = slices.Compact(sorted)
	slices.SortStableFunc(sorted, func(a, b string) int { return distance(a) - distance(b) })
	return sorted[:min(most, len(sorted))]
}
