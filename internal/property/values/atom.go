package values

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/agnivade/levenshtein"
)

// Operator is the comparison of an atom.
type Operator string

// The operators.
const (
	Equal        Operator = "="
	Unequal      Operator = "!="
	Less         Operator = "<"
	LessEqual    Operator = "<="
	Greater      Operator = ">"
	GreaterEqual Operator = ">="
	In           Operator = `\in`
	NotIn        Operator = `\notin`
)

// Ordered reports whether the operator compares numbers only.
func (o Operator) Ordered() bool {
	return o == Less || o == LessEqual || o == Greater || o == GreaterEqual
}

// negated reports whether the operator is the negation of another one, as != is
// of =.
func (o Operator) negated() bool { return o == Unequal || o == NotIn }

// opposites maps each operator to its negation.
var opposites = map[Operator]Operator{
	Equal: Unequal, Unequal: Equal, Less: GreaterEqual, GreaterEqual: Less, Greater: LessEqual, LessEqual: Greater, In: NotIn, NotIn: In,
}

// Opposite returns the negation of a. In a state without a value for a
// parameter that both read, neither a nor its negation holds.
func (a *Atom) Opposite() *Atom {
	other := *a
	other.op = opposites[a.op]
	return &other
}

// Atom is a statement about the values of a state: NAME OP VALUE. It comes from
// [Read] and is immutable.
type Atom struct {
	left  reference
	op    Operator
	right operand
	// judgedAs is the name under which labels report the atom, see [Reported]; ""
	// for atoms that this package evaluates.
	judgedAs string
	// isHash reports that # stands for the operator: a comment was perhaps meant.
	isHash bool
}

// Reported returns an atom that the labels of a model report under a name; this
// package cannot evaluate it.
func Reported(name string) *Atom { return &Atom{judgedAs: name} }

// reference names a parameter, or a part of one, as it is written: by a name, and a path that may
// be empty and otherwise begins with a bracket. A dot in the name may also begin the path; only the
// names of the model's parameters decide that.
type reference struct {
	name   string
	path   string
	length string // Len or Cardinality around the reference; "" for none
}

func (p reference) String() string {
	if p.length != "" {
		return p.length + "(" + p.name + p.path + ")"
	}
	return p.name + p.path
}

// operand is the right side of a comparison.
type operand struct {
	text    string // the operand as it is written
	literal Value
	quoted  bool
	// pattern is set for globs and regular expressions.
	pattern *regexp.Regexp
	// from and to are the bounds of a range of numbers, if ranged is set.
	from, to Value
	ranged   bool
	// maybe is the parameter that the text denotes if the model has a parameter
	// of that name.
	maybe reference
}

// String returns the atom in a canonical form, which [Read] accepts.
func (a *Atom) String() string {
	if a.judgedAs != "" {
		return a.judgedAs
	}
	return a.left.String() + " " + string(a.op) + " " + a.right.text
}

// Read returns the atom that begins at an offset of text, and the offset after
// it. It returns false if no name with a comparison after it begins there. 0 =
// x is read as x = 0. An error names what is missing, and the offset.
func Read(text string, at int) (a *Atom, end int, isAtom bool, err *ReadError) {
	r := &reader{text: text, pos: at}
	left, ok := r.reference()
	if !ok || Parse(left.String()).kind == Bool {
		a, end, isAtom = readTurned(text, at)
		return a, end, isAtom, nil
	}
	r.blanks()
	isHash := r.next() == '#'
	op, ok := r.operator()
	if !ok {
		return nil, at, false, nil
	}
	right, err := r.operand(op)
	if err != nil {
		return nil, r.pos, true, err
	}
	return &Atom{left: left, op: op, right: right, isHash: isHash}, r.pos, true, nil
}

// Reads returns the name of the parameter in the atom, as it is written. Cost
// O(1).
func (a *Atom) Reads() string { return a.left.name }

// BeginsWithValue reports whether an atom whose value comes first begins at an
// offset of text, such as 0 = x, see [Read]. Cost O(its length).
func BeginsWithValue(text string, at int) bool {
	_, _, isAtom := readTurned(text, at)
	return isAtom
}

// turned maps each operator to the operator that means the same with the
// operands exchanged.
var turned = map[Operator]Operator{
	Equal:        Equal,
	Unequal:      Unequal,
	Less:         Greater,
	LessEqual:    GreaterEqual,
	Greater:      Less,
	GreaterEqual: LessEqual,
}

