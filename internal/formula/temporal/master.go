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
	kind  trackerKind
	begin form     // the formula that a tracker for an eventuality or invariant begins with
	recur []nodeID // the eventualities that are guessed to recur, of a tracker for a suffix
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
	s        *space
	f        form
	trackers intern.List[string, tracker]
	pairs    []pair
	subst    map[string]form
	// suffixes stores the first formula of a tracker by the tracker and the form that must hold.
	suffixes map[[2]uint32]form
}

// translate returns the automaton of a form over the letters of s.
func (s *space) translate(f form) *machine {
	t := &translation{
		s:        s,
		f:        f,
		subst:    map[string]form{},
		suffixes: map[[2]uint32]form{},
	}
	t.guesses()
	return t.explore()
}

// visit yields each node in a form once, at any depth.
func (s *space) visit(f form, yield func(nodeID, node)) {
	seen := map[form]bool{}
	met := map[nodeID]bool{}
	var visit func(form)
	visit = func(f form) {
		if seen[f] {
			return
		}
		seen[f] = true
		for _, id := range slices.Concat(s.forms.All[f]...) {
			if met[id] {
				continue
			}
			met[id] = true
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

// guesses makes a pair for each guess that can come true. It needs no guesses for a formula without
// invariants, which holds iff it becomes true, and for a formula without eventualities, which holds
// unless it becomes false.
func (t *translation) guesses() {
	var mu, nu []nodeID // the eventualities and the invariants
	t.s.visit(t.f, func(id nodeID, n node) {
		switch n.kind {
		case until, strong:
			mu = append(mu, id)
		case weak, release:
			nu = append(nu, id)
		}
	})
	slices.Sort(mu)
	slices.Sort(nu)
	switch {
	case len(nu) == 0:
		t.pairs = []pair{{inf: []int{t.track(tracker{kind: fulfilled})}}}
		return
	case len(mu) == 0:
		t.pairs = []pair{{fin: []int{t.track(tracker{kind: failed})}}}
		return
	}
	n := len(mu) + len(nu)
	if n > 30 || 1<<n > maxPairs {
		abort.On(&BudgetError{What: "pairs", Most: maxPairs, of: t.f})
	}
	for x := range 1 << len(mu) {
		for y := range 1 << len(nu) {
			t.guess(subset(mu, x), subset(nu, y))
		}
	}
}

func subset(all []nodeID, bits int) (set []nodeID) {
	for i, n := range all {
		if bits>>i&1 != 0 {
			set = append(set, n)
		}
	}
	return set
}

// guess adds the pair for a guess: recur are the eventualities that recur, and hold the invariants that
// finally hold, the sets X and Y of the Master Theorem. It skips the guess if an eventuality or an
// invariant becomes false by the insertion. It must not skip the guess if the formula itself becomes
// false, since the formula that must hold changes along a run: F (a && G b) becomes false for X = ∅, but
// after a also G b is enough.
func (t *translation) guess(recur, hold []nodeID) {
	var p pair
	for _, id := range recur {
		body := t.insert(t.s.intern([]clause{{id}}), hold, false)
		switch body {
		case falsum:
			return
		case verum:
			continue
		}
		p.inf = append(p.inf, t.track(tracker{kind: eventuality, begin: t.s.eventually(body)}))
	}
	for _, id := range hold {
		body := t.insert(t.s.intern([]clause{{id}}), recur, true)
		switch body {
		case falsum:
			return
		case verum:
			continue
		}
		p.fin = append(p.fin, t.track(tracker{kind: invariant, begin: t.s.always(body)}))
	}
	p.fin = append(p.fin, t.track(tracker{kind: suffix, recur: recur}))
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
	for _, id := range x.recur {
		key = binary.AppendUvarint(key, uint64(id))
	}
	return t.trackers.Index(string(key), x)
}

// insert inserts a set of guessed nodes into a form: it replaces temporal operators, inner ones first.
// If recur is set, the result is f[X]^ν: eventualities in the set become weak, and others become false.
// Otherwise the result is f[Y]^μ: invariants in the set become true, and others become strong.
func (t *translation) insert(f form, set []nodeID, recur bool) form {
	in := &insertion{translation: t}
	var prefix []byte
	if recur {
		prefix = []byte{'x'}
		in.weakened = map[kind]kind{until: weak, strong: release}
		in.constant = falsum
		in.keeps = func(id nodeID) bool { return slices.Contains(set, id) }
	} else {
		prefix = []byte{'y'}
		in.weakened = map[kind]kind{weak: until, release: strong}
		in.constant = verum
		in.keeps = func(id nodeID) bool { return !slices.Contains(set, id) }
	}
	for _, id := range set {
		prefix = binary.AppendUvarint(prefix, uint64(id))
	}
	in.prefix = append(prefix, 0xff, 0xff, 0xff)
	return in.into(f)
}

// insertion replaces the operators of a guess.
type insertion struct {
	*translation
	// weakened maps each operator that is replaced to the operator that replaces it. That is done at
	// nodes for which keeps returns true; the other nodes with such an operator become the constant.
	weakened map[kind]kind
	keeps    func(nodeID) bool
	constant form
	prefix   []byte // of keys of subst
}

// into replaces the operators of a form.
func (in *insertion) into(f form) form {
	if f <= verum {
		return f
	}
	key := string(binary.AppendUvarint(slices.Clone(in.prefix), uint64(f)))
	known, ok := in.subst[key]
	if ok {
		return known
	}
	g := in.s.each(f, in.node)
	in.subst[key] = g
	return g
}

// node replaces the operators of a node.
func (in *insertion) node(id nodeID) form {
	n := in.s.nodes.All[id]
	switch n.kind {
	case positive, negative:
		return in.s.intern([]clause{{id}})
	case next:
		return in.s.of(node{kind: next, a: in.into(n.a)})
	}
	n.a = in.into(n.a)
	n.b = in.into(n.b)
	replacement, isReplaced := in.weakened[n.kind]
	if isReplaced {
		if !in.keeps(id) {
			return in.constant
		}
		n.kind = replacement
	}
	return in.s.of(n)
}

// explore finds the reachable states. A state consists of the formula that must hold and, for each
// tracker, the formula that the tracker follows. Once the formula that must hold is true or false, the
// state needs no trackers.
func (t *translation) explore() *machine {
	m := &machine{pairs: t.pairs}
	m.Columns = len(t.s.letters)
	begin := []form{t.f}
	for i := range t.trackers.All {
		begin = append(begin, t.begin(i, t.f))
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
		m.of = append(m.of, v[:1:1])
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

// checkSize fails if the automaton has too many states, and if the context is done.
func (t *translation) checkSize(states int) {
	abort.On(t.s.ctx.Err())
	switch {
	case states > maxTranslated:
		abort.On(&BudgetError{What: "states", Most: maxTranslated, of: t.f})
	case states*max(1, len(t.pairs)) > maxWork:
		abort.On(&BudgetError{What: "pairs × states", Most: maxWork, of: t.f})
	case states*len(t.s.letters) > maxTransitions:
		abort.On(&BudgetError{What: "transitions", Most: maxTransitions, of: t.f})
	}
}

// begin returns the first formula of tracker i, given the formula f that must hold.
func (t *translation) begin(i int, f form) form {
	x := t.trackers.All[i]
	if x.kind != suffix {
		return x.begin
	}
	key := [2]uint32{uint32(i), uint32(f)}
	g, known := t.suffixes[key]
	if !known {
		g = t.insert(f, t.trackers.All[i].recur, true)
		t.suffixes[key] = g
	}
	return g
}

// step returns the state after a letter, and the colours of the transition.
func (t *translation) step(v []form, letter int) (to []form, met []int) {
	rest := t.s.step(v[0], letter)
	if rest <= verum {
		// From now on, every word is accepted or none is. The trackers stop, and the colours satisfy
		// the condition or violate it.
		for i, x := range t.trackers.All {
			if (x.kind == eventuality || x.kind == fulfilled) == (rest == verum) {
				met = append(met, i)
			}
		}
		return []form{rest}, met
	}
	to = make([]form, len(v))
	to[0] = rest
	for i, x := range t.trackers.All {
		if x.kind >= fulfilled {
			continue
		}
		f := t.s.step(v[1+i], letter)
		failed := f == falsum && x.kind != eventuality
		if failed || f == verum && x.kind == eventuality {
			met = append(met, i)
			f = t.begin(i, rest)
		}
		to[1+i] = f
	}
	return to, met
}

// settle computes which states accept a run that stops there. It also removes the last letter, "nothing
// happens", and turns the colours into marks.
func (m *machine) settle(ctx context.Context) *automaton {
	idle := m.Columns - 1
	m.Stop = property.StopsByLoops(len(m.of),
		func(q int) int { return int(m.Next[q*m.Columns+idle]) }, m.acceptsIdling)
	m.Columns = idle
	if idle == 0 {
		return &m.automaton
	}
	m.dropIdleLetter(ctx)
	m.dropPassingColours(ctx)
	m.dropIdlePairs(ctx)
	m.paint()
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

// paint sets the marks and the condition. Colours with the same transitions get one number, and colours
// without transitions get none.
func (m *machine) paint() {
	m.Marks = make([]property.Marks, len(m.Next))
	var p palette
	var some []property.Acceptance
	for _, pair := range m.pairs {
		var all []property.Acceptance
		for _, c := range pair.fin {
			if !m.colours[c].Empty() {
				all = append(all, property.Fin(p.number(m.colours[c])))
			}
		}
		for _, c := range pair.inf {
			all = append(all, property.Inf(p.number(m.colours[c])))
		}
		some = append(some, property.All(all...))
	}
	if len(p) > property.Colours {
		abort.On(&BudgetError{What: "colours", Most: property.Colours})
	}
	p.paint(m.Marks)
	m.Acceptance = property.Any(some...)
}

// dropIdlePairs removes pairs that no run satisfies, and pairs whose runs satisfy another pair, too. It
// gives each remaining pair a single fin colour.
func (m *machine) dropIdlePairs(ctx context.Context) {
	g := newGraph(m.Columns, m.Next, 0)
	search := abort.Must(scc.NewParts(ctx, g.system))
	var live []livePair
	for _, p := range m.pairs {
		fin := bitset.New[int](len(m.Next))
		for _, c := range p.fin {
			fin.AddAll(m.colours[c])
		}
		if m.satisfiable(g, search, fin, p.inf) {
			live = append(live, livePair{fin: fin, inf: p.inf})
		}
	}
	dropped := make([]bool, len(live))
	for i := range live {
		for j := range live {
			if i != j && !dropped[j] && m.isWithin(live[i], live[j]) {
				dropped[i] = true
				break
			}
		}
	}
	m.pairs = nil
	for i, p := range live {
		if !dropped[i] {
			m.pairs = append(m.pairs, pair{fin: []int{len(m.colours)}, inf: p.inf})
			m.colours = append(m.colours, p.fin)
		}
	}
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

// satisfiable reports whether some component still has a transition of each colour of inf after the
// transitions of fin are removed.
func (m *machine) satisfiable(
	g *graph,
	search *scc.Parts,
	fin bitset.Set[int],
	inf []int,
) bool {
	shows := func(from lts.State, l lts.Label, _ lts.State) bool {
		return !fin.Has(int(from)*m.Columns + int(l))
	}
	for states := range abort.Must(search.Components(g.all(), shows)) {
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
