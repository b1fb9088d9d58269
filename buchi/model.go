package buchi

import (
	"context"
	"errors"
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
// n of steps of the property. All are accepting: a run that goes on for ever
// without the last step violates the property. A deadlock of the model has an
// edge to itself, for it ends a run, and a Büchi automaton knows infinite runs
// only.
//
// Hence its lassos are the counterexamples of the model in which no transition of
// the loop makes progress. Those in which the first round of the loop makes
// progress are not among them, and a deadlock costs a transition more: a
// shortest lasso may be longer than what [counterexample.Shortest] returns.
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

// endsInDeadlock is the loop start of a run that ends in a deadlock.
const endsInDeadlock = -1

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
			return counterexample.New(a.m, a.p, steps, endsInDeadlock)
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
	return counterexample.New(a.m, a.p, steps, l.LoopStart)
}

// FindInModel returns a counterexample to p in m that an algorithm of this package
// finds in the [Violations], with its statistics; nil if there is none below
// the bound of o. The length in the statistics is that of the lasso in the
// product. Each counterexample that is found on the way is given to yield, as by
// [Find]; yield may be nil. Where ctx is done, [Contrex] leaves the
// best counterexample so far, which is returned together with the context's
// error. Other errors are those of [NewViolations] and [Find], and a
// [property.NotChainError] for a property that is no chain.
func FindInModel(ctx context.Context, m *lts.LTS, p *property.Property, o FindOptions, yield func(*counterexample.Trace, Stats) bool) (*counterexample.Trace, Stats, error) {
	chain, is := p.Chain()
	if !is {
		return nil, Stats{}, property.NotChainError{Property: p.String(), What: "a search in the product with a Büchi automaton"}
	}
	a, err := NewViolations(m, chain)
	if err != nil {
		return nil, Stats{}, err
	}
	var wrong error
	var each func(Lasso, Stats) bool
	if yield != nil {
		each = func(l Lasso, stats Stats) bool {
			t, err := a.Trace(l)
			wrong = errors.Join(wrong, err)
			return err == nil && yield(t, stats)
		}
	}
	lasso, stats, stopped := Find(ctx, a, o, each)
	if lasso == nil {
		return nil, stats, stopped
	}
	t, err := a.Trace(*lasso)
	if wrong = errors.Join(wrong, err); wrong != nil {
		return nil, stats, fmt.Errorf("buchi: the search in the product went wrong, please report it: %w", wrong)
	}
	return t, stats, stopped
}
