package product

import (
	"context"
	"math/bits"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
	"github.com/inev-lts/inev/lts/scc"
)

// fewProductStates is the largest number of product states for which a search in depth takes little time.
const fewProductStates = 1 << 10

// Components returns the components of the unfolded model, as [scc.Find] does. If
// a transition leads back to the initial state, and the property has few states,
// the component of the initial state is found by a backward search in the model,
// whose predecessor rows are built: a word holds all property states of a model
// state, so that one operation serves them all. Errors and cost as for
// [scc.Find], and 8 bytes for each transition of the model.
func (u *Unfolding) Components(ctx context.Context) (_ *scc.Components, err error) {
	defer abort.Caught(&err)
	if u.known != nil || u.next.isChain || u.productStates.len() <= fewProductStates || !u.returns() {
		return scc.Find(ctx, u.system, "iterative")
	}
	abort.On(u.model.FindPredecessors(ctx))
	back := u.reachInitial(ctx)
	initial := bitset.New[lts.State](u.productStates.len())
	for s, of := range u.productStates.states {
		if back[of]>>u.productStates.narrow[s]&1 != 0 {
			initial.Add(lts.State(s))
		}
	}
	return scc.FindAround(ctx, u.system, initial)
}

// returns reports whether a transition leads back to the initial state.
func (u *Unfolding) returns() bool {
	for s := range lts.State(u.system.NumStates()) {
		if _, targets := u.system.Out(s); slices.Contains(targets, u.system.Initial()) {
			return true
		}
	}
	return false
}

// reachInitial returns for each state of the model the property states with which
// it reaches the initial product state.
func (u *Unfolding) reachInitial(ctx context.Context) []uint64 {
	g := newGrowingSets(ctx, u.model.NumStates())
	t := &u.next.table
	// before[q*t.Columns+letter] is the set of states from which the letter leads
	// to q.
	before := make([]uint64, len(t.Next))
	for i, q := range t.Next {
		before[int(q)*t.Columns+i%t.Columns] |= 1 << (i / t.Columns)
	}
	in := u.model.Predecessors()
	g.add(u.model.Initial(), 1<<u.property.Initial())
	for work := 0; g.waiting > 0; work++ {
		if work&(1<<14-1) == 0 {
			abort.On(ctx.Err())
		}
		s, set := g.take()
		labels, sources := in.In(s)
		for i, from := range sources {
			letter := int(t.Letters[labels.At(i)])
			var after uint64
			for left := set; left != 0; left &= left - 1 {
				after |= before[bits.TrailingZeros64(left)*t.Columns+letter]
			}
			g.add(from, after)
		}
	}
	return g.sets
}
