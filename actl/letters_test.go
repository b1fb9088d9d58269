package actl_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/actl"
)

// TestLettersAreWhatLabelsMatch compares letters with the sets of patterns that labels match:
// each label has a letter, and without globs and regular expressions, or with those of which
// it is known, each letter a label.
func TestLettersAreWhatLabelsMatch(t *testing.T) {
	labels := []string{
		"A", "A !1", "A(1)", "A(1,2)", "A(1, 2)", "A(1,  2)", " A(1,2)", "B", "B !1", "B(1)", "C", "AB", "AB 1", "A(7)|B", "A|B", "other", "", "A(1)|B(2)", "B(2)|A(1)", "AC x", "ABC", "A 9", "B 9", "AB(9)", " A(1)",
	}
	known := []string{"A", "B", `"A"`, `"A !1"`, "A(1,2)", `"A(1, 2)"`, "A(1)", `"C"`, "AB", "A*", "*", "/.*/", "B*", "AB*"}
	unknown := []string{"*1", "/^A/", "/B$/", "A?*", "?B"}
	rapid.Check(t, func(t *rapid.T) {
		pool := known
		exact := rapid.Bool().Draw(t, "exact")
		if !exact {
			pool = append(slices.Clone(known), unknown...)
		}
		var patterns []actl.Pattern
		for range rapid.IntRange(1, 4).Draw(t, "patterns") {
			members := rapid.SliceOfNDistinct(rapid.SampledFrom(pool), 1, 3, rapid.ID).Draw(t, "members")
			f, err := actl.Parse(context.Background(), "Inev({"+strings.Join(members, ", ")+"})")
			if err != nil {
				t.Fatal(err)
			}
			patterns = append(patterns, f.Steps()...)
		}
		l, err := actl.NewLetters(patterns)
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]bool{}
		for _, label := range labels {
			letter, is := l.Of(label)
			if !is {
				t.Fatalf("%q has no letter of %v", label, patterns)
			}
			found[fmt.Sprint(letter)] = true
			for i, step := range l.Steps() {
				if slices.Contains(step.Labels, letter) != patterns[i].Matches(label) {
					t.Fatalf("%q has letter %d of %v", label, letter, patterns)
				}
			}
		}
		if exact && len(found) != l.Alphabet().Len() {
			t.Fatalf("%v have %d letters, and labels %d", patterns, l.Alphabet().Len(), len(found))
		}
	})
}

// TestLettersOfMultiActions: where parts count, each multi-action has a letter.
func TestLettersOfMultiActions(t *testing.T) {
	f, err := actl.Parse(actl.WithParts(context.Background()), `Inev(A, B(1), {"C", A}, D*, "A|E")`)
	if err != nil {
		t.Fatal(err)
	}
	l, err := actl.NewLetters(f.Steps())
	if err != nil {
		t.Fatal(err)
	}
	for _, label := range []string{"A|B(1)", "C|A(2)", "D1|B(1)|A", "E|A", "A|E|C", "X|Y", "C|D"} {
		if _, is := l.Of(label); !is {
			t.Errorf("%s has no letter", label)
		}
	}
}

// TestLettersOfLargeSets: sets of many names have few letters.
func TestLettersOfLargeSets(t *testing.T) {
	var names []string
	for i := range 20_000 {
		names = append(names, fmt.Sprint("N", i))
	}
	f, err := actl.Parse(context.Background(), "Inev({"+strings.Join(names, ", ")+"}, N7)")
	if err != nil {
		t.Fatal(err)
	}
	l, err := actl.NewLetters(f.Steps())
	if err != nil || l.Alphabet().Len() != 3 {
		t.Fatalf("%v, %v", l, err)
	}
}
