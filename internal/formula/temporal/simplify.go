package temporal

import (
	"context"
	"encoding/binary"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/formula/letters"
	"github.com/inev-lts/inev/internal/intern"
	"github.com/inev-lts/inev/internal/lts/bfs"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
)

// simplify makes an automaton smaller without changing which runs it accepts. It gives all transitions
// of a component the same marks if all runs of the component have the same outcome. It removes the
// marks of transitions that no run takes twice, merges indistinguishable states, and calls
// [automaton.recolour] and [automaton.merge]. Cost as for emptiness on the automaton and, if it is
// small, on pairs of its states, and O(states² · letters) at worst.
func (a *automaton) simplify(ctx context.Context) *automaton {
	if a.Columns == 0 {
		q := a.Initial
		return &automaton{property.Automaton{Stop: a.Stop[q : q+1]}, a.demands[q : q+1]}
	}
	letterOf := a.fewerLetters()
	a.redirect(ctx)
	a.unifyMarks(ctx)
	a.fewerColours()
	a.quotient()
	a.recolour(ctx)
	a.merge(ctx)
	a.recolour(ctx)
	a.selectLetters(letterOf)
	return a
}

// recolour gives the automaton a parity condition with the fewest colours. If none is found, it
// simplifies the present condition. Then it merges the colours and states that the new condition no longer
// distinguishes.
func (a *automaton) recolour(ctx context.Context) {
	a.reach()
	condition := a.ownParity(ctx)
	if condition.found {
		a.Marks = condition.marks
		a.Acceptance = condition.accept
	} else {
		a.lightenCondition(ctx)
	}
	a.fewerColours()
	a.quotient()
}

// ownParity searches for a parity condition with which the automaton accepts the same words as with its
// present condition. The initial state must be 0.
func (a *automaton) ownParity(ctx context.Context) parityCondition {
	g := newGraph(a.Columns, a.Next, 0)
	x := &colouring{
		ctx:         ctx,
		target:      g,
		source:      g,
		accept:      a.Acceptance,
		marks:       slices.Clone(a.Marks),
		targetState: identity[property.Q](a.States()),
	}
	return x.parity(maxSatisfied)
}

// fewerLetters merges letters with the same transitions, and returns the new letter of each old letter.
func (a *automaton) fewerLetters() (letterOf []int) {
	var kept intern.List[string, int]
	for letter := range a.Columns {
		var key []byte
		for i := letter; i < len(a.Next); i += a.Columns {
			key = binary.LittleEndian.AppendUint32(key, uint32(a.Next[i]))
			key = binary.LittleEndian.AppendUint64(key, uint64(a.Marks[i]))
		}
		letterOf = append(letterOf, kept.Index(string(key), letter))
	}
	a.selectLetters(kept.All)
	return letterOf
}

// selectLetters replaces the letters by letters[0], letters[1] and so on.
func (a *automaton) selectLetters(letters []int) {
	next := make([]property.Q, 0, a.States()*len(letters))
	marks := make([]property.Marks, 0, a.States()*len(letters))
	for q := range a.States() {
		for _, letter := range letters {
			next = append(next, a.Next[q*a.Columns+letter])
			marks = append(marks, a.Marks[q*a.Columns+letter])
		}
	}
	a.Columns = len(letters)
	a.Next = next
	a.Marks = marks
}

// unifyMarks changes marks in components whose runs all have the same outcome. If all components are of this
// kind, it reduces the condition to one colour.
func (a *automaton) unifyMarks(ctx context.Context) {
	a.reach()
	g := newGraph(a.Columns, a.Next, 0)
	c := abort.Must(scc.Find(ctx, g.system, ""))
	accepting := g.satisfiedIn(ctx, c, a.Acceptance, a.Marks)
	rejecting := g.satisfiedIn(ctx, c, a.Acceptance.Not(), a.Marks)
	isWeak := true
	for k := range accepting {
		isWeak = isWeak && !(accepting[k] && rejecting[k])
	}
	uniform := uniformMarks{accepting: property.Mark(0)}
	if isWeak {
		a.Acceptance = property.Inf(0)
	} else {
		uniform = a.exampleMarks(c, accepting, rejecting)
	}
	marks := make([]property.Marks, len(a.Marks))
	a.eachInside(c, func(i int, k scc.Component) {
		switch {
		case accepting[k] && !rejecting[k]:
			marks[i] = uniform.accepting
		case rejecting[k] && !accepting[k]:
			marks[i] = uniform.rejecting
		default:
			marks[i] = a.Marks[i]
		}
	})
	a.Marks = marks
}

