package relabel

import (
	"context"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/lts"
)

func changedBy(t testing.TB, text string, rules map[Kind]string) (*lts.LTS, *Changed) {
	t.Helper()
	m, _, err := aut.Read(context.Background(), strings.NewReader(text), aut.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var c Changes
	for kind, text := range rules {
		r, err := ParseText(context.Background(), kind, text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		c.Set(r)
	}
	changed, err := c.Apply(context.Background(), m, "i")
	if err != nil {
		t.Fatal(err)
	}
	return m, changed
}

// TestUnmatchedRules: each rule that does nothing is named, with the label that was meant if it is near.
func TestUnmatchedRules(t *testing.T) {
	const model = "des (0,5,1)\n(0,\"SEND !1\",0)\n(0,RECV,0)\n(0,\"LOG !a\",0)\n(0,i,0)\n(0,\"PUT !1 !2\",0)\n"
	for _, test := range []struct {
		kind Kind
		text string
		want string
	}{
		{Hide, "RECV", ""},
		{Hide, "SEMD", "SEMD (did you mean SEND?) matches no label of the model"},
		{Hide, "RECV, SEMD, Log", "SEMD (did you mean SEND?) and Log (did you mean LOG?) match no label of the model"},
		{Hide, `RECV, "SEND !2"`, "SEND !2 (did you mean SEND !1?) matches no label of the model"},
		{Hide, "A1, B2, C3, D4, E5, RECV", "A1, B2, C3 and 2 more match no label of the model"},
		{Hide, "all but RECV, SEMD", "SEMD (did you mean SEND?) matches no label of the model"},
		{Hide, "QUITE, QUITE", "QUITE matches no label of the model"},
		{Hide, "SEND !3", "SEND !3 (did you mean SEND !1?) matches no label of the model"},
		{Rename, "RECV -> GET, PUTT -> SET", "PUTT (did you mean PUT?) matches no label of the model"},
		{Cut, "i", ""},
	} {
		_, changed := changedBy(t, model, map[Kind]string{test.kind: test.text})
		got := ""
		for _, u := range changed.Unmatched {
			got += u.Sentence()
		}
		if got != test.want {
			t.Errorf("%s %s: %q, want %q", test.kind, test.text, got, test.want)
		}
	}
	_, changed := changedBy(t, "des (0,1,1)\n(0,tau,0)\n", map[Kind]string{Hide: "i"})
	if len(changed.Unmatched) != 1 || changed.Unmatched[0].Meant[0] != "tau" {
		t.Errorf("i, where the internal action is tau: %+v", changed.Unmatched)
	}
	// In a file of CADP a word is a whole label, and not a gate.
	rules, err := ParseFile(Hide, "h.hid", []byte("hide\nSEND\n"), Total)
	if err != nil {
		t.Fatal(err)
	}
	var ofFile Changes
	ofFile.Set(rules)
	unmatched := ofFile.unmatched([]LabelFate{{Before: "SEND !1", Now: "SEND !1"}}, "i")
	if len(unmatched) != 1 || unmatched[0].Meant[0] != "SEND !.*" {
		t.Errorf("a gate in a file: %+v", unmatched)
	}
	// What was cut before reaches no other rule.
	_, changed = changedBy(t, model, map[Kind]string{Cut: "RECV", Rename: "RECV -> GET"})
	if len(changed.Unmatched) != 1 || changed.Unmatched[0].Kind != Rename || !changed.Unmatched[0].All {
		t.Errorf("a renaming of what was cut: %+v", changed.Unmatched)
	}
}

// TestUnmatchedRulesDoNothing: without the rules that are named the model becomes the same, and without any other it
// does not.
func TestUnmatchedRulesDoNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := []string{"A", "B !1", "C !1", "i", "D"}
		patterns := []string{"A", "B", `"C !1"`, "C", "D", "E", "F*", "*"}
		labels := rapid.SliceOfN(rapid.SampledFrom(names), 1, 4).Draw(t, "labels")
		rules := rapid.SliceOfNDistinct(rapid.SampledFrom(patterns), 1, 4, rapid.ID).Draw(t, "rules")
		kind := rapid.SampledFrom([]Kind{Cut, Hide}).Draw(t, "kind")
		apply := func(rules []string) (fates []LabelFate, unmatched []string) {
			if len(rules) == 0 {
				for _, l := range labels {
					fates = append(fates, LabelFate{Before: l, Now: l})
				}
				return fates, nil
			}
			r, err := ParseText(context.Background(), kind, strings.Join(rules, ", "))
			if err != nil {
				t.Fatal(err)
			}
			var c Changes
			c.Set(r)
			for _, l := range labels {
				fates = append(fates, c.fateOf(l, "i"))
			}
			for _, u := range c.unmatched(fates, "i") {
				unmatched = append(unmatched, u.Rules...)
			}
			return fates, unmatched
		}
		all, unmatched := apply(rules)
		used := slices.DeleteFunc(slices.Clone(rules), func(rule string) bool { return slices.Contains(unmatched, strings.Trim(rule, `"`)) })
		if some, _ := apply(used); !slices.Equal(all, some) {
			t.Fatalf("%q of %q do something to %q", unmatched, rules, labels)
		}
		for _, rule := range used {
			if alone, _ := apply([]string{rule}); !slices.ContainsFunc(alone, func(f LabelFate) bool { return f.By != "" }) {
				t.Fatalf("%s does nothing to %q, and is not named", rule, labels)
			}
		}
	})
}

