package assume_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/inev-lts/inev/explain/internal/assume"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/fromproperty"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// drawTable draws an automaton of up to two states and three colours, as the packages and
// as the oracle take it.
func drawTable(t testing.TB, r *rand.Rand, a *lts.Alphabet) (*property.Property, oracle.Automaton) {
	t.Helper()
	inf, fin := property.Inf, property.Fin
	conditions := []property.Acceptance{
		property.Any(fin(0), inf(1)), property.All(inf(0), inf(1)), inf(2), property.Any(property.All(fin(0), inf(1)), property.All(fin(1), inf(2))),
	}
	x := property.Automaton{Columns: a.Len(), Acceptance: conditions[r.IntN(len(conditions))]}
	for l := range a.Len() {
		x.Letters = append(x.Letters, uint16(l))
	}
	for range 1 + r.IntN(2) {
		x.Stop = append(x.Stop, r.IntN(4) != 0)
	}
	for range len(x.Stop) * a.Len() {
		x.Next = append(x.Next, property.Q(r.IntN(len(x.Stop))))
		x.Marks = append(x.Marks, property.Marks(r.IntN(8)))
	}
	p, err := property.Table(a, x)
	if err != nil {
		t.Fatal(err)
	}
	return p, fromproperty.Automaton(p)
}

// TestMinimalAssumptionsOfTables compares the answers for automata with all subsets.
func TestMinimalAssumptionsOfTables(t *testing.T) {
	size := randomlts.Size{States: 4, Transitions: 8, Labels: 3, Steps: 1}
	cases := randomlts.Share(2_000)
	asked := 0
	for seed := range cases {
		c := randomlts.Seeded(seed, size)
		p, a := drawTable(t, rand.New(rand.NewPCG(seed, 3)), c.Model.Alphabet())
		is, err := compareTable(c.Model, p, a)
		if err != nil {
			t.Fatalf("seed %d:\n%s\n%+v\n%v", seed, c, p.Automaton(), err)
		}
		if is {
			asked++
		}
	}
	if asked < int(cases/10) {
		t.Errorf("only %d models violate their property", asked)
	}
}

func compareTable(m *lts.LTS, p *property.Property, a oracle.Automaton) (asked bool, err error) {
	u, err := product.Unfold(context.Background(), m, p)
	if err != nil {
		return false, err
	}
	return compareSearch(m, []oracle.Automaton{a}, func() (*assume.Search, error) {
		return assume.OfProduct(context.Background(), u, u.Components)
	})
}

// compareSearch compares the answers of a search, about runs that all of some automata accept,
// with all subsets; it reports whether there was anything to ask.
func compareSearch(m *lts.LTS, joined []oracle.Automaton, of func() (*assume.Search, error)) (asked bool, err error) {
	violated, dead := false, false
	for _, a := range joined {
		plain, few := oracle.NewFairGeneral(m, a, oracle.Assumption{})
		if !few {
			return false, nil
		}
		_, is := plain.Can(m.Initial(), a.Initial)
		violated = violated || is
		_, ends := plain.ShortestDeadlock()
		dead = dead || ends
	}
	if !violated {
		return false, nil
	}
	search, err := of()
	if is := errors.Is(err, assume.ErrDeadlock); is != dead || is {
		if is != dead {
			err = fmt.Errorf("a deadlock violates the property: %t, want %t", is, dead)
		} else {
			err = nil
		}
		return false, err
	}
	if err != nil {
		return false, err
	}
	return true, sameAnswers(m, search, func(assumed oracle.Assumption) bool {
		for _, a := range joined {
			o, _ := oracle.NewFairGeneral(m, a, assumed)
			if accept, reject := o.Can(m.Initial(), a.Initial); !accept || reject {
				return false
			}
		}
		return true
	})
}

