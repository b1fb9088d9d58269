package quotient

import (
	"context"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// Quotient is a model whose equivalent states are merged into blocks, the states of a smaller
// model.
type Quotient struct {
	system *lts.LTS
	model  *lts.LTS
	names  *renaming
	// property is the property of [ForProperty] or [ForClasses]; nil otherwise.
	property *property.Property

	// block[s] is the block of state s of the model; noBlock if s is unreachable.
	block []lts.State
	// The model states of block b are states[first[b]:first[b+1]].
	states    []lts.State
	first     []uint32
	divergent []bool
	// represented[i] is the number of transitions of the model that the transition with row index i
	// stands for.
	represented []uint32
}

const noBlock lts.State = lts.MaxStates

// New returns the quotient of m after hiding: its reachable part, where the labels for which the
// function hides returns true become one internal label, and states are merged if they are
// divergence-preserving branching bisimilar. It is the smallest such model.
//
// Labels that only lead to where runs begin are never hidden, so that the artificial state before
// several initial states is a block of its own, see [lts.LTS.Begin].
//
// Labels that are not hidden keep their texts and their order. The hidden ones become the last
// label, with the text "i" or, if a visible label has it, another text (see [Quotient.Tau]).
//
// It fails if ctx is done, and above about four thousand million states and transitions. Cost O((S
// + T) log S) time for every model. Temporary memory, with the garbage collector's share: about 30
// bytes a transition if a few passes over the model separate the states, up to 350 if they separate
// one state each, as in a path.
func New(ctx context.Context, m *lts.LTS, hides func(lts.Label) bool) (_ *Quotient, err error) {
	defer abort.Caught(&err)
	return divide(ctx, m, hide(m.Alphabet(), hides, nil), nil, 0), nil
}

// divide returns the quotient of m under a renaming. If apart is not nil, only states with the same
// value of apart are merged. It fails with [ErrManyBlocks] if there are more blocks than most; 0
// means no limit.
func divide(ctx context.Context, m *lts.LTS, names *renaming, apart func(lts.State) uint32, most int) *Quotient {
	g := contract(ctx, m, names, apart)
	q := &Quotient{model: m, names: names}
	q.number(ctx, g, refine(ctx, g, most))
	q.build(ctx)
	return q
}

// number numbers the blocks by their smallest states, and lists the states of each.
func (q *Quotient) number(ctx context.Context, g *contracted, blocks []uint32) {
	abort.On(resources.Ask(ctx, 8*int64(q.model.NumStates())+4*int64(len(blocks))))
	q.block = make([]lts.State, q.model.NumStates())
	number := make([]lts.State, len(blocks)) // the number of each block; there are fewer blocks than nodes
	for b := range number {
		number[b] = noBlock
	}
	reach := q.model.Reachable()
	for s := range q.block {
		q.block[s] = noBlock
		if !reach.Has(lts.State(s)) {
			continue
		}
		v := g.of[s]
		b := &number[blocks[v]]
		if *b == noBlock {
			*b = lts.State(len(q.first))
			q.first = append(q.first, 0)
			q.divergent = append(q.divergent, false)
		}
		q.block[s] = *b
		q.divergent[*b] = q.divergent[*b] || g.divergent[v]
		q.first[*b]++
	}
	sum := uint32(0)
	for b, n := range q.first {
		q.first[b] = sum
		sum += n
	}
	q.first = append(q.first, sum)
	q.states = make([]lts.State, sum)
	next := slices.Clone(q.first)
	for s, b := range q.block {
		if b != noBlock {
			q.states[next[b]] = lts.State(s)
			next[b]++
		}
	}
	abort.On(ctx.Err())
}

// build makes the transitions between blocks, for each block by ascending label and then by
// ascending target.
func (q *Quotient) build(ctx context.Context) {
	var b lts.Builder
	b.Over(lts.RepeatingAlphabet(q.names.texts, q.names.begins...))
	var arrows []uint64
	for block := range q.divergent {
		if block&(1<<12-1) == 0 {
			abort.On(ctx.Err())
		}
		arrows = q.arrowsOf(lts.State(block), arrows[:0])
		for i, arrow := range arrows {
			if i > 0 && arrow == arrows[i-1] {
				q.represented[len(q.represented)-1]++
				continue
			}
			b.Add(lts.State(block), lts.Label(arrow>>32), lts.State(uint32(arrow)))
			q.represented = append(q.represented, 1)
		}
	}
	q.system = abort.Must(b.Build(q.block[q.model.Initial()], len(q.divergent)))
}

// arrowsOf appends the transitions of the model that leave a block, and the hidden ones within a
// divergent block, in ascending order: each as one number, with the label in the upper half and the
// target's block in the lower.
func (q *Quotient) arrowsOf(block lts.State, arrows []uint64) []uint64 {
	for _, s := range q.States(block) {
		labels, targets := q.model.Out(s)
		for i, t := range targets {
			if q.names.hidden(labels.At(i)) && q.block[t] == block && !q.divergent[block] {
				continue
			}
			arrows = append(arrows, uint64(q.names.to[labels.At(i)])<<32|uint64(q.block[t]))
		}
	}
	slices.Sort(arrows)
	return arrows
}

// LTS returns the quotient as a model. Its states are the blocks, numbered by their smallest
// states; no two transitions are equal, and those of a block are by ascending label and target. A
// divergent block has a hidden self-loop, and no other block has one.
func (q *Quotient) LTS() *lts.LTS { return q.system }

// Model returns the model of which q is the quotient.
func (q *Quotient) Model() *lts.LTS { return q.model }

// Block returns the block of a state of the model, which is a state of the quotient; false if the
// state is unreachable or does not exist. Cost O(1).
func (q *Quotient) Block(s lts.State) (lts.State, bool) {
	if int(s) >= len(q.block) || q.block[s] == noBlock {
		return 0, false
	}
	return q.block[s], true
}

// States returns the states of the model that are merged into block b, in
// ascending order. The slice must not be changed. Cost O(1).
func (q *Quotient) States(b lts.State) []lts.State {
	return q.states[q.first[b]:q.first[b+1]:q.first[b+1]]
}

// NumMerged returns the number of states of the model that are merged into block
// b, at least 1. Cost O(1).
func (q *Quotient) NumMerged(b lts.State) int { return int(q.first[b+1] - q.first[b]) }

// IsDivergent reports whether a run may stay in block b for ever, by hidden
// transitions. Cost O(1).
func (q *Quotient) IsDivergent(b lts.State) bool { return q.divergent[b] }

// Represented returns the number of transitions of the model that a transition of the quotient
// stands for, by its row index (see [lts.LTS.Row]); for the loop of a divergent block, the number
// of hidden transitions within the block. No transition stands for the hidden transitions within
// other blocks. Cost O(1).
func (q *Quotient) Represented(row int) int { return int(q.represented[row]) }

// Label returns the label of the quotient for a label of the model. Cost O(1).
func (q *Quotient) Label(l lts.Label) lts.Label { return q.names.to[l] }

// Tau returns the label of hidden transitions in the quotient, the last one of its alphabet; false
// if no label of the model is hidden. Cost O(1).
func (q *Quotient) Tau() (lts.Label, bool) { return q.names.tau, q.names.hides }

// Property returns the property of the quotient, bound to its labels; nil if [New] made the
// quotient. The steps of a chain keep their patterns if these match the same labels in the
// quotient; otherwise they list labels of it, in quotes.
func (q *Quotient) Property() *property.Property { return q.property }
