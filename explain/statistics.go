package explain

import (
	"cmp"
	"context"
	"slices"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/format/states"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/contained"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
)

// Statistics describe a model by itself, without a property.
type Statistics struct {
	Model Model `json:"model"`
	// LargestSCC is the number of states of the largest strongly connected component, CyclicSCCs
	// the number of components with a cycle.
	LargestSCC int `json:"largest_scc"`
	CyclicSCCs int `json:"cyclic_sccs"`
	// MaxOutDegree is the largest number of transitions that leave one reachable
	// state.
	MaxOutDegree int `json:"max_out_degree"`
	// Nondeterministic is the number of reachable states with transitions of one label to different
	// states.
	Nondeterministic int `json:"nondeterministic_states"`
	// Internal are the labels of the model that count as internal actions.
	Internal []string `json:"internal_labels"`
	// InternalTransitions is the number of reachable transitions with an internal action.
	InternalTransitions int `json:"internal_transitions"`
	// Divergent is the number of reachable states on a cycle of internal actions.
	Divergent int `json:"divergent_states"`
	// Parameters are the parameters whose values the states have; none if the file has no values.
	Parameters []states.Parameter `json:"parameters,omitempty"`
	Warnings   []string           `json:"warnings"`
	Timings    Phases             `json:"timings_ms"`
	// Cost is the same as in an [Explanation].
	Cost *Cost `json:"stats,omitempty"`
}

// Describe returns the statistics of m; the labels in internal count as internal actions, and
// engine finds the components. It fails if ctx is done, or if the engine does not support the
// model. Cost O(S + T) time, 8 bytes a label.
func Describe(ctx context.Context, m *lts.LTS, internal []string, engine scc.Engine, o Source) (_ *Statistics, err error) {
	defer abort.Caught(&err)
	// Another core finds the reachable part, at the same time as the components.
	contained.Go(func() { m.Reachable() })
	components := abort.Must(scc.Find(ctx, m, engine))
	abort.On(m.FindReachable(ctx))
	s := &Statistics{Internal: []string{}, Warnings: append([]string{}, o.Warnings...), Timings: o.Before}
	s.Model = modelOf(m, o.File)
	s.Parameters = parametersOf(o.States)
	s.Model.describe(components)
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
	reach := m.Reachable()
	// For each label, the last state with a transition of this label, and the target of that
	// transition.
	source := make([]lts.State, m.Alphabet().Len())
	target := make([]lts.State, m.Alphabet().Len())
	for l := range source {
		source[l] = lts.MaxStates
	}
	for i := range m.NumStates() {
		from := lts.State(i)
		abort.IfDone(ctx, i)
		if !reach.Has(from) || m.IsBefore(from) {
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
			ambiguous = ambiguous || source[l] == from && target[l] != targets[j]
			source[l], target[l] = from, targets[j]
		}
		if ambiguous {
			s.Nondeterministic++
		}
	}
	if len(hidden) > 0 {
		on := abort.Must(components.OnCycle(ctx, func(l lts.Label) bool { return !hidden[l] }))
		s.Divergent = on.Len()
	}
	s.Cost = o.cost(m.NumTransitions(), s.Timings, nil)
	return s, nil
}

// LabelUse is how often a model uses a label, or the labels of a gate.
type LabelUse struct {
	// Text is the label, "" if the entry is about a gate.
	Text string
	// Gate is the gate of the label, see [actl.GateOf]; "" if it has none.
	Gate string
	// Labels is the number of labels counted: 1, or for a gate the number of all its labels.
	Labels int
	// Transitions is the number of transitions with these labels, Reachable the number of these
	// transitions that leave a reachable state. If Reachable is 0, no run does the label.
	Transitions, Reachable int
}

// Labels are the labels of a model, or its gates, with their use.
type Labels struct {
	Model Model
	// Uses are in the order of the labels' texts, byte by byte; gates are in the order of their
	// names, after the labels without a gate.
	Uses []LabelUse
	// Gates reports whether the entries count gates instead of labels; a label without a gate is an
	// entry of its own.
	Gates    bool
	Warnings []string
	Timings  []Phase
	// Cost is the same as in an [Explanation].
	Cost *Cost
}

// ListLabels counts the transitions of each label of m. It fails if ctx is
// done. Cost O(S + T + L log L) for L labels, and O(L) memory.
func ListLabels(ctx context.Context, m *lts.LTS, o Source) (_ *Labels, err error) {
	defer abort.Caught(&err)
	abort.On(m.FindReachable(ctx))
	l := &Labels{Uses: make([]LabelUse, m.Alphabet().Len()), Warnings: append([]string{}, o.Warnings...), Timings: o.Before}
	l.Model = modelOf(m, o.File)
	l.Model.reach(m)
	reach := m.Reachable()
	for label, text := range m.Alphabet().All() {
		gate, _ := actl.GateOf(text)
		l.Uses[label] = LabelUse{Text: text, Gate: gate, Labels: 1}
	}
	for i := range m.NumStates() {
		abort.IfDone(ctx, i)
		from := lts.State(i)
		if m.IsBefore(from) {
			continue
		}
		labels, _ := m.Out(from)
		reached := reach.Has(from)
		for label := range labels.All() {
			if l.Uses[label].Transitions++; reached {
				l.Uses[label].Reachable++
			}
		}
	}
	if m.Before() > 0 {
		l.Uses = slices.DeleteFunc(l.Uses, func(use LabelUse) bool {
			first, _ := m.Alphabet().Lookup(use.Text)
			_, begins := m.Alphabet().Facts(first)
			return use.Transitions == 0 && begins
		})
	}
	slices.SortFunc(l.Uses, func(a, b LabelUse) int { return cmp.Compare(a.Text, b.Text) })
	l.Cost = o.cost(m.NumTransitions(), l.Timings, nil)
	return l, nil
}

// ByGate returns l with the labels of each gate added up, and the labels without a gate unchanged.
// Cost O(L log L).
func (l *Labels) ByGate() *Labels {
	sums := *l
	sums.Gates, sums.Uses = true, nil
	at := map[string]int{}
	for _, use := range l.Uses {
		i, known := at[use.Gate]
		if use.Gate == "" || !known {
			at[use.Gate] = len(sums.Uses)
			if use.Gate != "" {
				use.Text = ""
			}
			sums.Uses = append(sums.Uses, use)
			continue
		}
		sum := &sums.Uses[i]
		sum.Labels += use.Labels
		sum.Transitions += use.Transitions
		sum.Reachable += use.Reachable
	}
	slices.SortStableFunc(sums.Uses, func(a, b LabelUse) int { return cmp.Compare(a.Gate, b.Gate) })
	return &sums
}
