package summary

import (
	"testing"

	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/internal/batch/baseline"
)

// TestShapes: what a counterexample looks like, in words.
func TestShapes(t *testing.T) {
	for want, c := range map[string]batch.Counterexample{
		"A shortest counterexample has 2 transitions and ends in a deadlock":             {Kind: counterexample.Deadlock, Length: 2, Shortest: true, LoopStart: -1},
		"A counterexample has 2 transitions, of which the last one is repeated forever":  {Kind: counterexample.Lasso, Length: 2, LoopStart: 1},
		"A counterexample has 2 transitions, which are repeated forever":                 {Kind: counterexample.Lasso, Length: 2},
		"A counterexample has 1 transition, which is repeated forever":                   {Kind: counterexample.Lasso, Length: 1},
		"A shortest counterexample has 1 transition; from there on the property is lost": {Kind: counterexample.Trap, Length: 1, Shortest: true, LoopStart: -1},
	} {
		if got := (finding{Result: &batch.Result{Counterexample: &c}}).shape(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestMarginsAreReported: all that has changed of bounds, faults and the run.
func TestMarginsAreReported(t *testing.T) {
	two, faults := 2, func(least *int, ever bool) []batch.Faults {
		return []batch.Faults{{Patterns: "LOSS, DROP", Least: least, OnlyForEver: ever}}
	}
	for _, c := range []struct {
		change         baseline.Change
		old, now, want string
		faults         []batch.Faults
	}{
		{baseline.Slower, "satisfied, REQ … ACK within 7 actions", "satisfied, REQ … ACK within 9 actions", "REQ … ACK within 7 → 9 actions", nil},
		{baseline.Slower, "satisfied, within 7 actions, LOSS, DROP: any number", "satisfied, within 9 actions, LOSS, DROP: any number", "done within 7 → 9 actions", faults(nil, false)},
		{baseline.Slower, "satisfied, within 7 actions", "satisfied, no bound", "", nil},
		{baseline.FewerFaults, "violated, 5 transitions, LOSS, DROP: 3", "violated, 7 transitions, LOSS, DROP: 2", "LOSS, DROP: 3 → 2 faults; a run of 5 → 7 transitions", faults(&two, false)},
		{baseline.FewerFaults, "violated, 5 transitions, LOSS, DROP: infinitely many", "violated, 5 transitions, LOSS, DROP: 2", "LOSS, DROP: infinitely many → 2 faults", faults(&two, false)},
		{baseline.Longer, "violated, 5 transitions", "violated, 7 transitions", "", nil},
	} {
		f := finding{Result: &batch.Result{Faults: c.faults, Counterexample: &batch.Counterexample{Sentence: "Why."}}, change: c.change, old: c.old, now: c.now}
		if said := f.marginChanges(); said != c.want {
			t.Errorf("%q, want %q", said, c.want)
		}
		want := "Why."
		if c.want != "" {
			want += " Since the earlier run: " + c.want + "."
		}
		if said := f.whyNow(); said != want {
			t.Errorf("%q, want %q", said, want)
		}
	}
}
