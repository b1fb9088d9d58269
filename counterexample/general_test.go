package counterexample_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// TestManyDemands: a run that must meet more colours again and again than can be
// searched for exactly goes from one to the next, and is not called shortest.
func TestManyDemands(t *testing.T) {
	for _, n := range []int{3, 10, 11, 40} {
		// A hub with n round trips, each with a colour of its own.
		m, _, err := lts.Explore(context.Background(), -1, func(s int, do func(string, int)) {
			if s >= 0 {
				do("back", -1)
				return
			}
			for i := range n {
				do(fmt.Sprint("a", i), i)
			}
		}, 100)
		if err != nil {
			t.Fatal(err)
		}
		a := property.Automaton{Columns: n + 1, Letters: make([]uint16, n+1), Next: make([]property.Q, n+1), Marks: make([]property.Marks, n+1), Stop: []bool{true}, Acceptance: property.Never()}
		for l, text := range m.Alphabet().All() {
			var i int
			if _, err := fmt.Sscanf(text, "a%d", &i); err != nil {
				i = n
			} else {
				a.Marks[i] = property.Mark(i)
				a.Acceptance = property.Any(a.Acceptance, property.Fin(i))
			}
			a.Letters[l] = uint16(i)
		}
		p, err := property.Table(m.Alphabet(), a)
		if err != nil {
			t.Fatal(err)
		}
		u, err := product.Unfold(context.Background(), m, p)
		if err != nil {
			t.Fatal(err)
		}
		c, err := scc.Find(context.Background(), u.LTS(), "")
		if err != nil {
			t.Fatal(err)
		}
		found, err := counterexample.InUnfolding(context.Background(), u, c, counterexample.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if found.Trace == nil || found.Trace.Len() != 2*n || (found.Minimal == counterexample.MinimalUnknown) == (n <= 10) {
			t.Errorf("%d colours: %v, shortest: %t", n, found.Trace, found.Minimal != counterexample.MinimalUnknown)
		}
	}
}