// uniformMarks are the marks of all transitions in components that accept all of their runs, and in those
// that reject all of them.
type uniformMarks struct{ accepting, rejecting property.Marks }

// exampleMarks returns the marks of the first component that accepts all of its runs, and those of the
// first one that rejects all of its runs.
func (a *automaton) exampleMarks(c *scc.Components, accepting, rejecting []bool) (marks uniformMarks) {
	marksIn := make([]property.Marks, c.Len())
	a.eachInside(c, func(i int, k scc.Component) { marksIn[k] |= a.Marks[i] })
	hasAccepting := false
	hasRejecting := false
	for k, all := range marksIn {
		acceptsAll := accepting[k] && !rejecting[k]
		rejectsAll := rejecting[k] && !accepting[k]
		switch {
		case acceptsAll && !hasAccepting:
			marks.accepting = all
			hasAccepting = true
		case rejectsAll && !hasRejecting:
			marks.rejecting = all
			hasRejecting = true
		}
	}
	return marks
}

// eachInside yields the transitions within components.
func (a *automaton) eachInside(c *scc.Components, yield func(i int, k scc.Component)) {
	for i, to := range a.Next {
		from := lts.State(i / a.Columns)
		if k, isReached := c.Of(from); isReached && c.Same(from, lts.State(to)) {
			yield(i, k)
		}
	}
}

// redirect redirects transitions as [automaton.redirectTo] does. Each combination of formulas that must
// hold is a class of states.
func (a *automaton) redirect(ctx context.Context) {
	var number intern.List[string, struct{}]
	class := make([]uint32, len(a.demands))
	for q, of := range a.demands {
		var key []byte
		for _, f := range of {
			key = binary.LittleEndian.AppendUint32(key, uint32(f))
		}
		class[q] = uint32(number.Index(string(key), struct{}{}))
	}
	a.redirectTo(ctx, class)
}

// redirectTo makes transitions lead to the deepest state of their target's class, if that state is in
// another component. States of one class accept the same words, and a run takes such transitions only
// finitely often.
func (a *automaton) redirectTo(ctx context.Context, class []uint32) {
	c := a.components(ctx)
	deepest := slices.Repeat([]property.Q{irrelevant}, len(class)) // of each class
	for q, k := range class {
		known := deepest[k]
		if known == irrelevant || component(c, property.Q(q)) > component(c, known) {
			deepest[k] = property.Q(q)
		}
	}
	a.Initial = deepest[class[a.Initial]]
	for i, to := range a.Next {
		source := component(c, property.Q(i/a.Columns))
		representative := deepest[class[to]]
		leavesComponent := source != component(c, to)
		if leavesComponent || component(c, representative) > source {
			a.Next[i] = representative
		}
	}
}

// components returns the components of the reachable part of the automaton.
func (a *automaton) components(ctx context.Context) *scc.Components {
	return abort.Must(scc.Find(ctx, newGraph(a.Columns, a.Next, a.Initial).system, ""))
}

// component returns the number of the component of a state; a negative number if the state is
// unreachable.
func component(c *scc.Components, q property.Q) int {
	k, reached := c.Of(lts.State(q))
	if !reached {
		return -1
	}
	return int(k)
}

// reach removes unreachable states, and numbers the others in the order in which they are reached. It
// returns, for each new number, the old one.
func (a *automaton) reach() []property.Q { return a.keep(letters.Reach(&a.Automaton)) }

// quotient merges the states that no word distinguishes by marks and stops, and
// removes unreachable ones.
func (a *automaton) quotient() { a.keep(letters.Merge(&a.Automaton)) }

// keep moves the formulas of the states to their new numbers.
func (a *automaton) keep(order []property.Q) []property.Q {
	a.demands = renumbered(a.demands, order)
	return order
}

// fewerColours merges colours on the same transitions, and removes colours
// without transitions.
func (a *automaton) fewerColours() {
	var met property.Marks
	for _, m := range a.Marks {
		met |= m
	}
	a.Acceptance = a.Acceptance.Within(met)
	mentioned, _ := a.Acceptance.Colours()
	var distinct palette
	number := map[int]int{}
	for c := range property.Colours {
		if !mentioned.Has(c) {
			continue
		}
		column := bitset.New[int](len(a.Marks))
		for i, m := range a.Marks {
			if m.Has(c) {
				column.Add(i)
			}
		}
		number[c] = distinct.number(column)
	}
	a.Acceptance = a.Acceptance.Renumbered(func(c int) int { return number[c] })
	distinct.paint(a.Marks)
}

