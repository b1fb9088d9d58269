package hoa_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/formula/hoa"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

var labels = []string{"a", "b", "x", "y", "c"}

func alphabet(t testing.TB, texts ...string) *lts.Alphabet {
	t.Helper()
	a, err := lts.NewAlphabet(texts)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func bound(t testing.TB, a *lts.Alphabet, file string) *property.Property {
	t.Helper()
	f, err := hoa.Read(context.Background(), strings.NewReader(file), "p.hoa")
	if err != nil {
		t.Fatalf("%v in\n%s", err, file)
	}
	p, _, err := f.Bind(context.Background(), a)
	if err != nil {
		t.Fatalf("%v in\n%s", err, file)
	}
	return p
}

func pattern(t testing.TB, a *lts.Alphabet, text string) *property.Property {
	t.Helper()
	f, err := actl.Parse(context.Background(), text)
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := f.Bind(context.Background(), a)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// accepts runs a property on a word: of labels with a loop from an index on, or without.
func accepts(p *property.Property, word []lts.Label, loop int) bool {
	q := p.Initial()
	for _, l := range word {
		q = p.Next(q, l)
	}
	if loop < 0 {
		return p.Stops(q)
	}
	var met property.Marks
	for round := range 2 * p.States() {
		if round == p.States() {
			met = 0
		}
		for _, l := range word[loop:] {
			met |= p.Marks(q, l)
			q = p.Next(q, l)
		}
	}
	return p.Acceptance().Holds(met)
}

// same compares two properties on random words.
func same(t testing.TB, name string, a *lts.Alphabet, p, q *property.Property) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, uint64(len(name))))
	for range randomlts.Share(2000) {
		word := make([]lts.Label, r.IntN(9))
		for i := range word {
			word[i] = lts.Label(r.IntN(a.Len()))
		}
		loop := -1
		if len(word) > 0 && r.IntN(4) > 0 {
			loop = r.IntN(len(word))
		}
		if accepts(p, word, loop) != accepts(q, word, loop) {
			t.Fatalf("%s: %v with its loop at %d: %t and %t", name, word, loop, accepts(p, word, loop), accepts(q, word, loop))
		}
	}
}

// written writes a property as an automaton of a file whose propositions are the labels of
// a; how a run may end is what an end mark makes of it: after a letter without
// propositions there is a state of its own for each verdict.
func written(a *lts.Alphabet, p *property.Property) string {
	var b strings.Builder
	n := p.States()
	fmt.Fprintf(&b, "HOA: v1\nStates: %d\nStart: %d\nAP: %d", n+2, p.Initial(), a.Len())
	for _, text := range a.All() {
		fmt.Fprintf(&b, " %q", text)
	}
	colours := 0
	all, _ := p.Acceptance().Colours()
	for c := range property.Colours {
		if all.Has(c) {
			colours = c + 1
		}
	}
	fmt.Fprintf(&b, "\nAcceptance: %d (%s & Fin(%d)) | Inf(%d)\n--BODY--\n", colours+2, p.Acceptance(), colours, colours+1)
	letter := func(l int) string {
		var literals []string
		for i := range a.Len() {
			if i == l {
				literals = append(literals, fmt.Sprint(i))
			} else {
				literals = append(literals, fmt.Sprint("!", i))
			}
		}
		return strings.Join(literals, "&")
	}
	for q := range n {
		fmt.Fprintf(&b, "State: %d\n", q)
		for l := range a.All() {
			var marks []string
			for c := range colours {
				if p.Marks(property.Q(q), l).Has(c) {
					marks = append(marks, fmt.Sprint(c))
				}
			}
			fmt.Fprintf(&b, "[%s] %d {%s}\n", letter(int(l)), p.Next(property.Q(q), l), strings.Join(marks, " "))
		}
		end := n
		if p.Stops(property.Q(q)) {
			end = n + 1
		}
		fmt.Fprintf(&b, "[%s] %d\n", letter(-1), end)
	}
	fmt.Fprintf(&b, "State: %d {%d}\n[t] %d\nState: %d {%d}\n[t] %d\n--END--\n", n, colours, n, n+1, colours+1, n+1)
	return b.String()
}

