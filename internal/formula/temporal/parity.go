package temporal

import (
	"context"
	"encoding/binary"
	"iter"
	"math/bits"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
)

// colouring searches for a parity condition, with marks of the transitions of the automaton target, so
// that target accepts the same words as the automaton source. Both automata read the same words: when
// source is in state i, target is in state targetState[i].
//
// A component of target is accepted if a run that takes all of its transitions forever is. The component
// has a level, which it gives to those of its transitions that are in no set with the opposite outcome
// (a set that a run can take forever within the component). If there are no such transitions, no parity
// condition exists. The other transitions form smaller components, of the opposite outcome and the next
// level. So a run has the outcome of the least level that it takes forever, and no condition needs
// fewer levels. After Carton, Maceiras: Computing the Rabin Index of a Parity Automaton (RAIRO 33,
// 1999), and, for any condition on runs, Casares, Duret-Lutz, Meyer, Renkin, Sickert: Practical
// Applications of the Alternating Cycle Decomposition (TACAS 2022).
type colouring struct {
	ctx            context.Context
	target, source *graph
	accept         property.Acceptance
	marks          []property.Marks // the marks of source, whose condition, accept, does not use the last colour
	targetState    []property.Q
	// depth is the level of each transition of target within its outermost component, or nowhereDeep.
	// accepted has the transitions whose outermost component is accepted.
	depth    []int
	accepted bitset.Set[int]
	budget   int64 // the work that is left
}

const (
	// ignoredColour is the colour of transitions that the search ignores.
	ignoredColour = property.Colours - 1
	// nowhereDeep is the depth of transitions that no run takes twice.
	nowhereDeep = -1
)

// part is a strongly connected set of transitions of an automaton.
type part struct {
	states  []lts.State
	inside  bitset.Set[int] // the transitions of the part
	accepts bool            // whether a run that takes all of these transitions forever is accepted
}

// parityCondition is the result of a search for a parity condition.
type parityCondition struct {
	found  bool // whether there is a condition; without one, marks and accept are invalid
	marks  []property.Marks
	accept property.Acceptance
	work   int64 // the number of transitions and states that were read
}

// parity searches for marks and a parity condition. It finds none if none exists, or if the search
// would read more transitions and states than most allows. Cost O(levels · states · letters) of
// source if the condition of source is a parity condition already.
func (x *colouring) parity(most int64) parityCondition {
	if colours(x.accept) > ignoredColour {
		return parityCondition{}
	}
	x.budget = most
	x.depth = make([]int, len(x.target.next))
	x.accepted = bitset.New[int](len(x.target.next))
	all := bitset.New[int](len(x.target.next))
	for i := range x.depth {
		x.depth[i] = nowhereDeep
		all.Add(i)
	}
	// The largest level: one if the first level accepts, one if it rejects. A component begins at
	// the first level if it has the outcome of this level, and otherwise at the second one.
	deepestAccepting := 0
	deepestRejecting := 0
	for _, p := range x.parts(x.target.all(), all) {
		depth, found := x.descend(p, 0)
		if !found {
			return parityCondition{work: most - x.budget}
		}
		if p.accepts {
			x.accepted.AddAll(p.inside)
			deepestAccepting = max(deepestAccepting, depth)
			deepestRejecting = max(deepestRejecting, depth+1)
		} else {
			deepestAccepting = max(deepestAccepting, depth+1)
			deepestRejecting = max(deepestRejecting, depth)
		}
	}
	last := min(deepestAccepting, deepestRejecting)
	if last == 0 && deepestAccepting == 0 {
		last = 1 // a condition with a colour, so that there is something that recurs
	}
	firstAccepts := deepestRejecting >= deepestAccepting
	marks, accept := x.conditionOf(firstAccepts, last)
	return parityCondition{
		found:  true,
		marks:  marks,
		accept: accept,
		work:   most - x.budget,
	}
}

