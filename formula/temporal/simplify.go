package temporal

import (
	"context"
	"encoding/binary"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/keyed"
	"github.com/inev-lts/inev/internal/partition"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
)

// simplify gives the same marks to all transitions of a component whose runs are
// all accepted, or all rejected, removes the marks of transitions that no run
// takes twice, and merges states that cannot be distinguished; then it calls
// [automaton.recolour] and [automaton.merge]. Cost as for emptiness on the
// automaton and, if it is small, on pairs of its states, and O(states² · letters)
// at worst.
func (a *automaton) simplify(ctx context.Context) *automaton {
	if a.letters == 0 {
		q := a.initial
		return &automaton{accept: property.Always(), stop: a.stop[q : q+1], of: a.of[q : q+1]}
	}
	of := a.fewerLetters()
	a.redirect(ctx)
	a.level(ctx)
	a.fewerColours()
	a.quotient()
	a.recolour(ctx)
	a.merge(ctx)
	a.recolour(ctx)
	a.choose(of)
	return a
}

// recolour gives the automaton a parity condition, which has the fewest colours,
// or otherwise simplifies its condition, and merges the states that words no
// longer distinguish.
func (a *automaton) recolour(ctx context.Context) {
	a.reach()
	g := newGraph(a.letters, a.next)
	marks, accept, found, _ := parity(ctx, g, g, identity[uint32](a.states()), a.accept, slices.Clone(a.marks), maxSatisfied)
	if found {
		a.marks, a.accept = marks, accept
	} else {
		a.lighter(ctx)
	}
	a.fewerColours()
	a.quotient()
}

// fewerLetters merges letters with the same transitions, and maps each old letter
// to a new one.
func (a *automaton) fewerLetters() (of []int) {
	var kept keyed.List[string, int]
	for letter := range a.letters {
		var key []byte
		for i := letter; i < len(a.next); i += a.letters {
			key = binary.LittleEndian.AppendUint32(key, a.next[i])
			key = binary.LittleEndian.AppendUint64(key, uint64(a.marks[i]))
		}
		of = append(of, kept.Index(string(key), letter))
	}
	a.choose(kept.All)
	return of
}

// choose replaces the letters by those with these indexes, in this order.
func (a *automaton) choose(letters []int) {
	next, marks := make([]uint32, 0, a.states()*len(letters)), make([]property.Marks, 0, a.states()*len(letters))
	for q := range a.states() {
		for _, letter := range letters {
			next, marks = append(next, a.next[q*a.letters+letter]), append(marks, a.marks[q*a.letters+letter])
		}
	}
	a.letters, a.next, a.marks = len(letters), next, marks
}

// level changes marks where they do not matter, and reduces the condition to one
// colour if no component has both accepted and rejected runs.
func (a *automaton) level(ctx context.Context) {
	a.reach()
	g := newGraph(a.letters, a.next)
	c := abort.Must(scc.Find(ctx, g.system, ""))
	accepting := g.satisfiedIn(ctx, c, a.accept, a.marks)
	rejecting := g.satisfiedIn(ctx, c, a.accept.Not(), a.marks)
	all := make([]property.Marks, c.Len())
	a.eachInside(c, func(i int, k scc.Component) { all[k] |= a.marks[i] })
	var met [2]property.Marks // the colours of a component all of whose runs are accepted, or rejected
	var known [2]bool
	weak := true
	for k := range c.Len() {
		weak = weak && !(accepting[k] && rejecting[k])
		if side := sideOf(rejecting[k]); accepting[k] != rejecting[k] && !known[side] {
			met[side], known[side] = all[k], true
		}
	}
	if weak {
		a.accept, met = property.Inf(0), [2]property.Marks{property.Mark(0), 0}
	}
	marks := make([]property.Marks, len(a.marks))
	a.eachInside(c, func(i int, k scc.Component) {
		if marks[i] = a.marks[i]; accepting[k] != rejecting[k] {
			marks[i] = met[sideOf(rejecting[k])]
		}
	})
	a.marks = marks
}

func sideOf(rejecting bool) int {
	if rejecting {
		return 1
	}
	return 0
}

