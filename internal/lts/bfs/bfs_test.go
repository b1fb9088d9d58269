package bfs_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/internal/lts/bfs"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// distances are those from some states along some transitions, by relaxing all
// transitions as often as there are states; -1 if there is none.
func distances(m *lts.LTS, from []lts.State, along func(lts.Transition) bool) []int {
	d := slices.Repeat([]int{-1}, m.NumStates())
	for _, s := range from {
		d[s] = 0
	}
	for range d {
		for t := range m.Transitions() {
			if along(t) && d[t.From] >= 0 && (d[t.To] < 0 || d[t.To] > d[t.From]+1) {
				d[t.To] = d[t.From] + 1
			}
		}
	}
	return d
}

func someStates(t *rapid.T, m *lts.LTS, name string) []lts.State {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) lts.State {
		return lts.State(rapid.IntRange(0, m.NumStates()-1).Draw(t, "state"))
	}), 0, 4).Draw(t, name)
}

func TestPathsAreShortest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := randomlts.Generator(randomlts.Medium()).Draw(t, "model").Model
		from, wanted := someStates(t, m, "from"), someStates(t, m, "wanted")
		along := func(lts.Transition) bool { return true }
		var o bfs.Options
		if rapid.Bool().Draw(t, "restricted") {
			salt := rapid.Uint32().Draw(t, "salt")
			along = func(t lts.Transition) bool { return (uint32(t.From)*31+uint32(t.Label)*17+uint32(t.To)+salt)%3 != 0 }
			o.Along = along
		}
		until := rapid.Bool().Draw(t, "until")
		if until {
			o.Until = bfs.All(m, wanted)
		}
		found, err := bfs.From(context.Background(), m, from, o)
		if err != nil {
			t.Fatal(err)
		}
		want := distances(m, from, along)
		farthest := -1 // up to which everything must be met
		for _, s := range wanted {
			farthest = max(farthest, want[s])
			if want[s] < 0 {
				farthest = len(want)
			}
		}
		for s := range lts.State(m.NumStates()) {
			d, met := found.Distance(s)
			switch {
			case met && d != want[s]:
				t.Fatalf("distance of %d is %d, want %d", s, d, want[s])
			case !met && want[s] >= 0 && (!until || want[s] <= farthest):
				t.Fatalf("%d was not met, and has distance %d", s, want[s])
			case until && met && d > farthest+1:
				t.Fatalf("%d was met at distance %d, but all wanted at %d", s, d, farthest)
			}
			checkPath(t, m, from, along, found, s)
		}
	})
}

// checkPath demands a path of the length of the distance, along transitions that may be
// taken, each of which is the first of its state that leads there.
func checkPath(t *rapid.T, m *lts.LTS, from []lts.State, along func(lts.Transition) bool, found *bfs.Tree, s lts.State) {
	d, met := found.Distance(s)
	path := found.Path(s)
	if (path != nil) != met || met && len(path) != d {
		t.Fatalf("%d: met %v at distance %d, path %v", s, met, d, path)
	}
	at := s
	for _, step := range slices.Backward(path) {
		labels, targets := m.Out(step.From)
		first := slices.IndexFunc(targets, func(to lts.State) bool { return to == step.To })
		for !along(lts.Transition{From: step.From, Label: labels.At(first), To: targets[first]}) || targets[first] != step.To {
			first++
		}
		if step.To != at || labels.At(first) != step.Label {
			t.Fatalf("path to %d: %v is not the first step to %d", s, step, at)
		}
		at = step.From
	}
	if met && !slices.Contains(from, at) {
		t.Fatalf("the path to %d begins in %d, but the search in %v", s, at, from)
	}
}

func TestUntilSeesStatesInOrder(t *testing.T) {
	var b lts.Builder
	l := b.Label("a")
	for _, t := range [][2]lts.State{{0, 2}, {0, 1}, {1, 3}, {2, 4}, {4, 0}} {
		b.Add(t[0], l, t[1])
	}
	m, err := b.Build(0, 5)
	if err != nil {
		t.Fatal(err)
	}
	var seen []lts.State
	_, err = bfs.From(context.Background(), m, []lts.State{0, 0}, bfs.Options{Until: func(s lts.State) bool {
		seen = append(seen, s)
		return s == 4
	}})
	if want := []lts.State{0, 2, 1, 4}; err != nil || !slices.Equal(seen, want) {
		t.Errorf("%v, %v; want %v", seen, err, want)
	}
}

func TestSearchHonoursContextAndBudget(t *testing.T) {
	var b lts.Builder
	b.Add(0, b.Label("a"), 1)
	m, err := b.Build(0, 1<<17) // for less than a megabyte nobody has to ask
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := bfs.From(ctx, m, []lts.State{0}, bfs.Options{}); err != context.Canceled {
		t.Errorf("error %v", err)
	}
	ctx, leave := resources.Join(resources.NewBudget(resources.Limit{Bytes: 1, By: "allowed by a test"}, nil).With(context.Background()))
	defer leave()
	var exceeded *resources.ExceededError
	if _, err := bfs.From(ctx, m, []lts.State{0}, bfs.Options{}); !errors.As(err, &exceeded) {
		t.Errorf("error %v", err)
	}
}
