package lts_test

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/lts"
)

// TestTable compares tables with maps, for values that are set in any order, several times
// and not at all.
func TestValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const parameters, most = 3, 8
		b, err := lts.NewValuesBuilder(context.Background(), []lts.Parameter{{Name: "a"}, {Name: "b"}, {Name: "c"}})
		if err != nil {
			t.Fatal(err)
		}
		want := map[[2]int]string{}
		for range rapid.IntRange(0, 30).Draw(t, "times") {
			s, p := rapid.IntRange(0, most-1).Draw(t, "state"), rapid.IntRange(0, parameters-1).Draw(t, "parameter")
			text := rapid.SampledFrom([]string{"", "x", "y"}).Draw(t, "text")
			if err := b.Set(lts.State(s), p, b.Value(p, []byte(text))); err != nil {
				t.Fatal(err)
			}
			want[[2]int{s, p}] = text
		}
		table, err := b.Build(most)
		if err != nil {
			t.Fatal(err)
		}
		for s := range most {
			known := false
			for p := range parameters {
				text, there := want[[2]int{s, p}]
				known = known || there
				if v := table.Value(lts.State(s), p); (v != lts.NoValue) != there || table.Text(p, v) != text {
					t.Errorf("state %d, parameter %d: %d, want %q, %t", s, p, v, text, there)
				}
			}
			if table.Known(lts.State(s)) != known {
				t.Errorf("state %d: known is not %t", s, known)
			}
			for to := range most {
				var changed []int
				for p := range parameters {
					x, inX := want[[2]int{s, p}]
					y, inY := want[[2]int{to, p}]
					if x != y || inX != inY {
						changed = append(changed, p)
					}
				}
				if !table.Known(lts.State(s)) || !table.Known(lts.State(to)) {
					changed = nil
				}
				if got := slices.Collect(table.Changed(lts.State(s), lts.State(to))); !slices.Equal(got, changed) {
					t.Errorf("from %d to %d: %v, want %v", s, to, got, changed)
				}
			}
		}
	})
}

func TestValuesRefused(t *testing.T) {
	if _, err := lts.NewValuesBuilder(context.Background(), []lts.Parameter{{Name: "a"}, {Name: "a"}}); err == nil {
		t.Error("one name twice")
	}
	b, err := lts.NewValuesBuilder(context.Background(), []lts.Parameter{{Name: "a"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Set(3, 0, b.Value(0, []byte("x"))); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Build(3); err == nil || err.Error() != "values of more states than there are: 4, and 3" {
		t.Error(err)
	}
}
