package buchi

import (
	"fmt"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// Violations is the product of a model with the Büchi automaton for the negation of
// a property, computed as it is asked for: what the algorithms of this package
// search. It may be shared between goroutines.
//
// A state is a state of the model together with a progress less than the number
// n of steps of the property. All are accepting: a run that goes on forever
// without the last step violates the property. A deadlock of the model has an
// edge to itself, for it ends a run, and a Büchi automaton knows infinite runs
// only.
//
// Hence its lassos are the counterexamples of the model in which no transition of
// the loop makes progress. Those in which the first round of the loop makes
// progress are not among them, and a deadlock costs a transition more: a
// shortest lasso may be longer than what [counterexample.Shortest] returns. This is the
// product of the papers' tables; [Product] is for properties of any kind, and its stops cost
// nothing.
type Violations struct {
	m *lts.LTS
	p *property.Chain
	n int
}

var _ Graph = (*Violations)(nil)

// NewViolations returns the product for p, which must be bound to m. It fails if
// the product has more than [MaxStates] states. Cost O(1).
func NewViolations(m *lts.LTS, p *property.Chain) (*Violations, error) {
	states := uint64(m.NumStates()) * uint64(p.Len())
	if states > maxStates {
		return nil, fmt.Errorf("the product of %d states and %d steps has %d states, and at most %d can be searched; use the search on the model itself",
			m.NumStates(), p.Len(), states, maxStates)
	}
	return &Violations{m, p, p.Len()}, nil
}

// NumStates returns the number of states, unreachable ones included. Cost O(1).
func (a *Violations) NumStates() int { return a.m.NumStates() * a.n }

// Initial returns the initial state of the model, with no progress. Cost O(1).
func (a *Violations) Initial() State { return a.state(a.m.Initial(), 0) }

// Accepting returns true. Cost O(1).
func (a *Violations) Accepting(State) bool { return true }

// Successors appends the successors of s, in the order of the model. A transition
// that does the last step leads out of the product. Cost O(out-degree).
func (a *Violations) Successors(s State, into []State) []State {
	from, progress := a.Place(s)
	labels, targets := a.m.Out(from)
	if len(targets) == 0 {
		return append(into, s)
	}
	for i, to := range targets {
		if next := a.p.Advance(progress, labels.At(i)); next < a.n {
			into = append(into, a.state(to, next))
		}
	}
	return into
}

// Place returns the state of the model and the progress that s stands for. Cost
// O(1).
func (a *Violations) Place(s State) (lts.State, int) {
	return lts.State(int(s) / a.n), int(s) % a.n
}

func (a *Violations) state(s lts.State, progress int) State {
	return State(int(s)*a.n + progress)
}

// Trace returns the counterexample that a lasso of the product stands for: one
// that ends in a deadlock where the loop is the edge of a deadlock to itself.
// Of parallel transitions it takes the first. It fails if l is no lasso of the
// product. Cost O(sum of the out-degrees of its states).
func (a *Violations) Trace(l Lasso) (*counterexample.Trace, error) {
	if err := l.Check(a); err != nil {
		return nil, err
	}
	var steps []lts.Transition
	for i, s := range l.States {
		from, progress := a.Place(s)
		if a.m.IsDeadlock(from) {
			return counterexample.NewViolating(a.m, a.p.Property(), steps, endsInDeadlock)
		}
		next := l.States[l.LoopStart]
		if i+1 < len(l.States) {
			next = l.States[i+1]
		}
		labels, targets := a.m.Out(from)
		for j, to := range targets {
			if after := a.p.Advance(progress, labels.At(j)); after < a.n && a.state(to, after) == next {
				steps = append(steps, lts.Transition{From: from, Label: labels.At(j), To: to})
				break
			}
		}
	}
	return counterexample.NewViolating(a.m, a.p.Property(), steps, l.LoopStart)
}
