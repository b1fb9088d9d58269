package symbolic

import (
	"errors"
	"fmt"

	"github.com/inev-lts/inev/internal/ctl/syntax"
	"github.com/inev-lts/inev/internal/ctl/wmc"
)

// Sets are the sets of states of a model, for package wmc. Formulas must not have labels, since
// transitions have none.
type Sets struct {
	model     *Model
	deadlocks *collection
	// Largest is the number of nodes of the largest diagram of a set of states so far.
	Largest int
}

var _ wmc.Sets[Set] = (*Sets)(nil)

// ErrLabels reports that a formula has labels.
var ErrLabels = errors.New("transitions of a symbolic model have no labels")

// NewSets returns the sets of states of a model that is complete.
func NewSets(m *Model) *Sets {
	x := &Sets{model: m}
	x.deadlocks = &collection{x, m.Not(m.predecessors(m.All()))}
	return x
}

// measured records the size of a set.
func (x *Sets) measured(s Set) Set {
	x.Largest = max(x.Largest, x.model.Size(s))
	return s
}

func (x *Sets) Empty() Set             { return x.model.None() }
func (x *Sets) Union(a, b Set) Set     { return x.measured(x.model.Or(a, b)) }
func (x *Sets) Intersect(a, b Set) Set { return x.measured(x.model.And(a, b)) }
func (x *Sets) Minus(a, b Set) Set     { return x.measured(x.model.And(a, x.model.Not(b))) }
func (x *Sets) IsEmpty(s Set) bool     { return x.model.isEmpty(s) }
func (x *Sets) Count(s Set) float64    { return x.model.count(s) }

// Pick returns a set of a single state of s; the empty set if s is empty.
func (x *Sets) Pick(s Set) Set {
	if x.model.isEmpty(s) {
		return s
	}
	one := s
	for v := range x.model.variables {
		isTrue := x.model.Is(v)
		kept := x.model.And(one, x.model.Not(isTrue))
		if x.model.isEmpty(kept) {
			kept = x.model.And(one, isTrue)
		}
		one = kept
	}
	return one
}

// ForEach calls yield with the set of each state.
func (x *Sets) ForEach(s Set, yield func(one Set) bool) {
	for !x.model.isEmpty(s) {
		one := x.Pick(s)
		if !yield(one) {
			return
		}
		s = x.model.And(s, x.model.Not(one))
	}
}

// Post, Pre, PreSome and PreAll follow all transitions: see [Check].
func (x *Sets) Post(s Set, _ syntax.Labels) Set { return x.measured(x.model.successors(s)) }
func (x *Sets) Pre(s Set, _ syntax.Labels) Set  { return x.measured(x.model.predecessors(s)) }
func (x *Sets) PreSome(within Set, _ syntax.Labels, target Set) Set {
	return x.measured(x.model.And(within, x.model.predecessors(target)))
}
func (x *Sets) PreAll(within Set, _ syntax.Labels, target Set) Set {
	return x.measured(x.model.And(within, x.model.Not(x.model.predecessors(x.model.Not(target)))))
}

func (x *Sets) Collect() wmc.Collection[Set]   { return &collection{x, x.model.None()} }
func (x *Sets) Deadlocks() wmc.Collection[Set] { return x.deadlocks }

// Holding returns the states of a set that was defined.
func (x *Sets) Holding(p syntax.Predicate) (wmc.Collection[Set], error) {
	node, known := x.model.predicates[p.Name]
	if !known || p.Valued {
		return nil, fmt.Errorf("the model does not define %s", p)
	}
	return &collection{x, Set{node}}, nil
}

// Closing returns an object that finds the states whose transitions all lead into a growing
// collection.
func (x *Sets) Closing(wmc.Closing[Set]) wmc.Closer[Set] { return closer{x} }

// collection is a set of states that grows.
type collection struct {
	sets *Sets
	set  Set
}

func (c *collection) Add(s Set)       { c.set = c.sets.Union(c.set, s) }
func (c *collection) Known(s Set) Set { return c.sets.Intersect(s, c.set) }
func (c *collection) New(s Set) Set   { return c.sets.Minus(s, c.set) }
func (c *collection) All() Set        { return c.set }
func (c *collection) Release()        {}

type closer struct{ sets *Sets }

func (c closer) Closed(states Set, into wmc.Collection[Set]) Set {
	return c.sets.PreAll(states, syntax.AnyLabel, into.All())
}

func (closer) Release() {}
