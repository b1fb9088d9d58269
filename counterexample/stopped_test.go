package counterexample_test

import (
	"context"
	"testing"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// shortLived is a context that is done once it was asked so many times.
type shortLived struct {
	context.Context
	left int
}

func (c *shortLived) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestStoppedSearchKeepsItsRun stops searches at each time at which they ask whether they are
// stopped: what they return then violates the property, and is not called shortest; and from
// some time on it is a run.
func TestStoppedSearchKeepsItsRun(t *testing.T) {
	// A ring of many states with chords, so that loops are found that are not shortest.
	n := 9_000
	if !randomlts.Whole() {
		n = 3_000
	}
	var b lts.Builder
	x, a := b.Label("x"), b.Label("A")
	for s := range n {
		of := x
		if s == n/2 {
			of = a
		}
		b.Add(lts.State(s), of, lts.State((s+1)%n))
		b.Add(lts.State(s), x, lts.State((7*s+3)%n))
	}
	m, err := b.Build(0, n)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"F G !A", "G F A -> G F x && F G !A", "Response(A; x)"} {
		p := boundTo(t, m, text)
		whole, err := counterexample.Shortest(context.Background(), m, p, counterexample.Options{})
		if err != nil {
			t.Fatal(err)
		}
		runs := 0
		for left := 0; ; left++ {
			r, err := counterexample.Shortest(&shortLived{context.Background(), left}, m, p, counterexample.Options{})
			if err == nil {
				break
			}
			if r == nil || r.Trace == nil {
				continue
			}
			runs++
			if !r.Violated || r.Minimal != counterexample.MinimalUnknown || r.Trace.Len() < whole.Trace.Len() || whole.Trace == nil {
				t.Fatalf("%s: %v", text, r)
			}
		}
		if whole.Trace != nil && runs == 0 {
			t.Errorf("%s: no run was kept", text)
		}
	}
}
