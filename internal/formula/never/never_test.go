package never_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/formula/hoa"
	"github.com/inev-lts/inev/internal/formula/ltl"
	"github.com/inev-lts/inev/internal/formula/never"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// automaton is a claim as it was drawn: what the text says, without the text.
type automaton struct {
	states  int
	accepts []bool
	// moves[q] are the guards and targets of a state; a guard has a bit for each letter, the
	// last for "nothing happens".
	moves [][]move
}

type move struct{ letters, to int }

var letters = []string{"a", "b", "c"}

// guards are conditions with the letters that they hold of: a, b, c, nothing.
var guards = []struct {
	text string
	on   int
}{
	{"(a)", 1}, {"(b)", 2}, {"(!a)", 14}, {"(1)", 15}, {"(a || b)", 3}, {"(!(a) && !(b))", 12}, {"(c)", 4}, {`("a" || {b, c})`, 7}, {"(true && !c)", 11},
}

// drawn returns a random claim, as it is and as its text.
func drawn(r *rand.Rand) (automaton, string) {
	x := automaton{states: 1 + r.IntN(4)}
	var names []string
	for q := range x.states {
		x.accepts = append(x.accepts, r.IntN(3) == 0)
		names = append(names, fmt.Sprintf("T%d_S", q))
		if x.accepts[q] {
			names[q] = fmt.Sprintf("accept_S%d", q)
		}
		x.moves = append(x.moves, nil)
	}
	var b strings.Builder
	b.WriteString("never { /* random */\n")
	for q := range x.states {
		word, end := "do", "od"
		if r.IntN(2) == 0 {
			word, end = "if", "fi"
		}
		fmt.Fprintf(&b, "%s:\n\t%s\n", names[q], word)
		for range 1 + r.IntN(3) {
			g, to := guards[r.IntN(len(guards))], r.IntN(x.states)
			x.moves[q] = append(x.moves[q], move{g.on, to})
			fmt.Fprintf(&b, "\t:: %s -> goto %s\n", g.text, names[to])
		}
		fmt.Fprintf(&b, "\t%s;\n", end)
		if word == "if" {
			b.WriteString("\tfalse;\n")
		}
	}
	b.WriteString("\tfalse }\n")
	return x, b.String()
}

// fulfils searches the pairs of states and positions for an accepting cycle.
func (x automaton) fulfils(word []int, loop int) bool {
	n := len(word)
	type place struct{ q, i int }
	next := func(p place) (all []place) {
		i := p.i + 1
		if i == n {
			i = loop
		}
		for _, m := range x.moves[p.q] {
			if m.letters>>word[p.i]&1 != 0 {
				all = append(all, place{m.to, i})
			}
		}
		return all
	}
	reach := func(from place) map[place]bool {
		found := map[place]bool{}
		pending := []place{from}
		for len(pending) > 0 {
			p := pending[0]
			pending = pending[1:]
			for _, t := range next(p) {
				if !found[t] {
					found[t] = true
					pending = append(pending, t)
				}
			}
		}
		return found
	}
	begin := place{0, 0}
	all := reach(begin)
	all[begin] = true
	for p := range all {
		if x.accepts[p.q] && reach(p)[p] {
			return true
		}
	}
	return false
}

// rejects runs the property.
func rejects(p *property.Property, word []int, loop int, stops bool) bool {
	q := p.Initial()
	end := len(word)
	if stops {
		end = loop // the rest is "nothing happens"
	}
	for _, l := range word[:end] {
		q = p.Next(q, lts.Label(l))
	}
	if stops {
		return !p.Stops(q)
	}
	var met property.Marks
	for round := range 2 * p.States() {
		if round == p.States() {
			met = 0
		}
		for _, l := range word[loop:] {
			met |= p.Marks(q, lts.Label(l))
			q = p.Next(q, lts.Label(l))
		}
	}
	return !p.Acceptance().Holds(met)
}

