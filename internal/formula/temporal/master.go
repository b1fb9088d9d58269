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
	// maxPairs is the largest number of guesses which eventualities recur and
	// which invariants finally hold. maxWork limits guesses times states,
	// maxTransitions states times letters, and maxTranslated states; several
	// translated states may become one state of the result.
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

// pair is a Rabin pair: the colours of fin occur finitely often, those of inf
// recur.
type pair struct{ fin, inf []int }

// tracker is a component of a state: it follows a formula, and restarts after a
// reset.
type tracker struct {
	kind  trackerKind
	begin form     // the first formula of a tracker for an eventuality or invariant
	recur []nodeID // the guessed eventualities of a tracker for a suffix
}

type trackerKind uint8

const (
	suffix      trackerKind = iota // the whole formula, with X inserted: begins again where it fails
	invariant                      // G of an invariant: begins again whenever it fails
	eventuality                    // F of an eventuality: begins again whenever it is met
	fulfilled                      // nothing: met once the whole formula has become true
	failed                         // met as soon as the operand has become false
)

// translation makes the automaton of one operand.
type translation struct {
	s        *space
	f        form
	trackers intern.List[string, tracker]
	pairs    []pair
	subst    map[string]form
	// suffixes is indexed by a tracker and a form.
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

// visit yields the nodes in a form, however deep, each once.
func (s *space) visit(f form, yield func(nodeID, node)) {
	seen := map[form]bool{}
	met := map[nodeID]bool{}
	var visit func(form)
	visit = func(f form) {
		if seen[f] {
			return
		}
		seen[f] = true
		for _, c := range s.forms.All[f] {
			for _, id := range c {
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
	}
	visit(f)
}

// guesses makes a pair for each guess that can come true. A formula without
// invariants holds once it has become true, and one without eventualities holds
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

// guess adds the pair of a guess which eventualities recur and which invariants finally hold: the
// sets X and Y of the Master Theorem, ascending. The guess is skipped only if an eventuality or an
// invariant becomes false. That the formula itself becomes false does not suffice, because it may
// hold again later: F a with a as the formula inserted.
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

// insert replaces the temporal operators of a form, inner ones first. If the nodes in the set
// recur, the result is f[X]^ν: eventualities in the set become their weak forms, others false.
// Otherwise it is f[Y]^μ: invariants in the set become true, others their strong forms.
func (t *translation) insert(f form, set []nodeID, recur bool) form {
	other := map[kind]kind{weak: until, release: strong}
	prefix := []byte{'y'}
	otherwise := verum
	if recur {
		other = map[kind]kind{until: weak, strong: release}
		prefix = []byte{'x'}
		otherwise = falsum
	}
	for _, id := range set {
		prefix = binary.AppendUvarint(prefix, uint64(id))
	}
	prefix = append(prefix, 0xff, 0xff, 0xff)
	var visit func(f form) form
	visit = func(f form) form {
		if f <= verum {
			return f
		}
		key := string(binary.AppendUvarint(slices.Clone(prefix), uint64(f)))
		if g, ok := t.subst[key]; ok {
			return g
		}
		g := t.s.each(f, func(id nodeID) form {
			switch n := t.s.nodes.All[id]; n.kind {
			case positive, negative:
				return t.s.intern([]clause{{id}})
			case next:
				return t.s.of(node{kind: next, a: visit(n.a)})
			default:
				n.a = visit(n.a)
				n.b = visit(n.b)
				if to, ok := other[n.kind]; ok && slices.Contains(set, id) != recur {
					return otherwise
				} else if ok {
					n.kind = to
				}
				return t.s.of(n)
			}
		})
		t.subst[key] = g
		return g
	}
	return visit(f)
}

// explore makes the reachable states. A state consists of the formula that must
// hold and, for each tracker, the formula that the tracker follows. Once the
// former is true or false, the state needs no trackers.
func (t *translation) explore() *machine {
	m := &machine{pairs: t.pairs}
	m.Columns = len(t.s.letters)
	begin := []form{t.f}
	for i := range t.trackers.All {
		begin = append(begin, t.begin(i, t.f))
	}
	key := func(state []form) string {
		var key []byte
		for _, f := range state {
			key = binary.AppendUvarint(key, uint64(f))
		}
		return string(key)
	}
	var coloursOf [][]int // for each transition
	var vectors [][]form
	vectors, m.Next = explore(begin, m.Columns, key, func(_, states int) {
		abort.On(t.s.ctx.Err())
		switch {
		case states > maxTranslated:
			abort.On(&BudgetError{What: "states", Most: maxTranslated, of: t.f})
		case states*max(1, len(t.pairs)) > maxWork:
			abort.On(&BudgetError{What: "pairs × states", Most: maxWork, of: t.f})
		case states*m.Columns > maxTransitions:
			abort.On(&BudgetError{What: "transitions", Most: maxTransitions, of: t.f})
		}
	}, func(from []form, letter int) []form {
		to, met := t.step(from, letter)
		coloursOf = append(coloursOf, met)
		return to
	})
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

// begin returns the formula that tracker i follows when it begins while f must
// hold.
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
		// Every word is accepted from now on, or none: all trackers rest, and the colours
		// satisfy the condition, or do not.
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

// settle computes which states accept a run that stops there, removes the last
// letter, "nothing happens", and gives the automaton colours that fit into marks.
func (m *machine) settle(ctx context.Context) *automaton {
	idle := m.Columns - 1
	m.Stop = property.StopsByLoops(len(m.of),
		func(q int) int { return int(m.Next[q*m.Columns+idle]) }, m.acceptsIdling)
	m.Columns = idle
	if idle == 0 {
		return &m.automaton
	}
	m.dropIdleLetter(ctx)
	c := m.components(ctx)
	for i, to := range m.Next {
		if component(c, property.Q(i/m.Columns)) != component(c, to) { // no run takes it twice
			for _, transitions := range m.colours {
				transitions.Remove(i)
			}
		}
	}
	m.dropIdlePairs(ctx)
	m.paint()
	return &m.automaton
}

// acceptsIdling reports whether a run is accepted that takes the last letter forever, in a loop of states.
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

// dropIdleLetter removes the transitions of the last letter, which stands behind m.Columns others, and the states that only
// these reach.
func (m *machine) dropIdleLetter(ctx context.Context) {
	idle := m.Columns
	var next []property.Q
	for i, to := range m.Next {
		if i%(idle+1) != idle {
			next = append(next, to)
		}
	}
	m.Next = next
	m.redirect(ctx)
	order := m.reach()
	for i, transitions := range m.colours {
		m.colours[i] = bitset.New[int](len(m.Next))
		for at := range m.Next {
			if transitions.Has(int(order[at/idle])*(idle+1) + at%idle) {
				m.colours[i].Add(at)
			}
		}
	}
}

// paint sets the marks and the condition. Colours on the same transitions get one number, and colours that never occur none.
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

// dropIdlePairs removes pairs that no run satisfies, and pairs whose runs another
// pair accepts, too: one with a subset of the fin colours, and with a subset of
// each inf among its own.
func (m *machine) dropIdlePairs(ctx context.Context) {
	g := newGraph(m.Columns, m.Next, 0)
	search := abort.Must(scc.NewParts(ctx, g.system))
	var live []pair
	var fins []bitset.Set[int]
	for _, p := range m.pairs {
		fin := bitset.New[int](len(m.Next))
		for _, c := range p.fin {
			fin.AddAll(m.colours[c])
		}
		if m.satisfiable(g, search, fin, p.inf) {
			live = append(live, p)
			fins = append(fins, fin)
		}
	}
	within := func(i, j int) bool { // reports whether j accepts whatever i accepts
		return subsetOf(fins[j], fins[i]) &&
			!slices.ContainsFunc(live[j].inf, func(d int) bool {
				return !slices.ContainsFunc(live[i].inf, func(c int) bool { return subsetOf(m.colours[c], m.colours[d]) })
			})
	}
	dropped := make([]bool, len(live))
	for i := range live {
		for j := range live {
			if i != j && !dropped[j] && within(i, j) {
				dropped[i] = true
				break
			}
		}
	}
	m.pairs = nil
	for i, p := range live {
		if !dropped[i] {
			m.pairs = append(m.pairs, pair{[]int{len(m.colours)}, p.inf})
			m.colours = append(m.colours, fins[i])
		}
	}
}

// satisfiable reports whether some component, without the transitions of fin, has
// a transition of each colour of inf.
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
		cyclic := false
		missing := slices.Clone(inf)
		for _, q := range states {
			for i := int(q) * m.Columns; i < (int(q)+1)*m.Columns; i++ {
				if !fin.Has(i) && search.Has(lts.State(m.Next[i])) {
					cyclic = true
					missing = slices.DeleteFunc(missing, func(c int) bool {
						return m.colours[c].Has(i)
					})
				}
			}
		}
		if cyclic && len(missing) == 0 {
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
