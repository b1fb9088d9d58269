package values

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
)

// Bound is an atom bound to the parameters of a model.
type Bound struct {
	atom  *Atom
	left  bound
	right *bound // the parameter on the right side; nil if a value stands there
}

// bound is a path into the value of a parameter.
type bound struct {
	parameter int
	path      []Value
	length    bool
}

// Bind returns the atom for a model with parameters of these names. A value that
// is written like the name of a parameter denotes that parameter. The error is an
// [*UnknownNameError].
func (a *Atom) Bind(names []string) (*Bound, error) {
	if a.judgedAs != "" {
		return nil, &UnknownNameError{Atom: a, Name: a.judgedAs, Names: names}
	}
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

// bind finds the longest prefix that is the name of a parameter; what follows is
// a path.
func (p reference) bind(names []string) (bound, bool) {
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

// of returns the value at the path, false if there is none.
func (b bound) of(v Value) (Value, bool) {
	for _, key := range b.path {
		part, ok := v.At(key)
		if !ok && key.kind == Text {
			part, ok = v.At(leaf(String, key.content()))
		}
		if !ok {
			return Value{}, false
		}
		v = part
	}
	if b.length {
		n, ok := v.length()
		return OfInt(int64(n)), ok
	}
	return v, true
}

// Parameters returns the indexes of the parameters that the atom reads: one, or
// two.
func (b *Bound) Parameters() []int {
	if b.right == nil {
		return []int{b.left.parameter}
	}
	return []int{b.left.parameter, b.right.parameter}
}

// Judgement is the result of evaluating an atom in a state.
type Judgement struct {
	// Holds reports whether the atom holds; it does not if something that it
	// reads is missing.
	Holds bool
	// Reads reports whether everything that the atom reads exists, Compares
	// whether the two sides are also of comparable kinds.
	Reads, Compares bool
}

// Holds reports whether the atom holds for these values of its parameters, in the
// order of [Bound.Parameters]. It fails if a value that is no number is
// compared by size.
func (b *Bound) Holds(of ...Value) (bool, error) {
	j, err := b.Judge(of...)
	return j.Holds, err
}

// Judge is [Bound.Holds] with the reason why an atom does not hold.
func (b *Bound) Judge(of ...Value) (Judgement, error) {
	left, ok := b.left.of(of[0])
	if !ok {
		return Judgement{}, nil
	}
	o := b.atom.right
	right := o.literal
	if b.right != nil {
		if right, ok = b.right.of(of[1]); !ok {
			return Judgement{}, nil
		}
	}
	op := b.atom.op
	if op.Ordered() {
		holds, err := b.ordered(left, right)
		return Judgement{holds, true, true}, err
	}
	j := Judgement{Reads: true}
	switch {
	case o.pattern != nil:
		text := left.String()
		if left.kind == String {
			text = left.content()
		}
		j.Holds, j.Compares = o.pattern.MatchString(text), true
	case o.from != nil:
		if left.kind == Int {
			n := left.big()
			j.Holds, j.Compares = o.from.Cmp(n) <= 0 && n.Cmp(o.to) <= 0, true
		}
	case op == In || op == NotIn:
		j.Holds, j.Compares = right.Has(left), right.kind == Set && (len(right.Items()) == 0 || slices.ContainsFunc(right.Items(), left.isLike))
	case b.right == nil && o.quoted:
		j.Holds, j.Compares = left.isQuoted(right.text), left.kind == String || left.kind != Int && Parse(right.text).isLike(left)
	default:
		j.Holds, j.Compares = left.Equal(right), left.isLike(right)
	}
	j.Holds = j.Holds != op.negated()
	return j, nil
}

// families maps a kind to the kind with which its values are compared: a number
// is no string, but the empty sequence of TLA+ is a function, and a constant of
// mCRL2 can be compared with a term.
var families = map[Kind]Kind{Term: Text, Record: Function, Sequence: Function}

// isLike reports whether two values are of comparable kinds.
func (v Value) isLike(w Value) bool {
	family := func(k Kind) Kind {
		if of, is := families[k]; is {
			return of
		}
		return k
	}
	return family(v.kind) == family(w.kind)
}

// isQuoted reports whether a quoted text denotes a value: the string with this
// content, or any value other than a number that is written like the text.
func (v Value) isQuoted(text string) bool {
	if v.kind == String {
		return v.content() == text || v.String() == text
	}
	return v.kind != Int && Parse(text).Equal(v)
}

func (b *Bound) ordered(left, right Value) (bool, error) {
	for _, v := range []Value{left, right} {
		if v.kind != Int {
			return false, fmt.Errorf("%s compares numbers, and %s is none; other values are compared by = and !=", echo(b.atom.String()), echo(v.String()))
		}
	}
	switch c := left.Compare(right); b.atom.op {
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

// Particular reports whether the atom compares with one value, or some of a set,
// so that an atom that never holds is probably a mistake.
func (b *Bound) Particular() bool {
	return b.right == nil && (b.atom.op == Equal || b.atom.op == In)
}

// UnknownNameError says that a model has no parameter of a name.
type UnknownNameError struct {
	Atom  *Atom
	Name  string
	Names []string // the existing names
}

func (e *UnknownNameError) Error() string {
	if len(e.Names) == 0 {
		return fmt.Sprintf("%s asks for a value, and the states of the model have none: read them from a file of TLC, .fsm or .lts, or give a table of them (a label that contains %s is quoted as a whole)", echo(e.Atom.String()), e.Atom.op)
	}
	return fmt.Sprintf("%s: no parameter of states is called %s; the closest are %s (inev info lists all; a label that contains %s is quoted as a whole)",
		echo(e.Atom.String()), echo(e.Name), list(Closest(e.Name, e.Names, 3)), e.Atom.op)
}

// NoValueError reports that an atom compares something that no state has: the
// part of a parameter that it reads, the value that it compares with or, for !=
// and \notin, any value of the same kind.
type NoValueError struct {
	Atom *Atom
	// Reference is the part of a parameter that the atom reads, and Values are
	// the closest of its values.
	Reference string
	Values    []string
}

func (e *NoValueError) Error() string {
	switch {
	case len(e.Values) == 0:
		return fmt.Sprintf("%s holds in no state: no state has a value of %s", echo(e.Atom.String()), echo(e.Reference))
	case e.IsTrue():
		return fmt.Sprintf("%s compares values of different kinds, so that it holds whatever they are; %s has values such as %s", echo(e.Atom.String()), echo(e.Reference), list(e.Values))
	}
	return fmt.Sprintf("%s holds in no state; the closest values of %s are %s", echo(e.Atom.String()), echo(e.Reference), list(e.Values))
}

// longestEcho is the largest number of characters of an atom or a value that an error shows.
const longestEcho = 60

// echo returns as much of a text as an error shows.
func echo(text string) string {
	if characters := []rune(text); len(characters) > longestEcho {
		return string(characters[:longestEcho]) + "…"
	}
	return text
}

// list returns texts in one line, of each as much as an error shows.
func list(texts []string) string {
	shown := make([]string, len(texts))
	for i, text := range texts {
		shown[i] = echo(text)
	}
	return strings.Join(shown, ", ")
}

// IsTrue reports whether the atom holds in all states that have a value for what
// it reads.
func (e *NoValueError) IsTrue() bool { return len(e.Values) > 0 && e.Atom.op.negated() }

// Seen collects the judgements of an atom over states.
type Seen struct {
	b *Bound
	// any is the disjunction of the judgements, field by field: see [Judgement].
	any  Judgement
	have []string
}

// mostNamed is how many values are compared to find the closest ones.
const mostNamed = 10_000

// Seen returns a collection without judgements.
func (b *Bound) Seen() *Seen { return &Seen{b: b} }

// Add adds a judgement of the atom, and the value of the parameter on the left
// side of its comparison.
func (s *Seen) Add(j Judgement, left Value) {
	s.any = Judgement{s.any.Holds || j.Holds, s.any.Reads || j.Reads, s.any.Compares || j.Compares}
	if value, is := s.b.left.of(left); is && len(s.have) < mostNamed && (len(s.have) == 0 || s.b.Particular() || !s.any.Compares) {
		s.have = append(s.have, value.String())
	}
}

// Err returns an error if no state has what the atom compares; nil if some state
// has.
func (s *Seen) Err() *NoValueError {
	a := s.b.atom
	e := &NoValueError{Atom: a, Reference: a.left.String()}
	switch {
	case !s.any.Reads:
		if len(s.have) > 0 { // the left side exists, so the right one does not
			e.Reference = a.right.text
		}
		return e
	case s.any.Compares && (s.any.Holds || !s.b.Particular()):
		return nil
	}
	wanted := a.right.literal
	switch {
	case a.right.from != nil:
		wanted = leaf(Int, a.right.from.String())
	case wanted.kind == Set && len(wanted.Items()) > 0:
		wanted = wanted.items[0]
	}
	e.Values = Closest(wanted.String(), s.have, 3)
	return e
}

// Closest returns the texts of a list that are nearest to another text; most
// limits their number.
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
