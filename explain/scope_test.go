package explain

import (
	"context"
	"slices"
	"testing"

	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// TestWhatHappensInAScopeIsForbidden: advice forbids what must not happen in a scope, and not what ends
// the scope.
func TestWhatHappensInAScopeIsForbidden(t *testing.T) {
	ctx := context.Background()
	file := []string{"0 open 1", "0 idle 0", "1 read 1", "1 write 2", "2 flush 3", "3 read 3", "3 close 0", "1 finish 4", "4 close 0"}
	start := []string{"0 write 1", "0 set 2", "1 set 3", "2 boot 4", "3 boot 4", "4 write 4"}
	onlyWay := []string{"0 open 1", "0 idle 0", "1 write 2", "2 flush 2", "2 close 0"}
	for _, c := range []struct {
		model *lts.LTS
		text  string
		want  string
	}{
		{modelOfSteps(t, file...), "Never(write; between open and close)", "write 1"},
		{modelOfSteps(t, file...), "AtMost(0; write; between open and close)", "write 1"},
		{modelOfSteps(t, file...), "Precedes(read; write; between open and close)", "write 1"},
		{modelOfSteps(t, file...), "Always({open, idle, read, finish, close}; between open and close)", "write 1"},
		{modelOfSteps(t, file...), "Never(write; after open until close)", "write 1"},
		{modelOfSteps(t, start...), "Never(write; before boot)", "write 0"},
		{modelOfSteps(t, onlyWay...), "Never(write; between open and close)", "close 2"}, // nothing else helps
	} {
		f, err := formula.Parse(ctx, c.text)
		if err != nil {
			t.Fatal(err)
		}
		e, err := Explain(ctx, c.model, f, Options{NoFairness: true, NoPaths: true})
		if err != nil {
			t.Fatal(err)
		}
		if got := forbiddenBy(e.Repair); got != c.want {
			t.Errorf("%s: forbidden is %s, want %s", c.text, got, c.want)
		}
		r, err := FindRepair(ctx, c.model, f, RepairOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got := forbiddenBy(r.Repair); got != c.want {
			t.Errorf("%s: repair forbids %s, want %s", c.text, got, c.want)
		}
	}
}

// TestFewestAndOwnersLeaveTheScope: the fewest transitions to forbid, and the owners who could have prevented a
// violation, leave the end of a scope alone if that is possible, and if it may not be forbidden.
func TestFewestAndOwnersLeaveTheScope(t *testing.T) {
	ctx := context.Background()
	m := modelOfSteps(t, "0 open 1", "0 idle 0", "1 write 2", "1 log 3", "3 write 2", "3 skip 4", "4 close 0", "2 flush 2", "2 close 0")
	onlyWay := modelOfSteps(t, "0 open 1", "0 idle 0", "1 write 2", "2 flush 2", "2 close 0")
	owners := &Owners{Names: []string{"w", "c"}, Of: func(label string) (string, bool) { return label[:1], true }}
	f, err := formula.Parse(ctx, "Never(write; between open and close)")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		model   *lts.LTS
		options RepairOptions
		fewest  []string
		owners  [][]string
	}{
		{m, RepairOptions{}, []string{"write", "write"}, [][]string{{"w"}}},
		{m, RepairOptions{MayForbidTriggers: true}, []string{"open"}, [][]string{{"w"}, {"c"}}},
		{onlyWay, RepairOptions{}, []string{"close"}, [][]string{{"c"}}},
	} {
		c.options.Fewest = true
		c.options.Owners = owners
		r, err := FindRepair(ctx, c.model, f, c.options)
		if err != nil {
			t.Fatal(err)
		}
		var labels []string
		for _, t := range r.Fewest.Transitions {
			labels = append(labels, t.Label)
		}
		if !slices.Equal(labels, c.fewest) || !slices.EqualFunc(r.Prevention.Minimal, c.owners, slices.Equal) {
			t.Errorf("%+v: the fewest are %v, and %v can prevent it; want %v and %v", c.options.MayForbidTriggers, labels,
				r.Prevention.Minimal, c.fewest, c.owners)
		}
	}
}

// TestScopesAreNotCut: if it is enough to forbid X in the scope, advice about Never(X; between A and B) forbids
// neither A nor B.
func TestScopesAreNotCut(t *testing.T) {
	ctx := context.Background()
	compared := 0
	for seed := range randomlts.Share(3_000) {
		c := randomlts.Seeded(seed, randomlts.Size{States: 7, Transitions: 16, Labels: 5, Steps: 1})
		f, err := formula.Parse(ctx, "Never(A; between B and C)")
		if err != nil {
			t.Fatal(err)
		}
		if !keepsWaysOn(c.Model, "A", "B", "C") {
			continue
		}
		r, err := FindRepair(ctx, c.Model, f, RepairOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Holds() {
			continue
		}
		compared++
		isDelimiter := func(f Forbidden) bool { return f.Label == "B" || f.Label == "C" }
		for _, repair := range []*Repair{r.Repair, r.Restated} {
			if repair != nil && slices.ContainsFunc(repair.Never, isDelimiter) {
				t.Fatalf("seed %d: forbidden is %s\n%s", seed, forbiddenBy(repair), c)
			}
		}
		e, err := Explain(ctx, c.Model, f, Options{NoFairness: true, NoPaths: true})
		if err != nil {
			t.Fatal(err)
		}
		if cut := e.Repair.Cut; cut != nil && slices.ContainsFunc(cut.Transitions, func(s CutStep) bool {
			return s.Label == "B" || s.Label == "C"
		}) {
			t.Fatalf("seed %d: cut %v\n%s", seed, cut.Transitions, c)
		}
	}
	if randomlts.Whole() && compared < 100 {
		t.Errorf("only %d models were compared", compared)
	}
}

// keepsWaysOn reports whether runs that never do x between a and b never have to stop where they did not
// stop before, and can still do a. It explores pairs of a state and whether the scope is open.
func keepsWaysOn(m *lts.LTS, x, a, b string) bool {
	type place struct {
		state  lts.State
		isOpen bool
	}
	seen := map[place]bool{{state: m.Initial()}: true}
	queue := []place{{state: m.Initial()}}
	opens := false
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		ways := 0
		labels, targets := m.Out(at.state)
		for i, to := range targets {
			text := m.Alphabet().Text(labels.At(i))
			if text == x && at.isOpen {
				continue
			}
			ways++
			opens = opens || text == a
			next := place{to, (at.isOpen || text == a) && text != b}
			if !seen[next] {
				seen[next] = true
				queue = append(queue, next)
			}
		}
		if ways == 0 && len(targets) > 0 {
			return false
		}
	}
	return opens
}
