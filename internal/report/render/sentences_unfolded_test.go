package render_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// aboutHistories matches what a report says about deciding states with and without histories.
var aboutHistories = regexp.MustCompile(`There is no deciding state, with their histories told apart or not|With their histories told apart, there (?:is|are) [^;]+; without, [0-9 and]+`)

// decidingStates counts the states of a model that decide, and those from which a run takes a step.
func decidingStates(m *lts.LTS, steps []map[lts.Label]bool, run []lts.State) (all, onRun int, err error) {
	o, err := oracle.New(m, steps)
	if err != nil {
		return 0, 0, err
	}
	found := o.Neighbourhoods(oracle.All)
	slices.Sort(run)
	for _, s := range slices.Compact(run) {
		if _, decides := found[s]; decides {
			onRun++
		}
	}
	return len(found), onRun, nil
}

// toldApart returns the sentence about these numbers of deciding states: all, and those on the run, first of the
// unfolded model, then of the model itself.
func toldApart(unfolded, unfoldedOnRun, all, onRun int) string {
	if unfolded+all == 0 {
		return "There is no deciding state, with their histories told apart or not"
	}
	text := fmt.Sprintf("With their histories told apart, there are %d deciding states", unfolded)
	switch {
	case unfolded == 1 && unfoldedOnRun == 1:
		text = "With their histories told apart, there is 1 deciding state, which is on this run"
	case unfolded == 1:
		text = "With their histories told apart, there is 1 deciding state, which is not on this run"
	case unfolded > 1:
		text += fmt.Sprintf(", %d of them on this run", unfoldedOnRun)
	}
	if unfolded == 0 || all == 0 {
		return fmt.Sprintf("%s; without, %d", text, all)
	}
	return fmt.Sprintf("%s; without, %d and %d", text, all, onRun)
}

// TestDecidingStatesWithHistories: the numbers of deciding states of an unfolded model, and of the model itself,
// are those of the oracle. They are not called decisions: at some of these states the run chose well.
func TestDecidingStatesWithHistories(t *testing.T) {
	cases := uint64(1500)
	if !randomlts.Whole() {
		cases /= 10
	}
	met := map[string]int{}
	for seed := range cases {
		c := randomlts.Seeded(seed, randomlts.Size{States: 6, Transitions: 10, Labels: 3, Steps: 3})
		e, err := explain.Explain(t.Context(), c.Model, parseAny(t, c.Formula), explain.Options{Unfold: true})
		if err != nil {
			t.Fatal(err)
		}
		if e.Counterexample == nil {
			continue
		}
		var report strings.Builder
		if err := newWriter(t, "text", render.Options{Width: 10000}).Explanation(&report, e); err != nil {
			t.Fatal(err)
		}
		said := aboutHistories.FindString(report.String())
		if said == "" {
			continue // no run satisfies the property, and no state decides
		}
		var run, folded []lts.State
		for _, s := range e.Counterexample.Steps {
			run = append(run, s.From)
			name, _, _ := strings.Cut(e.Name(s.From), "·")
			state, err := strconv.Atoi(name)
			if err != nil {
				t.Fatal(err)
			}
			folded = append(folded, lts.State(state))
		}
		unfolded, unfoldedOnRun, err := decidingStates(e.LTS(), c.Steps, run)
		if err != nil {
			t.Fatal(err)
		}
		all, onRun, err := decidingStates(c.Model, c.Steps, folded)
		if err != nil {
			t.Fatal(err)
		}
		if want := toldApart(unfolded, unfoldedOnRun, all, onRun); said != want {
			t.Fatalf("seed %d, %s:\n%s\nit says  %s\nexpected %s", seed, c.Formula, c, said, want)
		}
		met[fmt.Sprintf("%d, and %d without", min(unfolded, 2), min(all, 2))]++
		if unfoldedOnRun > len(e.Decisions) {
			met["more than decisions"]++
		}
	}
	t.Log(met)
	if randomlts.Whole() && (met["2, and 0 without"] == 0 || met["more than decisions"] == 0) {
		t.Errorf("some numbers were not met: %v", met)
	}
}

// TestNoDecidingStates: a model without deciding states has one sentence about that, and no numbers.
func TestNoDecidingStates(t *testing.T) {
	m, _, err := aut.Read(t.Context(), strings.NewReader("des (0, 3, 2)\n(0, A, 1)\n(1, B, 0)\n(1, C, 1)\n"), aut.Options{Name: "m.aut"})
	if err != nil {
		t.Fatal(err)
	}
	e, err := explain.Explain(t.Context(), m, parseAny(t, "Response(A; B)"), explain.Options{Unfold: true})
	if err != nil {
		t.Fatal(err)
	}
	var report strings.Builder
	if err := newWriter(t, "text", render.Options{Width: 10000}).Explanation(&report, e); err != nil {
		t.Fatal(err)
	}
	if said, want := aboutHistories.FindString(report.String()), toldApart(0, 0, 0, 0); said != want {
		t.Errorf("it says %q, expected %q:\n%s", said, want, report.String())
	}
}

// TestSamePlacesAreJoined: labels that are forbidden everywhere are named together, though some are possible only
// after a step of the property.
func TestSamePlacesAreJoined(t *testing.T) {
	var lines []string
	for s := range 10 {
		label := "next"
		if s == 4 {
			label = "P"
		}
		lines = append(lines, fmt.Sprintf("(%d, %s, %d)", s, label, s+1), fmt.Sprintf("(%d, X, %d)", s, 12+s), fmt.Sprintf("(%d, X, 22)", 12+s), fmt.Sprintf("(%d, Y, 22)", 12+s))
		if s > 4 {
			lines = append(lines, fmt.Sprintf("(%d, Y, %d)", s, 12+s))
		}
	}
	lines = append(lines, "(10, C, 11)")
	text := fmt.Sprintf("des (0, %d, 23)\n%s\n", len(lines), strings.Join(lines, "\n"))
	m, _, err := aut.Read(t.Context(), strings.NewReader(text), aut.Options{Name: "m.aut"})
	if err != nil {
		t.Fatal(err)
	}
	for _, unfold := range []bool{false, true} {
		e, err := explain.Explain(t.Context(), m, parseAny(t, "Inev(P, C)"), explain.Options{Unfold: unfold})
		if err != nil {
			t.Fatal(err)
		}
		var report strings.Builder
		if err := newWriter(t, "text", render.Options{Width: 10000}).Explanation(&report, e); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(report.String(), "Forbid X and Y everywhere") {
			t.Errorf("unfolded %t:\n%s", unfold, report.String())
		}
	}
}
