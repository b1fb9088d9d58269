package generate_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/lts/generate"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
)

func explained(t *testing.T, s generate.Spec, formula string, unfold bool) *explain.Explanation {
	t.Helper()
	f, err := actl.Parse(context.Background(), formula)
	if err != nil {
		t.Fatal(err)
	}
	// Advice takes two thirds of the time, and no test here looks at it.
	o := explain.Options{Unfold: unfold, NoAdvice: !randomlts.Whole()}
	e, err := explain.Explain(context.Background(), read(t, s), f, o)
	if err != nil {
		t.Fatal(err)
	}
	if len(e.Warnings) > 0 {
		t.Errorf("%+v, %s: %q", s, formula, e.Warnings)
	}
	return e
}

// TestFormulas: what the kinds say about properties is so.
func TestFormulas(t *testing.T) {
	for _, c := range []struct {
		spec    generate.Spec
		formula string // "" for that of the Spec
		// length is that of a shortest counterexample, 0 if the property holds
		// and -1 if it does not matter.
		length int
		lasso  bool
	}{
		{generate.Spec{Kind: "random"}, "", -1, false},
		{generate.Spec{Kind: "layered"}, "", 20, false},
		{generate.Spec{Kind: "layered", Labels: 40, Height: 33}, "", 33, false},
		{generate.Spec{Kind: "scc"}, "", -1, true},
		{generate.Spec{Kind: "scc"}, "Inev(BACK)", 0, false},
		{generate.Spec{Kind: "scc", Locality: 3, Degree: 7}, "Inev(BACK)", 0, false},
		{generate.Spec{Kind: "datarich"}, "", -1, false},
		{generate.Spec{Kind: "chain"}, "", 999, false},
		{generate.Spec{Kind: "chain"}, "Inev(END)", 0, false},
		{generate.Spec{Kind: "cycle"}, "", 0, false},
		{generate.Spec{Kind: "grid"}, "", 58, false},
		{generate.Spec{Kind: "grid", Width: 7, Height: 9, Wrap: true}, "", 7, true},
		{generate.Spec{Kind: "star"}, "", 1, false},
		{generate.Spec{Kind: "complete"}, "", 2, true},
		{generate.Spec{Kind: "parallel"}, "", 1, false},
		{generate.Spec{Kind: "stages"}, "", 17, false},
		{generate.Spec{Kind: "stages", Width: 2, Height: 64}, "", 65, false},
		{generate.Spec{Kind: "stages"}, "Inev(/ !0$/, / !1$/, / !2$/)", 0, false},
		{generate.Spec{Kind: "ring"}, "", 21, true},
		{generate.Spec{Kind: "ring", Width: 7, Height: 33, Degree: 2}, "Inev(BACK)", 34, false},
		{generate.Spec{Kind: "carousel"}, "", 30, true},
		{generate.Spec{Kind: "carousel"}, "Inev(DOWN)", 0, false},
		{generate.Spec{Kind: "philosophers"}, "", 4, false},
		{generate.Spec{Kind: "philosophers", Asymmetric: true}, "", 0, false},
		{generate.Spec{Kind: "philosophers", Asymmetric: true}, `Inev("EAT !0")`, -1, true},
		{generate.Spec{Kind: "peterson"}, "", 7, true},
		{generate.Spec{Kind: "peterson", Processes: 3}, "Inev(READ_LEVEL)", 0, false},
		{generate.Spec{Kind: "dijkstra"}, "", 14, true},
		{generate.Spec{Kind: "dijkstra"}, "Inev(ENTER)", 0, false},
	} {
		if c.formula == "" {
			c.formula, _ = c.spec.Formula()
		}
		e := explained(t, c.spec, c.formula, false)
		switch {
		case e.Verdict == explain.Satisfied:
			if c.length != 0 {
				t.Errorf("%+v satisfies %s", c.spec, c.formula)
			}
		case c.length >= 0 && len(e.Counterexample.Steps) != c.length || (e.Counterexample.LoopStart >= 0) != c.lasso:
			t.Errorf("%+v, %s: a shortest counterexample of %d transitions, lasso: %t", c.spec, c.formula, len(e.Counterexample.Steps), e.Counterexample.LoopStart >= 0)
		}
	}
}

