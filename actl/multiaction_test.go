package actl_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/lts"
)

func TestParts(t *testing.T) {
	for label, want := range map[string]string{
		"a|b": "a b", "set_flag(0,true)|wish(0)": "set_flag(0,true) wish(0)", "a(1, 2) | b|c'": "a(1,2) b c'",
		"a": "", "a(x|y)": "", "a||b": "", "|a": "", "a|": "", "a|b)": "", "(a|b)": "", "a(|b": "", "a [1]|b": "", "a({1|2})|b": "a({1|2}) b",
		`a("x|y")|b`: `a("x|y") b`, `a("x|b`: "", "PUT !1|2": "", "a-b|c": "", "a(1)(2)|c": "", "ä|b(f([1]))": "ä b(f([1]))", "a([)]|b": "",
	} {
		if got := strings.Join(actl.Parts(label), " "); got != want {
			t.Errorf("%s has the parts %q, want %q", label, got, want)
		}
	}
}

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
