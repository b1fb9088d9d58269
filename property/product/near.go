package product

import (
	"context"
	"math/bits"
	"slices"

	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/stateset"
)

// lasso is a run that goes on in a loop, by the place where the loop begins, the distance of that
// place, and the transitions of the loop.
type lasso struct {
	Begin    Place
	Distance int
	Loop     []lts.Transition
}

// Len returns the number of transitions, of a shortest way to the loop and of the loop.
func (l *lasso) Len() int { return l.Distance + len(l.Loop) }

// nearSearch looks for the shortest run with a loop that violates a property, in the places that are
// near the initial one and without any transitions but the model's: it suits where there is one of
// few transitions.
type nearSearch interface {
	// Allow makes it look at so many more places and transitions; four times as many if it has
	// found something by then.
	Allow(looks int)
	// Tired reports whether it has looked at as many as it may.
	Tired() bool
	// Search goes on until all is known or it is tired. What is known is the
	// first of the shortest lassos, nil if there is none with fewer transitions than asked for,
	// or than a run that ends in [Levels.Bad] has. What is not is one that violates the property,
	// nil if none was found. Errors as for [Levels.Explore].
	Search(ctx context.Context) (known bool, err error)
	// Round is Search for the next lengths only.
	Round(ctx context.Context) (known bool, err error)
	// Found returns where the loop of what was found begins, the distance of that place, and the
	// loop; nil if nothing was found.
	Found() (begin Place, distance int, loop []lts.Transition)
	// Bound is a length such that no lasso has at most so many transitions.
	Bound() int
	// Below makes lassos that have so many transitions or more of no interest.
	Below(length int)
	// Within leaves out what [Levels.Loops] has found to be on no loop, for the same pairs.
	Within()
	// Looked returns how many places were looked at.
	Looked() int64
}

// A near search is for at most so many pairs, that ask for at most so many colours.
const (
	mostNearPairs = 4
	mostNearBits  = 8
)

// Near returns a search for lassos that violate the property by one of these pairs, and have
// fewer transitions than below; nil if there are too many pairs or colours. Those that have at most
// excluded are known not to be. Cost, with its search: O(2^k (S + T)) for each place where a
// loop may begin, for k colours that a loop must meet; four times the memory of Explore
// for each pair, and 28 bytes for each place that a search of a loop meets.
func (l *Levels) Near(ctx context.Context, pairs []property.Pair, excluded, below int) (nearSearch, error) {
	if len(pairs) > mostNearPairs || slices.ContainsFunc(pairs, func(p property.Pair) bool { return p.Inf.Len() > mostNearBits }) {
		return nil, nil
	}
	return l.sets.near(ctx, l, pairs, excluded, below)
}

// A search in vain for one loop of a run with more than mostNear transitions ends all, if it has looked at
// this part of all states and transitions, as its reciprocal.
const (
	mostNear   = 64
	wideSearch = 4
)

// near looks for lassos in rounds, within a bound that rises.
//
// Let w be the first place, in the order of their numbers, where a shortest one begins its loop.
// No place of the loop comes before w, for the loop could begin there. So the last transition of
// the loop makes w a head: it leads to w from a place u that is no nearer, and the lasso has one
// transition more than u is far, at least.
type near[W stateset.Set] struct {
	*Levels
	below int
	pairs []nearPair[W]
	// upTo are the places at distances below marked: their transitions were looked at for heads.
	upTo   []W
	marked int
	// on are the states of the property where loops of some pair go on.
	on W
	// exhausted says that no place is further away than those.
	exhausted bool
	// coloured says that some loops must meet colours.
	coloured bool
	// finished are places that come before the one where loops begin now, or lie on none.
	finished []W
	bound    int
	// excluded is the bound of the round before: no lasso has at most so many transitions.
	excluded int
	// begun says that a loop may begin somewhere, as far as the marked places show.
	begun bool
	step  int
	last  int64 // how many places the loops of the last round have met
	cut   bool
	loop  loopSearch
	// work is the number of places and transitions that were looked at, most what it may be.
	work, most int
	best       *lasso
}

