package mcrl2_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/gzip"

	"github.com/inev-lts/inev/format/internal/mcrl2"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/lts"
)

func read(data []byte) (*mcrl2.Model, []string, error) {
	return mcrl2.Read(context.Background(), bytes.NewReader(data), mcrl2.Options{Name: "m.lts", States: true})
}

// printed returns the label of the only transition, and warnings.
func printed(t *testing.T, data []byte) (string, []string) {
	t.Helper()
	m, warnings, err := read(data)
	if err != nil {
		t.Fatal(err)
	}
	return m.LTS.Alphabet().Text(0), warnings
}

// c1 is the positive number 1 without words, isOne that with words.
var (
	c1        = op("@c1", pos)
	x         = variable("x", nat)
	y         = variable("y", nat)
	emptyList = op("[]", nat)
	emptySet  = op("{}", nat)
	emptyBag  = op("{:}", nat)
)

func lambda(body aterm, variables ...aterm) aterm {
	return at("Binder", at("Lambda"), list(variables...), body)
}

// TestTexts: values are printed as mCRL2's data library prints them, as far as its
// printer has a notation for them.
func TestTexts(t *testing.T) {
	f := op("f", arrow(nat, nat))
	three, five := natural(3), natural(5)
	setOf := func(elements ...aterm) aterm {
		s := emptySet
		for _, e := range slices.Backward(elements) {
			s = on("@fset_cons", e, s)
		}
		return s
	}
	for _, c := range []struct {
		value aterm
		want  string
	}{
		{natural(0), "0"}, {word(1), "1"}, {natural(1<<64 - 1), "18446744073709551615"},
		{concat(word(1), 0), "18446744073709551616"}, {concat(concat(natural(1), 0), 1), "340282366920938463463374607431768211457"},
		{c1, "1"}, {double("false", c1), "2"}, {double("true", double("false", double("true", c1))), "13"},
		{op("@c0", nat), "0"}, {on("@cNat", double("true", c1)), "3"},
		{on("@cInt", three), "3"}, {on("@cNeg", word(3)), "-3"}, {on("-", on("+", three, five)), "-(3 + 5)"},
		{on("@cReal", on("@cInt", three), word(1)), "3"}, {on("@cReal", on("@cNeg", word(5)), word(2)), "-5 / 2"},
		{on("Pos2Nat", word(2)), "2"}, {on("Nat2Pos", five), "Nat2Pos(5)"},
		{emptyList, "[]"}, {on("|>", three, on("|>", five, emptyList)), "[3, 5]"}, {on("<|", on("<|", emptyList, three), five), "[3, 5]"},
		{on("|>", on("==", x, y), emptyList), "[x == y]"}, {on("|>", on("==", x, y), on("|>", x, emptyList)), "[(x == y), x]"},
		{on("|>", three, variable("l", nat)), "3 |> l"}, {on("|>", on("++", x, y), on("|>", x, y)), "x ++ y |> x |> y"},
		{emptySet, "{}"}, {setOf(three, five), "{3, 5}"}, {on("@fset_insert", three, setOf(five)), "{3, 5}"},
		{emptyBag, "{:}"}, {on("@fbag_cons", three, word(2), emptyBag), "{3: 2}"}, {on("@fbag_cinsert", x, five, emptyBag), "{x: 5}"},
		{on("@set", op("@false_", arrow(boole, nat)), setOf(three)), "{3}"}, {on("@set", op("@true_", arrow(boole, nat)), setOf(three)), "!{3}"},
		{on("@set", lambda(on("<", x, three), x), emptySet), "{ x: Nat | x < 3 }"},
		{on("@set", f, emptySet), "{ x: Nat | f(x) }"}, {on("@set", f, setOf(x)), "{ x1: Nat | f(x1) != x1 in {x} }"},
		{on("@setcomp", f), "{ x: Nat | f(x) }"}, {on("@setfset", variable("s", nat)), "@setfset(s)"}, {on("@setfset", emptySet), "{}"},
		{on("@bag", op("@zero_", arrow(nat, nat)), emptyBag), "{:}"}, {on("@bag", op("@one_", arrow(nat, color)), emptyBag), "{ x: Color | 1 }"},
		{on("@bag", lambda(x, x), emptyBag), "{ x: Nat | x }"},
		{on("@fset_union", op("@false_", nat), op("@true_", nat), setOf(three), setOf(five)), "!{3} + {5}"},
		{lambda(on("*", x, on("+", y, three)), x, y), "lambda x,y: Nat. x * (y + 3)"},
		{lambda(x, x, variable("b", boole)), "lambda x: Nat, b: Bool. x"},
		{at("Binder", at("Forall"), list(x), on("=>", on("&&", x, y), on("!", on("==", x, y)))), "forall x: Nat. x && y => !(x == y)"},
		{at("Binder", at("SetComp"), list(x), on("in", x, y)), "{ x: Nat | x in y }"},
		{apply(lambda(x, x), three), "(lambda x: Nat. x)(3)"}, {apply(apply(f, three), five), "f(3)(5)"},
		{on("@func_update", f, three, five), "f[3 -> 5]"}, {on("@func_update", lambda(x, x), three, five), "(lambda x: Nat. x)[3 -> 5]"},
		{on("-", on("-", x, y), on("-", x, y)), "x - y - (x - y)"}, {on("=>", on("=>", x, y), on("=>", x, y)), "(x => y) => x => y"},
		{on("#", x), "#x"}, {on("if", x, y, three), "if(x, y, 3)"}, {on("@monus", x, y), "max(0,x - (y))"},
		{on("@first", on("@divmod_aux", x, y)), "(x) div (y)"}, {on("@last", on("@divmod", on("+", x, y), y)), "(x + y) mod y"},
		{on(".", x, three), "x . 3"}, {on("@natpred", x), "max(0,x - 1)"},
		{at("Whr", on("+", x, y), list(at("DataVarIdInit", x, three), at("DataVarIdInit", y, five))), "x + y whr x = 3, y = 5 end"},
		{lambda(x, variable("g", arrow(nat, nat, arrow(boole, color)))), "lambda g: Nat # (Color -> Bool) -> Nat. x"},
		{lambda(x, variable("l", at("SortCons", at("SortList"), nat))), "lambda l: List(Nat). x"},
		{lambda(x, variable("s", at("SortStruct", list(at("StructCons", at("a"), list(), at("")), at("StructCons", at("b"), list(at("StructProj", at("p"), nat)), at("is_b")))))),
			"lambda s: struct a | b(p: Nat)?is_b. x"},
	} {
		if got, warnings := printed(t, one(0x8308, c.value)); got != "a("+c.want+")" || len(warnings) > 0 {
			t.Errorf("got %s, want a(%s), warnings %q", got, c.want, warnings)
		}
	}
}

