package explain

import (
	"cmp"
	"context"
	"slices"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/lts"
)

// LabelUse says how often a model uses a label, or the labels of a gate.
type LabelUse struct {
	// Text is the label, "" if the entry is about a gate.
	Text string
	// Gate is that of the label, as [actl.GateOf] gives it, "" if it has none.
	Gate string
	// Labels is the number of labels that are counted: 1 but for gates.
	Labels int
	// Transitions is the number of transitions with them, Reachable the number of
	// those that leave a reachable state: where that is 0, no run does the label.
	Transitions, Reachable int
}

// Labels are the labels of a model, or its gates.
type Labels struct {
	Model Model
	// Uses are in the order of the labels' texts, byte by byte. Gates are in the order of their
	// names, and labels without a gate come first.
	Uses []LabelUse
	// Gates says that there is an entry for each gate, and one for each label
	// that has none.
	Gates    bool
	Warnings []string
	Timings  []Phase
	// Cost is as in an [Explanation].
	Cost *Cost
}

// ListLabels counts the transitions of each label of m. It fails if ctx is
// done. Cost O(S + T + L log L) for L labels, and O(L) memory.
func ListLabels(ctx context.Context, m *lts.LTS, o Source) (*Labels, error) {
	if err := m.FindReachable(ctx); err != nil {
		return nil, err
	}
	reach := m.Reachable()
	l := &Labels{Uses: make([]LabelUse, m.Alphabet().Len()), Warnings: append([]string{}, o.Warnings...), Timings: o.Before}
	l.Model = modelOf(m, o.File)
	l.Model.ReachableStates, l.Model.ReachableTransitions = reach.NumStates(), reach.NumTransitions()
	for label, text := range m.Alphabet().All() {
		gate, _ := actl.GateOf(text)
		l.Uses[label] = LabelUse{Text: text, Gate: gate, Labels: 1}
	}
	const stride = 1 << 16
	for i := range m.NumStates() {
		if i%stride == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		from := lts.State(i)
		labels, _ := m.Out(from)
		for i := range labels.Len() {
			label := labels.At(i)
			l.Uses[label].Transitions++
		}
		if !reach.Has(from) {
			continue
		}
		for i := range labels.Len() {
			label := labels.At(i)
			l.Uses[label].Reachable++
		}
	}
	slices.SortFunc(l.Uses, func(a, b LabelUse) int { return cmp.Compare(a.Text, b.Text) })
	l.Cost = o.cost(m.NumTransitions(), l.Timings, nil)
	return l, nil
}

// ByGate returns the same with the labels of each gate added up. Labels that have
// no gate stay as they are. Cost O(L log L).
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
