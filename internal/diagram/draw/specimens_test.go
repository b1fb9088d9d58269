package draw

import (
	"context"
	"testing"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/internal/testing/oracle/specimens"
	"github.com/inev-lts/inev/lts"
)

// edge is a transition of a model that a test writes down.
type edge struct {
	from  int
	label string
	to    int
}

func model(t testing.TB, states int, edges ...edge) *lts.LTS {
	all := make([]specimens.Edge, len(edges))
	for i, e := range edges {
		all[i] = specimens.Edge{From: e.from, Label: e.label, To: e.to}
	}
	return specimens.Model(t, states, all...)
}

var (
	explained, answer, real       = specimens.Explained, specimens.Answer, specimens.Real
	figure2, lasso, hostile, star = specimens.Figure2, specimens.Lasso, specimens.Hostile, specimens.Star
	longRun, ways, manyWays       = specimens.LongRun, specimens.Ways, specimens.ManyWays
	unfolded, hostileLabels       = specimens.Unfolded, specimens.HostileLabels
	hostileFile, hostileFormula   = specimens.HostileFile, specimens.HostileFormula
)

// graphOf returns a view of an explanation.
func graphOf(t testing.TB, e *explain.Explanation, o view.Options) *view.Graph {
	t.Helper()
	g, err := view.Of(context.Background(), e, o)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// graphOfModel returns a view of a model without a property.
func graphOfModel(t testing.TB, m *lts.LTS, name string, o view.Options) *view.Graph {
	t.Helper()
	g, err := view.OfModel(m, name, o)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// together returns the options that show all shortest counterexamples.
func together(t testing.TB, e *explain.Explanation, kind view.Kind) view.Options {
	t.Helper()
	all, count := specimens.Together(t, e)
	return view.Options{Kind: kind, All: all, AllCount: count}
}
