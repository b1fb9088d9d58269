package compare

import (
	"context"
	"testing"

	"github.com/inev-lts/inev/lts"
)

// TestRedirectedBehind: behind a redirected transition the walk would pair the wrong states; the
// edit is the one change.
func TestRedirectedBehind(t *testing.T) {
	build := func(to lts.State) *lts.LTS {
		var b lts.Builder
		for _, x := range []struct {
			from  lts.State
			label string
			to    lts.State
		}{{0, "A", 1}, {0, "B", 2}, {1, "C", to}, {2, "C", 4}, {2, "D", 3}, {3, "E", 0}, {4, "F", 0}, {3, "G", 5}, {4, "H", 5}} {
			b.Add(x.from, b.Label(x.label), x.to)
		}
		m, err := b.Build(0, 6)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	b, err := Models(context.Background(), build(3), build(4), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if e := b.Edit; e == nil || len(e.Changes) != 1 || e.Changes[0].Kind != Redirected || e.Changes[0].At != 1 || len(e.NewStates)+len(e.GoneStates) > 0 {
		t.Errorf("%+v", e)
	}
}
