package property

import (
	"context"
	"fmt"
	"strings"

	"github.com/inev-lts/inev/lts"
)

// Response returns the property over the labels of a that after each transition which
// does step order[0] of patterns, strictly later transitions do the steps order[1:],
// in this order. Errors as for [Inev]; there are at most 63 steps after the first.
//
// Its states are the steps done since the newest request, and all of them where
// nothing is pending. With finitely many requests the newest one decides; infinitely
// many are all answered iff each step recurs: α = Inf(idle) ∨ ⋀ Inf(step). Cost
// O(labels of a + all labels of patterns + letters · steps).
func Response(ctx context.Context, a *lts.Alphabet, patterns []Step, order []uint32) (*Property, error) {
	inev, err := Inev(ctx, a, patterns, order)
	if err != nil {
		return nil, err
	}
	c := inev.chain
	m := c.n - 1
	if m < 1 || m > Colours-1 {
		return nil, fmt.Errorf("property: a response has 1 to %d steps, and not %d", Colours-1, m)
	}
	recur := make([]Acceptance, m)
	names := make([]string, m)
	for i := range recur {
		recur[i] = Inf(i + 1)
		names[i] = c.Step(i + 2).Pattern.String()
	}
	request := c.Step(1).Pattern.String()
	t := Automaton{Initial: Q(m), Acceptance: Any(Inf(0), All(recur...)), Stop: make([]bool, m+1)}
	t.Stop[m] = true
	t.Kind, t.Name = KindResponse, "Response("+request+"; "+strings.Join(names, ", ")+")"
	letters := c.letters(&t)
	for q := range m + 1 {
		for _, l := range letters {
			next, marks := q, Marks(0)
			switch {
			case c.Does(l, 1):
				next = 0
			case q < m && c.Does(l, q+2):
				next = q + 1
			}
			if next == m {
				marks = Mark(0)
			}
			for i := range m {
				if c.Does(l, i+2) {
					marks |= Mark(i + 1)
				}
			}
			t.Next, t.Marks = append(t.Next, Q(next)), append(t.Marks, marks)
		}
		var pending Phrase
		if q < m {
			pending = waiting(names[q], append([]string{request}, names[:q]...)...)
		}
		t.Pending = append(t.Pending, pending)
	}
	return Table(a, t)
}
