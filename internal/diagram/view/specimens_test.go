package view

import (
	"testing"

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
	figure2, lasso, star, longRun = specimens.Figure2, specimens.Lasso, specimens.Star, specimens.LongRun
	ways, manyWays, unfolded      = specimens.Ways, specimens.ManyWays, specimens.Unfolded
)
