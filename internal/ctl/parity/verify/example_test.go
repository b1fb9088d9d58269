package verify_test

import (
	"bytes"
	"context"
	"fmt"

	"github.com/inev-lts/inev/internal/ctl/parity"
	"github.com/inev-lts/inev/internal/ctl/parity/verify"
	"github.com/inev-lts/inev/internal/formula/modal"
	"github.com/inev-lts/inev/lts"
)

func Example() {
	var b lts.Builder
	b.Add(0, b.Label("order"), 1)
	b.Add(1, b.Label("serve"), 0)
	m, err := b.Build(0, 2)
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	if err := m.FindPredecessors(ctx); err != nil {
		panic(err)
	}
	f, err := modal.Graph(ctx, "nu X . mu Y . ([serve]X && [!serve]Y)")
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
	var file bytes.Buffer
	if err := s.WriteJSON(ctx, &file); err != nil {
		panic(err)
	}
	result, err := verify.Verify(ctx, m, f, means, &file)
	fmt.Println(result.Good, result.Bad, err)
	// Output: [0] [] <nil>
}
