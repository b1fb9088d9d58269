package counterexample

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
)

// searchFair is [Fair] with these limits.
func searchFair(ctx context.Context, fates *fate.Map, most limits) (r *Result, err error) {
	defer abort.Caught(&err)
	return halfOf(fates.Property()).fair(ctx, fates, most), nil
}

// fairFates returns the fates of a model under fairness.
func fairFates(t testing.TB, m *lts.LTS, formula string, f *property.Fairness) *fate.Map {
	t.Helper()
	parsed, err := actl.Parse(context.Background(), formula)
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := parsed.Bind(context.Background(), m.Alphabet())
	if err != nil {
		t.Fatal(err)
	}
	c, err := scc.Find(context.Background(), m, "")
	if err != nil {
		t.Fatal(err)
	}
	fates, err := fate.Compute(context.Background(), c, p, enrich.Options{Fairness: f})
	if err != nil {
		t.Fatal(err)
	}
	return fates
}

// TestTour: where there is no exact search, the run counts, violates the property, and is
// not said to be a shortest one. How much longer it is, is only counted.
func TestTour(t *testing.T) { checkTours(t, limits{0, tourLooks}, 4) }

// TestTrips is the same where each duty is done on a trip of its own.
func TestTrips(t *testing.T) { checkTours(t, limits{}, 2) }

