package explain

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/contained"
	"github.com/inev-lts/inev/internal/cores"
	"github.com/inev-lts/inev/internal/lts/multiaction"
	"github.com/inev-lts/inev/internal/required"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
)

// Statistics describe a model by itself, without a property.
type Statistics struct {
	Model Model `json:"model"`
	// LargestSCC is the number of states of the largest strongly connected component. CyclicSCCs is
	// the number of components with a cycle.
	LargestSCC int `json:"largest_scc"`
	CyclicSCCs int `json:"cyclic_sccs"`
	// MaxOutDegree is the largest number of transitions from one reachable state.
	MaxOutDegree int `json:"max_out_degree"`
	// Nondeterministic is the number of reachable states from which transitions with the same label
	// lead to different states.
	Nondeterministic int `json:"nondeterministic_states"`
	// Internal are the labels of the model that count as internal actions.
	Internal []string `json:"internal_labels"`
	// InternalTransitions is the number of reachable transitions with an internal action.
	InternalTransitions int `json:"internal_transitions"`
	// Divergent is the number of reachable states on a cycle of internal actions.
	Divergent int `json:"divergent_states"`
	// Parameters are the parameters whose values the states have; none if the file has no values.
	Parameters []lts.Parameter `json:"parameters,omitempty"`
	Warnings   []string        `json:"warnings"`
	Timings    Phases          `json:"timings_ms"`
	// Cost is the same as in an [Explanation].
	Cost *Cost `json:"stats,omitempty"`
}

// Describe returns the statistics of m. The labels in internal count as internal actions, and
// engine finds the components. Describe fails if ctx is done, or if the engine does not support the
// model. Cost O(S + T) time, 8 bytes a label.
func Describe(
	ctx context.Context,
	m *lts.LTS,
	internal []string,
	engine scc.Engine,
	o Source,
) (*Statistics, error) {
	if err := cmp.Or(
		required.Argument("ctx", ctx),
		required.Argument("m", m),
	); err != nil {
		return nil, err
	}
	// Another core finds the reachable part, at the same time as the components.
	contained.Go(func() { m.Reachable() })
	components, err := scc.Find(ctx, m, engine)
	if err != nil {
		return nil, err
	}
	if err := m.FindReachable(ctx); err != nil {
		return nil, err
	}
	s := &Statistics{
		Model:      modelOf(m, o.File),
		LargestSCC: components.Largest(),
		Internal:   []string{},
		Parameters: parametersOf(o.States),
		Warnings:   append([]string{}, o.Warnings...),
		Timings:    o.Before,
	}
	s.Model.describe(components)
	for i := range components.Len() {
		if components.IsCyclic(scc.Component(i)) {
			s.CyclicSCCs++
		}
	}
	hidden := map[lts.Label]bool{}
	for _, text := range internal {
		labels := m.Alphabet().Variants(text)
		if len(labels) > 0 && !hidden[labels[0]] {
			s.Internal = append(s.Internal, text)
		}
		for _, l := range labels {
			hidden[l] = true
		}
	}
	if err := s.countTransitions(ctx, m, hidden); err != nil {
		return nil, err
	}
	if len(hidden) > 0 {
		divergent, err := components.OnCycle(ctx, func(l lts.Label) bool {
			return !hidden[l]
		})
		if err != nil {
			return nil, err
		}
		s.Divergent = divergent.Len()
	}
	s.Cost = o.cost(m.NumTransitions(), s.Timings, nil)
	return s, nil
}

// countTransitions counts the transitions of the reachable part, which must have been computed
// before.
func (s *Statistics) countTransitions(
	ctx context.Context,
	m *lts.LTS,
	hidden map[lts.Label]bool,
) error {
	reach := m.Reachable()
	// source has, for each label, the last state with a transition of this label. target has the
	// target of this transition.
	source := make([]lts.State, m.Alphabet().Len())
	target := make([]lts.State, m.Alphabet().Len())
	for l := range source {
		source[l] = lts.MaxStates
	}
	for i := range m.NumStates() {
		if err := cores.Done(ctx, i); err != nil {
			return err
		}
		from := lts.State(i)
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
			text := m.Alphabet().Plain(l)
			leadsElsewhere := source[text] == from && target[text] != targets[j]
			ambiguous = ambiguous || leadsElsewhere
			source[text] = from
			target[text] = targets[j]
		}
		if ambiguous {
			s.Nondeterministic++
		}
	}
	return nil
}

// LabelUse counts the uses of a label in a model, or of the labels of a gate.
type LabelUse struct {
	// Text is the label; "" if the entry is about a gate.
	Text string
	// Gate is the gate of the label, see [actl.GateOf]; "" if it has none.
	Gate string
	// Labels is the number of labels counted: 1, or for a gate the number of all its labels.
	Labels int
	// Transitions is the number of transitions with these labels. Reachable is the number of those
	// from reachable states; if it is 0, no run does the labels.
	Transitions, Reachable int
}