// TestClaimsOnWords compares the property of random claims, nondeterministic ones and such with
// cycles of both kinds among them, with a search for an accepting run on random lassos, and on
// runs that stop.
func TestClaimsOnWords(t *testing.T) {
	claims := 1500
	if !randomlts.Whole() {
		claims = 300
	}
	a, err := lts.NewAlphabet(letters)
	if err != nil {
		t.Fatal(err)
	}
	verdicts, coloured, words := map[bool]int{}, 0, 0
	for seed := range claims {
		r := rand.New(rand.NewPCG(uint64(seed), 11))
		x, text := drawn(r)
		f, err := never.Parse(context.Background(), text)
		if err != nil {
			t.Fatalf("%s\n%v", text, err)
		}
		p, _, err := f.Bind(context.Background(), a)
		if err != nil {
			t.Fatalf("%s\n%v", text, err)
		}
		if p.Acceptance().Operator() != property.InfOp {
			coloured++
		}
		for range 15 {
			words++
			word := make([]int, 1+r.IntN(7))
			for i := range word {
				word[i] = r.IntN(len(letters))
			}
			loop := r.IntN(len(word))
			stops := r.IntN(4) == 0
			if stops {
				word, loop = append(word, len(letters)), len(word)
			}
			want := x.fulfils(word, loop)
			if got := rejects(p, word, loop, stops); got != want {
				t.Fatalf("%s\n%v with its loop at %d, stops: %t: fulfilled %t, and the property rejects: %t", text, word, loop, stops, want, got)
			}
			verdicts[want]++
		}
	}
	if verdicts[true] < words/10 || verdicts[false] < words/10 || coloured < claims/20 {
		t.Errorf("%v, %d of %d with colours", verdicts, coloured, claims)
	}
}

// TestAutomataOnWords is TestClaimsOnWords for nondeterministic automata of HOA files, with one
// set of transitions to be met forever, or two.
func TestAutomataOnWords(t *testing.T) {
	cases := 1200
	if !randomlts.Whole() {
		cases = 300
	}
	a, err := lts.NewAlphabet(letters)
	if err != nil {
		t.Fatal(err)
	}
	conditions := []string{"1 Inf(0)", "2 Inf(0)&Inf(1)", "0 t"}
	verdicts := map[bool]int{}
	for seed := range cases {
		r := rand.New(rand.NewPCG(uint64(seed), 13))
		n, sets := 1+r.IntN(3), []int{1, 2, 0}[seed%3]
		var b strings.Builder
		fmt.Fprintf(&b, "HOA: v1\nStates: %d\nStart: 0\nAP: 4 \"a\" \"b\" \"c\" \"deadlock\"\nAcceptance: %s\n--BODY--\n", n, conditions[seed%3])
		type marked struct{ from, on, to, marks int }
		var all []marked
		for q := range n {
			fmt.Fprintf(&b, "State: %d\n", q)
			for range r.IntN(4) {
				on, to, marks := 1+r.IntN(15), r.IntN(n), r.IntN(1<<sets)
				var label, names []string
				for l := range 4 {
					if on>>l&1 != 0 {
						label = append(label, fmt.Sprint(l))
					}
				}
				for s := range sets {
					if marks>>s&1 != 0 {
						names = append(names, fmt.Sprint(s))
					}
				}
				fmt.Fprintf(&b, "[%s] %d", strings.Join(label, "|"), to)
				if len(names) > 0 {
					fmt.Fprintf(&b, " {%s}", strings.Join(names, " "))
				}
				b.WriteString("\n")
				all = append(all, marked{q, on, to, marks})
			}
		}
		b.WriteString("--END--\n")
		read, err := hoa.Read(context.Background(), strings.NewReader(b.String()), "x.hoa")
		if err != nil {
			t.Fatalf("%s\n%v", b.String(), err)
		}
		f, err := never.FromAutomaton(read)
		if err != nil {
			t.Fatal(err)
		}
		p, _, err := f.Bind(context.Background(), a)
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			word := make([]int, 1+r.IntN(6))
			for i := range word {
				word[i] = r.IntN(len(letters))
			}
			loop, stops := r.IntN(len(word)), r.IntN(4) == 0
			if stops {
				word, loop = append(word, len(letters)), len(word)
			}
			// A cycle of states and positions that meets each set: by components.
			want := false
			type place struct{ q, i int }
			next := map[place][]place{}
			marks := map[[2]place]int{}
			for i := range word {
				after := i + 1
				if after == len(word) {
					after = loop
				}
				for _, e := range all {
					if e.on>>word[i]&1 != 0 {
						from, to := place{e.from, i}, place{e.to, after}
						next[from] = append(next[from], to)
						marks[[2]place{from, to}] |= e.marks
					}
				}
			}
			reach := func(from place) map[place]bool {
				found, pending := map[place]bool{}, []place{from}
				for len(pending) > 0 {
					at := pending[0]
					pending = pending[1:]
					for _, to := range next[at] {
						if !found[to] {
							found[to] = true
							pending = append(pending, to)
						}
					}
				}
				return found
			}
			begin := reach(place{0, 0})
			begin[place{0, 0}] = true
			for at := range begin {
				around := reach(at)
				if !around[at] {
					continue
				}
				met := 0
				around[at] = true
				for pair, m := range marks {
					if around[pair[0]] && around[pair[1]] && reach(pair[0])[at] && reach(pair[1])[at] {
						met |= m
					}
				}
				want = want || met == 1<<sets-1
			}
			if got := rejects(p, word, loop, stops); got != want {
				t.Fatalf("%s\n%v with its loop at %d, stops: %t: accepted %t, and the property rejects: %t", b.String(), word, loop, stops, want, got)
			}
			verdicts[want]++
		}
	}
	if verdicts[true] < cases || verdicts[false] < cases {
		t.Error(verdicts)
	}
}

