package counterexample

import (
	"context"
	"fmt"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/keyed"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// containing searches for a shortest counterexample among those that do the steps of pattern in this
// order, not necessarily contiguous, where a loop counts once (SEFM'18, section 3.4, technique
// (iii)); the result has no trace if there is none. It fails if ctx is done.
//
// The run need not be elementary: it may have to pass a state twice to do the pattern. It searches
// as [Shortest] does, in the model unfolded by the pattern. In that model, a deadlock counts only
// if the pattern is complete, and a loop leads from a state with any progress of the pattern to the
// same state with the pattern complete.
//
// Cost as for [Shortest] on a model larger by the number of steps of the pattern.
func (h chainHalf) containing(ctx context.Context, m *lts.LTS, pattern *property.Property, o Options) *Result {
	c := o.modelComponents(ctx, m)
	u := abort.Must(product.Unfold(ctx, m, pattern))
	unfolded := abort.Must(scc.Find(ctx, u.LTS(), "iterative"))
	search := newShortest(ctx, u.LTS(), h.p, Options{Components: unfolded})
	search.goal = &goal{u, c, pattern.Steps()}
	search.run()
	steps, loop, found := search.steps()
	if !found {
		return &Result{}
	}
	return &Result{Trace: violating("the search for a pattern", m, h.p.Property(), lower(u, steps), loop), Minimal: InModel}
}

// modelComponents returns the components of the model; it computes them unless they are known.
func (o *Options) modelComponents(ctx context.Context, m *lts.LTS) *scc.Components {
	if o.Components != nil {
		return o.Components
	}
	return abort.Must(scc.Find(ctx, m, o.Engine))
}

// goal is a pattern that a run must complete; its states are those of the model unfolded by the
// pattern. The nil goal is always complete.
type goal struct {
	unfolding *product.Unfolding
	model     *scc.Components
	steps     int
}

// reached reports whether the pattern is complete in s.
func (g *goal) reached(s lts.State) bool {
	return g == nil || int(g.unfolding.At(s).Q) == g.steps
}

// closing returns the state where a loop that begins in s must end: the same state of the model
// with the pattern complete; false if there is none.
func (g *goal) closing(s lts.State) (lts.State, bool) {
	if g == nil {
		return s, true
	}
	return g.unfolding.Find(product.State{State: g.unfolding.At(s).State, Q: property.Q(g.steps)})
}

// same reports whether a loop through s can pass t.
func (g *goal) same(s, t lts.State) bool {
	return g.model.Same(g.unfolding.At(s).State, g.unfolding.At(t).State)
}

// containing searches for a run of m that violates a property other than a chain, and does the steps
// of pattern in this order, not necessarily contiguous; the result has no trace if there is none.
// It uses [inProduct] to search for a violation of "p, or not the pattern": its loop closes with
// the pattern complete, so a shorter run may do part of the pattern in the first round of its loop.
// Errors, options and cost as for inProduct, for an automaton larger by the number of steps of the
// pattern.
func (h tableHalf) containing(ctx context.Context, m *lts.LTS, pattern *property.Property, o Options) *Result {
	o.Fates = nil
	r := &Result{}
	inProduct(ctx, m, unless(h.p, pattern), o, r)
	if r.Trace != nil {
		r.Minimal = MinimalUnknown
		r.Trace = violating("the search for a pattern", m, h.p, r.Trace.steps, r.Trace.loop)
	}
	return r
}

// spareColour returns a colour that the condition of p does not mention.
func spareColour(p *property.Property, purpose string) int {
	used, _ := p.Acceptance().Colours()
	c := 0
	for used.Has(c) {
		if c++; c == property.Colours {
			abort.On(fmt.Errorf("counterexample: %s has %d colours, which leaves none for %s", p, property.Colours, purpose))
		}
	}
	return c
}

// unless returns the property that p holds, or the pattern is never complete.
func unless(p *property.Property, pattern *property.Property) *property.Property {
	done := spareColour(p, "a pattern")
	first, second := p.Automaton(), pattern.Automaton()
	n := pattern.Steps()
	t := property.Automaton{Letters: make([]uint16, p.Alphabet().Len()), Acceptance: property.Any(first.Acceptance, property.Fin(done)), Name: first.Name}
	type both struct{ first, second uint16 }
	var letters keyed.List[both, both]
	for l := range t.Letters {
		key := both{first.Letters[l], second.Letters[l]}
		t.Letters[l] = uint16(letters.Index(key, key))
		if len(letters.All) > 1<<16 {
			abort.On(fmt.Errorf("counterexample: %s and the pattern tell more than %d classes of labels apart", p, 1<<16))
		}
	}
	t.Columns = len(letters.All)
	t.Initial = first.Initial * property.Q(n+1)
	for q := range property.Q(first.States()) {
		for j := range property.Q(n + 1) {
			t.Stop = append(t.Stop, first.Stop[q] || int(j) < n)
			for _, l := range letters.All {
				a, b := int(q)*first.Columns+int(l.first), int(j)*second.Columns+int(l.second)
				marks := property.Marks(0)
				if first.Marks != nil {
					marks = first.Marks[a] &^ property.Mark(done)
				}
				if int(second.Next[b]) == n {
					marks |= property.Mark(done)
				}
				t.Next = append(t.Next, first.Next[a]*property.Q(n+1)+second.Next[b])
				t.Marks = append(t.Marks, marks)
			}
		}
	}
	return abort.Must(property.Table(p.Alphabet(), t))
}
