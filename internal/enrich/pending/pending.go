// Package pending finds where a run can stay forever while a step of a chain is
// still to be done. The transitions that a violating run takes infinitely often
// lie in one part, and avoid its step.
package pending

import (
	"context"
	"iter"
	"slices"

	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/internal/cores"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
)

// List has where a run can stay forever and never do a step of the property
// that it still needs. An entry is a cyclic component with such a step; its part
// are the states of the component that a run can reach before it has done the
// step. Every cycle in a part that avoids the step violates the property, and the
// transitions that a violating run takes infinitely often lie in one part and
// avoid its step.
type List struct {
	e *enrich.Enriched
	// in[k] is the component of part k, and step[k] its step.
	in   []scc.Component
	step []uint32
	size int64
}

// Find returns the list. It fails if ctx is done. Cost O(S + T), and O(n) for each
// cyclic component and each label of a step inside it; 8 bytes for each of its parts.
func Find(ctx context.Context, e *enrich.Enriched) (*List, error) {
	p := &List{e: e}
	inside := newStepsInside(e)
	components := e.Components()
	for i := range scc.Component(components.Len()) {
		if err := cores.Done(ctx, i); err != nil {
			return nil, err
		}
		if components.IsCyclic(i) {
			p.addParts(i, inside.find(components.States(i)))
		}
	}
	return p, nil
}

// addParts adds the parts of a cyclic component; isPresent[k] reports whether a transition inside it
// does step k.
//
// The steps up to the smallest common prefix of the component's states have no part, since every run to
// the component has done them. If no transition inside the component does some step, every cycle in the
// part of that step violates the property. The parts of earlier steps are contained in it, and are left
// out.
func (p *List) addParts(i scc.Component, isPresent []bool) {
	n := len(isPresent) - 1
	done := n        // the smallest common prefix
	size := int64(0) // the number of the component's states and of their transitions
	for _, s := range p.e.Components().States(i) {
		labels, _ := p.e.LTS().Out(s)
		done = min(done, p.e.CP(s))
		size += 1 + int64(labels.Len())
	}
	lastAbsent := n
	for lastAbsent > done && isPresent[lastAbsent] {
		lastAbsent--
	}
	for step := max(lastAbsent, done+1); step <= n; step++ {
		p.in = append(p.in, i)
		p.step = append(p.step, uint32(step))
		p.size += size
	}
}

// Size returns the number of states of the components of all parts, and of
// transitions that leave them: an upper limit of what a pass over the parts
// reads. Cost O(1).
func (p *List) Size() int64 { return p.size }

// Steps yields the steps of the parts that contain a state, ascending. Cost O(log
// parts), and O(1) for each of them.
func (p *List) Steps(s lts.State) iter.Seq[int] {
	return func(yield func(int) bool) {
		component, _ := p.e.Components().Of(s)
		first, _ := slices.BinarySearch(p.in, component)
		for k := first; k < len(p.in) && p.in[k] == component; k++ {
			if p.e.CP(s) < int(p.step[k]) && !yield(int(p.step[k])) {
				return
			}
		}
	}
}

// Part is an entry of a [List]: a cyclic component, a step, and the states of the component that
// a run can reach before it has done the step.
type Part struct {
	Component scc.Component
	States    []lts.State // must not be changed
	Step      int         // from 1
}

// All yields the parts, components ascending and steps ascending. Cost O(1) for
// each state of each part.
func (p *List) All(yield func(Part) bool) {
	for k := range p.in {
		if !yield(p.part(k)) {
			return
		}
	}
}

// Backward is [List.All] in the opposite order: the last steps come first,
// because most violating runs leave out one of these.
func (p *List) Backward(yield func(Part) bool) {
	for k := range slices.Backward(p.in) {
		if !yield(p.part(k)) {
			return
		}
	}
}

func (p *List) part(k int) Part {
	return Part{
		Component: p.in[k],
		States:    p.states(k),
		Step:      int(p.step[k]),
	}
}

// states returns the states of a part: those that a run can reach before it has
// done the part's step.
func (p *List) states(k int) []lts.State {
	ofComponent := p.e.Components().States(p.in[k])
	isBeforeStep := func(s lts.State) bool { return p.e.CP(s) < int(p.step[k]) }
	// A list that grew would be copied several times: a part can have ofComponent states.
	n := 0
	for _, s := range ofComponent {
		if isBeforeStep(s) {
			n++
		}
	}
	if n == len(ofComponent) {
		return ofComponent
	}
	waiting := make([]lts.State, 0, n)
	for _, s := range ofComponent {
		if isBeforeStep(s) {
			waiting = append(waiting, s)
		}
	}
	return waiting
}

// stepsInside finds out which steps are done inside a component.
type stepsInside struct {
	m *lts.LTS
	c *scc.Components
	p *property.Chain
	// isPresent[k] reports whether a transition inside the present component does step k.
	isPresent []bool
	// calls is the number of calls of find so far, and lastCall[l] the number of the last call that
	// found label l inside its component.
	calls    uint32
	lastCall []uint32
}

func newStepsInside(e *enrich.Enriched) *stepsInside {
	return &stepsInside{
		m:         e.LTS(),
		c:         e.Components(),
		p:         e.Property(),
		isPresent: make([]bool, e.Property().Len()+1),
		lastCall:  make([]uint32, e.LTS().Alphabet().Len()),
	}
}

// find returns for each step whether a transition between these states, which are a component, does it.
// The result is valid until the next call. Cost O(T of the component + labels in it · n).
func (x *stepsInside) find(states []lts.State) []bool {
	clear(x.isPresent)
	x.calls++
	missing := x.p.Len()
	for _, s := range states {
		labels, targets := x.m.Out(s)
		for i := range labels.Len() {
			l := labels.At(i)
			if !x.p.Concerns(l) || x.lastCall[l] == x.calls {
				continue
			}
			leadsOut := x.c.Leaves(s) && !x.c.Same(s, targets[i])
			if leadsOut {
				continue
			}
			x.lastCall[l] = x.calls
			missing -= x.add(l)
		}
		if missing == 0 {
			break
		}
	}
	return x.isPresent
}

// add adds the steps that a label does, and returns how many of them are new.
func (x *stepsInside) add(l lts.Label) int {
	added := 0
	for step := 1; step <= x.p.Len(); step++ {
		if x.p.Does(l, step) && !x.isPresent[step] {
			x.isPresent[step] = true
			added++
		}
	}
	return added
}
