package cluster

import (
	"slices"
	"sync"
	"testing"
	"time"
)

// Who is ready first waits for those who came before, and not for one that takes long.
func TestLine(t *testing.T) {
	for _, c := range []struct {
		long time.Duration
		want []int
	}{{time.Hour, []int{0, 1, 2}}, {time.Millisecond, []int{1, 2, 0}}} {
		l := newLine(3, c.long)
		var places []*place
		for range 3 {
			places = append(places, l.enter())
		}
		prepared := []chan struct{}{make(chan struct{}), make(chan struct{}), make(chan struct{})}
		var mu sync.Mutex
		var order []int
		var all sync.WaitGroup
		two := make(chan struct{})
		for i, p := range places {
			all.Add(1)
			go func() {
				defer all.Done()
				defer p.leave()
				<-prepared[i]
				p.turn(t.Context())
				mu.Lock()
				defer mu.Unlock()
				if order = append(order, i); len(order) == 2 {
					close(two)
				}
			}()
		}
		close(prepared[2])
		close(prepared[1])
		if c.long < time.Second {
			<-two // they have not waited for the first
		}
		close(prepared[0])
		all.Wait()
		if c.long < time.Second {
			slices.Sort(order[:2])
		}
		if !slices.Equal(order, c.want) {
			t.Errorf("where %v is long: %v, want %v", c.long, order, c.want)
		}
	}
}
