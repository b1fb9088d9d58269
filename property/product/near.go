package product

import (
	"context"
	"math"
	"math/bits"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/internal/pagedlist"
	"github.com/inev-lts/inev/internal/property/stateset"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// lasso is a stem and a loop: the product state at which the loop begins, the
// distance of that state, and the transitions of the loop.
type lasso struct {
	Begin    State
	Distance int
	Loop     []lts.Transition
}

// Len returns the number of transitions of a shortest stem and of the loop.
func (l *lasso) Len() int { return l.Distance + len(l.Loop) }

// NearSearch searches for the shortest lasso that violates a property, among the
// product states near the initial one. It stores no transitions beside the
// model's. It suits models with a violating lasso of few transitions.
type NearSearch interface {
	// Allow lets the search read this many more product states and transitions; four times as many
	// if it has already found a lasso.
	Allow(looks int)
	// IsOverLimit reports whether the search has read more than Allow lets it read.
	IsOverLimit() bool
	// Search continues until the answer is known or the limit is reached. If it is known, Found is
	// the first of the shortest lassos; nil if no lasso is below the bound of Below and shorter
	// than a run to [Levels.Bad]. If it is not known, Found is some violating lasso, nil if none
	// was found. Errors as for [Levels.Explore].
	Search(ctx context.Context) (known bool, err error)
	// Round continues the search as Search does, but only for the next lengths.
	Round(ctx context.Context) (known bool, err error)
	// Found returns the product state at which the loop of the lasso begins, its
	// distance, and the loop; nil if nothing was found.
	Found() (begin State, distance int, loop []lts.Transition)
	// Bound returns a length such that every lasso has more transitions.
	Bound() int
	// Below makes the search ignore lassos with this many transitions or more.
	Below(length int)
	// Within makes the search ignore product states that lie on no loop by [Levels.Loops], for the
	// same pairs.
	Within()
	// Examined returns the number of product states that searches for one loop have visited.
	Examined() int64
}

// A near search takes at most mostNearPairs pairs, with at most mostNearBits Inf
// colours each.
const (
	mostNearPairs = 4
	mostNearBits  = 8
)

// Near returns a search for lassos that violate the property by one of these
// pairs and have fewer transitions than the bound below; nil if there are too
// many pairs or colours. The caller knows that no lasso has at most excluded
// transitions. Cost, with its search: O(2^k (S + T)) for each product state at
// which a loop may begin, for k colours that a loop must meet; four times the
// memory of Explore for each pair, and 28 bytes for each product state that a
// search of a loop visits.
func (l *Levels) Near(
	ctx context.Context,
	pairs []property.Pair,
	excluded, below int,
) (_ NearSearch, err error) {
	defer abort.Caught(&err)
	if len(pairs) > mostNearPairs ||
		slices.ContainsFunc(pairs, func(p property.Pair) bool { return p.Inf.Len() > mostNearBits }) {
		return nil, nil
	}
	return l.sets.near(ctx, l, pairs, excluded, below), nil
}

// A failed search for one loop ends the whole search if lassos have more than mostNear transitions and
// the failed search has read more than the fraction 1/wideSearch of all states and transitions.
const (
	mostNear   = 64
	wideSearch = 4
)

// near searches for lassos in rounds, with a bound on their length that rises.
//
// Let w be the first product state, in the order of their numbers, at which a
// shortest lasso begins its loop. No state of the loop comes before w, since the
// loop could begin there. So the last transition of the loop makes w a head: it
// leads to w from a product state u that is at least as far as w, and the lasso
// has at least one transition more than the distance of u.
type near[W stateset.Set] struct {
	*Levels
	below int
	pairs []nearPair[W]
	// markedStates has the product states at distances below marked: their transitions
	// were searched for heads.
	markedStates []W
	markedLevels int
	// onLoops has the property states that lie on loops of some pair.
	onLoops W
	// exhausted is set once all product states that can be reached are in levels: there is no further level.
	exhausted bool
	// coloured reports whether the loops of some pair must meet colours.
	coloured bool
	// finished are the product states that the search for a loop through the current head can skip:
	// those numbered before this head, and those on no loop.
	finished []W
	bound    int
	// excluded is the bound of the previous round: every lasso has more transitions.
	excluded int
	// mayBegin reports whether some loop may begin, as far as the marked product states show.
	mayBegin bool
	// boundStep is the amount by which the next round raises the bound.
	boundStep int
	// visitedLastRound counts the product states that the searches for loops visited in the last round.
	visitedLastRound int64
	// leftOut reports whether this round left out product states that a longer lasso could pass.
	leftOut bool
	loop    loopSearch
	// work is the number of product states and transitions read, and mostWork is its limit.
	work, mostWork int
	best           *lasso
}

// nearPair is the state of the search for one pair.
type nearPair[W stateset.Set] struct {
	// coloursOf[i] has the bits of the Inf colours that transition i of the property
	// meets; negative if no loop of the pair has the transition. allColours has all
	// these bits.
	coloursOf  []int16
	allColours int16
	// heads are the product states where loops may begin, hopeless those where none begins; numHeads
	// is the number of heads.
	heads, hopeless []W
	numHeads        int
	// closed are the heads with an incoming transition that has an Inf colour.
	closed []W
	// behind has an entry for each Inf colour.
	behind []behind
	// onLoops are the product states that may lie on loops; nil for all.
	onLoops []W
}

// near prepares the searches for near loops in the levels l, one for each pair. It searches only
// for runs with more transitions than excluded and fewer than below; shorter runs are known not to
// violate the property.
func (x *words[W]) near(
	ctx context.Context,
	l *Levels,
	pairs []property.Pair,
	excluded, below int,
) (search NearSearch) {
	states := l.model.NumStates()
	abort.On(resources.AskFor[W](ctx, (2+2*len(pairs))*states))
	n := &near[W]{
		Levels:       l,
		below:        below,
		bound:        excluded,
		boundStep:    1,
		markedStates: make([]W, states),
		finished:     make([]W, states),
	}
	n.loop.states = uint64(states)
	n.loop.productStates = states * l.property.States()
	for _, pair := range pairs {
		p := nearPair[W]{
			coloursOf: make([]int16, len(l.table.Next)),
			heads:     make([]W, states),
			hopeless:  make([]W, states),
		}
		n.loop.bits = max(n.loop.bits, pair.Inf.Len())
		p.allColours = 1<<pair.Inf.Len() - 1
		if p.allColours != 0 {
			p.closed = abort.Must(resources.Make[W](ctx, states))
			n.coloured = true
			p.behind = newBehind(ctx, l, p.allColours)
		}
		with, _ := stateset.Loops(&l.table, pair)
		for i := range p.coloursOf {
			q := i / l.table.Columns
			p.coloursOf[i] = -1
			if l.marks(i)&pair.Fin == 0 && stateset.Has(with[q], l.table.Next[i]) {
				p.coloursOf[i] = coloursMet(l.marks(i), pair.Inf)
				n.onLoops |= 1 << q
			}
		}
		n.pairs = append(n.pairs, p)
	}
	return n
}

// coloursMet returns the wanted colours among marks as bits, numbered from 0.
func coloursMet(marks, wanted property.Marks) (met int16) {
	i := 0
	for colour := range wanted.All {
		if marks.Has(colour) {
			met |= 1 << i
		}
		i++
	}
	return met
}

func (n *near[W]) Examined() int64 { return n.loop.visited }

// Within restricts each search, and its heads, to the candidates that [Levels.Loops] has found for its
// pair: the product states that may lie on loops.
func (n *near[W]) Within() {
	for k := range n.pairs {
		p := &n.pairs[k]
		candidates := n.candidates[k].(*avoidance[W]).remaining
		if candidates == nil { // there are none, while nil for onLoops would mean all product states
			candidates = make([]W, len(n.markedStates))
		}
		p.onLoops = candidates
		p.numHeads = 0
		for s, set := range candidates {
			p.heads[s] &= set
			p.numHeads += bits.OnesCount64(uint64(p.heads[s]))
		}
	}
}

func (n *near[W]) Allow(looks int) { n.mostWork = n.work + looks }

func (n *near[W]) IsOverLimit() bool { return n.work > n.mostWork }

func (n *near[W]) Bound() int { return n.bound }

func (n *near[W]) Below(length int) { n.below = min(n.below, length) }

func (n *near[W]) Found() (begin State, distance int, loop []lts.Transition) {
	if n.best == nil {
		return State{}, 0, nil
	}
	return n.best.Begin, n.best.Distance, n.best.Loop
}

func (n *near[W]) Search(ctx context.Context) (known bool, err error) {
	for !known && err == nil && !n.IsOverLimit() {
		known, err = n.Round(ctx)
	}
	return known, err
}

func (n *near[W]) Round(ctx context.Context) (known bool, err error) {
	defer abort.Caught(&err)
	n.best = nil
	if n.bound >= n.below-1 {
		n.exploreStops(ctx, max(n.below-1, 0))
		return true, nil
	}
	n.excluded = n.bound
	visitedBefore := n.loop.visited
	n.bound = min(n.bound+n.boundStep, n.below-1)
	isComplete := false
	err = abort.Try(func() { isComplete = n.round(ctx) })
	switch {
	case err != nil || n.IsOverLimit():
		n.bound = n.excluded // this round has excluded nothing
		return false, err
	case n.best != nil || isComplete:
		return true, nil
	}
	// The bound rises faster and faster, as long as a round visits less than twice as many product
	// states as the previous one.
	visited := n.loop.visited - visitedBefore
	n.boundStep *= 2
	if visited >= 2*n.visitedLastRound {
		n.boundStep = 1
	}
	n.visitedLastRound = visited
	return false, nil
}

// round searches for the best lasso within the bound. It lowers the bound to the distances that
// mark has examined. It reports whether a search with a larger bound would find nothing more. It
// ends early when the work is used up.
func (n *near[W]) round(ctx context.Context) (isComplete bool) {
	n.best = nil
	n.leftOut = false
	n.sets.explore(ctx, n.Levels, n.bound-1)
	n.exploreStops(ctx, n.bound)
	if _, distance, hasBad := n.Bad(); hasBad {
		n.below = min(n.below, distance)
		n.bound = min(n.bound, n.below-1)
	}
	areAllMarked := n.mark(ctx)
	if n.markedLevels < n.bound && !areAllMarked {
		n.bound = n.markedLevels
	}
	for k := 0; k < len(n.pairs) && n.work <= n.mostWork; k++ {
		n.searchPair(ctx, &n.pairs[k])
	}
	return areAllMarked && !n.leftOut
}

// exploreStops finds the product states within a distance, if a deadlock may
// exist in which the property must not stop.
func (n *near[W]) exploreStops(ctx context.Context, within int) {
	if n.begins != nil && !n.mayStop {
		return
	}
	n.sets.explore(ctx, n.Levels, within)
}

// mark finds the heads to which a transition leads from a product state at a distance below the
// bound, level by level up to the first one after which a loop may begin. It reports whether all
// product states are marked.
func (n *near[W]) mark(ctx context.Context) (all bool) {
	for n.markedLevels < n.bound {
		first, end := n.levelRange(n.markedLevels)
		if first == end {
			n.exhausted = true
			n.advanceAll(ctx, n.bound)
			return true
		}
		n.work += end - first
		for i := first; i < end; i++ {
			p := n.productState(i)
			n.markedStates[p.State] |= 1 << p.Q
		}
		for i := first; i < end; i++ {
			abort.IfDone(ctx, i)
			p := n.productState(i)
			isOnLoop := stateset.Has(n.onLoops, p.Q)
			if isOnLoop {
				n.markHeads(p)
			}
		}
		n.markedLevels++
		n.advanceAll(ctx, n.markedLevels)
		if !n.mayBegin && n.mayBeginAnywhere() {
			n.mayBegin = true
			break
		}
	}
	return false
}

// mayBeginAnywhere reports whether a loop may begin at any head.
func (n *near[W]) mayBeginAnywhere() bool {
	for k := range n.pairs {
		p := &n.pairs[k]
		if p.numHeads > 0 && p.isBehindAll() {
			return true
		}
	}
	return false
}

// markHeads finds the heads to which a transition leads from a product state, and records which colours the
// transitions have. A head is no farther than the product state before it, see [near], so it is marked. Other
// targets matter only if the loops of some pair must meet colours.
func (n *near[W]) markHeads(from State) {
	labels, targets := n.model.Out(from.State)
	n.work += len(targets)
	row := int(from.Q) * n.table.Columns
	for j, t := range targets {
		marked := n.markedStates[t]
		if marked == 0 && !n.coloured {
			continue
		}
		i := row + int(n.table.Letters[labels.At(j)])
		q := n.table.Next[i]
		isMarked := stateset.Has(marked, q)
		if !isMarked && !n.coloured {
			continue
		}
		for k := range n.pairs {
			n.markHead(&n.pairs[k], i, State{t, q}, isMarked)
		}
	}
}

// markHead makes the target of transition i of the property a head of a pair, if it is marked and may lie on a
// loop of the pair.
func (n *near[W]) markHead(p *nearPair[W], i int, target State, isMarked bool) {
	met := p.coloursOf[i]
	if met > 0 {
		n.recordColours(p, i, target)
	}
	isOfPair := met >= 0
	if !isMarked || !isOfPair {
		return
	}
	t := target.State
	head := W(1) << target.Q
	isKnown := (p.heads[t]|p.hopeless[t])&head != 0
	mayLoop := p.onLoops == nil || p.onLoops[t]&head != 0
	if !isKnown && mayLoop {
		p.heads[t] |= head
		p.numHeads++
	}
	if met > 0 {
		p.closed[t] |= head
	}
}

// searchPair searches for the best lasso within the bound whose loop satisfies one pair, as
// [near.round] does. It tries the heads by their distances, so that a loop that is found bounds the
// lassos of all later heads.
func (n *near[W]) searchPair(ctx context.Context, p *nearPair[W]) {
	if p.numHeads == 0 {
		return
	}
	n.skipOffLoops(p)
	for distance := 0; distance < n.improvingLength(); distance++ {
		first, end := n.levelRange(distance)
		for i := first; i < end; i++ {
			n.work++
			abort.IfDone(ctx, i)
			state := n.productState(i)
			isHead := hasState(p.heads, state)
			if isHead && !p.mayBegin(state) {
				n.leftOut = n.leftOut || p.mayBeginLater(state, n.exhausted)
			} else if isHead {
				n.searchLoop(ctx, p, state, distance)
				if n.work > n.mostWork || distance >= n.improvingLength() {
					return
				}
			}
			n.finished[state.State] |= 1 << state.Q
		}
	}
}

// skipOffLoops marks the product states that lie on no loop of the pair as finished, and no others.
func (n *near[W]) skipOffLoops(p *nearPair[W]) {
	if p.onLoops == nil {
		clear(n.finished)
	}
	for s, onLoops := range p.onLoops {
		n.finished[s] = ^onLoops
	}
}

// hasState reports whether sets, which have a bit for each property state of each state of the model,
// have a product state.
func hasState[W stateset.Set](sets []W, at State) bool { return stateset.Has(sets[at.State], at.Q) }

// improvingLength returns the largest number of transitions of a lasso that would still improve the result;
// 0 if no lasso would.
func (n *near[W]) improvingLength() int {
	if n.best == nil {
		return n.bound
	}
	if n.best.Len()-1 <= n.excluded {
		return 0
	}
	return min(n.bound, n.best.Len()-1)
}

// searchLoop searches for the first of the shortest loops from a head that make a lasso within the
// bound. It removes the head if no loop begins there.
func (n *near[W]) searchLoop(ctx context.Context, p *nearPair[W], head State, distance int) {
	workBefore := n.work
	loop, mayBeLonger := n.shortestLoop(ctx, p, head, n.improvingLength()-distance)
	if n.work > n.mostWork {
		return
	}
	if loop != nil {
		if n.best == nil {
			n.mostWork += 3 * (n.mostWork - n.work)
		}
		n.best = &lasso{Begin: head, Distance: distance, Loop: loop}
		return
	}
	// The search gives up: the searches from other heads would probably cost as much as this one.
	size := n.model.NumStates() + n.model.NumTransitions()
	isWide := wideSearch*(n.work-workBefore) > size
	if n.bound > mostNear && isWide {
		n.mostWork = min(n.mostWork, n.work-1) // the search is tired
	}
	if mayBeLonger {
		n.leftOut = true
		return
	}
	p.heads[head.State] &^= 1 << head.Q
	p.hopeless[head.State] |= 1 << head.Q
	p.numHeads--
}

// shortestLoop returns the first of the shortest loops from a head with at most the given number of
// transitions; nil if there is none, or if the search has done too much work. If there is none,
// mayBeLonger reports whether a longer loop may begin at the head.
func (n *near[W]) shortestLoop(
	ctx context.Context,
	p *nearPair[W],
	head State,
	most int,
) (loop []lts.Transition, mayBeLonger bool) {
	x := &n.loop
	lastMayMeet := p.allColours == 0 || hasState(p.closed, head)
	x.start(ctx, head)
	first := 0 // the first node whose transitions were not read
	for length := 1; length <= most; length++ {
		end := x.nodes.Len()
		if first == end {
			return nil, x.leftOut
		}
		rest := most - length
		v := view{
			start:  head,
			length: length,
			last:   rest == 0,
			due:    p.dueColours(head, rest),
		}
		// If no transition at the end of the loop meets colours, the transition before it must meet
		// the last colours.
		if !lastMayMeet && rest == 1 {
			v.due = uint8(p.allColours)
		}
		for ; first < end; first++ {
			loop := n.readNode(ctx, p, first, v)
			if loop != nil || n.work > n.mostWork {
				return loop, true
			}
		}
	}
	return nil, true
}

// view selects the relevant transitions of a node.
type view struct {
	start State
	// length is the number of transitions of a loop that closes at this depth.
	length int
	// last reports whether only transitions back to the start are relevant. due are the colours that
	// must be met up to and including the transition.
	last bool
	due  uint8
}

// readNode reads the transitions of a node, and returns the loop that one of them
// closes. Unless v.last is set, it adds their targets as nodes; those without the colours that are
// due are left out, since no loop of the wanted length passes them.
func (n *near[W]) readNode(
	ctx context.Context,
	p *nearPair[W],
	number int,
	v view,
) []lts.Transition {
	x := &n.loop
	node := *n.loop.nodes.At(number)
	labels, targets := n.model.Out(node.state)
	n.work += len(targets) + 1
	x.visited++
	abort.IfDone(ctx, int(x.visited))
	row := int(node.q) * n.table.Columns
	for j, t := range targets {
		if v.last && t != v.start.State {
			continue
		}
		l := labels.At(j)
		i := row + int(n.table.Letters[l])
		q := n.table.Next[i]
		if p.coloursOf[i] < 0 {
			continue
		}
		met := node.met | uint8(p.coloursOf[i])
		if t == v.start.State && q == v.start.Q && met == uint8(p.allColours) {
			return x.loopTo(number, lts.Transition{From: node.state, Label: l, To: t}, v.length)
		}
		if v.last || hasState(n.finished, State{t, q}) {
			continue
		}
		if v.due&^met != 0 {
			x.leftOut = true
			continue
		}
		x.add(ctx, loopNode{
			state:  t,
			q:      uint8(q),
			met:    met,
			label:  l,
			before: uint32(number),
		})
	}
	return nil
}

const (
	// mostForBehind is the largest number of property states for which behind is
	// used.
	mostForBehind = 4
	// A colour excludes too little if more than 1/manyBehind of the product states lie behind it.
	manyBehind = 2
	// fewForBehind is the largest number of product states for which behind is used whatever a
	// colour excludes.
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
	// front are the product states whose f has decreased at this level, where a level is a value of
	// the sum; next are the product states found so far for the next level.
	front, next      []afterColour
	level, numBehind int
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
		all = append(all, behind{
			colour: colour,
			since:  since,
			states: l.property.States(),
		})
	}
	return all
}

