package relabel

import (
	"context"
	"testing"

	"github.com/inev-lts/inev/internal/testing/mutation"
)

// FuzzMutants: rules are refused, or applied to any label; a label is changed by a rule only.
func FuzzMutants(f *testing.F) {
	texts := []string{
		"hide all but\nGET\n\"ACK !false .*\"\n\n[a-z]*\n",
		"rename\n\"PUT !\\([A-Z]*\\) !\\([0-9]\\)\" -> \"PUT !\\2 !\\1\"\nA -> B\n",
		"cut\n.*\n\"a\\$b\"\n",
		"SEND -> PUT, /^send\\(([a-z0-9]+)\\)$/ -> put($1), {A, B} -> \"C, d\"",
		"all but GET, ACK !*, \"x, y\", /a|b/",
	}
	words := []string{"hide", "rename", "cut", "all but", "\n", "\"", "->", "\\(", "\\)", "\\1", "\\9", "[", "]", "^", "$", ".*", "*", "\\{1,2\\}", ",", "{", "}", "/", "$1", "${x}", "a", "\x00", "é"}
	labels := []string{"", "i", "GET", "ACK !false !1", "PUT !AB !1; rate 2.0", "a$b", "send(d1)", "tau"}
	for i := range texts {
		f.Add(byte(i), []byte{})
		f.Add(byte(i), []byte("\x03\x20\x01\x06\x80\x00"))
	}
	f.Fuzz(func(t *testing.T, which byte, program []byte) {
		defer mutation.Limited()()
		text := mutation.Of(texts[int(which)%len(texts)], program, words)
		for _, kind := range Kinds() {
			for _, how := range kind.Matchings() {
				rules, err := ParseFile(kind, "r", []byte(text), how)
				applied(t, rules, err, text, labels)
			}
			rules, err := ParseText(context.Background(), kind, text)
			applied(t, rules, err, text, labels)
		}
	})
}

// applied applies rules to labels.
func applied(t *testing.T, rules *Rules, err error, text string, labels []string) {
	if err != nil {
		return
	}
	var changes Changes
	changes.Set(rules)
	for _, label := range labels {
		fate := changes.fateOf(label, "i")
		isChanged := fate.By != ""
		if !isChanged && fate.Now != label {
			t.Fatalf("%q makes %q of %q by nothing", text, fate.Now, label)
		}
	}
}
