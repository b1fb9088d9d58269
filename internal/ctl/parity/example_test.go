package parity_test

import (
	"context"
	"fmt"
	"os"

	"github.com/inev-lts/inev/internal/ctl/parity"
	"github.com/inev-lts/inev/internal/formula/modal"
	"github.com/inev-lts/inev/lts"
)

func Example() {
	var b lts.Builder
	b.Add(0, b.Label("order"), 1)
	b.Add(1, b.Label("serve"), 0)
	b.Add(1, b.Label("wait"), 1)
	m, err := b.Build(0, 2)
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	if err := m.FindPredecessors(ctx); err != nil {
		panic(err)
	}
	// Some run serves again and again.
	f, err := modal.Graph(ctx, "nu X . mu Y . (<serve>X || <!serve>Y)")
	if err != nil {
		panic(err)
	}
	means, _, err := f.Bind(ctx, m.Alphabet())
	if err != nil {
		panic(err)
	}
	s, err := parity.Solve(ctx, m, f, means, []lts.State{0})
	if err != nil {
		panic(err)
	}
	fmt.Println("alternation depth", f.Depth(), "holds in", s.Good)
	a, err := s.Argue(ctx, 0)
	if err != nil {
		panic(err)
	}
	if err := a.WriteText(os.Stdout, m); err != nil {
		panic(err)
	}
	// Output:
	// alternation depth 2 holds in [0]
	// nu X . mu Y . (<serve>X || <!serve>Y) holds in 0: a run goes round a loop of 2 transitions forever.
	//   ↻ 0 -order-> 1
	//   ↻ 1 -serve-> 0
}