// TestGroups: \1 and $1 are the first group behind a regular expression of a flag, whatever follows; elsewhere each is
// understood or refused by name.
func TestGroups(t *testing.T) {
	for rule, want := range map[string]string{
		`/^PUT_(.)(.)$/ -> $2GET`:      "bGET",
		`/^PUT_(.)(.)$/ -> \2GET`:      "bGET",
		`/^PUT_(.)(.)$/ -> $1_$2`:      "a_b",
		`/^PUT_(.)(.)$/ -> ${1}0`:      "a0",
		`/^PUT_(?P<x>.)./ -> ${x}$`:    "a$",
		`/^PUT_(.)(.)$/ -> $3`:         "error: $3: $3 stands for a group, but the left side has 2; write ( and ) around what it is to keep",
		`/^PUT_(.)(.)$/ -> \3`:         `error: \3: \3 stands for a group, but the left side has 2; write ( and ) around what it is to keep`,
		`/^PUT_(.)(.)$/ -> ${no}`:      "error: ${no}: ${no} stands for a group, but the left side has none of this name; write (?P<no> and ) around what it is to keep",
		`PUT_ab -> $1`:                 "error: $1: $1 stands for a group of a /regular expression/, but PUT_ab is not one",
		`PUT_ab -> GET\1`:              `error: GET\1: \1 stands for a group of a /regular expression/, but PUT_ab is not one`,
		`PUT_ab -> $x`:                 "$x",
		"file:PUT_\\(.\\)b -> GET_\\1": "GET_a",
		"file:PUT_\\(.\\)b -> GET_$1":  `error: n.ren:2: GET_$1: $1 is a group only behind a /regular expression/ of a flag; write \1 for a group here, or \$1 for the text`,
		"file:PUT_\\(.\\)b -> \\$1$x":  "$1$x",
		"file:PUT_ab -> $1":            "$1",
		"file:PUT_ab -> \\1":           `error: n.ren:2: \1: \1 stands for a group, but the left side has 0; write \( and \) around what it is to keep`,
	} {
		var r *Rules
		var err error
		if text, is := strings.CutPrefix(rule, "file:"); is {
			r, err = ParseFile(Rename, "n.ren", []byte("rename\n"+text+"\n"), Total)
		} else {
			r, err = ParseText(context.Background(), Rename, rule)
		}
		got := ""
		if err != nil {
			got = "error: " + err.Error()
		} else {
			got = r.Renamed("PUT_ab", "i")
		}
		if got != want {
			t.Errorf("%s: %q, want %q", rule, got, want)
		}
	}
}
