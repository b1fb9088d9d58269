package repair

import (
	"context"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
)

// counting is a context that counts how often its error is asked for.
type counting struct {
	context.Context
	asked int
}

func (c *counting) Err() error {
	c.asked++
	return c.Context.Err()
}

// TestPartsStop: while a large component is described, the context is asked again and again, and not only
// by the search that finds the component.
func TestPartsStop(t *testing.T) {
	const n = 1 << 16
	var b lts.Builder
	x := b.Label("x")
	for s := range lts.State(n) {
		b.Add(s, x, (s+1)%n)
	}
	b.Add(0, b.Label("B"), 1)
	b.Add(0, b.Label("A"), n)
	b.Add(n, x, n)
	m, err := b.Build(0, n+1)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		formula string
		loops   int // through the states of the component, or its product states
	}{
		{"Inev(A)", 2},        // describes it, and looks with which progress runs come to its states
		{"Response(B; A)", 4}, // describes it, and a model that states and labels alone describe
	} {
		f, err := actl.Parse(context.Background(), c.formula)
		if err != nil {
			t.Fatal(err)
		}
		p, _, err := f.Bind(context.Background(), m.Alphabet())
		if err != nil {
			t.Fatal(err)
		}
		r, err := Find(context.Background(), m, p, Options{})
		if err != nil || len(r.NotForEver) != 1 || len(r.NotForEver[0].Places) != n {
			t.Fatalf("%s: %+v, %v", c.formula, r, err)
		}
		ctx := &counting{Context: context.Background()}
		abort.On(scc.Within(ctx, r.game.m, r.game.leftOver(0), func([]lts.State, bool) {}))
		search := ctx.asked
		ctx.asked = 0
		r.game.within(ctx, 0)
		if asked := ctx.asked - search; asked < c.loops*n>>12 {
			t.Errorf("%s: the context was asked %d times while %d states were described", c.formula, asked, n)
		}
	}
}
