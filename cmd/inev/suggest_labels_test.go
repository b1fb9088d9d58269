package main

import (
	"slices"
	"strings"
	"testing"
)

func TestFormulasGoOn(t *testing.T) {
	labels := []string{"ACK", "ACKED", `PUT !1`, `PUT !2`, "c(d1, false)", "c(d2, false)", "a(1)|b(2)", "x"}
	slices.Sort(labels)
	for text, want := range map[string]string{
		"Inev(AC":           "Inev(ACK|Inev(ACKED",
		"Inev(ACKE":         "Inev(ACKED)|Inev(ACKED, ",
		"Inev(ACKED, x":     "Inev(ACKED, x)|Inev(ACKED, x, ",
		"Inev(ACKED,x":      "Inev(ACKED,x)|Inev(ACKED,x, ",
		"Inev({ACKED,x":     "Inev({ACKED,x}|Inev({ACKED,x, ",
		"Inev({ACKED,x}, P": "Inev({ACKED,x}, PUT)|Inev({ACKED,x}, PUT, ",
		`Inev("PUT !1`:      `Inev("PUT !1")|Inev("PUT !1", `,
		`Inev("PU`:          `Inev("PUT !1"|Inev("PUT !2"`,
		`Inev("A, B", x`:    `Inev("A, B", x)|Inev("A, B", x, `,
		`Inev(/,\/(/, x`:    `Inev(/,\/(/, x)|Inev(/,\/(/, x, `,
		"Inev(/A":           "Inev(/A",
		"Inev(c(d1":         "Inev(c(d1, false))|Inev(c(d1, false), ",
		"Inev(c(d1, fal":    "Inev(c(d1, false))|Inev(c(d1, false), ",
		"Inev(ACK)":         "Inev(ACK)",
		"Inev(none":         "",
		"Response(x; ACKE":  "Response(x; ACKED)|Response(x; ACKED, |Response(x; ACKED; ",
		"Inev(x; ACKE":      "",
		"":                  `Inev("PUT !1"|Inev("PUT !2"|Inev("a(1)\|b(2)"|Inev(ACK|Inev(ACKED|Inev(PUT|Inev(c|Inev(c(d1, false)|Inev(c(d2, false)|Inev(x`,
		"In":                `Inev("PUT !1"|Inev("PUT !2"|Inev("a(1)\|b(2)"|Inev(ACK|Inev(ACKED|Inev(PUT|Inev(c|Inev(c(d1, false)|Inev(c(d2, false)|Inev(x`,
		"G (A":              "",
		"out":               "",
	} {
		got := formulaCompletions(text, labels)
		for i, g := range got {
			got[i] = strings.ReplaceAll(g, "a(1)|b(2)", `a(1)\|b(2)`)
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%s goes on with %q, want %q", text, got, want)
		}
	}
	if got := formulaCompletions("", nil); got != nil {
		t.Errorf("%q without labels", got)
	}
	for word, want := range map[string]string{"AC": "ACK|ACKED", "x": "x", "'x": "x|x, ", "'x, AC": "x, ACK|x, ACKED", `'"PUT !1`: `"PUT !1"|"PUT !1", `} {
		if got := patternCompletions(word, labels); strings.Join(got, "|") != want {
			t.Errorf("pattern %s goes on with %q, want %q", word, got, want)
		}
	}
}
