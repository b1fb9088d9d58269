package hoa_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/formula/hoa"
)

// TestNamesOfConditions: where a file names its condition otherwise than it writes it out,
// what is written out counts, with a warning.
func TestNamesOfConditions(t *testing.T) {
	a := alphabet(t, labels...)
	for _, c := range []struct {
		name, condition string
		differ          bool
	}{
		{"Buchi", "1 Inf(0)", false},
		{"co-Buchi", "1 Inf(0)", true},
		{"co-Buchi", "1 Fin(0)", false},
		{"all", "0 t", false},
		{"none", "0 t", true},
		{"generalized-Buchi 2", "2 Inf(0)&Inf(1)", false},
		{"generalized-Buchi 2", "2 Inf(0)|Inf(1)", true},
		{"generalized-co-Buchi 2", "2 Fin(1)|Fin(0)", false},
		{"Rabin 1", "2 Fin(0)&Inf(1)", false},
		{"Rabin 2", "4 (Fin(0)&Inf(1))|(Fin(2)&Inf(3))", false},
		{"Rabin 1", "2 Inf(0)&Fin(1)", true},
		{"Streett 1", "2 Fin(0)|Inf(1)", false},
		{"Streett 1", "2 Fin(0)&Inf(1)", true},
		{"Buchi", "1 Inf(!0)", true},
		{"Buchi", "2 Inf(1)", true},
		{"parity min even 2", "2 Inf(0)", false},
		{"home-made 3", "1 Inf(0)", false},
		{"Rabin 1000000000", "1 Inf(0)", false},
	} {
		text := "HOA: v1\nStates: 1\nStart: 0\nAP: 1 \"a\"\nacc-name: " + c.name + "\nAcceptance: " + c.condition + "\n--BODY--\nState: 0\n[t] 0\n--END--\n"
		f, err := hoa.Read(context.Background(), strings.NewReader(text), "p.hoa")
		if err != nil {
			t.Fatal(err)
		}
		_, warnings, err := f.Bind(context.Background(), a)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(strings.Join(warnings, "\n"), "p.hoa:6: acc-name: is "+c.name+", but Acceptance: is "); got != c.differ {
			t.Errorf("%s, %s: %v", c.name, c.condition, warnings)
		}
	}
}

// TestCaretsOfMeanings: errors about what a file means show the line that they are about.
func TestCaretsOfMeanings(t *testing.T) {
	for text, want := range map[string]string{
		"HOA: v1\nStates: 2\nStart: 0\nStart: 1\nAP: 0\nAcceptance: 0 t\n--BODY--\nState: 0 [t] 0 State: 1 [t] 1\n--END--\n":        "Start: 1\n^",
		"HOA: v1\nStates: 2\nStart: 0\nAP: 1 \"a\"\nAcceptance: 0 t\n--BODY--\nState: 0\n[0] 0\n  [t] 1\nState: 1 [t] 1\n--END--\n": "  [t] 1\n  ^",
	} {
		f, err := hoa.Read(context.Background(), strings.NewReader(text), "p.hoa")
		if err == nil {
			_, _, err = f.Bind(context.Background(), alphabet(t, labels...))
		}
		var placed *hoa.Error
		if !errors.As(err, &placed) || placed.Caret() != want {
			t.Errorf("%v", err)
		}
	}
}

// TestNarrowedPropositions: a proposition that is the text of a label means that one, with a
// warning where it would as a pattern mean others too.
func TestNarrowedPropositions(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"PUT", `p.hoa: the proposition "PUT" means the label of this text, and not the 2 other labels that it matches as a pattern; name it "{PUT}" to mean all of them`},
		{"{PUT}", ""},
		{"GET", ""},
		{"PUT !1", ""},
	} {
		text := "HOA: v1\nStates: 1\nStart: 0\nAP: 1 \"" + c.name + "\"\nAcceptance: 1 Inf(0)\n--BODY--\nState: 0\n[0] 0 {0}\n[!0] 0\n--END--\n"
		f, err := hoa.Read(context.Background(), strings.NewReader(text), "p.hoa")
		if err != nil {
			t.Fatal(err)
		}
		_, warnings, err := f.Bind(context.Background(), alphabet(t, "PUT", "PUT !1", "PUT !2", "GET"))
		if err != nil || strings.Join(warnings, "; ") != c.want {
			t.Errorf("%s: %v, %v", c.name, warnings, err)
		}
	}
}
