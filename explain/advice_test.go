package explain

import (
	"context"
	"slices"
	"testing"

	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/lts"
)

// TestAdviceIsLeftOutOfLargeModels: it is said where the product is too large for advice, and only there.
func TestAdviceIsLeftOutOfLargeModels(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		states int
		text   string
		large  bool
	}{
		{50, "Inev(B)", false}, {50, "G F B", false},
		{20_000, "G F B", false}, // loops of 20,000 transitions, which are not to be built again and again
		{510_000, "Inev(B)", true}, {240_000, "G F B", true},
	} {
		if c.large && c.text != "G F B" && testing.Short() {
			continue
		}
		var b lts.Builder
		goes, ends := b.Label("A"), b.Label("B")
		for s := range lts.State(c.states) {
			b.Add(s, goes, (s+1)%lts.State(c.states))
		}
		b.Add(0, goes, 0)
		b.Add(0, ends, 0)
		m, err := b.Build(0, c.states)
		if err != nil {
			t.Fatal(err)
		}
		f, err := formula.Parse(ctx, c.text)
		if err != nil {
			t.Fatal(err)
		}
		e, err := Explain(ctx, m, f, Options{NoFairness: true, NoPaths: true})
		if err != nil {
			t.Fatal(err)
		}
		far := slices.Contains(e.Warnings, tooFar)
		if warned := slices.Contains(e.Warnings, tooLargeForAdvice); warned != c.large || (e.Repair == nil) != c.large || (e.Nearest == nil) != (c.large || far) {
			t.Errorf("%s, %d states: %q", c.text, c.states, e.Warnings)
		}
	}
}
