package temporal

import (
	"encoding/binary"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts/bitset"
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

// closure returns the eventualities and the invariants in a form, each once.
func (s *space) closure(f form) (eventualities, invariants []nodeID) {
	s.visit(f, func(id nodeID, n node) {
		switch n.kind {
		case until, strong:
			eventualities = append(eventualities, id)
		case weak, release:
			invariants = append(invariants, id)
		}
	})
	slices.Sort(eventualities)
	slices.Sort(invariants)
	return eventualities, invariants
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
	mu, nu := t.s.closure(t.f)
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
