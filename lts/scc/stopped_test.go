package scc_test

import (
	"context"
	"errors"
	"testing"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
)

// TestManySmallSearchesStop: a search ends soon after its context, also if each state is a component that is
// searched by itself.
func TestManySmallSearchesStop(t *testing.T) {
	const n = 1 << 18
	var b lts.Builder
	next := b.Label("next")
	for s := range lts.State(n - 1) {
		b.Add(s, next, s+1)
	}
	m, err := b.Build(0, n)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	found := 0
	err = scc.Within(ctx, m, func(lts.State, lts.Label, lts.State) bool { return false }, func([]lts.State, bool) {
		if found++; found == n/4 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || found > n/2 {
		t.Errorf("%v after %d of %d components", err, found, n)
	}
}
