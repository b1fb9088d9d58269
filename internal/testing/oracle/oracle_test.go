package oracle_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"pgregory.net/rapid"
)

// modelOf builds a model from transitions such as "0 A 1"; a label may hold
// blanks.
func modelOf(t *testing.T, initial lts.State, states int, transitions ...string) *lts.LTS {
	t.Helper()
	var b lts.Builder
	for _, text := range transitions {
		words := strings.Fields(text)
		var from, to lts.State
		if _, err := fmt.Sscan(words[0], &from); err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Sscan(words[len(words)-1], &to); err != nil {
			t.Fatal(err)
		}
		b.Add(from, b.Label(strings.Join(words[1:len(words)-1], " ")), to)
	}
	m, err := b.Build(initial, states)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// stepsOf returns the steps of a property that are given as texts such as "A"
// or "A|B". A label that the model lacks is no label of the step.
func stepsOf(m *lts.LTS, texts ...string) []map[lts.Label]bool {
	steps := make([]map[lts.Label]bool, len(texts))
	for i, text := range texts {
		steps[i] = make(map[lts.Label]bool)
		for _, label := range strings.Split(text, "|") {
			if l, ok := m.Alphabet().Lookup(label); ok {
				steps[i][l] = true
			}
		}
	}
	return steps
}

func oracleOf(t *testing.T, m *lts.LTS, steps ...string) *oracle.Oracle {
	t.Helper()
	o, err := oracle.New(m, stepsOf(m, steps...))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// classes returns the classes of the reachable transitions in model order, as
// one letter each.
func classes(m *lts.LTS, o *oracle.Oracle) string {
	var letters strings.Builder
	for t := range m.Transitions() {
		if o.Reachable(t.From) {
			letters.WriteByte(o.Class(t)[0])
		}
	}
	return letters.String()
}

// shortest returns the length and the number of the shortest counterexamples.
func shortest(o *oracle.Oracle) (length, number int) {
	runs := o.ShortestCounterexamples()
	if len(runs) == 0 {
		return -1, 0
	}
	return len(runs[0].Transitions), len(runs)
}

func TestFigure2(t *testing.T) {
	m := modelOf(t, 0, 6, "0 A 1", "1 X 2", "2 B 3", "3 C 1", "2 Y 4", "3 C 5")
	o := oracleOf(t, m, "A", "B", "C")
	for s, want := range [][4]int{{0, 0, 3, 0}, {3, 1, 2, 0}, {3, 1, 2, 0}, {3, 2, 2, 1}, {3, 1, 0, 0}, {3, 3, 0, 0}} {
		s := lts.State(s)
		if got := [4]int{o.MP(s), o.CP(s), o.MS(s), o.CS(s)}; got != want {
			t.Errorf("state %d: mp cp ms cs are %v, want %v", s, got, want)
		}
	}
	if got := classes(m, o); got != "nnccnc" {
		t.Errorf("classes are %s", got)
	}
	want := map[lts.State]oracle.Kind{2: oracle.KindCorrect}
	if got := o.Neighbourhoods(oracle.All); !maps.Equal(got, want) {
		t.Errorf("neighbourhoods are %v, want %v", got, want)
	}
	if length, number := shortest(o); length != 3 || number != 1 {
		t.Errorf("%d shortest counterexamples of length %d", number, length)
	}
	if !o.Free(2, 1) || o.Free(4, 1) || !o.Free(4, 3) || o.Free(1, 0) {
		t.Error("wrong fates")
	}
}

func TestTraps(t *testing.T) {
	for _, test := range []struct {
		name        string
		initial     lts.State
		states      int
		transitions []string
		steps       []string
		classes     string
		shortest    int
	}{
		{"only the first step", 0, 2, []string{"0 A 1", "1 A 1"}, []string{"A", "B"}, "ii", 2},
		{"initial state on a cycle", 0, 2, []string{"0 A 1", "1 B 0"}, []string{"A", "B"}, "cc", -1},
		{"neutral self-loop", 0, 2, []string{"0 A 1", "0 B 0", "1 B 1", "1 C 1"}, []string{"A", "B", "C"}, "nnnn", 1},
		{"self-loop shorter than any path of the product", 0, 1, []string{"0 A 0"}, []string{"A", "B"}, "i", 1},
		{"no transitions", 0, 1, nil, []string{"A"}, "", 0},
		{"unreachable transitions have no class", 1, 3, []string{"0 A 1", "1 A 2", "0 B 0"}, []string{"A"}, "c", -1},
		{"repeated label, once too few", 0, 3, []string{"0 A 1", "1 A 2"}, []string{"A", "A", "A"}, "ii", 2},
		{"repeated label, all over a cycle", 0, 1, []string{"0 A 0"}, []string{"A", "A", "A"}, "c", -1},
		{"one label does one step of two that overlap", 0, 2, []string{"0 A 1", "0 B 1"}, []string{"A|B", "B"}, "ii", 1},
		{"label with commas", 0, 2, []string{"0 RA !ADD (0, EMPTYSET) !+1 1"}, []string{"RA !ADD (0, EMPTYSET) !+1"}, "c", -1},
		{"step of no label", 0, 2, []string{"0 A 1"}, []string{"Z"}, "i", 1},
		{"steps in the wrong order", 0, 3, []string{"0 B 1", "1 A 2"}, []string{"A", "B"}, "ii", 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			m := modelOf(t, test.initial, test.states, test.transitions...)
			o := oracleOf(t, m, test.steps...)
			if got := classes(m, o); got != test.classes {
				t.Errorf("classes are %s, want %s", got, test.classes)
			}
			if length, _ := shortest(o); length != test.shortest {
				t.Errorf("shortest counterexample of length %d, want %d", length, test.shortest)
			}
			if o.Satisfied() != (test.shortest < 0) {
				t.Errorf("satisfied: %v", o.Satisfied())
			}
		})
	}
}

// TestReadingsOfNeighbourhood has state 1 entered by a neutral transition and by
// a correct one, and state 3 by a correct one only. State 2 is unreachable: its
// transition into the initial state does not count.
func TestReadingsOfNeighbourhood(t *testing.T) {
	m := modelOf(t, 0, 6, "0 X 1", "0 A 3", "3 X 1", "1 A 4", "1 X 5", "2 A 0")
	o := oracleOf(t, m, "A")
	if got := classes(m, o); got != "ncccn" {
		t.Errorf("classes are %s", got)
	}
	for reading, want := range map[oracle.Reading]map[lts.State]oracle.Kind{
		oracle.All:  {0: oracle.KindCorrect},
		oracle.Some: {0: oracle.KindCorrect, 1: oracle.KindCorrect},
	} {
		if got := o.Neighbourhoods(reading); !maps.Equal(got, want) {
			t.Errorf("reading %s: %v, want %v", reading, got, want)
		}
	}
}

func TestKinds(t *testing.T) {
	for outgoing, want := range map[string]oracle.Kind{
		"c":   oracle.KindCorrect,
		"cn":  oracle.KindCorrect,
		"i":   oracle.KindIncorrect,
		"in":  oracle.KindIncorrect,
		"ci":  oracle.KindMixed,
		"cin": oracle.KindMixedNeutral,
		"n":   "",
	} {
		t.Run(outgoing, func(t *testing.T) {
			transitionOf := map[rune]string{'c': "0 A 1", 'i': "0 X 1", 'n': "0 X 2"}
			transitions := []string{"2 A 1", "2 X 1"}
			for _, class := range outgoing {
				transitions = append(transitions, transitionOf[class])
			}
			o := oracleOf(t, modelOf(t, 0, 3, transitions...), "A")
			if got := o.Neighbourhoods(oracle.All)[0]; got != want {
				t.Errorf("kind %q, want %q", got, want)
			}
		})
	}
}

func TestCheckRefuses(t *testing.T) {
	m := modelOf(t, 0, 4, "0 X 1", "1 X 0", "1 A 2", "0 X 3")
	o := oracleOf(t, m, "A")
	x, _ := m.Alphabet().Lookup("X")
	a, _ := m.Alphabet().Lookup("A")
	there, back, done := lts.Transition{From: 0, Label: x, To: 1}, lts.Transition{From: 1, Label: x, To: 0}, lts.Transition{From: 1, Label: a, To: 2}
	for name, r := range map[string]oracle.Run{
		"does not begin in the initial state": {Transitions: []lts.Transition{back, there}, Loop: 0},
		"has a gap":                           {Transitions: []lts.Transition{there, there}, Loop: oracle.NoLoop},
		"takes no transition of the model":    {Transitions: []lts.Transition{{From: 0, Label: a, To: 3}}, Loop: oracle.NoLoop},
		"ends before the deadlock":            {Transitions: []lts.Transition{there}, Loop: oracle.NoLoop},
		"does not close its loop":             {Transitions: []lts.Transition{there, back}, Loop: 1},
		"has its loop behind its end":         {Transitions: []lts.Transition{there, back}, Loop: 2},
		"satisfies":                           {Transitions: []lts.Transition{there, done}, Loop: oracle.NoLoop},
	} {
		if o.Check(r) == nil {
			t.Errorf("accepted a run that %s", name)
		}
	}
	for _, r := range []oracle.Run{
		{Transitions: []lts.Transition{there, back}, Loop: 0},
		{Transitions: []lts.Transition{there, back, there, back}, Loop: 2},
		{Transitions: []lts.Transition{there, back, {From: 0, Label: x, To: 3}}, Loop: oracle.NoLoop},
	} {
		if err := o.Check(r); err != nil {
			t.Errorf("refused %v: %v", r, err)
		}
	}
}

func TestNewRefusesNoSteps(t *testing.T) {
	if _, err := oracle.New(modelOf(t, 0, 1), nil); err == nil {
		t.Error("accepted a property without steps")
	}
}

// TestWaysOfTheOracleAgree holds the fixpoints over the product, and the formula
// for the shortest length, against the enumeration of elementary runs, which
// shares only the monitor with them.
func TestWaysOfTheOracleAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := randomlts.Generator(randomlts.Small()).Draw(t, "case")
		o, err := oracle.New(c.Model, c.Steps)
		if err != nil {
			t.Fatal(err)
		}
		runs := o.ShortestCounterexamples()
		if o.Satisfied() != (len(runs) == 0) {
			t.Errorf("satisfied: %v, counterexamples: %v", o.Satisfied(), runs)
		}
		if length, found := o.ShortestLength(); found != (len(runs) > 0) || found && length != len(runs[0].Transitions) {
			t.Errorf("length %d (found: %v), shortest counterexamples %v", length, found, runs)
		}
		for i, r := range runs {
			if err := o.Check(r); err != nil {
				t.Errorf("%v: %v", r, err)
			}
			if slices.ContainsFunc(runs[:i], func(q oracle.Run) bool { return slices.Equal(q.Transitions, r.Transitions) }) {
				t.Errorf("%v stands twice among the counterexamples", r)
			}
		}
	})
}

