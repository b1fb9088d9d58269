package counterexample

import (
	"context"
	"fmt"
	"slices"

	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/internal/paged"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/resources"
	"github.com/inev-lts/inev/run"
)

// Fair looks for a run that counts under the fairness assumption of e and violates its
// property; the result has no trace where there is none.
//
// A run that ends in a deadlock is a shortest such one. Under full fairness, which a
// deadlock takes precedence over, the trace is the shortest run after which the property
// is lost: every fair run that goes on from there violates it (see [run.NewTrap]). Under
// other assumptions it is a shortest way to a set of transitions that a fair run can take
// for ever, and a round in it that goes from one duty to the nearest next one, without
// the detours that it can do without. That is not called shortest: the shortest is
// NP-hard (generalised Büchi).
//
// It fails where ctx is done. Cost O(n (S + T)), times the number of strong tasks, and
// that of one breadth-first search in the set for each task; that of cutting detours is
// quadratic in the length of the round, and is left out of long ones.
func Fair(ctx context.Context, e *enrich.Enriched) (*Result, error) {
	x := &fair{ctx: ctx, e: e, m: e.LTS(), p: e.Property(), f: e.Fairness()}
	if err := x.explore(); err != nil {
		return &Result{}, err
	}
	r := &Result{}
	r.Stats.Stored, r.Stats.Matched = int64(x.nodes.Len()), int64(x.nodes.Len())
	var err error
	switch {
	case x.dead >= 0 && (x.f.Full() || !x.hasSet()):
		r.Trace, err = New(x.m, x.p, x.path(x.dead), noLoop)
		r.Shortest = true
	case x.f.Full() && x.lost >= 0:
		r.Trace, err = run.NewTrap(x.m, x.p.Property(), x.path(x.lost))
		r.Shortest = true
	case x.f.Full():
		return r, nil
	default:
		r.Trace, err = x.lasso()
	}
	if err != nil && x.ctx.Err() == nil {
		err = fmt.Errorf("counterexample: the search for a fair run went wrong, please report it: %w", err)
	}
	return r, err
}

// fair is a search for a fair run.
type fair struct {
	ctx context.Context
	e   *enrich.Enriched
	m   *lts.LTS
	p   *property.Chain
	f   *property.Fairness
	// nodes are the pairs of state and progress met, breadth first; of each state those
	// with less and less progress. first[s] is one more than the number of its first node,
	// 0 where there is none.
	nodes paged.List[fairNode]
	first []uint32
	// dead and lost are the first nodes in a deadlock with the property incomplete, and
	// from which no run completes it; -1 where there is none.
	dead, lost int
}

type fairNode struct {
	state    lts.State
	progress uint32
	parent   uint32 // number of the node before
	next     uint32 // one more than that of the next node of its state; 0 for none
	label    lts.Label
	depth    uint32
}

// explore goes breadth first through states and progress. A path that comes to a state
// later than another one, with no less progress, is dropped.
func (x *fair) explore() error {
	var err error
	if x.first, err = resources.Make[uint32](x.ctx, x.m.NumStates()); err != nil {
		return err
	}
	x.dead, x.lost = -1, -1
	x.meet(fairNode{state: x.m.Initial()})
	for at := 0; at < x.nodes.Len(); at++ {
		if at&(1<<12-1) == 0 && x.ctx.Err() != nil {
			return x.ctx.Err()
		}
		n := *x.nodes.At(at)
		switch left := x.p.Len() - int(n.progress); {
		case left == 0:
			continue
		case x.lost < 0 && x.e.MS(n.state) < left && x.e.Admits(n.state):
			x.lost = at
		}
		labels, targets := x.m.Out(n.state)
		if x.dead < 0 && len(targets) == 0 {
			x.dead = at
		}
		for i, to := range targets {
			after := uint32(x.p.Advance(int(n.progress), labels[i]))
			x.meet(fairNode{state: to, progress: after, parent: uint32(at), label: labels[i], depth: n.depth + 1})
		}
	}
	return nil
}

// meet adds a node, unless its state has been met with no more progress.
func (x *fair) meet(n fairNode) {
	link := &x.first[n.state]
	for *link != 0 {
		known := x.nodes.At(int(*link) - 1)
		if known.progress <= n.progress {
			return
		}
		link = &known.next
	}
	x.nodes.Append(n)
	*link = uint32(x.nodes.Len())
}

// path returns the transitions to a node.
func (x *fair) path(to int) []lts.Transition {
	var steps []lts.Transition
	for n := x.nodes.At(to); n.depth > 0; n = x.nodes.At(int(n.parent)) {
		steps = append(steps, lts.Transition{From: x.nodes.At(int(n.parent)).state, Label: n.label, To: n.state})
	}
	slices.Reverse(steps)
	return steps
}

// nearest returns the first node of a state with this progress at most; -1 where there is
// none.
func (x *fair) nearest(s lts.State, progress int) int {
	for at := x.first[s]; at != 0; at = x.nodes.At(int(at) - 1).next {
		if int(x.nodes.At(int(at)-1).progress) <= progress {
			return int(at) - 1
		}
	}
	return -1
}

// sets yields the sets of states in which fair runs can stay for ever without a step, and
// the step, until yield says not to go on.
func (x *fair) sets(yield func(set []lts.State, step int) (more bool)) error {
	c := x.e.Components()
	sets, err := enrich.NewFairSets(x.ctx, c, x.f, nil)
	if err != nil {
		return err
	}
	more := true
	for i := range c.Len() {
		if !c.IsCyclic(scc.Component(i)) {
			continue
		}
		for j := range x.p.Len() {
			var states []lts.State
			for _, s := range c.States(scc.Component(i)) {
				if x.e.CP(s) <= j {
					states = append(states, s)
				}
			}
			if len(states) == 0 {
				continue
			}
			err := sets.In(scc.Component(i), states, func(l lts.Label) bool { return x.p.Does(l, j+1) }, func(set []lts.State) bool {
				more = yield(set, j+1)
				return more
			})
			if err != nil || !more {
				return err
			}
		}
	}
	return nil
}

// hasSet reports whether some fair run violates the property for ever.
func (x *fair) hasSet() bool {
	has := false
	err := x.sets(func([]lts.State, int) bool {
		has = true
		return false
	})
	return has && err == nil
}

// lasso returns a fair run that goes on for ever, through the set that is nearest; nil
// where there is none. A run into a deadlock that is not longer takes precedence.
func (x *fair) lasso() (*Trace, error) {
	entry, step := -1, 0
	var in []lts.State
	err := x.sets(func(set []lts.State, j int) bool {
		for _, s := range set {
			if at := x.nearest(s, j-1); at >= 0 && (entry < 0 || at < entry) {
				entry, step, in = at, j, set
			}
		}
		return true
	})
	if err != nil || entry < 0 {
		return nil, err
	}
	t := newTour(x, in, step)
	loop, err := t.round(x.nodes.At(entry).state)
	if err != nil {
		return nil, err
	}
	stem := x.path(entry)
	if x.dead >= 0 && int(x.nodes.At(x.dead).depth) <= len(stem)+len(loop) {
		return New(x.m, x.p, x.path(x.dead), noLoop)
	}
	return New(x.m, x.p, append(stem, loop...), len(stem))
}
