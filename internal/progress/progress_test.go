package progress_test

import (
	"context"
	"sync"
	"testing"

	"github.com/inev-lts/inev/internal/progress"
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

// TestAlso: both observers are told of every phase, and a meter says how far it is.
func TestAlso(t *testing.T) {
	var first, second *progress.Meter
	ctx := progress.With(context.Background(), func(m *progress.Meter) { first = m })
	ctx = progress.Also(ctx, func(m *progress.Meter) { second = m })
	m := progress.Start(ctx, "search", progress.States, 5000)
	if m == nil || first != m || second != m {
		t.Errorf("%p %p %p", m, first, second)
	}
	m.Add(1200)
	unknown := &progress.Meter{Phase: "read", Unit: progress.Bytes}
	for meter, want := range map[*progress.Meter]string{
		m: "search, 1,200 of 5,000 states", unknown: "read", {Phase: "classify", Unit: progress.Nothing, Total: 5}: "classify",
	} {
		if got := meter.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	alone := progress.Also(context.Background(), func(m *progress.Meter) { first = m })
	if m := progress.Start(alone, "merge", progress.Transitions, 0); first != m {
		t.Error("the only observer was not told")
	}
}
