package view

import (
	"context"
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/testing/oracle/specimens"
)

// together returns the options that show all shortest counterexamples.
func together(t *testing.T, e *explain.Explanation, kind Kind) Options {
	t.Helper()
	all, count := specimens.Together(t, e)
	return Options{Kind: kind, All: all, AllCount: count}
}

func arrowsOnRun(p *Graph) []string {
	var found []string
	for _, a := range p.Arrows {
		if a.OnRun {
			found = append(found, fmt.Sprintf("%d %s %d", a.From, strings.Join(p.Lines(a, LabelLength), "|"), a.To))
		}
	}
	return found
}

func TestUnionIsThick(t *testing.T) {
	e := explained(t, ways(t), "", "Inev(DONE)")
	want := []string{"0 LEFT 1", "0 RIGHT 2", "1 STOP 4", "1 TURN 3", "2 LOSE|DROP 7", "3 ↻ TICK 3", "4 HALT 5", "7 END 8"}
	for _, v := range []Kind{Whole, Excerpt} {
		p := view(t, e, together(t, e, v))
		got := arrowsOnRun(p)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("view %d: thick are %q, want %q", v, got, want)
		}
		for _, a := range p.Arrows {
			if a.NoReturn || a.Closing || len(a.Steps) > 0 {
				t.Errorf("view %d: %d to %d is marked as in one counterexample: %+v", v, a.From, a.To, a.Mark)
			}
		}
		for _, n := range p.Nodes {
			if n.OnRun != (n.State != 6) {
				t.Errorf("view %d: state %d is on a counterexample: %v", v, n.State, n.OnRun)
			}
		}
		if p.OnUnion != 9 || p.Union.Transitions != 9 {
			t.Errorf("view %d: %d of %d transitions shown, want 9 of 9", v, p.OnUnion, p.Union.Transitions)
		}
	}
}

func TestExcerptOfAUnionShowsItsDecisions(t *testing.T) {
	// The shortest counterexamples have 2 steps; the first one goes by state 1.
	e := explained(t, model(t, 7, edge{0, "A", 1}, edge{1, "B", 3}, edge{0, "C", 2}, edge{2, "D", 4}, edge{2, "DONE", 5}, edge{5, "E", 6}), "", "Inev(DONE)")
	single := view(t, e, Options{Kind: Excerpt})
	if slices.Contains(single.numbers(), 5) {
		t.Fatal("the counterexample goes by state 2 already")
	}
	p := view(t, e, together(t, e, Excerpt))
	if got, want := p.numbers(), []int{0, 1, 3, 2, 4, 5}; !slices.Equal(got, want) {
		t.Errorf("states %v, want %v", got, want)
	}
	for _, n := range p.Nodes {
		if (n.Kind != 0) != (n.State == 2 || n.State == 0) {
			t.Errorf("state %d has kind %v", n.State, n.Kind)
		}
	}
	if stubOf(p, 5) != 1 {
		t.Errorf("stubs %v, want one at 5", p.Stubs)
	}
}

func TestExcerptOfAUnionShowsExitsOfEveryLoop(t *testing.T) {
	e := explained(t, model(t, 5, edge{0, "A", 1}, edge{0, "B", 2}, edge{1, "LOOP", 1}, edge{2, "LOOP", 2}, edge{2, "LEAVE", 3}, edge{3, "DONE", 4}), "", "Inev(DONE)")
	p := view(t, e, together(t, e, Excerpt))
	if !slices.Contains(p.numbers(), 3) {
		t.Errorf("states %v lack the exit to 3", p.numbers())
	}
}

func TestLargeUnionIsCut(t *testing.T) {
	e := explained(t, manyWays(t, 40, 30), "", "Inev(DONE)")
	p := view(t, e, together(t, e, Excerpt))
	if want := 30 + maxOthers; p.OnUnion != want || p.Union.Transitions != 1200 {
		t.Errorf("%d of %d transitions shown, want %d of 1200", p.OnUnion, p.Union.Transitions, want)
	}
	// Of the fan at state 0 the first counterexample takes one more.
	if got := stubOf(p, 0); got != 40-1-maxAround {
		t.Errorf("%d left out at 0, want %d", got, 40-1-maxAround)
	}
	checkComplete(t, e.LTS(), p)
}

