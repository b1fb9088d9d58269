package view

import (
	"strings"
	"testing"
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
