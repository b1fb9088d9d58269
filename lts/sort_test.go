package lts

import (
	"context"
	"fmt"
	"slices"
	"testing"
)

// TestWideOffsets sorts few transitions, and inverts them, as if they were too many for 32
// bits, with labels of all widths: rows are the same, and no order is kept.
func TestWideOffsets(t *testing.T) {
	for _, labels := range []int{1 << 8, 1 << 16, 1 << 17} {
		t.Run(fmt.Sprint(labels), func(t *testing.T) {
			columns := func() Columns {
				var c Columns
				for i := range 200_000 {
					c.Sources = append(c.Sources, uint32(i*31%97))
					c.Labels.Append(Label(i % labels))
					c.Targets = append(c.Targets, State(i/3%100))
				}
				return c
			}
			var narrow, wide LTS
			narrow.sort(context.Background(), columns(), 100, 2)
			wide.rows.wide = make([]uint64, 101)
			wide.labels, wide.targets = columns().Labels, columns().Targets
			sortColumns(context.Background(), &wide, wide.rows.wide, columns(), 3)
			narrow.order = nil // by which predecessors would be in the order of addition
			before := Predecessors{rows: offsets{wide: make([]uint64, 101)}, sources: make([]State, len(wide.targets))}
			before.labels, _ = wide.labels.Moved(context.Background(), 0, len(wide.targets), 0)
			invertInto(&wide, &before, before.rows.wide)
			after := narrow.invert()
			for s := range State(100) {
				ll, lt := narrow.Out(s)
				wl, wt := wide.Out(s)
				if !slices.Equal(slices.Collect(ll.All()), slices.Collect(wl.All())) || !slices.Equal(lt, wt) {
					t.Fatalf("row %d: %v, %v; wide %v, %v", s, ll, lt, wl, wt)
				}
				ll, lt = after.In(s)
				wl, wt = before.In(s)
				if !slices.Equal(slices.Collect(ll.All()), slices.Collect(wl.All())) || !slices.Equal(lt, wt) {
					t.Fatalf("to %d: %v, %v; wide %v, %v", s, ll, lt, wl, wt)
				}
			}
		})
	}
}
