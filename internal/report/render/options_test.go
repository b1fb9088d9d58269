package render_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/lts"
)

// TestOptions: labels with the same targets share a place in a sentence, and many are counted.
func TestOptions(t *testing.T) {
	for n, want := range map[int]string{
		1: " x0 to state 2 would have made",
		2: " any of x0, x1 to state 2 would have made",
		6: " x0, x1, x2 or one of 3 other actions to state 2 would have made",
	} {
		var b lts.Builder
		b.Add(0, b.Label("a"), 1)
		for i := range n {
			b.Add(0, b.Label(fmt.Sprintf("x%d", i)), 1)
			b.Add(0, b.Label(fmt.Sprintf("x%d", i)), 2)
		}
		b.Add(2, b.Label("G"), 2)
		m, err := b.Build(0, 3)
		if err != nil {
			t.Fatal(err)
		}
		f, err := actl.Parse(context.Background(), "Inev(G)")
		if err != nil {
			t.Fatal(err)
		}
		e, err := explain.Explain(context.Background(), m, f, explain.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(render.NewSentences(e, printable.Text).Better(), " "); !strings.Contains(got, want) {
			t.Errorf("%d labels: %q is not in %q", n, want, got)
		}
	}
}