func TestLongUnionHasGaps(t *testing.T) {
	e := explained(t, manyWays(t, 2, 100), "", "Inev(DONE)")
	p := view(t, e, together(t, e, Excerpt))
	if len(p.Gaps) == 0 || p.OnUnion < 100 || p.OnUnion >= 200 {
		t.Errorf("%d gaps, %d transitions shown", len(p.Gaps), p.OnUnion)
	}
	checkComplete(t, e.LTS(), p)
}

func TestUnionWhereThePropertyHolds(t *testing.T) {
	e := explained(t, model(t, 2, edge{0, "A", 1}), "", "Inev(A)")
	e.Reasons = nil // there is no slowest run to be shown
	foreign := together(t, explained(t, ways(t), "", "Inev(DONE)"), Whole)
	for _, o := range []Options{together(t, e, Whole), foreign} {
		with, without := view(t, e, o), view(t, e, Options{Kind: Whole})
		if !reflect.DeepEqual(with, without) {
			t.Error("All changes a view without a counterexample")
		}
	}
}

func TestUnionOfAnotherModel(t *testing.T) {
	e := explained(t, model(t, 3, edge{0, "LEFT", 1}, edge{0, "RIGHT", 2}), "", "Inev(DONE)")
	_, err := Of(context.Background(), e, together(t, explained(t, ways(t), "", "Inev(DONE)"), Excerpt))
	if err == nil || !strings.Contains(err.Error(), "another model") {
		t.Errorf("error is %v", err)
	}
	few := explained(t, model(t, 1), "", "Inev(DONE)")
	if _, err := Of(context.Background(), few, together(t, e, Excerpt)); err == nil {
		t.Error("transitions of states that the model does not have are accepted")
	}
}

// A transition that stands in the model twice is on the counterexamples once.
func TestUnionWithDuplicates(t *testing.T) {
	e := explained(t, model(t, 2, edge{0, "A", 1}, edge{0, "A", 1}, edge{0, "B", 1}), "", "Inev(DONE)")
	p := view(t, e, together(t, e, Excerpt))
	if got, want := arrowsOnRun(p), []string{"0 A (2 times)|B 1"}; !slices.Equal(got, want) || p.OnUnion != 2 {
		t.Errorf("thick are %q with %d transitions, want %q with 2", got, p.OnUnion, want)
	}
}

func TestHowMany(t *testing.T) {
	huge := new(big.Int).Exp(big.NewInt(2), big.NewInt(100), nil)
	for want, n := range map[string]*big.Int{
		"all shortest counterexamples":                        nil,
		"1 shortest counterexample":                           big.NewInt(1),
		"999 shortest counterexamples":                        big.NewInt(999),
		"1,000 shortest counterexamples":                      big.NewInt(1000),
		"123,456 shortest counterexamples":                    big.NewInt(123456),
		"18,446,744,073,709,551,616 shortest counterexamples": new(big.Int).Exp(big.NewInt(2), big.NewInt(64), nil),
		"about 1.27e+30 shortest counterexamples":             huge,
	} {
		if got := howMany(n); got != want {
			t.Errorf("%v: %q, want %q", n, got, want)
		}
	}
}

func TestUnfoldedStatesAreNamed(t *testing.T) {
	e := unfolded(t)
	for _, v := range []Kind{Whole, Excerpt} {
		p := view(t, e, Options{Kind: v})
		for _, n := range p.Nodes {
			if n.Name != e.Name(n.State) || !strings.Contains(n.Name, "·") {
				t.Errorf("state %d is shown as %q, want %q", n.State, n.Name, e.Name(n.State))
			}
		}
	}
}
