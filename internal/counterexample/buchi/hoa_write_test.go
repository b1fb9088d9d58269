package buchi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/internal/property/automata"
	"github.com/inev-lts/inev/internal/testing/mutation"

	"github.com/inev-lts/inev/internal/testing/golden"
)

// TestWriteHOAGolden reads testdata/*.hoa and compares what is written for it
// with testdata/*.written.
func TestWriteHOAGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.hoa")
	if err != nil || len(files) == 0 {
		t.Fatalf("files %v, error %v", files, err)
	}
	written := golden.All(t, "testdata/*.written")
	for _, file := range files {
		in, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		var out bytes.Buffer
		for d, err := range allHOA(context.Background(), in, file) {
			if err != nil {
				t.Fatal(err)
			}
			if err := d.Write(&out); err != nil {
				t.Fatal(err)
			}
		}
		written.Check(t, strings.TrimSuffix(file, ".hoa")+".written", out.Bytes())
	}
}

func TestWriteHOAWithoutLabels(t *testing.T) {
	var out bytes.Buffer
	d := &Description{Automaton: graph(t, 1, []State{0}, []State{0}, []State{1, 0})}
	if err := d.Write(&out); err != nil {
		t.Fatal(err)
	}
	const want = `HOA: v1
States: 2
Start: 1
AP: 0
acc-name: Buchi
Acceptance: 1 Inf(0)
properties: trans-labels explicit-labels state-acc no-univ-branch
--BODY--
State: 0 {0}
[t] 0
State: 1
[t] 1
[t] 0
--END--
`
	if out.String() != want {
		t.Errorf("written %s", out.String())
	}
}

func TestWriteHOARefuses(t *testing.T) {
	labelled := func(label string) *Automaton {
		var b Builder
		b.AddLabelled(0, label, 0)
		a, err := b.Build(0, 1)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	plain := labelled("t")
	for _, test := range []struct {
		d    Description
		want string
	}{
		{Description{Automaton: plain, Names: []string{"a", "b"}}, "buchi: there are 2 names for 1 states"},
		{Description{Automaton: plain, Propositions: []string{"a", "b", "a"}}, `buchi: the atomic proposition "a" stands twice`},
		{Description{Automaton: plain, Aliases: []automata.Alias{{Name: "a", Text: "t"}}}, `buchi: "a" is no name of an alias; it takes "@" and letters, digits, "-" or "_"`},
		{Description{Automaton: plain, Aliases: []automata.Alias{{Name: "@a b", Text: "t"}}}, `buchi: "@a b" is no name of an alias; it takes "@" and letters, digits, "-" or "_"`},
		{Description{Automaton: plain, Aliases: []automata.Alias{{Name: "@a", Text: "t"}, {Name: "@a", Text: "f"}}}, `buchi: the alias "@a" is defined twice`},
		{Description{Automaton: plain, Aliases: []automata.Alias{{Name: "@a", Text: "@b"}, {Name: "@b", Text: "f"}}}, `buchi: the alias @a: label:1: the alias "@b" is not defined; Alias: has to come before its use`},
		{Description{Automaton: labelled("0&1"), Propositions: []string{"a"}}, `buchi: the label "0&1": label:1: a label uses proposition 1, but AP: declares only 1, numbered from 0`},
		{Description{Automaton: labelled("t] 0 [t")}, `buchi: the label "t] 0 [t": label:1: expected "&", "|" or the end of the label, found "]"`},
		{Description{Automaton: labelled("a b")}, `buchi: the label "a b": label:1: expected a proposition number, an alias, t, f, "!" or "(", found "a"`},
		{Description{Automaton: labelled("t --ABORT--")}, `buchi: the label "t --ABORT--": hoa: aborted`},
	} {
		var out bytes.Buffer
		if err := test.d.Write(&out); err == nil || err.Error() != test.want || out.Len() > 0 {
			t.Errorf("error %v after %d bytes, want %s", err, out.Len(), test.want)
		}
	}
}

// full is a writer with no room left.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no room") }

func TestWriteHOAPassesOnErrors(t *testing.T) {
	err := (&Description{Automaton: graph(t, 0, nil, nil)}).Write(full{})
	if err == nil || err.Error() != "no room" {
		t.Errorf("error %v", err)
	}
}

// checkRoundTrip checks that what is written for d is read back as d, origins
// aside.
func checkRoundTrip(t rapid.TB, d *Description) {
	t.Helper()
	var out bytes.Buffer
	if err := d.Write(&out); err != nil {
		t.Fatal(err)
	}
	again, err := readHOA(out.String())
	if err != nil {
		t.Fatalf("%v\nin\n%s", err, out.String())
	}
	want := *d
	want.Origins, want.Starts = nil, nil
	if describe(again) != describe(&want) {
		t.Fatalf("read back as\n%s\nwant\n%s", describe(again), describe(&want))
	}
	again.Automaton, want.Automaton = nil, nil
	if !reflect.DeepEqual(*again, want) {
		t.Fatalf("read back as %+v, want %+v", *again, want)
	}
}

func TestWrittenAutomataReadBackEqual(t *testing.T) {
	labels := rapid.SampledFrom([]string{"t", "0", "!1", "0&!1", "@a|(1)", "!@b"})
	texts := rapid.StringOfN(rapid.RuneFrom([]rune("ab \"\\/*\nä\x00{")), 0, 5, -1)
	thousands(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5).Draw(t, "states")
		state := rapid.Custom(func(t *rapid.T) State { return State(rapid.IntRange(0, n-1).Draw(t, "state")) })
		var b Builder
		for range rapid.IntRange(0, 10).Draw(t, "edges") {
			b.AddLabelled(state.Draw(t, "from"), labels.Draw(t, "label"), state.Draw(t, "to"))
		}
		for range rapid.IntRange(0, n).Draw(t, "accepting") {
			b.Accept(state.Draw(t, "accepting"))
		}
		a, err := b.Build(state.Draw(t, "initial"), n)
		if err != nil {
			t.Fatal(err)
		}
		d := &Description{Automaton: a, Propositions: []string{"a", texts.Draw(t, "proposition") + "b"}, Name: texts.Draw(t, "name")}
		d.Aliases = []automata.Alias{{Name: "@a", Text: "0&1"}, {Name: "@b", Text: "!@a"}}
		if rapid.Bool().Draw(t, "named") {
			d.Names = rapid.SliceOfN(texts, n, n).Draw(t, "names")
			d.Names[0] += "x"
		}
		checkRoundTrip(t, d)
	})
}

