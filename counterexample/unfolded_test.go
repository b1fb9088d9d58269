package counterexample_test

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

func unfolded(t interface{ Fatal(...any) }, m *lts.LTS, p *property.Chain) *product.Unfolding {
	u, err := product.Unfold(context.Background(), m, p.Property())
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestEveryStateHasOneProgress(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := randomlts.Generator(randomlts.Small()).Draw(t, "model")
		p := bind(t, c.Model, c.Formula)
		o, err := oracle.New(c.Model, c.Steps)
		if err != nil {
			t.Fatal(err)
		}
		u := unfolded(t, c.Model, p)
		e := enriched(t, u.LTS(), p)
		if u.LTS().Reachable().NumStates() != u.LTS().NumStates() {
			t.Fatal("the unfolded model has unreachable states")
		}
		for i := range u.LTS().NumStates() {
			s := lts.State(i)
			place := u.At(s)
			if e.MP(s) != int(place.Q) || e.CP(s) != int(place.Q) {
				t.Fatalf("state %v: mp %d, cp %d", place, e.MP(s), e.CP(s))
			}
			if e.MS(s) != o.MS(place.State) || e.CS(s) != o.CS(place.State) {
				t.Fatalf("state %v: ms %d, cs %d; in the model %d, %d", place, e.MS(s), e.CS(s), o.MS(place.State), o.CS(place.State))
			}
			if found, ok := u.Find(place); !ok || found != s {
				t.Fatalf("Find(%v) = %d, %v", place, found, ok)
			}
			labels, targets := u.LTS().Out(s)
			modelLabels, modelTargets := c.Model.Out(place.State)
			if labels.Len() != modelLabels.Len() {
				t.Fatalf("state %v has %d transitions, want %d", place, labels.Len(), modelLabels.Len())
			}
			for j := range labels.Len() {
				l := labels.At(j)
				want := product.State{State: modelTargets[j], Q: property.Q(p.Advance(int(place.Q), l))}
				if l != modelLabels.At(j) || u.At(targets[j]) != want {
					t.Fatalf("transition %d of %v leads to %v, want %v", j, place, u.At(targets[j]), want)
				}
			}
		}
	})
}

func TestRunIsARunOfTheUnfoldedModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := randomlts.Generator(randomlts.Small()).Draw(t, "model")
		p := bind(t, c.Model, c.Formula)
		found, err := counterexample.Shortest(context.Background(), c.Model, p.Property(), counterexample.Options{})
		if err != nil || found.Trace == nil {
			return
		}
		trace := found.Trace
		loop, _ := trace.LoopStart()
		u := unfolded(t, c.Model, p)
		steps, start := u.Run(trace.Steps(), loop)
		lifted, err := counterexample.NewViolating(u.LTS(), p.Property(), steps, start)
		if err != nil {
			t.Fatalf("lifted run: %v", err)
		}
		if lifted.Kind() != trace.Kind() || lifted.Len() < trace.Len() {
			t.Fatalf("%v of length %d was lifted to %v of length %d", trace.Kind(), trace.Len(), lifted.Kind(), lifted.Len())
		}
	})
}

// The self-loop that is a counterexample of length 1 closes only on its second
// round where the first one makes progress.
func TestRunGoesRoundUntilTheLoopCloses(t *testing.T) {
	var b lts.Builder
	a := b.Label("A")
	b.Add(0, a, 0)
	m, err := b.Build(0, 1)
	if err != nil {
		t.Fatal(err)
	}
	u := unfolded(t, m, bind(t, m, "Inev(A, B)"))
	steps, loop := u.Run([]lts.Transition{{From: 0, Label: a, To: 0}}, 0)
	if len(steps) != 2 || loop != 1 || u.At(steps[1].To).String() != "0·1" {
		t.Fatalf("lifted to %v with the loop at %d", steps, loop)
	}
}

// What a state's one class hides: it is reached before and after A.
func TestNeighbourhoodsThatFoldingHides(t *testing.T) {
	var b lts.Builder
	a, x, bb := b.Label("A"), b.Label("X"), b.Label("B")
	for _, tr := range []lts.Transition{{From: 0, Label: a, To: 1}, {From: 0, Label: x, To: 1}, {From: 1, Label: bb, To: 2}, {From: 1, Label: x, To: 3}} {
		b.Add(tr.From, tr.Label, tr.To)
	}
	m, err := b.Build(0, 4)
	if err != nil {
		t.Fatal(err)
	}
	p := bind(t, m, "Inev(A, B)")
	states := func(m *lts.LTS) []lts.State {
		n, err := neighbourhood.Classify(context.Background(), fate.OfChain(enriched(t, m, p)), neighbourhood.All)
		if err != nil {
			t.Fatal(err)
		}
		return n.States()
	}
	u := unfolded(t, m, p)
	var names []string
	for _, s := range states(u.LTS()) {
		names = append(names, u.At(s).String())
	}
	if folded := states(m); !slices.Equal(folded, []lts.State{0}) || !slices.Equal(names, []string{"0·0", "1·1"}) {
		t.Fatalf("neighbourhoods %v, unfolded %v", folded, names)
	}
}

func TestUnfoldHonoursContext(t *testing.T) {
	var b lts.Builder
	b.Add(0, b.Label("A"), 0)
	m, err := b.Build(0, 1)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := product.Unfold(ctx, m, bind(t, m, "Inev(A)").Property()); err != context.Canceled {
		t.Fatalf("error %v", err)
	}
}
