package simplify_test

import (
	"context"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/internal/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/simplify"
)

// distances are those from the initial state, by relaxing all transitions as
// often as there are states; -1 where there is none.
func distances(m *lts.LTS) []int {
	d := make([]int, m.NumStates())
	for s := range d {
		d[s] = -1
	}
	d[m.Initial()] = 0
	for range d {
		for t := range m.Transitions() {
			if d[t.From] >= 0 && (d[t.To] < 0 || d[t.To] > d[t.From]+1) {
				d[t.To] = d[t.From] + 1
			}
		}
	}
	return d
}

func TestPathsAreShortest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := randomlts.Generator(randomlts.Medium()).Draw(t, "model").Model
		var wanted []lts.State
		for s := range m.NumStates() {
			if rapid.Bool().Draw(t, "wanted") {
				wanted = append(wanted, lts.State(s))
			}
		}
		paths, err := simplify.FindPaths(context.Background(), m, wanted)
		if err != nil {
			t.Fatal(err)
		}
		want := distances(m)
		for _, s := range wanted {
			d, known := paths.Distance(s)
			if known != (want[s] >= 0) || known && d != want[s] {
				t.Fatalf("distance of %d is %d (%v), want %d", s, d, known, want[s])
			}
			at := m.Initial()
			for _, step := range paths.To(s) {
				labels, targets := m.Out(at)
				if step.From != at || !slices.ContainsFunc(targets, func(to lts.State) bool { return to == step.To }) || !slices.Contains(labels, step.Label) {
					t.Fatalf("path to %d: %v is no step from %d", s, step, at)
				}
				at = step.To
			}
			if known && (at != s || len(paths.To(s)) != d) {
				t.Fatalf("the path to %d has length %d and ends in %d", s, len(paths.To(s)), at)
			}
		}
	})
}

func TestPathsHonourContext(t *testing.T) {
	var b lts.Builder
	b.Add(0, b.Label("a"), 1)
	m, err := b.Build(0, 2)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := simplify.FindPaths(ctx, m, []lts.State{1}); err != context.Canceled {
		t.Fatalf("error %v", err)
	}
}

func TestPointOfNoReturn(t *testing.T) {
	free, fated := simplify.Free, simplify.Fated
	for _, c := range []struct {
		fates []simplify.Fate
		at    int
		has   bool
	}{
		{[]simplify.Fate{free, free, fated, fated}, 1, true},
		{[]simplify.Fate{free, free}, 0, false},
		{[]simplify.Fate{fated, fated}, 0, false},
		{[]simplify.Fate{free}, 0, false},
	} {
		if at, has := simplify.PointOfNoReturn(c.fates); at != c.at || has != c.has {
			t.Errorf("%v: %d, %v", c.fates, at, has)
		}
	}
}
