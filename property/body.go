package property

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/inev-lts/inev/internal/intern"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/textlimit"
	"github.com/inev-lts/inev/lts"
)

// ScopeKind is the kind of the part of a run that a pattern is about.
type ScopeKind uint8

// The scopes of Dwyer, Avrunin, Corbett: Patterns in Property Specifications for
// Finite-State Verification (ICSE 1999). The actions that delimit a scope do not
// belong to it.
const (
	Globally   ScopeKind = iota // the whole run
	Before                      // what precedes the first To; nothing if no To comes
	After                       // the run after the first From
	Between                     // after each From, up to the next To; nothing if no To follows
	AfterUntil                  // after each From, up to the next To or forever
)

// HasFrom reports whether the scope begins with an action.
func (k ScopeKind) HasFrom() bool { return k >= After }

// HasTo reports whether the scope ends with an action.
func (k ScopeKind) HasTo() bool { return k == Before || k >= Between }

// Specification is a property by one of the patterns of Dwyer et al.
type Specification struct {
	// Kind is the pattern: one of [KindInev] to [KindDeadlockFree]; the kinds after these are
	// syntaxes, and [Specify] refuses them.
	Kind Kind
	// Steps are the parameters of the pattern, in order. An inevitability has the steps that
	// happen; a response the request, then the steps that follow it. An absence has the steps that
	// do not happen one after the other. A precedence has the steps that precede, one after the
	// other, and last the step that they precede. A universality and a bounded existence have one
	// step; freedom of deadlocks has none.
	Steps []Step
	// Times is the largest number of times that the step of a bounded existence may happen.
	Times int
	// Scope is the part of a run in which the pattern must hold; From and To
	// delimit it.
	Scope    ScopeKind
	From, To Step
	// Name is the property as it was written.
	Name string
}

// Specify returns the property that s denotes over the labels of a. Its states are the states of
// the pattern within one scope, states outside of scopes and, if the facts about the initial state have
// not been read yet, the state in which a run reads them. It fails if the number of steps does not fit
// the pattern, if a label is not in a or out of order, if there would be more than [MaxStates] states,
// or if ctx is done. Cost O(labels of a + all labels of steps + states · letters · log steps).
func Specify(ctx context.Context, a *lts.Alphabet, s Specification) (*Property, error) {
	b, err := s.body()
	if err != nil {
		return nil, err
	}
	steps := slices.Concat(s.Steps, []Step{s.From, s.To})
	if err := checkLabels(a, steps); err != nil {
		return nil, err
	}
	m := scoped{
		body:  b,
		scope: s.Scope,
		from:  len(s.Steps),
		to:    len(s.Steps) + 1,
	}
	t := Automaton{
		Acceptance: b.acceptance,
		Kind:       s.Kind,
		Name:       s.Name,
		Letters:    make([]uint16, a.Len()),
		pattern:    patternStatesOf(s, b),
	}
	k := newMoments(a, s, steps)
	columns, err := k.columns(ctx, t.Letters)
	if err != nil {
		return nil, err
	}
	t.Columns = len(columns)
	if m.states() > MaxStates || m.states()*len(columns) > MaxStates*8 {
		return nil, fmt.Errorf("property: %s needs an automaton of %d states and %d letters, which are too many", s.Name, m.states(), len(columns))
	}
	if err := k.addStates(ctx, &t, &m, columns); err != nil {
		return nil, err
	}
	for q := range Q(m.states()) {
		t.Pending = append(t.Pending, m.pending(q, s))
	}
	if initial, isKnown := k.initial(&m); isKnown {
		t.Initial = initial
	} else {
		t.Initial = Q(m.states()) // an additional state, in which a run reads the facts
		k.addRow(&t, &m, m.initial(), possible(columns, true))
		t.Stop = append(t.Stop, false)
		t.Pending = append(t.Pending, m.pending(m.initial(), s))
	}
	return Table(a, t)
}

// initial returns the state of m in which a run begins; false if that depends on facts about the initial
// state that have not been read yet.
func (k *moments) initial(m *scoped) (initial Q, isKnown bool) {
	if !k.facts {
		return m.initial(), true
	}
	facts, areRead := k.a.InitialFacts()
	if !areRead {
		return 0, false
	}
	initial, _ = m.next(m.initial(), k.ofFacts(facts))
	return initial, true
}

// addStates adds the states of m to t, whose columns are given. It fails if ctx is done.
func (k *moments) addStates(ctx context.Context, t *Automaton, m *scoped, columns []column) error {
	columns = possible(columns, false)
	for q := range Q(m.states()) {
		if q%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		t.Stop = append(t.Stop, m.stops(q))
		k.addRow(t, m, q, columns)
	}
	return nil
}

