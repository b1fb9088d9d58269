package explain

import (
	"context"

	"github.com/inev-lts/inev/format/states"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
)

// Statistics describe a model for its own sake, without a property.
type Statistics struct {
	Model Model
	// LargestSCC is the number of states of the largest strongly connected
	// component, CyclicSCCs the number of those that hold a cycle.
	LargestSCC int
	CyclicSCCs int
	// MaxOutDegree is the largest number of transitions that leave one reachable
	// state.
	MaxOutDegree int
	// Nondeterministic is the number of reachable states that some label leaves
	// by transitions to different states.
	Nondeterministic int
	// Internal are the labels of the model that count as internal actions.
	Internal []string
	// InternalTransitions is the number of reachable transitions that have one.
	InternalTransitions int
	// Divergent is the number of reachable states on a cycle of internal actions.
	Divergent int
	// Parameters are what the states have values of, none where the file tells nothing of
	// its states.
	Parameters []states.Parameter
	Warnings   []string
	Timings    []Phase
	// Cost is as in an [Explanation].
	Cost *Cost
}

// Describe returns the statistics of m; the labels in internal count as internal
// actions, and the engine finds the components. It fails if ctx is done, or if
// the engine cannot take the model. Cost O(S + T) time, 8 bytes a label.
func Describe(ctx context.Context, m *lts.LTS, internal []string, engine scc.Engine, o Source) (*Statistics, error) {
	// The reachable part is found on another core, beside the components.
	go m.Reachable()
	components, err := scc.Find(ctx, m, engine)
	if err != nil {
		return nil, err
	}
	s := &Statistics{Internal: []string{}, Warnings: append([]string{}, o.Warnings...), Timings: o.Before}
	s.Model = modelOf(m, o.File)
	s.Parameters = parametersOf(o.States)
	if err := s.Model.describe(ctx, components); err != nil {
		return nil, err
	}
	s.LargestSCC = components.Largest()
	for i := range components.Len() {
		if components.IsCyclic(scc.Component(i)) {
			s.CyclicSCCs++
		}
	}
	hidden := map[lts.Label]bool{}
	for _, text := range internal {
		if l, ok := m.Alphabet().Lookup(text); ok && !hidden[l] {
			hidden[l] = true
			s.Internal = append(s.Internal, text)
		}
	}
	if err := s.count(ctx, m, hidden); err != nil {
		return nil, err
	}
	if len(hidden) > 0 {
		on, err := components.OnCycle(ctx, func(l lts.Label) bool { return !hidden[l] })
		if err != nil {
			return nil, err
		}
		for _, is := range on {
			if is {
				s.Divergent++
			}
		}
	}
	s.Cost = o.cost(m.NumTransitions(), s.Timings, nil)
	return s, nil
}

// count goes through the transitions of the reachable states.
func (s *Statistics) count(ctx context.Context, m *lts.LTS, hidden map[lts.Label]bool) error {
	if err := m.FindReachable(ctx); err != nil {
		return err
	}
	reach := m.Reachable()
	// For each label the last state that it was seen to leave, and its target.
	source := make([]lts.State, m.Alphabet().Len())
	target := make([]lts.State, m.Alphabet().Len())
	for l := range source {
		source[l] = lts.MaxStates
	}
	for i := range m.NumStates() {
		from := lts.State(i)
		if i&(1<<16-1) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if !reach.Has(from) {
			continue
		}
		labels, targets := m.Out(from)
		s.MaxOutDegree = max(s.MaxOutDegree, labels.Len())
		ambiguous := false
		for j := range labels.Len() {
			l := labels.At(j)
			if hidden[l] {
				s.InternalTransitions++
			}
			if source[l] == from && target[l] != targets[j] {
				ambiguous = true
			}
			source[l], target[l] = from, targets[j]
		}
		if ambiguous {
			s.Nondeterministic++
		}
	}
	return nil
}
