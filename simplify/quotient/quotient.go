package quotient

import (
	"context"
	"slices"

	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// Quotient is a model whose equivalent states are merged into blocks, which are
// the states of a smaller model.
type Quotient struct {
	system *lts.LTS
	model  *lts.LTS
	names  *renaming
	// property is nil if the quotient was not made for one.
	property *property.Property

	// block[s] is the block of model state s; noBlock where s is unreachable.
	block []lts.State
	// The model states of block b are states[first[b]:first[b+1]].
	states    []lts.State
	first     []uint32
	divergent []bool
	// represented[i] is the number of transitions of the model for which the
	// transition with row index i stands.
	represented []uint32
}

const noBlock lts.State = lts.MaxStates

// New returns the quotient of m after hiding: its reachable part, with the labels
// that hides selects become one internal label, and with states merged where
// they are divergence-preserving branching bisimilar. It is the smallest such
// model.
//
// Labels that are not hidden keep their texts and their order. The hidden ones
// become the last label, with the text "i" or, where that is visible already,
// another one (see [Quotient.Tau]).
//
// It fails if ctx is done, and beyond some four thousand million states and
// transitions. Cost O((S + T) log S) time whatever the model. What it takes for a
// while, the garbage collector's share included: some 30 bytes a transition where
// states part in a few passes over the model, up to 350 where they part one by one, as
// those of a path do.
func New(ctx context.Context, m *lts.LTS, hides func(lts.Label) bool) (*Quotient, error) {
	return divide(ctx, m, hide(m.Alphabet(), hides, nil), nil, 0)
}

// divide makes the quotient of m under a renaming, in which only states are
// merged for which apart, if there is one, has the same value. It fails with
// [ErrManyBlocks] where it has more blocks than most, unless most is 0.
func divide(ctx context.Context, m *lts.LTS, names *renaming, apart func(lts.State) uint32, most int) (*Quotient, error) {
	g, err := contract(ctx, m, names, apart)
	if err != nil {
		return nil, err
	}
	blocks, err := refine(ctx, g, most)
	if err != nil {
		return nil, err
	}
	q := &Quotient{model: m, names: names}
	if err := q.number(ctx, g, blocks); err != nil {
		return nil, err
	}
	return q, q.build(ctx)
}

// number numbers the blocks by their smallest states and lists these.
func (q *Quotient) number(ctx context.Context, g *contracted, blocks []uint32) error {
	if err := resources.Ask(ctx, 8*int64(q.model.NumStates())+4*int64(len(blocks))); err != nil {
		return err
	}
	q.block = make([]lts.State, q.model.NumStates())
	number := make([]lts.State, len(blocks)) // of a block, whose numbers are below that of nodes
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
	return ctx.Err()
}

// build makes the transitions between blocks, those of a block by ascending label
// and then by ascending target.
func (q *Quotient) build(ctx context.Context) error {
	var b lts.Builder
	b.Over(lts.RepeatingAlphabet(q.names.texts))
	var arrows []uint64
	for block := range q.divergent {
		if block&(1<<12-1) == 0 && ctx.Err() != nil {
			return ctx.Err()
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
	var err error
	q.system, err = b.Build(q.block[q.model.Initial()], len(q.divergent))
	return err
}

// arrowsOf appends the transitions of the model that leave a block, and the
// hidden ones within a divergent block, each as its label in the upper half and
// the block of its target in the lower, in ascending order.
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

// LTS returns the quotient as a model. Its states are the blocks, numbered by
// their smallest states; each of its transitions is there once, those of a block
// by ascending label and target. A divergent block has a hidden self-loop, and no
// other block has one.
func (q *Quotient) LTS() *lts.LTS { return q.system }

// Model returns the model that was divided.
func (q *Quotient) Model() *lts.LTS { return q.model }

// Block returns the block of a state of the model, which is a state of the
// quotient; false if the state is unreachable or there is none such. Cost
// O(1).
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

// Represented returns the number of transitions of the model for which the
// transition with this row index (see [lts.LTS.Row]) of the quotient stands; for
// the loop of a divergent block, the number of hidden transitions within the
// block. The hidden transitions within other blocks are represented by none. Cost
// O(1).
func (q *Quotient) Represented(row int) int { return int(q.represented[row]) }

// Label returns what becomes of a label of the model in the quotient. Cost O(1).
func (q *Quotient) Label(l lts.Label) lts.Label { return q.names.to[l] }

// Tau returns the label that hidden transitions have in the quotient, the last
// one of its alphabet; false if no label of the model is hidden. Cost O(1).
func (q *Quotient) Tau() (lts.Label, bool) { return q.names.tau, q.names.hides }

// Property returns the property for which the quotient was made, bound to the
// labels of the quotient; nil if it was made by [New]. The steps of a chain have the
// patterns of the original where these mean the same labels in the quotient, and
// otherwise list labels of it, in quotes.
func (q *Quotient) Property() *property.Property { return q.property }
