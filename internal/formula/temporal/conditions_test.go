package temporal_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/internal/formula/temporal"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/property"
)

// drawRecurring draws a formula about what recurs, so that its automaton has several colours.
func drawRecurring(t *rapid.T, depth int) *temporal.Formula {
	if depth > 0 {
		a, b := drawRecurring(t, depth-1), drawRecurring(t, depth-1)
		if rapid.Bool().Draw(t, "and") {
			return temporal.And(a, b)
		}
		return temporal.Or(a, b)
	}
	x, y := drawFormula(t, 1), drawFormula(t, 1)
	switch rapid.IntRange(0, 4).Draw(t, "recurring") {
	case 0:
		return temporal.Always(temporal.Eventually(x))
	case 1:
		return temporal.Eventually(temporal.Always(x))
	case 2:
		return temporal.Until(x, temporal.Always(temporal.Or(y, temporal.Eventually(x))))
	case 3:
		return temporal.Always(temporal.Implies(x, temporal.Until(y, temporal.Or(x, temporal.Always(y)))))
	}
	return temporal.Always(temporal.Or(x, temporal.Eventually(temporal.And(y, temporal.Next(x)))))
}

// TestConditionsAgreeWithSemantics is [TestAutomataAgreeWithSemantics] for automata of which
// several colours matter.
func TestConditionsAgreeWithSemantics(t *testing.T) {
	alphabet, steps := everything()
	several, beyond := 0, 0
	try := func(t *rapid.T) {
		f := drawRecurring(t, 2)
		if rapid.Bool().Draw(t, "below") {
			f = temporal.Always(temporal.Implies(temporal.Atom(0), temporal.Or(temporal.Atom(1), temporal.Next(drawRecurring(t, 1)))))
		}
		p, err := temporal.Bind(context.Background(), alphabet, f, steps, property.KindLTL, "")
		if errors.As(err, new(*temporal.BudgetError)) {
			beyond++
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if p.Steps() == 0 {
			if all, _ := p.Acceptance().Colours(); all.Len() > 1 {
				several++
			}
		}
		for range wordsOfEach {
			w := drawWord(t)
			if got, want := accepts(p, w), evaluate(f, w); got != want {
				t.Fatalf("%s on %s (loop %d): %t, want %t", f.Text(names), w, w.loop, got, want)
			}
		}
	}
	for range 4 {
		rapid.Check(t, try)
	}
	least := 45
	if !randomlts.Whole() { // a fifth of the formulas
		least = 4
	}
	if several < least {
		t.Errorf("only %d automata have several colours", several)
	}
	t.Logf("%d automata with several colours, %d beyond the budget", several, beyond)
}

// TestConstrainedChains: the largest automata of the patterns of Dwyer, Avrunin, Corbett.
func TestConstrainedChains(t *testing.T) {
	atom := temporal.Atom
	not := temporal.Not
	const p, q, r, s, x, z = 0, 1, 2, 3, 4, 5
	letters, steps := lettersOf(6)
	chain := func(inner, last *temporal.Formula) *temporal.Formula {
		response := temporal.Implies(atom(p), temporal.Until(not(atom(r)), inner))
		return temporal.Always(temporal.Implies(atom(q), temporal.Until(response,
			temporal.Or(atom(r), temporal.Always(temporal.Implies(atom(p), last))))))
	}
	for name, f := range map[string]*temporal.Formula{
		"S, T responds to P after Q until R": chain(
			temporal.And(atom(s), not(atom(r)), temporal.Next(temporal.Until(not(atom(r)), atom(x)))),
			temporal.And(atom(s), temporal.Next(temporal.Eventually(atom(x))))),
		"S, T without Z responds to P after Q until R": chain(
			temporal.And(atom(s), not(atom(r)), not(atom(z)), temporal.Next(temporal.Until(temporal.And(not(atom(r)), not(atom(z))), atom(x)))),
			temporal.And(atom(s), not(atom(z)), temporal.Next(temporal.Until(not(atom(z)), atom(x))))),
	} {
		if !randomlts.Whole() && strings.Contains(name, "without Z") {
			continue // the other one takes a tenth of the time
		}
		bound, err := temporal.Bind(context.Background(), letters, f, steps, property.KindLTL, "")
		if err != nil {
			t.Fatal(err)
		}
		if all, _ := bound.Acceptance().Colours(); bound.States() > 8 || all.Len() > 3 {
			t.Errorf("%s has %d states and %d colours", name, bound.States(), all.Len())
		}
	}
}