// palette has the transitions of each colour. No two colours have the same transitions.
type palette []bitset.Set[int]

// number returns the colour with these transitions. It adds a colour if there is none.
func (p *palette) number(column bitset.Set[int]) int {
	c := slices.IndexFunc(*p, func(d bitset.Set[int]) bool {
		return slices.Equal(d, column)
	})
	if c < 0 {
		c = len(*p)
		*p = append(*p, column)
	}
	return c
}

// paint gives the transitions their colours.
func (p palette) paint(marks []property.Marks) {
	for i := range marks {
		marks[i] = 0
		for c, column := range p {
			if column.Has(i) {
				marks[i] |= property.Mark(c)
			}
		}
	}
}

// maxMerging limits the transitions and states that [automaton.merge] reads.
const maxMerging = 1 << 22

// merge merges states that accept the same words, as long as the resulting transitions still have a
// condition with which they accept the same words as before. It tries to merge all classes at once,
// which gives the smallest automaton, then one class after the other, then pairs of states. Automata in
// which all runs of each component have the same outcome always become minimal: Löding, Efficient
// Minimization of Deterministic Weak ω-Automata (IPL 79, 2001).
func (a *automaton) merge(ctx context.Context) {
	class, known := a.residualsWithin(ctx, letters.Classes(&a.Automaton, nil))
	if !known {
		return
	}
	a.spreadDecided(class)
	a.redirectTo(ctx, class)
	class = renumbered(class, a.reach())
	m := &merging{
		ctx:    ctx,
		a:      a,
		class:  class,
		budget: maxMerging,
	}
	if m.mergeAll() {
		return
	}
	for slices.ContainsFunc(m.members(), m.mergeSome) {
		continue // with the classes that are left
	}
}

// spreadDecided finds the classes that have a state whose formula is true or false, and gives this
// formula to all states of the class.
func (a *automaton) spreadDecided(class []uint32) {
	decided := map[uint32][]form{}
	for q, of := range a.demands {
		if len(of) == 1 && of[0] <= verum {
			decided[class[q]] = of
		}
	}
	for q, of := range a.demands {
		constant, isDecided := decided[class[q]]
		if isDecided && len(of) == 1 {
			a.demands[q] = constant
		}
	}
}

// mergeAll tries to merge the states of each class into one. It returns true if that succeeds, or if there is
// nothing to merge.
func (m *merging) mergeAll() bool {
	members := m.members()
	first := identity[property.Q](m.a.States())
	for _, states := range members {
		for _, q := range states {
			first[q] = states[0]
		}
	}
	return len(members) == 0 || m.tryReplace(first)
}

// renumbered returns the elements for the states order[0], order[1] and so on.
func renumbered[T any](of []T, order []property.Q) []T {
	all := make([]T, len(order))
	for i, q := range order {
		all[i] = of[q]
	}
	return all
}

// merging merges states by attempts; budget bounds the work of further attempts.
type merging struct {
	ctx    context.Context
	a      *automaton
	class  []uint32
	budget int64
}

// mergeSome tries to merge all states of a class or, if that fails, two of them. It reports whether it has
// merged any.
func (m *merging) mergeSome(states []property.Q) bool {
	for _, r := range states {
		if m.tryInto(r, states...) {
			return true
		}
	}
	if len(states) == 2 {
		return false
	}
	for _, r := range states {
		for _, q := range states {
			if q != r && m.tryInto(r, q) {
				return true
			}
		}
	}
	return false
}

// members returns the classes with several states, in the order of their first
// states.
func (m *merging) members() [][]property.Q {
	return slices.DeleteFunc(grouped(m.class), func(states []property.Q) bool {
		return len(states) == 1
	})
}

// grouped returns the states of each class, in the order of their first states.
func grouped(class []uint32) [][]property.Q {
	var all intern.List[uint32, []property.Q]
	for q, k := range class {
		i := all.Index(k, nil)
		all.All[i] = append(all.All[i], property.Q(q))
	}
	return all.All
}

// tryInto tries to replace some states by state r.
func (m *merging) tryInto(r property.Q, states ...property.Q) bool {
	to := identity[property.Q](m.a.States())
	for _, q := range states {
		to[q] = r
	}
	return m.tryReplace(to)
}

// identity returns the numbers below n.
func identity[Q ~uint32](n int) []Q {
	to := make([]Q, n)
	for q := range to {
		to[q] = Q(q)
	}
	return to
}