// TestDecisions: where the kinds promise decisions, there are some.
func TestDecisions(t *testing.T) {
	grid := explained(t, generate.Spec{Kind: "grid"}, "Inev(DOWN, RIGHT)", false)
	if grid.Classes.Incorrect != 2 || grid.Classes.Neutral != 56 {
		t.Errorf("grid: %+v", grid.Classes)
	}
	stages := explained(t, generate.Spec{Kind: "stages"}, `Inev("STEP !0", "STEP !1", "STEP !2", "STEP !3", "STEP !4", "STEP !5", "STEP !6", "STEP !7")`, false)
	if stages.Classes.Incorrect != 8 {
		t.Errorf("stages: %+v", stages.Classes)
	}
	s := generate.Spec{Kind: "layered"}
	formula, _ := s.Formula()
	if layered := explained(t, s, formula, true); layered.Classes.Correct == 0 || layered.Classes.Incorrect == 0 || layered.Classes.Neutral == 0 {
		t.Errorf("layered, unfolded: %+v", layered.Classes)
	}
}

func TestComponents(t *testing.T) {
	for _, c := range []struct {
		spec              generate.Spec
		components, depth int
	}{
		{generate.Spec{Kind: "scc"}, 1, 0},
		{generate.Spec{Kind: "scc", States: 100_000, Locality: 5, Seed: 9}, 1, 0},
		{generate.Spec{Kind: "scc", States: 70_000, Degree: 1}, 1, 0},
		{generate.Spec{Kind: "cycle"}, 1, 0},
		{generate.Spec{Kind: "grid", Wrap: true}, 1, 0},
		{generate.Spec{Kind: "complete"}, 1, 0},
		{generate.Spec{Kind: "layered"}, 1001, 20},
		{generate.Spec{Kind: "layered", Width: 3, Height: 500}, 1501, 500},
		{generate.Spec{Kind: "grid", Width: 5, Height: 6}, 30, 9},
		{generate.Spec{Kind: "chain"}, 1000, 999},
		{generate.Spec{Kind: "stages", Width: 5, Height: 6}, 31, 30},
		{generate.Spec{Kind: "ring"}, 3, 2},
		{generate.Spec{Kind: "carousel", Width: 5, Height: 3}, 4, 3},
		{generate.Spec{Kind: "philosophers"}, 2, 1},
	} {
		s, err := scc.Find(context.Background(), read(t, c.spec), "")
		if err != nil {
			t.Fatal(err)
		}
		if s.Len() != c.components || s.MaxDepth() != c.depth {
			t.Errorf("%+v: %d components, depth %d", c.spec, s.Len(), s.MaxDepth())
		}
	}
}

// TestRandomDegrees: out-degrees vary, but not their sum.
func TestRandomDegrees(t *testing.T) {
	m := read(t, generate.Spec{Kind: "random", States: 10_000, Degree: 4})
	counts := map[int]int{}
	for s := range m.NumStates() {
		labels, _ := m.Out(lts.State(s))
		counts[labels.Len()]++
	}
	for degree := range 9 {
		if counts[degree] < 100 {
			t.Errorf("%d states have %d transitions", counts[degree], degree)
		}
	}
	if len(counts) != 9 {
		t.Errorf("degrees %v", counts)
	}
}

func TestDataRichLabels(t *testing.T) {
	m := read(t, generate.Spec{Kind: "datarich", States: 5000})
	if m.Alphabet().Len() != m.NumTransitions() {
		t.Errorf("%d labels of %d transitions", m.Alphabet().Len(), m.NumTransitions())
	}
}

