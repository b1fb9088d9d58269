package compare

import (
	"context"
	"slices"
	"testing"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/lts"
)

// subsets returns a model in which sets of n states have to be told apart: A or B again and again,
// and n labels after some A it can still do B or, if it is the last one, C.
func subsets(t testing.TB, n lts.State, last string) *lts.LTS {
	arcs := []Arc{{0, "A", 0}, {0, "B", 0}, {0, "A", 1}}
	for s := lts.State(1); s < n; s++ {
		arcs = append(arcs, Arc{s, "A", s + 1}, Arc{s, "B", s + 1})
	}
	return modelOf(t, 0, int(n)+2, append(arcs, Arc{n, last, n + 1}, Arc{n, "B", n + 1}))
}

// TestLimitIsMet: if the search for a run that parts the models meets its limit, that is noted and
// nothing is guessed; with more work the run is found.
func TestLimitIsMet(t *testing.T) {
	ctx := context.Background()
	old, latest := subsets(t, 12, "B"), subsets(t, 12, "C")
	cut, err := Models(ctx, old, latest, Options{Limit: 100})
	if err != nil || cut.Alike || cut.Complete || cut.Run != nil || cut.Formula != "" {
		t.Errorf("%+v, %v", cut, err)
	}
	whole, err := Models(ctx, old, latest, Options{})
	if err != nil || whole.Alike || !whole.Complete || whole.Run == nil || len(whole.Run.Run) != 12 || whole.Run.Label != "C" {
		t.Errorf("%+v, %v", whole, err)
	}
}

// TestLimitOfLoops: a loop that the other version can follow in sets that do not repeat soon is
// compared up to the limit, and that is noted.
func TestLimitOfLoops(t *testing.T) {
	ctx := context.Background()
	f, err := formula.Parse(ctx, "Inev(B)")
	if err != nil {
		t.Fatal(err)
	}
	// Rings of lengths without a common divisor: the sets repeat after their product.
	var arcs []Arc
	next := lts.State(1)
	for _, n := range []lts.State{7, 11, 13} {
		arcs = append(arcs, Arc{0, "A", next})
		for i := range n {
			arcs = append(arcs, Arc{next + i, "A", next + (i+1)%n})
		}
		next += n
	}
	old := modelOf(t, 0, int(next)+1, append(arcs, Arc{0, "B", next}))
	latest := modelOf(t, 0, 2, []Arc{{0, "A", 0}, {0, "B", 1}})
	compared := func(limit int64) *Divergence {
		v, err := Property(ctx, Version{LTS: old}, Version{LTS: latest}, f, explain.Options{}, Options{Limit: limit})
		if err != nil {
			t.Fatal(err)
		}
		return v.Divergence
	}
	if d := compared(50); !d.Limited || d.Rounds == 0 || d.Rounds > 60 {
		t.Errorf("a limit of 50: %+v", *d)
	}
	if d := compared(0); d.Limited || !d.Follows || d.Rounds < 7*11*13 {
		t.Errorf("without a limit: %+v", *d)
	}
}

// hub returns a model with transitions from a state to n others and back; the way back from state
// changed has the label NEW.
func hub(t testing.TB, n, changed lts.State) *lts.LTS {
	var arcs []Arc
	for s := lts.State(1); s <= n; s++ {
		back := "BACK"
		if s == changed {
			back = "NEW"
		}
		arcs = append(arcs, Arc{0, "GO", s}, Arc{s, back, 0})
	}
	return modelOf(t, 0, int(n)+1, arcs)
}

// TestSetsAreVisitedOnce: the states that one label leads to are one set for all pairs, and what
// follows them is found once; so the search for a run is linear in the transitions of one state.
func TestSetsAreVisitedOnce(t *testing.T) {
	const n = 5_000
	for _, o := range []Options{{}, {Hides: func(string) bool { return false }}} {
		d, err := newDisjointUnion(context.Background(), hub(t, n, 0), hub(t, n, n/2), o)
		if err != nil {
			t.Fatal(err)
		}
		if err := d.buildUnion(context.Background()); err != nil {
			t.Fatal(err)
		}
		p := &pairSearch{g: d.union, hides: o.Hides != nil, tau: lts.Label(d.union.Alphabet().Len()), work: work{context.Background(), 20 * n}}
		run, err := p.distinguishingRun(context.Background(), d.old.Initial(), d.latest.Initial()+d.latest.offset)
		if err != nil || run == nil || run.Label != "NEW" || len(run.Run) != 1 {
			t.Errorf("%+v, %v", run, err)
		}
		if len(p.sets) > 4 {
			t.Errorf("%d sets", len(p.sets))
		}
	}
}

// TestSinglePairsAreLookedUp: where each run ends in one state of each version, a pair that was
// visited is looked up, however many pairs its state is in.
func TestSinglePairsAreLookedUp(t *testing.T) {
	const n = 40
	var arcs []Arc
	for s := range lts.State(n * n) {
		arcs = append(arcs, Arc{s, "X", s/n*n + (s+1)%n}, Arc{s, "Y", (s + n) % (n * n)})
	}
	old := modelOf(t, 0, n*n, arcs)
	changed := slices.Clone(arcs)
	at := 2 * (n/2*n + n/2)
	changed[at].To = arcs[at+1].To
	changed[at+1].To = arcs[at].To
	d, err := newDisjointUnion(context.Background(), old, modelOf(t, 0, n*n, changed), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.buildUnion(context.Background()); err != nil {
		t.Fatal(err)
	}
	p := &pairSearch{g: d.union, work: work{context.Background(), defaultLimit}}
	run, err := p.distinguishingRun(context.Background(), d.old.Initial(), d.latest.Initial()+d.latest.offset)
	if err != nil || run != nil {
		t.Fatalf("%+v, %v", run, err)
	}
	if len(p.visited) > 0 || len(p.singles) < n*n {
		t.Errorf("%d lists of sets, %d pairs of single states", len(p.visited), len(p.singles))
	}
}
