package explain_test

import (
	"encoding"
	"fmt"
	"testing"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/neighbourhood"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/simplify"
)

// TestEnumerations: each value of an explanation that is one of a few has its name in
// data, and is read back by it; what is no name is not read.
func TestEnumerations(t *testing.T) {
	hasNames[fate.Class](t, map[fate.Class]string{
		0: "", fate.Neutral: "neutral", fate.Correct: "correct", fate.Incorrect: "incorrect",
		fate.Excluded: "excluded",
	})
	hasNames[neighbourhood.Kind](t, map[neighbourhood.Kind]string{
		0: "", neighbourhood.CorrectChoice: "correct", neighbourhood.IncorrectChoice: "incorrect",
		neighbourhood.MixedNeutral: "mixed-neutral", neighbourhood.Mixed: "mixed",
	})
	hasNames[neighbourhood.Reading](t, map[neighbourhood.Reading]string{neighbourhood.All: "all", neighbourhood.Some: "some"})
	hasNames[simplify.Fate](t, map[simplify.Fate]string{0: "", simplify.Free: "free", simplify.Fated: "fated"})
	hasNames[counterexample.Kind](t, map[counterexample.Kind]string{0: "", counterexample.Deadlock: "deadlock", counterexample.Lasso: "lasso", counterexample.Trap: "trap", counterexample.Prefix: "prefix", counterexample.Stop: "stop"})
	hasNames[explain.Verdict](t, map[explain.Verdict]string{0: "", explain.Satisfied: "satisfied", explain.Violated: "violated"})
	hasNames[explain.AssumptionKind](t, map[explain.AssumptionKind]string{
		0: "", explain.Finitely: "finitely", explain.Strong: "strong", explain.Weak: "weak", explain.FairChoices: "choices",
	})
	hasNames[explain.DecidingReason](t, map[explain.DecidingReason]string{
		0: "", 1: "point of no return", 2: "last decision", 3: "diagnosis", 4: "last step",
	})
	hasNames[fate.Fate](t, map[fate.Fate]string{0: "", fate.Open: "open", fate.Sure: "sure", fate.Lost: "lost"})
	hasNames[property.Kind](t, map[property.Kind]string{
		0:                         "",
		property.KindInev:         "inev",
		property.KindResponse:     "response",
		property.KindNever:        "never",
		property.KindPrecedes:     "precedes",
		property.KindAlways:       "always",
		property.KindAtMost:       "at_most",
		property.KindDeadlockFree: "deadlock_free",
		property.KindLTL:          "ltl",
		property.KindHOA:          "hoa",
		property.KindMuCalculus:   "mu_calculus",
		property.KindClaim:        "claim",
	})
}

func hasNames[T ~uint8, P interface {
	*T
	encoding.TextUnmarshaler
}](t *testing.T, want map[T]string) {
	for i := range 256 {
		value := T(i)
		name, known := want[value]
		text, err := any(value).(encoding.TextMarshaler).MarshalText()
		if known != (err == nil) || string(text) != name {
			t.Errorf("%T %d is written %q, %v; want %q", value, i, text, err, name)
		}
		if !known {
			continue
		}
		if said := fmt.Sprint(value); said != name {
			t.Errorf("%T %d is %q, want %q", value, i, said, name)
		}
		var again T
		if err := P(&again).UnmarshalText(text); err != nil || again != value {
			t.Errorf("%q is read as %d, %v; want %T %d", text, again, err, value, i)
		}
	}
	var none T
	if err := P(&none).UnmarshalText([]byte("no such name")); err == nil {
		t.Errorf("%T: what is no name is read as %d", none, none)
	}
}
