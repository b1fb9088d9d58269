package formula_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/formula/hoa"
	"github.com/inev-lts/inev/internal/formula/ltl"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// spellings returns inevitability in linear temporal logic and as an automaton, the first as
// others write it, the others so that it takes an automaton to see what they are.
func spellings(t *testing.T, f *actl.Formula) []property.Formula {
	t.Helper()
	var b bytes.Buffer
	p, letters, err := f.BindLetters(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if err := hoa.Write(&b, p, letters.Steps()); err != nil {
		t.Fatal(err)
	}
	file, err := hoa.Read(context.Background(), &b, "p.hoa")
	if err != nil {
		t.Fatal(err)
	}
	steps, negated := f.Steps(), "false"
	for i := len(steps) - 1; i >= 0; i-- {
		negated = fmt.Sprintf("G ({%s} -> X %s)", steps[i], negated)
		if i == len(steps)-1 {
			negated = fmt.Sprintf("G !{%s}", steps[i])
		}
	}
	denied, err := formula.Parse(context.Background(), "!"+negated)
	if err != nil {
		t.Fatal(err)
	}
	return []property.Formula{ltl.Of(f), denied, file}
}

// told returns an explanation and a check as JSON, without what was asked and without the
// words of the property, and the explanation as text.
func told(t *testing.T, m *lts.LTS, f property.Formula) (all []string, text string) {
	t.Helper()
	o := explain.Options{}
	e, err := explain.Explain(context.Background(), m, f, o)
	if err != nil {
		t.Fatalf("%s: %v", f, err)
	}
	if e.Reasons != nil {
		// What plays no role is about the formula as it is written.
		e.Reasons.NoRole, e.Reasons.NothingAsked = []explain.NoRole{}, nil
	}
	check, err := explain.Check(context.Background(), m, f, explain.Options{})
	if err != nil {
		t.Fatalf("%s: %v", f, err)
	}
	for _, e := range []*explain.Explanation{e, check} {
		w, err := render.New("json", render.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := w.Explanation(&b, e); err != nil {
			t.Fatal(err)
		}
		var data map[string]any
		if err := json.Unmarshal(b.Bytes(), &data); err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{"property", "timings_ms", "warnings", "claims", "cost"} {
			delete(data, key)
		}
		left, err := json.MarshalIndent(data, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(left))
	}
	w, err := render.New("text", render.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := w.Explanation(&b, e); err != nil {
		t.Fatal(err)
	}
	return all, strings.Join(strings.Fields(strings.ReplaceAll(b.String(), f.String(), "PROPERTY")), " ")
}

// difference returns the first lines that differ, with what stands before them.
func difference(want, got string) string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return fmt.Sprintf("%s\n- %s\n+ %s", strings.Join(a[max(0, i-5):i], "\n"), a[i], b[i])
		}
	}
	return "one ends earlier"
}

// TestSpellingsTellTheSame: inevitability is the same chain however it is written, with the
// same verdict, run, classes, decisions and texts.
func TestSpellingsTellTheSame(t *testing.T) {
	recognised := 0
	for seed := range randomlts.Share(400) {
		c := randomlts.Seeded(seed, randomlts.Small())
		f, err := actl.Parse(context.Background(), c.Formula)
		if err != nil {
			t.Fatal(err)
		}
		happening, err := c.Model.Happening(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		never := f.Unmatched(context.Background(), c.Model.Alphabet()) != nil
		for _, step := range c.Steps {
			does := false
			for l := range step {
				does = does || happening.Happens(l)
			}
			never = never || !does
		}
		want, text := told(t, c.Model, f)
		for i, g := range spellings(t, f) {
			if i > 0 && never {
				continue // the formula is false whichever step never happens
			}
			p, _, err := g.Bind(context.Background(), happening)
			if err != nil {
				t.Fatal(err)
			}
			if _, is := p.Chain(); !is {
				t.Fatalf("seed %d: %s is no chain, and %s is", seed, g, f)
			}
			if p.String() != g.String() {
				t.Fatalf("seed %d: %s is written as %s", seed, g, p)
			}
			recognised++
			got, gotText := told(t, c.Model, g)
			for j := range want {
				if got[j] != want[j] {
					t.Fatalf("seed %d: %s differs from %s: %s", seed, g, f, difference(want[j], got[j]))
				}
			}
			if i == 0 && !never && gotText != text {
				t.Fatalf("seed %d: %s:\n%s\n%s:\n%s", seed, f, text, g, gotText)
			}
		}
	}
	if randomlts.Whole() && recognised < 600 {
		t.Fatalf("only %d spellings were compared", recognised)
	}
}
