package lts

import (
	"context"
	"slices"
	"testing"
)

// TestSortWithWideOffsets sorts few transitions as if they were too many for
// 32 bits: rows are the same, and no order is kept.
func TestSortWithWideOffsets(t *testing.T) {
	columns := func() Columns {
		var c Columns
		for i := range 200_000 {
			c.Sources = append(c.Sources, uint32(i*31%97))
			c.Labels.Append(Label(i))
			c.Targets = append(c.Targets, State(i/3))
		}
		return c
	}
	var narrow, wide LTS
	if err := narrow.sort(context.Background(), columns(), 100, 2); err != nil {
		t.Fatal(err)
	}
	wide.rows.wide = make([]uint64, 101)
	wide.labels, wide.targets = columns().Labels, columns().Targets
	if err := sortColumns(context.Background(), &wide, wide.rows.wide, columns(), 3); err != nil {
		t.Fatal(err)
	}
	for s := range State(100) {
		labels, targets := narrow.Out(s)
		wideLabels, wideTargets := wide.Out(s)
		if !slices.Equal(slices.Collect(labels.All()), slices.Collect(wideLabels.All())) || !slices.Equal(targets, wideTargets) {
			t.Fatalf("row %d: %v, %v; wide %v, %v", s, labels, targets, wideLabels, wideTargets)
		}
	}
}
