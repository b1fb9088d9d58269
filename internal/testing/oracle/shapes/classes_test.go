package shapes_test

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"testing"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
)

// TestNoClassIsSlow counts the visits of the search for a counterexample to a property of each
// class, about labels of some shapes: none searches from every state.
func TestNoClassIsSlow(t *testing.T) {
	size := 12_000
	if !randomlts.Whole() {
		size = 3_000
	}
	for _, s := range append(lines(), fans()...) {
		n := min(size, s.usual)
		var text bytes.Buffer
		if err := s.write(&text, n); err != nil {
			t.Fatal(err)
		}
		m, _, err := aut.Read(context.Background(), &text, aut.Options{})
		if err != nil {
			t.Fatal(err)
		}
		first := strconv.Quote(m.Alphabet().Text(0))
		other := strconv.Quote(m.Alphabet().Text(1))
		for _, class := range []string{"G F %[1]s", "F G !%[1]s", "G F %[1]s -> G F %[2]s", "G F %[2]s -> G F %[1]s", "F G !%[1]s || F G !%[2]s", "Response(%[1]s; %[2]s)", "Response(%[2]s; %[1]s)"} {
			f, err := formula.Parse(context.Background(), fmt.Sprintf(class, first, other))
			if err != nil {
				t.Fatal(err)
			}
			p, _, err := f.Bind(context.Background(), m.Alphabet())
			if err != nil {
				t.Fatal(err)
			}
			r, err := counterexample.Shortest(context.Background(), m, p, counterexample.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if most := int64(20*(m.NumStates()+m.NumTransitions()) + 1<<12); r.Stats.Matched > most {
				t.Errorf("%s, %s: %d visits, at most %d were expected", s.name, f, r.Stats.Matched, most)
			}
		}
	}
}

// TestOwnLabels: a cycle on which each transition has a label of its own has one state at which
// a loop can begin.
func TestOwnLabels(t *testing.T) {
	var text bytes.Buffer
	const n = 20_000
	fmt.Fprintf(&text, "des (0,%d,%d)\n", n, n)
	for s := range n {
		fmt.Fprintf(&text, "(%d,\"L%d\",%d)\n", s, s, (s+1)%n)
	}
	m, _, err := aut.Read(context.Background(), &text, aut.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range []string{"Response(L0; NEVER)", "Response(L19999; L77, L76)", "F G !L0", "G F L5 -> F G !L19999"} {
		f, err := formula.Parse(context.Background(), of)
		if err != nil {
			t.Fatal(err)
		}
		p, _, err := f.Bind(context.Background(), m.Alphabet())
		if err != nil {
			t.Fatal(err)
		}
		r, err := counterexample.Shortest(context.Background(), m, p, counterexample.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Stats.Matched > 10*n {
			t.Errorf("%s: %d visits", f, r.Stats.Matched)
		}
	}
}
