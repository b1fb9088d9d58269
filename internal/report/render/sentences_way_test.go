package render_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/testing/oracle/assertions"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
)

// TestTheWayToWhatIsAwaited reads the sentence about a way that is too long for the headline back. It is
// told unless the nearest correct run, which is told below, takes the way.
func TestTheWayToWhatIsAwaited(t *testing.T) {
	met, brief := 0, 0
	for seed := range randomlts.Share(1_500) {
		r := rand.New(rand.NewPCG(seed, 69))
		suffix := ""
		if seed%3 == 0 {
			suffix = strings.Repeat("x", 40)
		}
		awaited := "D" + suffix
		c := randomlts.Case{Model: withLongWay(t, r, suffix), Formula: fmt.Sprintf("Inev(%q)", awaited)}
		d, _ := c.Model.Alphabet().Lookup(awaited)
		c.Steps = []map[lts.Label]bool{{d: true}}
		withAdvice, err := explained(c, explain.Options{Source: explain.Source{File: "m.aut"}})
		if err != nil {
			t.Fatal(err)
		}
		isOnlyBelow := withAdvice.Diagnosis.Cause == nil && len(withAdvice.Diagnosis.Way) > 5
		if isOnlyBelow && withAdvice.Nearest != nil && tellsWay(withAdvice) == addsWay(withAdvice) {
			t.Fatalf("seed %d: told %v\n%s", seed, tellsWay(withAdvice), c)
		}
		e, err := explained(c, explain.Options{Source: explain.Source{File: "m.aut"}, NoAdvice: true})
		if err != nil {
			t.Fatal(err)
		}
		checker, err := assertions.New(subject(c, e, neighbourhood.All))
		if err != nil {
			t.Fatal(err)
		}
		sentences := render.NewSentences(e, printable.Code)
		for _, claim := range sentences.Story().All() {
			if claim.Kind() != "way" {
				continue
			}
			if err := checker.Sentence(sentences.Say(claim)); err != nil {
				t.Fatalf("seed %d:\n%s\n%v", seed, c, err)
			}
			if strings.HasPrefix(sentences.Say(claim), "The way from state ") {
				met++
			}
			if strings.Contains(sentences.Say(claim), " more), `"+awaited) && suffix != "" {
				brief++
			}
		}
	}
	if t.Log(met, brief); randomlts.Whole() && (met < 300 || brief < 100) {
		t.Errorf("%d ways were met, %d of them in brief", met, brief)
	}
}

func tellsWay(e *explain.Explanation) bool {
	story := render.NewSentences(e, printable.Code).Story()
	return slices.ContainsFunc(story.All(), func(c render.Claim) bool { return c.Kind() == "way" })
}

// addsWay reports whether the labels that the nearest correct run adds begin with those of the way.
func addsWay(e *explain.Explanation) bool {
	var added, way string
	for _, step := range e.Nearest.Steps {
		if step.Op == explain.Insert {
			added += step.Label + ","
		}
	}
	for _, step := range e.Diagnosis.Way {
		way += step.Label + ","
	}
	return strings.HasPrefix(added, way)
}

// withLongWay draws a model with a loop of one to three transitions, and with a long way from it to D. Its labels are
// letters, each with a suffix.
func withLongWay(t *testing.T, r *rand.Rand, suffix string) *lts.LTS {
	var b lts.Builder
	named := func(letter string) lts.Label { return b.Label(letter + suffix) }
	loop := lts.State(1 + r.IntN(3))
	for s := range loop {
		b.Add(s, named("A"), (s+1)%loop)
	}
	label := func() lts.Label { return named(string("ABC"[r.IntN(3)])) }
	n := loop + lts.State(5+r.IntN(6))
	b.Add(lts.State(r.IntN(int(loop))), label(), loop)
	for s := loop; s < n; s++ {
		b.Add(s, label(), s+1)
		if r.IntN(3) == 0 {
			b.Add(s, label(), lts.State(r.IntN(int(s))))
		}
	}
	b.Add(n, named("D"), n)
	m, err := b.Build(0, int(n)+1)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