// eachInside yields the transitions within components.
func (a *automaton) eachInside(c *scc.Components, yield func(i int, k scc.Component)) {
	for i, to := range a.next {
		from := lts.State(i / a.letters)
		if k, is := c.Of(from); is && c.Same(from, lts.State(to)) {
			yield(i, k)
		}
	}
}

// redirect is [automaton.redirectTo] by the meaning of each state.
func (a *automaton) redirect(ctx context.Context) {
	var number keyed.List[string, struct{}]
	class := make([]uint32, a.states())
	for q, of := range a.of {
		var key []byte
		for _, f := range of {
			key = binary.LittleEndian.AppendUint32(key, uint32(f))
		}
		class[q] = uint32(number.Index(string(key), struct{}{}))
	}
	a.redirectTo(ctx, class)
}

// redirectTo makes transitions lead to the deepest state of another component
// that accepts the same words, as states of one class do: a run takes such
// transitions finitely often.
func (a *automaton) redirectTo(ctx context.Context, class []uint32) {
	c := a.components(ctx)
	best := make([]uint32, len(class))
	for q := range best {
		best[q] = nowhere
	}
	for q, k := range class {
		if r := best[k]; r == nowhere || component(c, uint32(q)) > component(c, r) {
			best[k] = uint32(q)
		}
	}
	a.initial = best[class[a.initial]]
	for i, to := range a.next {
		from := component(c, uint32(i/a.letters))
		if r := best[class[to]]; from != component(c, to) || component(c, r) > from {
			a.next[i] = r
		}
	}
}

// components returns the components of the reachable part of the automaton.
func (a *automaton) components(ctx context.Context) *scc.Components {
	var b lts.Builder
	label := b.Label("")
	for i, to := range a.next {
		b.Add(lts.State(i/a.letters), label, lts.State(to))
	}
	system := abort.Must(b.Build(lts.State(a.initial), a.states()))
	return abort.Must(scc.Find(ctx, system, ""))
}

// component returns the number of the component of a state, negative if the state
// is unreachable.
func component(c *scc.Components, q uint32) int {
	k, reached := c.Of(lts.State(q))
	if !reached {
		return -1
	}
	return int(k)
}

// reach removes unreachable states, and numbers the others in the order in which
// they are reached. It returns their old numbers.
func (a *automaton) reach() (order []uint32) {
	order, number := reached(a.initial, a.next, a.letters, a.states())
	b := automaton{letters: a.letters, accept: a.accept, initial: number[a.initial]}
	for _, q := range order {
		from := int(q)
		b.stop, b.of = append(b.stop, a.stop[from]), append(b.of, a.of[from])
		for i := from * a.letters; i < (from+1)*a.letters; i++ {
			b.next = append(b.next, number[a.next[i]])
			if a.marks != nil {
				b.marks = append(b.marks, a.marks[i])
			}
		}
	}
	*a = b
	return order
}

// reached returns the reachable states in breadth-first order, and the number of
// each in this order.
func reached(initial uint32, next []uint32, letters, states int) (order, number []uint32) {
	number = make([]uint32, states)
	known := make([]bool, states)
	order = append(order, initial)
	known[initial] = true
	for i := 0; i < len(order); i++ {
		for _, to := range next[int(order[i])*letters : (int(order[i])+1)*letters] {
			if !known[to] {
				known[to] = true
				number[to] = uint32(len(order))
				order = append(order, to)
			}
		}
	}
	return order, number
}

// fewerColours merges colours on the same transitions, and removes colours
// without transitions.
func (a *automaton) fewerColours() {
	var met property.Marks
	for _, m := range a.marks {
		met |= m
	}
	a.accept = a.accept.Within(met)
	mentioned, _ := a.accept.Colours()
	var distinct palette
	number := map[int]int{}
	for c := range property.Colours {
		if !mentioned.Has(c) {
			continue
		}
		column := bitset.New[int](len(a.marks))
		for i, m := range a.marks {
			if m.Has(c) {
				column.Add(i)
			}
		}
		number[c] = distinct.number(column)
	}
	a.accept = a.accept.Renumbered(func(c int) int { return number[c] })
	distinct.paint(a.marks)
}

// palette has the transitions of each colour; no two colours have the same.
type palette []bitset.Set[int]