// TestSuffixOfEveryTraceByEnumeration recomputes cs from the elementary runs of
// the model begun in each state.
func TestSuffixOfEveryTraceByEnumeration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := randomlts.Generator(randomlts.Small()).Draw(t, "case")
		o, err := oracle.New(c.Model, c.Steps)
		if err != nil {
			t.Fatal(err)
		}
		n := len(c.Steps)
		for i := range c.Model.NumStates() {
			s, longest := lts.State(i), 0
			for m := 1; m <= n; m++ {
				from, err := oracle.New(startedIn(t, c.Model, s), c.Steps[n-m:])
				if err != nil {
					t.Fatal(err)
				}
				if len(from.ShortestCounterexamples()) == 0 {
					longest = m
				}
			}
			if o.CS(s) != longest {
				t.Errorf("cs(%d) is %d, by enumeration %d", s, o.CS(s), longest)
			}
		}
	})
}

// startedIn returns the model with another initial state.
func startedIn(t *rapid.T, m *lts.LTS, initial lts.State) *lts.LTS {
	var b lts.Builder
	for _, text := range m.Alphabet().All() {
		b.Label(text)
	}
	for tr := range m.Transitions() {
		b.Add(tr.From, tr.Label, tr.To)
	}
	started, err := b.Build(initial, m.NumStates())
	if err != nil {
		t.Fatal(err)
	}
	return started
}
