// Package fromproperty converts properties for the oracle with which tests
// compare. Only tests import it. An automaton calls only methods of the
// property about single letters, and uses nothing that was computed from the
// property.
package fromproperty

import (
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// Automaton returns a property as an automaton of the oracle, whose functions
// call those of the property. Cost O(1).
func Automaton(p *property.Property) oracle.Automaton {
	all, _ := p.Acceptance().Colours()
	colours := 0
	for c := range property.Colours {
		if all.Has(c) {
			colours = c + 1
		}
	}
	return oracle.Automaton{
		States: p.States(), Colours: colours, Initial: int(p.Initial()),
		Next: func(q int, l lts.Label) int {
			return int(p.Next(property.Q(q), l))
		},
		Marks: func(q int, l lts.Label) map[int]bool {
			visited := map[int]bool{}
			for c := range colours {
				if p.Marks(property.Q(q), l).Has(c) {
					visited[c] = true
				}
			}
			return visited
		},
		Accepts: func(visited map[int]bool) bool {
			return accepts(p.Acceptance(), visited)
		},
		Stops: func(q int) bool { return p.Stops(property.Q(q)) },
	}
}

// accepts evaluates a condition without the condition's own methods for that.
func accepts(a property.Acceptance, visited map[int]bool) bool {
	switch a.Operator() {
	case property.True:
		return true
	case property.InfOp:
		return visited[a.Colour()]
	case property.FinOp:
		return !visited[a.Colour()]
	}
	count := 0
	for _, p := range a.Parts() {
		if accepts(p, visited) {
			count++
		}
	}
	return a.Operator() == property.AndOp && count == len(a.Parts()) ||
		a.Operator() == property.OrOp && count > 0
}