// nearPair is what loops of one pair meet.
type nearPair[W stateset.Set] struct {
	// met has the bits of the colours that a loop must meet, by state of the property and
	// letter; negative if it does not go there.
	met  []int16
	full int16
	// heads are the places where loops may begin, hopeless those where none does; live is the
	// number of heads.
	heads, hopeless []W
	live            int
	// closed are the heads with a transition to them that has a colour that a loop must meet.
	closed []W
	// behind has for each of the colours the places that come after it.
	behind []behind
	// left are the places that may be on loops; nil for all.
	left []W
}

func (x *words[W]) near(ctx context.Context, l *Levels, pairs []property.Pair, excluded, below int) (search nearSearch, err error) {
	states := l.model.NumStates()
	if err := resources.AskFor[W](ctx, (2+2*len(pairs))*states); err != nil {
		return nil, err
	}
	n := &near[W]{Levels: l, below: below, bound: excluded, step: 1, upTo: make([]W, states), finished: make([]W, states)}
	n.loop.states, n.loop.places = uint64(states), states*l.property.States()
	for _, pair := range pairs {
		p := nearPair[W]{met: make([]int16, len(l.table.Next)), heads: make([]W, states), hopeless: make([]W, states)}
		n.loop.bits = max(n.loop.bits, pair.Inf.Len())
		if p.full = 1<<pair.Inf.Len() - 1; p.full != 0 {
			if p.closed, err = resources.Make[W](ctx, states); err != nil {
				return nil, err
			}
			n.coloured = true
			if p.behind, err = newBehind(ctx, l, p.full); err != nil {
				return nil, err
			}
		}
		with, _ := stateset.Loops(&l.table, pair)
		for i := range p.met {
			q := i / l.table.Columns
			if p.met[i] = -1; l.marks(i)&pair.Fin == 0 && with[q]>>l.table.Next[i]&1 != 0 {
				p.met[i] = coloursMet(l.marks(i), pair.Inf)
				n.on |= 1 << q
			}
		}
		n.pairs = append(n.pairs, p)
	}
	return n, nil
}

// coloursMet returns those of the wanted colours that are among marks, numbered from 0.
func coloursMet(marks, wanted property.Marks) (met int16) {
	for i := 0; wanted != 0; i++ {
		if c := property.Mark(bits.TrailingZeros64(uint64(wanted))); marks&c != 0 {
			met |= 1 << i
		}
		wanted &= wanted - 1
	}
	return met
}

func (n *near[W]) Looked() int64 { return n.loop.looked }

func (n *near[W]) Within() {
	for k := range n.pairs {
		p := &n.pairs[k]
		p.live = 0
		if p.left = n.rests[k].(*avoidance[W]).left; p.left == nil {
			p.left = make([]W, len(n.upTo))
		}
		for s, left := range p.left {
			p.heads[s] &= left
			p.live += bits.OnesCount64(uint64(p.heads[s]))
		}
	}
}

func (n *near[W]) Allow(looks int) { n.most = n.work + looks }

func (n *near[W]) Tired() bool { return n.work > n.most }

func (n *near[W]) Bound() int { return n.bound }

func (n *near[W]) Below(length int) { n.below = min(n.below, length) }

func (n *near[W]) Found() (begin Place, distance int, loop []lts.Transition) {
	if n.best == nil {
		return Place{}, 0, nil
	}
	return n.best.Begin, n.best.Distance, n.best.Loop
}

func (n *near[W]) Search(ctx context.Context) (known bool, err error) {
	for !known && err == nil && !n.Tired() {
		known, err = n.Round(ctx)
	}
	return known, err
}

func (n *near[W]) Round(ctx context.Context) (known bool, err error) {
	if n.best = nil; n.bound >= n.below-1 {
		return true, n.exploreStops(ctx, max(n.below-1, 0))
	}
	before, looked := n.bound, n.loop.looked
	n.excluded, n.bound = before, min(n.bound+n.step, n.below-1)
	all, err := n.round(ctx)
	switch {
	case err != nil || n.Tired():
		n.bound = before
		return false, err
	case n.best != nil || all:
		return true, nil
	}
	looked = n.loop.looked - looked
	if n.step *= 2; looked >= 2*n.last {
		n.step = 1
	}
	n.last = looked
	return false, nil
}

