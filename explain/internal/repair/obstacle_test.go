package repair_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/inev-lts/inev/explain/internal/repair"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// TestObstaclesAreOfTheModel: what is said to stand in the way is a transition of the model from
// the place to which the path leads; if all with a label go together, one of several.
func TestObstaclesAreOfTheModel(t *testing.T) {
	ctx := context.Background()
	texts := []string{`DeadlockFree`, `Response("A"; "B")`, `Never("A", "B")`, `G F "A" && G F "B"`, `G F "A" -> G F "B"`, `F G "A"`, `Inev("A", "B")`}
	kinds := map[repair.ObstacleKind]int{}
	for seed := range randomlts.Share(4_000) {
		c := randomlts.Seeded(seed, randomlts.Size{States: 4, Transitions: 8, Labels: 3, Steps: 1})
		text := texts[seed%uint64(len(texts))]
		p := bindAny(t, c.Model, text)
		forced := func(l lts.Label) bool { return seed/7>>(l%8)&3 == 3 }
		r, err := repair.Find(ctx, c.Model, p, repair.Options{Controllable: func(l lts.Label) bool { return !forced(l) }, ByLabel: true})
		if err != nil {
			t.Fatal(err)
		}
		if r.Solvable {
			continue
		}
		kinds[r.Obstacle.Kind]++
		if err := isOfModel(c.Model, r.Obstacle, forced); err != nil {
			t.Fatalf("seed %d, %s:\n%s\n%+v: %v", seed, text, c, r.Obstacle, err)
		}
	}
	if t.Log(kinds); randomlts.Whole() && (len(kinds) < 3 || kinds[repair.Nondeterminism] < 50) {
		t.Error("hardly any were met")
	}
}

func isOfModel(m *lts.LTS, o *repair.Obstacle, forced func(lts.Label) bool) error {
	all := slices.Collect(m.Transitions())
	at := m.Initial()
	for _, t := range o.Path {
		if t.From != at || !slices.Contains(all, t) {
			return fmt.Errorf("%v is not on a path", t)
		}
		at = t.To
	}
	t := o.Transition
	switch {
	case at != o.ProductState.State:
		return fmt.Errorf("the path leads to state %d", at)
	case o.Kind == repair.NoCorrectRun:
		return nil
	case !slices.Contains(all, t) || t.From != at:
		return fmt.Errorf("it is no transition from state %d", at)
	case o.Kind == repair.Uncontrollable && !forced(t.Label):
		return fmt.Errorf("it can be forbidden")
	case o.Kind == repair.Nondeterminism && !slices.ContainsFunc(all, func(other lts.Transition) bool {
		return other.From == at && other.Label == t.Label && other.To != t.To
	}):
		return fmt.Errorf("its label leads nowhere else")
	}
	return nil
}

// TestObstacleMakesProgress: the transition to blame leads towards a violation that the opponent can force. One
// that only leads away and back is not blamed, even if it comes first.
func TestObstacleMakesProgress(t *testing.T) {
	var b lts.Builder
	for _, step := range []struct {
		from  lts.State
		label string
		to    lts.State
	}{
		{0, "idle", 1}, {1, "back", 0}, {0, "go", 2}, {0, "stop", 4}, {4, "rest", 4},
		{2, "bad", 3}, {2, "good", 4}, {3, "rest", 3},
	} {
		b.Add(step.from, b.Label(step.label), step.to)
	}
	m, err := b.Build(0, 5)
	if err != nil {
		t.Fatal(err)
	}
	p := bindAny(t, m, "Never(bad)")
	r, err := repair.Find(context.Background(), m, p, repair.Options{Controllable: func(lts.Label) bool { return false }})
	if err != nil {
		t.Fatal(err)
	}
	if r.Solvable || r.Obstacle.Transition.To != 2 {
		t.Errorf("obstacle %+v", r.Obstacle)
	}
}