// conditionOf returns the marks and the condition. Each level before the last one has a colour. Even levels
// accept if the first level, 0, does; otherwise odd levels do.
func (x *colouring) conditionOf(firstAccepts bool, last int) ([]property.Marks, property.Acceptance) {
	marks := make([]property.Marks, len(x.depth))
	for i, depth := range x.depth {
		if depth == nowhereDeep {
			continue
		}
		level := depth
		if x.accepted.Has(i) != firstAccepts {
			level++
		}
		if level < last {
			marks[i] = property.Mark(level)
		}
	}
	levelAccepts := func(level int) bool { return (level%2 == 0) == firstAccepts }
	accept := property.Never()
	if levelAccepts(last) {
		accept = property.Always()
	}
	for level := last - 1; level >= 0; level-- {
		if levelAccepts(level) {
			accept = property.Any(property.Inf(level), accept)
		} else {
			accept = property.All(property.Fin(level), accept)
		}
	}
	return marks, accept
}

// descend sets the depth of the transitions of a part, and returns the largest depth. found is false if
// the part has no transition of its own level.
func (x *colouring) descend(p part, depth int) (deepest int, found bool) {
	opposite := x.oppositeOf(p)
	if x.budget < 0 {
		return 0, false
	}
	hasOwn := false
	for i := range x.depth {
		if p.inside.Has(i) && !opposite.Has(i) {
			x.depth[i] = depth
			hasOwn = true
		}
	}
	if !hasOwn || opposite.Empty() {
		return depth, hasOwn
	}
	deepest = depth
	for _, q := range x.parts(p.states, opposite) {
		if q.accepts == p.accepts {
			return 0, false // the part consists of loops of the opposite outcome
		}
		deepestBelow, foundBelow := x.descend(q, depth+1)
		if !foundBelow {
			return 0, false
		}
		deepest = max(deepest, deepestBelow)
	}
	return deepest, true
}

// oppositeOf returns the transitions of a part in sets of the opposite outcome: in a part whose loops accept, those
// that are on a rejecting loop, and vice versa.
func (x *colouring) oppositeOf(p part) bitset.Set[int] {
	accept := x.accept
	if p.accepts {
		accept = accept.Not()
	}
	s := &satisfying{graph: x.source, marks: x.marks, budget: x.budget}
	oppositeInSource, work := s.search(x.ctx, x.sourceStates(p), accept, property.Mark(ignoredColour))
	x.budget -= work
	opposite := bitset.New[int](len(x.depth))
	for i := range x.source.next {
		if oppositeInSource.Has(i) {
			opposite.Add(x.targetTransition(i))
		}
	}
	return opposite
}

// targetTransition returns the transition that target takes while source takes transition i.
func (x *colouring) targetTransition(i int) int {
	return int(x.targetState[i/x.source.letters])*x.source.letters + i%x.source.letters
}

// sourceStates returns the states in which source can be while target is in a state of a part. It
// marks the transitions from these states that leave the part as ignored.
func (x *colouring) sourceStates(p part) []lts.State {
	inPart := bitset.New[lts.State](len(x.target.next) / x.target.letters)
	for _, q := range p.states {
		inPart.Add(q)
	}
	var states []lts.State
	for i, q := range x.targetState {
		if !inPart.Has(lts.State(q)) {
			continue
		}
		states = append(states, lts.State(i))
		for t := i * x.source.letters; t < (i+1)*x.source.letters; t++ {
			x.marks[t] &^= property.Mark(ignoredColour)
			if !p.inside.Has(x.targetTransition(t)) {
				x.marks[t] |= property.Mark(ignoredColour)
			}
		}
	}
	x.budget -= int64(len(states) * x.source.letters)
	return states
}

