package enrich

import (
	"context"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
)

// suffixesOf returns a pass for suffixes of a model.
func suffixesOf(t interface{ Fatal(...any) }, m *lts.LTS, formula string) *pass {
	f, err := actl.Parse(context.Background(), formula)
	if err != nil {
		t.Fatal(err)
	}
	bound, _, err := f.Bind(context.Background(), m.Alphabet())
	if err != nil {
		t.Fatal(err)
	}
	p, _ := bound.Chain()
	c, err := scc.Find(context.Background(), m, "")
	if err != nil {
		t.Fatal(err)
	}
	return newPass(context.Background(), &Enriched{property: p, components: c})
}

// TestPassesAndPredecessors: package oracle holds the values against the definitions; passes
// that go on until nothing changes, some of them, and none give the same.
func TestPassesAndPredecessors(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := randomlts.Generator(randomlts.Medium()).Draw(rt, "case")
		var found []levels
		for _, worth := range []int{1 << 30, 1, 0} {
			x := suffixesOf(rt, c.Model, c.Formula)
			x.worthPasses = worth
			found = append(found, x.commonSuffixes())
		}
		if !reflect.DeepEqual(found[1:], []levels{found[0], found[0]}) {
			rt.Fatalf("by passes, by some of them and by none: %v", found)
		}
	})
}

// TestPassesOnCores: passes that several goroutines share, each with its range of the states, give the
// same values as on one core.
func TestPassesOnCores(t *testing.T) {
	changed := 0
	for seed := range randomlts.Share(1_000) {
		c := randomlts.Seeded(seed, randomlts.Size{States: 300, Transitions: 700, Labels: 4, Steps: 3})
		var want levels
		var fair *property.Fairness
		if seed%3 == 0 {
			fair = fairnessToEach(t, rand.New(rand.NewPCG(seed, 13)), c.Model.Alphabet())
		}
		for cores := 1; cores <= 4; cores++ {
			for _, worth := range []int{1 << 30, 1} {
				x := suffixesOf(t, c.Model, c.Formula)
				x.worthPasses, x.cores, x.fewOnOneCore, x.runs.fairness = worth, cores, 1, fair
				got := x.commonSuffixes()
				if cores == 1 && worth > 1 {
					want = got
				}
				if !reflect.DeepEqual(got, want) {
					t.Fatalf("seed %d, %d cores, passes worth %d: %v, want %v", seed, cores, worth, got, want)
				}
			}
		}
		least, most := slices.Min(want.narrow), slices.Max(want.narrow)
		if least < most {
			changed++
		}
	}
	if randomlts.Whole() && changed < 250 {
		t.Errorf("only in %d models states have several values", changed)
	}
}

// TestPredecessorsWherePassesDoNotPay: a ring that only one state leaves by a step is left
// by no other one, which is found state by state.
func TestPredecessorsWherePassesDoNotPay(t *testing.T) {
	const states = 3000
	for name, c := range map[string]struct {
		step  int // from the number of a state to the next
		built bool
	}{
		"rising":  {1, false},
		"falling": {states - 1, false},
		"anyhow":  {1201, true},
	} {
		t.Run(name, func(t *testing.T) {
			var b lts.Builder
			a, other := b.Label("a"), b.Label("b")
			for i := range states {
				l := other
				if i == 0 {
					l = a
				}
				b.Add(lts.State(i*c.step%states), l, lts.State((i+1)*c.step%states))
			}
			m, err := b.Build(1, states)
			if err != nil {
				t.Fatal(err)
			}
			x := suffixesOf(t, m, "Inev(a)")
			// What finds components may want them, too.
			before := m.HasPredecessors()
			cs := x.commonSuffixes()
			for s := range lts.State(states) {
				if cs.at(s) != 1 {
					t.Fatalf("common suffix of %d: %d", s, cs.at(s))
				}
			}
			if before || m.HasPredecessors() != c.built {
				t.Errorf("predecessor rows before: %v, afterwards: %v", before, m.HasPredecessors())
			}
		})
	}
}

// fairnessToEach returns weak and strong fairness to some labels, each by itself.
func fairnessToEach(t *testing.T, r *rand.Rand, a *lts.Alphabet) *property.Fairness {
	t.Helper()
	var tasks []property.Task
	for l := range a.All() {
		if r.IntN(2) == 0 {
			tasks = append(tasks, property.Task{Labels: []lts.Label{l}, Strong: r.IntN(2) == 0, Nonstuttering: r.IntN(3) == 0})
		}
	}
	f, err := property.NewFairness(a, false, tasks, nil)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
