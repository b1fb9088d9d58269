package symbolic

import (
	"fmt"
	"math"
	"math/big"

	"github.com/dalzilio/rudd"
)

// Model is a transition relation over Boolean variables. Only one goroutine may use it, and all
// sets of it, at a time.
type Model struct {
	diagrams       *rudd.BDD
	variables      int
	current, next  rudd.Node // sets of variables
	toNext, toCurr rudd.Replacer
	relation       rudd.Node
	predicates     map[string]rudd.Node
}

// New returns a model with this number of variables and all transitions; [Model.Constrain] removes
// transitions.
func New(variables int) (*Model, error) {
	// Each result has one slot in the caches of operations. If the caches are small, results that
	// are still needed replace each other, and a conjunction can take exponential time.
	b, err := rudd.New(2*variables, rudd.Nodesize(100_000), rudd.Cachesize(100_000),
		rudd.Cacheratio(100))
	if err != nil {
		return nil, err
	}
	m := &Model{
		diagrams:   b,
		variables:  variables,
		relation:   b.True(),
		predicates: map[string]rudd.Node{},
	}
	now := make([]int, variables)
	then := make([]int, variables)
	for i := range variables {
		now[i], then[i] = 2*i, 2*i+1
	}
	m.current = b.Makeset(now)
	m.next = b.Makeset(then)
	if m.toNext, err = b.NewReplacer(now, then); err != nil {
		return nil, err
	}
	if m.toCurr, err = b.NewReplacer(then, now); err != nil {
		return nil, err
	}
	return m, nil
}

// Set is a set of states, or of transitions.
type Set struct{ node rudd.Node }

// Is returns the states where a variable is true; Next returns the transitions after which the
// variable is true.
func (m *Model) Is(variable int) Set   { return Set{m.diagrams.Ithvar(2 * variable)} }
func (m *Model) Next(variable int) Set { return Set{m.diagrams.Ithvar(2*variable + 1)} }

// All returns the set of all states, or of all transitions; None returns the empty set.
func (m *Model) All() Set  { return Set{m.diagrams.True()} }
func (m *Model) None() Set { return Set{m.diagrams.False()} }

// And, Or, Not and Equal are the operations on sets.
func (m *Model) And(sets ...Set) Set { return Set{m.diagrams.And(nodes(sets)...)} }
func (m *Model) Or(sets ...Set) Set  { return Set{m.diagrams.Or(nodes(sets)...)} }
func (m *Model) Not(s Set) Set       { return Set{m.diagrams.Not(s.node)} }
func (m *Model) Equal(a, b Set) Set  { return Set{m.diagrams.Equiv(a.node, b.node)} }

func nodes(sets []Set) []rudd.Node {
	all := make([]rudd.Node, len(sets))
	for i, s := range sets {
		all[i] = s.node
	}
	return all
}

// Constrain keeps only the transitions in s, a set of pairs of a state and its successor.
func (m *Model) Constrain(s Set) { m.relation = m.diagrams.And(m.relation, s.node) }

// Define gives a set of states a name, as a predicate for formulas.
func (m *Model) Define(name string, s Set) { m.predicates[name] = s.node }

// Size returns the number of nodes of the diagram of a set, without the constants. Cost O(that
// number).
func (m *Model) Size(s Set) int {
	seen := map[int]bool{0: true, 1: true} // the constants
	open := []rudd.Node{s.node}
	for len(open) > 0 {
		n := open[len(open)-1]
		open = open[:len(open)-1]
		if !seen[*n] {
			seen[*n] = true
			open = append(open, m.diagrams.Low(n), m.diagrams.High(n))
		}
	}
	return len(seen) - 2
}

// Err returns the error of the diagrams, for example that they have too little room.
func (m *Model) Err() error {
	if m.diagrams.Errored() {
		return fmt.Errorf("binary decision diagrams: %s", m.diagrams.Error())
	}
	return nil
}

// count returns the number of states in a set.
func (m *Model) count(s Set) float64 {
	all := new(big.Float).SetInt(m.diagrams.Satcount(s.node))
	count, _ := all.Quo(all, new(big.Float).SetMantExp(big.NewFloat(1), m.variables)).Float64()
	return math.Round(count)
}

// successors returns the successors of s, predecessors the predecessors.
func (m *Model) successors(s Set) Set {
	return Set{m.diagrams.Replace(m.diagrams.AndExist(m.current, s.node, m.relation), m.toCurr)}
}

func (m *Model) predecessors(s Set) Set {
	return Set{m.diagrams.AndExist(m.next, m.relation, m.diagrams.Replace(s.node, m.toNext))}
}

func (m *Model) isEmpty(s Set) bool { return m.diagrams.Equal(s.node, m.diagrams.False()) }