// parts returns the components that some states form by the transitions in inside. It leaves out
// components without a transition.
func (x *colouring) parts(states []lts.State, inside bitset.Set[int]) []part {
	search := abort.Must(scc.NewParts(x.ctx, x.target.system))
	shows := func(from lts.State, l lts.Label, _ lts.State) bool {
		return inside.Has(x.target.transition(from, l))
	}
	var all []part
	for component := range abort.Must(search.Components(states, shows)) {
		p := part{states: component, inside: bitset.New[int](len(x.target.next))}
		search.Enter(component)
		for t := range x.target.leaving(component) {
			if inside.Has(t) && search.Has(lts.State(x.target.next[t])) {
				p.inside.Add(t)
			}
		}
		if !p.inside.Empty() {
			all = append(all, p)
		}
	}
	x.budget -= search.Work()
	for i := range all {
		all[i].accepts = x.accepts(all[i])
	}
	return all
}

// accepts reports whether a run that takes all transitions of a part forever is accepted. Such a
// run takes all transitions of a final component of source, which covers the part.
func (x *colouring) accepts(p part) (accepts bool) {
	search := abort.Must(scc.NewParts(x.ctx, x.source.system))
	shows := func(from lts.State, l lts.Label, _ lts.State) bool {
		return !x.marks[x.source.transition(from, l)].Has(ignoredColour)
	}
	for final := range abort.Must(search.Components(x.sourceStates(p), shows)) {
		var met property.Marks
		for t := range x.source.leaving(final) {
			if !x.marks[t].Has(ignoredColour) {
				met |= x.marks[t]
			}
		}
		accepts = x.accept.Holds(met)
		break // the first component leads to no other
	}
	x.budget -= search.Work()
	return accepts
}

// maxSatisfied limits the transitions and states that [graph.satisfied] reads, and those that
// [automaton.ownParity] reads.
const maxSatisfied = 1 << 23

// satisfyingQuery asks for the transitions that can recur in a run that satisfies a condition on marks.
type satisfyingQuery struct {
	accept property.Acceptance
	marks  []property.Marks // of the transitions
	// wantsOne is set if at least some of the transitions are enough.
	wantsOne bool
	// budget is the largest number of transitions and states to be read. A search that reads more has been
	// given up.
	budget int64
}

// satisfied returns the transitions that a query asks for, and the number of transitions and states that it
// has read.
//
// The method is that of Renkin, Duret-Lutz, Pommellet: Practical "Paritizing" of Emerson–Lei Automata
// (ATVA 2020), and of the emptiness check there. If the colours of a component together satisfy the
// condition, the whole component is satisfied. Otherwise a colour that must not recur is either
// excluded or assumed to recur. Cost O(S + T) for each such choice, exponential in the number of these
// colours at worst.
func (g *graph) satisfied(
	ctx context.Context,
	q satisfyingQuery,
) (found bitset.Set[int], work int64) {
	s := &satisfying{
		graph:    g,
		marks:    q.marks,
		wantsOne: q.wantsOne,
		budget:   q.budget,
	}
	return s.search(ctx, g.all(), q.accept, 0)
}

// search does what [graph.satisfied] does, but only for loops within some states, and without the
// transitions of some colours.
func (s *satisfying) search(
	ctx context.Context,
	states []lts.State,
	accept property.Acceptance,
	without property.Marks,
) (found bitset.Set[int], work int64) {
	s.parts = abort.Must(scc.NewParts(ctx, s.graph.system))
	s.found = bitset.New[int](len(s.marks))
	s.searchStates(states, accept, without)
	return s.found, s.parts.Work()
}

// satisfiedIn reports for each component whether a run that stays in it can satisfy a condition on
// marks. All components share one budget. Once it is spent, satisfiedIn reports true of the others.
func (g *graph) satisfiedIn(
	ctx context.Context,
	c *scc.Components,
	accept property.Acceptance,
	marks []property.Marks,
) []bool {
	s := &satisfying{
		graph:    g,
		parts:    abort.Must(scc.NewParts(ctx, g.system)),
		marks:    marks,
		wantsOne: true,
		budget:   maxSatisfied,
		found:    bitset.New[int](len(marks)),
	}
	mayBeSatisfied := make([]bool, c.Len())
	for k := range mayBeSatisfied {
		s.hasFound = false
		s.searchStates(c.States(scc.Component(k)), accept, 0)
		mayBeSatisfied[k] = s.hasFound || s.isBudgetSpent()
	}
	return mayBeSatisfied
}

