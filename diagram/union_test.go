package diagram

import (
	"bytes"
	"context"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/lts"
)

// together returns the options that draw all shortest counterexamples.
func together(t *testing.T, e *explain.Explanation, view View) Options {
	t.Helper()
	enriched, _ := e.Map().Fates().Enriched()
	all, err := counterexample.AllShortest(context.Background(), enriched.Components(), enriched.Property())
	if err != nil {
		t.Fatal(err)
	}
	o := Options{View: view, All: all}
	if all != nil {
		if o.AllCount, err = all.Count(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	return o
}

// ways has four shortest counterexamples, of 3 transitions: by state 1 to a
// deadlock or round 3 for ever, and by 2, from where two labels lead on to 7.
// State 1 is a neighbourhood.
func ways(t *testing.T) *lts.LTS {
	return model(t, 9, edge{0, "LEFT", 1}, edge{0, "RIGHT", 2}, edge{1, "STOP", 4}, edge{1, "TURN", 3}, edge{1, "DONE", 6},
		edge{2, "LOSE", 7}, edge{2, "DROP", 7}, edge{7, "END", 8}, edge{3, "TICK", 3}, edge{4, "HALT", 5}, edge{6, "REST", 6})
}

// manyWays has width disjoint counterexamples of length steps each, from one
// state, and a neighbourhood at the second state of each.
func manyWays(t *testing.T, width, length int) *lts.LTS {
	var edges []edge
	for i := range width {
		first := 2 + i*length
		edges = append(edges, edge{0, "go" + strconv.Itoa(i), first}, edge{first, "DONE", 1})
		for j := 1; j < length; j++ {
			edges = append(edges, edge{first + j - 1, "step", first + j})
		}
	}
	return model(t, 2+width*length, edges...)
}

func arrowsOnRun(p *picture) []string {
	var found []string
	for _, a := range p.arrows {
		if a.onRun {
			found = append(found, fmt.Sprintf("%d %s %d", a.from, strings.Join(p.labelLines(a), "|"), a.to))
		}
	}
	return found
}

func TestUnionIsThick(t *testing.T) {
	e := explained(t, ways(t), "", "Inev(DONE)")
	want := []string{"0 LEFT 1", "0 RIGHT 2", "1 STOP 4", "1 TURN 3", "2 LOSE|DROP 7", "3 ↻ TICK 3", "4 HALT 5", "7 END 8"}
	for _, v := range []View{Whole, Excerpt} {
		p := view(t, e, together(t, e, v))
		got := arrowsOnRun(p)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("view %d: thick are %q, want %q", v, got, want)
		}
		for _, a := range p.arrows {
			if a.noReturn || a.closing || len(a.steps) > 0 {
				t.Errorf("view %d: %d to %d is marked as in one counterexample: %+v", v, a.from, a.to, a.mark)
			}
		}
		for _, n := range p.nodes {
			if n.onRun != (n.state != 6) {
				t.Errorf("view %d: state %d is on a counterexample: %v", v, n.state, n.onRun)
			}
		}
		if p.onUnion != 9 || p.union.transitions != 9 {
			t.Errorf("view %d: %d of %d transitions shown, want 9 of 9", v, p.onUnion, p.union.transitions)
		}
	}
}

func TestExcerptOfAUnionShowsItsDecisions(t *testing.T) {
	// The shortest counterexamples have 2 steps; the first one goes by state 1.
	e := explained(t, model(t, 7, edge{0, "A", 1}, edge{1, "B", 3}, edge{0, "C", 2}, edge{2, "D", 4}, edge{2, "DONE", 5}, edge{5, "E", 6}), "", "Inev(DONE)")
	single := view(t, e, Options{View: Excerpt})
	if slices.Contains(single.numbers(), 5) {
		t.Fatal("the counterexample goes by state 2 already")
	}
	p := view(t, e, together(t, e, Excerpt))
	if got, want := p.numbers(), []int{0, 1, 3, 2, 4, 5}; !slices.Equal(got, want) {
		t.Errorf("states %v, want %v", got, want)
	}
	for _, n := range p.nodes {
		if (n.kind != 0) != (n.state == 2 || n.state == 0) {
			t.Errorf("state %d has kind %v", n.state, n.kind)
		}
	}
	if stubOf(p, 5, false) != 1 {
		t.Errorf("stubs %v, want one at 5", p.stubs)
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
	if want := 30 + maxOthers; p.onUnion != want || p.union.transitions != 1200 {
		t.Errorf("%d of %d transitions shown, want %d of 1200", p.onUnion, p.union.transitions, want)
	}
	// Of the fan at state 0 the first counterexample takes one more.
	if got := stubOf(p, 0, false); got != 40-1-maxFan {
		t.Errorf("%d left out at 0, want %d", got, 40-1-maxFan)
	}
	lines := captionLines(p)
	if want := fmt.Sprintf("%d of 1200 transitions on them shown", p.onUnion); !slices.Contains(lines, want) {
		t.Errorf("caption %q does not say %q", lines, want)
	}
	checkComplete(t, e.LTS(), p)
}

func TestLongUnionHasGaps(t *testing.T) {
	e := explained(t, manyWays(t, 2, 100), "", "Inev(DONE)")
	p := view(t, e, together(t, e, Excerpt))
	if len(p.gaps) == 0 || p.onUnion < 100 || p.onUnion >= 200 {
		t.Errorf("%d gaps, %d transitions shown", len(p.gaps), p.onUnion)
	}
	checkComplete(t, e.LTS(), p)
}

func TestUnionWhereThePropertyHolds(t *testing.T) {
	e := explained(t, model(t, 2, edge{0, "A", 1}), "", "Inev(A)")
	foreign := together(t, explained(t, ways(t), "", "Inev(DONE)"), Whole)
	for _, o := range []Options{together(t, e, Whole), foreign} {
		var with, without bytes.Buffer
		if err := DOT(&with, e, o); err != nil {
			t.Fatal(err)
		}
		if err := DOT(&without, e, Options{View: Whole}); err != nil {
			t.Fatal(err)
		}
		if with.String() != without.String() {
			t.Error("All changes a picture without a counterexample")
		}
	}
}

func TestUnionOfAnotherModel(t *testing.T) {
	e := explained(t, model(t, 3, edge{0, "LEFT", 1}, edge{0, "RIGHT", 2}), "", "Inev(DONE)")
	var b bytes.Buffer
	err := DOT(&b, e, together(t, explained(t, ways(t), "", "Inev(DONE)"), Excerpt))
	if err == nil || !strings.Contains(err.Error(), "another model") || b.Len() > 0 {
		t.Errorf("error is %v after %d bytes", err, b.Len())
	}
	few := explained(t, model(t, 1), "", "Inev(DONE)")
	if err := DOT(&b, few, together(t, e, Excerpt)); err == nil {
		t.Error("transitions of states that the model does not have are accepted")
	}
}

// A transition that stands in the model twice is on the counterexamples once.
func TestUnionWithDuplicates(t *testing.T) {
	e := explained(t, model(t, 2, edge{0, "A", 1}, edge{0, "A", 1}, edge{0, "B", 1}), "", "Inev(DONE)")
	p := view(t, e, together(t, e, Excerpt))
	if got, want := arrowsOnRun(p), []string{"0 A (2 times)|B 1"}; !slices.Equal(got, want) || p.onUnion != 2 {
		t.Errorf("thick are %q with %d transitions, want %q with 2", got, p.onUnion, want)
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

// unfolded is explained with its histories told apart: state 1 is reached with and
// without A, and decides something else each time.
func unfolded(t *testing.T) *explain.Explanation {
	t.Helper()
	m := model(t, 6, edge{0, "A", 1}, edge{0, "X", 1}, edge{1, "B", 2}, edge{1, "Y", 0}, edge{1, "C", 3}, edge{2, "STAY", 2}, edge{5, "GONE", 4})
	f, err := actl.Parse("Inev(A, B)")
	if err != nil {
		t.Fatal(err)
	}
	e, err := explain.Explain(context.Background(), m, f, explain.Options{File: "histories.aut", Unfold: true})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestUnfoldedStatesAreNamed(t *testing.T) {
	e := unfolded(t)
	for _, v := range []View{Whole, Excerpt} {
		p := view(t, e, Options{View: v})
		for _, n := range p.nodes {
			if n.name != e.Name(n.state) || !strings.Contains(n.name, "·") {
				t.Errorf("state %d is shown as %q, want %q", n.state, n.name, e.Name(n.state))
			}
		}
	}
	var b bytes.Buffer
	if err := DOT(&b, e, Options{View: Excerpt}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`label="0·0`, `tooltip="state 0·0, initial`, `tooltip="0·0 to 1·`, "that leave state ", "unfolded: states are state·progress"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the picture does not hold %q:\n%s", want, b.String())
		}
	}
}