// tryReplace replaces each state q by to[q] if a condition can preserve the accepted words. It reports whether
// it has done so.
func (m *merging) tryReplace(to []property.Q) bool {
	if m.budget <= 0 {
		return false
	}
	a := m.a
	b := *m.a
	b.Initial = to[a.Initial]
	b.Next = renumbered(to, a.Next)
	kept := b.reach()
	next, marks, onState := a.pairWith(&b)
	if !m.findCondition(&b, newGraph(a.Columns, next, 0), marks, onState) {
		return false
	}
	m.class = renumbered(m.class, kept)
	*m.a = b
	return true
}

// pairWith runs a and b on the same words. It returns the transitions of this product, their marks
// in a and, for each state of the product, the state of b.
func (a *automaton) pairWith(b *automaton) (next []property.Q, marks []property.Marks, onState []property.Q) {
	type statePair struct{ ofA, ofB property.Q }
	itself := func(p statePair) statePair { return p }
	take := func(p statePair, letter int) statePair {
		transition := int(p.ofA)*a.Columns + letter
		marks = append(marks, a.Marks[transition])
		return statePair{
			ofA: a.Next[transition],
			ofB: b.Next[int(p.ofB)*a.Columns+letter],
		}
	}
	first := statePair{ofA: a.Initial, ofB: b.Initial}
	pairs, next := explore(first, a.Columns, itself, func(int, int) {}, take)
	for _, p := range pairs {
		onState = append(onState, p.ofB)
	}
	return next, marks, onState
}

// findCondition looks for a condition with which b accepts the same words as m.a: a parity
// condition, or otherwise the condition that b has already. The graph runs is the product of m.a
// and b. marks has the marks of its transitions in m.a, and onState has the state of b for each of
// its states. findCondition reports whether it has found a condition.
func (m *merging) findCondition(
	b *automaton,
	runs *graph,
	marks []property.Marks,
	onState []property.Q,
) bool {
	x := &colouring{
		ctx:         m.ctx,
		target:      newGraph(b.Columns, b.Next, 0),
		source:      runs,
		accept:      m.a.Acceptance,
		marks:       marks,
		targetState: onState,
	}
	condition := x.parity(m.budget)
	m.budget -= condition.work
	if condition.found {
		b.Marks = condition.marks
		b.Acceptance = condition.accept
		return true
	}
	accept := m.a.Acceptance
	n := colours(accept)
	if 2*n > property.Colours || m.budget <= 0 {
		return false
	}
	for i := range marks {
		marksInA := marks[i] &^ property.Mark(ignoredColour)
		marksInB := b.Marks[x.targetTransition(i)]
		marks[i] = marksInA | marksInB<<uint(n)
	}
	differing, work := runs.satisfied(m.ctx, satisfyingQuery{
		accept:   eitherOr(accept, shifted(accept, n)),
		marks:    marks,
		wantsOne: true,
		budget:   m.budget,
	})
	m.budget -= work
	return m.budget >= 0 && differing.Empty()
}

// maxPaired limits the pairs of states, times letters, that [automaton.residualsWithin]
// compares.
const maxPaired = 1 << 19

// residualsWithin refines given classes: two states of a class stay together iff they accept the
// same infinite words. It returns the new class of each state, which is the number of the first
// state in the class; known is false if the search would take too long. For each letter, the
// successors of the states of a given class must be in the same given class. Cost as for emptiness,
// on the pairs of states of one given class.
func (a *automaton) residualsWithin(
	ctx context.Context,
	classes []uint32,
) (class []uint32, known bool) {
	n := colours(a.Acceptance)
	pairs := newStatePairs(classes)
	if 2*n > property.Colours || pairs.count*a.Columns > maxPaired {
		return nil, false
	}
	next, marks := pairs.product(&a.Automaton, n)
	g := newGraph(a.Columns, next, samePair)
	differs, work := g.satisfied(ctx, satisfyingQuery{
		accept: eitherOr(a.Acceptance, shifted(a.Acceptance, n)),
		marks:  marks,
		budget: maxSatisfied,
	})
	if work > maxSatisfied {
		return nil, false
	}
	differing := abort.Must(bfs.Back(ctx, g.system, func(s lts.State) bool {
		for t := int(s) * a.Columns; t < (int(s)+1)*a.Columns; t++ {
			if differs.Has(t) {
				return true
			}
		}
		return false
	}, nil))
	class = identity[uint32](a.States())
	pairs.each(func(pair int, p, q property.Q) {
		if !differing.Has(lts.State(pair)) {
			class[q] = min(class[q], uint32(p))
		}
	})
	return class, true
}

