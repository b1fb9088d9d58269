package symbolic

import (
	"context"

	"github.com/inev-lts/inev/internal/ctl/syntax"
	"github.com/inev-lts/inev/internal/ctl/wmc"
)

// maxRun is the largest number of states of a run that is built step by step.
const maxRun = 100_000

// Answer decides a formula for the circuit: the formula holds if it holds in all initial states.
// Errors are those of [Check].
func (x *Circuit) Answer(ctx context.Context, f *syntax.Formula) (*Answer, error) {
	a, _, err := Check(ctx, x.Model, f, x.Initial)
	if err != nil {
		return nil, err
	}
	out := &Answer{Formula: f, Holds: x.empty(a.Bad)}
	root := a.Root
	holds := out.Holds
	for root != nil && a.Closure.Nodes[root.Formula].Op == syntax.Not && root.Right != nil {
		root = root.Right
		holds = !holds
	}
	if root == nil || root.Unfolding == nil {
		return out, x.Err()
	}
	u := root.Unfolding
	for _, frontier := range u.Frontiers {
		out.Layers = append(out.Layers, Layer{
			x.count(frontier.Reached),
			x.Size(frontier.Reached),
		})
	}
	out.ranks = u.Ranks
	claimed := root.Bad
	out.stay = u.Fails
	if holds {
		claimed = root.Good
		out.stay = u.Holds
	}
	// least: finitely many steps show the claim; some: a single run shows it.
	n := a.Closure.Nodes[root.Formula]
	least := (n.Op == syntax.Until) == holds
	some := (n.Path == syntax.Some) == holds
	out.by = shownBy(out.Holds, least, some)
	switch {
	case least && some:
		out.Run = x.downRanks(u.Ranks, claimed)
	case some:
		out.Run, err = x.staying(ctx, u, holds, claimed)
	}
	if err == nil {
		err = x.Err()
	}
	return out, err
}

// shownBy returns the kind of evidence for a claim: a run from one initial state is enough if the
// claim is that the formula does not hold on all runs.
func shownBy(holds, least, some bool) kind {
	switch {
	case some && !holds:
		return byRun
	case least:
		return byRanks
	}
	return byStay
}

// downRanks returns a shortest run that begins in one of the given states and ends in the first
// rank.
func (x *Circuit) downRanks(ranks []Set, from Set) *Run {
	sets := NewSets(x.Model)
	for r, rank := range ranks {
		at := sets.Pick(x.And(rank, from))
		if x.empty(at) {
			continue
		}
		run := &Run{States: []State{x.state(at)}, Loop: -1}
		for r > 0 {
			next := x.post(at)
			for below := range r {
				if to := x.And(next, ranks[below]); !x.empty(to) {
					at, r = sets.Pick(to), below
					break
				}
			}
			run.States = append(run.States, x.state(at))
		}
		return run
	}
	return nil
}

// staying returns a run that stays in the states where a claim holds: it ends in a state that
// decides the claim, or loops. It returns nil if the run would have more than maxRun states.
func (x *Circuit) staying(
	ctx context.Context,
	u *wmc.Unfolding[Set],
	holds bool,
	from Set,
) (*Run, error) {
	sets := NewSets(x.Model)
	stay := u.Fails
	if holds {
		stay = u.Holds
	}
	on := x.And(stay, u.P)
	at := sets.Pick(from)
	run := &Run{Loop: -1}
	met := x.None()
	number := map[State]int{}
	for len(run.States) < maxRun {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		is := x.state(at)
		number[is] = len(run.States)
		run.States = append(run.States, is)
		next := x.And(x.post(at), stay)
		if x.empty(x.And(at, on)) || x.empty(next) {
			return run, nil
		}
		met = x.Or(met, at)
		// The run loops back to one of its states if that is possible, and otherwise goes on to a
		// state that decides the claim.
		if back := x.And(next, met); !x.empty(back) {
			run.Loop = number[x.state(sets.Pick(back))]
			return run, nil
		}
		if end := x.And(next, x.Not(on)); !x.empty(end) {
			next = end
		}
		at = sets.Pick(next)
	}
	return nil, nil
}
