package property_test

import (
	"testing"

	"github.com/inev-lts/inev/property"
)

// TestPhraseAfter: where a formula cannot hold any more, what happened is said.
func TestPhraseAfter(t *testing.T) {
	quoted := func(text string) property.Word { return property.Word{Text: text, Quoted: true} }
	plain := func(text string) property.Word { return property.Word{Text: text} }
	forbidding := func(text string) property.Word { return property.Word{Text: text, Kind: property.Forbidding} }
	for _, c := range []struct {
		before property.Phrase
		want   string
	}{
		{nil, "A has happened, after which it cannot hold any more"},
		{property.Phrase{quoted("A"), forbidding(" is not allowed any more")}, "A has happened, which is not allowed any more"},
		{property.Phrase{quoted(`"A"`), {Text: " is not allowed", Kind: property.ForbiddingBefore}, plain(" before "), quoted("B")}, "A has happened, which is not allowed before B"},
		{property.Phrase{quoted("A*"), forbidding(" is not allowed")}, "A has happened, but A* is not allowed"},
		{property.Phrase{quoted("A"), forbidding(" is not allowed"), plain("; "), quoted("B"), plain(" must come next")}, "A has happened, but A is not allowed; B must come next"},
		{property.Hopeless(), "it cannot hold any more"},
	} {
		if got := property.Hopeless().After(c.before, "A").String(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	// The words of the property may be any text, that of a phrase included.
	room := property.Phrase{quoted("waiting room"), forbidding(" is not allowed")}
	if room.Waits() {
		t.Errorf("%q is taken for the state of a run", room)
	}
	if got := property.Hopeless().After(property.Phrase{quoted("it cannot hold any more")}, "A").String(); got != "A has happened, but it cannot hold any more" {
		t.Errorf("%q", got)
	}
	if waiting := (property.Phrase{plain("waiting for "), quoted("B")}); waiting.After(nil, "A").String() != "waiting for B" {
		t.Error("what is not lost changes")
	}
}

// TestUpTo: the end of a restriction is known by the kinds of words, and only of a phrase that says nothing else.
func TestUpTo(t *testing.T) {
	quoted := func(text string) property.Word { return property.Word{Text: text, Quoted: true} }
	forbidding := property.Word{Text: " is not allowed", Kind: property.ForbiddingBefore}
	before := property.Word{Text: " before ", Kind: property.Limit}
	for _, c := range []struct {
		words property.Phrase
		want  string
	}{
		{nil, ""},
		{property.Phrase{quoted("A"), forbidding, before, quoted("B")}, " before B"},
		{property.Phrase{quoted("; "), forbidding, before, quoted("B")}, " before B"},
		{property.Phrase{quoted("A"), forbidding, {Text: " before "}, quoted("B")}, ""},
		{property.Phrase{quoted("A"), forbidding, before, quoted("B"), {Text: ", "}, quoted("C")}, ""},
		{property.Phrase{quoted("C"), {Text: " must hold"}, {Text: "; "}, quoted("A"), forbidding, before, quoted("B")}, ""},
		{property.Phrase{{Text: "waiting for ", Kind: property.Waiting}, quoted("A"), before, quoted("B")}, ""},
	} {
		if got := c.words.UpTo().String(); got != c.want {
			t.Errorf("%v: %q, want %q", c.words, got, c.want)
		}
	}
}

// TestAwaits: what a phrase waits for is known by the kinds of its words, whatever their texts are.
func TestAwaits(t *testing.T) {
	waiting := property.Word{Text: "it still lacks ", Kind: property.Waiting}
	b := property.Word{Text: "B", Quoted: true}
	for _, c := range []struct {
		words property.Phrase
		text  string
		alone bool
	}{
		{nil, "", false},
		{property.Phrase{waiting}, "", false},
		{property.Phrase{waiting, b}, "B", true},
		{property.Phrase{waiting, b, {Text: " time after time", Kind: property.Again}}, "B", true},
		{property.Phrase{waiting, b, {Text: ", until then "}, {Text: "A", Quoted: true}}, "B", false},
		{property.Phrase{waiting, {Text: "something"}}, "", false},
		{property.Phrase{{Text: "waiting for "}, b}, "", false},
	} {
		text, alone := c.words.Awaits()
		if text != c.text || alone != c.alone {
			t.Errorf("%q: %q, %t, want %q, %t", c.words, text, alone, c.text, c.alone)
		}
	}
}
