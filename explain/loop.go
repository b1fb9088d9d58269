package explain

import (
	"context"
	"slices"

	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// diagnoseLoop finds the kind of a run with a loop on which the property is not lost.
func (d diagnosis) diagnoseLoop(ctx context.Context) error {
	w, recurring, err := d.pendingLabels(ctx)
	if err != nil {
		return err
	}
	if w == nil {
		return d.recordRecurring(ctx, recurring)
	}
	possible, err := d.recordPossible(ctx, w)
	if err != nil {
		return err
	}
	onLoop := d.finalPropertyStates()
	labelsInFirst := w.labels(onLoop[:1])
	waitsForOthers := func(q property.Q) bool {
		return !slices.Equal(w.labels([]property.Q{q}), labelsInFirst)
	}
	d.Alike = !slices.ContainsFunc(onLoop[1:], waitsForOthers)
	if d.PossibleIn > 0 {
		d.Kind = KindStarved
		d.recordLoopSteps(func(at visit) bool { return possible.has(at.State) })
		return d.setPending(ctx, w)
	}
	way, err := d.findWay(ctx, w)
	if err != nil {
		return err
	}
	if way == nil && recurring != 0 {
		d.Of = 0 // recordPossible has counted, but its count has no meaning for this kind
		return d.recordRecurring(ctx, recurring)
	}
	d.Kind = KindTurnedBack
	if way != nil {
		d.Way = way.Transitions
		d.Distance = len(way.Transitions)
		d.Instead = &way.Step
	}
	return d.setPending(ctx, w)
}

// recordPossible records the number of product states of the loop where something that w waits for
// is possible, and the labels that the run takes there. It returns these product states.
func (d diagnosis) recordPossible(ctx context.Context, w *waiting) (*productSet, error) {
	visited, err := newProductSet(ctx, d.a.m, d.a.Property)
	if err != nil {
		return nil, err
	}
	possible, err := newProductSet(ctx, d.a.m, d.a.Property)
	if err != nil {
		return nil, err
	}
	taken := bitset.New[lts.Label](d.a.m.Alphabet().Len())
	for _, place := range d.loop {
		if visited.add(place.State) {
			d.Of++
			labels, _ := d.a.m.Out(place.State.State)
			if labels.Any(func(l lts.Label) bool { return w.helps(place.Q, l) }) {
				possible.add(place.State)
				d.PossibleIn++
			}
		}
		l := d.trace.Step(place.step).Label
		if !taken.Has(l) && possible.has(place.State) {
			taken.Add(l)
			d.Taken = append(d.Taken, d.a.text(l))
		}
	}
	return possible, nil
}

// recordRecurring records the labels of the loop that would have to stop: those of transitions with
// one of the colours, or all labels if there are no colours. It also records the values that
// decide.
func (d diagnosis) recordRecurring(ctx context.Context, colours property.Marks) error {
	d.Kind = KindRecurs
	described := bitset.New[lts.Label](d.a.m.Alphabet().Len())
	hasColour := func(at visit) bool {
		return colours == 0 || d.a.Property.Marks(at.Q, d.trace.Step(at.step).Label)&colours != 0
	}
	for _, at := range d.loop {
		l := d.trace.Step(at.step).Label
		if hasColour(at) && !described.Has(l) {
			described.Add(l)
			d.Recurring = append(d.Recurring, d.a.text(l))
		}
	}
	d.recordLoopSteps(hasColour)
	return d.recordRecurringValues(ctx)
}

// wayNode is a product state that the search for a way has reached, with the label of the
// transition to it.
type wayNode struct {
	at    product.State
	label lts.Label
	// parent is the index of the previous node. For the first node of a path, it is -1 minus the
	// index of its product state in the loop.
	parent int32
}

// isFirst reports whether a path begins with the node.
func (n wayNode) isFirst() bool { return n.parent < 0 }

// indexInLoop returns the index of the product state of a first node in the loop.
func (n wayNode) indexInLoop() int32 { return -1 - n.parent }

// findWay returns a shortest path from the loop whose last transition is one for which w waits; nil if
// there is no such path. Cost O(S + T) of the states reached, times the property states.
func (d diagnosis) findWay(ctx context.Context, w *waiting) (*Way, error) {
	visited, err := newProductSet(ctx, d.a.m, d.a.Property)
	if err != nil {
		return nil, err
	}
	var open []wayNode
	for i, at := range d.loop {
		if visited.add(at.State) {
			open = append(open, wayNode{at: at.State, parent: int32(-1 - i)})
		}
	}
	for i := 0; i < len(open); i++ {
		const checkInterval = 1 << 12
		if i%checkInterval == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if err := resources.AskFor[wayNode](ctx, 4*len(open)); err != nil {
				return nil, err
			}
		}
		n := open[i]
		labels, targets := d.a.m.Out(n.at.State)
		for k, to := range targets {
			l := labels.At(k)
			if w.helps(n.at.Q, l) {
				last := PathStep{From: n.at.State, Label: d.a.text(l), To: to}
				return d.wayAlong(open, n, last), nil
			}
			next := product.State{State: to, Q: d.a.Property.Next(n.at.Q, l)}
			if visited.add(next) {
				open = append(open, wayNode{
					at:     next,
					label:  l,
					parent: int32(i),
				})
			}
		}
	}
	return nil, nil
}

// wayAlong returns the way that leads to node n and then takes the step last.
func (d diagnosis) wayAlong(nodes []wayNode, n wayNode, last PathStep) *Way {
	path := []PathStep{last}
	for !n.isFirst() {
		before := nodes[n.parent]
		path = append(path, PathStep{
			From:  before.at.State,
			Label: d.a.text(n.label),
			To:    n.at.State,
		})
		n = before
	}
	slices.Reverse(path)
	return &Way{Step: StepIndex(d.loop[n.indexInLoop()].step), Transitions: path}
}
