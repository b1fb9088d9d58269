package property

// scoped is a pattern with its scope. Behind the states of the pattern it has two
// more: outside, in which no scope is open, and failed, after a scope that ended
// before the pattern held.
type scoped struct {
	*body
	scope    ScopeKind
	from, to int // the numbers of the delimiters among the steps
}

func (m scoped) outside() Q { return Q(m.body.states) }
func (m scoped) failed() Q  { return Q(m.body.states) + 1 }

func (m scoped) states() int {
	switch m.scope {
	case Globally:
		return m.body.states
	case After:
		return m.body.states + 1
	}
	return m.body.states + 2
}

func (m scoped) initial() Q {
	if m.scope.HasFrom() {
		return m.outside()
	}
	return m.start
}

// next returns the successor of a state, and the transition's colours. In a
// scope that counts only if it ends, nothing is a violation before it ends.
func (m scoped) next(q Q, l letter) (Q, Marks) {
	switch {
	case q == m.outside():
		if m.scope.HasFrom() && l.does(m.from) {
			return m.start, Mark(idle)
		}
		return q, Mark(idle)
	case q == m.failed():
		return q, 0
	case m.scope.HasTo() && l.does(m.to):
		return m.end(q, l)
	}
	next, marks := m.body.next(q, l)
	if m.scope >= Between && l.does(m.from) {
		next = m.again(next)
	}
	if m.scope == Before || m.scope == Between {
		marks = Mark(idle)
	}
	return next, marks
}

// end returns the transition that ends the scope; its action may also begin the
// next scope.
func (m scoped) end(q Q, l letter) (Q, Marks) {
	switch {
	case !m.closes(q):
		return m.failed(), 0
	case m.scope >= Between && l.does(m.from):
		return m.start, Mark(idle)
	}
	return m.outside(), Mark(idle)
}

// stops reports whether a run may end in q.
func (m scoped) stops(q Q) bool {
	switch {
	case q == m.outside():
		return true
	case q == m.failed():
		return false
	}
	return m.scope == Before || m.scope == Between || m.body.stops(q)
}

// pending describes what is awaited or forbidden in q.
func (m scoped) pending(q Q, s Specification) Phrase {
	to := quoted(s.To)
	switch {
	case q == m.outside():
		return nil
	case q == m.failed() && m.bad < m.outside():
		return append(append(Phrase(nil), m.lost...), Word{Text: " before "}, to)
	case q == m.failed():
		return Phrase{to, {Text: " has happened too early"}}
	case q == m.bad && (m.scope == Before || m.scope == Between):
		return append(Phrase{to, {Text: " is not allowed any more, for "}}, m.lost...)
	case q == m.bad && m.scope.HasFrom():
		return append(append(Phrase(nil), m.lost...), Word{Text: " after "}, quoted(s.From))
	case q == m.bad:
		return m.lost
	}
	p := m.body.pending(q)
	switch {
	case len(p) == 0 || !m.scope.HasTo():
	case m.closes(q) && m.scope == AfterUntil:
		p = append(p, Word{Text: " until "}, to)
	case m.closes(q):
		p = append(p, Word{Text: ", should "}, to, Word{Text: " follow"})
	default:
		p = append(p, Word{Text: ", to come before "}, to)
	}
	return p
}
