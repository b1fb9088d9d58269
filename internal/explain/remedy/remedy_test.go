package remedy_test

import (
	"context"
	"testing"

	"github.com/inev-lts/inev/internal/explain/remedy"
	"github.com/inev-lts/inev/lts"
)

// TestValuesOf: a state has the values of the one that it comes from, or none if that has none; the numbers of values
// stay.
func TestValuesOf(t *testing.T) {
	b, err := lts.NewValuesBuilder(context.Background(), []lts.Parameter{{Name: "n", Sort: "Nat"}, {Name: "q"}})
	if err != nil {
		t.Fatal(err)
	}
	for s, text := range []string{"7", "3", "5"} {
		if err := b.Set(lts.State(s), 0, b.Value(0, []byte(text))); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Set(1, 1, b.Value(1, []byte("x"))); err != nil {
		t.Fatal(err)
	}
	values, err := b.Build(3)
	if err != nil {
		t.Fatal(err)
	}
	origins := []lts.State{2, 1, 1, 0}
	got, err := remedy.ValuesOf(context.Background(), values, origins)
	if err != nil {
		t.Fatal(err)
	}
	if got.NumStates() != len(origins) || got.Parameter(0) != values.Parameter(0) || got.NumValues(0) != 3 {
		t.Errorf("%d states, %+v, %d values", got.NumStates(), got.Parameter(0), got.NumValues(0))
	}
	for s, origin := range origins {
		for p := range values.NumParameters() {
			if is, want := got.Value(lts.State(s), p), values.Value(origin, p); is != want {
				t.Errorf("state %d, parameter %d: %v, want %v", s, p, is, want)
			}
		}
	}
	if same, err := remedy.ValuesOf(context.Background(), values, nil); err != nil || same != values {
		t.Errorf("states that keep their numbers: %v, %v", same, err)
	}
}
