package explain

import (
	"context"
	"slices"

	"github.com/inev-lts/inev/internal/paged"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bfs"
	"github.com/inev-lts/inev/lts/bitset"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// way returns a shortest way from some places to, and with, a transition that w waits
// for; false if there is none. Of a way from the loop, Step is the one that the run takes
// where it leaves the loop. Cost O(S + T) of what is met, times the states of the property.
func (d diagnosis) way(w waiting, from []product.Place) (*Way, bool, error) {
	search := d.wayInModel
	if !d.a.inSteps() {
		search = d.wayInProduct
	}
	transitions, at, err := search(w, from)
	if err != nil || transitions == nil {
		return nil, false, err
	}
	way := &Way{}
	if at < len(d.steps) {
		way.Step = StepIndex(d.steps[at])
	}
	for _, t := range transitions {
		way.Transitions = append(way.Transitions, PathStep{t.From, d.a.text(t.Label), t.To})
	}
	return way, true, nil
}

// wayInModel is for chains, on all ways of which the state of the property is the same. It
// returns the transitions, and the number of the place that they leave.
func (d diagnosis) wayInModel(w waiting, from []product.Place) ([]lts.Transition, int, error) {
	states := make([]lts.State, len(from))
	for i, at := range from {
		states[i] = at.State
	}
	var (
		last  lts.Transition
		found bool
	)
	tree, err := bfs.From(d.ctx, d.a.m, states, bfs.Options{
		Along: func(t lts.Transition) bool {
			helps := w.helps(from[0].Q, t.Label)
			if helps && !found {
				last, found = t, true
			}
			return !helps
		},
		Until: func(lts.State) bool { return found },
	})
	if err != nil || !found {
		return nil, 0, err
	}
	way := append(tree.Path(last.From), last)
	return way, slices.Index(states, way[0].From), nil
}

// wayInProduct is for properties without steps.
func (d diagnosis) wayInProduct(w waiting, from []product.Place) ([]lts.Transition, int, error) {
	type node struct {
		at     product.Place
		by     lts.Transition
		parent int
	}
	met, err := d.a.newPlaceSet(d.ctx)
	if err != nil {
		return nil, 0, err
	}
	var open []node
	for i, at := range from {
		if met.add(at) {
			open = append(open, node{at: at, parent: -1 - i})
		}
	}
	for i := 0; i < len(open); i++ {
		if i&(1<<12-1) == 0 {
			if err := d.ctx.Err(); err != nil {
				return nil, 0, err
			}
			if err := resources.AskFor[node](d.ctx, 4*len(open)); err != nil {
				return nil, 0, err
			}
		}
		n := open[i]
		labels, targets := d.a.m.Out(n.at.State)
		for k, to := range targets {
			by := lts.Transition{From: n.at.State, Label: labels.At(k), To: to}
			if w.helps(n.at.Q, by.Label) {
				way := []lts.Transition{by}
				for n.parent >= 0 {
					way = append(way, n.by)
					n = open[n.parent]
				}
				slices.Reverse(way)
				return way, -1 - n.parent, nil
			}
			if next := (product.Place{State: to, Q: d.a.Property.Next(n.at.Q, by.Label)}); met.add(next) {
				open = append(open, node{next, by, i})
			}
		}
	}
	return nil, 0, nil
}

// canHappen reports whether some transition with one of these labels can be taken after a
// state. It goes level by level, since models are often numbered breadth first, and memory is then
// read in order. Cost O(S + T) of what is met, a bit a state, and 4 bytes for each of two levels.
func canHappen(ctx context.Context, m *lts.LTS, is func(lts.Label) bool, from lts.State) (bool, error) {
	some := false
	for l := range m.Alphabet().All() {
		some = some || is(l)
	}
	if !some {
		return false, nil
	}
	if err := resources.AskFor[uint64](ctx, m.NumStates()/64+1); err != nil {
		return false, err
	}
	met := bitset.New[lts.State](m.NumStates())
	met.Add(from)
	now, next := []lts.State{from}, []lts.State(nil)
	for looks := 0; len(now) > 0; now, next = next, now[:0] {
		for _, s := range now {
			if looks++; looks&(1<<12-1) == 1 && ctx.Err() != nil {
				return false, ctx.Err()
			}
			labels, targets := m.Out(s)
			for k, to := range targets {
				if is(labels.At(k)) {
					return true, nil
				}
				if !met.Has(to) {
					met.Add(to)
					next = append(next, to)
				}
			}
		}
	}
	return false, nil
}

// lossOfSteps finds out, without the classes of transitions, where the run is lost: nil if
// it never is. It goes back along the run and on from there; what was lost from one place
// is so from those before. Cost O(n (S + T)) of what is met, 4 bytes a state.
func (v violation) lossOfSteps(ctx context.Context) (*Loss, error) {
	t, p := v.trace, v.a.Property
	if missing := v.told.Done + 1; !v.does(missing) {
		return &Loss{Steps: 0, Step: missing}, nil
	}
	f := &furthest{ctx: ctx, m: v.a.m, p: p}
	if err := f.begin(); err != nil {
		return nil, err
	}
	for i := t.Len(); i >= 0; i-- {
		at, progress := t.Initial(), t.Progress(i)
		if i > 0 {
			at = t.Step(i - 1).To
		}
		if i == t.Len() {
			progress = v.told.Done
		}
		before := f.reached
		if err := f.from(at, progress); err != nil {
			return nil, err
		}
		if f.reached < p.Steps() {
			continue
		}
		if i == t.Len() {
			return nil, nil
		}
		return &Loss{Steps: i + 1, Step: before + 1}, nil
	}
	return &Loss{Steps: 0, Step: f.reached + 1}, nil
}

// does reports whether some label does a step.
func (v violation) does(step int) bool {
	for l := range v.a.m.Alphabet().All() {
		if v.a.Property.Does(l, step) {
			return true
		}
	}
	return false
}

// furthest is a search for the largest progress that continuations make, from several
// places one after the other.
type furthest struct {
	ctx context.Context
	m   *lts.LTS
	p   *property.Property
	// most is one more than the largest progress with which a state was met.
	most    []uint32
	reached int
	// admits says where runs that count go; nil for everywhere.
	admits func(lts.State, property.Q) bool
}

func (f *furthest) begin() (err error) {
	f.most, err = resources.Make[uint32](f.ctx, f.m.NumStates())
	return err
}

// from goes on from a state, and ends early once all steps are done. A state is looked at
// again only with more progress than before.
func (f *furthest) from(s lts.State, progress int) error {
	type node struct {
		state    lts.State
		progress int
	}
	if uint32(progress) < f.most[s] {
		return nil
	}
	f.most[s] = uint32(progress) + 1
	// First in, first out: files number states about as they are found, so memory is read in order.
	var open, next paged.List[node]
	next.Append(node{s, progress})
	work := 0
	for next.Len() > 0 {
		open, next = next, open
		next.Truncate(0)
		for i := range open.Len() {
			if work++; work&(1<<12-1) == 0 && f.ctx.Err() != nil {
				return f.ctx.Err()
			}
			at := *open.At(i)
			if f.reached = max(f.reached, at.progress); f.reached == f.p.Steps() {
				return nil
			}
			labels, targets := f.m.Out(at.state)
			for i, to := range targets {
				after := f.p.Next(property.Q(at.progress), labels.At(i))
				if uint32(after) >= f.most[to] && (f.admits == nil || f.admits(to, after)) {
					f.most[to] = uint32(after) + 1
					next.Append(node{to, int(after)})
				}
			}
		}
	}
	return nil
}
