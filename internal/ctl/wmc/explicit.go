package wmc

import (
	"fmt"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/ctl/syntax"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/lts"
)

// States is an ascending set of states of an LTS. Its collections are bit sets.
type States []lts.State

// Has reports whether a state is in the set. Cost O(log n) for n states.
func (s States) Has(state lts.State) bool {
	_, is := slices.BinarySearch(s, state)
	return is
}

// Explicit makes sets of states of an LTS. It keeps memory for reuse, so only one computation may
// use it at a time.
type Explicit struct {
	m         *lts.LTS
	in        *lts.Predecessors
	means     [][]bool
	valuation func(p syntax.Predicate) (States, error)
	deadlocks *collection
	holding   map[syntax.Predicate]*collection
	mark      bitset.Set[lts.State] // empty between calls
	target    bitset.Set[lts.State] // empty between calls
	free      []bitset.Set[lts.State]
	resumes   [][]uint32 // tables for reuse, all zero
	found     States     // memory for the states that a step finds
}

// NewExplicit returns the sets of states of m. means are the labels of patterns, as
// [syntax.Closure.Bind] returns them. valuation returns the states that satisfy a predicate,
// ascending, or an error if the model does not know the predicate; valuation may be nil if the
// model has no predicates. Cost O(S), and that of [lts.LTS.Predecessors].
func NewExplicit(
	m *lts.LTS,
	means [][]bool,
	valuation func(p syntax.Predicate) (States, error),
) *Explicit {
	x := &Explicit{
		m:         m,
		in:        m.Predecessors(),
		means:     means,
		valuation: valuation,
		holding:   map[syntax.Predicate]*collection{},
	}
	x.mark, x.target = bitset.New[lts.State](m.NumStates()), bitset.New[lts.State](m.NumStates())
	x.deadlocks = &collection{x: x, in: bitset.New[lts.State](m.NumStates())}
	for s := range m.NumStates() {
		if m.IsDeadlock(lts.State(s)) {
			x.deadlocks.in.Add(lts.State(s))
		}
	}
	return x
}

var _ Sets[States] = (*Explicit)(nil)

// matches reports whether a label matches.
func (x *Explicit) matches(l syntax.Labels, label lts.Label) bool {
	return l == syntax.AnyLabel || l >= 0 && x.means[l][label]
}

func (x *Explicit) Empty() States { return nil }

// Union returns the states that are in a or in b. Cost O(size of both).
func (x *Explicit) Union(a, b States) States {
	if len(a) == 0 {
		return b
	}
	if len(b) == 0 {
		return a
	}
	all := make(States, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			all = append(all, a[0])
			a = a[1:]
		case a[0] > b[0]:
			all = append(all, b[0])
			b = b[1:]
		default:
			all = append(all, a[0])
			a = a[1:]
			b = b[1:]
		}
	}
	return append(append(all, a...), b...)
}

// Intersect returns the states that are in a and in b. Cost O(size of both).
func (x *Explicit) Intersect(a, b States) States { return filterBy(a, b, true) }

// Minus returns the states of a that are not in b. Cost O(size of both).
func (x *Explicit) Minus(a, b States) States {
	if len(b) == 0 {
		return a
	}
	return filterBy(a, b, false)
}

// filterBy returns the states of a that are in b or, if isMember is false, those that are not in b.
func filterBy(a, b States, isMember bool) States {
	var found States
	for _, s := range a {
		for len(b) > 0 && b[0] < s {
			b = b[1:]
		}
		isInB := len(b) > 0 && b[0] == s
		if isInB == isMember {
			found = append(found, s)
		}
	}
	return found
}

// IsEmpty reports whether s has no states.
func (x *Explicit) IsEmpty(s States) bool { return len(s) == 0 }

// Count returns the number of states.
func (x *Explicit) Count(s States) float64 { return float64(len(s)) }

// Pick returns the set with the smallest state of s; the empty set if s is empty.
func (x *Explicit) Pick(s States) States { return s[:min(1, len(s)):min(1, len(s))] }

// ForEach calls yield with the set of each state, ascending.
func (x *Explicit) ForEach(s States, yield func(one States) bool) {
	for i := range s {
		if !yield(s[i : i+1 : i+1]) {
			return
		}
	}
}