// addRow adds to t the transitions from a state of m, one for each column.
func (k *moments) addRow(t *Automaton, m *scoped, from Q, columns []column) {
	for _, c := range columns {
		next, marks := k.after(m, from, c)
		t.Next = append(t.Next, next)
		t.Marks = append(t.Marks, marks)
	}
}

// newMoments returns the moments of the steps of a specification, which are followed by the
// delimiters of its scope.
func newMoments(a *lts.Alphabet, s Specification, steps []Step) *moments {
	k := &moments{a: a, steps: steps, in: newIncidence(a.Len(), steps)}
	hasFacts := func(step Step) bool { return step.Facts != 0 }
	k.facts = a.TellsStates() || slices.ContainsFunc(steps, hasFacts)
	if k.facts && s.Kind == KindAlways {
		k.allLabels = hasFacts(s.Steps[0])
		k.allStates = !k.allLabels
	}
	return k
}

// after returns the state that m reaches by a column of letters: first the letter of the label,
// then the letter of the target if there are facts about states. It also returns the colours of the
// transition.
func (k *moments) after(m *scoped, from Q, c column) (Q, Marks) {
	next := from
	marks := Marks(0)
	if !c.begins {
		next, marks = m.next(next, c.label)
	}
	if k.facts {
		var more Marks
		next, more = m.next(next, c.state)
		marks |= more
	}
	return next, marks
}

// checkLabels returns an error unless the labels of the steps are in a, and ascending.
func checkLabels(a *lts.Alphabet, steps []Step) error {
	for _, step := range steps {
		for i, l := range step.Labels {
			if int(l) >= a.Len() || i > 0 && step.Labels[i-1] >= l {
				return fmt.Errorf("property: the labels of %s are not ascending numbers below %d", step.Pattern, a.Len())
			}
		}
	}
	return nil
}

// letter is a class of labels: the numbers of the steps that they do, ascending.
type letter []uint32

// does reports whether the labels of the class do step i.
func (l letter) does(i int) bool { return slices.Contains(l, uint32(i)) }

// noneHappens reports whether no label happens, as in a model whose reachable states are all
// deadlocks.
func noneHappens(a *lts.Alphabet) bool {
	for l := range a.All() {
		if a.Happens(l) {
			return false
		}
	}
	return true
}

// Response returns a property over the labels of a. The request is step order[0] of patterns: after
// each transition that does it, strictly later transitions must do the steps order[1:], in this
// order. Errors and cost as for [Specify]; there are at most 63 steps after the first.
//
// A state is the number of steps done since the newest request, and the number of
// all steps if no request is pending. With finitely many requests the newest one
// decides; infinitely many are all answered iff each step recurs: α = Inf(idle) ∨
// ⋀ Inf(step).
func Response(
	ctx context.Context,
	a *lts.Alphabet,
	patterns []Step,
	order []uint32,
) (*Property, error) {
	s := Specification{Kind: KindResponse}
	var names []string
	for i, q := range order {
		if int(q) >= len(patterns) {
			return nil, fmt.Errorf("property: step %d is pattern %d of %d", i+1, q,
				len(patterns))
		}
		s.Steps = append(s.Steps, patterns[q])
		names = append(names, patterns[q].Pattern.String())
	}
	if len(names) > 0 {
		s.Name = "Response(" + names[0] + "; " + strings.Join(names[1:], ", ") + ")"
	}
	return Specify(ctx, a, s)
}

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

// body returns the automaton of the pattern without its scope. It fails if the pattern takes another number
// of steps.
func (s *Specification) body() (*body, error) {
	if err := s.checkBody(); err != nil {
		return nil, err
	}
	switch s.Kind {
	case KindInev:
		return s.inevitability(), nil
	case KindResponse:
		return s.response(), nil
	case KindNever:
		return s.absence(), nil
	case KindPrecedes:
		return s.precedence(), nil
	case KindAlways:
		return s.universality(), nil
	case KindAtMost:
		return s.boundedExistence(), nil
	case KindDeadlockFree:
		return s.freedomOfDeadlocks(), nil
	}
	return nil, s.refuseKind()
}

// refuseKind returns the error about a kind that is no pattern.
func (s *Specification) refuseKind() error {
	return fmt.Errorf("property: %s is not a pattern", s.Kind)
}

