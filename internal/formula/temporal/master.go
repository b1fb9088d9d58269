package temporal

import (
	"context"
	"encoding/binary"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/intern"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
)

const (
	// maxPairs is the largest number of guesses, that is, of combinations of eventualities that recur
	// and invariants that finally hold. maxWork limits guesses times states, maxTransitions limits
	// states times letters, and maxTranslated limits the states of a translation, some of which are
	// merged afterwards.
	maxPairs       = 1 << 12
	maxTranslated  = 10_000
	maxWork        = 1 << 21
	maxTransitions = 1 << 23
)

// machine is a deterministic automaton under construction. A transition may have
// any number of colours.
type machine struct {
	automaton // without marks and condition
	// colours has, for each colour, the indices in Next of the transitions that have it.
	colours []bitset.Set[int]
	pairs   []pair
}

// pair is a Rabin pair: the colours of fin recur only finitely often, and those of inf recur forever.
type pair struct{ fin, inf []int }

// tracker is a component of a state. It follows a formula, and begins again after that formula has
// failed or has been met.
type tracker struct {
	kind      trackerKind
	begin     form     // the formula that a tracker for an eventuality or invariant begins with
	recurring []nodeID // the eventualities that are guessed to recur, of a tracker for a suffix
}

type trackerKind uint8

const (
	suffix      trackerKind = iota // the whole formula, with the set X inserted: begins again when it has failed
	invariant                      // G of an invariant: begins again when it has failed
	eventuality                    // F of an eventuality: begins again when it is met
	fulfilled                      // follows no formula; met once the whole formula is true
	failed                         // follows no formula; met once the whole formula is false
)

// translation makes the automaton of one operand.
type translation struct {
	space    *space
	formula  form
	trackers intern.List[string, tracker]
	pairs    []pair
	inserted map[string]form
	// suffixes stores the first formula of a tracker by the tracker and the form that must hold.
	suffixes map[[2]uint32]form
}

// translate returns the automaton of a form over the letters of s.
func (s *space) translate(f form) *machine {
	t := &translation{
		space:    s,
		formula:  f,
		inserted: map[string]form{},
		suffixes: map[[2]uint32]form{},
	}
	t.addPairs()
	return t.explore()
}

// visit yields each node in a form once, at any depth.
func (s *space) visit(f form, yield func(nodeID, node)) {
	seenForms := map[form]bool{}
	seenNodes := map[nodeID]bool{}
	var visit func(form)
	visit = func(f form) {
		if seenForms[f] {
			return
		}
		seenForms[f] = true
		for _, id := range slices.Concat(s.forms.All[f]...) {
			if seenNodes[id] {
				continue
			}
			seenNodes[id] = true
			n := s.nodes.All[id]
			yield(id, n)
			switch n.kind {
			case positive, negative:
			case next:
				visit(n.a)
			default:
				visit(n.a)
				visit(n.b)
			}
		}
	}
	visit(f)
}

// addPairs makes a pair for each guess that can come true. It needs no guesses for a formula without
// invariants, which holds iff it becomes true, and for a formula without eventualities, which holds
// unless it becomes false.
func (t *translation) addPairs() {
	var eventualities, invariants []nodeID
	t.space.visit(t.formula, func(id nodeID, n node) {
		switch n.kind {
		case until, strong:
			eventualities = append(eventualities, id)
		case weak, release:
			invariants = append(invariants, id)
		}
	})
	slices.Sort(eventualities)
	slices.Sort(invariants)
	switch {
	case len(invariants) == 0:
		t.pairs = []pair{{inf: []int{t.track(tracker{kind: fulfilled})}}}
		return
	case len(eventualities) == 0:
		t.pairs = []pair{{fin: []int{t.track(tracker{kind: failed})}}}
		return
	}
	n := len(eventualities) + len(invariants)
	if n > 30 || 1<<n > maxPairs {
		abort.On(&BudgetError{What: "pairs", Most: maxPairs, of: t.formula})
	}
	for recurring := range 1 << len(eventualities) {
		for holding := range 1 << len(invariants) {
			t.addPair(subset(eventualities, recurring), subset(invariants, holding))
		}
	}
}

// subset returns the nodes whose bit is set.
func subset(all []nodeID, bits int) (set []nodeID) {
	for i, n := range all {
		if bits>>i&1 != 0 {
			set = append(set, n)
		}
	}
	return set
}