// sinceAt returns a pointer to f of a product state.
func (b *behind) sinceAt(at State) *uint8 { return &b.since[int(at.State)*b.states+int(at.Q)] }

// add lowers f of a product state to the given value, and adds the product state to the next level;
// it does nothing if f is as low already.
func (b *behind) add(at State, since uint8) {
	known := b.sinceAt(at)
	if since >= *known {
		return
	}
	if *known == notBehind {
		b.numBehind++
	}
	*known = since
	b.next = append(b.next, afterColour{at, since})
}

// recordColours adds the target of transition i of the property after the colours of the
// transition.
func (n *near[W]) recordColours(p *nearPair[W], i int, to State) {
	for c := range p.behind {
		b := &p.behind[c]
		if b.since != nil && p.coloursOf[i] > 0 && p.coloursOf[i]&b.colour != 0 {
			b.add(to, 0)
		}
	}
}

// advance advances to the next level.
func (n *near[W]) advance(ctx context.Context, p *nearPair[W], b *behind) {
	for i, from := range b.front {
		if (i+1)%4096 == 0 {
			abort.On(ctx.Err())
		}
		labels, targets := n.model.Out(from.at.State)
		n.work += len(targets) + 1
		row := int(from.at.Q) * n.table.Columns
		for j, t := range targets {
			i := row + int(n.table.Letters[labels.At(j)])
			if p.coloursOf[i] >= 0 {
				b.add(State{t, n.table.Next[i]}, min(from.since+1, farBehind))
			}
		}
	}
	b.level++
	b.front, b.next = b.next, b.front[:0]
	if n.Len() > fewForBehind && manyBehind*b.numBehind > n.Len() {
		b.since = nil
		b.front = nil
		b.next = nil
	}
	abort.On(resources.AskFor[afterColour](ctx, len(b.front)))
}

