package render_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
)

// withManyPits draws a model in which most states can do several actions that lead to where all is lost.
func withManyPits(t *testing.T, r *rand.Rand) randomlts.Case {
	t.Helper()
	var b lts.Builder
	names := []string{"A", "B", "C", "E", "D"}
	for _, name := range names {
		b.Label(name)
	}
	awaited := lts.Label(len(names) - 1)
	n := 6 + r.IntN(3)
	most := 1 + r.IntN(3)    // pits next to the initial state
	hasWay := r.IntN(2) == 0 // from the initial state to the last one, past all others
	const pits = 7
	pit := lts.State(n + 1)
	for s := range n {
		for range min(1+s, 2) {
			b.Add(lts.State(s), lts.Label(r.IntN(4)), lts.State(min(s+1+r.IntN(2), n)))
		}
		for l := range awaited {
			if s > 0 && r.IntN(4) > 0 || s == 0 && int(l) < most {
				b.Add(lts.State(s), l, pit+lts.State(r.IntN(pits)))
			}
		}
	}
	if hasWay {
		b.Add(0, awaited-1, lts.State(n))
	}
	b.Add(lts.State(n), awaited, lts.State(n))
	m, err := b.Build(0, n+1+pits)
	if err != nil {
		t.Fatal(err)
	}
	return randomlts.Case{Model: m, Formula: `Inev("D")`, Steps: []map[lts.Label]bool{{awaited: true}}}
}

// TestManyTransitionsToForbid: where neither a few transitions nor a few rules make a property true, the sentence
// says so, and names the one that the run takes.
func TestManyTransitionsToForbid(t *testing.T) {
	met := map[string]int{}
	for seed := range randomlts.Share(150) {
		c := withManyPits(t, rand.New(rand.NewPCG(seed, 69)))
		e, err := explained(c, explain.Options{Source: explain.Source{File: "m.aut"}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := readExplanation(c, e, neighbourhood.All); err != nil {
			t.Fatalf("seed %d:\n%s\n%v", seed, c, err)
		}
		for _, said := range render.NewSentences(e, printable.Code).Hold() {
			for _, form := range []string{"are not enough: forbid", "other transitions", "more like it"} {
				if strings.Contains(said, form) {
					met[form]++
				}
			}
		}
	}
	t.Log(met)
	for _, form := range []string{"are not enough: forbid", "other transitions"} {
		if randomlts.Whole() && met[form] < 20 {
			t.Errorf("%q was met %d times", form, met[form])
		}
	}
}