// TestWrittenPatternsReadBack: patterns in scopes mean the same after they were written
// to files.
func TestWrittenPatternsReadBack(t *testing.T) {
	a := alphabet(t, labels...)
	for _, text := range []string{
		"Response(a; b)", "Response(a; b, c)", "Never(a, b; between x and y)", "Precedes(a; b; after x until y)", "Inev(a, b; after x until y)",
		"Always({a, b, x}; before x)", "AtMost(2; a)", "DeadlockFree", "DeadlockFree(after x)",
	} {
		p := pattern(t, a, text)
		same(t, text, a, p, bound(t, a, written(a, p)))
	}
}

// TestForms reads response and others in the forms that tools write: conditions on states
// and transitions, implicit labels, aliases, sets that are meant by what is not in them,
// and automata that are not complete.
func TestForms(t *testing.T) {
	a := alphabet(t, labels...)
	for name, c := range map[string]struct{ pattern, file string }{
		"marks on states": {"Response(a; b)", `HOA: v1 States: 2 Start: 0 AP: 2 "a" "b" acc-name: Buchi Acceptance: 1 Inf(0)
--BODY-- State: 0 {0} [!0] 0 [0] 1 State: 1 [1&!0] 0 [!1|0] 1 --END--`},
		"marks on transitions": {"Response(a; b)", `HOA: v1 States: 2 Start: 0 AP: 2 "a" "b" Acceptance: 1 Inf(0)
--BODY-- State: 0 [!0] 0 {0} [0] 1 State: 1 [1&!0] 0 {0} [!1|0] 1 --END--`},
		"co-Buchi, a set by its complement": {"Inev(a)", `HOA: v1 States: 2 Start: 0 AP: 1 "a" Acceptance: 1 Fin(!0)
--BODY-- State: 0 [!0] 0 [0] 1 State: 1 {0} [t] 1 --END--`},
		"Inf of a complement": {"Inev(a)", `HOA: v1 States: 2 Start: 0 AP: 1 "a" Acceptance: 1 Inf(!0)
--BODY-- State: 0 {0} [!0] 0 [0] 1 State: 1 [t] 1 --END--`},
		"implicit labels": {"Inev(a, b)", `HOA: v1 States: 3 Start: 0 AP: 2 "a" "b" Acceptance: 1 Inf(0)
--BODY-- State: 0 0 1 0 1 State: 1 1 1 2 2 State: 2 {0} 2 2 2 2 --END--`},
		"aliases, and labels of states": {"Never(a)", `HOA: v1 States: 1 Start: 0 AP: 1 "a" Alias: @no !0 Acceptance: 0 t
--BODY-- State: [@no] 0 0 --END--`},
		"not complete, with Fin": {"Precedes(a; b)", `HOA: v1 States: 2 Start: 0 AP: 2 "a" "b" Acceptance: 1 Fin(0)
--BODY-- State: 0 [0] 1 [!0&!1] 0 State: 1 [t] 1 --END--`},
		"patterns as propositions": {"Inev({a, b})", `HOA: v1 States: 2 Start: 0 AP: 1 "/^[ab]$/" Acceptance: 1 Inf(0)
--BODY-- State: 0 [!0] 0 [0] 1 State: 1 {0} [t] 1 --END--`},
		"deadlock": {"DeadlockFree", `HOA: v1 States: 1 Start: 0 AP: 1 "deadlock" Acceptance: 0 t --BODY-- State: 0 [!0] 0 --END--`},
		"the same transition twice": {"Inev(a)", `HOA: v1 States: 2 Start: 0 AP: 1 "a" Acceptance: 1 Inf(0)
--BODY-- State: 0 [!0] 0 [0] 1 [0] 1 State: 1 {0} [t] 1 --END--`},
		"not deterministic on letters that no label is": {"Inev(a)", `HOA: v1 States: 2 Start: 0 AP: 2 "a" "b" Acceptance: 1 Inf(0)
--BODY-- State: 0 [!0] 0 [0] 1 [0&1] 0 State: 1 {0} [t] 1 --END--`},
	} {
		same(t, name, a, pattern(t, a, c.pattern), bound(t, a, c.file))
	}
}

