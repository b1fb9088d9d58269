package product

import (
	"context"
	"math/bits"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

const (
	// probed is the number of states that are examined to see whether transitions lead back.
	probed = 1 << 12
	// Few transitions lead back if these are at most 1/fewBack of the transitions of the states
	// examined.
	fewBack = 64
)

// leadsBack reports whether many transitions lead to states with numbers that are
// not larger, in a sample of states.
func leadsBack(m *lts.LTS) bool {
	back, all := 0, 0
	for s := 0; s < m.NumStates(); s += 1 + m.NumStates()/probed {
		_, targets := m.Out(lts.State(s))
		all += len(targets)
		for _, t := range targets {
			if int(t) <= s {
				back++
			}
		}
	}
	return fewBack*back > all
}

// narrowAhead removes, again and again, product states that no remaining one leads to, and returns
// how many remain. A loop has no such states, but the stem to a loop has. It does nothing unless
// few transitions lead back: then each pass from the first state to the last removes all stems,
// except those behind a transition that leads back.
func (a *avoidance[W]) narrowAhead(ctx context.Context, productStates int) int {
	if leadsBack(a.model) {
		return productStates
	}
	return a.passAhead(ctx, productStates)
}

// passAhead is narrowAhead without the test whether few transitions lead back.
func (a *avoidance[W]) passAhead(ctx context.Context, productStates int) int {
	n := len(a.left)
	abort.On(resources.AskFor[W](ctx, 3*n))
	// ahead has the targets of transitions from states with smaller numbers, back the targets of
	// the other transitions. The set back comes from the previous pass, so that it may have too
	// many members.
	ahead, back, next := make([]W, n), make([]W, n), make([]W, n)
	for s := range back {
		back[s] = ^W(0)
	}
	for worth := 0; worth < worthPasses && productStates > 0; worth++ {
		taken := 0
		for s, set := range a.left {
			if s&(1<<14-1) == 0 {
				abort.On(ctx.Err())
			}
			left := set & (ahead[s] | back[s])
			if left != set {
				taken += bits.OnesCount64(uint64(set &^ left))
				a.left[s] = left
			}
			if left != 0 {
				a.leadOn(lts.State(s), left, ahead, next)
			}
		}
		productStates -= taken
		// The first pass only finds the targets of transitions that lead back.
		if worth > 0 && fewTaken*taken < productStates {
			break
		}
		back, next = next, back
		clear(ahead)
		clear(next)
	}
	return productStates
}

// leadOn adds the successors of the product states of s, among the remaining property states, to
// ahead or back.
func (a *avoidance[W]) leadOn(s lts.State, left W, ahead, back []W) {
	labels, targets := a.model.Out(s)
	for j, t := range targets {
		if a.left[t] == 0 {
			continue
		}
		into := ahead
		if t <= s {
			into = back
		}
		into[t] |= a.after.Of(a.table.Letters[labels.At(j)], left)
	}
}

// meets reports whether the transitions between remaining product states have all Inf colours of
// the pair.
func (a *avoidance[W]) meets(pair property.Pair) bool {
	missing := pair.Inf
	for s, set := range a.left {
		if missing == 0 {
			break
		}
		if set == 0 {
			continue
		}
		labels, targets := a.model.Out(lts.State(s))
		for j, t := range targets {
			letter := a.table.Letters[labels.At(j)]
			from := uint64(0)
			if a.left[t] != 0 {
				from = uint64(a.from(letter, a.left[t]) & set)
			}
			for ; from != 0; from &= from - 1 {
				missing &^= a.marks(bits.TrailingZeros64(from)*a.table.Columns + int(letter))
			}
		}
	}
	return missing == 0
}
