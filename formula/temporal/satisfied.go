package temporal

import (
	"context"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
)

// maxSatisfied limits the transitions and states that [graph.satisfied] reads.
const maxSatisfied = 1 << 23

// satisfied returns transitions that a run which satisfies a condition on marks
// can take infinitely often: all of them or, if the flag one is set, some. It
// also returns how many transitions and states it read; if that exceeds the limit
// most, the search was given up. After Renkin, Duret-Lutz, Pommellet: Practical
// "Paritizing" of Emerson–Lei Automata (ATVA 2020), and the emptiness check that
// it builds on: a set of transitions whose colours together satisfy the condition
// is satisfied as a whole; otherwise a colour that must not recur is excluded, or
// assumed to recur. Cost O(S + T) for each such choice, exponential in the number
// of these colours at worst.
func (g *graph) satisfied(ctx context.Context, accept property.Acceptance, marks []property.Marks, one bool, most int64) (found bitset.Set[int], work int64) {
	return g.satisfiedWithin(ctx, g.all(), accept, marks, 0, one, most)
}

// satisfiedWithin is [graph.satisfied] among some states, without transitions of
// some colours.
func (g *graph) satisfiedWithin(ctx context.Context, states []lts.State, accept property.Acceptance, marks []property.Marks, without property.Marks, one bool, most int64) (found bitset.Set[int], work int64) {
	parts := abort.Must(scc.NewParts(ctx, g.system))
	s := &satisfying{graph: g, parts: parts, marks: marks, one: one, most: most, found: bitset.New[int](len(marks))}
	s.within(states, accept, without)
	return s.found, parts.Work()
}

// satisfiedIn reports for each component whether a run that stays in it can satisfy
// a condition on marks; true if that would take too long.
func (g *graph) satisfiedIn(ctx context.Context, c *scc.Components, accept property.Acceptance, marks []property.Marks) []bool {
	parts := abort.Must(scc.NewParts(ctx, g.system))
	s := &satisfying{graph: g, parts: parts, marks: marks, one: true, most: maxSatisfied, found: bitset.New[int](len(marks))}
	is := make([]bool, c.Len())
	for k := range is {
		s.some = false
		s.within(c.States(scc.Component(k)), accept, 0)
		is[k] = s.some || parts.Work() > s.most
	}
	return is
}

// satisfying is a search for what satisfies a condition.
type satisfying struct {
	*graph
	parts *scc.Parts
	marks []property.Marks
	one   bool
	most  int64
	some  bool
	found bitset.Set[int]
}

// ended reports whether the search has found enough, or has reached its limit.
func (s *satisfying) ended() bool { return s.one && s.some || s.parts.Work() > s.most }

// within examines the components of some states without some colours.
func (s *satisfying) within(states []lts.State, accept property.Acceptance, without property.Marks) {
	shows := func(from lts.State, l lts.Label, _ lts.State) bool {
		return s.marks[int(from)*s.letters+int(l)]&without == 0
	}
	for part := range abort.Must(s.parts.Components(states, shows)) {
		if s.ended() {
			return
		}
		s.part(part, accept, without)
	}
}

// part examines a component.
func (s *satisfying) part(states []lts.State, accept property.Acceptance, without property.Marks) {
	var inside []int
	var met property.Marks
	s.parts.Enter(states)
	for _, q := range states {
		for i := int(q) * s.letters; i < (int(q)+1)*s.letters; i++ {
			if s.parts.Has(lts.State(s.next[i])) && s.marks[i]&without == 0 {
				inside = append(inside, i)
				met |= s.marks[i]
			}
		}
	}
	if len(inside) == 0 {
		return
	}
	for accept = accept.Within(met); ; {
		if accept.Holds(met) {
			for _, i := range inside {
				s.found.Add(i)
			}
			s.some = true
			return
		}
		_, unwanted := accept.Colours()
		if unwanted == 0 || s.ended() {
			return
		}
		c := 0
		for !unwanted.Has(c) {
			c++
		}
		s.within(states, accept.Assume(c, true), without|property.Mark(c))
		accept = accept.Assume(c, false)
	}
}