// TestMarksAreJoined: transitions that differ in their marks alone are a choice of marks. A word is
// accepted if some choice, again and again, of one or several for each step of its loop is; all
// choices are tried. With Fin, a choice is refused.
func TestMarksAreJoined(t *testing.T) {
	a := alphabet(t, "a", "b")
	conditions := []string{"2 Inf(0) & Inf(1)", "2 Inf(0) | Inf(1)", "3 Inf(0) & (Inf(1) | Inf(2))", "3 Inf(0) & Inf(!1) & Inf(2)", "2 Fin(0) & Inf(1)", "2 Fin(0) | Inf(1)"}
	joined, refused := 0, 0
	for seed := range randomlts.Share(3_000) {
		r := rand.New(rand.NewPCG(seed, 3))
		condition := conditions[r.IntN(len(conditions))]
		n := 1 + r.IntN(3)
		var next [3][2]int
		var marks [3][2][]int // for each state and label the marks of each choice, as bits
		body := ""
		choice := false
		for s := range n {
			body += fmt.Sprintf("State: %d\n", s)
			for l := range 2 {
				next[s][l] = r.IntN(n)
				for range 1 + r.IntN(2) {
					set := r.IntN(8) & (1<<int(condition[0]-'0') - 1)
					choice = choice || len(marks[s][l]) > 0 && marks[s][l][0] != set
					marks[s][l] = append(marks[s][l], set)
					text := ""
					for i := range 3 {
						if set>>i&1 != 0 {
							text += fmt.Sprintf(" %d", i)
						}
					}
					body += fmt.Sprintf("[%s0] %d {%s}\n", []string{"", "!"}[l], next[s][l], text)
				}
			}
		}
		text := fmt.Sprintf("HOA: v1\nStates: %d\nStart: 0\nAP: 1 \"a\"\nAcceptance: %s\n--BODY--\n%s--END--\n", n, condition, body)
		f, err := hoa.Read(t.Context(), strings.NewReader(text), "p.hoa")
		if err != nil {
			t.Fatal(err)
		}
		p, _, err := f.Bind(t.Context(), a)
		if strings.Contains(condition, "Fin") && choice {
			if refused++; err == nil || !strings.Contains(err.Error(), "the two differ in their marks alone, which cannot be joined if the acceptance condition has Fin; make it") {
				t.Fatalf("seed %d: %v of\n%s", seed, err, text)
			}
			continue
		}
		if err != nil {
			t.Fatalf("seed %d: %v of\n%s", seed, err, text)
		}
		if choice {
			joined++
		}
		for range 4 {
			stem, loop := make([]int, r.IntN(3)), make([]int, 1+r.IntN(3))
			for _, word := range [][]int{stem, loop} {
				for i := range word {
					word[i] = r.IntN(2)
				}
			}
			var word []lts.Label
			for _, l := range slices.Concat(stem, loop) {
				word = append(word, lts.Label(l))
			}
			if got, want := accepts(p, word, len(stem)), someChoice(condition, next, marks, stem, loop); got != want {
				t.Fatalf("seed %d: %t on %v and %v forever, want %t of\n%s", seed, got, stem, loop, want, text)
			}
		}
	}
	if t.Log(joined, refused); randomlts.Whole() && (joined < 500 || refused < 200) {
		t.Errorf("%d were joined, %d refused", joined, refused)
	}
}

// someChoice reports whether some choice of marks on the loop is accepted.
func someChoice(condition string, next [3][2]int, marks [3][2][]int, stem, loop []int) bool {
	q := 0
	for _, l := range stem {
		q = next[q][l]
	}
	for range 3 {
		for _, l := range loop {
			q = next[q][l]
		}
	}
	begin := q
	var steps [][]int
	for {
		for _, l := range loop {
			steps = append(steps, marks[q][l])
			q = next[q][l]
		}
		if q == begin {
			break
		}
	}
	// has and lacks are the marks that some chosen transition has, or has not.
	var try func(i, has, lacks int) bool
	try = func(i, has, lacks int) bool {
		if i == len(steps) {
			inf, some, lacking := func(m int) bool { return has>>m&1 != 0 }, has, lacks>>1&1 != 0
			switch condition[2:] {
			case "Inf(0) & Inf(1)":
				return inf(0) && inf(1)
			case "Inf(0) | Inf(1)":
				return some&3 != 0
			case "Inf(0) & (Inf(1) | Inf(2))":
				return inf(0) && some&6 != 0
			case "Inf(0) & Inf(!1) & Inf(2)":
				return inf(0) && lacking && inf(2)
			case "Fin(0) & Inf(1)":
				return !inf(0) && inf(1)
			}
			return !inf(0) || inf(1)
		}
		for set := 1; set < 1<<len(steps[i]); set++ {
			more, less := has, lacks
			for k, m := range steps[i] {
				if set>>k&1 != 0 {
					more, less = more|m, less|^m
				}
			}
			if try(i+1, more, less) {
				return true
			}
		}
		return false
	}
	return try(0, 0, 0)
}

