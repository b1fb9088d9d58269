package lts_test

import (
	"context"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/lts"
)

// TestHappening compares the labels that happen with those of the transitions that leave
// reachable states.
func TestHappening(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b lts.Builder
		n := rapid.IntRange(1, 6).Draw(t, "states")
		for _, text := range []string{"A", "B", "C"} {
			b.Label(text)
		}
		for range rapid.IntRange(0, 8).Draw(t, "transitions") {
			state := func() lts.State { return lts.State(rapid.IntRange(0, n-1).Draw(t, "state")) }
			b.Add(state(), lts.Label(rapid.IntRange(0, 2).Draw(t, "label")), state())
		}
		m, err := b.Build(0, n)
		if err != nil {
			t.Fatal(err)
		}
		happens := map[lts.Label]bool{}
		for x := range m.Transitions() {
			if m.Reachable().Has(x.From) {
				happens[x.Label] = true
			}
		}
		a, err := m.Happening(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for l, text := range a.All() {
			if a.Happens(l) != happens[l] || !m.Alphabet().Happens(l) || text != m.Alphabet().Text(l) {
				t.Fatalf("%s happens: %t", text, a.Happens(l))
			}
		}
		if (a == m.Alphabet()) != (len(happens) == 3) {
			t.Fatal("the alphabet is a new one")
		}
	})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var b lts.Builder
	m, _ := b.Build(0, 1)
	if _, err := m.Happening(ctx); err == nil {
		t.Error("a context that is done goes unnoticed")
	}
}
