package property

import "fmt"

// idle is the colour of transitions after which nothing is awaited: if it recurs,
// each condition of a pattern holds.
const idle = 0

// body is a pattern within one scope: a deterministic automaton with the states 0
// to states-1. The initial state need not be 0.
type body struct {
	states int
	start  Q
	// next returns the successor of q, with the transition's colours for a scope
	// that never ends.
	next func(q Q, l letter) (Q, Marks)
	// closes reports whether an action may end the scope in q, stops whether the
	// run may end there.
	closes, stops func(q Q) bool
	// again returns the state after an action that restarts the scope while an
	// earlier scope is in state q: the more demanding of q and the start.
	again      func(q Q) Q
	acceptance Acceptance
	// bad is the state in which the pattern is violated for good; bad equals
	// states if there is no such state.
	bad Q
	// pending describes state q: what is awaited or forbidden. lost describes
	// what has happened in bad.
	pending func(q Q) Phrase
	lost    Phrase
}

func (s *Specification) body() (*body, error) {
	least, most := 1, 1
	switch s.Kind {
	case KindInev, KindNever:
		most = MaxSteps
	case KindResponse:
		least, most = 2, Colours
	case KindPrecedes:
		least, most = 2, MaxSteps
	case KindAlways, KindAtMost:
	case KindDeadlockFree:
		least, most = 0, 0
	default:
		return nil, fmt.Errorf("property: %s is not a pattern", s.Kind)
	}
	if n := len(s.Steps); n < least || n > most {
		return nil, fmt.Errorf("property: %s takes %d to %d patterns, and not %d", s.Kind, least, most, n)
	}
	if s.Kind == KindInev && s.Scope == AfterUntil && len(s.Steps) > Colours-1 {
		return nil, fmt.Errorf("property: within a scope inevitability takes at most %d steps, and not %d", Colours-1, len(s.Steps))
	}
	if s.Kind == KindAtMost && (s.Times < 0 || s.Times > MostTimes) {
		return nil, fmt.Errorf("property: something happens at most 0 to %d times, and not %d", MostTimes, s.Times)
	}
	return map[Kind]func() *body{
		KindInev:         s.inevitability,
		KindResponse:     s.response,
		KindNever:        s.absence,
		KindPrecedes:     s.precedence,
		KindAlways:       s.universality,
		KindAtMost:       s.boundedExistence,
		KindDeadlockFree: s.freedomOfDeadlocks,
	}[s.Kind](), nil
}

func (s *Specification) text(step int) Word { return quoted(s.Steps[step]) }

func quoted(step Step) Word {
	if step.Pattern == nil {
		return Word{}
	}
	return Word{step.Pattern.String(), true}
}

// answered is the condition that requests are answered. With finitely many
// requests the newest one decides; infinitely many are all followed by every step
// iff each step recurs.
func answered(steps int) Acceptance {
	recur := make([]Acceptance, steps)
	for i := range recur {
		recur[i] = Inf(i + 1)
	}
	return Any(Inf(idle), All(recur...))
}

// done returns the marks of the steps that a letter does, among n steps
// numbered from first on.
func done(l letter, first, n int) Marks {
	var m Marks
	for _, i := range l {
		if at := int(i) - first; at >= 0 && at < n {
			m |= Mark(at + 1)
		}
	}
	return m
}

func (s *Specification) inevitability() *body {
	n := len(s.Steps)
	b := &body{states: n + 1, bad: Q(n + 1), acceptance: Inf(idle)}
	if s.Scope == AfterUntil {
		b.acceptance = answered(n)
	}
	b.next = func(q Q, l letter) (Q, Marks) {
		if int(q) < n && l.does(int(q)) {
			q++
		}
		var m Marks
		if s.Scope == AfterUntil {
			m = done(l, 0, n)
		}
		if int(q) == n {
			m |= Mark(idle)
		}
		return q, m
	}
	b.closes = func(q Q) bool { return int(q) == n }
	b.stops = b.closes
	b.again = func(Q) Q { return 0 }
	b.pending = func(q Q) Phrase {
		if int(q) == n {
			return nil
		}
		return waiting(s.text(int(q)).Text)
	}
	return b
}

