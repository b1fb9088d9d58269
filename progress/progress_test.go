package progress_test

import (
	"context"
	"sync"
	"testing"

	"github.com/inev-lts/inev/progress"
)

func TestMeterCountsFromManyGoroutines(t *testing.T) {
	var seen []*progress.Meter
	ctx := progress.With(context.Background(), func(m *progress.Meter) { seen = append(seen, m) })
	m := progress.Start(ctx, "read", progress.Bytes, 4000)
	var workers sync.WaitGroup
	for range 4 {
		workers.Add(1)
		go func() {
			defer workers.Done()
			for range 1000 {
				m.Add(1)
			}
		}()
	}
	workers.Wait()
	if len(seen) != 1 || seen[0] != m || m.Done() != 4000 || m.Phase != "read" || m.Total != 4000 {
		t.Fatalf("observed %d meters, the first with %d done", len(seen), m.Done())
	}
}

func TestNobodyObserves(t *testing.T) {
	m := progress.Start(context.Background(), "read", progress.Bytes, 1)
	if m.Add(1); m != nil || m.Done() != 0 {
		t.Fatal("a meter without an observer")
	}
}