// advanceAll advances all colours to a level.
func (n *near[W]) advanceAll(ctx context.Context, level int) {
	for k := range n.pairs {
		p := &n.pairs[k]
		for i := range p.behind {
			for b := &p.behind[i]; b.since != nil && b.level < level; {
				n.advance(ctx, p, b)
			}
		}
	}
}

// isBehindAll reports whether each colour has product states behind it.
func (p *nearPair[W]) isBehindAll() bool {
	return !slices.ContainsFunc(p.behind, func(b behind) bool {
		return b.since != nil && b.numBehind == 0
	})
}

// mayBegin reports whether a loop may begin at a product state: only if f is known there for every
// colour.
func (p *nearPair[W]) mayBegin(at State) bool {
	for i := range p.behind {
		b := &p.behind[i]
		if b.since != nil && *b.sinceAt(at) == notBehind {
			return false
		}
	}
	return true
}

// mayBeginLater reports whether a loop may begin at a product state within a larger
// bound, although none does within this one.
func (p *nearPair[W]) mayBeginLater(at State, exhausted bool) bool {
	for i := range p.behind {
		b := &p.behind[i]
		isUnknown := b.since != nil && *b.sinceAt(at) == notBehind
		staysUnknown := exhausted && len(b.front) == 0
		if isUnknown && staysUnknown {
			return false
		}
	}
	return true
}

