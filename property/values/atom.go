package values

import (
	"math/big"
	"regexp"
	"strings"
	"unicode"
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
}

// Reported returns an atom that the labels of a model report under a name; this
// package cannot evaluate it.
func Reported(name string) *Atom { return &Atom{judgedAs: name} }

// reference names a parameter, or a part of one, as it is written: by a name,
// then a path that begins with a bracket or is empty. Dots may belong to the
// name or to the path.
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
	// from and to are the bounds of a range of numbers, which is a set; nil for
	// other operands.
	from, to *big.Int
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

// Read returns the atom that begins at an offset of text, and the offset behind
// it. It returns false if no name with a comparison behind it begins there. 0 =
// x is read as x = 0. An error says what is missing, and at which offset.
func Read(text string, at int) (a *Atom, after int, is bool, err *ReadError) {
	r := &reader{text: text, pos: at}
	left, ok := r.reference()
	if !ok || Parse(left.String()).kind == Bool {
		return readTurned(text, at)
	}
	op, ok := r.operator()
	if !ok {
		return nil, at, false, nil
	}
	a = &Atom{left: left, op: op}
	if a.right, err = r.operand(op); err != nil {
		return nil, r.pos, true, err
	}
	return a, r.pos, true, nil
}

// Reads returns the name of the parameter in the atom, as it is written. Cost
// O(1).
func (a *Atom) Reads() string { return a.left.name }

// BeginsWithValue reports whether an atom whose value comes first begins at an
// offset of text, such as 0 = x, see [Read]. Cost O(its length).
func BeginsWithValue(text string, at int) bool {
	_, _, is, _ := readTurned(text, at)
	return is
}

// turned maps each operator to the operator that means the same with the
// operands exchanged.
var turned = map[Operator]Operator{Equal: Equal, Unequal: Unequal, Less: Greater, LessEqual: GreaterEqual, Greater: Less, GreaterEqual: LessEqual}

// readTurned reads VALUE OP NAME, where the value is a number, a quoted text,
// TRUE or FALSE.
func readTurned(text string, at int) (a *Atom, after int, is bool, err *ReadError) {
	r := &reader{text: text, pos: at}
	v, ok := r.value(0)
	if !ok || v.kind != Int && v.kind != Bool && v.kind != String {
		return nil, at, false, nil
	}
	op, ok := r.operator()
	if !ok || turned[op] == "" {
		return nil, at, false, nil
	}
	left, ok := r.reference()
	if !ok || Parse(left.String()).kind == Bool || strings.ContainsFunc(left.name, isSign) {
		return nil, at, false, nil
	}
	return &Atom{left: left, op: turned[op], right: operand{text: v.String(), literal: v, quoted: v.kind == String}}, r.pos, true, nil
}

// isSign reports whether a character is beyond ASCII and neither a letter nor a digit: no formula
// may begin with such a sign.
func isSign(c rune) bool { return c >= 0x80 && !unicode.IsLetter(c) && !unicode.IsDigit(c) }

// ReadError says what is missing in an atom.
type ReadError struct {
	Offset   int
	Expected string
}

func (e *ReadError) Error() string { return "expected " + e.Expected }

