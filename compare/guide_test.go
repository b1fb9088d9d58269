package compare

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/internal/simplify/quotient"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// searched are the results of a search with guides and of one without.
type searched struct {
	guided, plain *Parting
	isGuided      bool // whether there was an alignment
}

// searchBlocks searches for a distinguishing run in the blocks of two models with guides and without.
func searchBlocks(t testing.TB, old, latest *lts.LTS, o Options) (s searched, spent [2]int64) {
	t.Helper()
	ctx := context.Background()
	d, err := newDisjointUnion(ctx, old, latest, o)
	if err != nil {
		t.Fatal(err)
	}
	d.countLabels()
	if err := d.buildUnion(ctx); err != nil {
		t.Fatal(err)
	}
	d.blocks, err = quotient.New(ctx, d.union, func(l lts.Label) bool { return l != d.rootLabel && d.hides(d.union.Alphabet().Text(l)) })
	if err != nil {
		t.Fatal(err)
	}
	_, aligned, err := editOf(ctx, d)
	if err != nil {
		t.Fatal(err)
	}
	search := func(guided bool) (*Parting, int64) {
		p := d.newBlockSearch(ctx, defaultLimit)
		if guided {
			if err := p.headFor(ctx, aligned, d.block); err != nil {
				t.Fatal(err)
			}
		}
		run, err := p.distinguishingRun(ctx, d.block(Old, d.old.Initial()), d.block(New, d.latest.Initial()))
		if _, err := completed(err); err != nil {
			t.Fatal(err)
		}
		return run, defaultLimit - p.work.left
	}
	s.plain, spent[0] = search(false)
	s.guided = s.plain
	if aligned != nil {
		s.isGuided = true
		s.guided, spent[1] = search(true)
	}
	return s, spent
}

// TestGuidedRunsAreShortest holds searches that head for the changes against all words that the models can do.
func TestGuidedRunsAreShortest(t *testing.T) {
	met := map[string]int{}
	for seed := range randomlts.Share(8_000) {
		old, latest := versions(t, seed)
		for _, o := range []Options{{}, {Hides: func(label string) bool { return label == "i" || label == "A" }}} {
			s, _ := searchBlocks(t, old, latest, o)
			b := &Behaviour{Run: s.guided}
			if err := checkRun(b, words(old, depth, o.hides), words(latest, depth, o.hides)); err != nil {
				t.Fatalf("seed %d, hidden %v: %v\nold %d %v\nnew %d %v", seed, o.Hides != nil, err, old.Initial(), arcsOf(old), latest.Initial(), arcsOf(latest))
			}
			switch {
			case !s.isGuided:
				met["not guided"]++
			case s.guided == nil:
				met["no run"]++
			default:
				met["run"]++
			}
		}
	}
	if met["run"] < int(randomlts.Share(8_000))/4 || met["no run"] == 0 {
		t.Errorf("met %v", met)
	}
}

// edited returns a random model of n states with two labels, some transitions of which are hidden, and a version of it
// with some transitions changed.
func edited(t testing.TB, seed uint64, n, changes int) (old, latest *lts.LTS) {
	r := rand.New(rand.NewPCG(seed, 29))
	label := func() string { return []string{"A", "A", "A", "B", "i"}[r.IntN(5)] }
	state := func() lts.State { return lts.State(r.IntN(n)) }
	var arcs []Arc
	for s := range lts.State(n) {
		arcs = append(arcs, Arc{s, label(), (s + 1) % lts.State(n)}, Arc{s, label(), state()})
	}
	changed := slices.Clone(arcs)
	for range changes {
		x := &changed[r.IntN(len(changed))]
		if r.IntN(2) == 0 {
			x.Label = label()
		} else {
			x.To = state()
		}
	}
	return modelOf(t, 0, n, arcs), modelOf(t, 0, n, changed)
}

