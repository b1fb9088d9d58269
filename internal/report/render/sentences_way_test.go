package render_test

import (
	"math/rand/v2"
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

// TestTheWayToWhatIsAwaited reads the sentence about a way that is too long for the headline back.
func TestTheWayToWhatIsAwaited(t *testing.T) {
	met := 0
	for seed := range randomlts.Share(1_500) {
		r := rand.New(rand.NewPCG(seed, 69))
		c := randomlts.Case{Model: withLongWay(t, r), Formula: `Inev("D")`}
		d, _ := c.Model.Alphabet().Lookup("D")
		c.Steps = []map[lts.Label]bool{{d: true}}
		e, err := explained(c, explain.Options{Source: explain.Source{File: "m.aut"}})
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
		}
	}
	if t.Log(met); randomlts.Whole() && met < 300 {
		t.Errorf("%d ways were met", met)
	}
}

// withLongWay draws a model with a loop of one to three transitions, and with a long way from it to D.
func withLongWay(t *testing.T, r *rand.Rand) *lts.LTS {
	var b lts.Builder
	loop := lts.State(1 + r.IntN(3))
	for s := range loop {
		b.Add(s, b.Label("A"), (s+1)%loop)
	}
	label := func() lts.Label { return b.Label(string("ABC"[r.IntN(3)])) }
	n := loop + lts.State(5+r.IntN(6))
	b.Add(lts.State(r.IntN(int(loop))), label(), loop)
	for s := loop; s < n; s++ {
		b.Add(s, label(), s+1)
		if r.IntN(3) == 0 {
			b.Add(s, label(), lts.State(r.IntN(int(s))))
		}
	}
	b.Add(n, b.Label("D"), n)
	m, err := b.Build(0, int(n)+1)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
