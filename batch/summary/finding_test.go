package summary

import (
	"testing"

	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/counterexample"
)

// TestShapes: what a counterexample looks like, in words.
func TestShapes(t *testing.T) {
	for want, c := range map[string]batch.Counterexample{
		"A shortest counterexample has 2 transitions and ends in a deadlock":             {Kind: counterexample.Deadlock, Length: 2, Shortest: true, LoopStart: -1},
		"A counterexample has 2 transitions, of which the last one is repeated for ever": {Kind: counterexample.Lasso, Length: 2, LoopStart: 1},
		"A shortest counterexample has 1 transition; from there on the property is lost": {Kind: counterexample.Trap, Length: 1, Shortest: true, LoopStart: -1},
	} {
		if got := (finding{Result: &batch.Result{Counterexample: &c}}).shape(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
