package explain

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// unguarded is a mutual exclusion of two processes that both test before either sets its flag.
func unguarded(t *testing.T) *lts.LTS {
	t.Helper()
	var b lts.Builder
	numbers := map[[2]int]lts.State{{}: 0}
	all := [][2]int{{}}
	for s := 0; s < len(all); s++ {
		for i := range 2 {
			to := all[s]
			if to[i] == 0 && to[1-i] > 1 {
				continue
			}
			label := fmt.Sprintf("%s(%d)", []string{"test", "set_flag", "enter", "leave", "reset"}[to[i]], i)
			to[i] = (to[i] + 1) % 5
			if _, known := numbers[to]; !known {
				numbers[to] = lts.State(len(all))
				all = append(all, to)
			}
			b.Add(lts.State(s), b.Label(label), numbers[to])
		}
	}
	m, err := b.Build(0, len(all))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// modelOfSteps makes a model of lines such as "0 req 1".
func modelOfSteps(t *testing.T, lines ...string) *lts.LTS {
	t.Helper()
	var b lts.Builder
	most := lts.State(0)
	for _, line := range lines {
		var from, to lts.State
		var label string
		if _, err := fmt.Sscan(line, &from, &label, &to); err != nil {
			t.Fatal(err)
		}
		b.Add(from, b.Label(label), to)
		most = max(most, from, to)
	}
	m, err := b.Build(0, int(most)+1)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestCausesOfWhatIsProhibited: advice forbids causes of what a property prohibits if that keeps nine
// tenths of the states and all other labels; else it forbids what the property prohibits.
func TestCausesOfWhatIsProhibited(t *testing.T) {
	ctx := context.Background()
	access := []string{"0 connect 1", "0 idle 0", "1 READ 2", "1 LOGIN 3", "3 READ 0"}
	crash := []string{"0 req 1", "0 idle 0", "1 ok 0", "1 crash 2"}
	chain := []string{"0 on 1", "0 off 3", "1 crash 2", "2 end 2", "3 end 3"}
	for _, c := range []struct {
		model    *lts.LTS
		text     string
		want     string // what is forbidden
		restated string
	}{
		{unguarded(t), `Never("enter(1)"; after "enter(0)" until "leave(0)")`, "set_flag(1) 7, set_flag(0) 8, set_flag(1) 11", "enter(1) 16"},
		{unguarded(t), `Never("enter(1)"; between "enter(0)" and "leave(0)")`, "set_flag(1) 7, set_flag(0) 8, set_flag(1) 11", "enter(1) 16"},
		{unguarded(t), `G ("enter(0)" -> X (!"enter(1)" W "leave(0)"))`, "set_flag(1) 7, set_flag(0) 8, set_flag(1) 11", "enter(1) 16"},
		{modelOfSteps(t, access...), "Precedes(LOGIN; READ)", "READ 1", ""},
		{modelOfSteps(t, crash...), "Never(crash)", "crash 1", ""},
		{modelOfSteps(t, crash...), "AtMost(0; crash)", "crash 1", ""},
		{modelOfSteps(t, crash...), "G !crash", "crash 1", ""},
		{modelOfSteps(t, crash...), "[true*.\"crash\"] false", "crash 1", ""},
		{modelOfSteps(t, chain...), "Never(crash)", "on 0", ""}, // only causes exist
		{modelOfSteps(t, crash...), "Always({req, idle, ok})", "crash 1", ""},
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
		if got := forbiddenBy(e.Repair.Restated); got != c.restated {
			t.Errorf("%s: restated is %s, want %s", c.text, got, c.restated)
		}
		r, err := FindRepair(ctx, c.model, f, RepairOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got := forbiddenBy(r.Repair); got != c.want {
			t.Errorf("%s: repair forbids %s, want %s", c.text, got, c.want)
		}
		lifted, err := FindRepair(ctx, c.model, f, RepairOptions{MayForbidTriggers: true})
		if err != nil {
			t.Fatal(err)
		}
		if lifted.Restated != nil {
			t.Errorf("%s: causes are forbidden although the action may be", c.text)
		}
	}
}

// TestAllowedOnceIsMissed: a cut that takes away an action that the property allows at times says so, although the
// property prohibits the action at other times.
func TestAllowedOnceIsMissed(t *testing.T) {
	ctx := context.Background()
	m := modelOfSteps(t, "0 REQ 1", "0 SCAN 0", "0 VERSION 0", "1 VERSION 2", "1 REQ 1", "1 SCAN 0", "2 ANSWER 3", "3 REQ 1",
		"3 VERSION 4", "3 SCAN 0", "4 ANSWER 3", "0 IDLE 5", "5 IDLE 6", "6 IDLE 7", "7 IDLE 0")
	for text, lost := range map[string][]string{
		"AtMost(1; ANSWER; after REQ until SCAN)": {"ANSWER"},
		"Never(ANSWER)": {},
	} {
		f, err := formula.Parse(ctx, text)
		if err != nil {
			t.Fatal(err)
		}
		e, err := Explain(ctx, m, f, Options{NoFairness: true, NoPaths: true})
		if err != nil {
			t.Fatal(err)
		}
		if e.Repair.Cut == nil || !slices.Equal(e.Repair.Cut.Keeps.Lost, lost) {
			t.Errorf("%s: the cut is %+v, want one without %s", text, e.Repair.Cut, lost)
		}
	}
}

// forbiddenBy lists the transitions that a repair forbids; "" for none.
func forbiddenBy(r *Repair) string {
	if r == nil {
		return ""
	}
	var all []string
	for _, f := range r.Never {
		all = append(all, fmt.Sprintf("%s %d", f.Label, f.From))
	}
	return strings.Join(all, ", ")
}

// TestChangesMakeItTrue: the property holds without the transitions of a cut, and of a repair that
// forbids them whatever happened before, and there is no new deadlock; what each keeps is counted.
func TestChangesMakeItTrue(t *testing.T) {
	ctx := context.Background()
	texts := []string{"Never(A)", "Precedes(A; B)", "AtMost(1; A)", "Never(A, B)", "Inev(A)", "Inev(A, B)", "G F A", "Response(A; B)", "G (A -> X !B)"}
	applied := 0
	for seed := range randomlts.Share(3_000) {
		c := randomlts.Seeded(seed, randomlts.Size{States: 6, Transitions: 14, Labels: 4, Steps: 1})
		text := texts[seed%uint64(len(texts))]
		f, err := formula.Parse(ctx, text)
		if err != nil {
			t.Fatal(err)
		}
		e, err := Explain(ctx, c.Model, f, Options{NoFairness: true, NoPaths: true})
		if err != nil {
			t.Fatal(err)
		}
		r := e.Repair
		if r == nil || !r.Solvable {
			continue
		}
		var changes [][]ModelStep
		var kept []*Keeps
		if r.Cut != nil {
			var steps []ModelStep
			for _, s := range r.Cut.Transitions {
				steps = append(steps, s.ModelStep)
			}
			changes = append(changes, steps)
			kept = append(kept, r.Cut.Keeps)
		}
		for _, repair := range []*Repair{r, r.Restated} {
			if repair == nil || !repair.EnoughAlone || slices.ContainsFunc(repair.Never, func(f Forbidden) bool { return len(f.Progress) < len(f.Comes) }) {
				continue
			}
			var steps []ModelStep
			for _, f := range repair.Never {
				steps = append(steps, ModelStep{From: f.From, Label: f.Label, To: f.To})
			}
			changes = append(changes, steps)
			kept = append(kept, repair.Keeps)
		}
		for i, gone := range changes {
			left, err := c.Model.Without(func(t lts.Transition) bool { return slices.Contains(gone, modelStep(c.Model, t)) })
			if err != nil {
				t.Fatal(err)
			}
			applied++
			after, err := Check(ctx, left, f, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if after.Verdict == Violated {
				t.Fatalf("seed %d, %s: violated without %v\n%s", seed, text, gone, c)
			}
			reach := left.Reachable()
			if reach.NumStates() != kept[i].States || kept[i].Of != c.Model.Reachable().NumStates() {
				t.Fatalf("seed %d, %s: without %v %d states stay, told are %+v\n%s", seed, text, gone, reach.NumStates(), kept[i], c)
			}
			for s := range lts.State(left.NumStates()) {
				if reach.Has(s) && left.IsDeadlock(s) && !c.Model.IsDeadlock(s) {
					t.Fatalf("seed %d, %s: state %d is a new deadlock without %v\n%s", seed, text, s, gone, c)
				}
			}
		}
	}
	t.Log(applied)
	if randomlts.Whole() && applied < 1_000 {
		t.Errorf("only %d changes were applied", applied)
	}
}