// TestRefused: what is no deterministic automaton is refused, with the line and what makes
// one.
func TestRefused(t *testing.T) {
	a := alphabet(t, labels...)
	for text, want := range map[string]string{
		"HOA: v1\nStates: 2\nStart: 0\nStart: 1\nAP: 0\nAcceptance: 0 t\n--BODY--\nState: 0 [t] 0 State: 1 [t] 1\n--END--":      "p.hoa:4: the automaton has 2 initial states, but must have one; make it deterministic, as ltl2tgba -D and autfilt",
		"HOA: v1\nStates: 2\nStart: 0\nAP: 1 \"a\"\nAcceptance: 0 t\n--BODY--\nState: 0\n[0] 0\n[t] 1\nState: 1 [t] 1\n--END--": `p.hoa:9: state 0 is not deterministic: with "a" it has this transition and the one of line 8; make it deterministic`,
		"HOA: v1\nStates: 1\nStart: 0\nAP: 0\nAcceptance: 0 t\n--BODY--\nState: 0 [t] 0&0\n--END--":                             `p.hoa:7: universal branching ("&" between states) cannot be read; convert the automaton to one without alternation, as ltl2tgba -D`,
		"HOA: v1\nStates: 1\nStart: 0\nAP: 0\nAcceptance: 65 Inf(64)\n--BODY--\nState: 0 [t] 0\n--END--":                        "p.hoa:5: the acceptance condition has 65 sets; at most 64 are allowed",
		"HOA: v1\nStates: 2\nStart: 0\nAP: 0\nAcceptance: 0 t\n--BODY--\nState: 0 [t] 0\n--END--":                               "p.hoa:8: state 1 is not listed",
	} {
		f, err := hoa.Read(context.Background(), strings.NewReader(text), "p.hoa")
		if err == nil {
			_, _, err = f.Bind(context.Background(), a)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	f, err := hoa.Read(context.Background(), strings.NewReader("HOA: v1 name: \"F p\" States: 1 Start: 0 AP: 1 \"aa\" Acceptance: 0 t --BODY-- State: 0 [t] 0 --END--"), "p.hoa")
	if err != nil || f.String() != "p.hoa (F p)" {
		t.Fatal(f, err)
	}
	if err := f.Unmatched(context.Background(), a); err == nil || !strings.Contains(err.Error(), `"aa", matches no label of the model; did you mean a`) {
		t.Error(err)
	}
}

func Example() {
	f, _ := hoa.Read(context.Background(), strings.NewReader(`HOA: v1 States: 2 Start: 0 AP: 1 "REQ" Acceptance: 1 Inf(0)
--BODY-- State: 0 [!0] 0 [0] 1 State: 1 {0} [t] 1 --END--`), "inevitably.hoa")
	a, _ := lts.NewAlphabet([]string{"REQ !1", "ACK"})
	p, _, _ := f.Bind(context.Background(), a)
	request, _ := a.Lookup("REQ !1")
	fmt.Println(p.Acceptance(), p.Pending(p.Initial()), p.Stops(p.Next(p.Initial(), request)))
	// Output: Inf(0) waiting for REQ true
}

// TestCarets: an error of syntax shows its line, and where in it.
func TestCarets(t *testing.T) {
	for text, want := range map[string]string{
		"HOA: v1\nStates: 1\nStart: 0 & 0\nAP: 0\n":                        "Start: 0 & 0\n         ^",
		"HOA: v1\r\nAP: 1 \"a\" 2\r\n":                                     "AP: 1 \"a\" 2\n          ^",
		"HOA: v1 AP: 0 Acceptance: 1 In(0)\n":                              "HOA: v1 AP: 0 Acceptance: 1 In(0)\n                            ^",
		"HOA: v1\nStates: 1\nAcceptance: 0 t\n--BODY--\nState: 0 [@a] 0\n": "State: 0 [@a] 0\n          ^",
		"HOA: v1\nStates: 1\nAcceptance: 0 t":                              "Acceptance: 0 t\n               ^",
		strings.Repeat(" ", 100_000) + "HOA v1":                            "",
		"HOA: v1\nStates: \"\n1":                                           "",
	} {
		_, err := hoa.Read(context.Background(), strings.NewReader(text), "p.hoa")
		var e *hoa.Error
		if !errors.As(err, &e) || e.Caret() != want {
			t.Errorf("%v\n%s\nwant\n%s", err, e.Caret(), want)
		}
	}
}
