package property

import (
	"context"
	"fmt"

	"github.com/inev-lts/inev/lts"
)

// ScopeKind says which part of a run a pattern is about.
type ScopeKind uint8

// The scopes of Dwyer, Avrunin, Corbett: Patterns in Property Specifications for
// Finite-State Verification (ICSE 1999). The actions that delimit a scope do not
// belong to it.
const (
	Globally   ScopeKind = iota // the whole run
	Before                      // what precedes the first To; nothing if no To comes
	After                       // the run after the first From
	Between                     // after each From, up to the next To; nothing if no To follows
	AfterUntil                  // after each From, up to the next To or for ever
)

// HasFrom reports whether the scope begins with an action.
func (k ScopeKind) HasFrom() bool { return k >= After }

// HasTo reports whether the scope ends with an action.
func (k ScopeKind) HasTo() bool { return k == Before || k >= Between }

// MostTimes is the largest number in a bounded existence.
const MostTimes = 1000

// Specification is a property by one of the patterns of Dwyer et al.
type Specification struct {
	// Kind is the pattern: any kind but [KindLTL] and [KindHOA].
	Kind Kind
	// Steps are the parameters of the pattern, in order: of inevitability the
	// steps that happen; of response the request, then the steps that follow it;
	// of absence the steps that do not happen, one after the other; of precedence
	// the steps that precede, one after the other, and last the step that they
	// precede; of universality and of bounded existence one step; of freedom of
	// deadlocks none.
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

// Specify returns the property that s denotes over the labels of a. Its states
// are those of the pattern within one scope, and those outside. It fails if the
// number of steps does not fit the pattern, if a label is not in a or out of
// order, if there would be more than [MaxStates] states, and if ctx is done. Cost
// O(labels of a + all labels of steps + states · letters · log steps).
func Specify(ctx context.Context, a *lts.Alphabet, s Specification) (*Property, error) {
	b, err := s.body()
	if err != nil {
		return nil, err
	}
	steps := append(append([]Step(nil), s.Steps...), s.From, s.To)
	if err := checkLabels(a, steps); err != nil {
		return nil, err
	}
	k := newMoments(a, s, steps)
	m := scoped{body: b, scope: s.Scope, from: len(s.Steps), to: len(s.Steps) + 1}
	t := Automaton{Initial: m.initial(), Acceptance: b.acceptance, Kind: s.Kind, Name: s.Name, Letters: make([]uint16, a.Len())}
	states, unread := Q(m.states()), Q(m.states())
	if facts, begun := a.InitialFacts(); k.facts && begun {
		t.Initial, _ = m.next(t.Initial, k.ofFacts(facts))
	} else if k.facts {
		t.Initial, states = unread, unread+1
	}
	columns, err := k.columns(ctx, t.Letters)
	if err != nil {
		return nil, err
	}
	t.Columns = len(columns)
	if m.states() > MaxStates || m.states()*len(columns) > MaxStates*8 {
		return nil, fmt.Errorf("property: %s needs an automaton of %d states and %d letters, which are too many", s.Name, m.states(), len(columns))
	}
	for q := range states {
		if q&(1<<12-1) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		from := q
		if q == unread {
			from = m.initial()
		}
		t.Stop = append(t.Stop, q != unread && m.stops(q))
		t.Pending = append(t.Pending, m.pending(from, s))
		for _, c := range columns {
			c = possible(columns, c, q == unread)
			next, marks := from, Marks(0)
			if !c.begins {
				next, marks = m.next(next, c.label)
			}
			if k.facts {
				var more Marks
				next, more = m.next(next, c.state)
				marks |= more
			}
			t.Next, t.Marks = append(t.Next, next), append(t.Marks, marks)
		}
	}
	return Table(a, t)
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
func (l letter) does(i int) bool {
	for _, q := range l {
		if int(q) == i {
			return true
		}
	}
	return false
}

// noneHappens reports whether no label happens: no state of a model can be left.
func noneHappens(a *lts.Alphabet) bool {
	for l := range a.All() {
		if a.Happens(l) {
			return false
		}
	}
	return true
}