// TestAgainstExamples: the same models as the programs in the folder examples.
func TestAgainstExamples(t *testing.T) {
	for file, s := range map[string]generate.Spec{
		"philosophers/philosophers.aut": {Kind: "philosophers"},
		"philosophers/asymmetric.aut":   {Kind: "philosophers", Asymmetric: true},
		"dijkstra/dijkstra.aut":         {Kind: "dijkstra"},
	} {
		want, err := os.ReadFile("../../../examples/" + file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(written(t, s), bytes.ReplaceAll(want, []byte("\r"), nil)) {
			t.Errorf("%+v differs from %s", s, file)
		}
	}
}

// TestPetersonOfTwo: with two processes, the algorithm is that of the example,
// whose initial turn makes its process 0 the process 1 here.
func TestPetersonOfTwo(t *testing.T) {
	m := read(t, generate.Spec{Kind: "peterson"})
	example, _, err := aut.Open(context.Background(), "../../../examples/peterson/peterson.aut", aut.Options{})
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]string{}
	for p, digits := range []*strings.Replacer{strings.NewReplacer("p", "0", "o", "1"), strings.NewReplacer("p", "1", "o", "0")} {
		for here, label := range map[string]string{
			// Here process p acts, whom the example knows as o. What is read there is
			// the flag of the other one, and a turn is whose turn it is: of who came
			// not last.
			"NCS !p": "NCS !o", "ENTER !p": "ENTER !o", "LEAVE !p": "LEAVE !o",
			"WRITE_LEVEL !p !1": "WRITE_FLAG !o !TRUE", "WRITE_LEVEL !p !0": "WRITE_FLAG !o !FALSE",
			"WRITE_LAST !1 !p":    "WRITE_TURN !p",
			"READ_LEVEL !p !o !1": "READ_FLAG !p !TRUE", "READ_LEVEL !p !o !0": "READ_FLAG !p !FALSE",
			"READ_LAST !p !1 !p": "READ_TURN !o !p", "READ_LAST !p !1 !o": "READ_TURN !o !o",
		} {
			there[digits.Replace(here)] = digits.Replace(label)
		}
		if len(there) != 10*(p+1) {
			t.Fatalf("labels correspond by %v", there)
		}
	}
	if !sameDeterministic(m, example, there) {
		t.Errorf("other than the example, as labels correspond by %v", there)
	}
}

// sameDeterministic reports whether two deterministic models, all of whose states
// are reachable, are the same but for state numbers and label texts.
func sameDeterministic(a, b *lts.LTS, texts map[string]string) bool {
	if a.NumStates() != b.NumStates() || a.NumTransitions() != b.NumTransitions() {
		return false
	}
	partner := map[lts.State]lts.State{a.Initial(): b.Initial()}
	todo := []lts.State{a.Initial()}
	for len(todo) > 0 {
		s := todo[0]
		todo = todo[1:]
		labels, targets := a.Out(s)
		theirs, ends := b.Out(partner[s])
		for i := range labels.Len() {
			l := labels.At(i)
			found := false
			for j := range theirs.Len() {
				their := theirs.At(j)
				if b.Alphabet().Text(their) != texts[a.Alphabet().Text(l)] {
					continue
				}
				known, is := partner[targets[i]]
				if is && known != ends[j] {
					return false
				}
				if !is {
					partner[targets[i]] = ends[j]
					todo = append(todo, targets[i])
				}
				found = true
			}
			if !found {
				return false
			}
		}
	}
	return len(partner) == a.NumStates()
}

// TestMutualExclusion: between ENTER and LEAVE no other process enters, no
// process is stuck, and every process can enter.
func TestMutualExclusion(t *testing.T) {
	for _, s := range []generate.Spec{
		{Kind: "peterson", Processes: 2}, {Kind: "peterson", Processes: 3}, {Kind: "peterson", Processes: 4},
		{Kind: "dijkstra", Processes: 2}, {Kind: "dijkstra", Processes: 3}, {Kind: "dijkstra", Processes: 4},
	} {
		if !randomlts.Whole() && s.Processes > 3 {
			continue // large
		}
		m := read(t, s)
		if m.Reachable().NumDeadlocks() > 0 {
			t.Errorf("%+v: %d deadlocks", s, m.Reachable().NumDeadlocks())
		}
		for p := range s.Processes {
			if _, is := m.Alphabet().Lookup(fmt.Sprintf("ENTER !%d", p)); !is {
				t.Errorf("%+v: process %d never enters", s, p)
			}
		}
		// States are numbered breadth first, and each tells who is inside: one visit
		// of its first way in is enough.
		inside := make([]int, m.NumStates())
		for transition := range m.Transitions() {
			count := inside[transition.From]
			text := m.Alphabet().Text(transition.Label)
			switch {
			case strings.HasPrefix(text, "ENTER"):
				count++
			case strings.HasPrefix(text, "LEAVE"):
				count--
			}
			if count > 1 {
				t.Fatalf("%+v: %d processes are inside in state %d", s, count, transition.To)
			}
			inside[transition.To] = count
		}
	}
}

func TestDeadlocks(t *testing.T) {
	for n := 2; n <= 8; n++ {
		for _, asymmetric := range []bool{false, true} {
			m := read(t, generate.Spec{Kind: "philosophers", Processes: n, Asymmetric: asymmetric})
			if got := m.Reachable().NumDeadlocks(); got > 0 == asymmetric || got > 1 {
				t.Errorf("%d philosophers, asymmetric %t: %d deadlocks", n, asymmetric, got)
			}
		}
	}
}
