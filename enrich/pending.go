package enrich

import (
	"context"
	"iter"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
)

// Pending lists where a run can stay forever and never do a step of the property
// that it still needs. An entry is a cyclic component with such a step; its part
// are the states of the component that a run can reach before it has done the
// step. Every cycle in a part that avoids the step violates the property, and the
// transitions that a violating run takes infinitely often lie in one part and
// avoid its step.
type Pending struct {
	e *Enriched
	// in[k] is the component of part k, and step[k] its step.
	in   []scc.Component
	step []uint32
	size int64
}

// Pending returns the list. It fails if ctx is done. Cost O(S + T), and O(n) for each
// cyclic component and each label of a step inside it; 8 bytes for each of its parts.
func (e *Enriched) Pending(ctx context.Context) (_ *Pending, err error) {
	defer abort.Caught(&err)
	x := newPass(ctx, e)
	p := &Pending{e: e}
	for i := range scc.Component(e.components.Len()) {
		if e.components.IsCyclic(i) {
			p.addParts(x, i)
		}
		x.count(1)
	}
	return p, nil
}

// addParts adds the parts of a cyclic component. Every run to the component has done at least the steps
// of its states' smallest common prefix. The last step without a label inside the component hides
// nothing, so the parts of the steps before it are left out.
func (p *Pending) addParts(x *pass, i scc.Component) {
	states := p.e.components.States(i)
	x.stepsInside(states)
	n := p.e.property.Len()
	least := n
	size := int64(0) // the number of the component's states and of their transitions
	for _, s := range states {
		labels, _ := p.e.LTS().Out(s)
		least = min(least, p.e.CP(s))
		size += 1 + int64(labels.Len())
	}
	first := n
	for first > least && x.present[first] {
		first--
	}
	for step := max(first, least+1); step <= n; step++ {
		p.in = append(p.in, i)
		p.step = append(p.step, uint32(step))
		p.size += size
	}
}

// Size returns the number of states of the components of all parts, and of
// transitions that leave them: an upper limit of what a pass over the parts
// reads. Cost O(1).
func (p *Pending) Size() int64 { return p.size }

// Steps yields the steps of the parts that contain a state, ascending. Cost O(log
// parts), and O(1) for each of them.
func (p *Pending) Steps(s lts.State) iter.Seq[int] {
	return func(yield func(int) bool) {
		component, _ := p.e.components.Of(s)
		first, _ := slices.BinarySearch(p.in, component)
		for k := first; k < len(p.in) && p.in[k] == component; k++ {
			if p.e.CP(s) < int(p.step[k]) && !yield(int(p.step[k])) {
				return
			}
		}
	}
}

// Part is an entry of a [Pending]: a cyclic component, a step, and the states of the component that
// a run can reach before it has done the step.
type Part struct {
	Component scc.Component
	States    []lts.State // must not be changed
	Step      int         // from 1
}

// All yields the parts, components ascending and steps ascending. Cost O(1) for
// each state of each part.
func (p *Pending) All(yield func(Part) bool) {
	for k := range p.in {
		if !yield(p.part(k)) {
			return
		}
	}
}

// Backward is [Pending.All] in the opposite order: the last steps come first,
// because most violating runs leave out one of these.
func (p *Pending) Backward(yield func(Part) bool) {
	for k := range slices.Backward(p.in) {
		if !yield(p.part(k)) {
			return
		}
	}
}

func (p *Pending) part(k int) Part {
	return Part{
		Component: p.in[k],
		States:    p.states(k),
		Step:      int(p.step[k]),
	}
}

// states returns the states of a part: those that a run can reach before it has
// done the part's step.
func (p *Pending) states(k int) []lts.State {
	all := p.e.components.States(p.in[k])
	isBeforeStep := func(s lts.State) bool { return p.e.CP(s) < int(p.step[k]) }
	// A list that grew would be copied several times: a part can have all states.
	n := 0
	for _, s := range all {
		if isBeforeStep(s) {
			n++
		}
	}
	if n == len(all) {
		return all
	}
	before := make([]lts.State, 0, n)
	for _, s := range all {
		if isBeforeStep(s) {
			before = append(before, s)
		}
	}
	return before
}