// readTurned reads VALUE OP NAME, where the value is a number, a quoted text,
// TRUE or FALSE. The atom that it returns has the name on its left side.
func readTurned(text string, at int) (a *Atom, end int, isAtom bool) {
	r := &reader{text: text, pos: at}
	v, isValue := r.value(0)
	isSimple := v.kind == Int || v.kind == Bool || v.kind == String
	if !isValue || !isSimple {
		return nil, at, false
	}
	op, isOperator := r.operator()
	if !isOperator || turned[op] == "" {
		return nil, at, false
	}
	name, isReference := r.reference()
	if !isReference || Parse(name.String()).kind == Bool || strings.ContainsFunc(name.name, isSign) {
		return nil, at, false
	}
	return &Atom{
		left:  name,
		op:    turned[op],
		right: operand{text: v.String(), literal: v, quoted: v.kind == String},
	}, r.pos, true
}

// isSign reports whether a character is beyond ASCII and neither a letter nor a digit: no formula
// may begin with such a sign.
func isSign(c rune) bool { return c >= 0x80 && !unicode.IsLetter(c) && !unicode.IsDigit(c) }

// ReadError is the error about what is missing in an atom.
type ReadError struct {
	Offset   int
	Expected string
}

func (e *ReadError) Error() string { return "expected " + e.Expected }

// reference reads a parameter with a path, or Len(…) or Cardinality(…) of one.
func (r *reader) reference() (reference, bool) {
	r.blanks()
	start := r.pos
	name := r.dotted()
	if name == "" || isNumber(name) {
		r.pos = start
		return reference{}, false
	}
	isLength := (name == "Len" || name == "Cardinality") && r.next() == '('
	if isLength {
		r.pos++
		inner, ok := r.reference()
		if ok && r.take(")") && inner.length == "" {
			inner.length = name
			return inner, true
		}
		r.pos = start
		return reference{}, false
	}
	p := reference{name: name}
	for {
		step, ok := r.pathStep(p.path != "")
		if !ok {
			return p, true
		}
		p.path += step
	}
}

// pathStep reads a step of the path into a value: [KEY, …] or, after another step, .FIELD. It reads
// nothing if there is none.
func (r *reader) pathStep(mayBeField bool) (step string, ok bool) {
	start := r.pos
	switch {
	case r.next() == '[':
		r.pos++
		keys, ok := r.items(0, "]")
		if ok && len(keys) > 0 {
			texts := make([]string, len(keys))
			for i, key := range keys {
				texts[i] = key.String()
			}
			return "[" + strings.Join(texts, ", ") + "]", true
		}
	case r.next() == '.' && mayBeField:
		r.pos++
		if r.word() != "" {
			return r.text[start:r.pos], true
		}
	}
	r.pos = start
	return "", false
}

// next returns the next byte; 0 at the end of the text.
func (r *reader) next() byte {
	if r.pos < len(r.text) {
		return r.text[r.pos]
	}
	return 0
}

// dotted reads a name, which may have dots.
func (r *reader) dotted() string {
	start := r.pos
	isLetter := func(at int) bool {
		return at < len(r.text) && isWord(r.text[at]) && r.text[at] != '\''
	}
	isDotInside := func() bool {
		return r.pos > start && r.next() == '.' && isLetter(r.pos+1)
	}
	for isLetter(r.pos) || isDotInside() {
		r.pos++
	}
	return r.text[start:r.pos]
}