// satisfying is the search of [graph.satisfied].
type satisfying struct {
	*graph
	parts    *scc.Parts
	marks    []property.Marks
	wantsOne bool
	budget   int64 // of the transitions and states that parts reads
	// found are the transitions found so far. hasFound is set once there are some.
	found    bitset.Set[int]
	hasFound bool
}

// isBudgetSpent reports whether the search has read more than its budget.
func (s *satisfying) isBudgetSpent() bool { return s.parts.Work() > s.budget }

// isFinished reports whether the search has found enough, or has spent its budget.
func (s *satisfying) isFinished() bool { return s.wantsOne && s.hasFound || s.isBudgetSpent() }

// searchStates examines the components of some states, without the transitions of some colours.
func (s *satisfying) searchStates(
	states []lts.State,
	accept property.Acceptance,
	without property.Marks,
) {
	shows := func(from lts.State, l lts.Label, _ lts.State) bool {
		return s.marks[s.transition(from, l)]&without == 0
	}
	for part := range abort.Must(s.parts.Components(states, shows)) {
		if s.isFinished() {
			return
		}
		s.searchComponent(part, accept, without)
	}
}

// searchComponent examines a component.
func (s *satisfying) searchComponent(
	states []lts.State,
	accept property.Acceptance,
	without property.Marks,
) {
	var inside []int
	var met property.Marks
	s.parts.Enter(states)
	for i := range s.leaving(states) {
		if s.parts.Has(lts.State(s.next[i])) && s.marks[i]&without == 0 {
			inside = append(inside, i)
			met |= s.marks[i]
		}
	}
	if len(inside) == 0 {
		return
	}
	accept = accept.Within(met)
	for !accept.Holds(met) {
		_, unwanted := accept.Colours()
		if unwanted == 0 || s.isFinished() {
			return
		}
		c := bits.TrailingZeros64(uint64(unwanted))
		s.searchStates(states, accept.Assume(c, true), without|property.Mark(c))
		accept = accept.Assume(c, false)
	}
	for _, i := range inside {
		s.found.Add(i)
	}
	s.hasFound = true
}

// graph has the transitions of a complete deterministic automaton, also as an LTS. The transitions are
// numbered, see [graph.transition].
type graph struct {
	letters int
	next    []property.Q
	system  *lts.LTS
}

// newGraph returns the graph with all states, reachable or not.
func newGraph(letters int, next []property.Q, initial property.Q) *graph {
	var b lts.Builder
	for letter := range letters {
		b.Label(string(binary.LittleEndian.AppendUint32(nil, uint32(letter))))
	}
	b.Grow(len(next))
	for i, to := range next {
		b.Add(lts.State(i/letters), lts.Label(i%letters), lts.State(to))
	}
	system := abort.Must(b.Build(lts.State(initial), len(next)/letters))
	return &graph{letters, next, system}
}

// transition returns the number of the transition from a state by a letter.
func (g *graph) transition(from lts.State, letter lts.Label) int {
	return int(from)*g.letters + int(letter)
}

// all returns all states.
func (g *graph) all() []lts.State { return identity[lts.State](len(g.next) / g.letters) }

// leaving yields the numbers of the transitions that leave some states.
func (g *graph) leaving(states []lts.State) iter.Seq[int] {
	return func(yield func(int) bool) {
		for _, s := range states {
			first := int(s) * g.letters
			for t := first; t < first+g.letters; t++ {
				if !yield(t) {
					return
				}
			}
		}
	}
}
