package view

import (
	"context"
	"errors"
	"testing"

	"github.com/inev-lts/inev/internal/lts/generate"
	"github.com/inev-lts/inev/internal/resources"
)

// TestSetsAreAskedFor: the sets of a model that has too many states for the memory are
// not made.
func TestSetsAreAskedFor(t *testing.T) {
	m, err := generate.LTS(context.Background(), generate.Spec{Kind: "chain", States: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	m.Predecessors()
	budget := resources.NewBudget(resources.Limit{Bytes: 1, By: "allowed by a test"}, nil)
	ctx, leave := resources.Join(budget.With(context.Background()))
	defer leave()
	var exceeded *resources.ExceededError
	if _, err := findEnds(ctx, &subject{m: m}, nil); !errors.As(err, &exceeded) {
		t.Errorf("error %v", err)
	}
}
