package memoize_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/inev-lts/inev/internal/memoize"
)

type square int

func TestOf(t *testing.T) {
	var computed atomic.Int32
	of := func(ctx context.Context, n int) int {
		return memoize.Of(ctx, square(n), func() int { computed.Add(1); return n * n })
	}
	var m memoize.Memory
	remembering := m.With(context.Background())
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			if got := of(remembering, i%2+3); got != (i%2+3)*(i%2+3) {
				t.Errorf("the square of %d is %d", i%2+3, got)
			}
		})
	}
	all.Wait()
	if n := computed.Load(); n != 2 {
		t.Errorf("two values are computed %d times", n)
	}
	for range 2 {
		of(context.Background(), 3)
	}
	if n := computed.Load(); n != 4 {
		t.Errorf("without a memory it is computed %d times, not twice", n-2)
	}
}