// Labels are the labels of a model, or its gates, with their use.
type Labels struct {
	Model Model
	// Uses are sorted by the texts of the labels, byte by byte. Gates are sorted by their names,
	// and come after the labels without a gate.
	Uses []LabelUse
	// Gates reports whether the entries count gates instead of labels. A label without a gate then
	// has an entry of its own, and multi-actions with the same gates have one together.
	Gates    bool
	Warnings []string
	Timings  []Phase
	// Cost is the same as in an [Explanation].
	Cost *Cost
}

// ListLabels counts the transitions of each label of m. It fails if ctx is
// done. Cost O(S + T + L log L) for L labels, and O(L) memory.
func ListLabels(ctx context.Context, m *lts.LTS, o Source) (*Labels, error) {
	if err := cmp.Or(
		required.Argument("ctx", ctx),
		required.Argument("m", m),
	); err != nil {
		return nil, err
	}
	if err := m.FindReachable(ctx); err != nil {
		return nil, err
	}
	l := &Labels{
		Model:    modelOf(m, o.File),
		Uses:     make([]LabelUse, m.Alphabet().Len()),
		Warnings: append([]string{}, o.Warnings...),
		Timings:  o.Before,
	}
	l.Model.reach(m)
	for label, text := range m.Alphabet().All() {
		gate, _ := actl.GateOf(text)
		l.Uses[label] = LabelUse{Text: text, Gate: gate, Labels: 1}
	}
	if err := l.countTransitions(ctx, m); err != nil {
		return nil, err
	}
	if m.Before() > 0 {
		l.Uses = slices.DeleteFunc(l.Uses, func(use LabelUse) bool {
			first, _ := m.Alphabet().Lookup(use.Text)
			_, begins := m.Alphabet().Facts(first)
			return use.Transitions == 0 && begins
		})
	}
	slices.SortFunc(l.Uses, func(a, b LabelUse) int {
		return cmp.Compare(a.Text, b.Text)
	})
	l.Uses = withEqualTexts(l.Uses)
	l.Cost = o.cost(m.NumTransitions(), l.Timings, nil)
	return l, nil
}

// withEqualTexts adds up the uses of labels with the same text, which differ in the component that
// does them. uses must be sorted by text.
func withEqualTexts(uses []LabelUse) (all []LabelUse) {
	for _, use := range uses {
		if n := len(all); n > 0 && all[n-1].Text == use.Text {
			all[n-1].Transitions += use.Transitions
			all[n-1].Reachable += use.Reachable
			continue
		}
		all = append(all, use)
	}
	return all
}

// countTransitions counts the transitions of each label. The reachable part must have been computed
// before.
func (l *Labels) countTransitions(ctx context.Context, m *lts.LTS) error {
	reach := m.Reachable()
	for i := range m.NumStates() {
		if err := cores.Done(ctx, i); err != nil {
			return err
		}
		from := lts.State(i)
		if m.IsBefore(from) {
			continue
		}
		reached := reach.Has(from)
		labels, _ := m.Out(from)
		for label := range labels.All() {
			l.Uses[label].Transitions++
			if reached {
				l.Uses[label].Reachable++
			}
		}
	}
	return nil
}

// ByGate returns l with one entry for all labels of each gate, and one for all multi-actions with the same gates, such as
// "free|lock". Other labels without a gate keep their entries. Cost O(L log L).
func (l *Labels) ByGate() *Labels {
	sums := *l
	sums.Gates = true
	sums.Uses = nil
	indices := map[string]int{}
	for _, use := range l.Uses {
		if use.Gate != "" {
			use.Text = ""
		} else {
			use.Text = gatesOf(use.Text)
		}
		key := cmp.Or(use.Gate, use.Text)
		i, known := indices[key]
		if !known {
			indices[key] = len(sums.Uses)
			sums.Uses = append(sums.Uses, use)
			continue
		}
		sum := &sums.Uses[i]
		sum.Labels += use.Labels
		sum.Transitions += use.Transitions
		sum.Reachable += use.Reachable
	}
	slices.SortStableFunc(sums.Uses, func(a, b LabelUse) int {
		return cmp.Compare(a.Gate, b.Gate)
	})
	return &sums
}

// gatesOf returns the gates of a multi-action in alphabetical order, joined by |; any other label as it is.
func gatesOf(label string) string {
	parts := multiaction.Parts(label)
	if parts == nil {
		return label
	}
	gates := make([]string, len(parts))
	for i, part := range parts {
		gates[i], _, _ = strings.Cut(part, "(")
	}
	slices.Sort(gates)
	return strings.Join(gates, "|")
}
