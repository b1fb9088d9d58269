package temporal

import (
	"context"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// maxPaired limits the pairs of states, times letters, that [automaton.residuals]
// compares.
const maxPaired = 1 << 19

// residuals returns a class for each state, such that two states have the same
// class iff they accept the same words, finite ones included; known is false if
// that would take too long. The first state of a class has its number. Cost as
// for emptiness, on the pairs of states that agree on finite words.
func (a *automaton) residuals(ctx context.Context) (class []uint32, known bool) {
	return a.residualsWithin(ctx, a.refined(nil))
}

// residualsWithin is [automaton.residuals] among the states of each class, for
// infinite words alone. Letters must not lead from one class to several.
func (a *automaton) residualsWithin(ctx context.Context, classes []uint32) (class []uint32, known bool) {
	n := colours(a.accept)
	pairs := newPairing(classes)
	if 2*n > property.Colours || pairs.count*a.letters > maxPaired {
		return nil, false
	}
	next := make([]uint32, pairs.count*a.letters)
	marks := make([]property.Marks, len(next))
	pairs.each(func(i, p, q uint32) {
		for letter := range a.letters {
			at, from, other := int(i)*a.letters+letter, int(p)*a.letters+letter, int(q)*a.letters+letter
			next[at] = pairs.of(a.next[from], a.next[other])
			if next[at] != same {
				marks[at] = a.marks[from] | a.marks[other]<<uint(n)
			}
		}
	})
	g := newGraph(a.letters, next)
	differs, work := g.satisfied(ctx, eitherOr(a.accept, shifted(a.accept, n)), marks, false, maxSatisfied)
	if work > maxSatisfied {
		return nil, false
	}
	apart := g.reaching(ctx, func(s lts.State) bool {
		for t := int(s) * a.letters; t < (int(s)+1)*a.letters; t++ {
			if differs.Has(t) {
				return true
			}
		}
		return false
	})
	class = identity(a.states())
	pairs.each(func(i, p, q uint32) {
		if !apart[i] {
			class[q] = min(class[q], p)
		}
	})
	return class, true
}

// eitherOr returns the condition that one of two conditions holds and the other does not.
func eitherOr(a, b property.Acceptance) property.Acceptance {
	return property.Any(property.All(a, b.Not()), property.All(a.Not(), b))
}

// reaching returns the states that can reach a state for which the function is returns true.
func (g *graph) reaching(ctx context.Context, is func(lts.State) bool) []bool {
	abort.On(g.system.FindPredecessors(ctx))
	reach := make([]bool, g.system.NumStates())
	var line []lts.State
	meet := func(q lts.State) {
		if !reach[q] {
			reach[q] = true
			line = append(line, q)
		}
	}
	for q := range g.system.NumStates() {
		if is(lts.State(q)) {
			meet(lts.State(q))
		}
	}
	for i := 0; i < len(line); i++ {
		_, sources := g.system.Predecessors().In(line[i])
		for _, p := range sources {
			meet(p)
		}
	}
	return reach
}

// pairing numbers the pairs of different states of one class, from 1.
type pairing struct {
	class        []uint32
	members      [][]uint32 // the states of each class
	indexInClass []uint32   // the index of a state among the members of its class
	first        []uint32   // the number of the first pair of a class
	count        int
}

// same is the one number that stands for every pair of a state with itself.
const same = 0

func newPairing(class []uint32) *pairing {
	p := &pairing{class: class, indexInClass: make([]uint32, len(class)), count: 1}
	for q, k := range class {
		for int(k) >= len(p.members) {
			p.members = append(p.members, nil)
		}
		p.indexInClass[q] = uint32(len(p.members[k]))
		p.members[k] = append(p.members[k], uint32(q))
	}
	for _, all := range p.members {
		p.first = append(p.first, uint32(p.count))
		p.count += len(all) * len(all)
	}
	return p
}

// of returns the number of a pair of states of one class.
func (p *pairing) of(a, b uint32) uint32 {
	if a == b {
		return same
	}
	k := p.class[a]
	return p.first[k] + p.indexInClass[a]*uint32(len(p.members[k])) + p.indexInClass[b]
}

// each yields the pairs of different states.
func (p *pairing) each(yield func(i, a, b uint32)) {
	for _, all := range p.members {
		for _, a := range all {
			for _, b := range all {
				if a != b {
					yield(p.of(a, b), a, b)
				}
			}
		}
	}
}
