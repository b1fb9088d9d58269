package argument

import (
	"context"
	"io"
	"testing"

	"github.com/inev-lts/inev/internal/ctl/syntax"
	"github.com/inev-lts/inev/internal/ctl/wmc"
	"github.com/inev-lts/inev/internal/lts/generate"
)

// BenchmarkMillion checks formulas that are nested three deep on a million transitions, in
// models of all shapes, writes the evidence, and argues for the answer. The bar is five
// seconds for each part: deep models, a frontier a state, are the worst.
func BenchmarkMillion(b *testing.B) {
	ctx := context.Background()
	for _, model := range []struct {
		name string
		spec generate.Spec
	}{
		{"scc", generate.Spec{Kind: "scc", States: 200_000, Degree: 5, Locality: 1000, Labels: 8}},
		{"random", generate.Spec{Kind: "random", States: 100_000, Degree: 10, Labels: 20}},
		{"cycle", generate.Spec{Kind: "cycle", States: 1_000_000, Labels: 5}},
		{"star", generate.Spec{Kind: "star", States: 1_000_000, Labels: 5}},
	} {
		m, err := generate.LTS(ctx, model.spec)
		if err != nil {
			b.Fatal(err)
		}
		if err := m.FindPredecessors(ctx); err != nil {
			b.Fatal(err)
		}
		for _, text := range []string{
			`AG (<"ACTION !0"> true -> EF (<"ACTION !1"> true && EX true))`,
			`AG AF EG (<"ACTION !0"> true || deadlock)`,
			`A[E[true {"ACTION !0"} U {"ACTION !1"} true] U AG EF <"ACTION !2"> true]`,
		} {
			f, err := syntax.Parse(ctx, text)
			if err != nil {
				b.Fatal(err)
			}
			c := f.Closure()
			means, _, err := c.Bind(ctx, m.Alphabet(), nil)
			if err != nil {
				b.Fatal(err)
			}
			sets := wmc.NewExplicit(m, means, nil)
			from := wmc.States{m.Initial()}
			b.Run(model.name+"/"+text+"/check", func(b *testing.B) {
				for range b.N {
					if _, err := wmc.Check(ctx, sets, c, from, wmc.Options{}); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run(model.name+"/"+text+"/evidence", func(b *testing.B) {
				a, err := wmc.Check(ctx, sets, c, from, wmc.Options{})
				if err != nil {
					b.Fatal(err)
				}
				for range b.N {
					question := wmc.Question{Model: m, Formula: text}
					if err := question.WriteJSON(io.Discard, a); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run(model.name+"/"+text+"/argue", func(b *testing.B) {
				checked, err := wmc.Check(ctx, sets, c, from, wmc.Options{})
				if err != nil {
					b.Fatal(err)
				}
				for range b.N {
					x, err := New(ctx, m, checked, means, from)
					if err != nil {
						b.Fatal(err)
					}
					a, err := x.Argue(m.Initial())
					if err != nil {
						b.Fatal(err)
					}
					if err := a.WriteText(io.Discard, m); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