// TestGuidedSearchFindsAsMuch: in larger models, a search that heads for the changes finds a run if and only if the search by
// depth does, of the same length and of the same version.
func TestGuidedSearchFindsAsMuch(t *testing.T) {
	runs := 0
	longest := 0
	for seed := range randomlts.Share(1_200) {
		old, latest := edited(t, seed, 12+int(seed%20), 1+int(seed%3))
		for _, o := range []Options{{}, {Hides: func(label string) bool { return label == "i" }}} {
			s, _ := searchBlocks(t, old, latest, o)
			if (s.guided == nil) != (s.plain == nil) {
				t.Fatalf("seed %d: guided %+v, plain %+v", seed, s.guided, s.plain)
			}
			if s.guided == nil {
				continue
			}
			runs++
			longest = max(longest, len(s.guided.Run))
			if len(s.guided.Run) != len(s.plain.Run) || s.guided.Only != s.plain.Only {
				t.Fatalf("seed %d: guided %+v, plain %+v", seed, *s.guided, *s.plain)
			}
		}
	}
	if runs < int(randomlts.Share(1_200)) || longest < 6 {
		t.Errorf("%d runs, at most %d labels", runs, longest)
	}
}

// counters returns the product of three counters modulo n, which step at random labels; the step with a
// given index has another label.
func counters(t testing.TB, n lts.State, changed int, to string) *lts.LTS {
	r := rand.New(rand.NewPCG(1, 1))
	var arcs []Arc
	state := func(a, b, c lts.State) lts.State { return (a%n*n+b%n)*n + c%n }
	for a := range n {
		for b := range n {
			for c := range n {
				for _, next := range []lts.State{state(a+1, b, c), state(a, b+1, c), state(a, b, c+1)} {
					label := []string{"X", "Y"}[r.IntN(2)]
					if len(arcs) == changed {
						label = to
					}
					arcs = append(arcs, Arc{state(a, b, c), label, next})
				}
			}
		}
	}
	return modelOf(t, 0, int(n*n*n), arcs)
}

// TestGuidesHeadForTheChange: where words lead to many states, a search by depth follows all of them, and a search with
// guides only those that lead to the change.
func TestGuidesHeadForTheChange(t *testing.T) {
	const n = 7
	at := 3 * (n*n*4 + n*4 + 3)
	s, spent := searchBlocks(t, counters(t, n, -1, ""), counters(t, n, at, "NEW"), Options{})
	if s.guided == nil || s.plain == nil || s.guided.Label != "NEW" || len(s.guided.Run) != 11 || len(s.plain.Run) != 11 {
		t.Fatalf("%+v", s)
	}
	if spent[1]*4 > spent[0] {
		t.Errorf("%d looks with guides, %d without", spent[1], spent[0])
	}
	// A label that only one version has needs no search at all.
	b, err := Models(t.Context(), counters(t, n, -1, ""), counters(t, n, at, "NEW"), Options{})
	if err != nil || b.Run == nil || len(b.Run.Run) != 11 || !b.Complete {
		t.Errorf("%+v, %v", b, err)
	}
}

// TestSearchKeepsToItsRoom: a search that would keep more than its part of the memory ends as at its limit, and the verdict is
// told.
func TestSearchKeepsToItsRoom(t *testing.T) {
	old, latest := counters(t, 4, -1, ""), counters(t, 4, 102, "Y")
	b, err := Models(resources.NewBudget(resources.Limit{Bytes: 1 << 12}, nil).With(t.Context()), old, latest, Options{})
	if err != nil || b.Alike || b.Complete || b.Run != nil {
		t.Errorf("%+v, %v", b, err)
	}
	b, err = Models(resources.NewBudget(resources.Limit{Bytes: 1 << 30}, nil).With(t.Context()), old, latest, Options{})
	if err != nil || !b.Complete || b.Run == nil {
		t.Errorf("%+v, %v", b, err)
	}
}

// TestLimitFollowsTheModels: the limit is linear in the transitions, up to the largest one; options go before it.
func TestLimitFollowsTheModels(t *testing.T) {
	for transitions, want := range map[int]int64{10: leastLimit, 10_000: searchFactor * 10_000, 10_000_000: defaultLimit} {
		if got := (Options{}).limitFor(transitions); got != want {
			t.Errorf("%d transitions: %d, want %d", transitions, got, want)
		}
		if got := (Options{Limit: 7}).limitFor(transitions); got != 7 {
			t.Errorf("%d transitions: %d, want 7", transitions, got)
		}
	}
}
