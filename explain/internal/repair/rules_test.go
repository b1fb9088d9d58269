package repair_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain/internal/repair"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// withPits draws a model in which B or C leads to where all is lost from states with certain values, or after certain
// actions; D is awaited.
func withPits(t *testing.T, r *rand.Rand, valueOf func(lts.State, int) lts.Value) randomlts.Case {
	t.Helper()
	var b lts.Builder
	names := []string{"A", "B", "C", "D", "E"}
	for _, name := range names {
		b.Label(name)
	}
	places := 6 + r.IntN(6)
	const pits = 5
	lost := lts.State(2 * places) // a state is twice a place, plus one if the last of A and E was A
	kind := r.IntN(3)
	for s := range lost {
		for l := range lts.Label(len(names)) {
			if r.IntN(3) == 0 {
				continue
			}
			bit := s % 2
			switch names[l] {
			case "A":
				bit = 1
			case "E":
				bit = 0
			}
			to := 2*lts.State(r.IntN(places)) + bit
			isPit := []bool{valueOf(s, 0) == 1, valueOf(s, 0) == 1 && valueOf(s, 2) == 0, s%2 == 1}[kind]
			if isPit && (names[l] == "B" || names[l] == "C" && kind == 0) {
				to = lost + lts.State(r.IntN(pits))
			}
			b.Add(s, l, to)
		}
		b.Add(s, 0, s|1)
	}
	m, err := b.Build(lts.State(r.IntN(2)), int(lost)+pits)
	if err != nil {
		t.Fatal(err)
	}
	return randomlts.Case{Model: m, Formula: "Inev(D)", Steps: []map[lts.Label]bool{{3: true}}}
}

// TestRulesByValues compares rules with what a repair forbids, on each run of the guarded model.
func TestRulesByValues(t *testing.T) {
	ctx := context.Background()
	met := map[string]int{}
	for seed := range randomlts.Share(3_000) {
		const parameters = 3
		r := rand.New(rand.NewPCG(seed, 12))
		values := make([]lts.Value, parameters*64)
		for i := range values {
			values[i] = lts.Value(r.IntN(3))
		}
		valueOf := func(s lts.State, p int) lts.Value { return values[parameters*int(s)+p] }
		c := withPits(t, r, valueOf)
		f, err := actl.Parse(ctx, c.Formula)
		if err != nil {
			t.Fatal(err)
		}
		p, _, err := f.Bind(ctx, c.Model.Alphabet())
		if err != nil {
			t.Fatal(err)
		}
		found, err := repair.Find(ctx, c.Model, p, repair.Options{})
		if err != nil {
			t.Fatal(err)
		}
		rules, err := found.Rules(ctx, parameters, valueOf)
		if err != nil {
			t.Fatal(err)
		}
		if rules == nil {
			continue
		}
		isNever := map[edge]bool{}
		for _, g := range found.Never {
			for _, done := range g.Progress {
				isNever[edge{place{g.Transition.From, done}, place{s: g.Transition.To}, g.Transition.Label}] = true
			}
		}
		applies := func(rule repair.Rule, from, to place, l lts.Label) bool {
			if rule.Into != nil {
				return slices.Contains(rule.Into, to.s) && slices.Contains(rule.Progress, to.j)
			}
			for _, condition := range rule.Values {
				if (valueOf(from.s, condition.Parameter) == condition.Value) == condition.Differs {
					return false
				}
			}
			return slices.Contains(rule.Labels, l) && slices.Contains(rule.Progress, from.j) && (rule.States == nil || slices.Contains(rule.States, from.s))
		}
		for _, rule := range rules {
			if len(rule.Values) > 0 {
				met[[]string{1: "one value", 2: "two values"}[len(rule.Values)]]++
			}
			if rule.Past != nil {
				met["past"]++
			}
		}
		type memory struct {
			at    place
			holds [repair.MostRules]bool // of each rule with a past, whether it holds
		}
		first := memory{at: place{c.Model.Initial(), 0}}
		for i, rule := range rules {
			first.holds[i] = rule.Past == nil || rule.Past.Begins
		}
		visited := map[memory]bool{first: true}
		for open := []memory{first}; len(open) > 0; open = open[1:] {
			from := open[0]
			for step := range c.Model.Transitions() {
				if step.From != from.at.s {
					continue
				}
				to := place{step.To, from.at.j}
				if to.j < len(c.Steps) && c.Steps[to.j][step.Label] {
					to.j++
				}
				isForbidden := false
				next := memory{to, from.holds}
				for i, rule := range rules {
					isForbidden = isForbidden || from.holds[i] && applies(rule, from.at, to, step.Label)
					if rule.Past != nil && rule.Past.HasUntil && step.Label == rule.Past.Until {
						next.holds[i] = false
					}
					if rule.Past != nil && rule.Past.HasAfter && step.Label == rule.Past.After {
						next.holds[i] = true
					}
				}
				if never := isNever[edge{from.at, place{s: step.To}, step.Label}]; never != isForbidden {
					t.Fatalf("seed %d: %v with %d steps done is forbidden: %t, by rules: %t\n%+v\n%s", seed, step, from.at.j, never, isForbidden, rules, c)
				}
				if !isForbidden && !visited[next] {
					visited[next] = true
					open = append(open, next)
				}
			}
		}
	}
	t.Log(met)
	for _, kind := range []string{"one value", "two values", "past"} {
		if randomlts.Whole() && met[kind] < 20 {
			t.Errorf("%s: met %d times", kind, met[kind])
		}
	}
}
