package liveness_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/formula/liveness"
)

// withSlow returns the graph and the properties of a specification whose first property, Slow, is the given one, and whose
// second one, Quick, is violated.
func withSlow(t *testing.T, ctx context.Context, slow string) (*liveness.Graph, []liveness.Instance) {
	folder := t.TempDir()
	write(t, folder, "Random.tla", "---- MODULE Random ----\nEXTENDS Integers\nVARIABLE x\nRECURSIVE Fib(_)\n"+
		"Fib(n) == IF n < 2 THEN n ELSE Fib(n - 1) + Fib(n - 2)\nSpec == x = 0 /\\ [][x' = 1 - x]_x\n"+
		"Slow == "+slow+"\nQuick == []<>(x = 1)\n====\n")
	write(t, folder, "Random.cfg", "SPECIFICATION Spec\nPROPERTY Slow Quick\n")
	write(t, folder, "Random.dot", (&graph{n: 2, edges: map[[2]int]bool{{0, 1}: true, {1, 0}: true}, initial: []int{0}}).dot())
	g, instances, err := graphOf(ctx, folder)
	if err != nil {
		t.Fatal(err)
	}
	return g, instances
}

// checkSlowIsNamed: the answer names Slow, which took its share of the time, and Quick is answered.
func checkSlowIsNamed(t *testing.T, chosen liveness.Chosen) {
	refused := strings.Join(chosen.Unasked, "; ")
	if !strings.HasPrefix(refused, "Slow cannot be evaluated: it takes more than ") || !chosen.IsViolated {
		t.Errorf("violated %t; refused: %s", chosen.IsViolated, refused)
	}
	if chosen.Unanswered != "1 of 2 properties is answered, but not Slow" {
		t.Error(chosen.Unanswered)
	}
}

// TestPropertiesShareTheTime: a property whose evaluation does not end takes its share of the time, and is named; the
// others are answered.
func TestPropertiesShareTheTime(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 6*time.Second)
	defer cancel()
	g, instances := withSlow(t, ctx, "[]<>(Fib(60) = x)")
	chosen, err := g.First(ctx, instances, func(ctx context.Context, q liveness.Question) (bool, error) {
		return (&explain.Options{}).IsViolated(ctx, q.Model, q.Formula, q.Fair)
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	checkSlowIsNamed(t, chosen)
}

// TestSearchesShareTheTime: so does a property whose search for a violation does not end.
func TestSearchesShareTheTime(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	g, instances := withSlow(t, ctx, "[]<>(x = 0)")
	searches := 0
	chosen, err := g.First(ctx, instances, func(ctx context.Context, q liveness.Question) (bool, error) {
		searches++
		if searches == 1 {
			<-ctx.Done()
			return false, ctx.Err()
		}
		return (&explain.Options{}).IsViolated(ctx, q.Model, q.Formula, q.Fair)
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	checkSlowIsNamed(t, chosen)
}

// TestRefusedFormsAreNoted: <=> and CASE of formulas about runs are answered, with a note that TLC refuses them.
func TestRefusedFormsAreNoted(t *testing.T) {
	for asked, want := range map[string]bool{
		"[](x = 0 => <>(x = 1)) <=> TRUE":                 true,
		"CASE x = 0 -> <>(x = 1) [] OTHER -> <>(x = 0)":   true,
		"IF x = 0 THEN <>(x = 1) ELSE <>(x = 0)":          false,
		"[](x = 0 <=> x # 1)":                             false,
		"[](CASE x = 0 -> TRUE [] OTHER -> x = 1)":        false,
		"\\A k \\in {0, 1} : (<>(x = k) <=> []<>(x = k))": true,
	} {
		folder := t.TempDir()
		write(t, folder, "Random.tla", "---- MODULE Random ----\nEXTENDS Integers\nVARIABLE x\nSpec == x = 0 /\\ [][x' = 1 - x]_x\nAsked == "+asked+"\n====\n")
		write(t, folder, "Random.cfg", "SPECIFICATION Spec\nPROPERTY Asked\n")
		write(t, folder, "Random.dot", (&graph{n: 2, edges: map[[2]int]bool{{0, 1}: true, {1, 0}: true}, initial: []int{0}}).dot())
		g, instances, err := graphOf(t.Context(), folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range instances {
			if _, err := g.Ask(t.Context(), i); err != nil {
				t.Fatal(err)
			}
		}
		isNoted := strings.Contains(strings.Join(g.Notes(), "; "), "TLC refuses Asked: it cannot check <=> or CASE")
		isNoted = isNoted || strings.Contains(strings.Join(g.Notes(), "; "), "TLC refuses Asked (k = ")
		if isNoted != want {
			t.Errorf("%s: noted %t; %q", asked, isNoted, g.Notes())
		}
	}
}
