package symbolic

import (
	"context"

	"github.com/inev-lts/inev/internal/ctl/syntax"
)

// maxRun is the largest number of states of a run that is built step by step.
const maxRun = 100_000

// Answer decides a formula for the circuit: the formula holds if it holds in all initial states.
// Errors are those of [Check].
func (x *Circuit) Answer(ctx context.Context, f *syntax.Formula) (*Answer, error) {
	checked, _, err := Check(ctx, x.Model, f, x.Initial)
	if err != nil {
		return nil, err
	}
	answer := &Answer{Formula: f, Holds: x.isEmpty(checked.Bad)}
	node := checked.Root
	holds := answer.Holds
	for node != nil && checked.Closure.Nodes[node.Formula].Op == syntax.Not && node.Right != nil {
		node = node.Right
		holds = !holds
	}
	if node == nil || node.Unfolding == nil {
		return answer, x.Err()
	}
	unfolding := node.Unfolding
	for _, frontier := range unfolding.Frontiers {
		answer.Layers = append(answer.Layers, Layer{
			States: x.count(frontier.Reached),
			Nodes:  x.Size(frontier.Reached),
		})
	}
	answer.ranks = unfolding.Ranks
	shown := node.Bad // the states for which the claim is shown
	answer.stay = unfolding.Fails
	if holds {
		shown = node.Good
		answer.stay = unfolding.Holds
	}
	claimed := claimAbout(checked.Closure.Nodes[node.Formula], answer.Holds, holds)
	answer.shownBy = claimed.evidence()
	switch {
	case claimed.onSome && claimed.inSteps:
		answer.Run = x.runDownRanks(unfolding.Ranks, shown)
	case claimed.onSome:
		answer.Run, err = x.runThatStays(ctx, answer.stay, unfolding.P, shown)
	}
	if err == nil {
		err = x.Err()
	}
	return answer, err
}

// runDownRanks returns a shortest run that begins in one of the given states and ends in the first
// rank.
func (x *Circuit) runDownRanks(ranks []Set, from Set) *Run {
	sets := NewSets(x.Model)
	for r, rank := range ranks {
		state := sets.Pick(x.And(rank, from))
		if x.isEmpty(state) {
			continue
		}
		run := &Run{States: []State{x.stateOf(state)}, Loop: -1}
		for r > 0 {
			next := x.successors(state)
			for below := range r {
				lower := x.And(next, ranks[below])
				if !x.isEmpty(lower) {
					state = sets.Pick(lower)
					r = below
					break
				}
			}
			run.States = append(run.States, x.stateOf(state))
		}
		return run
	}
	return nil
}

// runThatStays returns a run from one of the given states that stays in the set stay, whose states
// satisfy the claim as long as they are undecided. The run ends in a state that is not in
// undecided, since such a state decides the claim, or in a loop. It returns nil if the run would
// have more than maxRun states.
func (x *Circuit) runThatStays(ctx context.Context, stay, undecided, from Set) (*Run, error) {
	sets := NewSets(x.Model)
	undecided = x.And(stay, undecided)
	at := sets.Pick(from)
	run := &Run{Loop: -1}
	met := x.None()
	indexOf := map[State]int{} // in the run
	for len(run.States) < maxRun {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		state := x.stateOf(at)
		indexOf[state] = len(run.States)
		run.States = append(run.States, state)
		next := x.And(x.successors(at), stay)
		if x.isEmpty(x.And(at, undecided)) || x.isEmpty(next) {
			return run, nil
		}
		met = x.Or(met, at)
		// The run loops back to one of its states if that is possible, and otherwise goes on to a
		// state that decides the claim.
		back := x.And(next, met)
		if !x.isEmpty(back) {
			run.Loop = indexOf[x.stateOf(sets.Pick(back))]
			return run, nil
		}
		deciding := x.And(next, x.Not(undecided))
		if !x.isEmpty(deciding) {
			next = deciding
		}
		at = sets.Pick(next)
	}
	return nil, nil
}
