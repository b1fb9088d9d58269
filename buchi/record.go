package buchi

import (
	"context"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts/bitset"
)

// Stats is what the tables of [SPIN04] report of a search. A visit to a state is
// a call of one of the paper's procedures on it, or its removal from one of their
// queues: "each time a state is (re)visited this counter is incremented". Length
// is the [Lasso.Length] of the last counterexample.
type Stats struct {
	counterexample.Stats
	// Depth is the largest number of states on a path: the current path of a
	// depth-first search, the path to a state in a breadth-first one.
	Depth int `json:"-"`
}

// record counts the work of one call of an algorithm, over all its phases, and
// checks the context.
type record struct {
	ctx   context.Context
	seen  bitset.Set[State]
	stats Stats
}

func newRecord(ctx context.Context, g Graph) *record {
	return &record{ctx: ctx, seen: bitset.New[State](g.NumStates())}
}

// checkEvery is the number of visits between two checks of the context: few
// enough checks to cost nothing, enough to stop within a millisecond.
const checkEvery = 4096

// visit counts a visit of s at the end of a path of depth states. It ends the
// search if the context is done.
func (r *record) visit(s State, depth int) {
	if !r.seen.Has(s) {
		r.seen.Add(s)
		r.stats.Stored++
	}
	r.stats.Depth = max(r.stats.Depth, depth)
	r.stats.Matched++
	if r.stats.Matched%checkEvery == 1 {
		abort.On(r.ctx.Err())
	}
}

// found counts a counterexample of this length, in states.
func (r *record) found(length int) {
	r.stats.Found++
	r.stats.Length = length
}
