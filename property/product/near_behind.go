package product

import (
	"context"
	"math"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/resources"
)

const (
	// mostForBehind is the largest number of property states for which behind is
	// used.
	mostForBehind = 4
	// A colour excludes too little if more than 1/manyBehind of the product states lie behind it.
	manyBehind = 2
	// fewForBehind is the largest number of product states for which this is not checked.
	fewForBehind = 1 << 10
	// notBehind and farBehind are special numbers of transitions: unknown, and at least this large.
	notBehind, farBehind = math.MaxUint8, math.MaxUint8 - 1
)

// behind records, for one Inf colour, how soon after a transition with this colour a run can be in
// each product state. A loop that begins in w has such a transition, from s to t, and leads on from
// t back to w by f transitions. So the lasso has at least D(s) + 1 + f transitions, where D is the
// distance. Let f(w) be the least f over all s such that this sum is within a bound. Then the loop
// of a lasso within the bound meets the colour at most f(w) + 1 transitions before its end; if
// there is no s, no loop begins in w.
type behind struct {
	colour int16
	// since has f for each product state; it is nil once it excludes too little.
	since  []uint8
	states int
	// front are the product states whose f has decreased at this level, a value of the sum; next
	// are those found so far for the next level.
	front, next []afterColour
	level, hits int
}

type afterColour struct {
	at    State
	since uint8
}

// newBehind returns a behind for each Inf colour; none for large properties.
func newBehind(ctx context.Context, l *Levels, full int16) []behind {
	var all []behind
	if l.property.States() > mostForBehind {
		return nil
	}
	for colour := int16(1); colour&full != 0; colour <<= 1 {
		since := abort.Must(resources.Make[uint8](ctx, l.model.NumStates()*l.property.States()))
		for i := range since {
			since[i] = notBehind
		}
		all = append(all, behind{colour: colour, since: since, states: l.property.States()})
	}
	return all
}

// of returns a pointer to f of a product state.
func (b *behind) of(at State) *uint8 { return &b.since[int(at.State)*b.states+int(at.Q)] }

// add lowers f of a product state, and notes it for the next level, unless f is as low already.
func (b *behind) add(at State, since uint8) {
	known := b.of(at)
	if since >= *known {
		return
	}
	if *known == notBehind {
		b.hits++
	}
	*known = since
	b.next = append(b.next, afterColour{at, since})
}

// meet adds the target of transition i of the property behind the colours of the
// transition.
func (n *near[W]) meet(p *nearPair[W], i int, to State) {
	for c := range p.behind {
		if b := &p.behind[c]; b.since != nil && p.met[i] > 0 && p.met[i]&b.colour != 0 {
			b.add(to, 0)
		}
	}
}

// goOn advances to the next level.
func (n *near[W]) goOn(ctx context.Context, p *nearPair[W], b *behind) {
	for i, from := range b.front {
		if i&(1<<12-1) == 1<<12-1 {
			abort.On(ctx.Err())
		}
		labels, targets := n.model.Out(from.at.State)
		n.work += len(targets) + 1
		row := int(from.at.Q) * n.table.Columns
		for j, t := range targets {
			if i := row + int(n.table.Letters[labels.At(j)]); p.met[i] >= 0 {
				b.add(State{t, n.table.Next[i]}, min(from.since+1, farBehind))
			}
		}
	}
	b.level++
	b.front, b.next = b.next, b.front[:0]
	if n.Len() > fewForBehind && manyBehind*b.hits > n.Len() {
		b.since, b.front, b.next = nil, nil, nil
	}
	abort.On(resources.AskFor[afterColour](ctx, len(b.front)))
}

// goOnTo advances all colours to a level.
func (n *near[W]) goOnTo(ctx context.Context, level int) {
	for k := range n.pairs {
		p := &n.pairs[k]
		for i := range p.behind {
			for b := &p.behind[i]; b.since != nil && b.level < level; {
				n.goOn(ctx, p, b)
			}
		}
	}
}

// isBehindAll reports whether each colour has product states behind it.
func (p *nearPair[W]) isBehindAll() bool {
	return !slices.ContainsFunc(p.behind, func(b behind) bool { return b.since != nil && b.hits == 0 })
}

// mayBegin reports whether a loop may begin at a product state: only if f is known there for every
// colour.
func (p *nearPair[W]) mayBegin(at State) bool {
	for i := range p.behind {
		if b := &p.behind[i]; b.since != nil && *b.of(at) == notBehind {
			return false
		}
	}
	return true
}

// mayCome reports whether a loop may begin at a product state within a larger
// bound, although none does within this one.
func (p *nearPair[W]) mayCome(at State, exhausted bool) bool {
	for i := range p.behind {
		b := &p.behind[i]
		if b.since != nil && *b.of(at) == notBehind && exhausted && len(b.front) == 0 {
			return false
		}
	}
	return true
}

// due returns the colours that a loop from a product state must have met if left is the
// number of transitions that remain after the next one.
func (p *nearPair[W]) due(at State, left int) (colours uint8) {
	for i := range p.behind {
		if b := &p.behind[i]; b.since != nil && left <= int(*b.of(at)) {
			colours |= uint8(b.colour)
		}
	}
	return colours
}