// dueColours returns the colours that a loop from a product state must have met if left is the
// number of transitions that remain after the next one.
func (p *nearPair[W]) dueColours(at State, left int) (colours uint8) {
	for i := range p.behind {
		b := &p.behind[i]
		if b.since != nil && left <= int(*b.sinceAt(at)) {
			colours |= uint8(b.colour)
		}
	}
	return colours
}

// loopSearch is a breadth-first search from one product state. It records visited
// nodes in a hash table no larger than necessary, because most searches of [near]
// visit few. Once the table would take as much memory as a bit for each product
// state and set of colours, it uses these bits instead.
type loopSearch struct {
	nodes pagedlist.List[loopNode]
	// table has the keys of the nodes, each with the number of its search in the
	// highest bits: entries of other searches count as empty. Only the first
	// mask+1 entries are in use.
	table  []uint64
	mask   uint64
	search uint64
	// dense has a bit for each possible node. All bits are 0, except those of the
	// nodes while isDense is set.
	dense   bitset.Set[int]
	isDense bool
	// states and productStates are the numbers of model states and of product states, and bits is
	// the largest number of colours.
	states              uint64
	productStates, bits int
	// visited counts the nodes whose transitions were read, in all searches.
	visited int64
	leftOut bool // whether product states were left out that a longer loop could pass
}

