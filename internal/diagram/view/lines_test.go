package view

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/inev-lts/inev/lts"
)

func TestBlankLabelsAreQuoted(t *testing.T) {
	for text, want := range map[string]string{"": `""`, " ": `" "`, "x ": `"x "`, "x y": "x y"} {
		got := (&Graph{}).Lines(Arrow{Labels: []Label{{text, 1}}}, LabelLength)
		if len(got) != 1 || got[0] != want {
			t.Errorf("label %q is shown as %q, want %q", text, got, want)
		}
	}
}

func TestStepNumbers(t *testing.T) {
	for want, steps := range map[string][]int{
		"3":                {3},
		"1, 2":             {1, 2},
		"1–3":              {1, 2, 3},
		"1–3, 5, 7, 8":     {1, 2, 3, 5, 7, 8},
		"1, 3, 5, 7, 9, …": {1, 3, 5, 7, 9, 11},
		"1, 3, 5, 7, 9–12": {1, 3, 5, 7, 9, 10, 11, 12},
		"1–3, 5–7, 9, 8":   {1, 2, 3, 5, 6, 7, 9, 8},
	} {
		if got := stepNumbers(Arrow{Mark: Mark{Steps: steps}}); got != want {
			t.Errorf("steps %v are shown as %q, want %q", steps, got, want)
		}
	}
	if got := stepNumbers(Arrow{Mark: Mark{Steps: []int{4}, Loop: true}}); got != "↻ 4" {
		t.Errorf("a step of the loop is shown as %q", got)
	}
	if got := strings.Join((&Graph{}).Lines(Arrow{Mark: Mark{Steps: []int{3}, NoReturn: true}, Labels: []Label{{"A", 2}, {"B", 1}}, More: 4}, LabelLength), "|"); got != "3: A (2 times)|B|… 4 more|point of no return" {
		t.Errorf("label lines %q", got)
	}
	if got := strings.Join((&Graph{}).Lines(Arrow{Mark: Mark{Loop: true}, Labels: []Label{{"A", 2}, {"B", 1}}, More: 4}, LabelLength), "|"); got != "↻ A (2 times)|↻ B|… 4 more" {
		t.Errorf("label lines on loops without numbers %q", got)
	}
}

// TestLinesAreFew: next to an arrow are at most maxLines lines of labels and one that counts the transitions
// of the others, so that all are accounted for; --full has every label.
func TestLinesAreFew(t *testing.T) {
	long := regexp.MustCompile(`label\d+\(an argument of some length, and more\)`)
	counted := regexp.MustCompile(`… (\d+) more`)
	for _, view := range []struct {
		kind     Kind
		branches int
	}{{Quotient, 30}, {Excerpt, 30}, {Quotient, 3}, {Excerpt, 3}} {
		var b lts.Builder
		const round = 20
		label := func(i int) lts.Label {
			return b.Label(fmt.Sprintf("label%d(an argument of some length, and more)", i))
		}
		for s := range lts.State(round) { // the loop of the counterexample, whose states mean the same
			b.Add(s, label(int(s)), (s+1)%round)
			for i := range view.branches {
				b.Add(s, label(100+i), round)
			}
		}
		m, err := b.Build(0, round+1)
		if err != nil {
			t.Fatal(err)
		}
		e := explained(t, m, "", `Inev(/label1\d\d.*/)`)
		for _, full := range []bool{false, true} {
			g, err := Of(context.Background(), e, Options{Kind: view.kind, Full: full})
			if err != nil {
				t.Fatal(err)
			}
			drawn, left := 0, 0
			for _, a := range g.Arrows {
				lines := g.Lines(a, LabelLength)
				text := strings.Join(lines, "\n")
				drawn += len(long.FindAllString(text, -1))
				if more := counted.FindStringSubmatch(text); more != nil {
					n, _ := strconv.Atoi(more[1])
					left += n
				}
				if len(lines) > maxLines+1 && !full {
					t.Errorf("%v: %d lines at %d to %d", view, len(lines), a.From, a.To)
				}
			}
			want := g.Shown.Transitions
			if view.kind == Quotient { // an arrow stands for all transitions of a class between two states
				want = round + view.branches
			}
			if drawn+left != want {
				t.Errorf("%v: %d labels and %d more of %d", view, drawn, left, want)
			}
			if full && left > 0 {
				t.Errorf("%v: in full, %d transitions have no label", view, left)
			}
			note := fmt.Sprintf("does not name %d transition", left)
			if left > 0 && !strings.Contains(strings.Join(g.Notes, "; "), note) {
				t.Errorf("%v: no note %q in %q", view, note, g.Notes)
			}
		}
	}
}