func checkTours(t *testing.T, most limits, part int) {
	size := randomlts.Size{States: 5, Transitions: 10, Labels: 4, Steps: 3}
	cases := randomlts.Share(6_000)
	lassos, longer := 0, 0
	for seed := range cases {
		c := randomlts.Seeded(seed, size)
		labels := c.Model.Alphabet().Len()
		if c.Model.NumTransitions() > 9 || labels == 0 {
			continue
		}
		r := rand.New(rand.NewPCG(seed, 7))
		var a oracle.Assumption
		var tasks []property.Task
		for k := range 1 + r.IntN(4) {
			set, list := map[lts.Label]bool{}, []lts.Label{}
			for l := range lts.Label(labels) {
				if r.IntN(2) == 0 {
					set[l], list = true, append(list, l)
				}
			}
			if len(list) > 0 {
				strong, still := r.IntN(2) == 0, r.IntN(3) == 0
				a.Tasks = append(a.Tasks, oracle.FairTask{Labels: set, Strong: strong, Nonstuttering: still})
				tasks = append(tasks, property.Task{Name: fmt.Sprint(k), Labels: list, Strong: strong, Nonstuttering: still})
			}
		}
		f, err := property.NewFairness(c.Model.Alphabet(), false, tasks, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := searchFair(context.Background(), fairFates(t, c.Model, c.Formula, f), most)
		if err != nil {
			t.Fatalf("seed %d:\n%s\n%+v\n%v", seed, c, a, err)
		}
		want := oracle.NewFair(c.Model, c.Steps, a)
		length, is := want.ShortestViolation()
		if (got.Trace != nil) != is {
			t.Fatalf("seed %d:\n%s\n%+v\n%v", seed, c, a, got.Trace)
		}
		if !is {
			continue
		}
		var loop []lts.Transition
		met := map[lts.Transition]bool{}
		if start, lasso := got.Trace.LoopStart(); lasso {
			lassos++
			for _, x := range got.Trace.Steps()[start:] {
				if !met[x] {
					met[x] = true
					loop = append(loop, x)
				}
			}
		}
		if loop != nil && !want.Recurs(loop) || got.Trace.Len() < length || (got.Minimal != MinimalUnknown) && got.Trace.Len() > length {
			t.Fatalf("seed %d:\n%s\n%+v\n%v, shortest: %t, want %d", seed, c, a, got.Trace.Steps(), (got.Minimal != MinimalUnknown), length)
		}
		if got.Trace.Len() > length {
			longer++
		}
	}
	if lassos < int(cases/10) || longer > lassos/part {
		t.Errorf("%d lassos, of which %d are not shortest", lassos, longer)
	}
}

// TestTourInProduct is [TestTour] for automata.
func TestTourInProduct(t *testing.T) { checkToursInProduct(t, limits{0, tourLooks}, 3) }

// TestTripsInProduct is [TestTrips] for automata.
func TestTripsInProduct(t *testing.T) { checkToursInProduct(t, limits{}, 2) }

func checkToursInProduct(t *testing.T, most limits, part int) {
	size := randomlts.Size{States: 4, Transitions: 8, Labels: 3, Steps: 1}
	lassos, longer := 0, 0
	for seed := range randomlts.Share(1_500) {
		c := randomlts.Seeded(seed, size)
		labels := c.Model.Alphabet().Len()
		if labels == 0 {
			continue
		}
		r := rand.New(rand.NewPCG(seed, 8))
		var a oracle.Assumption
		var tasks []property.Task
		for l := range lts.Label(labels) {
			strong := r.IntN(2) == 0
			a.Tasks = append(a.Tasks, oracle.FairTask{Labels: map[lts.Label]bool{l: true}, Strong: strong, Nonstuttering: r.IntN(3) == 0})
			tasks = append(tasks, property.Task{Name: fmt.Sprint(l), Labels: []lts.Label{l}, Strong: strong, Nonstuttering: a.Tasks[l].Nonstuttering})
		}
		f, err := property.NewFairness(c.Model.Alphabet(), false, tasks, nil)
		if err != nil {
			t.Fatal(err)
		}
		// Of two colours both recur, or the first one does not.
		p := twoColours(t, c.Model.Alphabet(), r)
		want, is := oracle.NewFairGeneral(c.Model, oracle.Automaton{
			States: p.States(), Colours: 2, Initial: int(p.Initial()),
			Next: func(q int, l lts.Label) int { return int(p.Next(property.Q(q), l)) },
			Marks: func(q int, l lts.Label) map[int]bool {
				marks := map[int]bool{}
				for c := range 2 {
					if p.Marks(property.Q(q), l).Has(c) {
						marks[c] = true
					}
				}
				return marks
			},
			Accepts: func(met map[int]bool) bool { return !met[0] || !met[1] },
			Stops:   func(q int) bool { return p.Stops(property.Q(q)) },
		}, a)
		if !is {
			continue
		}
		components, err := scc.Find(context.Background(), c.Model, "")
		if err != nil {
			t.Fatal(err)
		}
		fates, err := fate.Compute(context.Background(), components, p, enrich.Options{Fairness: f})
		if err != nil {
			t.Fatal(err)
		}
		got, err := searchFair(context.Background(), fates, most)
		if err != nil {
			t.Fatal(err)
		}
		length, violated := want.ShortestViolation()
		if (got.Trace != nil) != violated {
			t.Fatalf("seed %d:\n%s\n%+v\n%v", seed, c, a, got.Trace)
		}
		if !violated || got.Trace.Kind() != Lasso {
			continue
		}
		lassos++
		start, _ := got.Trace.LoopStart()
		var loop []lts.Transition
		var in []int
		for i := start; i < got.Trace.Len(); i++ {
			loop, in = append(loop, got.Trace.Step(i)), append(in, int(got.Trace.At(i)))
		}
		if !want.Recurs(loop, in) || got.Trace.Satisfies() || got.Trace.Len() < length || (got.Minimal != MinimalUnknown) && got.Trace.Len() > length {
			t.Fatalf("seed %d:\n%s\n%+v\n%v, shortest: %t, want %d", seed, c, a, got.Trace.Steps(), (got.Minimal != MinimalUnknown), length)
		}
		if got.Trace.Len() > length {
			longer++
		}
	}
	if randomlts.Whole() && (lassos < 100 || longer > lassos/part) {
		t.Errorf("%d lassos, of which %d are not shortest", lassos, longer)
	}
}

// TestHubOfDuties: a hub from which each of many actions leads on a way of its own is not
// searched once for each of them.
func TestHubOfDuties(t *testing.T) {
	const n = 3_000
	var b lts.Builder
	first, b1, b2 := b.Label("A"), b.Label("b"), b.Label("c")
	var tasks []property.Task
	for i := range lts.State(n) {
		l := b.Label(fmt.Sprint("a", i))
		tasks = append(tasks, property.Task{Name: fmt.Sprint(i), Labels: []lts.Label{l}, Strong: true})
		b.Add(1, l, 2+2*i)
		b.Add(2+2*i, b1, 3+2*i)
		b.Add(3+2*i, b2, 1)
	}
	b.Add(0, b1, 1)
	b.Add(0, first, 0)
	m, err := b.Build(0, 2+2*n)
	if err != nil {
		t.Fatal(err)
	}
	f, err := property.NewFairness(m.Alphabet(), false, tasks, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := searchFair(context.Background(), fairFates(t, m, "Inev(A)", f), limits{0, 100_000})
	if err != nil || got.Trace == nil || got.Trace.Len() != 1+3*n {
		t.Fatalf("%v, %v, want a run of %d steps", got.Trace.Len(), err, 1+3*n)
	}
}

// twoColours draws an automaton of up to three states that accepts where one of two colours
// does not recur.
func twoColours(t testing.TB, a *lts.Alphabet, r *rand.Rand) *property.Property {
	t.Helper()
	x := property.Automaton{Columns: a.Len(), Acceptance: property.Any(property.Fin(0), property.Fin(1))}
	for l := range a.Len() {
		x.Letters = append(x.Letters, uint16(l))
	}
	for range 1 + r.IntN(3) {
		x.Stop = append(x.Stop, r.IntN(2) == 0)
	}
	for range len(x.Stop) * a.Len() {
		x.Next = append(x.Next, property.Q(r.IntN(len(x.Stop))))
		x.Marks = append(x.Marks, property.Marks(r.IntN(4)))
	}
	p, err := property.Table(a, x)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// ring returns a cycle of n states, from each to the next one by labels c and d of its
// own, and by x out of it to GOAL.
func ring(t testing.TB, n int) *lts.LTS {
	t.Helper()
	var b lts.Builder
	x, goal := b.Label("x"), b.Label("GOAL")
	for i := range n {
		next := lts.State((i + 1) % n)
		b.Add(lts.State(i), b.Label(fmt.Sprint("c", i)), next)
		b.Add(lts.State(i), b.Label(fmt.Sprint("d", i)), next)
		b.Add(lts.State(i), x, lts.State(n))
	}
	b.Add(lts.State(n), goal, lts.State(n+1))
	m, err := b.Build(0, n+2)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// endsAfter is a context that is done after it has been asked so many times.
type endsAfter struct {
	context.Context
	asks int
}

func (c *endsAfter) Err() error {
	if c.asks--; c.asks < 0 {
		return context.Canceled
	}
	return nil
}

// TestManyDuties: a round that must do thousands of tasks is found, and the search for it
// ends with its context wherever it is.
func TestManyDuties(t *testing.T) {
	n, few := 3_000, 1_000
	if !randomlts.Whole() {
		n, few = 600, 300
	}
	m := ring(t, n)
	var tasks []property.Task
	for l := range m.Alphabet().All() {
		if text := m.Alphabet().Text(l); text != "x" && text != "GOAL" {
			tasks = append(tasks, property.Task{Name: text, Labels: []lts.Label{l}, Strong: true})
		}
	}
	f, err := property.NewFairness(m.Alphabet(), false, tasks, nil)
	if err != nil {
		t.Fatal(err)
	}
	fates := fairFates(t, m, "Inev(GOAL)", f)
	got, err := searchFair(context.Background(), fates, limitsIn(m))
	if err != nil {
		t.Fatal(err)
	}
	if got.Trace.Len() != 2*n || (got.Minimal != MinimalUnknown) {
		t.Errorf("%d transitions, shortest: %t", got.Trace.Len(), (got.Minimal != MinimalUnknown))
	}
	ctx := &endsAfter{context.Background(), 1 << 40}
	if _, err := searchFair(ctx, fates, limitsIn(m)); err != nil {
		t.Fatal(err)
	}
	asked := 1<<40 - ctx.asks
	for most := range asked {
		if most > 10 && most < asked-10 && most%(asked/8+1) != 0 {
			continue
		}
		if r, err := searchFair(&endsAfter{context.Background(), most}, fates, limitsIn(m)); err == nil || r != nil {
			t.Fatalf("after %d of %d looks at the context: %v", most, asked, err)
		}
	}
	// One task of one state: exact, unless the search from every state is too much for the model.
	m = ring(t, few)
	tasks[0].Labels[0], _ = m.Alphabet().Lookup(tasks[0].Name)
	if f, err = property.NewFairness(m.Alphabet(), false, tasks[:1], nil); err != nil {
		t.Fatal(err)
	}
	if got, err = searchFair(context.Background(), fairFates(t, m, "Inev(GOAL)", f), limitsIn(m)); err != nil || got.Trace.Len() != few || !(got.Minimal != MinimalUnknown) {
		t.Errorf("%d transitions, shortest: %t, %v", got.Trace.Len(), (got.Minimal != MinimalUnknown), err)
	}
}
