package lts_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"pgregory.net/rapid"
)

// TestLabelColumn compares what a column holds after any sequence of calls with a list.
// Labels are drawn near the borders of widths.
func TestLabelColumn(t *testing.T) {
	borders := []lts.Label{0, 1, 254, 255, 256, 257, 65534, 65535, 65536, 65537, 1 << 31, 1<<32 - 1}
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.SampledFrom(borders).Draw(t, "largest")
		label := rapid.SampledFrom(borders[:slices.Index(borders, most)+1])
		ctx := context.Background()
		var c lts.LabelColumn
		var want []lts.Label
		t.Repeat(map[string]func(*rapid.T){
			"append": func(t *rapid.T) {
				l := label.Draw(t, "label")
				c.Append(l)
				want = append(want, l)
			},
			"append all": func(t *rapid.T) {
				var other lts.LabelColumn
				more := rapid.SliceOfN(label, 0, 5).Draw(t, "labels")
				for _, l := range more {
					other.Append(l)
				}
				c.AppendAll(other.Labels())
				want = append(want, more...)
			},
			"put": func(t *rapid.T) {
				labels := rapid.SliceOfN(label, 0, len(want)).Draw(t, "labels")
				first := rapid.IntRange(0, len(want)-len(labels)).Draw(t, "first")
				if err := c.Grow(ctx, 0, int(most)+1); err != nil {
					t.Fatal(err)
				}
				c.Put(first, labels)
				copy(want[first:], labels)
			},
			"move": func(t *rapid.T) {
				keep := rapid.IntRange(0, len(want)).Draw(t, "kept")
				n := keep + rapid.IntRange(0, 5).Draw(t, "more")
				var err error
				if c, err = c.Moved(ctx, keep, n, int(label.Draw(t, "label"))+1); err != nil {
					t.Fatal(err)
				}
				want = append(want[:keep], make([]lts.Label, n-keep)...)
			},
			"cut": func(t *rapid.T) {
				n := rapid.IntRange(0, len(want)).Draw(t, "n")
				c.Cut(n)
				want = want[:n]
			},
			"": func(t *rapid.T) {
				labels := c.Labels()
				if got := slices.Collect(labels.All()); !slices.Equal(got, want) || c.Len() != len(want) || labels.Len() != len(want) {
					t.Fatalf("%d labels, %v, want %v", c.Len(), got, want)
				}
				for _, l := range want {
					if !c.Fits(int(l)+1) || !labels.Any(func(other lts.Label) bool { return other == l }) {
						t.Fatalf("label %d in %d bytes", l, c.Width())
					}
				}
			},
		})
	})
}

// TestLabelsTakeAsLittleAsTheirAlphabet: 1, 2 or 4 bytes.
func TestLabelsTakeAsLittleAsTheirAlphabet(t *testing.T) {
	for _, c := range []struct{ alphabet, width int }{{0, 1}, {256, 1}, {257, 2}, {65536, 2}, {65537, 4}, {1 << 32, 4}} {
		column, err := lts.NewLabelColumn(context.Background(), 3, c.alphabet)
		if err != nil || column.Width() != c.width || column.Len() != 3 {
			t.Errorf("%d labels: %d bytes each, %d of them, error %v; want %d bytes", c.alphabet, column.Width(), column.Len(), err, c.width)
		}
	}
}

// TestLabelsAskForMemory: a column is not made where a budget does not have the memory.
func TestLabelsAskForMemory(t *testing.T) {
	budget := resources.NewBudget(resources.Limit{Bytes: 1, By: "allowed by a test"}, nil)
	ctx, leave := resources.Join(budget.With(context.Background()))
	defer leave()
	var exceeded *resources.ExceededError
	if _, err := lts.NewLabelColumn(ctx, 1<<24, 2); !errors.As(err, &exceeded) {
		t.Errorf("error %v", err)
	}
}

// TestWithOtherHasNewText checks labels that look like the other label.
func TestWithOtherHasNewText(t *testing.T) {
	a := lts.RepeatingAlphabet([]string{"\x00\x00", "\x00"})
	with := a.WithOther([]lts.Label{0, 1})
	if with.Len() != 3 || with.Texts() != 3 {
		t.Errorf("%d labels have %d texts; want 3", with.Len(), with.Texts())
	}
}
