package explain_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/fromproperty"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

const leftOpen = "the model leaves it open"

// TestRunsThatChangeArePreferred: of random models with steps that change nothing, the run that is shown, what is said about shorter
// ones, and that the property holds under fairness of changes, are those of an enumeration.
func TestRunsThatChangeArePreferred(t *testing.T) {
	ctx := context.Background()
	met := map[string]int{}
	for seed := range randomlts.Share(6000) {
		r := rand.New(rand.NewPCG(seed, 83))
		m, changing := modelWithIdleSteps(t, r)
		text := randomFormula(r, 3)
		f, err := formula.Parse(ctx, text)
		if err != nil {
			t.Fatal(text, err)
		}
		p, _, err := f.Bind(ctx, m.Alphabet())
		if err != nil {
			t.Fatal(text, err)
		}
		e, err := explain.Check(ctx, m, f, explain.Options{Source: explain.Source{Unsettled: leftOpen}})
		if err != nil {
			t.Fatal(text, err)
		}
		kind, err := checkIdle(e, m, changing, fromproperty.Automaton(p))
		if err != nil {
			t.Fatalf("seed %d, %s: %v\n%v", seed, text, err, slices.Collect(m.Transitions()))
		}
		met[kind]++
	}
	t.Log(met)
	for _, kind := range []string{"holds", "holds without a warning", "only", "longer", "changes"} {
		if met[kind] == 0 {
			t.Errorf("nothing met that is %s", kind)
		}
	}
}

// checkIdle compares an explanation with what enumerations say of the model, and of it without idle steps.
func checkIdle(e *explain.Explanation, m, changing *lts.LTS, a oracle.Automaton) (kind string, err error) {
	least, isViolated := oracle.NewGeneral(m, a).ShortestViolation()
	leastChanging, violatesByChanges := oracle.NewGeneral(changing, a).ShortestViolation()
	if isViolated != (e.Verdict == explain.Violated) {
		return "", fmt.Errorf("verdict %v", e.Verdict)
	}
	isOpen := slices.Contains(e.Warnings, leftOpen)
	if !isViolated {
		// A behaviour may stutter forever in each state, under any of the automaton's words.
		mayStutter := stuttersIntoViolation(m, a)
		if mayStutter && !isOpen {
			return "", fmt.Errorf("a run that stops changing violates it, and there is no warning")
		}
		if isOpen {
			return "holds", nil
		}
		return "holds without a warning", nil
	}
	c := e.Counterexample
	isIdle := idlesForever(c, m)
	switch {
	case c.Idle != nil && c.Idle.Only:
		if violatesByChanges || violatesUnderChanges(m, a) || !isIdle || isOpen {
			return "", fmt.Errorf("a run that changes violates it: %v, under fairness: %v", violatesByChanges, violatesUnderChanges(m, a))
		}
		return "only", nil
	case c.Idle != nil:
		isProven := c.Idle.Minimal == counterexample.InProduct && c.Length == leastChanging || c.Idle.Minimal == counterexample.InModel && c.Length <= leastChanging
		if !violatesByChanges || hasIdleStep(c, m) || isOpen || c.Idle.Shorter >= c.Length || c.Idle.Shorter > least || !isProven {
			return "", fmt.Errorf("shorter %d of %d, minimal %v; enumerated %d of %d", c.Idle.Shorter, c.Length, c.Idle.Minimal, least, leastChanging)
		}
		return "longer", nil
	case isOpen:
		if !isIdle || !violatesByChanges && !violatesUnderChanges(m, a) {
			return "", fmt.Errorf("the warning is given, and all is known")
		}
		return "open", nil
	case isIdle:
		return "", fmt.Errorf("the run does nothing forever, and nothing tells so")
	}
	return "changes", nil
}