// round looks for the best lasso within the bound, and lowers that as long as no
// loop may begin. It reports whether a larger one can find nothing. It ends early when it
// has cost too much.
func (n *near[W]) round(ctx context.Context) (all bool, err error) {
	n.best, n.cut = nil, false
	if err = n.Explore(ctx, n.bound-1); err == nil {
		err = n.exploreStops(ctx, n.bound)
	}
	if err != nil {
		return false, err
	}
	if _, distance, is := n.Bad(); is {
		n.below = min(n.below, distance)
		n.bound = min(n.bound, n.below-1)
	}
	if all, err = n.mark(ctx); err == nil && n.marked < n.bound && !all {
		n.bound = n.marked
	}
	for k := 0; k < len(n.pairs) && err == nil && n.work <= n.most; k++ {
		err = n.roundOf(ctx, &n.pairs[k])
	}
	return all && !n.cut, err
}

// exploreStops finds the places within a distance if a run may stop in one where it must not.
func (n *near[W]) exploreStops(ctx context.Context, within int) error {
	if n.begins != nil && !n.stops {
		return nil
	}
	return n.Explore(ctx, within)
}

// mark finds the heads with a transition from a place at a distance below the bound, up to
// the first distance from where a loop may begin. It reports whether there is no place that is further away.
func (n *near[W]) mark(ctx context.Context) (all bool, err error) {
	for n.marked < n.bound {
		first, end := n.level(n.marked)
		if first == end {
			n.exhausted = true
			return true, n.goOnTo(ctx, n.bound)
		}
		n.work += end - first
		for i := first; i < end; i++ {
			p := n.place(i)
			n.upTo[p.State] |= 1 << p.Q
		}
		for i := first; i < end; i++ {
			if i&(1<<12-1) == 0 && ctx.Err() != nil {
				return false, ctx.Err()
			}
			if p := n.place(i); n.on>>p.Q&1 != 0 {
				n.markFrom(p)
			}
		}
		n.marked++
		if err := n.goOnTo(ctx, n.marked); err != nil {
			return false, err
		}
		if !n.begun && n.mayBeginAnywhere() {
			n.begun = true
			break
		}
	}
	return false, nil
}

// mayBeginAnywhere reports whether a loop may.
func (n *near[W]) mayBeginAnywhere() bool {
	for k := range n.pairs {
		if p := &n.pairs[k]; p.live > 0 && p.isBehindAll() {
			return true
		}
	}
	return false
}

func (n *near[W]) markFrom(from Place) {
	labels, targets := n.model.Out(from.State)
	n.work += len(targets)
	row := int(from.Q) * n.table.Columns
	for j, t := range targets {
		known := n.upTo[t]
		if known == 0 && !n.coloured {
			continue
		}
		i := row + int(n.table.Letters[labels.At(j)])
		q := n.table.Next[i]
		head := W(1) << q
		if known&head == 0 && !n.coloured {
			continue
		}
		for k := range n.pairs {
			p := &n.pairs[k]
			met := p.met[i]
			if met > 0 {
				n.meet(p, i, Place{t, q})
			}
			if known&head == 0 || met < 0 {
				continue
			}
			if (p.heads[t]|p.hopeless[t])&head == 0 && (p.left == nil || p.left[t]&head != 0) {
				p.heads[t] |= head
				p.live++
			}
			if met > 0 {
				p.closed[t] |= head
			}
		}
	}
}