// addPair adds the pair for a guess: the eventualities that recur, and the invariants that finally hold,
// which are the sets X and Y of the Master Theorem. It skips the guess if an eventuality or an
// invariant becomes false by the insertion. It must not skip the guess if the formula itself becomes
// false, since the formula that must hold changes along a run: F (a && G b) becomes false for X = ∅, but
// after a also G b is enough.
func (t *translation) addPair(recurring, holding []nodeID) {
	var p pair
	for _, id := range recurring {
		body := t.insertHolding(t.space.intern([]clause{{id}}), holding)
		switch body {
		case falsum:
			return
		case verum:
			continue
		}
		p.inf = append(p.inf, t.track(tracker{kind: eventuality, begin: t.space.eventually(body)}))
	}
	for _, id := range holding {
		body := t.insertRecurring(t.space.intern([]clause{{id}}), recurring)
		switch body {
		case falsum:
			return
		case verum:
			continue
		}
		p.fin = append(p.fin, t.track(tracker{kind: invariant, begin: t.space.always(body)}))
	}
	p.fin = append(p.fin, t.track(tracker{kind: suffix, recurring: recurring}))
	slices.Sort(p.fin)
	slices.Sort(p.inf)
	p = pair{slices.Compact(p.fin), slices.Compact(p.inf)}
	if !slices.ContainsFunc(t.pairs, func(q pair) bool {
		return slices.Equal(p.fin, q.fin) && slices.Equal(p.inf, q.inf)
	}) {
		t.pairs = append(t.pairs, p)
	}
}

// track returns the number of a tracker.
func (t *translation) track(x tracker) int {
	key := []byte{byte(x.kind)}
	key = binary.AppendUvarint(key, uint64(x.begin))
	for _, id := range x.recurring {
		key = binary.AppendUvarint(key, uint64(id))
	}
	return t.trackers.Index(string(key), x)
}

// insertRecurring inserts the eventualities that recur into a form. It replaces temporal operators, inner
// ones first: eventualities in the set become weak, and others become false. The result is f[X]^ν.
func (t *translation) insertRecurring(f form, set []nodeID) form {
	in := &insertion{
		translation: t,
		replacement: map[kind]kind{until: weak, strong: release},
		constant:    falsum,
		keeps:       func(id nodeID) bool { return slices.Contains(set, id) },
		prefix:      insertionKey('x', set),
	}
	return in.insertInto(f)
}

// insertHolding inserts the invariants that finally hold into a form: invariants in the set become true, and
// others become strong. The result is f[Y]^μ.
func (t *translation) insertHolding(f form, set []nodeID) form {
	in := &insertion{
		translation: t,
		replacement: map[kind]kind{weak: until, release: strong},
		constant:    verum,
		keeps:       func(id nodeID) bool { return !slices.Contains(set, id) },
		prefix:      insertionKey('y', set),
	}
	return in.insertInto(f)
}

// insertionKey returns the beginning of the keys of translation.inserted for an insertion of a set.
func insertionKey(kind byte, set []nodeID) []byte {
	key := []byte{kind}
	for _, id := range set {
		key = binary.AppendUvarint(key, uint64(id))
	}
	return append(key, 0xff, 0xff, 0xff)
}

// insertion replaces the operators of a guess.
type insertion struct {
	*translation
	// replacement maps operators to the operators that replace them, at nodes for which keeps
	// returns true. Other nodes with such an operator become the constant.
	replacement map[kind]kind
	keeps       func(nodeID) bool
	constant    form
	prefix      []byte // of keys of inserted
}

// insertInto replaces the operators of a form.
func (in *insertion) insertInto(f form) form {
	if f <= verum {
		return f
	}
	key := string(binary.AppendUvarint(slices.Clone(in.prefix), uint64(f)))
	known, ok := in.inserted[key]
	if ok {
		return known
	}
	g := in.space.replaceNodes(f, in.node)
	in.inserted[key] = g
	return g
}

// node replaces the operators of a node.
func (in *insertion) node(id nodeID) form {
	n := in.space.nodes.All[id]
	switch n.kind {
	case positive, negative:
		return in.space.intern([]clause{{id}})
	case next:
		return in.space.single(node{kind: next, a: in.insertInto(n.a)})
	}
	n.a = in.insertInto(n.a)
	n.b = in.insertInto(n.b)
	replacement, isReplaced := in.replacement[n.kind]
	if isReplaced {
		if !in.keeps(id) {
			return in.constant
		}
		n.kind = replacement
	}
	return in.space.single(n)
}

// explore finds the reachable states. A state consists of the formula that must hold and, for each
// tracker, the formula that the tracker follows. Once the formula that must hold is true or false, the
// state needs no trackers.
func (t *translation) explore() *machine {
	m := &machine{pairs: t.pairs}
	m.Columns = len(t.space.letters)
	begin := []form{t.formula}
	for i := range t.trackers.All {
		begin = append(begin, t.firstFormula(i, t.formula))
	}
	var coloursOf [][]int // for each transition
	take := func(from []form, letter int) []form {
		to, met := t.step(from, letter)
		coloursOf = append(coloursOf, met)
		return to
	}
	check := func(_, states int) { t.checkSize(states) }
	var vectors [][]form
	vectors, m.Next = explore(begin, m.Columns, keyOfForms, check, take)
	for _, v := range vectors {
		m.demands = append(m.demands, v[:1:1])
	}
	for range t.trackers.All {
		m.colours = append(m.colours, bitset.New[int](len(m.Next)))
	}
	for i, met := range coloursOf {
		for _, c := range met {
			m.colours[c].Add(i)
		}
	}
	return m
}

