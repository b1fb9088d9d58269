package counterexample

import (
	"context"

	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
)

// fatedCut returns the first run to a cut from which no continuation satisfies
// the property any more; false if there is none.
func (y *matching) fatedCut(e *enrich.Enriched) (run int, ok bool) {
	for i, at := range y.runs.nodes.All() {
		if y.isCut(at.state) && int(at.progress)+e.MS(y.joints[at.state].state) < y.p.Len() {
			return i, true
		}
	}
	return 0, false
}

// complete returns a shortest counterexample that begins with these steps, after
// which no continuation satisfies the property. It is the shortest one of the
// model that begin returns: whichever loop is closed there, the property is
// violated. Cost O(S + T), and that of [Shortest].
func complete(ctx context.Context, e *enrich.Enriched, steps []lts.Transition) (*Trace, error) {
	m := e.LTS()
	g, err := begin(m, steps)
	if err != nil {
		return nil, err
	}
	c, err := scc.Find(ctx, g, "")
	if err != nil {
		return nil, err
	}
	r, err := search(ctx, g, e.Property(), Options{Components: c})
	if err != nil {
		return nil, err
	}
	loop, _ := r.Trace.LoopStart()
	return NewViolating(m, e.Property().Property(), ofBeginning(m, r.Trace.Steps(), steps), loop)
}

// ofBeginning returns steps of what [begin] made of m as those of m.
func ofBeginning(m *lts.LTS, whole, steps []lts.Transition) []lts.Transition {
	original := func(s lts.State) lts.State {
		if k := int(s) - m.NumStates(); k >= 0 {
			return steps[k].From
		}
		return s
	}
	for i, step := range whole {
		whole[i] = lts.Transition{From: original(step.From), Label: step.Label, To: original(step.To)}
	}
	return whole
}

// begin returns m with these steps in the place of its beginning: they become a
// path through copies of their states (behind the states of m, in order) that has
// no other way on, up to their last state, which is the one of m. Transitions to a
// state that has a copy lead to the copy, and so close a loop. Labels keep their
// numbers. Cost O(S + T).
func begin(m *lts.LTS, steps []lts.Transition) (*lts.LTS, error) {
	states := lts.State(m.NumStates())
	initial := m.Initial()
	copies := map[lts.State]lts.State{}
	for k, step := range steps {
		copies[step.From] = states + lts.State(k)
		initial = states
	}
	var b lts.Builder
	b.Over(m.Alphabet())
	b.Grow(m.NumTransitions() + len(steps))
	for s := range states {
		labels, targets := m.Out(s)
		for i, to := range targets {
			if c, ok := copies[to]; ok {
				to = c
			}
			b.Add(s, labels.At(i), to)
		}
	}
	for k, step := range steps {
		to := states + lts.State(k+1)
		if k == len(steps)-1 {
			to = step.To
		}
		b.Add(states+lts.State(k), step.Label, to)
	}
	return b.Build(initial, m.NumStates()+len(steps))
}