// roundOf is round for one pair.
func (n *near[W]) roundOf(ctx context.Context, p *nearPair[W]) error {
	if p.live == 0 {
		return nil
	}
	if p.left == nil {
		clear(n.finished)
	}
	for s, left := range p.left {
		n.finished[s] = ^left
	}
	for d := 0; d < n.within(); d++ {
		first, end := n.level(d)
		for i := first; i < end; i++ {
			if n.work++; i&(1<<12-1) == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			at := n.place(i)
			switch {
			case p.heads[at.State]>>at.Q&1 == 0:
			case !p.mayBegin(at):
				n.cut = n.cut || p.mayCome(at, n.exhausted)
			default:
				if err := n.from(ctx, p, at, d); err != nil || n.work > n.most || d >= n.within() {
					return err
				}
			}
			n.finished[at.State] |= 1 << at.Q
		}
	}
	return nil
}

// within is the number of transitions that a lasso may have which is of interest; 0 if there is
// none.
func (n *near[W]) within() int {
	if n.best == nil {
		return n.bound
	}
	if n.best.Len()-1 <= n.excluded {
		return 0
	}
	return min(n.bound, n.best.Len()-1)
}

// from looks for the first of the shortest loops from a head that make a lasso of interest.
func (n *near[W]) from(ctx context.Context, p *nearPair[W], at Place, distance int) error {
	x := &n.loop
	cut, closed := true, p.full == 0 || p.closed[at.State]>>at.Q&1 != 0
	work := n.work
	if err := x.begin(ctx, at); err != nil {
		return err
	}
	for first, length := 0, 1; length <= n.within()-distance; length++ {
		end := x.nodes.Len()
		if first == end {
			cut = x.cut
			break
		}
		left := n.within() - distance - length
		v := view{start: at, length: length, last: left == 0, due: p.due(at, left)}
		// The last transition but one has to meet the last colours, if no last one does.
		if !closed && left == 1 {
			v.due = uint8(p.full)
		}
		for ; first < end; first++ {
			loop, err := n.look(ctx, p, first, v)
			if err != nil || n.work > n.most {
				return err
			}
			if loop != nil {
				if n.best == nil {
					n.most += 3 * (n.most - n.work)
				}
				n.best = &lasso{at, distance, loop}
				return nil
			}
		}
	}
	// Where one long loop costs so much, so do those from other heads.
	if n.bound > mostNear && wideSearch*(n.work-work) > n.model.NumStates()+n.model.NumTransitions() {
		n.most = min(n.most, n.work-1)
	}
	if cut {
		n.cut = true
		return nil
	}
	p.heads[at.State] &^= 1 << at.Q
	p.hopeless[at.State] |= 1 << at.Q
	p.live--
	return nil
}

// view says which transitions of a node matter.
type view struct {
	start Place
	// length is the number of transitions of a loop that closes now.
	length int
	// last says that only those back to the start do, due which colours have to be met before
	// or by them.
	last bool
	due  uint8
}

// look looks at the transitions of a node, and returns the loop that one of them closes. Unless it
// is one of the last, it adds where they lead.
func (n *near[W]) look(ctx context.Context, p *nearPair[W], number int, v view) ([]lts.Transition, error) {
	x, node := &n.loop, *n.loop.nodes.At(number)
	labels, targets := n.model.Out(node.state)
	n.work += len(targets) + 1
	if x.looked++; x.looked&(1<<12-1) == 0 && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	row := int(node.q) * n.table.Columns
	for j, t := range targets {
		if v.last && t != v.start.State {
			continue
		}
		l := labels.At(j)
		i := row + int(n.table.Letters[l])
		q := n.table.Next[i]
		if p.met[i] < 0 {
			continue
		}
		met := node.met | uint8(p.met[i])
		if t == v.start.State && q == v.start.Q && met == uint8(p.full) {
			return x.loopTo(number, lts.Transition{From: node.state, Label: l, To: t}, v.length), nil
		}
		if v.last || n.finished[t]>>q&1 != 0 {
			continue
		}
		if v.due&^met != 0 {
			x.cut = true
			continue
		}
		if err := x.add(ctx, loopNode{state: t, q: uint8(q), met: met, label: l, before: uint32(number)}); err != nil {
			return nil, err
		}
	}
	return nil, nil
}
