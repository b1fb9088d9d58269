package product

import (
	"context"

	"github.com/inev-lts/inev/internal/resources"
)

const (
	// manyBehind is the reciprocal of the part of the places which, if it lies behind a colour,
	// leaves out too little.
	manyBehind = 2
	// fewForBehind is how many places there have to be before that is asked.
	fewForBehind = 1 << 10
)

// behind are the places that a run of few transitions can come to after a transition with a
// colour that loops must meet. A loop that begins in w goes on from there to such a transition,
// from s to t, and from t back to w. So the lasso has at least D(s) + 1 transitions and those
// from t to w; within a bound no loop begins where the least such number is larger.
type behind[W word] struct {
	colour int16
	// hit are the places of which that number is at most level, front those where it is level,
	// next those found so far where it is one more; hit is nil once it leaves out too little.
	hit         []W
	front, next []Place
	level, hits int
}

// newBehind returns one of these for each of the colours.
func newBehind[W word](ctx context.Context, states int, full int16) ([]behind[W], error) {
	var all []behind[W]
	for colour := int16(1); colour&full != 0; colour <<= 1 {
		hit, err := resources.Make[W](ctx, states)
		if err != nil {
			return nil, err
		}
		all = append(all, behind[W]{colour: colour, hit: hit})
	}
	return all, nil
}

// add adds a place at the next level.
func (b *behind[W]) add(at Place) {
	if b.hit[at.State]>>at.Q&1 == 0 {
		b.hit[at.State] |= 1 << at.Q
		b.hits++
		b.next = append(b.next, at)
	}
}

// goOn makes the next level the present one.
func (n *near[W]) goOn(ctx context.Context, p *nearPair[W], b *behind[W]) error {
	for i, from := range b.front {
		if i&(1<<12-1) == 1<<12-1 && ctx.Err() != nil {
			return ctx.Err()
		}
		labels, targets := n.model.Out(from.State)
		n.work += len(targets) + 1
		row := int(from.Q) * n.table.Columns
		for j, t := range targets {
			if i := row + int(n.table.Letters[labels.At(j)]); p.met[i] >= 0 {
				b.add(Place{t, n.table.Next[i]})
			}
		}
	}
	b.level++
	b.front, b.next = b.next, b.front[:0]
	if n.Len() > fewForBehind && manyBehind*b.hits > n.Len() {
		b.hit, b.front, b.next = nil, nil, nil
	}
	return resources.AskFor[Place](ctx, len(b.front))
}

// goOnTo goes on up to a level.
func (n *near[W]) goOnTo(ctx context.Context, level int) error {
	for k := range n.pairs {
		p := &n.pairs[k]
		for i := range p.behind {
			for b := &p.behind[i]; b.hit != nil && b.level < level; {
				if err := n.goOn(ctx, p, b); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// mayClose reports whether a loop may begin at a place within the bound, as far as the
// transitions with colours tell.
func (p *nearPair[W]) mayClose(at Place) bool {
	for i := range p.behind {
		if hit := p.behind[i].hit; hit != nil && hit[at.State]>>at.Q&1 == 0 {
			return false
		}
	}
	return true
}
