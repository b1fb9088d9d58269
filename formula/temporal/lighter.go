package temporal

import (
	"context"

	"github.com/inev-lts/inev/property"
)

// maxLighter limits the transitions and states that [automaton.lighter] reads.
const maxLighter = 1 << 24

// lighter removes parts of the condition that make no difference on runs of the
// automaton: one disjunct after the other, and one conjunct after the other,
// larger ones first. The result is exact, because a part is removed only if no
// run is accepted otherwise.
func (a *automaton) lighter(ctx context.Context) {
	if colours(a.accept) <= 1 {
		return
	}
	g := newGraph(a.letters, a.next)
	l := &lightening{graph: g, marks: a.marks, ctx: ctx, left: maxLighter}
	a.accept = l.node(a.accept, func(b property.Acceptance) property.Acceptance { return b })
}

// lightening leaves out parts of a condition as long as there is work left.
type lightening struct {
	*graph
	marks []property.Marks
	ctx   context.Context
	left  int64
}

// node simplifies a part of the condition; the function within returns the
// whole condition with another condition in place of the part.
func (l *lightening) node(a property.Acceptance, within func(property.Acceptance) property.Acceptance) property.Acceptance {
	join := property.All
	switch a.Operator() {
	case property.AndOp:
	case property.OrOp:
		join = property.Any
	default:
		return a
	}
	parts := append([]property.Acceptance(nil), a.Parts()...)
	for i := 0; i < len(parts); {
		fewer := append(append([]property.Acceptance(nil), parts[:i]...), parts[i+1:]...)
		whole, without := within(join(parts...)), within(join(fewer...))
		if a.Operator() == property.AndOp {
			whole, without = without, whole
		}
		// The condition whole accepts everything that without accepts.
		if l.none(property.All(whole, without.Not())) {
			parts = fewer
		} else {
			i++
		}
	}
	for i, part := range parts {
		parts[i] = l.node(part, func(b property.Acceptance) property.Acceptance {
			others := append([]property.Acceptance(nil), parts...)
			others[i] = b
			return within(join(others...))
		})
	}
	return join(parts...)
}

// none reports whether it is known that no run satisfies a condition.
func (l *lightening) none(accept property.Acceptance) bool {
	if l.left <= 0 {
		return false
	}
	found, work := l.satisfied(l.ctx, accept, l.marks, true, l.left)
	l.left -= work
	return l.left >= 0 && found.Empty()
}