// loopNode is a product state that was visited with some colours met, and the node from where a
// transition led there.
type loopNode struct {
	state  lts.State
	label  lts.Label
	before uint32
	q, met uint8
}

const (
	// keyBits is the size of a key: 32 bits for a model state, 6 for a property
	// state, and the colours.
	keyBits = 32 + 6 + mostNearBits
	// leastTable is the initial length of the table, a power of two.
	leastTable = 1 << 8
	// askedNodes is the number of nodes for which memory is asked at a time once the search is dense.
	askedNodes = 1 << 16
)

func (v *loopNode) key() uint64 {
	return uint64(v.state)<<(6+mostNearBits) | uint64(v.q)<<mostNearBits | uint64(v.met)
}

// start makes a product state the only node, with no colours met.
func (x *loopSearch) start(ctx context.Context, first State) {
	if x.isDense {
		for _, v := range x.nodes.All() {
			x.dense.Remove(x.denseBit(v))
		}
		x.isDense = false
	}
	x.nodes.Truncate(0)
	x.leftOut = false
	if x.table == nil {
		x.table = make([]uint64, leastTable)
	}
	x.mask = leastTable - 1
	x.emptyTable()
	x.add(ctx, loopNode{state: first.State, q: uint8(first.Q)})
}

// emptyTable empties the table.
func (x *loopSearch) emptyTable() {
	x.search++
	if x.search>>(64-keyBits) != 0 {
		clear(x.table)
		x.search = 1
	}
}