// checkBody checks that the kind is a pattern, and its numbers of steps and of times.
func (s *Specification) checkBody() error {
	least := 1
	most := 1
	switch s.Kind {
	case KindInev, KindNever:
		most = MaxSteps
	case KindResponse:
		least = 2
		most = Colours
	case KindPrecedes:
		least = 2
		most = MaxSteps
	case KindAlways, KindAtMost:
	case KindDeadlockFree:
		least = 0
		most = 0
	default:
		return s.refuseKind()
	}
	n := len(s.Steps)
	if n < least || n > most {
		return fmt.Errorf("property: %s takes %d to %d patterns, and not %d", s.Kind,
			least, most, n)
	}
	if s.Kind == KindInev && s.Scope == AfterUntil && n > Colours-1 {
		return fmt.Errorf("property: within a scope inevitability takes at most %d steps, and not %d", Colours-1, n)
	}
	if s.Kind == KindAtMost && (s.Times < 0 || s.Times > textlimit.MaxTimes) {
		return fmt.Errorf("property: AtMost takes a number of times from 0 to %d, and not %d",
			textlimit.MaxTimes, s.Times)
	}
	return nil
}

func (s *Specification) text(step int) Word { return quoted(s.Steps[step]) }

func quoted(step Step) Word {
	if step.Pattern == nil {
		return Word{}
	}
	return Word{Text: step.Pattern.String(), Quoted: true}
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
		at := int(i) - first
		if at >= 0 && at < n {
			m |= Mark(at + 1)
		}
	}
	return m
}

// inevitability returns the pattern by which all steps happen, in this order. Its state is the number of
// steps that have happened.
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

