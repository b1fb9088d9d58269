package product

import (
	"context"
	"fmt"
	"math/bits"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/pagedlist"
	"github.com/inev-lts/inev/internal/property/stateset"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// mostTables is the largest number of bytes of tables by letter.
const mostTables = 1 << 24

// Levels lists the reached product states, breadth first from the initial one, with their
// distances: an [Unfolding] without transitions. For each state of the model, one machine word is
// the set of property states with which the state is reached. Levels come from [NewLevels]; see
// [Levels.Explore].
type Levels struct {
	model    *lts.LTS
	property *property.Property
	table    property.Automaton
	// states and qs are the product states in their order; those at distance d
	// begin at index begins[d].
	states pagedlist.List[lts.State]
	qs     pagedlist.List[uint8]
	begins []int
	// searched is the number of distances that were searched for a bad deadlock,
	// one in which the property must not stop.
	searched int
	// mayStop reports whether the model may have a bad deadlock, among these product states or
	// others.
	mayStop bool
	// bad is the index of the first bad deadlock; negative if none was found.
	bad  int
	sets sets
	// leader has the levels of another property for the same model. Every model state of l is also
	// a model state of leader, see [Levels.Follow].
	leader *Levels
	// candidates are the results of [Levels.Loops] and [Levels.Part] for pairs.
	candidates []candidates
}

// sets holds, for each state of a model, a set of property states: the bits of an
// unsigned integer, which is as narrow as the number of property states allows.
type sets interface {
	explore(ctx context.Context, l *Levels, within int)
	candidates(ctx context.Context, l *Levels, pair property.Pair) candidates
	near(ctx context.Context, l *Levels, pairs []property.Pair, excluded, below int) NearSearch
	mayLoop(ctx context.Context, l *Levels, pair property.Pair) float64
}

// NewLevels returns levels without product states; nil unless the property is a
// table of at most 64 states and not too many letters. Cost O(size of the
// property).
func NewLevels(m *lts.LTS, p *property.Property) *Levels {
	if p.Steps() > 0 || p.States() > mostInSet {
		return nil
	}
	l := &Levels{
		model:    m,
		property: p,
		table:    p.Automaton(),
		bad:      -1,
	}
	switch stateset.Width(&l.table, mostTables) {
	case 0:
		return nil
	case 1:
		l.sets = &words[uint8]{}
	case 2:
		l.sets = &words[uint16]{}
	case 4:
		l.sets = &words[uint32]{}
	default:
		l.sets = &words[uint64]{}
	}
	return l
}

// Explore finds the product states within a distance of the initial one. If one
// of them is a deadlock in which the property must not stop, only the first such
// state and nearer ones are found. Further calls extend the search to larger
// distances. It fails if ctx is done, or if there is too little memory. Cost O(n
// T) time for a property of n states, usually little more than O(T); 5 bytes for
// each product state, and n bits for each state of the model, at least 8.
func (l *Levels) Explore(ctx context.Context, within int) (err error) {
	defer abort.Caught(&err)
	l.sets.explore(ctx, l, within)
	return nil
}

// Follow lets l, whose property must have one state, take its product states from
// the levels of another property: model states are reached in the same order as
// in the other levels. Cost of Explore from then on: as much as Explore of the
// other levels, and O(product states).
func (l *Levels) Follow(other *Levels) { l.leader = other }

// First returns the first product state, in the order of their numbers, for which isWanted returns
// true, and the distance of that state. There must be one, unless a deadlock comes before it in
// which the property must not stop. Errors and cost as for [Levels.Explore].
func (l *Levels) First(
	ctx context.Context,
	isWanted func(State) bool,
) (first State, distance int, err error) {
	for i := 0; ; distance++ {
		if err := l.Explore(ctx, distance); err != nil {
			return State{}, 0, err
		}
		if i == l.Len() {
			return State{}, 0, fmt.Errorf("product: no product state satisfies the condition, please report it")
		}
		for ; i < l.Len(); i++ {
			p := l.productState(i)
			if isWanted(p) {
				return p, distance, nil
			}
		}
	}
}

// MayLoop estimates, for each pair, the product states that may lie on a loop that violates the
// property by this pair. It returns the largest estimate, as a fraction of all product states,
// reachable or not. The estimate is an upper bound, so that the property holds if it is 0 and no
// run stops where it must not. Errors as for [Levels.Explore]. Cost O(T) for each pass; n bits for
// each state of the model, at least 8, for a property of n states.
func (l *Levels) MayLoop(ctx context.Context, pairs []property.Pair) (_ float64, err error) {
	defer abort.Caught(&err)
	part := 0.0
	for _, pair := range pairs {
		part = max(part, l.sets.mayLoop(ctx, l, pair))
	}
	return part, nil
}

// MayStop reports whether the model has a deadlock and the property has a state
// where a run must not stop. Cost O(S).
func (l *Levels) MayStop() bool {
	if !slices.Contains(l.table.Stop, false) {
		return false
	}
	for s := range lts.State(l.model.NumStates()) {
		if l.model.IsDeadlock(s) {
			return true
		}
	}
	return false
}

// Len returns the number of product states found. Cost O(1).
func (l *Levels) Len() int {
	if l == nil {
		return 0
	}
	return l.states.Len()
}

// Bad returns the nearest deadlock in which the property must not stop, and its
// distance; false if there is none. Cost O(log distance).
func (l *Levels) Bad() (p State, distance int, is bool) {
	if l.bad < 0 {
		return State{}, 0, false
	}
	distance, isFirst := slices.BinarySearch(l.begins, l.bad)
	if !isFirst {
		distance-- // l.bad lies behind the first product state at this distance
	}
	return l.productState(l.bad), distance, true
}

// productState returns the product state with an index.
func (l *Levels) productState(i int) State {
	return State{*l.states.At(i), property.Q(*l.qs.At(i))}
}

func (l *Levels) add(s lts.State, q property.Q) {
	l.states.Append(s)
	l.qs.Append(uint8(q))
}

// Path returns the transitions of the model on the shortest path to a product
// state at this distance. Each state on it is the first one, by number, that
// leads to the next. Cost O(number of transitions of the nearer product states).
func (l *Levels) Path(to State, distance int) []lts.Transition {
	steps := make([]lts.Transition, distance)
	for d := distance - 1; d >= 0; d-- {
		steps[d], to = l.lastStep(to, d)
	}
	return steps
}

// lastStep returns the first transition, with its source, that leads to a product state from a
// product state at this distance.
func (l *Levels) lastStep(to State, distance int) (lts.Transition, State) {
	for i := l.begins[distance]; ; i++ {
		from := l.productState(i)
		labels, targets := l.model.Out(from.State)
		for j, t := range targets {
			if t == to.State && l.next(from.Q, labels.At(j)) == to.Q {
				return lts.Transition{
					From:  from.State,
					Label: labels.At(j),
					To:    t,
				}, from
			}
		}
	}
}

// next returns the property state after a label.
func (l *Levels) next(q property.Q, label lts.Label) property.Q {
	return l.table.Next[int(q)*l.table.Columns+int(l.table.Letters[label])]
}

// words has, for each state of a model, the set of property states with which it is
// reached.
type words[W stateset.Set] struct{ reached []W }

// explore visits product states up to a distance, see [Levels.Explore].
func (x *words[W]) explore(ctx context.Context, l *Levels, within int) {
	if x.reached == nil {
		x.reached = abort.Must(resources.Make[W](ctx, l.model.NumStates()))
		l.mayStop = l.MayStop()
		x.reached[l.model.Initial()] |= 1 << l.property.Initial()
		l.add(l.model.Initial(), l.property.Initial())
		l.begins = []int{0}
	}
	for l.bad < 0 {
		level := len(l.begins) - 1
		first := l.begins[level]
		end := l.Len()
		isWithin := level < within
		needsDeadlocks := l.mayStop && l.searched <= level // whether to look for bad deadlocks here
		isFinished := !isWithin && !needsDeadlocks
		if first == end || isFinished {
			return
		}
		if x.followLeader(ctx, l, isWithin && !l.mayStop) {
			continue
		}
		for i := first; i < end; i++ {
			abort.IfDone(ctx, i)
			x.expand(l, i, isWithin)
			if l.bad >= 0 {
				return
			}
		}
		l.searched = level + 1
		if isWithin {
			l.beginDistance(end)
		}
	}
}

// beginDistance starts a distance whose first product state has this index. Paths can be
// as long as the model is large: doubling the list copies it five times less
// often than append.
func (l *Levels) beginDistance(first int) {
	n := len(l.begins)
	if n == cap(l.begins) {
		l.begins = slices.Grow(l.begins, n+1)
	}
	l.begins = append(l.begins, first)
}

// followLeader adds the product states of the next distance from the levels of another
// property, and reports whether they are known.
func (x *words[W]) followLeader(ctx context.Context, l *Levels, wanted bool) bool {
	if l.leader == nil || !wanted {
		return false
	}
	level := len(l.begins)
	end := l.Len()
	l.leader.sets.explore(ctx, l.leader, level)
	if l.leader.bad >= 0 {
		return false
	}
	l.beginDistance(end)
	l.searched = level
	for i, last := l.leader.levelRange(level); i < last; i++ {
		s := *l.leader.states.At(i)
		if x.reached[s] == 0 {
			x.reached[s] = 1
			l.add(s, 0)
		}
	}
	abort.On(ctx.Err())
	return true
}

// levelRange returns the index range of the product states at a distance; an empty one
// if there are none.
func (l *Levels) levelRange(distance int) (first, end int) {
	switch {
	case distance+1 < len(l.begins):
		return l.begins[distance], l.begins[distance+1]
	case distance < len(l.begins):
		return l.begins[distance], l.Len()
	}
	return 0, 0
}

// expand adds the successors of product state i, if they are within the distance, and notes if i
// is a deadlock in which the property must not stop.
func (x *words[W]) expand(l *Levels, i int, isWithin bool) {
	p := l.productState(i)
	labels, targets := l.model.Out(p.State)
	if len(targets) == 0 && !l.table.Stop[p.Q] {
		l.bad = i
	}
	if !isWithin {
		return
	}
	letters := l.table.Letters
	row := l.table.Next[int(p.Q)*l.table.Columns:]
	for j, t := range targets {
		q := row[letters[labels.At(j)]]
		if !stateset.Has(x.reached[t], q) {
			x.reached[t] |= 1 << q
			l.add(t, q)
		}
	}
}

// worthPasses limits the passes over all transitions, each of which removes product states. At the
// limit, the result may still have a few product states too many.
const worthPasses = 4

// avoidance finds the product states from where a run can go on forever without some colours and
// stay on one loop of the property. For each state of the model these are the greatest set of
// property states such that each product state leads to another one in these sets. The passes go
// through the states of the model alternately from the last one down and from the first one up.
type avoidance[W stateset.Set] struct {
	*Levels
	remaining     []W
	productStates int // the number of product states in remaining
	// predecessors and successors are the inverse images and the images of sets
	// under transitions on such loops.
	predecessors, successors stateset.Images[W]
	// read is the number of transitions that a pass has read, and removed is the number of product
	// states that it has removed.
	read, removed int
}

// candidates is a superset, with few extra members, of the product states from where a run can go
// on forever without the Fin colours of a pair. Its property states all lie on a loop that meets
// all Inf colours of the pair.
type candidates interface {
	// count returns the number of product states.
	count() int
	// part returns the product of these states, as [Levels.Part] does.
	part(ctx context.Context) (part *Unfolding, distances []uint32)
}

// Loops finds for each pair a superset, with few extra members, of the explored product states on
// loops that violate the property by this pair, and returns its size. The sets are kept for
// [Levels.Part]. Errors as for [Levels.Explore]. Cost: passes through the transitions of the model,
// O(T) each and usually few, for each pair; for each pair also the memory of Explore.
func (l *Levels) Loops(ctx context.Context, pairs []property.Pair) (_ int, err error) {
	defer abort.Caught(&err)
	productStates := 0
	for _, pair := range pairs {
		found := l.sets.candidates(ctx, l, pair)
		l.candidates = append(l.candidates, found)
		productStates += found.count()
	}
	return productStates, nil
}

// Part returns the product states from which a run can go on forever without the
// Fin colours of the i-th pair, and the transitions of such runs; nil if there is
// none. It only has property states on a loop that meets all Inf colours of the
// pair. A search for loops can use the part, but the part cannot find product
// states. Its states have the order of all product states; distances has their
// distances, which ascend. It is made once for a pair. Call [Levels.Explore]
// first; errors as there. Cost as for [Levels.Loops] unless that was called, and
// O(T); 4 bytes for each state of the model, and 13 for each product state of the
// part and its transitions.
func (l *Levels) Part(
	ctx context.Context,
	i int,
	pair property.Pair,
) (part *Unfolding, distances []uint32, err error) {
	defer abort.Caught(&err)
	var found candidates
	if i < len(l.candidates) {
		found = l.candidates[i]
		l.candidates[i] = nil
	} else {
		found = l.sets.candidates(ctx, l, pair)
	}
	part, distances = found.part(ctx)
	return part, distances, nil
}

// candidates returns the candidates for a pair, see [Levels.Loops].
func (x *words[W]) candidates(ctx context.Context, l *Levels, pair property.Pair) candidates {
	a := &avoidance[W]{Levels: l}
	onLoops := a.prepare(pair)
	if onLoops == 0 {
		return a
	}
	a.remaining = abort.Must(resources.Make[W](ctx, len(x.reached)))
	for s, set := range x.reached {
		a.remaining[s] = set & onLoops
	}
	a.productStates = a.narrow(ctx)
	if a.productStates == 0 {
		return a
	}
	a.productStates = a.narrowAhead(ctx, a.productStates)
	if !a.meetsColours(pair) {
		a.productStates = 0
	}
	return a
}

func (a *avoidance[W]) count() int { return a.productStates }

func (a *avoidance[W]) part(ctx context.Context) (*Unfolding, []uint32) {
	if a.productStates == 0 {
		return nil, nil
	}
	return a.makePart(ctx, a.productStates)
}

// fewTaken limits the passes for an estimate: another pass follows as long as a pass removes at
// least one in fewTaken product states.
const fewTaken = 4

// mayLoop returns the estimate of [Levels.MayLoop] for one pair.
func (x *words[W]) mayLoop(ctx context.Context, l *Levels, pair property.Pair) float64 {
	a := &avoidance[W]{Levels: l}
	onLoops := a.prepare(pair)
	if onLoops == 0 {
		return 0
	}
	a.remaining = abort.Must(resources.Make[W](ctx, l.model.NumStates()))
	for s := range a.remaining {
		a.remaining[s] = onLoops
	}
	all := stateset.Count(a.remaining)
	productStates := all
	for isDown := true; productStates > 0; isDown = !isDown {
		a.pass(ctx, isDown)
		removedFew := fewTaken*a.removed < productStates
		productStates -= a.removed
		if removedFew {
			break
		}
	}
	if productStates > 0 {
		productStates = a.narrowAhead(ctx, productStates)
		if !a.meetsColours(pair) {
			return 0
		}
	}
	return float64(productStates) / float64(all)
}

func (l *Levels) marks(i int) property.Marks {
	if l.table.Marks == nil {
		return 0
	}
	return l.table.Marks[i]
}

// prepare makes the tables, and returns the states of the property that lie on
// loops.
func (a *avoidance[W]) prepare(pair property.Pair) (onLoops W) {
	loops, states := stateset.Loops(&a.table, pair)
	stays := stateset.Stays(loops, pair)
	a.predecessors = stateset.Backward[W](&a.table, stays)
	a.successors = stateset.Forward[W](&a.table, stays)
	return W(states)
}

// sourcesOf returns the property states from which a letter leads into the set.
func (a *avoidance[W]) sourcesOf(letter uint16, set W) W { return a.predecessors.Of(letter, set) }

// narrow removes product states until each remaining one leads to another, or until passes find too
// little, and returns how many remain.
func (a *avoidance[W]) narrow(ctx context.Context) (productStates int) {
	productStates = stateset.Count(a.remaining)
	budget := worthPasses * (a.model.NumStates() + a.model.NumTransitions())
	removedBefore := productStates // by the previous pass
	for isDown := true; budget > 0 && productStates > 0; isDown = !isDown {
		a.pass(ctx, isDown)
		if a.removed == 0 {
			break
		}
		productStates -= a.removed
		// A pass that removes less than a quarter of what the previous pass removed costs nothing
		// of the budget.
		if 4*a.removed > removedBefore {
			budget -= a.read
		}
		removedBefore = a.removed
	}
	return productStates
}

// pass examines once each state of the model with remaining product states, from the last state down or
// from the first up.
func (a *avoidance[W]) pass(ctx context.Context, isDown bool) {
	a.read = 0
	a.removed = 0
	abort.Must(stateset.Pass(ctx, len(a.remaining), isDown, func(s lts.State) bool {
		return a.remaining[s] != 0 && a.examine(s)
	}))
}

// examine removes the product states of a model state without a transition to a remaining product
// state, and reports whether there were any.
func (a *avoidance[W]) examine(s lts.State) bool {
	remaining := a.remaining[s]
	continuing := W(0)
	labels, targets := a.model.Out(s)
	a.read += len(targets) + 1
	for j, t := range targets {
		set := a.remaining[t]
		if set == 0 {
			continue
		}
		continuing |= a.sourcesOf(a.table.Letters[labels.At(j)], set)
		if remaining&^continuing == 0 {
			return false
		}
	}
	a.removed += bits.OnesCount64(uint64(remaining &^ continuing))
	a.remaining[s] = remaining & continuing
	return true
}

// slots maps remaining product states to their numbers. The number of (s, q) is at first[s] plus
// the number of property states below q in the set of s.
type slots[W stateset.Set] struct {
	remaining []W
	first     []uint32
	numbers   []lts.State
}

// numberOf returns a pointer to the number of a remaining product state.
func (x *slots[W]) numberOf(s lts.State, q property.Q) *lts.State {
	return &x.numbers[int(x.first[s])+stateset.CountBelow(x.remaining[s], q)]
}

// number numbers the remaining product states, in the order of all product states.
func (a *avoidance[W]) number(
	ctx context.Context,
	u *Unfolding,
	productStates int,
) (*slots[W], []uint32) {
	x := &slots[W]{remaining: a.remaining}
	x.first = abort.Must(resources.Make[uint32](ctx, len(a.remaining)))
	x.numbers = abort.Must(resources.Make[lts.State](ctx, productStates))
	count := 0
	for s, set := range a.remaining {
		x.first[s] = uint32(count)
		count += bits.OnesCount64(uint64(set))
	}
	abort.On(resources.Ask(ctx, 9*int64(productStates)))
	u.productStates.makeRoom(productStates)
	distances := make([]uint32, 0, productStates)
	distance := 0
	for i := range a.Len() {
		for distance+1 < len(a.begins) && i >= a.begins[distance+1] {
			distance++
		}
		p := a.productState(i)
		if hasState(a.remaining, p) {
			*x.numberOf(p.State, p.Q) = lts.State(u.productStates.len())
			u.productStates.add(p)
			distances = append(distances, uint32(distance))
		}
	}
	abort.On(ctx.Err())
	return x, distances
}

// makePart makes the part that consists of the remaining product states and those transitions between
// them that lie on loops without these colours.
func (a *avoidance[W]) makePart(ctx context.Context, productStates int) (*Unfolding, []uint32) {
	u := &Unfolding{
		property:      a.property,
		productStates: newProductStates(a.property),
		next:          newSuccessor(a.property),
		model:         a.model,
	}
	numbers, distances := a.number(ctx, u, productStates)
	mostTransitions := 0
	for _, s := range u.productStates.states {
		first, end := a.model.Row(s)
		mostTransitions += end - first
	}
	if productStates > lts.MaxStates || mostTransitions > 1<<32-1 {
		tooLarge()
	}
	abort.On(resources.Ask(ctx, 4*int64(productStates)+4*int64(mostTransitions)))
	var rowLabels lts.LabelColumn
	abort.On(rowLabels.Grow(ctx, mostTransitions, a.model.Alphabet().Len()))
	starts := make([]uint32, 1, productStates+1)
	rowTargets := make([]lts.State, 0, mostTransitions)
	for s := range lts.State(productStates) {
		abort.IfDone(ctx, s)
		from := u.productStates.at(s)
		labels, targets := a.model.Out(from.State)
		for j, t := range targets {
			l := labels.At(j)
			if a.remaining[t] == 0 {
				continue
			}
			leadingOn := a.sourcesOf(a.table.Letters[l], a.remaining[t])
			if stateset.Has(leadingOn, from.Q) {
				rowLabels.Append(l)
				rowTargets = append(rowTargets, *numbers.numberOf(t, a.next(from.Q, l)))
			}
		}
		starts = append(starts, uint32(len(rowTargets)))
	}
	u.expanded = productStates
	u.system = abort.Must(lts.FromRows(0, a.model.Alphabet(), starts, rowLabels, rowTargets))
	return u, distances
}

const (
	// probed is the number of states that are examined to see whether transitions lead back.
	probed = 1 << 12
	// Few transitions lead back if these are at most 1/fewBack of the transitions of the states
	// examined.
	fewBack = 64
)

// narrowAhead removes, again and again, product states that no remaining one leads to, and returns
// how many remain. A loop has no such states, but the stem to a loop has. Each pass goes from the
// first state to the last and removes all stems, except those after a transition that leads back.
// So narrowAhead does nothing unless few transitions lead back.
func (a *avoidance[W]) narrowAhead(ctx context.Context, productStates int) int {
	if a.leadsBack() {
		return productStates
	}
	return a.passAhead(ctx, productStates)
}

// leadsBack reports whether more than a few transitions lead back, to states whose numbers are not larger,
// as far as a sample of states shows.
func (a *avoidance[W]) leadsBack() bool {
	back := 0
	all := 0
	interval := 1 + a.model.NumStates()/probed
	for s := 0; s < a.model.NumStates(); s += interval {
		_, targets := a.model.Out(lts.State(s))
		all += len(targets)
		for _, t := range targets {
			if int(t) <= s {
				back++
			}
		}
	}
	return fewBack*back > all
}

// passAhead makes the passes of [avoidance.narrowAhead], and returns how many product states remain.
func (a *avoidance[W]) passAhead(ctx context.Context, productStates int) int {
	n := len(a.remaining)
	abort.On(resources.AskFor[W](ctx, 3*n))
	// ahead has the targets of transitions from states with smaller numbers, back the targets of
	// the other transitions. The set back comes from the previous pass, so that it may have too
	// many members.
	ahead := make([]W, n)
	back := make([]W, n)
	next := make([]W, n)
	for s := range back {
		back[s] = ^W(0)
	}
	for pass := 0; pass < worthPasses && productStates > 0; pass++ {
		removed := 0
		for s, set := range a.remaining {
			if s%16384 == 0 {
				abort.On(ctx.Err())
			}
			reached := set & (ahead[s] | back[s])
			if reached != set {
				removed += bits.OnesCount64(uint64(set &^ reached))
				a.remaining[s] = reached
			}
			if reached != 0 {
				a.addSuccessors(lts.State(s), reached, ahead, next)
			}
		}
		productStates -= removed
		// The first pass only finds the targets of transitions that lead back.
		if pass > 0 && fewTaken*removed < productStates {
			break
		}
		back, next = next, back
		clear(ahead)
		clear(next)
	}
	return productStates
}

// addSuccessors adds the successors of the product states of s, among the remaining property states, to
// ahead or back.
func (a *avoidance[W]) addSuccessors(s lts.State, left W, ahead, back []W) {
	labels, targets := a.model.Out(s)
	for j, t := range targets {
		if a.remaining[t] == 0 {
			continue
		}
		into := ahead
		if t <= s {
			into = back
		}
		into[t] |= a.successors.Of(a.table.Letters[labels.At(j)], left)
	}
}

// meetsColours reports whether the transitions between remaining product states have all Inf colours of
// the pair.
func (a *avoidance[W]) meetsColours(pair property.Pair) bool {
	missing := pair.Inf
	for s, set := range a.remaining {
		if missing == 0 {
			break
		}
		if set == 0 {
			continue
		}
		labels, targets := a.model.Out(lts.State(s))
		for j, t := range targets {
			letter := a.table.Letters[labels.At(j)]
			if a.remaining[t] == 0 {
				continue
			}
			for q := range stateset.All(a.sourcesOf(letter, a.remaining[t]) & set) {
				missing &^= a.marks(int(q)*a.table.Columns + int(letter))
			}
		}
	}
	return missing == 0
}