// add adds a node, unless it is known.
func (x *loopSearch) add(ctx context.Context, v loopNode) {
	if x.isDense {
		bit := x.denseBit(v)
		if !x.dense.Has(bit) {
			x.dense.Add(bit)
			x.nodes.Append(v)
		}
		if x.nodes.Len()%askedNodes == 0 {
			abort.On(resources.AskFor[loopNode](ctx, askedNodes))
		}
		return
	}
	if !x.insertKey(v.key()) {
		return
	}
	x.nodes.Append(v)
	if uint64(2*x.nodes.Len()) <= x.mask {
		return
	}
	x.grow(ctx)
}

// grow makes room for more nodes.
func (x *loopSearch) grow(ctx context.Context) {
	x.mask = 2*x.mask + 1
	words := x.productStates<<x.bits/64 + 1
	if x.dense != nil || uint64(words) <= x.mask {
		// The table is replaced by this many words of bits.
		if x.dense == nil {
			x.dense = abort.Must(resources.Make[uint64](ctx, words))
		}
		x.isDense = true
		for _, v := range x.nodes.All() {
			x.dense.Add(x.denseBit(v))
		}
		return
	}
	if uint64(len(x.table)) <= x.mask {
		// The pages of nodes take one and a half times as much memory as the
		// table.
		abort.On(resources.AskFor[uint64](ctx, 3*int(x.mask+1)))
		x.table = make([]uint64, x.mask+1)
	}
	x.emptyTable()
	for _, v := range x.nodes.All() {
		x.insertKey(v.key())
	}
}

func (x *loopSearch) denseBit(v loopNode) int {
	return int((uint64(v.q)*x.states+uint64(v.state))<<x.bits | uint64(v.met))
}

// insertKey adds a key to the table, and reports whether it is new.
func (x *loopSearch) insertKey(key uint64) bool {
	const odd = 0x9e3779b97f4a7c15
	want := x.search<<keyBits | key
	for i := (key * odd) >> 20 & x.mask; ; i = (i + 1) & x.mask {
		held := x.table[i]
		switch {
		case held == want:
			return false
		case held>>keyBits != x.search:
			x.table[i] = want
			return true
		}
	}
}

// loopTo returns the loop through a node that has this many transitions and ends with the
// transition last.
func (x *loopSearch) loopTo(number int, last lts.Transition, length int) []lts.Transition {
	loop := make([]lts.Transition, length)
	for i := length - 1; ; i-- {
		loop[i] = last
		if i == 0 {
			return loop
		}
		v := x.nodes.At(number)
		number = int(v.before)
		last = lts.Transition{
			From:  x.nodes.At(number).state,
			Label: v.label,
			To:    v.state,
		}
	}
}