// reference reads a parameter with a path, or Len(…) of it.
func (r *reader) reference() (reference, bool) {
	r.blanks()
	start := r.pos
	name := r.dotted()
	if name == "" || isNumber(name) {
		r.pos = start
		return reference{}, false
	}
	if (name == "Len" || name == "Cardinality") && r.pos < len(r.text) && r.text[r.pos] == '(' {
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
	for r.pos < len(r.text) && (r.text[r.pos] == '[' || p.path != "" && r.text[r.pos] == '.') {
		step := r.pos
		if r.text[r.pos] == '.' {
			r.pos++
			if r.word() == "" {
				r.pos = step
				break
			}
			p.path += r.text[step:r.pos]
			continue
		}
		r.pos++
		keys, ok := r.items(0, "]")
		if !ok || len(keys) == 0 {
			r.pos = step
			break
		}
		p.path += "[" + join(keys) + "]"
	}
	return p, true
}

// dotted reads a name, which may have dots.
func (r *reader) dotted() string {
	start := r.pos
	inName := func(at int) bool { return at < len(r.text) && isWord(r.text[at]) && r.text[at] != '\'' }
	for inName(r.pos) || r.pos < len(r.text) && r.text[r.pos] == '.' && r.pos > start && inName(r.pos+1) {
		r.pos++
	}
	return r.text[start:r.pos]
}

// comparisons are the signs, longer ones first, with signs that begin like a
// comparison but are none.
var comparisons = []struct {
	sign string
	op   Operator // "" if the atom is no comparison
}{
	{"<=>", ""}, {"<->", ""}, {"<>", ""}, {"<<", ""}, {"==>", ""}, {"=>", ""}, {`/\`, ""},
	{"==", Equal}, {"=<", LessEqual}, {"=", Equal}, {"/=", Unequal}, {"!=", Unequal}, {"#", Unequal},
	{"<=", LessEqual}, {"<", Less}, {">=", GreaterEqual}, {">", Greater}, {`\notin`, NotIn}, {`\in`, In}, {`\leq`, LessEqual}, {`\geq`, GreaterEqual},
}

func (r *reader) operator() (Operator, bool) {
	r.blanks()
	for _, c := range comparisons {
		if rest, found := strings.CutPrefix(r.text[r.pos:], c.sign); found {
			if c.sign[0] == '\\' && rest != "" && isWord(rest[0]) {
				continue
			}
			r.pos += len(c.sign)
			return c.op, c.op != ""
		}
	}
	return "", false
}

// operand reads the right side of a comparison.
func (r *reader) operand(op Operator) (o operand, err *ReadError) {
	r.blanks()
	start := r.pos
	fail := func(expected string) (operand, *ReadError) {
		return operand{}, &ReadError{start, expected}
	}
	if r.pos == len(r.text) {
		return fail("a value")
	}
	if op == In || op == NotIn {
		if o, is := r.interval(); is {
			return o, nil
		}
	}
	switch r.text[r.pos] {
	case '"':
		text, after, ok := unquote(r.text, r.pos)
		if r.pos = after; !ok {
			return fail("a value, the quotes of which are closed")
		}
		o = operand{text: quote(text), literal: leaf(String, text), quoted: true}
	case '/':
		return r.regexp(op)
	case '<', '{', '[', '(':
		v, ok := r.value(0)
		if !ok || v.kind == Text && strings.IndexByte(`<{[(`, r.text[start]) >= 0 && r.text[start] != '(' {
			return fail(`a value, such as 4, "a", <<1, 2>>, {1, 2} or [a |-> 1] (other values are quoted)`)
		}
		o = operand{text: v.String(), literal: v}
		// Parentheses around a single value, or around a parameter, do not
		// matter.
		if within := (&reader{text: o.text}); o.text != "" && strings.IndexByte(`<{[(`, o.text[0]) < 0 {
			if inner, err := within.operand(op); err == nil && within.pos == len(o.text) {
				o = inner
			} else {
				o.text = "(" + o.text + ")" // without them it would end earlier
			}
		}
	default:
		o = r.bare()
	}
	switch {
	case o.text == "":
		return fail("a value (quoted where it has other characters than letters, digits and _ . * ?)")
	case (op == In || op == NotIn) && o.literal.kind != Set && o.maybe.name == "":
		return fail("a set, such as {1, 2} or -1..2")
	case o.pattern != nil && op != Equal && op != Unequal:
		return fail("a number (patterns of texts are for = and !=)")
	}
	return o, nil
}

// interval reads a range of numbers, such as -1..2.
func (r *reader) interval() (operand, bool) {
	start := r.pos
	number := func() (*big.Int, bool) {
		r.blanks()
		from := r.pos
		r.take("-")
		digits := r.pos
		for r.pos < len(r.text) && isDigit(r.text[r.pos]) {
			r.pos++
		}
		n, ok := new(big.Int).SetString(r.text[from:r.pos], 10)
		return n, ok && digits < r.pos
	}
	if from, ok := number(); ok && r.take("..") {
		if to, ok := number(); ok {
			return operand{text: from.String() + ".." + to.String(), from: from, to: to}, true
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
	if err != nil || len(source) > 1000 || op != Equal && op != Unequal {
		return operand{}, &ReadError{start + 1, "a regular expression of Go (RE2), for = and !="}
	}
	return operand{text: "/" + source + "/", pattern: re}, nil
}

// bare reads a value without quotes: a number, a name, a term, a glob or a parameter.
func (r *reader) bare() operand {
	start := r.pos
	p, isReference := r.reference()
	if isReference {
		after := r.pos
		if r.pos == len(r.text) || !strings.ContainsRune("(*?-", rune(r.text[r.pos])) {
			return operand{text: p.String(), literal: Parse(p.String()), maybe: p}
		}
		r.pos = start
		if v, ok := r.value(0); ok && r.pos > after && v.kind == Term {
			return operand{text: v.String(), literal: v}
		}
	}
	r.pos = start
	if r.text[r.pos] == '-' {
		r.pos++
	}
	glob := false
	for ; r.pos < len(r.text) && (isWord(r.text[r.pos]) || strings.IndexByte(".*?", r.text[r.pos]) >= 0); r.pos++ {
		glob = glob || r.text[r.pos] == '*' || r.text[r.pos] == '?'
	}
	text := r.text[start:r.pos]
	o := operand{text: text, literal: Parse(text)}
	switch {
	case text == "-":
		return operand{}
	case isReference && p.String() == text:
		o.maybe = p
	}
	if glob {
		source := strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(regexp.QuoteMeta(text))
		var err error
		if o.pattern, err = regexp.Compile("(?s)^" + source + "$"); err != nil {
			return operand{} // the text has bytes that are no characters
		}
	}
	return o
}
