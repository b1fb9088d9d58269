package property

import (
	"context"
	"fmt"
	"slices"

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
	for _, step := range steps {
		for i, l := range step.Labels {
			if int(l) >= a.Len() || i > 0 && step.Labels[i-1] >= l {
				return nil, fmt.Errorf("property: the labels of %s are not ascending numbers below %d", step.Pattern, a.Len())
			}
		}
	}
	if slices.ContainsFunc(steps, func(step Step) bool { return step.Facts != 0 }) || a.TellsStates() {
		return s.withFacts(ctx, a, b, steps)
	}
	letters, of, err := lettersOf(a, steps)
	if err != nil {
		return nil, err
	}
	m := scoped{body: b, scope: s.Scope, from: len(s.Steps), to: len(s.Steps) + 1}
	t := Automaton{
		Letters: of, Columns: len(letters), Initial: m.initial(), Acceptance: b.acceptance,
		Stop: make([]bool, m.states()), Kind: s.Kind, Name: s.Name,
	}
	if m.states() > MaxStates || m.states()*len(letters) > MaxStates*8 {
		return nil, fmt.Errorf("property: %s needs an automaton of %d states and %d letters, which are too many", s.Name, m.states(), len(letters))
	}
	for q := range Q(m.states()) {
		if q&(1<<12-1) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		t.Stop[q] = m.stops(q)
		t.Pending = append(t.Pending, m.pending(q, s))
		for _, l := range letters {
			next, marks := m.next(q, l)
			t.Next, t.Marks = append(t.Next, next), append(t.Marks, marks)
		}
	}
	return Table(a, t)
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

// lettersOf returns the classes of labels that do the same steps, and the index
// of each label's class. A label that does not happen has an arbitrary class,
// unless no label happens.
func lettersOf(a *lts.Alphabet, steps []Step) ([]letter, []uint16, error) {
	in := newIncidence(a.Len(), steps)
	of := make([]uint16, a.Len())
	number := make(map[string]int)
	var letters []letter
	all := noneHappens(a)
	for l := range a.All() {
		if !all && !a.Happens(l) {
			continue
		}
		key := fmt.Sprint(in.of(l))
		n, known := number[key]
		if !known {
			n = len(letters)
			if n == 1<<16 {
				return nil, nil, fmt.Errorf("property: the patterns tell more than %d classes of labels apart", 1<<16)
			}
			number[key] = n
			letters = append(letters, in.of(l))
		}
		of[l] = uint16(n)
	}
	return letters, of, nil
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
