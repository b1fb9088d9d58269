package actl

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// countdown is done once it was asked so many times whether it is.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// alternatives returns a regular expression that takes long.
func alternatives(n int) string {
	var b strings.Builder
	b.WriteString("(x+x+)+y")
	for i := range n {
		fmt.Fprintf(&b, "|a%dz", i)
	}
	return b.String()
}

func alphabetOf(t *testing.T, texts ...string) *lts.Alphabet {
	t.Helper()
	var b lts.AlphabetBuilder
	for _, text := range texts {
		b.Label(text)
	}
	return b.Build()
}

// TestBindStops: each of these would take minutes to days.
func TestBindStops(t *testing.T) {
	size := 100_000
	if !randomlts.Whole() {
		size /= 5
	}
	long := strings.Repeat("x", 200*size)
	many := make([]string, size)
	for i := range many {
		many[i] = fmt.Sprintf("LABEL !%d", i)
	}
	stars := make([]string, size)
	for i := range stars {
		stars[i] = fmt.Sprintf("x*%d", i)
	}
	for name, c := range map[string]struct {
		formula string
		labels  []string
	}{
		"regular expression on a long label": {"Inev(/" + alternatives(size/5) + "/)", []string{long}},
		"glob on a long label":               {"Inev(" + strings.Repeat("*x", 5*size) + "y)", []string{long}},
		"many globs and labels":              {"Inev({" + strings.Join(stars, ",") + "})", many},
		"many steps and labels":              {"Inev(" + strings.Join(stars[:size*6/10], ",") + ")", many},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := Parse(context.Background(), c.formula)
			if err != nil {
				t.Fatal(err)
			}
			a := alphabetOf(t, c.labels...)
			for _, left := range []int{0, 1, 5} {
				if _, _, err := f.Bind(&countdown{context.Background(), left}, a); !errors.Is(err, context.Canceled) {
					t.Errorf("error %v", err)
				}
			}
		})
	}
}

func TestParseStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, text := range []string{"Inev(A)", "Inev({A, B})", "A[true_{true} U_{A or B} true]", "Inev(/" + alternatives(20_000) + "/)", "A[true_{true} U_{/" + alternatives(20_000) + "/} true]"} {
		if _, err := Parse(ctx, text); !errors.Is(err, context.Canceled) {
			t.Errorf("%.40s: error %v", text, err)
		}
	}
	if _, err := Parse(context.Background(), "Inev(/"+alternatives(20_000)+"/)"); err != nil {
		t.Error(err)
	}
}

// TestStoppableRegexp: a text is matched alike as a whole and character by character.
func TestStoppableRegexp(t *testing.T) {
	expressions := []string{"a", "^a", "a$", "^a*b$", `\bab\b`, "(?i)AB", `[^a]\B.`, "(a|b)+c", "^$", "(?m)^b$", `\x{fffd}`, ".", `(?s)a.b`}
	rapid.Check(t, func(t *rapid.T) {
		re := regexp.MustCompile(rapid.SampledFrom(expressions).Draw(t, "expression"))
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{"a", "b", "c", "ä", "\n", " ", "\xff", "\x00"})).Draw(t, "text"), "")
		if got := regexpMatches(context.Background(), re, quickLength+1, text); got != re.MatchString(text) {
			t.Fatalf("%s on %q: %v", re, text, got)
		}
	})
}

// TestLargeSetsAreLinear: what is said of a large set names it once.
func TestLargeSetsAreLinear(t *testing.T) {
	names := make([]string, 16_000)
	for i := range names {
		names[i] = fmt.Sprintf("LABEL%d", i)
	}
	f, err := Parse(context.Background(), "Inev({"+strings.Join(names, ", ")+"})")
	if err != nil {
		t.Fatal(err)
	}
	text, notes, _ := f.MuCalculus(context.Background())
	size := len(f.String())
	if len(text) > 10*size || len(notes) != 1 || len(notes[0]) > 2*size {
		t.Errorf("%d bytes, and %d notes", len(text), len(notes))
	}
	_, warnings, _ := f.Bind(context.Background(), alphabetOf(t, "LABEL1"))
	if len(warnings) != maxWarnings+1 || !strings.HasPrefix(warnings[maxWarnings], "15979 more patterns") {
		t.Errorf("%d warnings, the last one: %.200s", len(warnings), warnings[len(warnings)-1])
	}
}
