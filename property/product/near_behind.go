package product

import (
	"context"
	"math"
	"slices"

	"github.com/inev-lts/inev/internal/resources"
)

const (
	// mostForBehind is the largest number of states of a property for which behind is kept.
	mostForBehind = 4
	// manyBehind is the reciprocal of the part of the places which, if it lies behind a colour,
	// leaves out too little.
	manyBehind = 2
	// fewForBehind is how many places there have to be before that is asked.
	fewForBehind = 1 << 10
	// notBehind and farBehind are numbers of transitions: not known to be any, and so many or more.
	notBehind, farBehind = math.MaxUint8, math.MaxUint8 - 1
)

// behind are the places that a run of few transitions comes to after a transition with a colour
// that loops must meet. A loop that begins in w goes on from there to such a transition, from s
// to t, and by f transitions from t back to w. So the lasso has at least D(s) + 1 + f transitions.
// If f of a place is the least such number for any s for which this sum is within a bound, a loop
// of a lasso within the bound meets the colour f + 1 transitions before its end, or sooner; and
// where there is no s, no loop begins.
type behind struct {
	colour int16
	// since has f for each place; it is nil once it leaves out too little.
	since  []uint8
	states int
	// front are the places where f is known to be less since the sum may be level, next those
	// found so far for the next level.
	front, next []afterColour
	level, hits int
}

type afterColour struct {
	Place
	since uint8
}

// newBehind returns one of these for each of the colours; none for large properties.
func newBehind(ctx context.Context, l *Levels, full int16) ([]behind, error) {
	var all []behind
	if l.property.States() > mostForBehind {
		return nil, nil
	}
	for colour := int16(1); colour&full != 0; colour <<= 1 {
		since, err := resources.Make[uint8](ctx, l.model.NumStates()*l.property.States())
		if err != nil {
			return nil, err
		}
		for i := range since {
			since[i] = notBehind
		}
		all = append(all, behind{colour: colour, since: since, states: l.property.States()})
	}
	return all, nil
}

// of returns f for a place.
func (b *behind) of(at Place) *uint8 { return &b.since[int(at.State)*b.states+int(at.Q)] }

// add adds a place at the next level.
func (b *behind) add(at Place, since uint8) {
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

// meet adds the place that a transition leads to, the i-th of the property, behind its colours.
func (n *near[W]) meet(p *nearPair[W], i int, to Place) {
	for c := range p.behind {
		if b := &p.behind[c]; b.since != nil && p.met[i] > 0 && p.met[i]&b.colour != 0 {
			b.add(to, 0)
		}
	}
}

// goOn makes the next level the present one.
func (n *near[W]) goOn(ctx context.Context, p *nearPair[W], b *behind) error {
	for i, from := range b.front {
		if i&(1<<12-1) == 1<<12-1 && ctx.Err() != nil {
			return ctx.Err()
		}
		labels, targets := n.model.Out(from.State)
		n.work += len(targets) + 1
		row := int(from.Q) * n.table.Columns
		for j, t := range targets {
			if i := row + int(n.table.Letters[labels.At(j)]); p.met[i] >= 0 {
				b.add(Place{t, n.table.Next[i]}, min(from.since+1, farBehind))
			}
		}
	}
	b.level++
	b.front, b.next = b.next, b.front[:0]
	if n.Len() > fewForBehind && manyBehind*b.hits > n.Len() {
		b.since, b.front, b.next = nil, nil, nil
	}
	return resources.AskFor[afterColour](ctx, len(b.front))
}

// goOnTo goes on up to a level.
func (n *near[W]) goOnTo(ctx context.Context, level int) error {
	for k := range n.pairs {
		p := &n.pairs[k]
		for i := range p.behind {
			for b := &p.behind[i]; b.since != nil && b.level < level; {
				if err := n.goOn(ctx, p, b); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// isBehindAll reports whether some place lies behind each of the colours.
func (p *nearPair[W]) isBehindAll() bool {
	return !slices.ContainsFunc(p.behind, func(b behind) bool { return b.since != nil && b.hits == 0 })
}

// mayBegin reports whether a loop may begin at a place, as far as the transitions with colours tell.
func (p *nearPair[W]) mayBegin(at Place) bool {
	for i := range p.behind {
		if b := &p.behind[i]; b.since != nil && *b.of(at) == notBehind {
			return false
		}
	}
	return true
}

// mayCome reports whether a place where no loop may begin can be one where it may, within a larger
// bound.
func (p *nearPair[W]) mayCome(at Place, exhausted bool) bool {
	for i := range p.behind {
		b := &p.behind[i]
		if b.since != nil && *b.of(at) == notBehind && exhausted && len(b.front) == 0 {
			return false
		}
	}
	return true
}

// due returns the colours that a loop from a place must have met when so many transitions are
// left, the next one among them.
func (p *nearPair[W]) due(at Place, left int) (colours uint8) {
	for i := range p.behind {
		if b := &p.behind[i]; b.since != nil && left <= int(*b.of(at)) {
			colours |= uint8(b.colour)
		}
	}
	return colours
}
