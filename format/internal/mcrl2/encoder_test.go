package mcrl2_test

import (
	"fmt"
	"math/bits"
	"strings"
)

// aterm is a term of mCRL2: one that is written already where placed is not 0, a number,
// or a symbol and arguments.
type aterm struct {
	placed    int // in table A, and 1
	isNumber  bool
	name      string
	value     uint64
	arguments []aterm
}

func at(name string, arguments ...aterm) aterm { return aterm{name: name, arguments: arguments} }
func number(v uint64) aterm                    { return aterm{isNumber: true, value: v} }

func (t aterm) key() string {
	if t.placed > 0 {
		return fmt.Sprint("#", t.placed)
	}
	if t.isNumber {
		return fmt.Sprint(t.value)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%q(", t.name)
	for _, a := range t.arguments {
		b.WriteString(a.key() + ",")
	}
	return b.String() + ")"
}

// encoder writes what mCRL2 writes, for tests.
type encoder struct {
	out     []byte
	n       int // bits
	symbols map[string]int
	terms   map[string]int
}

func newEncoder(version uint64) *encoder {
	e := &encoder{symbols: map[string]int{"": 0}, terms: map[string]int{}}
	e.writeBits(0, 8)
	e.writeBits(0x8baf, 16)
	e.writeBits(version, 16)
	return e
}

func (e *encoder) writeBits(v uint64, k int) {
	for i := k - 1; i >= 0; i-- {
		if e.n%8 == 0 {
			e.out = append(e.out, 0)
		}
		e.out[e.n/8] |= byte(v>>i&1) << (7 - e.n%8)
		e.n++
	}
}

func (e *encoder) writeInteger(v uint64) {
	for ; v >= 0x80; v >>= 7 {
		e.writeBits(v&0x7f|0x80, 8)
	}
	e.writeBits(v, 8)
}

func (e *encoder) symbolNumber(name string, arity int) int {
	key := fmt.Sprint(name, "/", arity)
	at, known := e.symbols[key]
	if !known {
		at = len(e.symbols)
		e.writeBits(0, 2)
		e.writeInteger(uint64(len(name)))
		for _, c := range []byte(name) {
			e.writeBits(uint64(c), 8)
		}
		e.writeInteger(uint64(arity))
		e.symbols[key] = at
	}
	return at
}

// share writes a term into table A, if it is not there.
func (e *encoder) share(t aterm) int {
	if t.placed > 0 {
		return t.placed - 1
	}
	at, known := e.terms[t.key()]
	if known {
		return at
	}
	if t.isNumber {
		symbol := e.symbolNumber("<aterm_int>", 0)
		e.beginTerm(1, symbol)
		e.writeInteger(t.value)
	} else {
		e.application(1, t)
	}
	e.terms[t.key()] = len(e.terms)
	return len(e.terms) - 1
}

func (e *encoder) beginTerm(kind, symbol int) {
	e.writeBits(uint64(kind), 2)
	e.writeBits(uint64(symbol), bits.Len(uint(len(e.symbols))))
}

func (e *encoder) application(kind int, t aterm) {
	var places []int
	for _, a := range t.arguments {
		places = append(places, e.share(a))
	}
	e.beginTerm(kind, e.symbolNumber(t.name, len(t.arguments)))
	for _, at := range places {
		e.writeBits(uint64(at), bits.Len(uint(len(e.terms))))
	}
}

// put outputs terms and numbers.
func (e *encoder) put(all ...aterm) {
	for _, t := range all {
		if t.isNumber {
			e.writeBits(3, 2)
			e.writeInteger(t.value)
			continue
		}
		e.application(2, t)
	}
}

// begin outputs what comes before transitions.
func (e *encoder) begin(parameters ...aterm) {
	e.put(at("labelled_transition_system"))
	for range 5 {
		e.put(number(0))
	}
	e.put(list(parameters...), list())
}

// end outputs the initial state and fills up the last words as mCRL2 does.
func (e *encoder) end(initial uint64) []byte {
	e.put(at("initial_state"), number(1), number(initial))
	return e.close()
}

func (e *encoder) close() []byte {
	e.beginTerm(1, 0)
	for len(e.out)%8 != 0 {
		e.out = append(e.out, 0)
	}
	return e.out
}

func list(all ...aterm) aterm {
	t := at("<empty_list>")
	for i := len(all) - 1; i >= 0; i-- {
		t = at("<list_constructor>", all[i], t)
	}
	return t
}

var (
	nat    = at("SortId", at("Nat"))
	pos    = at("SortId", at("Pos"))
	boole  = at("SortId", at("Bool"))
	color  = at("SortId", at("Color"))
	notime = at("DataVarId", at("@undefined_real"), at("SortId", at("Real")))
)

// op is a constant or function of a sort, variable one of these.
func op(name string, sort aterm) aterm    { return at("OpIdNoIndex", at(name), sort) }
func variable(name string, s aterm) aterm { return at("DataVarId", at(name), s) }
func arrow(to aterm, from ...aterm) aterm { return at("SortArrow", list(from...), to) }
func apply(f aterm, arguments ...aterm) aterm {
	return at("DataAppl", append([]aterm{f}, arguments...)...)
}

// on applies an operation whose sort does not matter.
func on(name string, arguments ...aterm) aterm { return apply(op(name, nat), arguments...) }

func multi(time aterm, actions ...aterm) aterm { return at("TimedMultAct", list(actions...), time) }
func action(name string, arguments ...aterm) aterm {
	return at("Action", at("ActId", at(name), list()), list(arguments...))
}

func (e *encoder) transition(from uint64, label aterm, to uint64) {
	e.put(at("transition"), number(from), label, number(to))
}

// one returns a file of one transition whose label has one argument.
func one(version uint64, value aterm) []byte {
	e := newEncoder(version)
	e.begin()
	e.transition(0, multi(notime, action("a", value)), 1)
	return e.end(0)
}

// word, word2 and double are numerals of sort Pos, and natural one of Nat.
func word(v uint64) aterm            { return on("@most_significant_digit", number(v)) }
func natural(v uint64) aterm         { return on("@most_significant_digitNat", number(v)) }
func concat(x aterm, v uint64) aterm { return on("@concat_digit", x, number(v)) }
func double(bit string, x aterm) aterm {
	return on("@cDub", op(bit, boole), x)
}