func keyOfForms(state []form) string {
	var key []byte
	for _, f := range state {
		key = binary.AppendUvarint(key, uint64(f))
	}
	return string(key)
}

// checkSize fails if the automaton has too many states, or if the context is done.
func (t *translation) checkSize(states int) {
	abort.On(t.space.ctx.Err())
	switch {
	case states > maxTranslated:
		abort.On(&BudgetError{What: "states", Most: maxTranslated, of: t.formula})
	case states*max(1, len(t.pairs)) > maxWork:
		abort.On(&BudgetError{What: "pairs × states", Most: maxWork, of: t.formula})
	case states*len(t.space.letters) > maxTransitions:
		abort.On(&BudgetError{What: "transitions", Most: maxTransitions, of: t.formula})
	}
}

// firstFormula returns the first formula of tracker i, given the formula f that must hold.
func (t *translation) firstFormula(i int, f form) form {
	x := t.trackers.All[i]
	if x.kind != suffix {
		return x.begin
	}
	key := [2]uint32{uint32(i), uint32(f)}
	g, known := t.suffixes[key]
	if !known {
		g = t.insertRecurring(f, x.recurring)
		t.suffixes[key] = g
	}
	return g
}

// step returns the state after a letter, and the colours of the transition.
func (t *translation) step(from []form, letter int) (to []form, colours []int) {
	demand := t.space.step(from[0], letter)
	if demand <= verum {
		// From now on, every word is accepted or none is. The trackers stop, and the colours satisfy
		// the condition or violate it.
		for i, x := range t.trackers.All {
			isInf := x.kind == eventuality || x.kind == fulfilled // otherwise its colour is in fin
			if isInf == (demand == verum) {
				colours = append(colours, i)
			}
		}
		return []form{demand}, colours
	}
	to = make([]form, len(from))
	to[0] = demand
	for i, x := range t.trackers.All {
		if x.kind == fulfilled || x.kind == failed { // these follow no formula
			continue
		}
		f := t.space.step(from[1+i], letter)
		hasFailed := f == falsum && x.kind != eventuality
		isMet := f == verum && x.kind == eventuality
		if hasFailed || isMet {
			colours = append(colours, i)
			f = t.firstFormula(i, demand)
		}
		to[1+i] = f
	}
	return to, colours
}

// settle computes which states accept a run that stops there. It also removes the last letter, "nothing
// happens", and turns the colours into marks.
func (m *machine) settle(ctx context.Context) *automaton {
	idle := m.Columns - 1
	m.Stop = property.StopsByLoops(len(m.demands),
		func(q int) int { return int(m.Next[q*m.Columns+idle]) }, m.acceptsIdling)
	m.Columns = idle
	if idle == 0 {
		return &m.automaton
	}
	m.dropIdleLetter(ctx)
	m.dropPassingColours(ctx)
	m.dropIdlePairs(ctx)
	m.setMarks()
	return &m.automaton
}

// dropPassingColours removes the colours of transitions between components, since a run takes such a
// transition at most once.
func (m *machine) dropPassingColours(ctx context.Context) {
	c := m.components(ctx)
	for i, to := range m.Next {
		from := property.Q(i / m.Columns)
		if component(c, from) == component(c, to) {
			continue
		}
		for _, transitions := range m.colours {
			transitions.Remove(i)
		}
	}
}

// acceptsIdling reports whether a run that takes the last letter forever, in a loop of states, is
// accepted.
func (m *machine) acceptsIdling(loop []int) bool {
	idle := m.Columns - 1
	met := func(c int) bool {
		return slices.ContainsFunc(loop, func(q int) bool {
			return m.colours[c].Has(q*m.Columns + idle)
		})
	}
	return slices.ContainsFunc(m.pairs, func(p pair) bool {
		return !slices.ContainsFunc(p.fin, met) &&
			!slices.ContainsFunc(p.inf, func(c int) bool { return !met(c) })
	})
}