type markedEdge struct {
	from, to State
	label    string
	marked   bool
}

// marked is an automaton with marks on edges, and what it means.
type marked struct {
	initials []State
	edges    []markedEdge
	states   int
}

func (m marked) text() string {
	text := fmt.Sprintf("HOA: v1 States: %d Acceptance: 1 Inf(0)", m.states)
	for _, s := range m.initials {
		text += fmt.Sprintf(" Start: %d", s)
	}
	text += " --BODY--"
	for s := range State(m.states) {
		text += fmt.Sprintf("\nState: %d", s)
		for _, e := range m.edges {
			if e.from == s {
				text += fmt.Sprintf(" [t] %d", e.to)
				if e.marked {
					text += " {0}"
				}
			}
		}
	}
	return text + " --END--"
}

// shortest returns the number of transitions of a shortest accepting run in the
// form of a lasso, 0 for none: a path, and a loop with a marked edge. before is
// the number of transitions that the path has at least.
func (m marked) shortest(before int) int {
	const far = 1 << 20
	distance := make([][]int, m.states)
	for s := range distance {
		distance[s] = make([]int, m.states)
		for t := range distance[s] {
			if t != s {
				distance[s][t] = far
			}
		}
	}
	for _, e := range m.edges {
		distance[e.from][e.to] = min(distance[e.from][e.to], 1)
	}
	for k := range m.states {
		for s := range m.states {
			for t := range m.states {
				distance[s][t] = min(distance[s][t], distance[s][k]+distance[k][t])
			}
		}
	}
	best := far
	for _, initial := range m.initials {
		for s := range m.states {
			stem := distance[initial][s]
			if stem < before {
				// At least one edge has to be taken first.
				stem = far
				for _, e := range m.edges {
					if e.from == initial {
						stem = min(stem, 1+distance[e.to][s])
					}
				}
			}
			for _, e := range m.edges {
				if e.marked {
					best = min(best, stem+distance[s][e.from]+1+distance[e.to][s])
				}
			}
		}
	}
	if best >= far {
		return 0
	}
	return best
}

// TestMarksOnEdgesKeepTheirMeaning compares shortest lassos before and after
// states are split. Where an initial state is added, the stem is not empty.
func TestMarksOnEdgesKeepTheirMeaning(t *testing.T) {
	thousands(t, func(t *rapid.T) {
		m := marked{states: rapid.IntRange(1, 5).Draw(t, "states")}
		state := rapid.Custom(func(t *rapid.T) State { return State(rapid.IntRange(0, m.states-1).Draw(t, "state")) })
		for range rapid.IntRange(0, 9).Draw(t, "edges") {
			m.edges = append(m.edges, markedEdge{state.Draw(t, "from"), state.Draw(t, "to"), "t", rapid.Bool().Draw(t, "marked")})
		}
		m.initials = rapid.SliceOfNDistinct(state, 0, 2, rapid.ID).Draw(t, "initials")
		d, err := readHOA(m.text())
		if err != nil {
			t.Fatal(err)
		}
		before := 0
		if int(d.Automaton.Initial()) >= m.states {
			before = 1
		}
		if got, want := shortestSize(d.Automaton), m.shortest(before); got != want {
			t.Fatalf("%s\nis read as %s:\na shortest lasso has %d transitions, want %d", m.text(), describe(d), got, want)
		}
		checkRoundTrip(t, d)
	})
}

