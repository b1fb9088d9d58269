package actl_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/lts"
)

// blanked is a text of a multi-action: its parts in some order, with some blanks.
func blanked(t *rapid.T, parts []string) string {
	blank := func() string { return rapid.SampledFrom([]string{"", " ", "  "}).Draw(t, "blanks") }
	var texts []string
	for _, part := range rapid.Permutation(parts).Draw(t, "order") {
		texts = append(texts, blank()+strings.ReplaceAll(part, ",", ","+blank())+blank())
	}
	return strings.TrimSpace(strings.Join(texts, "|"))
}

// TestMultiActionsMatchByTheirParts compares what matches, and what is bound, with the
// definition: the same parts, or where parts count some part.
func TestMultiActionsMatchByTheirParts(t *testing.T) {
	actions := []string{"a", "b(1)", "c(1,2)", "a(f(1),2)", "d"}
	draw := func(t *rapid.T) []string {
		return rapid.SliceOfN(rapid.SampledFrom(actions), 1, 3).Draw(t, "parts")
	}
	rapid.Check(t, func(t *rapid.T) {
		wanted := draw(t)
		ctx, count := context.Background(), rapid.Bool().Draw(t, "parts count")
		if count {
			ctx = actl.WithParts(ctx)
		}
		text := blanked(t, wanted)
		if rapid.Bool().Draw(t, "quoted") {
			text = actl.Quoted(strings.Join(rapid.Permutation(wanted).Draw(t, "order"), "|"))
		}
		f, err := actl.Parse(ctx, "Inev({"+text+", none})")
		if err != nil {
			t.Fatal(err)
		}
		isName := len(wanted) == 1 && !strings.Contains(wanted[0], "(") && text[0] != '"'
		var texts []string
		matches := map[string]bool{}
		for range 6 {
			parts := draw(t)
			label := strings.Join(parts, "|")
			if len(parts) > 1 {
				label = blanked(t, parts)
			}
			if slices.Contains(texts, label) {
				continue
			}
			texts = append(texts, label)
			sorted := func(s []string) string { return strings.Join(slices.Sorted(slices.Values(s)), "|") }
			matches[label] = sorted(parts) == sorted(wanted)
			for _, part := range parts {
				is := part == wanted[0] || isName && strings.HasPrefix(part, wanted[0]+"(")
				if len(wanted) == 1 && (count || len(parts) == 1) && is {
					matches[label] = true
				}
			}
		}
		a, err := lts.NewAlphabet(texts)
		if err != nil {
			t.Fatal(err)
		}
		p, _, err := f.Bind(ctx, a)
		if err != nil {
			t.Fatal(err)
		}
		chain, _ := p.Chain()
		for l, label := range a.All() {
			if got := slices.Contains(chain.Step(1).Labels, l); got != matches[label] || f.Steps()[0].Matches(label) != got {
				t.Fatalf("%s is bound to %q: %t, and matches: %t", text, label, got, f.Steps()[0].Matches(label))
			}
		}
	})
}

// TestPartsAreHintedAt: an action that is only a part of multi-actions is not called unknown.
func TestPartsAreHintedAt(t *testing.T) {
	a, err := lts.NewAlphabet([]string{"wash", "set_flag(0,true)|wish(0)"})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"wish", "wish(0)", `"wish(0)"`} {
		f, err := actl.Parse(context.Background(), "Inev("+text+")")
		if err != nil {
			t.Fatal(err)
		}
		err = f.Unmatched(context.Background(), a)
		if err == nil || !strings.Contains(err.Error(), `a part of the multi-action "set_flag(0,true)|wish(0)"`) {
			t.Errorf("%s: %v", text, err)
		}
		if f, err = actl.Parse(actl.WithParts(context.Background()), "Inev("+text+")"); err != nil || f.Unmatched(context.Background(), a) != nil {
			t.Errorf("%s matches no part", text)
		}
	}
}

// TestUnmatchedMultiActionsAreCounted: a pattern that matches labels of the model is said to miss exactly the multi-actions
// that it would match if parts counted.
func TestUnmatchedMultiActionsAreCounted(t *testing.T) {
	actions := []string{"a", "b(1)", "a(1)", "c(1,2)", "d"}
	met := map[bool]int{}
	rapid.Check(t, func(t *rapid.T) {
		drawn := rapid.SliceOfNDistinct(rapid.SliceOfN(rapid.SampledFrom(actions), 1, 3), 1, 8, func(parts []string) string {
			return strings.Join(parts, "|")
		}).Draw(t, "labels")
		texts := make([]string, len(drawn))
		for i, parts := range drawn {
			texts[i] = strings.Join(parts, "|")
		}
		a, err := lts.NewAlphabet(texts)
		if err != nil {
			t.Fatal(err)
		}
		text := rapid.SampledFrom([]string{"a", "d", "a(1)", `"a"`, "c(1, 2)", "a|d"}).Draw(t, "pattern")
		alone, err := actl.Parse(context.Background(), "Inev("+text+")")
		if err != nil {
			t.Fatal(err)
		}
		byParts, err := actl.Parse(actl.WithParts(context.Background()), "Inev("+text+")")
		if err != nil {
			t.Fatal(err)
		}
		matches, missed := 0, 0
		for _, label := range texts {
			switch {
			case alone.Steps()[0].Matches(label):
				matches++
			case byParts.Steps()[0].Matches(label):
				missed++
			}
		}
		_, warnings, err := alone.Bind(context.Background(), a)
		if err != nil {
			t.Fatal(err)
		}
		said := strings.Join(warnings, "\n")
		want := ""
		switch {
		case matches == 0 || missed == 0:
		case missed == 1:
			want = "does not match the multi-action"
		default:
			want = fmt.Sprintf("does not match %d multi-actions", missed)
		}
		met[want != ""]++
		if matches > 0 && strings.Contains(said, "multi-action") != (want != "") || !strings.Contains(said, want) {
			t.Fatalf("%s in %q: %q, want %q", text, texts, said, want)
		}
	})
	if met[true] == 0 || met[false] == 0 {
		t.Errorf("drawn: %v", met)
	}
}