// dropIdleLetter removes the transitions of the last letter, whose number is m.Columns, and the states
// that only these transitions reach.
func (m *machine) dropIdleLetter(ctx context.Context) {
	idle := m.Columns
	columnsBefore := idle + 1
	var next []property.Q
	for i, to := range m.Next {
		if i%columnsBefore != idle {
			next = append(next, to)
		}
	}
	m.Next = next
	m.redirect(ctx)
	order := m.reach()
	for c, before := range m.colours {
		m.colours[c] = bitset.New[int](len(m.Next))
		for i := range m.Next {
			stateBefore := int(order[i/m.Columns])
			if before.Has(stateBefore*columnsBefore + i%m.Columns) {
				m.colours[c].Add(i)
			}
		}
	}
}

// setMarks sets the marks and the condition. Colours with the same transitions get one number, and colours
// without transitions get none.
func (m *machine) setMarks() {
	m.Marks = make([]property.Marks, len(m.Next))
	var p palette
	var disjuncts []property.Acceptance // one for each pair
	for _, pair := range m.pairs {
		var conjuncts []property.Acceptance
		for _, c := range pair.fin {
			if !m.colours[c].Empty() {
				conjuncts = append(conjuncts, property.Fin(p.number(m.colours[c])))
			}
		}
		for _, c := range pair.inf {
			conjuncts = append(conjuncts, property.Inf(p.number(m.colours[c])))
		}
		disjuncts = append(disjuncts, property.All(conjuncts...))
	}
	if len(p) > property.Colours {
		abort.On(&BudgetError{What: "colours", Most: property.Colours})
	}
	p.paint(m.Marks)
	m.Acceptance = property.Any(disjuncts...)
}

// dropIdlePairs removes pairs that no run satisfies, and pairs whose runs satisfy another pair, too. It
// gives each remaining pair a single fin colour.
func (m *machine) dropIdlePairs(ctx context.Context) {
	live := m.livePairs(ctx)
	isDropped := make([]bool, len(live))
	for i := range live {
		for j := range live {
			if i != j && !isDropped[j] && m.isWithin(live[i], live[j]) {
				isDropped[i] = true
				break
			}
		}
	}
	m.pairs = nil
	for i, p := range live {
		if isDropped[i] {
			continue
		}
		finColour := len(m.colours)
		m.colours = append(m.colours, p.fin)
		m.pairs = append(m.pairs, pair{fin: []int{finColour}, inf: p.inf})
	}
}

// livePairs returns the pairs that some run satisfies. The transitions with one of a pair's fin colours
// are joined in one set.
func (m *machine) livePairs(ctx context.Context) []livePair {
	g := newGraph(m.Columns, m.Next, 0)
	search := abort.Must(scc.NewParts(ctx, g.system))
	var live []livePair
	for _, p := range m.pairs {
		fin := bitset.New[int](len(m.Next))
		for _, c := range p.fin {
			fin.AddAll(m.colours[c])
		}
		if m.isSatisfiable(g, search, fin, p.inf) {
			live = append(live, livePair{fin: fin, inf: p.inf})
		}
	}
	return live
}

// livePair is a pair that some run satisfies; fin has the transitions with a fin colour.
type livePair struct {
	fin bitset.Set[int]
	inf []int
}

// isWithin reports whether every run that satisfies pair p obviously satisfies pair q, too: the fin
// transitions of q are fin transitions of p, and each inf colour of q has all transitions of some inf
// colour of p.
func (m *machine) isWithin(p, q livePair) bool {
	if !subsetOf(q.fin, p.fin) {
		return false
	}
	for _, d := range q.inf {
		isImplied := slices.ContainsFunc(p.inf, func(c int) bool {
			return subsetOf(m.colours[c], m.colours[d])
		})
		if !isImplied {
			return false
		}
	}
	return true
}

// isSatisfiable reports whether some component still has a transition of each colour of inf after the
// transitions of fin are removed.
func (m *machine) isSatisfiable(
	g *graph,
	search *scc.Parts,
	fin bitset.Set[int],
	inf []int,
) bool {
	isAllowed := func(from lts.State, l lts.Label, _ lts.State) bool {
		return !fin.Has(int(from)*m.Columns + int(l))
	}
	for states := range abort.Must(search.Components(g.all(), isAllowed)) {
		search.Enter(states)
		var inside []int // the transitions of the component
		for _, q := range states {
			first := int(q) * m.Columns
			for i := first; i < first+m.Columns; i++ {
				if !fin.Has(i) && search.Has(lts.State(m.Next[i])) {
					inside = append(inside, i)
				}
			}
		}
		isMissing := func(c int) bool {
			return !slices.ContainsFunc(inside, m.colours[c].Has)
		}
		if len(inside) > 0 && !slices.ContainsFunc(inf, isMissing) {
			return true
		}
	}
	return false
}

func subsetOf(a, b bitset.Set[int]) bool {
	for i, word := range a {
		if word&^b[i] != 0 {
			return false
		}
	}
	return true
}
