package serve

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/url"
	"testing"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/lts/generate"
	"github.com/inev-lts/inev/internal/testing/oracle/specimens"
	"github.com/inev-lts/inev/lts"
)

// BenchmarkQuestions asks, in a model of 10 million transitions to anywhere, what leaves
// random states, for runs to them, and why actions do not happen there.
func BenchmarkQuestions(b *testing.B) {
	m, err := generate.LTS(context.Background(), generate.Spec{Kind: "random", States: 3_333_333, Degree: 3, Labels: 20, Seed: 1})
	if err != nil {
		b.Fatal(err)
	}
	e := specimens.Asked(b, m, `Inev("ACTION !0", "ACTION !1")`, explain.Options{NoAdvice: true, NoFairness: true})
	s := served(b, e)
	r := rand.New(rand.NewPCG(1, 2))
	random := func() lts.State {
		for {
			if s := lts.State(r.IntN(m.NumStates())); m.Reachable().Has(s) {
				return s
			}
		}
	}
	label := func() string { return url.QueryEscape(m.Alphabet().Text(lts.Label(r.IntN(m.Alphabet().Len())))) }
	for _, question := range []struct {
		name string
		ask  func() string
	}{
		{"near", func() string { return fmt.Sprintf("near?state=%d", random()) }},
		{"past", func() string { return fmt.Sprintf("past?state=%d", random()) }},
		{"why", func() string { return fmt.Sprintf("why?state=%d&q=0&label=%s", random(), label()) }},
	} {
		b.Run(question.name, func(b *testing.B) {
			for range b.N {
				if w := do(s, "/"+s.token+"/"+question.ask(), nil); w.Code != 200 {
					b.Fatal(w.Code)
				}
			}
		})
	}
}
