package property

import (
	"context"
	"fmt"
	"strings"

	"github.com/inev-lts/inev/lts"
)

// Response returns the property over the labels of a that after each transition
// which does step order[0] of patterns, strictly later transitions do the steps
// order[1:], in this order. Errors and cost as for [Specify]; there are at most
// 63 steps after the first.
//
// A state is the number of steps done since the newest request, and the number of
// all steps if no request is pending. With finitely many requests the newest one
// decides; infinitely many are all answered iff each step recurs: α = Inf(idle) ∨
// ⋀ Inf(step).
func Response(ctx context.Context, a *lts.Alphabet, patterns []Step, order []uint32) (*Property, error) {
	s := Specification{Kind: KindResponse}
	var names []string
	for i, q := range order {
		if int(q) >= len(patterns) {
			return nil, fmt.Errorf("property: step %d is pattern %d of %d", i+1, q, len(patterns))
		}
		s.Steps = append(s.Steps, patterns[q])
		names = append(names, patterns[q].Pattern.String())
	}
	if len(names) > 0 {
		s.Name = "Response(" + names[0] + "; " + strings.Join(names[1:], ", ") + ")"
	}
	return Specify(ctx, a, s)
}
