package explain_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/lts"
)

// ring returns the text of a cycle of n states: from each to the next one by labels c and
// d of its own, and by x out of it to GOAL.
func ring(n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "des (0,%d,%d)\n", 3*n+1, n+2)
	for i := range n {
		fmt.Fprintf(&b, "(%d,c%d,%d)\n(%d,d%d,%d)\n(%d,x,%d)\n", i, i, (i+1)%n, i, i, (i+1)%n, i, n)
	}
	fmt.Fprintf(&b, "(%d,GOAL,%d)\n", n, n+1)
	return b.String()
}

func readText(t testing.TB, text string) *lts.LTS {
	t.Helper()
	m, _, err := aut.Read(context.Background(), strings.NewReader(text), aut.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func goal(t testing.TB) *actl.Formula {
	t.Helper()
	f, err := actl.Parse(context.Background(), "Inev(GOAL)")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestAssumptionsStop: with thousands of labels on a cycle the search for assumptions
// ends at its limit and says so; what it has found by then stands.
func TestAssumptionsStop(t *testing.T) {
	e, err := explain.Explain(context.Background(), readText(t, ring(3_000)), goal(t), explain.Options{})
	if err != nil {
		t.Fatal(err)
	}
	f := e.Fairness
	if f.Complete || !f.LimitReached || f.Chain.Weak != explain.Satisfied {
		t.Errorf("%+v", f)
	}
	found := false
	for _, a := range f.Assumptions {
		found = found || a.Kind == explain.Weak && len(a.Labels) == 1 && a.Labels[0] == "x"
	}
	if !found {
		t.Errorf("weak fairness of x is not found: %+v", f.Assumptions)
	}
	small, err := explain.Explain(context.Background(), readText(t, ring(3)), goal(t), explain.Options{})
	if err != nil || small.Fairness.LimitReached {
		t.Errorf("%+v, %v", small.Fairness, err)
	}
}

// TestAssumptionsOfManySteps: steps that no cycle does cost nothing, however many there are.
func TestAssumptionsOfManySteps(t *testing.T) {
	const states, steps = 30_000, 2_000
	var b strings.Builder
	fmt.Fprintf(&b, "des (0,%d,%d)\n", 2*states-1, states)
	for i := range states {
		fmt.Fprintf(&b, "(%d,WAIT,%d)\n", i, i)
		if i > 0 {
			fmt.Fprintf(&b, "(%d,GO,%d)\n", i-1, i)
		}
	}
	f, err := actl.Parse(context.Background(), "Inev(GO"+strings.Repeat(", GO", steps-1)+")")
	if err != nil {
		t.Fatal(err)
	}
	e, err := explain.Explain(context.Background(), readText(t, b.String()), f, explain.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if e.Fairness == nil || e.Fairness.Chain.Weak != explain.Satisfied {
		t.Errorf("%+v", e.Fairness)
	}
}
