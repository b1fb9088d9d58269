package temporal

import (
	"context"
	"encoding/binary"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
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
// any number of colours: columns[colour] has the transitions of a colour,
// numbered state·letters+letter.
type machine struct {
	automaton // without marks and condition
	columns   []bitset.Set[int]
	pairs     []pair
}

// pair is a Rabin pair: the colours of fin occur finitely often, those of inf
// recur.
type pair struct{ fin, inf []int }

// guess is a set of eventualities that recur and of invariants that finally hold:
// the sets X and Y of the Master Theorem.
type guess struct{ recur, hold map[nodeID]bool }

// tracker is a component of a state: it follows a formula, and restarts after a
// reset.
type tracker struct {
	kind  trackerKind
	begin form            // the first formula of a tracker for an eventuality or invariant
	recur map[nodeID]bool // the guessed eventualities of a tracker for a suffix
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
	s         *space
	f         form
	trackers  []tracker
	trackerOf map[string]int
	pairs     []pair
	subst     map[string]form
	// suffixes is indexed by a tracker and a form.
	suffixes map[[2]uint32]form
}

// translate returns the automaton of a form over the letters of s.
func (s *space) translate(f form) *machine {
	t := &translation{s: s, f: f, trackerOf: map[string]int{}, subst: map[string]form{}, suffixes: map[[2]uint32]form{}}
	t.guesses()
	return t.explore()
}

// visit yields the nodes in a form, however deep, each once.
func (s *space) visit(f form, yield func(nodeID, node)) {
	seen, met := map[form]bool{}, map[nodeID]bool{}
	var visit func(form)
	visit = func(f form) {
		if seen[f] {
			return
		}
		seen[f] = true
		for _, c := range s.forms[f] {
			for _, id := range c {
				if met[id] {
					continue
				}
				met[id] = true
				n := s.nodes[id]
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
	if n := len(mu) + len(nu); n > 30 || 1<<n > maxPairs {
		abort.On(&BudgetError{What: "pairs", Most: maxPairs, of: t.f})
	}
	for x := range 1 << len(mu) {
		for y := range 1 << len(nu) {
			t.guess(guess{subset(mu, x), subset(nu, y)})
			abort.On(t.s.err)
		}
	}
}

func subset(all []nodeID, bits int) map[nodeID]bool {
	set := map[nodeID]bool{}
	for i, n := range all {
		if bits>>i&1 != 0 {
			set[n] = true
		}
	}
	return set
}

// guess adds the pair of a guess. The guess is skipped only if an eventuality or
// an invariant becomes false. That the formula itself becomes false does not
// suffice, because it may hold again later: F a with a as the formula inserted.
func (t *translation) guess(g guess) {
	var p pair
	for _, id := range ordered(g.recur) {
		body := t.insertHold(t.s.intern([]clause{{id}}), g.hold)
		switch body {
		case falsum:
			return
		case verum:
			continue
		}
		p.inf = append(p.inf, t.track(tracker{kind: eventuality, begin: t.s.eventually(body)}))
	}
	for _, id := range ordered(g.hold) {
		body := t.insertRecur(t.s.intern([]clause{{id}}), g.recur)
		switch body {
		case falsum:
			return
		case verum:
			continue
		}
		p.fin = append(p.fin, t.track(tracker{kind: invariant, begin: t.s.always(body)}))
	}
	p.fin = append(p.fin, t.track(tracker{kind: suffix, recur: g.recur}))
	slices.Sort(p.fin)
	slices.Sort(p.inf)
	p = pair{slices.Compact(p.fin), slices.Compact(p.inf)}
	if !slices.ContainsFunc(t.pairs, func(q pair) bool { return slices.Equal(p.fin, q.fin) && slices.Equal(p.inf, q.inf) }) {
		t.pairs = append(t.pairs, p)
	}
}

func ordered(set map[nodeID]bool) []nodeID {
	all := make([]nodeID, 0, len(set))
	for n := range set {
		all = append(all, n)
	}
	slices.Sort(all)
	return all
}

// track returns the number of a tracker, a new one if there is no equal one.
func (t *translation) track(x tracker) int {
	key := []byte{byte(x.kind)}
	key = binary.AppendUvarint(key, uint64(x.begin))
	for _, id := range ordered(x.recur) {
		key = binary.AppendUvarint(key, uint64(id))
	}
	if i, known := t.trackerOf[string(key)]; known {
		return i
	}
	i := len(t.trackers)
	t.trackers = append(t.trackers, x)
	t.trackerOf[string(key)] = i
	return i
}

// insertRecur returns f[X]^ν: eventualities in X become their weak forms, others false.
func (t *translation) insertRecur(f form, recur map[nodeID]bool) form {
	return t.insert(f, recur, 'x', func(id nodeID, n node, a, b form) form {
		switch n.kind {
		case until, strong:
			if !recur[id] {
				return falsum
			}
			n.kind = map[kind]kind{until: weak, strong: release}[n.kind]
		}
		return t.s.of(node{kind: n.kind, a: a, b: b})
	})
}

// insertHold returns f[Y]^μ: invariants in Y become true, others their strong forms.
func (t *translation) insertHold(f form, hold map[nodeID]bool) form {
	return t.insert(f, hold, 'y', func(id nodeID, n node, a, b form) form {
		switch n.kind {
		case weak, release:
			if hold[id] {
				return verum
			}
			n.kind = map[kind]kind{weak: until, release: strong}[n.kind]
		}
		return t.s.of(node{kind: n.kind, a: a, b: b})
	})
}

// insert replaces the temporal operators of a form, inner ones first.
func (t *translation) insert(f form, set map[nodeID]bool, which byte, replace func(nodeID, node, form, form) form) form {
	prefix := []byte{which}
	for _, id := range ordered(set) {
		prefix = binary.AppendUvarint(prefix, uint64(id))
	}
	prefix = append(prefix, 0xff, 0xff, 0xff)
	var visit func(f form) form
	visit = func(f form) form {
		if f <= verum || t.s.err != nil {
			return f
		}
		key := string(binary.AppendUvarint(slices.Clone(prefix), uint64(f)))
		if g, known := t.subst[key]; known {
			return g
		}
		g := t.s.each(f, func(id nodeID) form {
			switch n := t.s.nodes[id]; n.kind {
			case positive, negative:
				return t.s.intern([]clause{{id}})
			case next:
				return t.s.of(node{kind: next, a: visit(n.a)})
			default:
				return replace(id, n, visit(n.a), visit(n.b))
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
	m := &machine{automaton: automaton{letters: len(t.s.letters)}, pairs: t.pairs}
	e := explorer{translation: t, m: m, number: map[string]uint32{}}
	begin := make([]form, 1+len(t.trackers))
	begin[0] = t.f
	for i := range t.trackers {
		begin[1+i] = t.begin(i, t.f)
	}
	e.state(begin)
	for q := 0; q < len(e.vectors); q++ {
		switch states := len(e.vectors); {
		case e.s.ctx.Err() != nil:
			abort.On(e.s.ctx.Err())
		case states > maxTranslated:
			abort.On(&BudgetError{What: "states", Most: maxTranslated, of: e.f})
		case states*max(1, len(e.pairs)) > maxWork:
			abort.On(&BudgetError{What: "pairs × states", Most: maxWork, of: e.f})
		case states*e.m.letters > maxTransitions:
			abort.On(&BudgetError{What: "transitions", Most: maxTransitions, of: e.f})
		}
		for letter := range m.letters {
			to, met := e.step(e.vectors[q], letter)
			m.next = append(m.next, e.state(to))
			e.met = append(e.met, met)
		}
		abort.On(t.s.err)
	}
	for range t.trackers {
		m.columns = append(m.columns, bitset.New[int](len(m.next)))
	}
	for i, met := range e.met {
		for _, c := range met {
			m.columns[c].Add(i)
		}
	}
	return m
}

type explorer struct {
	*translation
	m       *machine
	number  map[string]uint32
	vectors [][]form
	met     [][]int // colours of each transition
}

// state returns the number of a state, a new one if the state is new.
func (e *explorer) state(v []form) uint32 {
	var key []byte
	for _, f := range v {
		key = binary.AppendUvarint(key, uint64(f))
	}
	if q, known := e.number[string(key)]; known {
		return q
	}
	q := uint32(len(e.vectors))
	e.number[string(key)] = q
	e.vectors = append(e.vectors, v)
	e.m.of = append(e.m.of, v[:1:1])
	return q
}

// begin returns the formula that tracker i follows when it begins while f must
// hold.
func (t *translation) begin(i int, f form) form {
	if x := t.trackers[i]; x.kind != suffix {
		return x.begin
	}
	key := [2]uint32{uint32(i), uint32(f)}
	g, known := t.suffixes[key]
	if !known {
		g = t.insertRecur(f, t.trackers[i].recur)
		t.suffixes[key] = g
	}
	return g
}

// step returns the state after a letter, and the colours of the transition.
func (e *explorer) step(v []form, letter int) (to []form, met []int) {
	rest := e.s.step(v[0], letter)
	if rest <= verum {
		// Every word is accepted from now on, or none: all trackers rest, and the colours
		// satisfy the condition, or do not.
		for i, x := range e.trackers {
			if (x.kind == eventuality || x.kind == fulfilled) == (rest == verum) {
				met = append(met, i)
			}
		}
		return []form{rest}, met
	}
	to = make([]form, len(v))
	to[0] = rest
	for i, x := range e.trackers {
		if x.kind >= fulfilled {
			continue
		}
		f := e.s.step(v[1+i], letter)
		if failed := f == falsum && x.kind != eventuality; failed || f == verum && x.kind == eventuality {
			met = append(met, i)
			f = e.begin(i, rest)
		}
		to[1+i] = f
	}
	return to, met
}

// settle computes which states accept a run that stops there, removes the last
// letter, "nothing happens", and gives the automaton colours that fit into marks.
func (m *machine) settle(ctx context.Context) *automaton {
	idle := m.letters - 1
	m.stop = property.StopsByLoops(m.states(), func(q int) int { return int(m.next[q*m.letters+idle]) }, func(loop []int) bool {
		met := func(c int) bool {
			return slices.ContainsFunc(loop, func(q int) bool { return m.columns[c].Has(q*m.letters + idle) })
		}
		return slices.ContainsFunc(m.pairs, func(p pair) bool {
			return !slices.ContainsFunc(p.fin, met) && !slices.ContainsFunc(p.inf, func(c int) bool { return !met(c) })
		})
	})
	var keep []int
	var next []uint32
	for i, to := range m.next {
		if i%m.letters != idle {
			keep, next = append(keep, i), append(next, to)
		}
	}
	m.letters, m.next = idle, next
	m.choose(keep)
	m.redirect(ctx)
	keep = nil
	for _, q := range m.reach() {
		for letter := range m.letters {
			keep = append(keep, int(q)*m.letters+letter)
		}
	}
	m.choose(keep)
	c := m.components(ctx)
	for i, to := range m.next {
		if component(c, uint32(i/m.letters)) != component(c, to) { // no run takes it twice
			for _, column := range m.columns {
				column.Remove(i)
			}
		}
	}
	m.dropIdlePairs(ctx)
	// Colours on the same transitions get one number, and colours that never occur none.
	m.marks = make([]property.Marks, len(m.next))
	var p palette
	var some []property.Acceptance
	for _, pair := range m.pairs {
		var all []property.Acceptance
		for _, c := range pair.fin {
			if !m.columns[c].Empty() {
				all = append(all, property.Fin(p.number(m.columns[c])))
			}
		}
		for _, c := range pair.inf {
			all = append(all, property.Inf(p.number(m.columns[c])))
		}
		some = append(some, property.All(all...))
	}
	if len(p) > property.Colours {
		abort.On(&BudgetError{What: "colours", Most: property.Colours})
	}
	p.paint(m.marks)
	m.accept = property.Any(some...)
	return &m.automaton
}

// choose gives each transition the colours at its old index.
func (m *machine) choose(keep []int) {
	for c, column := range m.columns {
		chosen := bitset.New[int](len(keep))
		for i, old := range keep {
			if column.Has(old) {
				chosen.Add(i)
			}
		}
		m.columns[c] = chosen
	}
}

// dropIdlePairs removes pairs that no run satisfies, and pairs whose runs another
// pair accepts, too: one with a subset of the fin colours, and with a subset of
// each inf among its own.
func (m *machine) dropIdlePairs(ctx context.Context) {
	if m.letters == 0 {
		m.pairs = nil
		return
	}
	g := newGraph(m.letters, m.next)
	search := abort.Must(scc.NewParts(ctx, g.system))
	var live []pair
	var fins []bitset.Set[int]
	for _, p := range m.pairs {
		fin := bitset.New[int](len(m.next))
		for _, c := range p.fin {
			fin.AddAll(m.columns[c])
		}
		if m.satisfiable(g, search, fin, p.inf) {
			live, fins = append(live, p), append(fins, fin)
		}
	}
	within := func(i, j int) bool { // reports whether j accepts whatever i accepts
		return subsetOf(fins[j], fins[i]) && !slices.ContainsFunc(live[j].inf, func(d int) bool {
			return !slices.ContainsFunc(live[i].inf, func(c int) bool { return subsetOf(m.columns[c], m.columns[d]) })
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
			m.pairs = append(m.pairs, pair{[]int{len(m.columns)}, p.inf})
			m.columns = append(m.columns, fins[i])
		}
	}
}

// satisfiable reports whether some component, without the transitions of fin, has
// a transition of each colour of inf.
func (m *machine) satisfiable(g *graph, search *scc.Parts, fin bitset.Set[int], inf []int) bool {
	shows := func(from lts.State, l lts.Label, _ lts.State) bool { return !fin.Has(int(from)*m.letters + int(l)) }
	for states := range abort.Must(search.Components(g.all(), shows)) {
		search.Enter(states)
		cyclic, missing := false, slices.Clone(inf)
		for _, q := range states {
			for i := int(q) * m.letters; i < (int(q)+1)*m.letters; i++ {
				if !fin.Has(i) && search.Has(lts.State(m.next[i])) {
					cyclic = true
					missing = slices.DeleteFunc(missing, func(c int) bool { return m.columns[c].Has(i) })
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
