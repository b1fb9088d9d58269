package inevtest

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestDifference: the marked lines are both texts, with as few marks as possible, and what is left out is equal in both.
func TestDifference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.SampledFrom([]string{"a", "b", "c", ""})
		a := rapid.SliceOfN(line, 1, 12).Draw(t, "a")
		b := rapid.SliceOfN(line, 1, 12).Draw(t, "b")
		var first, second []string
		marked := 0
		for _, one := range editLines(a, b) {
			if one.mark != '+' {
				first = append(first, one.text)
			}
			if one.mark != '-' {
				second = append(second, one.text)
			}
			if one.mark != ' ' {
				marked++
			}
		}
		if !slices.Equal(first, a) || !slices.Equal(second, b) {
			t.Fatalf("%q and %q are shown as %q and %q", a, b, first, second)
		}
		if fewest := edits(a, b); marked != fewest {
			t.Fatalf("%q and %q: %d lines are marked, and %d differ", a, b, marked, fewest)
		}
		shown := difference(strings.Join(a, "\n"), strings.Join(b, "\n"))
		if got := strings.Count("\n"+shown, "\n-") + strings.Count("\n"+shown, "\n+"); got != marked {
			t.Fatalf("%d of %d marked lines are shown:\n%s", got, marked, shown)
		}
	})
}

// edits returns the fewest lines that are removed and added to make b of a.
func edits(a, b []string) int {
	switch {
	case len(a) == 0 || len(b) == 0:
		return len(a) + len(b)
	case a[0] == b[0]:
		return edits(a[1:], b[1:])
	}
	return 1 + min(edits(a[1:], b), edits(a, b[1:]))
}

// TestDifferenceLeavesEqualLinesOut: of a long text, a reader sees the lines that differ, and where they stand.
func TestDifferenceLeavesEqualLinesOut(t *testing.T) {
	want := strings.Repeat("same\n", 100) + "ACK\n" + strings.Repeat("same\n", 100)
	got := strings.Replace(want, "ACK", "DROP", 1)
	if shown, expected := difference(want, got), "line 99:\n  same\n  same\n- ACK\n+ DROP\n  same\n  same\n"; shown != expected {
		t.Errorf("%q, want %q", shown, expected)
	}
}
