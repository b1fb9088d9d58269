package counters_test

import (
	"context"
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/internal/counters"
	"github.com/inev-lts/inev/internal/resources"
)

// TestCounters compares them with a list, near the largest number that a byte holds.
func TestCounters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const states = 3
		c, err := counters.New(context.Background(), states)
		if err != nil {
			t.Fatal(err)
		}
		var want [states]uint32
		state := rapid.IntRange(0, states-1)
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				s := state.Draw(t, "state")
				c.Add(uint32(s))
				want[s]++
			},
			"set": func(t *rapid.T) {
				s, n := state.Draw(t, "state"), rapid.SampledFrom([]uint32{0, 1, 254, 255, 256, 1<<32 - 2}).Draw(t, "number")
				c.Set(uint32(s), n)
				want[s] = n
			},
			"remove": func(t *rapid.T) {
				s := state.Draw(t, "state")
				if want[s] == 0 {
					t.Skip("0")
				}
				want[s]--
				if none := c.Decrease(uint32(s)); none != (want[s] == 0) {
					t.Fatalf("state %d: none: %v, want %d", s, none, want[s])
				}
			},
			"clear": func(t *rapid.T) {
				c.Clear()
				want = [states]uint32{}
			},
			"": func(t *rapid.T) {
				for s, n := range want {
					if c.None(uint32(s)) != (n == 0) || c.Err() != nil {
						t.Fatalf("state %d, error %v, want %d", s, c.Err(), n)
					}
				}
			},
		})
	})
}

// TestNoMemory: without memory for larger numbers there is an error, and no panic.
func TestNoMemory(t *testing.T) {
	const states = 1 << 19 // as bytes so few that they need not be asked for
	budget := resources.NewBudget(resources.Limit{Bytes: 1, By: "allowed by a test"}, nil)
	ctx, leave := resources.Join(budget.With(context.Background()))
	defer leave()
	c, err := counters.New(ctx, states)
	if err != nil {
		t.Fatal(err)
	}
	for range 300 {
		c.Add(7)
	}
	c.Set(7, 1000)
	var exceeded *resources.ExceededError
	if !errors.As(c.Err(), &exceeded) {
		t.Errorf("error %v", c.Err())
	}
	if c.None(7) || c.Decrease(7) {
		t.Error("the number of state 7 is 0")
	}
}
