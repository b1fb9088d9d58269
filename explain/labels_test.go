package explain_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/lts"
)

// TestLabelsAreCounted compares with a count over the list of transitions, and the
// gates with what the bare name takes as a step of a formula.
func TestLabelsAreCounted(t *testing.T) {
	texts := []string{"a", "a(1)", "a !2", "a(1)|b(2)", "b", "", "(x)", "c(1) !d", "never"}
	rapid.Check(t, func(t *rapid.T) {
		const states = 6
		state := rapid.Map(rapid.IntRange(0, states-1), func(s int) lts.State { return lts.State(s) })
		var b lts.Builder
		var all []lts.Transition
		b.Label("never")
		for range rapid.IntRange(0, 12).Draw(t, "transitions") {
			text := rapid.SampledFrom(texts[:len(texts)-1]).Draw(t, "label")
			tr := lts.Transition{From: state.Draw(t, "from"), Label: b.Label(text), To: state.Draw(t, "to")}
			all = append(all, tr)
			b.Add(tr.From, tr.Label, tr.To)
		}
		initial := state.Draw(t, "initial")
		m, err := b.Build(initial, states)
		if err != nil {
			t.Fatal(err)
		}
		reached := map[lts.State]bool{initial: true}
		for range states {
			for _, tr := range all {
				reached[tr.To] = reached[tr.To] || reached[tr.From]
			}
		}
		l, err := explain.ListLabels(context.Background(), m, explain.Source{})
		if err != nil {
			t.Fatal(err)
		}
		if len(l.Uses) != m.Alphabet().Len() {
			t.Fatalf("%d labels, want %d", len(l.Uses), m.Alphabet().Len())
		}
		count := func(takes func(text string) bool) (transitions, reachable int) {
			for _, tr := range all {
				if takes(m.Alphabet().Text(tr.Label)) {
					transitions++
					if reached[tr.From] {
						reachable++
					}
				}
			}
			return transitions, reachable
		}
		for i, use := range l.Uses {
			if i > 0 && l.Uses[i-1].Text >= use.Text {
				t.Errorf("%q stands before %q", l.Uses[i-1].Text, use.Text)
			}
			if n, r := count(func(text string) bool { return text == use.Text }); use.Transitions != n || use.Reachable != r || use.Labels != 1 {
				t.Errorf("%+v, want %d transitions, %d reachable", use, n, r)
			}
		}
		sum := 0
		var gates []string
		for _, use := range l.ByGate().Uses {
			sum += use.Transitions
			if use.Gate == "" {
				continue
			}
			gates = append(gates, use.Gate)
			f, err := actl.Parse(context.Background(), "Inev("+use.Gate+")")
			if err != nil {
				t.Fatalf("gate %q: %v", use.Gate, err)
			}
			if n, r := count(f.Steps()[0].Matches); use.Transitions != n || use.Reachable != r {
				t.Errorf("gate %+v, want %d transitions, %d reachable", use, n, r)
			}
		}
		if sum != len(all) {
			t.Errorf("the gates have %d transitions in all, want %d", sum, len(all))
		}
		if !slices.IsSorted(gates) || len(slices.Compact(slices.Clone(gates))) != len(gates) {
			t.Errorf("gates %q", gates)
		}
	})
}

func TestListLabelsStops(t *testing.T) {
	var b lts.Builder
	b.Add(0, b.Label("a"), 0)
	m, err := b.Build(0, 1)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := explain.ListLabels(ctx, m, explain.Source{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