// TestClaimsOfFormulas: claims as spin -f and ltl2ba write them are the properties of the
// formulas that they deny.
func TestClaimsOfFormulas(t *testing.T) {
	const definitions = "#define p a\n#define q \"b\"\n"
	for formula, claim := range map[string]string{
		"G (a -> F b)": `never  {    /* !([](p -> <>q)) */
T0_init:
	do
	:: (! ((q)) && (p)) -> goto accept_S4
	:: (1) -> goto T0_init
	od;
accept_S4:
	do
	:: (! ((q))) -> goto accept_S4
	od;
}`,
		"FG a": `never { /* !(<>[]p) */
T0_init :    /* init */
	if
	:: (1) -> goto T0_init
	:: (!p) -> goto accept_S2
	fi;
accept_S2 :    /* 1 */
	if
	:: (1) -> goto T0_init
	:: (!p) -> goto accept_S2
	fi;
}`,
		"GF a": `never { T0_init: do :: (!p) -> goto accept_S4 :: true od; accept_S4: do :: !p od }`,
		"G !a": `never { T0_init:
	do
	:: atomic { ((p)) -> assert(!((p))) }
	:: (1) -> goto T0_init
	od;
accept_all:
	skip
}`,
		"!(a && X b)": `never { p; q }`,
		"G (a -> X b)": `never {
T0_init:
	if
	:: (1) -> goto T0_init
	:: (p) -> goto T0_S3
	fi;
T0_S3:
	if
	:: (!q) -> goto accept_all
	fi;
accept_all:
	skip
}`,
	} {
		f, err := never.Parse(context.Background(), definitions+claim)
		if err != nil {
			t.Errorf("%s: %v", formula, err)
			continue
		}
		g, err := ltl.Parse(context.Background(), formula)
		if err != nil {
			t.Fatal(err)
		}
		a, err := lts.NewAlphabet(letters)
		if err != nil {
			t.Fatal(err)
		}
		p, _, err := f.Bind(context.Background(), a)
		if err != nil {
			t.Fatal(err)
		}
		q, _, err := g.Bind(context.Background(), a)
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(1, 2))
		for range 500 {
			word := make([]int, 1+r.IntN(6))
			for i := range word {
				word[i] = r.IntN(len(letters))
			}
			loop, stops := r.IntN(len(word)), r.IntN(3) == 0
			if rejects(p, word, loop, stops) != rejects(q, word, loop, stops) {
				t.Fatalf("%s: %v, loop at %d, stops: %t", formula, word, loop, stops)
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	for text, want := range map[string]string{
		"":                                   `"never"`,
		"never { do :: p -> goto L od }":     "there is no L",
		"never { do od }":                    `"::" behind do`,
		"never { if :: else -> skip fi }":    "a condition, do, if",
		"never { p && }":                     "a condition",
		"never { break }":                    "break within do",
		"never { p } active proctype A() {}": "the end of the file",
		"#define p x > 1\nnever { p }":       "a pattern of labels",
		"never { L: p; L: q }":               "not in use yet",
	} {
		_, err := never.Parse(context.Background(), text)
		var syntax *actl.SyntaxError
		if !errors.As(err, &syntax) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// FuzzParse: whatever is read can be bound.
func FuzzParse(f *testing.F) {
	f.Add("#define p REQ\nnever { T0_init: do :: (p) -> goto accept :: 1 od; accept: do :: !p od }")
	f.Add(`never { atomic { "a b"; assert(x) } if :: {a, b} -> break :: skip fi }`)
	f.Fuzz(func(t *testing.T, text string) {
		claim, err := never.Parse(context.Background(), text)
		if err != nil || len(text) > 300 {
			return
		}
		a, err := lts.NewAlphabet([]string{"a", "REQ"})
		if err != nil {
			t.Fatal(err)
		}
		_, _, _ = claim.Bind(context.Background(), a)
	})
}
