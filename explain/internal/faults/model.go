package faults

import (
	"context"
	"iter"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property/product"
)

// FewFaults is a model whose violating runs stand for violating runs of another model with the
// fewest faults. A shortest one of these is among them.
type FewFaults struct {
	Model *lts.LTS
	u     *product.Unfolding
	of    []lts.State // the product state that each state stands for
}

// Run returns the transitions of the other model that a run stands for. Cost O(its length).
func (f *FewFaults) Run(steps []lts.Transition) []lts.Transition {
	run := make([]lts.Transition, len(steps))
	for i, t := range steps {
		run[i] = lts.Transition{From: f.u.At(f.of[t.From]).State, Label: t.Label, To: f.u.At(f.of[t.To]).State}
	}
	return run
}

// WithFewFaults returns the part of the product that violating runs with the given number of
// faults, the fewest possible, pass: the product states that need that many, the transitions
// between them that are no faults, and one path to each, a shortest one of those with the fewest
// faults; so no counter is needed. Cost O(size of the product), which is unfolded.
func WithFewFaults(ctx context.Context, fates *fate.Map, isFault func(lts.Label) bool, faults int) (_ *FewFaults, err error) {
	defer abort.Caught(&err)
	x := newFaultSearch(ctx, fates, isFault)
	w := x.waysTo(faults)
	w.leaveOutEnds()
	return w.model(), nil
}

// ways are shortest paths among those with the fewest faults, to the product states that take the
// most faults.
type ways struct {
	*faultSearch
	canAccept bitset.Set[lts.State]
	// visited are the product states visited, noted the visited product states that a fault has
	// reached.
	visited, noted bitset.Set[lts.State]
	// before is, for each product state, the previous product state on its path, by the label of
	// the transition between the two.
	before []lts.State
	by     []lts.Label
	// last are the product states that take the most faults, in the order of their distances.
	last []lts.State
	in   bitset.Set[lts.State] // the members of last that remain
}

// distant is a product state with its distance.
type distant struct {
	state    lts.State
	distance int
}

func (x *faultSearch) waysTo(faults int) *ways {
	n := x.m.NumStates()
	abort.On(resources.Ask(x.ctx, 20*int64(n)))
	canAccept := satisfiable(x.ctx, x.u.Property())
	w := &ways{faultSearch: x, before: make([]lts.State, n), by: make([]lts.Label, n)}
	w.canAccept, w.in = bitset.New[lts.State](n), bitset.New[lts.State](n)
	w.visited, w.noted = bitset.New[lts.State](n), bitset.New[lts.State](n)
	for s := range lts.State(n) {
		if canAccept(x.u.At(s).Q) {
			w.canAccept.Add(s)
		}
	}
	start := x.m.Initial()
	now, later := []distant{{start, 0}}, []distant(nil)
	w.before[start] = start
	for count := 0; count <= faults; count++ {
		later = w.spread(now, count == faults)
		now = later
	}
	return w
}

// spread visits product states, in the order of distances, by transitions that are no faults. It
// returns the product states after faults; with last, it adds the visited ones to w.last.
func (w *ways) spread(from []distant, last bool) (later []distant) {
	var line []distant
	for i := 0; i < len(line) || len(from) > 0; {
		// A product state after a fault comes before those in the queue at the same distance.
		near := 0
		if i < len(line) {
			near = line[i].distance + 1
		} else {
			near = from[0].distance
		}
		for len(from) > 0 && from[0].distance <= near {
			if !w.visited.Has(from[0].state) {
				w.visited.Add(from[0].state)
				line = append(line, from[0])
			}
			from = from[1:]
		}
		if i == len(line) {
			continue
		}
		at := line[i]
		i++
		abort.IfDone(w.ctx, i)
		if last {
			w.last = append(w.last, at.state)
		}
		labels, targets := w.m.Out(at.state)
		for j, t := range targets {
			if w.visited.Has(t) || !w.admits(t) {
				continue
			}
			l := labels.At(j)
			if w.counts(at.state, l) {
				// The first path to t has the least distance.
				if !last && !w.noted.Has(t) {
					w.noted.Add(t)
					later = append(later, distant{t, at.distance + 1})
					w.before[t], w.by[t] = at.state, l
				}
				continue
			}
			w.visited.Add(t)
			w.before[t], w.by[t] = at.state, l
			line = append(line, distant{t, at.distance + 1})
		}
	}
	return later
}

// counts reports whether a transition is a fault that counts: after a bad prefix, no fault counts.
func (w *ways) counts(from lts.State, l lts.Label) bool {
	return w.isFault(l) && w.canAccept.Has(from)
}

// leaveOutEnds removes those product states of last from where every path needs a further fault:
// they would be deadlocks.
func (w *ways) leaveOutEnds() {
	abort.On(w.m.FindPredecessors(w.ctx))
	for _, s := range w.last {
		w.in.Add(s)
	}
	left := abort.Must(resources.Make[uint32](w.ctx, w.m.NumStates()))
	var ends []lts.State
	for i, s := range w.last {
		abort.IfDone(w.ctx, i)
		for range w.onward(s) {
			left[s]++
		}
		if left[s] == 0 && !w.m.IsDeadlock(s) {
			ends = append(ends, s)
		}
	}
	before := w.m.Predecessors()
	for looks := 0; len(ends) > 0; looks++ {
		abort.IfDone(w.ctx, looks)
		t := ends[len(ends)-1]
		ends = ends[:len(ends)-1]
		w.in.Remove(t)
		labels, sources := before.In(t)
		for j, s := range sources {
			if !w.in.Has(s) || w.counts(s, labels.At(j)) {
				continue
			}
			if left[s]--; left[s] == 0 {
				ends = append(ends, s)
			}
		}
	}
}

// onward yields the transitions from a product state of last to remaining product states of last.
func (w *ways) onward(s lts.State) iter.Seq[lts.Transition] {
	return func(yield func(lts.Transition) bool) {
		labels, targets := w.m.Out(s)
		for j, t := range targets {
			l := labels.At(j)
			if w.in.Has(t) && !w.counts(s, l) && !yield(lts.Transition{From: s, Label: l, To: t}) {
				return
			}
		}
	}
}

// model returns the model of the remaining product states of last, and of the paths to them.
func (w *ways) model() *FewFaults {
	number := abort.Must(resources.Make[lts.State](w.ctx, w.m.NumStates()))
	f := &FewFaults{u: w.u}
	var b lts.Builder
	b.Over(w.m.Alphabet())
	numbered := bitset.New[lts.State](w.m.NumStates())
	of := func(s lts.State) lts.State {
		if !numbered.Has(s) {
			numbered.Add(s)
			number[s] = lts.State(len(f.of))
			f.of = append(f.of, s)
		}
		return number[s]
	}
	start := of(w.m.Initial())
	attached := bitset.New[lts.State](w.m.NumStates())
	attached.Add(w.m.Initial())
	for i, s := range w.last {
		abort.IfDone(w.ctx, i)
		if !w.in.Has(s) {
			continue
		}
		for at := s; !attached.Has(at) && !w.in.Has(w.before[at]); at = w.before[at] {
			attached.Add(at)
			b.Add(of(w.before[at]), w.by[at], of(at))
		}
		from := of(s)
		for t := range w.onward(s) {
			b.Add(from, t.Label, of(t.To))
		}
	}
	f.Model = abort.Must(b.Build(start, len(f.of)))
	return f
}