// response returns the pattern by which each trigger, the first step, is followed by the m other steps in
// this order. Its state is the number of these that have happened since the last trigger; m, too, if
// nothing is pending.
func (s *Specification) response() *body {
	m := len(s.Steps) - 1
	b := &body{
		states:     m + 1,
		start:      Q(m),
		bad:        Q(m + 1),
		acceptance: answered(m),
	}
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

// absence returns the pattern by which the steps never all happen in this order. Its state is the number of
// steps that have happened.
func (s *Specification) absence() *body {
	n := len(s.Steps)
	b := safety(n+1, func(q Q, l letter) Q {
		if l.does(int(q)) {
			q++
		}
		return q
	})
	b.pending = func(q Q) Phrase {
		p := Phrase{s.text(int(q)), {Text: " is not allowed", Kind: Forbidding}}
		if int(q) == n-1 {
			return append(p, s.list(" after ", s.Steps[:q])...)
		}
		return append(append(p, s.list(" and then ", s.Steps[q+1:])...),
			s.list(" after ", s.Steps[:q])...)
	}
	b.lost = append(Phrase{s.text(n - 1), {Text: " has happened", Kind: Happened}},
		s.list(" after ", s.Steps[:n-1])...)
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

// precedence returns the pattern by which the last step happens only after all other steps, in this
// order. Its state is the number of other steps that have happened. One transition may do both the
// last of the other steps and the last step.
func (s *Specification) precedence() *body {
	n := len(s.Steps) - 1
	fulfilled := Q(n)
	bad := Q(n + 1)
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
		before := s.list(" before ", s.Steps[q:n])
		before[0].Kind = Limit
		return append(Phrase{s.text(n), {Text: " is not allowed", Kind: Forbidding}}, before...)
	}
	b.lost = append(Phrase{s.text(n), {Text: " has happened", Kind: Happened}},
		s.list(" before ", s.Steps[:n])...)
	return b
}

// universality returns the pattern by which only the first step ever happens.
func (s *Specification) universality() *body {
	b := safety(2, func(q Q, l letter) Q {
		if l.does(0) {
			return q
		}
		return 1
	})
	b.pending = func(Q) Phrase {
		return Phrase{{Text: "nothing but "}, s.text(0), {Text: " is allowed"}}
	}
	b.lost = Phrase{
		{Text: "something other than "},
		s.text(0),
		{Text: " has happened", Kind: Happened},
	}
	return b
}

// boundedExistence returns the pattern by which the first step happens at most [Specification.Times] times.
// Its state is the number of times so far.
func (s *Specification) boundedExistence() *body {
	b := safety(s.Times+2, func(q Q, l letter) Q {
		if l.does(0) {
			q++
		}
		return q
	})
	b.pending = func(q Q) Phrase {
		remaining := s.Times - int(q)
		switch {
		case remaining > 0:
			return Phrase{{Text: fmt.Sprintf("at most %d more ", remaining)}, s.text(0)}
		case s.Times > 0:
			return Phrase{{Text: "no more "}, s.text(0), {Text: " is allowed"}}
		}
		return Phrase{s.text(0), {Text: " is not allowed", Kind: Forbidding}}
	}
	b.lost = Phrase{s.text(0), {Text: " has happened", Kind: Happened}}
	if s.Times > 0 {
		b.lost = append(b.lost, Word{Text: fmt.Sprintf(" %s time", printable.AnOrdinal(s.Times+1))})
	}
	return b
}

// freedomOfDeadlocks returns the pattern by which the run does not end. It has one state.
func (s *Specification) freedomOfDeadlocks() *body {
	return &body{
		states:     1,
		bad:        1,
		acceptance: Inf(idle),
		next:       func(q Q, _ letter) (Q, Marks) { return q, Mark(idle) },
		closes:     func(Q) bool { return true },
		stops:      func(Q) bool { return false },
		again:      func(q Q) Q { return q },
		pending: func(Q) Phrase {
			return Phrase{{Text: "the run must not end"}}
		},
	}
}

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

// next returns the successor of a state, and the transition's colours. Before a scope of kind
// [Before] or [Between] has ended, nothing violates the pattern, because such a scope counts only
// if it ends.
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
		// The action that ends the scope may also begin the next one.
		switch {
		case !m.closes(q):
			return m.failed(), 0
		case m.scope >= Between && l.does(m.from):
			return m.start, Mark(idle)
		}
		return m.outside(), Mark(idle)
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
		return Phrase{to, {Text: " has happened", Kind: Happened}, {Text: " too early"}}
	case q == m.bad && (m.scope == Before || m.scope == Between):
		return append(append(Phrase(nil), m.lost...), Word{Text: ", so "}, to, Word{Text: " must not follow"})
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

// LeadsTo reports whether the step is done in the targets of transitions with
// label l of a. Cost O(1).
func (s Step) LeadsTo(a *lts.Alphabet, l lts.Label) bool {
	if s.Facts == 0 {
		return false
	}
	facts, _ := a.Facts(l)
	return facts&s.Facts != 0
}

// moments computes the steps that transitions do. Where labels carry facts about
// states, a transition is two letters: one for its label, and one for the state
// that it leads to; the state in which runs begin is a letter before all others.
// If runs begin after the initial state, the transitions of that state have the
// letter of the target alone.
type moments struct {
	a     *lts.Alphabet
	steps []Step
	in    incidence
	// facts reports whether steps or labels are about states.
	facts bool
	// allLabels is set if every label does step 0, and allStates if every state does. The first is
	// for an Always about facts, which forbids no labels; the second is for an Always about labels,
	// which forbids no facts.
	allLabels, allStates bool
}

func (k *moments) ofLabel(l lts.Label) letter {
	of := letter(k.in.of(l))
	if k.allLabels && !of.does(0) {
		of = append(letter{0}, of...)
	}
	return of
}

func (k *moments) ofFacts(f lts.Facts) letter {
	var steps letter
	for i, step := range k.steps {
		if step.Facts&f != 0 || i == 0 && k.allStates {
			steps = append(steps, uint32(i))
		}
	}
	return steps
}

// column has the steps that a transition does by its label, and then by its
// target; begins is set for transitions with which runs begin.
type column struct {
	label, state letter
	begins       bool
}

// columns returns the distinct columns of the labels that happen, and stores the index of each
// label's column in columnOf. A label that does not happen has an arbitrary column, unless no label
// happens.
func (k *moments) columns(ctx context.Context, columnOf []uint16) ([]column, error) {
	var all intern.List[string, column]
	none := noneHappens(k.a)
	for l := range k.a.All() {
		if l%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if !none && !k.a.Happens(l) {
			continue
		}
		c := column{label: k.ofLabel(l)}
		if k.facts {
			facts, isBegin := k.a.Facts(l)
			c.state = k.ofFacts(facts)
			c.begins = isBegin
		}
		columnOf[l] = uint16(all.Index(fmt.Sprint(c.label, c.state, c.begins), c))
		if len(all.All) > 1<<16 {
			what := "labels"
			if k.facts {
				what = "steps"
			}
			return nil, fmt.Errorf("property: the patterns tell more than %d classes of %s apart", 1<<16, what)
		}
	}
	return all.All, nil
}

// possible returns the columns as a run can do them at a point. Each column that a run cannot do there is
// replaced by the first one that it can do, so that the automaton accepts no additional words. isBegin
// reports whether the run begins at the point: whether the facts of its initial state are still to be
// read.
func possible(columns []column, isBegin bool) []column {
	first := slices.IndexFunc(columns, func(c column) bool { return c.begins == isBegin })
	if first < 0 {
		return columns
	}
	replaced := slices.Clone(columns)
	for i, c := range columns {
		if c.begins != isBegin {
			replaced[i] = columns[first]
		}
	}
	return replaced
}