// samePair is the number of every pair of a state with itself.
const samePair = 0

// statePairs numbers the pairs of different states of a class: the pair of p and q is base[p]+index[q].
type statePairs struct {
	members [][]property.Q // of each class
	base    []int
	index   []int
	count   int
}

// newStatePairs numbers the pairs of states in the same class, from 1.
func newStatePairs(classes []uint32) *statePairs {
	pairs := &statePairs{
		members: grouped(classes),
		base:    make([]int, len(classes)),
		index:   make([]int, len(classes)),
		count:   1,
	}
	for _, states := range pairs.members {
		for i, q := range states {
			pairs.base[q] = pairs.count
			pairs.index[q] = i
			pairs.count += len(states)
		}
	}
	return pairs
}

// each visits the pairs of different states.
func (s *statePairs) each(visit func(pair int, p, q property.Q)) {
	for _, states := range s.members {
		for _, p := range states {
			for i, q := range states {
				if p != q {
					visit(s.base[p]+i, p, q)
				}
			}
		}
	}
}

// product returns the transitions of pairs of states of an automaton with n colours, and their marks.
// The colours of the second state are shifted by n.
func (s *statePairs) product(a *property.Automaton, n int) ([]property.Q, []property.Marks) {
	next := make([]property.Q, s.count*a.Columns)
	marks := make([]property.Marks, len(next))
	s.each(func(pair int, p, q property.Q) {
		for letter := range a.Columns {
			transition := pair*a.Columns + letter
			ofFirst := int(p)*a.Columns + letter
			ofSecond := int(q)*a.Columns + letter
			firstTarget := a.Next[ofFirst]
			secondTarget := a.Next[ofSecond]
			// If both states lead to the same one, their pair leads to samePair, which is 0.
			if firstTarget != secondTarget {
				next[transition] = property.Q(s.base[firstTarget] + s.index[secondTarget])
				marks[transition] = a.Marks[ofFirst] | a.Marks[ofSecond]<<uint(n)
			}
		}
	})
	return next, marks
}

// eitherOr returns the condition that exactly one of two conditions holds.
func eitherOr(a, b property.Acceptance) property.Acceptance {
	return property.Any(property.All(a, b.Not()), property.All(a.Not(), b))
}

// maxLighter limits the transitions and states that [automaton.lightenCondition] reads.
const maxLighter = 1 << 24

// lightenCondition removes parts of the condition that make no difference for the runs of the automaton. It
// tries one disjunct or conjunct after the other, larger ones first. The result is exact, because a
// part is removed only if that changes the outcome of no run.
func (a *automaton) lightenCondition(ctx context.Context) {
	if colours(a.Acceptance) <= 1 {
		return
	}
	g := newGraph(a.Columns, a.Next, 0)
	budget := int64(maxLighter)
	// none reports whether it has proved that no run satisfies a condition.
	none := func(accept property.Acceptance) bool {
		if budget <= 0 {
			return false
		}
		found, work := g.satisfied(ctx, satisfyingQuery{
			accept:   accept,
			marks:    a.Marks,
			wantsOne: true,
			budget:   budget,
		})
		budget -= work
		return budget >= 0 && found.Empty()
	}
	a.Acceptance = lightened(a.Acceptance, none, func(b property.Acceptance) property.Acceptance {
		return b
	})
}

// lightened simplifies part a of a condition. The function within returns the whole condition with
// another condition in place of this part.
func lightened(
	a property.Acceptance,
	none func(property.Acceptance) bool,
	within func(property.Acceptance) property.Acceptance,
) property.Acceptance {
	join := property.All
	switch a.Operator() {
	case property.AndOp:
	case property.OrOp:
		join = property.Any
	default:
		return a
	}
	parts := slices.Clone(a.Parts())
	for i := 0; i < len(parts); {
		fewer := slices.Concat(parts[:i], parts[i+1:])
		stronger := within(join(fewer...)) // it accepts nothing that weaker does not accept
		weaker := within(join(parts...))
		if a.Operator() == property.AndOp {
			stronger, weaker = weaker, stronger
		}
		isRedundant := none(property.All(weaker, stronger.Not()))
		if isRedundant {
			parts = fewer
		} else {
			i++
		}
	}
	for i, part := range parts {
		parts[i] = lightened(part, none, func(b property.Acceptance) property.Acceptance {
			others := slices.Clone(parts)
			others[i] = b
			return within(join(others...))
		})
	}
	return join(parts...)
}