// Post returns the targets of transitions from s with these labels. Cost O(transitions of s), and
// that of sorting.
func (x *Explicit) Post(s States, l syntax.Labels) States { return x.neighbours(s, l, x.m.Out) }

// Pre returns the sources of transitions to s with these labels. Cost as for Post.
func (x *Explicit) Pre(s States, l syntax.Labels) States { return x.neighbours(s, l, x.in.In) }

// neighbours returns the states at the other end of the transitions of s with these labels. transitions
// returns the labels of the transitions of a state, and the states at their other end.
func (x *Explicit) neighbours(
	s States,
	l syntax.Labels,
	transitions func(lts.State) (lts.Labels, []lts.State),
) States {
	found := x.found[:0]
	for _, near := range s {
		labels, others := transitions(near)
		for i, t := range others {
			if x.matches(l, labels.At(i)) && !x.mark.Has(t) {
				x.mark.Add(t)
				found = append(found, t)
			}
		}
	}
	x.found = found
	return slices.Clone(x.sorted(found))
}

// A sweep over the words of a set takes less time than sorting if it passes at most wordsForEach words for
// each state.
const wordsForEach = 8

// sorted sorts states in place, all of which are marked, and removes the marks.
func (x *Explicit) sorted(found States) States {
	if len(found) == 0 {
		return found
	}
	words := int(slices.Max(found)-slices.Min(found)) / 64
	if words <= wordsForEach*len(found) {
		x.mark.Sort(found)
		return found
	}
	slices.Sort(found)
	for _, s := range found {
		x.mark.Remove(s)
	}
	return found
}

// PreSome returns the states of the set within from which some transition with these labels leads into
// target. Cost O(transitions of within + size of target).
func (x *Explicit) PreSome(within States, l syntax.Labels, target States) States {
	return x.pre(within, l, target, true)
}

// PreAll returns the states of the set within from which all transitions with these labels
// lead into target. Cost as for PreSome.
func (x *Explicit) PreAll(within States, l syntax.Labels, target States) States {
	return x.pre(within, l, target, false)
}

// pre is PreSome if isSome is set, and otherwise PreAll. For PreSome, one transition into target is enough
// for a state; for PreAll, one transition that does not lead into target is too much.
func (x *Explicit) pre(within States, l syntax.Labels, target States, isSome bool) States {
	for _, t := range target {
		x.target.Add(t)
	}
	var found States
	for _, s := range within {
		labels, targets := x.m.Out(s)
		isDecided := false
		for i, t := range targets {
			if x.matches(l, labels.At(i)) && x.target.Has(t) == isSome {
				isDecided = true
				break
			}
		}
		if isDecided == isSome {
			found = append(found, s)
		}
	}
	for _, t := range target {
		x.target.Remove(t)
	}
	return found
}

// Deadlocks returns the states without transitions.
func (x *Explicit) Deadlocks() Collection[States] { return x.deadlocks }

// Holding returns the states that satisfy a predicate.
func (x *Explicit) Holding(p syntax.Predicate) (_ Collection[States], err error) {
	defer abort.Caught(&err)
	if c, known := x.holding[p]; known {
		return c, nil
	}
	if x.valuation == nil {
		return nil, NoPredicateError{p}
	}
	states := abort.Must(x.valuation(p))
	c := &collection{x: x, in: bitset.New[lts.State](x.m.NumStates())}
	c.Add(states)
	x.holding[p] = c
	return c, nil
}

// NoPredicateError reports that a formula has a predicate about values of states, and the model has no
// such values.
type NoPredicateError struct{ Predicate syntax.Predicate }

func (e NoPredicateError) Error() string {
	return fmt.Sprintf("%s is a predicate of states, and the states of the model have none; <%[1]s> true asks for a transition by that label", e.Predicate)
}

// collection is a bit set with a list of its members. Emptying a collection costs no more than
// filling it, so that the cost of a small unfolding does not depend on the size of the model.
type collection struct {
	x    *Explicit
	in   bitset.Set[lts.State]
	list States // in the order of addition
}

