package hoa_test

import (
	"context"
	"strings"
	"testing"

	"github.com/inev-lts/inev/formula"
)

// TestFewestSets: an automaton is written with as few sets as its condition takes, also where it tells runs that end
// apart, and with the name that HOA gives to the condition.
func TestFewestSets(t *testing.T) {
	for text, want := range map[string]string{
		"DeadlockFree":            "acc-name: Buchi\nAcceptance: 1 Inf(0)\n",
		"F deadlock":              "acc-name: Buchi\nAcceptance: 1 Inf(0)\n",
		"G (a -> F deadlock)":     "acc-name: Buchi\nAcceptance: 1 Inf(0)\n",
		"FG a":                    "acc-name: co-Buchi\nAcceptance: 1 Fin(0)\n",
		"GF a -> GF b":            "acc-name: Streett 1\nAcceptance: 2 Fin(0)|Inf(1)\n",
		"GF a && FG !b":           "acc-name: Rabin 1\nAcceptance: 2 Fin(0)&Inf(1)\n",
		"GF a && GF b":            "acc-name: generalized-Buchi 2\nAcceptance: 2 Inf(0)&Inf(1)\n",
		"FG a || FG b":            "acc-name: generalized-co-Buchi 2\nAcceptance: 2 Fin(0)|Fin(1)\n",
		"Response(a; {b, \"c\"})": "acc-name: Buchi\nAcceptance: 1 Inf(0)\n",
	} {
		f, err := formula.Parse(context.Background(), text)
		if err != nil {
			t.Fatal(err)
		}
		if file, _ := exported(t, f); !strings.Contains(file, want) {
			t.Errorf("%s is not written with\n%s\n%s", text, want, file)
		}
	}
}

// TestExclusivePropositions: that no action satisfies two propositions is said where it is so, of deadlock, too.
func TestExclusivePropositions(t *testing.T) {
	for text, want := range map[string]string{
		`Inev("a", "b")`:        "inev-exclusive: 0 1\n",
		`G ("a" -> F deadlock)`: "inev-exclusive: 0 1\n",
		"Inev({a, b}, {b, c})":  "",
		`Inev("a")`:             "",
	} {
		f, err := formula.Parse(context.Background(), text)
		if err != nil {
			t.Fatal(err)
		}
		file, _ := exported(t, f)
		_, rest, has := strings.Cut(file, "inev-exclusive")
		line, _, _ := strings.Cut(rest, "\n")
		if got := "inev-exclusive" + line + "\n"; has != (want != "") || has && got != want {
			t.Errorf("%s: %q, want %q\n%s", text, got, want, file)
		}
	}
}
