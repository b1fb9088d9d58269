package temporal_test

import (
	"context"
	"strconv"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/formula/ltl"
	"github.com/inev-lts/inev/internal/formula/temporal"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// mostStates is the number of states that the automata of patterns keep to before they
// are made smaller.
const mostStates = 30

// TestPatternsAreSmall: the patterns of Dwyer, Avrunin, Corbett in all scopes have small
// automata, before states are dropped or merged.
func TestPatternsAreSmall(t *testing.T) {
	alphabet, steps := lettersOf(4)
	for _, pattern := range []string{"Never(P", "Inev(P", "Always(P", "Precedes(P; S", "Response(P; S"} {
		for _, scope := range []string{"", "; before R", "; after Q", "; between Q and R", "; after Q until R"} {
			text := pattern + scope + ")"
			f, err := actl.Parse(context.Background(), text)
			if err != nil {
				t.Fatal(err)
			}
			raw, states, err := temporal.Sizes(context.Background(), alphabet, ltl.Of(f).Temporal(), steps)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%-35s %2d states, %2d as translated", text, states, raw)
			if raw > mostStates || states > 6 {
				t.Errorf("%s has %d states, %d as translated", text, states, raw)
			}
		}
	}
}

// lettersOf returns an alphabet with a label for each set of so many atoms, and these.
func lettersOf(count int) (*lts.Alphabet, []property.Step) {
	var b lts.Builder
	steps := make([]property.Step, count)
	for l := range 1 << count {
		b.Add(0, b.Label(strconv.Itoa(l)), 0)
		for i := range steps {
			if l>>i&1 != 0 {
				steps[i].Labels = append(steps[i].Labels, lts.Label(l))
			}
		}
	}
	for i := range steps {
		steps[i].Pattern = named(string(rune('P' + i)))
	}
	m, err := b.Build(0, 1)
	if err != nil {
		panic(err)
	}
	return m.Alphabet(), steps
}
