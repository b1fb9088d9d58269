package view

import (
	"context"
	"slices"
	"testing"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/testing/oracle/specimens"
)

// TestNodesTellValues: nodes of the counterexample tell which values hold there, those that
// change on it first, and no more than there is room for; others tell none.
func TestNodesTellValues(t *testing.T) {
	e := explained(t, specimens.Lasso(t), "", "Inev(DONE)")
	value := func(name, value string) explain.StateValue { return explain.StateValue{Name: name, Value: value} }
	e.Values = &explain.Values{
		Initial: []explain.StateValue{value("a", "0"), value("b", "0"), value("c", "0"), value("d", "0"), value("tries", "0")},
		Steps:   []explain.ChangedValues{{Step: 1, Changed: []explain.StateValue{value("tries", "1")}}},
	}
	want := map[string][]string{
		"0": {"tries = 0", "a = 0", "b = 0", "… 2 more"},
		"1": {"tries = 0", "a = 0", "b = 0", "… 2 more"},
		"2": {"tries = 1", "a = 0", "b = 0", "… 2 more"},
	}
	for _, kind := range []Kind{Whole, Excerpt, Neighbourhoods} {
		g, err := Of(context.Background(), e, Options{Kind: kind})
		if err != nil {
			t.Fatal(err)
		}
		told := 0
		for _, n := range g.Nodes {
			if !slices.Equal(n.Text, want[n.Name]) {
				t.Errorf("view %v: state %s tells %q, want %q", kind, n.Name, n.Text, want[n.Name])
			}
			if n.Text != nil {
				told++
			}
		}
		if told == 0 {
			t.Errorf("view %v tells no values", kind)
		}
	}
}
