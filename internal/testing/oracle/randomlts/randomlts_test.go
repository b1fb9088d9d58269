package randomlts_test

import (
	"testing"

	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"pgregory.net/rapid"
)

func TestSeededIsAFunctionOfTheSeed(t *testing.T) {
	different := make(map[string]bool)
	for seed := range randomlts.Share(1000) {
		text := randomlts.Seeded(seed, randomlts.Small()).String()
		if again := randomlts.Seeded(seed, randomlts.Small()).String(); again != text {
			t.Fatalf("seed %d gives\n%s\nand then\n%s", seed, text, again)
		}
		different[text] = true
	}
	if randomlts.Whole() && len(different) < 900 {
		t.Errorf("1000 seeds give %d different cases", len(different))
	}
}

func TestCasesKeepTheirBounds(t *testing.T) {
	for _, size := range []randomlts.Size{randomlts.Small(), randomlts.Medium()} {
		rapid.Check(t, func(t *rapid.T) { checkBounds(t, size) })
	}
}

func checkBounds(t *rapid.T, size randomlts.Size) {
	c := randomlts.Generator(size).Draw(t, "case")
	got := randomlts.Size{
		States: c.Model.NumStates(), Transitions: c.Model.NumTransitions(),
		Labels: c.Model.Alphabet().Len(), Steps: len(c.Steps),
	}
	if got.States > size.States || got.Transitions > size.Transitions || got.Labels > size.Labels || got.Steps > size.Steps {
		t.Errorf("a case of size %+v, want at most %+v", got, size)
	}
	for i, step := range c.Steps {
		if len(step) > 2 {
			t.Errorf("step %d has %d labels", i+1, len(step))
		}
	}
}

// TestCasesCoverWhatMatters fails if a change of the generator lets it draw
// one and the same sort of case only.
func TestCasesCoverWhatMatters(t *testing.T) {
	const cases, atLeast = 4000, 20
	seen := make(map[string]int)
	for seed := range uint64(cases) {
		c := randomlts.Seeded(seed, randomlts.Small())
		for _, feature := range features(t, c) {
			seen[feature]++
		}
	}
	t.Log(seen)
	for _, feature := range []string{
		"satisfied", "violated", "self-loop", "duplicate", "parallel", "unreachable", "deadlock reachable", "deadlocked initial",
		"initial not 0", "initial on a cycle", "empty step", "step of two labels", "repeated step",
		"transition correct", "transition incorrect", "transition neutral",
		"all correct", "all incorrect", "all mixed-neutral", "all mixed",
		"some correct", "some incorrect", "some mixed-neutral", "some mixed", "readings differ",
		"mp > cp", "ms > cs", "0 < cs < n", "shortest is a lasso", "shortest ends in a deadlock",
	} {
		if seen[feature] < atLeast {
			t.Errorf("%q: %d of %d cases, want at least %d", feature, seen[feature], cases, atLeast)
		}
	}
}

// features returns what is remarkable about the case, each thing once.
func features(t *testing.T, c randomlts.Case) []string {
	o, err := oracle.New(c.Model, c.Steps)
	if err != nil {
		t.Fatalf("%v\n%s", err, c)
	}
	has := make(map[string]bool)
	has["satisfied"] = o.Satisfied()
	has["violated"] = !o.Satisfied()
	has["initial not 0"] = c.Model.Initial() != 0
	has["deadlocked initial"] = c.Model.IsDeadlock(c.Model.Initial())
	for _, r := range o.ShortestCounterexamples() {
		has["shortest is a lasso"] = r.Loop != oracle.NoLoop
		has["shortest ends in a deadlock"] = r.Loop == oracle.NoLoop
	}
	markSteps(has, c.Steps)
	markStates(has, c, o)
	markTransitions(has, c.Model, o)
	var names []string
	for name, holds := range has {
		if holds {
			names = append(names, name)
		}
	}
	return names
}

func markSteps(has map[string]bool, steps []map[lts.Label]bool) {
	for i, step := range steps {
		has["empty step"] = has["empty step"] || len(step) == 0
		has["step of two labels"] = has["step of two labels"] || len(step) == 2
		for _, other := range steps[:i] {
			for l := range step {
				has["repeated step"] = has["repeated step"] || other[l]
			}
		}
	}
}

func markStates(has map[string]bool, c randomlts.Case, o *oracle.Oracle) {
	all, some := o.Neighbourhoods(oracle.All), o.Neighbourhoods(oracle.Some)
	has["readings differ"] = len(all) != len(some)
	for i := range c.Model.NumStates() {
		s := lts.State(i)
		if !o.Reachable(s) {
			has["unreachable"] = true
			continue
		}
		has["all "+string(all[s])] = true
		has["some "+string(some[s])] = true
		has["deadlock reachable"] = has["deadlock reachable"] || c.Model.IsDeadlock(s)
		has["mp > cp"] = has["mp > cp"] || o.MP(s) > o.CP(s)
		has["ms > cs"] = has["ms > cs"] || o.MS(s) > o.CS(s)
		has["0 < cs < n"] = has["0 < cs < n"] || o.CS(s) > 0 && o.CS(s) < len(c.Steps)
	}
}

func markTransitions(has map[string]bool, m *lts.LTS, o *oracle.Oracle) {
	seen := make(map[lts.Transition]bool)
	type pair struct{ from, to lts.State }
	pairs := make(map[pair]lts.Label)
	for t := range m.Transitions() {
		if !o.Reachable(t.From) {
			continue
		}
		has["transition "+string(o.Class(t))] = true
		has["self-loop"] = has["self-loop"] || t.From == t.To
		has["initial on a cycle"] = has["initial on a cycle"] || t.To == m.Initial()
		has["duplicate"] = has["duplicate"] || seen[t]
		seen[t] = true
		label, linked := pairs[pair{t.From, t.To}]
		has["parallel"] = has["parallel"] || linked && label != t.Label
		pairs[pair{t.From, t.To}] = t.Label
	}
}