func (s *Specification) response() *body {
	m := len(s.Steps) - 1
	b := &body{states: m + 1, start: Q(m), bad: Q(m + 1), acceptance: answered(m)}
	b.next = func(q Q, l letter) (Q, Marks) {
		switch {
		case l.does(0):
			q = 0
		case int(q) < m && l.does(int(q)+1):
			q++
		}
		marks := done(l, 1, m)
		if int(q) == m {
			marks |= Mark(idle)
		}
		return q, marks
	}
	b.closes = func(q Q) bool { return int(q) == m }
	b.stops = b.closes
	b.again = func(q Q) Q { return q }
	b.pending = func(q Q) Phrase {
		if int(q) == m {
			return nil
		}
		var since []string
		for _, step := range s.Steps[:q+1] {
			since = append(since, step.Pattern.String())
		}
		return waiting(s.text(int(q)+1).Text, since...)
	}
	return b
}

// safety returns a pattern that is violated exactly by reaching its last state.
func safety(states int, next func(q Q, l letter) Q) *body {
	bad := Q(states - 1)
	b := &body{states: states, bad: bad, acceptance: Inf(idle)}
	b.next = func(q Q, l letter) (Q, Marks) {
		if q != bad {
			q = next(q, l)
		}
		if q == bad {
			return q, 0
		}
		return q, Mark(idle)
	}
	b.closes = func(q Q) bool { return q != bad }
	b.stops = b.closes
	b.again = func(q Q) Q { return q }
	return b
}

func (s *Specification) absence() *body {
	n := len(s.Steps)
	b := safety(n+1, func(q Q, l letter) Q {
		if l.does(int(q)) {
			q++
		}
		return q
	})
	b.pending = func(q Q) Phrase {
		p := Phrase{s.text(int(q)), {Text: " is not allowed"}}
		if int(q) == n-1 {
			return append(p, s.list(" after ", s.Steps[:q])...)
		}
		return append(append(p, s.list(" and then ", s.Steps[q+1:])...), s.list(" after ", s.Steps[:q])...)
	}
	b.lost = append(Phrase{s.text(n - 1), {Text: " has happened"}}, s.list(" after ", s.Steps[:n-1])...)
	return b
}

// list returns a phrase: a text, and then the patterns of steps, separated by
// commas; an empty phrase if there are no steps.
func (s *Specification) list(before string, steps []Step) Phrase {
	var p Phrase
	for _, step := range steps {
		p = append(p, Word{Text: before}, quoted(step))
		before = ", "
	}
	return p
}

func (s *Specification) precedence() *body {
	n := len(s.Steps) - 1
	fulfilled, bad := Q(n), Q(n+1)
	b := safety(n+2, func(q Q, l letter) Q {
		last := int(q) == n-1
		switch {
		case q == fulfilled:
		case last && l.does(int(q)):
			return fulfilled
		case l.does(n):
			return bad
		case l.does(int(q)):
			return q + 1
		}
		return q
	})
	b.again = func(q Q) Q {
		if q == bad {
			return q
		}
		return 0
	}
	b.pending = func(q Q) Phrase {
		if q == fulfilled {
			return nil
		}
		return append(Phrase{s.text(n), {Text: " is not allowed"}}, s.list(" before ", s.Steps[q:n])...)
	}
	b.lost = append(Phrase{s.text(n), {Text: " has happened"}}, s.list(" before ", s.Steps[:n])...)
	return b
}

func (s *Specification) universality() *body {
	b := safety(2, func(q Q, l letter) Q {
		if l.does(0) {
			return q
		}
		return 1
	})
	b.pending = func(Q) Phrase { return Phrase{{Text: "nothing but "}, s.text(0), {Text: " is allowed"}} }
	b.lost = Phrase{{Text: "something other than "}, s.text(0), {Text: " has happened"}}
	return b
}

func (s *Specification) boundedExistence() *body {
	b := safety(s.Times+2, func(q Q, l letter) Q {
		if l.does(0) {
			q++
		}
		return q
	})
	b.pending = func(q Q) Phrase {
		switch left := s.Times - int(q); {
		case left > 0:
			return Phrase{{Text: fmt.Sprintf("at most %d more ", left)}, s.text(0)}
		case s.Times > 0:
			return Phrase{{Text: "no more "}, s.text(0), {Text: " is allowed"}}
		}
		return Phrase{s.text(0), {Text: " is not allowed"}}
	}
	times := fmt.Sprintf("%d times", s.Times)
	if s.Times == 1 {
		times = "once"
	}
	b.lost = Phrase{s.text(0), {Text: " has happened more than " + times}}
	return b
}

func (s *Specification) freedomOfDeadlocks() *body {
	return &body{
		states: 1, bad: 1, acceptance: Inf(idle),
		next:   func(q Q, _ letter) (Q, Marks) { return q, Mark(idle) },
		closes: func(Q) bool { return true }, stops: func(Q) bool { return false },
		again:   func(q Q) Q { return q },
		pending: func(Q) Phrase { return Phrase{{Text: "the run must not end"}} },
	}
}