// stuttersIntoViolation reports whether a run that may stop in each state, as a behaviour may that stutters
// forever, violates the property.
func stuttersIntoViolation(m *lts.LTS, a oracle.Automaton) bool {
	type at struct {
		s lts.State
		q int
	}
	first := at{m.Initial(), a.Initial}
	visited := map[at]bool{first: true}
	open := []at{first}
	for len(open) > 0 {
		last := open[len(open)-1]
		open = open[:len(open)-1]
		if !a.Stops(last.q) {
			return true
		}
		for t := range m.Transitions() {
			next := at{t.To, a.Next(last.q, t.Label)}
			if t.From == last.s && !visited[next] {
				visited[next] = true
				open = append(open, next)
			}
		}
	}
	return false
}

// violatesUnderChanges reports whether a run violates the property that takes changes again and again while they are possible.
func violatesUnderChanges(m *lts.LTS, a oracle.Automaton) bool {
	all := map[lts.Label]bool{}
	for l := range m.Alphabet().Len() {
		all[lts.Label(l)] = true
	}
	o, is := oracle.NewFairGeneral(m, a, oracle.Assumption{Tasks: []oracle.FairTask{{Labels: all, Nonstuttering: true}}})
	if !is {
		return true
	}
	_, violates := o.ShortestViolation()
	return violates
}

func isIdle(m *lts.LTS, from, to lts.State) bool {
	if from != to {
		return false
	}
	for t := range m.Transitions() {
		if t.From == from && t.To != from {
			return true
		}
	}
	return false
}

func hasIdleStep(c *explain.Counterexample, m *lts.LTS) bool {
	return slices.ContainsFunc(c.Steps, func(s explain.Step) bool { return isIdle(m, s.From, s.To) })
}

func idlesForever(c *explain.Counterexample, m *lts.LTS) bool {
	if c.LoopStart < 0 {
		return false
	}
	return !slices.ContainsFunc(c.Steps[c.LoopStart:], func(s explain.Step) bool { return !isIdle(m, s.From, s.To) })
}

// modelWithIdleSteps returns a random model, and it without the steps that change nothing where others are possible.
func modelWithIdleSteps(t *testing.T, r *rand.Rand) (m, changing *lts.LTS) {
	t.Helper()
	n := 1 + r.IntN(4)
	var all []lts.Transition
	changes := make([]bool, n)
	for range 1 + r.IntN(7) {
		from := r.IntN(n)
		to := r.IntN(n)
		if r.IntN(3) == 0 {
			to = from
		}
		all = append(all, lts.Transition{From: lts.State(from), Label: lts.Label(r.IntN(3)), To: lts.State(to)})
		changes[from] = changes[from] || to != from
	}
	build := func(takes func(lts.Transition) bool) *lts.LTS {
		var b lts.Builder
		for _, name := range []string{"a", "b", "c"} {
			b.Label(name)
		}
		for _, step := range all {
			if takes(step) {
				b.Add(step.From, step.Label, step.To)
			}
		}
		m, err := b.Build(0, n)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	return build(func(lts.Transition) bool { return true }), build(func(s lts.Transition) bool { return s.From != s.To || !changes[s.From] })
}

// randomFormula returns a formula of linear temporal logic over three labels.
func randomFormula(r *rand.Rand, depth int) string {
	atom := func() string { return []string{"a", "b", "c", "!a", "(a || b)"}[r.IntN(5)] }
	if depth == 0 {
		return atom()
	}
	one := randomFormula(r, depth-1)
	switch r.IntN(8) {
	case 0, 1:
		return "F (" + one + ")"
	case 2, 3:
		return "G (" + one + ")"
	case 4:
		return "X (" + one + ")"
	case 5:
		return "(" + one + ") U (" + randomFormula(r, depth-1) + ")"
	case 6:
		return "(" + one + ") " + strings.Repeat("|", 2) + " (" + randomFormula(r, depth-1) + ")"
	}
	return "(" + one + ") && (" + randomFormula(r, depth-1) + ")"
}
