package main

import (
	"context"
	"testing"

	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts/scc"
)

// TestPearce: the yardstick of the engines finds what gonum finds.
func TestPearce(t *testing.T) {
	several := 0
	for seed := range uint64(500) {
		m := randomlts.Seeded(seed, randomlts.Medium()).Model
		c, err := scc.Find(context.Background(), m, "gonum")
		if err != nil {
			t.Fatal(err)
		}
		if got := graphOf(m).components(m.Initial()); got != c.Len() {
			t.Fatalf("seed %d: %d components, gonum finds %d", seed, got, c.Len())
		}
		if c.Len() > 1 && c.Len() < m.NumStates() {
			several++
		}
	}
	if several < 100 {
		t.Errorf("only %d models are worth the test", several)
	}
}