// Collect returns an empty collection. Cost O(1), or O(S) if none can be reused.
func (x *Explicit) Collect() Collection[States] {
	c := &collection{x: x}
	last := len(x.free) - 1
	if last >= 0 {
		c.in = x.free[last]
		x.free = x.free[:last]
	} else {
		c.in = bitset.New[lts.State](x.m.NumStates())
	}
	return c
}

// Add adds states. Cost O(their number).
func (c *collection) Add(states States) {
	for _, s := range states {
		if !c.in.Has(s) {
			c.in.Add(s)
			c.list = append(c.list, s)
		}
	}
}

// Known returns the given states that are in the collection. Cost O(number of given states).
func (c *collection) Known(states States) States { return c.filter(states, true) }

// New returns the given states that are not in the collection. Cost O(number of given states).
func (c *collection) New(states States) States { return c.filter(states, false) }

// filter returns the given states that are in the collection or, if isMember is false, the others. It
// copies nothing if these are all the given states, which is often so.
func (c *collection) filter(states States, isMember bool) States {
	n := 0
	for n < len(states) && c.in.Has(states[n]) == isMember {
		n++
	}
	if n == len(states) {
		return states
	}
	found := append(States(nil), states[:n]...)
	for _, s := range states[n:] {
		if c.in.Has(s) == isMember {
			found = append(found, s)
		}
	}
	return found
}

// All returns the members. Cost: sorting them.
func (c *collection) All() States {
	all := append(States(nil), c.list...)
	for _, s := range all {
		c.x.mark.Add(s)
	}
	return c.x.sorted(all)
}

// Release empties the collection, and keeps its bits for reuse.
func (c *collection) Release() {
	for _, s := range c.list {
		c.in.Remove(s)
	}
	c.x.free = append(c.x.free, c.in)
	c.in = nil
	c.list = nil
}

// closer finds states whose transitions are all good. For each state, resume has the number of its
// first transitions that are known to be good.
type closer struct {
	x       *Explicit
	c       Closing[States]
	done    *collection
	resume  []uint32
	touched States
}

// Closing returns a [Closer]. Cost O(size of c.Done), or O(S) if none can be reused.
func (x *Explicit) Closing(c Closing[States]) Closer[States] {
	f := &closer{x: x, c: c}
	if c.Last != syntax.NoLast {
		f.done = x.Collect().(*collection)
		f.done.Add(c.Done)
	}
	return f
}

// Closed returns which of the states have only good transitions. Cost O(number of states, and of
// transitions that were not known to be good before).
func (f *closer) Closed(states States, into Collection[States]) States {
	if f.resume == nil {
		f.resume = f.x.resumeTable()
	}
	goal := into.(*collection)
	var found States
	for _, s := range states {
		if f.resume[s] == 0 {
			f.touched = append(f.touched, s)
		}
		if f.isClosed(s, goal) {
			found = append(found, s)
		}
	}
	return found
}

// resumeTable returns a table for a closer, all zero: a table that was released or, if there is none, a new
// one.
func (x *Explicit) resumeTable() []uint32 {
	last := len(x.resumes) - 1
	if last < 0 {
		return make([]uint32, x.m.NumStates())
	}
	table := x.resumes[last]
	x.resumes = x.resumes[:last]
	return table
}

// isClosed reports whether all transitions of a state are good. It begins with the first transition that is
// not known to be good, and records how far it has come.
func (f *closer) isClosed(s lts.State, goal *collection) bool {
	labels, targets := f.x.m.Out(s)
	for i := int(f.resume[s]); i < len(targets); i++ {
		t := targets[i]
		if goal.in.Has(t) && f.x.matches(f.c.Labels, labels.At(i)) {
			continue
		}
		if f.done != nil && f.done.in.Has(t) && f.x.matches(f.c.Last, labels.At(i)) {
			continue
		}
		f.resume[s] = uint32(i)
		return false
	}
	f.resume[s] = uint32(len(targets))
	return true
}

// Release keeps the memory for reuse.
func (f *closer) Release() {
	if f.done != nil {
		f.done.Release()
	}
	if f.resume != nil {
		for _, s := range f.touched {
			f.resume[s] = 0
		}
		f.x.resumes = append(f.x.resumes, f.resume)
	}
}
