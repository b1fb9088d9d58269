package stochastic_test

import (
	"testing"

	"github.com/inev-lts/inev/internal/lts/stochastic"
)

func TestAction(t *testing.T) {
	for label, want := range map[string]string{
		"A; rate 2.0":          "A",
		"A ; rate 2.0":         "A",
		"B !1;prob 0.5":        "B !1",
		"B !\"; rate 2\"":      "B !\"; rate 2\"",
		"B !\"x; y\"; rate 2":  "B !\"x; y\"",
		"A; rate 2.0; prob .1": "A; rate 2.0",
		"A; B":                 "A; B",
		"A; rated":             "A; rated",
		"A;rate":               "A;rate",
		"; rate 2":             "; rate 2",
		" ; rate 2":            " ; rate 2",
		"rate 2.0":             "rate 2.0",
		"":                     "",
	} {
		got := stochastic.Action(label)
		if got != want {
			t.Errorf("%q is the action %q, want %q", label, got, want)
		}
	}
}