// expressions generates label expressions over three propositions and an alias
// for the exclusive or of the first two, with what they mean.
func expressions(depth int) *rapid.Generator[meaningful] {
	return rapid.Custom(func(t *rapid.T) meaningful {
		kind := rapid.IntRange(0, 8).Draw(t, "kind")
		if depth == 0 {
			kind %= 5
		}
		switch {
		case kind < 3:
			return meaningful{fmt.Sprint(kind), func(letter int) bool { return letter&(1<<kind) != 0 }}
		case kind == 3:
			return meaningful{"@x", func(letter int) bool { return letter&1 != letter>>1&1 }}
		case kind == 4:
			value := rapid.Bool().Draw(t, "value")
			return meaningful{fmt.Sprint(value)[:1], func(int) bool { return value }}
		}
		a := expressions(depth-1).Draw(t, "a")
		if kind == 5 {
			return meaningful{"!(" + a.text + ")", func(letter int) bool { return !a.holds(letter) }}
		}
		b := expressions(depth-1).Draw(t, "b")
		if kind == 6 {
			return meaningful{"(" + a.text + ")|(" + b.text + ")", func(letter int) bool { return a.holds(letter) || b.holds(letter) }}
		}
		return meaningful{"(" + a.text + ")&(" + b.text + ")", func(letter int) bool { return a.holds(letter) && b.holds(letter) }}
	})
}

type meaningful struct {
	text  string
	holds func(letter int) bool
}

func TestEdgesStayIffALetterSatisfiesTheirLabel(t *testing.T) {
	thousands(t, func(t *rapid.T) {
		e := expressions(3).Draw(t, "e")
		some := false
		for letter := range 8 {
			some = some || e.holds(letter)
		}
		d, err := readHOA(`HOA: v1 AP: 3 "a" "b" "c" Alias: @x 0&!1|!0&1 Acceptance: 1 Inf(0) --BODY-- State: 0 [` + e.text + "] 0 --END--")
		if err != nil {
			t.Fatal(err)
		}
		if kept := len(d.Automaton.Successors(0, nil)) == 1; kept != some {
			t.Fatalf("%s: kept %t, satisfiable %t", e.text, kept, some)
		}
	})
}

func FuzzReadHOA(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		defer mutation.Limited()()
		checkHOA(t, data)
	})
}

// FuzzMutantsOfHOA is FuzzReadHOA for files with tokens exchanged.
func FuzzMutantsOfHOA(f *testing.F) {
	const text = "HOA: v1\nname: \"x\"\nStates: 2\nStart: 0\nAP: 2 \"a\" \"b\"\nAlias: @y 0 & !1\nacc-name: Buchi\nAcceptance: 1 Inf(0)\nproperties: state-acc\n--BODY--\nState: 0 \"n\" {0}\n[@y] 1\n[t] 0\nState: 1\n[0|1] 0\n--END--\n"
	words := []string{"Inf", "Fin", "(", ")", "&", "|", "!", "{", "}", "[", "]", "@y", "@z", "t", "f", "/*", "*/", "\"", "--ABORT--", "--END--", "--BODY--", "HOA: v1\n", "Start: 1\n", "State:", "AP: 1", "generalized-Buchi 2", "Rabin 1", "parity min even 3"}
	f.Add([]byte("\x03\x20\x01\x06\x80\x00"))
	f.Fuzz(func(t *testing.T, program []byte) {
		defer mutation.Limited()()
		checkHOA(t, []byte(mutation.Of(text, program, words)))
	})
}

func checkHOA(t *testing.T, data []byte) {
	for d, err := range allHOA(context.Background(), bytes.NewReader(data), "a.hoa") {
		var e *automata.Error
		switch {
		case err == nil:
			checkRoundTrip(t, d)
		case !errors.As(err, &e):
			t.Errorf("error %v is no *Error", err)
		case e.Line < 1 || e.Line > 1+bytes.Count(data, []byte("\n")) || strings.ContainsAny(e.Message, "\n\r"):
			t.Errorf("error %q in a file of %d lines", err, 1+bytes.Count(data, []byte("\n")))
		}
	}
}