func sameAnswers(m *lts.LTS, search *assume.Search, holds func(oracle.Assumption) bool) error {
	full, err := property.NewFairness(m.Alphabet(), true, nil, nil)
	if err != nil {
		return err
	}
	if violated, err := search.Violates(full); err != nil || violated == holds(oracle.Assumption{Full: true}) {
		return fmt.Errorf("under full fairness it is violated: %t, %v", violated, err)
	}
	for _, strong := range []bool{true, false} {
		minimal := func(nonstuttering bool) string {
			return minimalSets(m, func(set map[lts.Label]bool) bool {
				var a oracle.Assumption
				for l := range set {
					a.Tasks = append(a.Tasks, oracle.FairTask{Labels: map[lts.Label]bool{l: true}, Strong: strong, Nonstuttering: nonstuttering})
				}
				return holds(a)
			})
		}
		found, err := search.FairLabels(strong, assume.Limits{Members: 4, Answers: 100})
		if got, want := texts(m, found.Sets), minimal(false); err != nil || got != want || !found.Complete {
			return fmt.Errorf("strong %t: %s (complete: %t), %v; want %s", strong, got, found.Complete, err, want)
		}
		found, err = search.FairTasks(nonstutteringTasks(m, strong), assume.Limits{Members: 4, Answers: 100})
		if got, want := texts(m, found.Sets), minimal(true); err != nil || got != want || !found.Complete {
			return fmt.Errorf("nonstuttering, strong %t: %s (complete: %t), %v; want %s", strong, got, found.Complete, err, want)
		}
	}
	found, err := search.Finitely(assume.Limits{Members: 4, Answers: 100})
	want := minimalSets(m, func(set map[lts.Label]bool) bool { return holds(oracle.Assumption{Rare: set}) })
	if got := texts(m, found.Sets); err != nil || got != want || !found.Complete {
		return fmt.Errorf("finitely: %s (complete: %t), %v; want %s", got, found.Complete, err, want)
	}
	return nil
}

// nonstutteringTasks returns a task for each label, of which self-loops are no steps.
func nonstutteringTasks(m *lts.LTS, strong bool) []property.Task {
	var tasks []property.Task
	for l := range m.Alphabet().All() {
		tasks = append(tasks, property.Task{Labels: []lts.Label{l}, Strong: strong, Nonstuttering: true})
	}
	return tasks
}

// TestNoChoicesSuffice: where all choices are made again and again all ways, a property that
// is no chain may be violated that holds on almost all runs. This is why none are told.
func TestNoChoicesSuffice(t *testing.T) {
	var b lts.Builder
	b.Add(0, b.Label("a"), 0)
	b.Add(0, b.Label("b"), 0)
	m, err := b.Build(0, 1)
	if err != nil {
		t.Fatal(err)
	}
	f, err := formula.Parse(context.Background(), "G F (a && X a)")
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := f.Bind(context.Background(), m.Alphabet())
	if err != nil {
		t.Fatal(err)
	}
	// Each label has one transition.
	all := oracle.Assumption{Tasks: []oracle.FairTask{
		{Labels: map[lts.Label]bool{0: true}, Strong: true}, {Labels: map[lts.Label]bool{1: true}, Strong: true},
	}}
	for _, c := range []struct {
		assumed  oracle.Assumption
		violated bool
	}{{all, true}, {oracle.Assumption{Full: true}, false}} {
		o, _ := oracle.NewFairGeneral(m, fromproperty.Automaton(p), c.assumed)
		if _, violated := o.Can(m.Initial(), int(p.Initial())); violated != c.violated {
			t.Errorf("violated under %+v: %t", c.assumed, violated)
		}
	}
	u, err := product.Unfold(context.Background(), m, p)
	if err != nil {
		t.Fatal(err)
	}
	search, err := assume.OfProduct(context.Background(), u, u.Components)
	if err != nil {
		t.Fatal(err)
	}
	fates, err := fate.Of(context.Background(), m, p, fate.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if found, err := search.Answers(fates, assume.Question{Sets: true, Unfolded: 1000}); err != nil || !found.Full || found.Choices != nil {
		t.Errorf("%+v, error %v", found, err)
	}
}