// comparisons are the signs, longer ones first. Signs of logic that begin like a comparison are
// among them, so that they are recognised.
var comparisons = []struct {
	sign string
	op   Operator // "" if the atom is no comparison
}{
	{"<=>", ""}, {"<->", ""}, {"<>", ""}, {"<<", ""}, {"==>", ""}, {"=>", ""}, {`/\`, ""},
	{"==", Equal}, {"=<", LessEqual}, {"=", Equal}, {"/=", Unequal}, {"!=", Unequal}, {"#", Unequal},
	{"<=", LessEqual}, {"<", Less}, {">=", GreaterEqual}, {">", Greater}, {`\notin`, NotIn}, {`\in`, In}, {`\leq`, LessEqual}, {`\geq`, GreaterEqual},
}

// operator reads a sign of comparison. It returns false if there is none, and for signs of logic that begin as
// one does, such as =>.
func (r *reader) operator() (Operator, bool) {
	r.blanks()
	for _, c := range comparisons {
		rest, hasSign := strings.CutPrefix(r.text[r.pos:], c.sign)
		isLongerWord := c.sign[0] == '\\' && rest != "" && isWord(rest[0]) // as \inside is, for \in
		if !hasSign || isLongerWord {
			continue
		}
		r.pos += len(c.sign)
		return c.op, c.op != ""
	}
	return "", false
}

// operand reads the right side of a comparison.
func (r *reader) operand(op Operator) (o operand, err *ReadError) {
	r.blanks()
	start := r.pos
	if start == len(r.text) {
		return operand{}, &ReadError{start, "a value"}
	}
	isMembership := op == In || op == NotIn
	if isMembership {
		interval, isInterval := r.interval()
		if isInterval {
			return interval, nil
		}
	}
	expected := ""
	switch r.next() {
	case '"':
		o, expected = r.quotedOperand()
	case '/':
		return r.regexp(op)
	case '<', '{', '[', '(':
		o, expected = r.bracketed(op)
	default:
		o = r.bare()
	}
	switch {
	case expected != "":
	case o.text == "":
		expected = "a value (quoted where it has other characters than letters, digits and _ . * ?)"
	case isMembership && o.literal.kind != Set && o.maybe.name == "":
		expected = "a set, such as {1, 2} or -1..2"
	case o.pattern != nil && op != Equal && op != Unequal:
		expected = "a number (patterns of texts are for = and !=)"
	}
	if expected != "" {
		return operand{}, &ReadError{start, expected}
	}
	return o, nil
}

// quotedOperand reads a text in quotes, or returns what is expected instead.
func (r *reader) quotedOperand() (o operand, expected string) {
	text, end, ok := unquote(r.text, r.pos)
	r.pos = end
	if !ok {
		return operand{}, "a value, the quotes of which are closed"
	}
	return operand{
		text:    quote(text),
		literal: leaf(String, text),
		quoted:  true,
	}, ""
}

// bracketed reads a value in brackets, or returns what is expected instead. Parentheses around a single
// value, or around a parameter, do not matter.
func (r *reader) bracketed(op Operator) (o operand, expected string) {
	opening := r.next()
	v, ok := r.value(0)
	if !ok || v.kind == Text && opening != '(' {
		return operand{}, `a value, such as 4, "a", <<1, 2>>, {1, 2} or [a |-> 1] (other values are quoted)`
	}
	o = operand{text: v.String(), literal: v}
	isBracketed := o.text == "" || strings.IndexByte(`<{[(`, o.text[0]) >= 0
	if isBracketed {
		return o, ""
	}
	alone := &reader{text: o.text}
	inner, err := alone.operand(op)
	if err == nil && alone.pos == len(o.text) {
		return inner, ""
	}
	o.text = "(" + o.text + ")" // without them it would end earlier
	return o, ""
}

// interval reads a range of numbers, such as -1..2.
func (r *reader) interval() (operand, bool) {
	start := r.pos
	number := func() (Value, bool) {
		r.blanks()
		from := r.pos
		r.take("-")
		digits := r.pos
		for r.pos < len(r.text) && isDigit(r.text[r.pos]) {
			r.pos++
		}
		return leaf(Int, r.text[from:r.pos]), digits < r.pos
	}
	if from, ok := number(); ok && r.take("..") {
		if to, ok := number(); ok {
			return operand{
				text:   from.String() + ".." + to.String(),
				from:   from,
				to:     to,
				ranged: true,
			}, true
		}
	}
	r.pos = start
	return operand{}, false
}

// regexp reads a regular expression between slashes.
func (r *reader) regexp(op Operator) (operand, *ReadError) {
	start := r.pos
	for r.pos++; r.pos < len(r.text) && r.text[r.pos] != '/'; r.pos++ {
		if r.text[r.pos] == '\\' {
			r.pos++
		}
	}
	if r.pos >= len(r.text) {
		r.pos = len(r.text)
		return operand{}, &ReadError{start, `a "/" that ends the regular expression`}
	}
	source := r.text[start+1 : r.pos]
	r.pos++
	re, err := regexp.Compile(strings.ReplaceAll(source, `\/`, "/"))
	const longest = 1000
	isEquality := op == Equal || op == Unequal
	if err != nil || len(source) > longest || !isEquality {
		return operand{}, &ReadError{start + 1, "a regular expression of Go (RE2), for = and !="}
	}
	return operand{text: "/" + source + "/", pattern: re}, nil
}

// bare reads a value without quotes: a number, a name, a term, a glob or a parameter.
func (r *reader) bare() operand {
	start := r.pos
	p, isReference := r.reference()
	if isReference {
		end := r.pos
		continues := strings.IndexByte("(*?-", r.next()) >= 0
		if !continues {
			return operand{
				text:    p.String(),
				literal: Parse(p.String()),
				maybe:   p,
			}
		}
		r.pos = start
		v, ok := r.value(0)
		if ok && r.pos > end && v.kind == Term {
			return operand{text: v.String(), literal: v}
		}
	}
	r.pos = start
	text := r.wordOrGlob()
	o := operand{text: text, literal: Parse(text)}
	switch {
	case text == "-":
		return operand{}
	case isReference && p.String() == text:
		o.maybe = p
	}
	if strings.ContainsAny(text, "*?") {
		source := strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(regexp.QuoteMeta(text))
		var err error
		o.pattern, err = regexp.Compile("(?s)^" + source + "$")
		if err != nil {
			return operand{} // the text has bytes that are no characters
		}
	}
	return o
}

// wordOrGlob reads a word that may have dots, stars and question marks, and a sign before it.
func (r *reader) wordOrGlob() string {
	start := r.pos
	if r.next() == '-' {
		r.pos++
	}
	for r.pos < len(r.text) && (isWord(r.next()) || strings.IndexByte(".*?", r.next()) >= 0) {
		r.pos++
	}
	return r.text[start:r.pos]
}

// AtomsOf returns the atoms about values of states in a formula of any syntax;
// nil if the syntax has none. Cost O(size).
func AtomsOf(formula any) []*Atom {
	if about, is := formula.(interface{ StateAtoms() []*Atom }); is {
		return about.StateAtoms()
	}
	return nil
}

// Bound is an atom bound to the parameters of a model.
type Bound struct {
	atom  *Atom
	left  bound
	right *bound // the parameter on the right side; nil if a value stands there
}

// bound is a path into the value of a parameter.
type bound struct {
	parameter int
	name      string // of the parameter
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
	maybe := a.right.maybe
	if maybe.name == "" {
		return b, nil
	}
	right, isParameter := maybe.bind(names)
	if isParameter {
		b.right = &right
		return b, nil
	}
	// An operand must be a parameter if it has a path or if the operator needs a set; any other
	// name can be a value.
	mustBeParameter := maybe.path != "" || maybe.length != "" || a.op == In || a.op == NotIn
	if mustBeParameter {
		return nil, &UnknownNameError{Atom: a, Name: maybe.name, Names: names}
	}
	return b, nil
}

// bind finds the longest prefix that is the name of a parameter; what follows is
// a path.
func (p reference) bind(names []string) (bound, bool) {
	fullName := p.name + p.path
	i := slices.Index(names, fullName)
	if i >= 0 {
		return bound{parameter: i, name: names[i], length: p.length != ""}, true
	}
	for end := len(p.name); end > 0; end = strings.LastIndexByte(p.name[:end], '.') {
		i := slices.Index(names, p.name[:end])
		if i >= 0 {
			path, ok := readPath(fullName[end:])
			return bound{i, names[i], path, p.length != ""}, ok
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

// withNames returns the path as it is written with names in place of strings, as in st[p1] for st.p1, if
// that is what a value has: functions over model values have no fields. It returns "" otherwise.
func (b bound) withNames(v Value) string {
	text := b.name
	for _, key := range b.path {
		part, ok := v.At(key)
		if !ok && key.kind == String {
			key = leaf(Text, key.content())
			part, ok = v.At(key)
		}
		if !ok {
			return ""
		}
		v = part
		text += "[" + key.String() + "]"
	}
	return text
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
		n := 0
		ok := false
		switch v.kind {
		case Sequence, List, Set:
			n = len(v.Items())
			ok = true
		case String:
			n = len([]rune(v.content()))
			ok = true
		}
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
func (b *Bound) Holds(parameters ...Value) (bool, error) {
	j, err := b.Judge(parameters...)
	return j.Holds, err
}

// Judge decides whether the atom holds, as [Bound.Holds] does, and reports whether what it reads
// exists and can be compared.
func (b *Bound) Judge(parameters ...Value) (Judgement, error) {
	left, exists := b.left.of(parameters[0])
	if !exists {
		return Judgement{}, nil
	}
	right := b.atom.right.literal
	if b.right != nil {
		right, exists = b.right.of(parameters[1])
		if !exists {
			return Judgement{}, nil
		}
	}
	op := b.atom.op
	if op.Ordered() {
		holds, err := b.ordered(left, right)
		return Judgement{Holds: holds, Reads: true, Compares: true}, err
	}
	isEqualOrIn, compares := b.matches(left, right)
	return Judgement{
		Holds:    isEqualOrIn != op.negated(),
		Reads:    true,
		Compares: compares,
	}, nil
}

// LeftValue returns the atom that the left side has its value, such as alloc[c1] = {r1} for alloc[c1] # R; false if it
// has none.
func (b *Bound) LeftValue(parameters ...Value) (text string, exists bool) {
	left, exists := b.left.of(parameters[0])
	return b.atom.left.String() + " = " + left.String(), exists
}

// IsInequality reports whether the operator of the atom is !=.
func (a *Atom) IsInequality() bool { return a.op == Unequal }

// matches reports whether the left value is equal to the right side of the atom, or one of its values. compares
// reports whether the two can be compared at all.
func (b *Bound) matches(left, right Value) (isEqualOrIn, compares bool) {
	o := b.atom.right
	isMembership := b.atom.op == In || b.atom.op == NotIn
	switch {
	case o.pattern != nil:
		text := left.String()
		if left.kind == String {
			text = left.content()
		}
		return o.pattern.MatchString(text), true
	case o.ranged:
		if left.kind != Int {
			return false, false
		}
		return o.from.Compare(left) <= 0 && left.Compare(o.to) <= 0, true
	case isMembership:
		isSet := right.kind == Set
		isAnyLike := isSet && (len(right.Items()) == 0 || slices.ContainsFunc(right.Items(), left.isLike))
		return right.Has(left), isAnyLike
	case b.right == nil && o.quoted:
		return left.isQuoted(right.text), left.isLikeQuoted(right.text)
	}
	return left.Equal(right), left.isLike(right)
}

// families maps a kind to the kind with which its values are compared: a number
// is no string, but the empty sequence of TLA+ is a function, and a constant of
// mCRL2 can be compared with a term.
var families = map[Kind]Kind{Term: Text, Record: Function, Sequence: Function}

// isLikeQuoted reports whether a value can be compared with a quoted text; see [Value.isQuoted].
func (v Value) isLikeQuoted(text string) bool {
	if v.kind == String {
		return true
	}
	return v.kind != Int && Parse(text).isLike(v)
}

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

// isQuoted reports whether a quoted text denotes a value: the string with this content, or any
// other value that is written like the text, except a number.
func (v Value) isQuoted(text string) bool {
	if v.kind == String {
		return v.content() == text || v.String() == text
	}
	return v.kind != Int && Parse(text).Equal(v)
}

// ordered compares two numbers by the operator of the atom. It fails if a value is no number.
func (b *Bound) ordered(left, right Value) (bool, error) {
	for _, v := range []Value{left, right} {
		if v.kind != Int {
			return false, fmt.Errorf("%s compares numbers, but %s is not a number; other values are compared by = and !=", echo(b.atom.String()), echo(v.String()))
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

// Particular reports whether the atom compares with one value, or with the members of a set. If
// such an atom never holds, it is probably a mistake.
func (b *Bound) Particular() bool {
	return b.right == nil && (b.atom.op == Equal || b.atom.op == In)
}

// UnknownNameError is the error about a name that no parameter of a model has.
type UnknownNameError struct {
	Atom  *Atom
	Name  string
	Names []string // the existing names
}

func (e *UnknownNameError) Error() string {
	if len(e.Names) == 0 && e.Atom.isHash {
		return fmt.Sprintf("%s asks for a value, since # means !=, and the states of the model have none; # begins a comment only at the beginning of a line of a file", echo(e.Atom.String()))
	}
	if len(e.Names) == 0 {
		return fmt.Sprintf("%s asks for a value, but the states of the model have none: read them from a file of TLC, .fsm or .lts, or give a table of them (a label that contains %s is quoted as a whole)", echo(e.Atom.String()), e.Atom.op)
	}
	return fmt.Sprintf("%s: no parameter of states is called %s; the closest are %s (inev info lists all; a label that contains %s is quoted as a whole)",
		echo(e.Atom.String()), echo(e.Name), list(Closest(e.Name, e.Names, 3)), e.Atom.op)
}

// NoValueError reports that no state has something that an atom compares: the part of a parameter
// that the atom reads, the value with which it is compared or, for != and \notin, any value of the
// same kind.
type NoValueError struct {
	Atom *Atom
	// Reference is the part of a parameter that the atom reads, and Values are
	// the closest of its values.
	Reference string
	Values    []string
	// meant is what states have a value of, and is written almost like Reference; "" if there is no such thing.
	meant string
}

// Error says that the atom holds in no state, or in all of them, and names the closest values.
func (e *NoValueError) Error() string {
	switch {
	case e.meant != "":
		return fmt.Sprintf("%s holds in no state: no state has a value of %s, but there are values of %s: write that",
			echo(e.Atom.String()), echo(e.Reference), echo(e.meant))
	case len(e.Values) == 0:
		return fmt.Sprintf("%s holds in no state: no state has a value of %s",
			echo(e.Atom.String()), echo(e.Reference))
	case e.IsTrue():
		return fmt.Sprintf("%s compares values of different kinds, so it always holds; %s has values such as %s", echo(e.Atom.String()), echo(e.Reference), list(e.Values))
	}
	return fmt.Sprintf("%s holds in no state; the closest values of %s are %s",
		echo(e.Atom.String()), echo(e.Reference), list(e.Values))
}

// longestEcho is the largest number of characters of an atom or a value that an error shows.
const longestEcho = 60

// echo returns as much of a text as an error shows.
func echo(text string) string {
	characters := []rune(text)
	if len(characters) > longestEcho {
		return string(characters[:longestEcho]) + "…"
	}
	return text
}

// list returns texts in one line. It cuts each text as echo does.
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
	// meant is what is read on the left side if names stand in place of strings, as in st[p1] for st.p1;
	// "" if no state has that.
	meant string
}

// mostNamed is the largest number of values that are compared to find the closest ones.
const mostNamed = 10_000

// Seen returns an empty collection of judgements about b.
func (b *Bound) Seen() *Seen { return &Seen{b: b} }

// Add adds a judgement of the atom, and the value of the parameter on the left
// side of its comparison.
func (s *Seen) Add(j Judgement, left Value) {
	s.any = Judgement{
		s.any.Holds || j.Holds,
		s.any.Reads || j.Reads,
		s.any.Compares || j.Compares,
	}
	value, exists := s.b.left.of(left)
	if !exists && s.meant == "" {
		s.meant = s.b.left.withNames(left)
	}
	// More than one value is only named in the error of an atom that seems to be a mistake.
	isWanted := len(s.have) == 0 || s.b.Particular() || !s.any.Compares
	if exists && isWanted && len(s.have) < mostNamed {
		s.have = append(s.have, value.String())
	}
}

// Err returns an error if no state has the values that the atom compares; nil if some state has
// them.
func (s *Seen) Err() *NoValueError {
	a := s.b.atom
	e := &NoValueError{Atom: a, Reference: a.left.String()}
	switch {
	case !s.any.Reads:
		if len(s.have) > 0 { // the left side exists, so the right one does not
			e.Reference = a.right.text
		} else {
			e.meant = s.meant
		}
		return e
	case s.any.Compares && (s.any.Holds || !s.b.Particular()):
		return nil
	}
	wanted := a.right.literal
	switch {
	case a.right.ranged:
		wanted = a.right.from
	case wanted.kind == Set && len(wanted.Items()) > 0:
		wanted = wanted.items[0]
	}
	e.Values = Closest(wanted.String(), s.have, 3)
	return e
}

// Closest returns the texts of a list that are nearest to another text; count
// limits their number.
func Closest(to string, texts []string, count int) []string {
	const longest = 100
	distance := func(text string) int {
		if len(text) > longest || len(to) > longest {
			return longest
		}
		return levenshtein.ComputeDistance(strings.ToLower(to), strings.ToLower(text))
	}
	sorted := slices.Clone(texts)
	slices.Sort(sorted)
	sorted = slices.Compact(sorted)
	slices.SortStableFunc(sorted, func(a, b string) int {
		return distance(a) - distance(b)
	})
	return sorted[:min(count, len(sorted))]
}
