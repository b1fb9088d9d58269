package explain

import (
	"context"
	"errors"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// Fork describes what can come next in a state of the model.
type Fork struct {
	// Correct is a shortest continuation with which the run satisfies the property, and Violating
	// is a shortest continuation with which it violates the property; each is nil if there is none.
	// If some steps decide the property, whatever follows, the continuation ends after these steps,
	// and has the kind [counterexample.Prefix].
	Correct   *Counterexample
	Violating *Counterexample
}

// errFairFork reports that continuations were requested under an assumption: they are computed only
// if all runs count.
var errFairFork = errors.New("continuations are those of all runs, and an assumption excludes some")

// HasForks reports whether [Explanation.ForkAt] works for e: e must be the result of [Explain]
// about all runs of the model itself.
func (e *Explanation) HasForks() bool {
	return e.Classification() != nil && e.Classification().Fates().Fairness() == nil &&
		!e.IsUnfolded()
}

// ForkAt returns the nearest correct and the nearest violating continuation of a run that is in
// state s with the property in state q. e must be the result of [Explain]. ForkAt fails under a
// fairness assumption, in an unfolded model, or if ctx is done. Cost: twice that of
// [counterexample.Shortest], and O(S + T).
func (e *Explanation) ForkAt(ctx context.Context, s lts.State, q property.Q) (*Fork, error) {
	if !e.HasForks() {
		return nil, errFairFork
	}
	fates := e.Classification().Fates()
	m, err := rootedAt(fates.LTS(), s)
	if err != nil {
		return nil, err
	}
	automaton := fates.Property().Automaton()
	automaton.Initial = q
	fork := &Fork{}
	fork.Violating, err = e.continuation(ctx, m, automaton)
	if err != nil {
		return nil, err
	}
	fork.Correct, err = e.continuation(ctx, m, complement(automaton))
	return fork, err
}

// continuation returns a shortest run of m that violates an automaton; nil if there is none.
func (e *Explanation) continuation(
	ctx context.Context,
	m *lts.LTS,
	automaton property.Automaton,
) (*Counterexample, error) {
	p, err := property.Table(m.Alphabet(), automaton)
	if err != nil {
		return nil, err
	}
	found, err := counterexample.Shortest(ctx, m, p, counterexample.Options{
		Prefixes: true,
		Limit:    defaultLimit(m, p),
	})
	if err != nil || found.Trace == nil {
		return nil, err
	}
	a := &Analysis{Formula: e.formula, Property: p, m: m}
	return describeTrace(ctx, a, found.Trace, found.Minimal)
}

// complement returns the automaton that accepts the words that another automaton rejects.
func complement(automaton property.Automaton) property.Automaton {
	automaton.Acceptance = automaton.Acceptance.Not()
	stop := make([]bool, len(automaton.Stop))
	for q, accepted := range automaton.Stop {
		stop[q] = !accepted
	}
	automaton.Stop = stop
	automaton.Pending = nil
	return automaton
}

// rootedAt returns the model with another initial state.
func rootedAt(m *lts.LTS, s lts.State) (*lts.LTS, error) {
	var b lts.Builder
	b.Over(m.Alphabet())
	b.Grow(m.NumTransitions())
	for from := range lts.State(m.NumStates()) {
		labels, targets := m.Out(from)
		for i, to := range targets {
			b.Add(from, labels.At(i), to)
		}
	}
	return b.Build(s, m.NumStates())
}