// number returns the colour of these transitions, a new one if there is none yet.
func (p *palette) number(column bitset.Set[int]) int {
	c := slices.IndexFunc(*p, func(d bitset.Set[int]) bool { return slices.Equal(d, column) })
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

// quotient merges the states that no word distinguishes by marks and stops, and
// removes unreachable ones.
func (a *automaton) quotient() {
	class := a.refined(a.marks)
	var first []uint32 // by class; classes are numbered in the order of their first states
	for q, k := range class {
		if int(k) == len(first) {
			first = append(first, uint32(q))
		}
	}
	for i, to := range a.next {
		a.next[i] = first[class[to]]
	}
	a.initial = first[class[a.initial]]
	a.reach()
}

// refined returns a class for each state; two states have the same class if no
// word distinguishes them by stops and, if given, marks.
func (a *automaton) refined(marks []property.Marks) []uint32 {
	return partition.Coarsest(a.states(), a.letters, a.next, func(key []byte, q int) []byte {
		if key = append(key, 0); a.stop[q] {
			key[0] = 1
		}
		if marks != nil {
			for _, m := range marks[q*a.letters : (q+1)*a.letters] {
				key = binary.LittleEndian.AppendUint64(key, uint64(m))
			}
		}
		return key
	})
}

// maxMerging limits the transitions and states that [automaton.merge] reads.
const maxMerging = 1 << 22

// merge merges states that accept the same words, as long as some condition on
// the result accepts the same words as before. It tries to merge all classes at
// once, which gives the smallest automaton, then one class after the other, then
// two states. Automata in which each component has runs of one outcome only
// always become minimal: Löding, Efficient Minimization of Deterministic Weak
// ω-Automata (IPL 79, 2001).
func (a *automaton) merge(ctx context.Context) {
	class, known := a.residualsWithin(ctx, a.refined(nil))
	if !known {
		return
	}
	// What is equivalent to a decided state is decided.
	by := map[uint32]form{}
	for q, of := range a.of {
		if len(of) == 1 && of[0] <= verum {
			by[class[q]] = of[0]
		}
	}
	for q, of := range a.of {
		if f, decided := by[class[q]]; decided && len(of) == 1 {
			a.of[q] = []form{f}
		}
	}
	a.redirectTo(ctx, class)
	class = renumbered(class, a.reach())
	m := &merging{ctx: ctx, a: a, class: class, left: maxMerging}
	members := m.members()
	first := identity[uint32](a.states())
	for _, states := range members {
		for _, q := range states {
			first[q] = states[0]
		}
	}
	if len(members) == 0 || m.try(first) {
		return
	}
	for again := true; again; {
		again = false
		for _, states := range m.members() {
			if again = m.some(states); again {
				break
			}
		}
	}
}

// renumbered returns the classes of the states order[0], order[1] and so on.
func renumbered(class, order []uint32) []uint32 {
	of := make([]uint32, len(order))
	for i, q := range order {
		of[i] = class[q]
	}
	return of
}

// merging is the state of the attempts, and the work that is left for them.
type merging struct {
	ctx   context.Context
	a     *automaton
	class []uint32
	left  int64
}

// some tries to merge all states of a class, or two of them.
func (m *merging) some(states []uint32) bool {
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
func (m *merging) members() [][]uint32 {
	var all keyed.List[uint32, []uint32]
	for q, k := range m.class {
		i := all.Index(k, nil)
		all.All[i] = append(all.All[i], uint32(q))
	}
	var several [][]uint32
	for _, states := range all.All {
		if len(states) > 1 {
			several = append(several, states)
		}
	}
	return several
}

func (m *merging) tryInto(r uint32, states ...uint32) bool {
	to := identity[uint32](m.a.states())
	for _, q := range states {
		to[q] = r
	}
	return m.try(to)
}

func identity[Q ~uint32](n int) []Q {
	to := make([]Q, n)
	for q := range to {
		to[q] = Q(q)
	}
	return to
}

// try merges each state into the state with which the map to replaces it, if
// that is possible, and reports whether it is.
func (m *merging) try(to []uint32) bool {
	if m.left <= 0 {
		return false
	}
	a, b := m.a, *m.a
	b.initial, b.next = to[a.initial], make([]uint32, len(a.next))
	for i, q := range a.next {
		b.next[i] = to[q]
	}
	kept := b.reach()
	// The runs of a together with the runs of b on the same words: their marks in a, and the states of b.
	var pairs keyed.List[[2]uint32, [2]uint32]
	var next []uint32
	var marks []property.Marks
	begin := [2]uint32{a.initial, b.initial}
	pairs.Index(begin, begin)
	for i := 0; i < len(pairs.All); i++ {
		p, q := int(pairs.All[i][0])*a.letters, int(pairs.All[i][1])*a.letters
		for letter := range a.letters {
			both := [2]uint32{a.next[p+letter], b.next[q+letter]}
			next = append(next, uint32(pairs.Index(both, both)))
			marks = append(marks, a.marks[p+letter])
		}
	}
	onState := make([]uint32, len(pairs.All))
	for i, pair := range pairs.All {
		onState[i] = pair[1]
	}
	if !m.coloured(&b, newGraph(a.letters, next), marks, onState) {
		return false
	}
	m.class = renumbered(m.class, kept)
	*m.a = b
	return true
}

// coloured gives b a condition with which it accepts the same words as runs, if
// there is one: a parity condition, or its own.
func (m *merging) coloured(b *automaton, runs *graph, marks []property.Marks, onState []uint32) bool {
	by, accept, found, work := parity(m.ctx, newGraph(b.letters, b.next), runs, onState, m.a.accept, marks, m.left)
	if m.left -= work; found {
		b.marks, b.accept = by, accept
		return true
	}
	n := colours(m.a.accept)
	if 2*n > property.Colours || m.left <= 0 {
		return false
	}
	for i := range marks {
		marks[i] = marks[i]&^property.Mark(apart) | b.marks[int(onState[i/b.letters])*b.letters+i%b.letters]<<uint(n)
	}
	differs, work := runs.satisfied(m.ctx, eitherOr(m.a.accept, shifted(m.a.accept, n)), marks, true, m.left)
	m.left -= work
	return m.left >= 0 && differs.Empty()
}

// maxPaired limits the pairs of states, times letters, that [automaton.residualsWithin]
// compares.
const maxPaired = 1 << 19

// residualsWithin returns a class for each state, such that two states of one of the given classes
// have the same class iff they accept the same infinite words; known is false if that would take
// too long. The first state of a class has its number. Letters must not lead from one given class
// to several. Cost as for emptiness, on the pairs of states of one given class.
func (a *automaton) residualsWithin(ctx context.Context, classes []uint32) (class []uint32, known bool) {
	n := colours(a.accept)
	pairs := &pairing{class: classes, indexInClass: make([]uint32, len(classes)), count: 1}
	for q, k := range classes {
		for int(k) >= len(pairs.members) {
			pairs.members = append(pairs.members, nil)
		}
		pairs.indexInClass[q] = uint32(len(pairs.members[k]))
		pairs.members[k] = append(pairs.members[k], uint32(q))
	}
	for _, all := range pairs.members {
		pairs.first = append(pairs.first, uint32(pairs.count))
		pairs.count += len(all) * len(all)
	}
	if 2*n > property.Colours || pairs.count*a.letters > maxPaired {
		return nil, false
	}
	next := make([]uint32, pairs.count*a.letters)
	marks := make([]property.Marks, len(next))
	pairs.each(func(i, p, q uint32) {
		for letter := range a.letters {
			at, from, other := int(i)*a.letters+letter, int(p)*a.letters+letter, int(q)*a.letters+letter
			next[at] = pairs.of(a.next[from], a.next[other])
			if next[at] != same {
				marks[at] = a.marks[from] | a.marks[other]<<uint(n)
			}
		}
	})
	g := newGraph(a.letters, next)
	differs, work := g.satisfied(ctx, eitherOr(a.accept, shifted(a.accept, n)), marks, false, maxSatisfied)
	if work > maxSatisfied {
		return nil, false
	}
	apart := g.reaching(ctx, func(s lts.State) bool {
		for t := int(s) * a.letters; t < (int(s)+1)*a.letters; t++ {
			if differs.Has(t) {
				return true
			}
		}
		return false
	})
	class = identity[uint32](a.states())
	pairs.each(func(i, p, q uint32) {
		if !apart[i] {
			class[q] = min(class[q], p)
		}
	})
	return class, true
}

// eitherOr returns the condition that one of two conditions holds and the other does not.
func eitherOr(a, b property.Acceptance) property.Acceptance {
	return property.Any(property.All(a, b.Not()), property.All(a.Not(), b))
}

// reaching returns the states that can reach a state for which the function is returns true.
func (g *graph) reaching(ctx context.Context, is func(lts.State) bool) []bool {
	abort.On(g.system.FindPredecessors(ctx))
	reach := make([]bool, g.system.NumStates())
	var line []lts.State
	meet := func(q lts.State) {
		if !reach[q] {
			reach[q] = true
			line = append(line, q)
		}
	}
	for q := range g.system.NumStates() {
		if is(lts.State(q)) {
			meet(lts.State(q))
		}
	}
	for i := 0; i < len(line); i++ {
		_, sources := g.system.Predecessors().In(line[i])
		for _, p := range sources {
			meet(p)
		}
	}
	return reach
}

// pairing numbers the pairs of different states of one class, from 1.
type pairing struct {
	class        []uint32
	members      [][]uint32 // the states of each class
	indexInClass []uint32   // the index of a state among the members of its class
	first        []uint32   // the number of the first pair of a class
	count        int
}

// same is the one number that stands for every pair of a state with itself.
const same = 0

// of returns the number of a pair of states of one class.
func (p *pairing) of(a, b uint32) uint32 {
	if a == b {
		return same
	}
	k := p.class[a]
	return p.first[k] + p.indexInClass[a]*uint32(len(p.members[k])) + p.indexInClass[b]
}

// each yields the pairs of different states.
func (p *pairing) each(yield func(i, a, b uint32)) {
	for _, all := range p.members {
		for _, a := range all {
			for _, b := range all {
				if a != b {
					yield(p.of(a, b), a, b)
				}
			}
		}
	}
}

// maxLighter limits the transitions and states that [automaton.lighter] reads.
const maxLighter = 1 << 24

// lighter removes parts of the condition that make no difference on runs of the
// automaton: one disjunct after the other, and one conjunct after the other,
// larger ones first. The result is exact, because a part is removed only if no
// run is accepted otherwise.
func (a *automaton) lighter(ctx context.Context) {
	if colours(a.accept) <= 1 {
		return
	}
	g := newGraph(a.letters, a.next)
	l := &lightening{graph: g, marks: a.marks, ctx: ctx, left: maxLighter}
	a.accept = l.node(a.accept, func(b property.Acceptance) property.Acceptance { return b })
}

// lightening leaves out parts of a condition as long as there is work left.
type lightening struct {
	*graph
	marks []property.Marks
	ctx   context.Context
	left  int64
}

// node simplifies a part of the condition; the function within returns the
// whole condition with another condition in place of the part.
func (l *lightening) node(a property.Acceptance, within func(property.Acceptance) property.Acceptance) property.Acceptance {
	join := property.All
	switch a.Operator() {
	case property.AndOp:
	case property.OrOp:
		join = property.Any
	default:
		return a
	}
	parts := append([]property.Acceptance(nil), a.Parts()...)
	for i := 0; i < len(parts); {
		fewer := append(append([]property.Acceptance(nil), parts[:i]...), parts[i+1:]...)
		whole, without := within(join(parts...)), within(join(fewer...))
		if a.Operator() == property.AndOp {
			whole, without = without, whole
		}
		// The condition whole accepts everything that without accepts.
		if l.none(property.All(whole, without.Not())) {
			parts = fewer
		} else {
			i++
		}
	}
	for i, part := range parts {
		parts[i] = l.node(part, func(b property.Acceptance) property.Acceptance {
			others := append([]property.Acceptance(nil), parts...)
			others[i] = b
			return within(join(others...))
		})
	}
	return join(parts...)
}

// none reports whether it is known that no run satisfies a condition.
func (l *lightening) none(accept property.Acceptance) bool {
	if l.left <= 0 {
		return false
	}
	found, work := l.satisfied(l.ctx, accept, l.marks, true, l.left)
	l.left -= work
	return l.left >= 0 && found.Empty()
}