// TestUnlike: what mCRL2 may print otherwise is warned of, once.
func TestUnlike(t *testing.T) {
	got, warnings := printed(t, one(0x8308, on("@sqrt_nat", on("@msd", x))))
	want := `m.lts: labels or values with "@sqrt_nat", and perhaps others, are printed with arguments in parentheses; mCRL2 may print them otherwise`
	if got != "a(@sqrt_nat(@msd(x)))" || !slices.Equal(warnings, []string{want}) {
		t.Errorf("%s, %q", got, warnings)
	}
}

// TestMultiActions: parts have the order of their texts, with the time that is printed
// behind the last of them.
func TestMultiActions(t *testing.T) {
	three := on("@cReal", on("@cInt", natural(3)), word(1))
	half := on("@cReal", on("@cInt", natural(1)), word(2))
	for want, label := range map[string]aterm{
		"tau":                 multi(notime),
		"tau @ 3":             multi(three),
		"a|b(3)":              multi(notime, action("b", natural(3)), action("a")),
		"d(10) @ 3|d(9)":      multi(three, action("d", natural(9)), action("d", natural(10))),
		"a @ (1 / 2)":         multi(half, action("a")),
		"a(x || y)|b":         multi(notime, action("b"), action("a", on("||", x, y))),
		"a(1, [(x == y), x])": multi(notime, action("a", natural(1), on("|>", on("==", x, y), on("|>", x, emptyList)))),
	} {
		e := newEncoder(0x8306)
		e.begin()
		e.transition(0, label, 0)
		if got, _ := printed(t, e.end(0)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// small is a model with all that a file may hold.
func small() []byte {
	e := newEncoder(0x8307)
	e.begin(variable("n", nat), variable("b", boole))
	tree := func(n uint64, b string) aterm { return at("@node@", natural(n), op(b, boole)) }
	e.transition(2, multi(notime, action("up", natural(1))), 0)
	e.put(list(tree(7, "true")))
	e.transition(0, multi(notime), 1)
	e.transition(0, multi(notime), 1)
	e.put(list(tree(8, "true"), tree(9, "true")), list(tree(7, "false")))
	return e.end(2)
}

const smallAut = `des (2, 3, 3)
(2, "up(1)", 0)
(0, "tau", 1)
(0, "tau", 1)
`

func TestRead(t *testing.T) {
	m, warnings, err := read(small())
	if err != nil {
		t.Fatal(err)
	}
	expectSame(t, "small", written(t, m.LTS), smallAut)
	want := "m.lts: some states stand for several of the specification, as after ltsconvert -e; values are those of one of them"
	if !slices.Equal(warnings, []string{want}) {
		t.Errorf("warnings %q", warnings)
	}
	if m.States.NumStates() != 3 || m.States.NumParameters() != 2 || m.States.Parameter(0).Name != "n" || m.States.Parameter(1).Sort != "Bool" {
		t.Errorf("%+v", m.States)
	}
	for s, want := range []string{"7 true", "8 true", "7 false"} {
		got := m.States.Text(0, m.States.Value(lts.State(s), 0)) + " " + m.States.Text(1, m.States.Value(lts.State(s), 1))
		if got != want {
			t.Errorf("state %d: %s, want %s", s, got, want)
		}
	}
	without, _, err := mcrl2.Read(context.Background(), bytes.NewReader(small()), mcrl2.Options{})
	if err != nil || without.States != nil {
		t.Errorf("%v, %v", without, err)
	}
}

func TestCompressed(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	w.Write(small())
	w.Close()
	m, _, err := mcrl2.Read(context.Background(), iotest.OneByteReader(&packed), mcrl2.Options{})
	if err != nil {
		t.Fatal(err)
	}
	expectSame(t, "small", written(t, m.LTS), smallAut)
}

// TestTruncated: of a file that is cut off anywhere, one line says so; what only fills up
// the last word may be missing.
func TestTruncated(t *testing.T) {
	whole := small()
	end := len(whole)
	for end > 0 && whole[end-1] == 0 {
		end--
	}
	for n := range end {
		_, _, err := read(whole[:n])
		if err == nil || !strings.HasPrefix(err.Error(), "m.lts: ") || strings.Contains(err.Error(), "\n") {
			t.Fatalf("cut off after %d bytes: %v", n, err)
		}
		if n >= 3 && !strings.Contains(err.Error(), "the file ends too early") {
			t.Errorf("cut off after %d bytes: %v", n, err)
		}
	}
}

// TestRefused: one line each, with the byte.
func TestRefused(t *testing.T) {
	began := func(parameters ...aterm) *encoder {
		e := newEncoder(0x8308)
		e.begin(parameters...)
		return e
	}
	loop := multi(notime)
	for _, c := range []struct {
		data func() []byte
		want string
	}{
		{func() []byte { return nil }, "this is not an .lts file of mCRL2: these begin with the bytes 00 8b af; a file of another format needs its suffix, such as .aut"},
		{func() []byte { return []byte("des (0, 0, 1)\n") }, "this is not an .lts file of mCRL2"},
		{func() []byte { return newEncoder(0x8305).close() }, "at byte 3: version 0x8305 of mCRL2's .lts format, of 2019; versions 0x8306 to 0x8308 are read: make the file anew"},
		{func() []byte { return newEncoder(0x8309).close() }, "at byte 3: version 0x8309 of mCRL2's .lts format; versions 0x8306 to 0x8308 are read"},
		{func() []byte { e := newEncoder(0x8308); e.put(at("lps")); return e.close() }, `"lps" where labelled_transition_system is expected: this is another file of mCRL2, such as an .lps`},
		{func() []byte {
			e := began()
			e.put(at("probabilistic_transition"))
			return e.close()
		}, "a probabilistic transition: probabilistic models cannot be read"},
		{func() []byte {
			e := began()
			e.put(at("initial_state"), number(2))
			return e.close()
		}, "the initial state is a distribution over 2 states: probabilistic models cannot be read"},
		{func() []byte { return began().close() }, "the file has no initial state: it is damaged"},
		{func() []byte {
			e := began()
			e.put(at("initial_state"), number(1), number(0), at("initial_state"), number(1), number(1))
			return e.close()
		}, "a second initial state, 1 beside 0"},
		{func() []byte { e := began(); e.put(number(3)); return e.close() }, "a number where a transition, a state or the initial state is expected"},
		{func() []byte { e := began(); e.put(at("else")); return e.close() }, `"else" where a transition, a state or the initial state is expected`},
		{func() []byte { e := began(); e.put(at("transition"), at("else")); return e.close() }, "the source of a transition is missing"},
		{func() []byte { e := began(); e.put(at("transition"), number(0), number(0)); return e.close() }, "the label of a transition is missing"},
		{func() []byte { e := began(); e.put(at("transition"), number(0), at("else")); return e.close() }, `"else" where the label of a transition is expected`},
		{func() []byte { e := began(); e.transition(0, loop, 1<<40); return e.end(0) }, "state 1099511627776: at most"},
		{func() []byte { e := began(); e.transition(0, loop, 1<<30); return e.end(0) }, "state 1073741824 is beyond the 1000064 that 1 transitions account for"},
		{func() []byte { return began().end(1 << 31) }, "state 2147483648 is beyond the 1000000 that 0 transitions account for"},
		{func() []byte {
			e := began(variable("n", nat))
			e.put(list(at("@node@", natural(1), natural(2))))
			return e.end(0)
		}, "state 0 has more than 1 values, one for each parameter"},
		{func() []byte { return began(natural(1)).end(0) }, `"DataAppl" where a parameter is expected`},
		{func() []byte { return append(small(), small()...) }, "the model ends here, but the file goes on: it is damaged, or several were joined"},
		{func() []byte {
			e := newEncoder(0x8308)
			e.put(at("labelled_transition_system"), number(1<<62))
			return e.close()
		}, "one of sorts is missing"},
		{func() []byte { // a name of 2^60 bytes
			e := newEncoder(0x8308)
			e.writeBits(0, 2)
			e.writeInteger(1 << 60)
			return e.out
		}, "a name of more than 16 MiB: the file is damaged"},
		{func() []byte { // a number of 80 bits
			e := newEncoder(0x8308)
			e.writeBits(3, 2)
			e.writeBits(1<<64-1, 64)
			e.writeBits(1<<16-1, 16)
			return e.out
		}, "a number of more than 64 bits: the file is damaged"},
		{func() []byte { // a symbol with 2^60 arguments, which table A is too small for
			e := newEncoder(0x8308)
			symbol := e.symbolNumber("f", 1<<60)
			e.beginTerm(1, symbol)
			e.writeBits(0, 40)
			return e.out
		}, "term 0 of 0: the file is damaged"},
		{func() []byte { // symbol 3 of 2
			e := newEncoder(0x8308)
			e.symbolNumber("f", 0)
			e.beginTerm(1, 3)
			return append(e.out, 0)
		}, "function symbol 3 of 2: the file is damaged"},
	} {
		_, _, err := read(c.data())
		var located *inputfile.Error
		if err == nil || !errors.As(err, &located) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("\n got %v\nwant %s", err, c.want)
		}
	}
}

// TestShared: subterms are shared, so that the text of a value can be exponentially longer
// than the file; and a chain that is as deep as the file is long is no trouble.
func TestShared(t *testing.T) {
	data := func(grow string, times int) []byte {
		e := newEncoder(0x8308)
		e.begin()
		x := natural(1)
		for range times {
			arguments := []aterm{x, x}
			if grow != "pair" {
				arguments = arguments[:1]
			}
			x = aterm{placed: e.share(on(grow, arguments...)) + 1}
		}
		e.transition(0, multi(notime, action("a", x)), 1)
		return e.end(0)
	}
	for grow, times := range map[string]int{"pair": 100, "Pos2Nat": 70_000} {
		_, _, err := read(data(grow, times))
		if err == nil || !strings.Contains(err.Error(), "a label or value of more than 1 MiB, or too deeply nested") {
			t.Errorf("%s: %v", grow, err)
		}
	}
	if m, _, err := read(data("f", 10_000)); err != nil || len(m.LTS.Alphabet().Text(0)) != len("a()")+30_001 {
		t.Error(err)
	}
}

func TestReadersErrors(t *testing.T) {
	broken := errors.New("the disk fails")
	whole := small()
	for n := range len(whole) - 16 {
		_, _, err := mcrl2.Read(context.Background(), io.MultiReader(bytes.NewReader(whole[:n]), iotest.ErrReader(broken)), mcrl2.Options{Name: "m.lts"})
		if !errors.Is(err, broken) {
			t.Fatalf("after %d bytes: %v", n, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := mcrl2.Read(ctx, bytes.NewReader(whole), mcrl2.Options{}); err != context.Canceled {
		t.Error(err)
	}
}
