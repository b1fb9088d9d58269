package symbolic

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/inev-lts/inev/internal/ctl/syntax"
	"github.com/inev-lts/inev/internal/ctl/wmc"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/property/values"
	"github.com/inev-lts/inev/modules/symbolic/aiger"
)

// Defines returns an error with the closest names if a circuit does not define a predicate of a
// formula. It builds no diagram. Cost O(names + length of f).
func Defines(c *aiger.Circuit, f *syntax.Formula) error {
	names := c.Names()
	for _, n := range f.Closure().Nodes {
		if n.Op != syntax.Holds {
			continue
		}
		if _, known := names[n.Predicate.Name]; known && !n.Predicate.Valued &&
			n.Predicate.Atom == "" {
			continue
		}
		var hint string
		closest := values.Closest(n.Predicate.Name, slices.Collect(maps.Keys(names)), 3)
		if len(closest) > 0 {
			hint = "; the closest names are " + strings.Join(closest, ", ")
		}
		return fmt.Errorf("the circuit does not define %s%s",
			printable.Echo(n.Predicate.String()), hint)
	}
	return nil
}

// Check returns which states of a set satisfy a formula, with evidence, and the size of the largest
// diagram of a set of states that it made. It is [wmc.Check], and fails with [ErrLabels] if the
// formula has labels.
func Check(
	ctx context.Context,
	m *Model,
	f *syntax.Formula,
	asked Set,
) (*wmc.Answer[Set], int, error) {
	c := f.Closure()
	for _, n := range c.Nodes {
		if n.Labels != syntax.AnyLabel || n.Last != syntax.NoLast {
			return nil, 0, ErrLabels
		}
	}
	x := NewSets(m)
	a, err := wmc.Check(ctx, x, c, asked, wmc.Options{})
	if err == nil {
		err = m.Err()
	}
	return a, x.Largest, err
}

// ErrLarge reports that a diagram has grown too large.
var ErrLarge = errors.New("a diagram has grown too large")

// Invariant reports whether AG of a set holds in all states that are asked about, by the greatest
// fixpoint over all states of the model, backwards, as a model checker without WMC does. It returns
// the number of iterations, which is one more than the number of changes of the set, and the size
// of the largest diagram of a set on the way. The search stops as soon as the set lacks a state
// that is asked about; it fails with [ErrLarge] if a diagram has more nodes than the limit.
func Invariant(
	ctx context.Context,
	m *Model,
	set, asked Set,
	mostNodes int,
) (holds bool, rounds, largest int, err error) {
	x := NewSets(m)
	remaining := x.measured(set)
	for {
		rounds++
		if err := ctx.Err(); err != nil {
			return false, rounds, x.Largest, err
		}
		if x.Largest > mostNodes {
			return false, rounds, x.Largest, ErrLarge
		}
		if !m.isEmpty(x.Minus(asked, remaining)) {
			return false, rounds, x.Largest, m.Err()
		}
		next := x.PreAll(remaining, syntax.AnyLabel, remaining)
		if m.diagrams.Equal(next.node, remaining.node) || m.Err() != nil {
			return true, rounds, x.Largest, m.Err()
		}
		remaining = next
	}
}

// Rounds returns after how many rounds of the fixpoint of the answer's root all states in question
// are decided; the first round comes before any transition is followed.
func Rounds(m *Model, a *wmc.Answer[Set]) int {
	u := a.Root.Unfolding
	open := a.Root.Asked
	decidedByRank := a.Root.Good
	if a.Closure.Nodes[a.Root.Formula].Op == syntax.Release {
		decidedByRank = a.Root.Bad
	}
	for i, rank := range u.Ranks {
		open = m.And(open, decidedByRank, m.Not(rank))
		if m.isEmpty(open) {
			return i + 1
		}
	}
	return len(u.Ranks)
}
