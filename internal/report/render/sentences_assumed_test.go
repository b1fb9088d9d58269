package render_test

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/formula/ltl"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// TestConditionsOfTheFormulaAreTold: if a condition of the specification is a part of the formula, here that C recurs, the verdict
// names it, and what is told to be enough is enough only with it: every loop of transitions is tried.
func TestConditionsOfTheFormulaAreTold(t *testing.T) {
	const condition = "SF_v(C)"
	met := map[string]int{}
	for seed := range randomlts.Share(20_000) {
		c := randomlts.Seeded(seed, randomlts.Size{States: 4, Transitions: 8, Labels: 3, Steps: 1})
		if endsSomewhere(c.Model) || c.Model.NumTransitions() > 10 || c.Model.Alphabet().Len() < 3 {
			continue
		}
		f, err := ltl.Parse(context.Background(), "G F C -> G F B")
		if err != nil {
			t.Fatal(err)
		}
		fair, err := actl.ParseAssumption(context.Background(), "weak:A,B")
		if err != nil {
			t.Fatal(err)
		}
		e, err := explain.Explain(context.Background(), c.Model, f.Assuming([]string{condition}), explain.Options{Fair: []*actl.Assumption{fair}, NoAdvice: true})
		if err != nil {
			t.Fatal(err)
		}
		holds := func(tasks ...string) bool { return !canRecur(c.Model, "C", "B", tasks) }
		said := strings.Join(strings.Fields(plainText(t, e)), " ")
		scope := "weakly fair to A, B and fair as the specification says (" + condition + ")"
		if !strings.Contains(said, scope) {
			t.Fatalf("seed %d: %s\n%s", seed, c, said)
		}
		if got := e.Verdict == explain.Satisfied; got != holds("A", "B") {
			t.Fatalf("seed %d: %t\n%s", seed, got, c)
		}
		if e.Verdict != explain.Satisfied {
			continue
		}
		want := ""
		switch {
		case holds():
			want = "No assumption is needed beside " + condition + "."
		case holds("A") && holds("B"):
			want = "Of what was assumed, weak fairness to A is enough beside " + condition + "; likewise with B in its place."
		case holds("A"):
			want = "Of what was assumed, weak fairness to A is enough beside " + condition + "."
		case holds("B"):
			want = "Of what was assumed, weak fairness to B is enough beside " + condition + "."
		default:
			want = "All the others are needed beside " + condition + ": weak fairness to fewer of them is not enough."
		}
		met[regexp.MustCompile(`\b[AB]\b.*`).ReplaceAllString(want, "")]++
		if !strings.Contains(said, want) {
			t.Fatalf("seed %d: not %q:\n%s\n%s", seed, want, c, said)
		}
	}
	if t.Log(met); randomlts.Whole() && len(met) < 3 {
		t.Errorf("met %v", met)
	}
}

func endsSomewhere(m *lts.LTS) bool {
	for s := range lts.State(m.NumStates()) {
		first, end := m.Row(s)
		if first == end {
			return true
		}
	}
	return false
}

// canRecur reports whether some run from the initial state takes a label forever, another one not, and is weakly fair to each
// label of tasks. A run of this kind takes a set of transitions again and again that leads from each of its states to each other.
func canRecur(m *lts.LTS, label, not string, tasks []string) bool {
	all := slices.Collect(m.Transitions())
	reached := reachedBy(all, m.Initial())
	for set := 1; set < 1<<len(all); set++ {
		var loop []lts.Transition
		for i, t := range all {
			if set>>i&1 != 0 {
				loop = append(loop, t)
			}
		}
		states := reachedBy(loop, loop[0].From)
		isConnected := !slices.ContainsFunc(loop, func(t lts.Transition) bool {
			return !states[t.From] || !reachedBy(loop, t.To)[loop[0].From]
		})
		takes := func(label string) bool {
			return slices.ContainsFunc(loop, func(t lts.Transition) bool { return m.Alphabet().Text(t.Label) == label })
		}
		enables := func(s lts.State, label string) bool {
			return slices.ContainsFunc(all, func(t lts.Transition) bool { return t.From == s && m.Alphabet().Text(t.Label) == label })
		}
		isFair := !slices.ContainsFunc(tasks, func(task string) bool {
			alwaysEnabled := true
			for s := range states {
				alwaysEnabled = alwaysEnabled && enables(s, task)
			}
			return alwaysEnabled && !takes(task)
		})
		if reached[loop[0].From] && isConnected && takes(label) && !takes(not) && isFair {
			return true
		}
	}
	return false
}

// reachedBy returns the states that some transitions lead to from a state, and that state.
func reachedBy(all []lts.Transition, from lts.State) map[lts.State]bool {
	reached := map[lts.State]bool{from: true}
	for changed := true; changed; {
		changed = false
		for _, t := range all {
			if reached[t.From] && !reached[t.To] {
				reached[t.To] = true
				changed = true
			}
		}
	}
	return reached
}

func plainText(t *testing.T, e *explain.Explanation) string {
	t.Helper()
	w, err := render.New("text", render.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := w.Explanation(&b, e); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
