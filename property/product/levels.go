package product

import (
	"context"
	"fmt"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/paged"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/stateset"
)

// mostTables is the largest number of bytes of tables by letter.
const mostTables = 1 << 24

// Levels lists the product states that are reached, breadth first from the
// initial one, with their distances: an [Unfolding] without transitions. For each
// state of the model one word has the property states with which it is reached.
// See [Levels.Explore].
type Levels struct {
	model    *lts.LTS
	property *property.Property
	table    property.Automaton
	// states and qs are the product states in their order; those at distance d
	// begin at index begins[d].
	states paged.List[lts.State]
	qs     paged.List[uint8]
	begins []int
	// looked is the number of distances that were searched for a bad deadlock,
	// one in which the property must not stop.
	looked int
	// stops reports whether the model may have a bad deadlock, among these product states or
	// others.
	stops bool
	// bad is the index of the first bad deadlock; negative if none was found.
	bad  int
	sets sets
	// like has the levels of another property for the same model. Every model state of l is
	// also a model state of like, see [Levels.Follow].
	like *Levels
	// candidates are the results of [Levels.Loops] and [Levels.Part] for pairs.
	candidates []candidates
}

// sets holds a set of property states, as a word, for each state of a model.
// Words are as narrow as possible.
type sets interface {
	explore(ctx context.Context, l *Levels, within int)
	candidates(ctx context.Context, l *Levels, pair property.Pair) candidates
	near(ctx context.Context, l *Levels, pairs []property.Pair, excluded, below int) NearSearch
	mayLoop(ctx context.Context, l *Levels, pair property.Pair) float64
}

// NewLevels returns levels without product states; nil unless the property is a
// table of at most 64 states and not too many letters. Cost O(size of the
// property).
func NewLevels(m *lts.LTS, p *property.Property) *Levels {
	if p.Steps() > 0 || p.States() > mostInSet {
		return nil
	}
	l := &Levels{model: m, property: p, table: p.Automaton(), bad: -1}
	switch stateset.Width(&l.table, mostTables) {
	case 0:
		return nil
	case 1:
		l.sets = &words[uint8]{}
	case 2:
		l.sets = &words[uint16]{}
	case 4:
		l.sets = &words[uint32]{}
	default:
		l.sets = &words[uint64]{}
	}
	return l
}

// Explore finds the product states within a distance of the initial one. If one
// of them is a deadlock in which the property must not stop, only the first such
// state and nearer ones are found. Further calls extend the search to larger
// distances. It fails if ctx is done, or if there is too little memory. Cost O(n
// T) time for a property of n states, usually little more than O(T); 5 bytes for
// each product state, and n bits for each state of the model, at least 8.
func (l *Levels) Explore(ctx context.Context, within int) (err error) {
	defer abort.Caught(&err)
	l.sets.explore(ctx, l, within)
	return nil
}

// Follow lets l, whose property must have one state, take its product states from
// the levels of another property: model states are reached in the same order as
// in the other levels. Cost of Explore from then on: as much as Explore of the
// other levels, and O(product states).
func (l *Levels) Follow(other *Levels) { l.like = other }

// First returns the first product state, in the order of their numbers, for which
// is returns true, and its distance. There must be one, unless a deadlock comes
// before it in which the property must not stop. Errors and cost as for
// [Levels.Explore].
func (l *Levels) First(ctx context.Context, is func(State) bool) (first State, distance int, err error) {
	for i := 0; ; distance++ {
		if err := l.Explore(ctx, distance); err != nil {
			return State{}, 0, err
		}
		if i == l.Len() {
			return State{}, 0, fmt.Errorf("product: no product state satisfies the condition, please report it")
		}
		for ; i < l.Len(); i++ {
			if p := l.productState(i); is(p) {
				return p, distance, nil
			}
		}
	}
}

// MayLoop returns the fraction of all product states, reachable or not, that may
// lie on a loop that violates the property by one of these pairs, as far as a few
// passes show; it returns the largest of all pairs. If it is 0 and no run stops
// where it must not, the property holds. Errors as for [Levels.Explore]. Cost
// O(T) for each pass; n bits for each state of the model, at least 8, for a
// property of n states.
func (l *Levels) MayLoop(ctx context.Context, pairs []property.Pair) (_ float64, err error) {
	defer abort.Caught(&err)
	part := 0.0
	for _, pair := range pairs {
		part = max(part, l.sets.mayLoop(ctx, l, pair))
	}
	return part, nil
}

// MayStop reports whether the model has a deadlock and the property has a state
// where a run must not stop. Cost O(S).
func (l *Levels) MayStop() bool {
	if !slices.Contains(l.table.Stop, false) {
		return false
	}
	for s := range lts.State(l.model.NumStates()) {
		if l.model.IsDeadlock(s) {
			return true
		}
	}
	return false
}

// Len returns the number of product states found. Cost O(1).
func (l *Levels) Len() int { return l.states.Len() }

// Bad returns the nearest deadlock in which the property must not stop, and its
// distance; false if there is none. Cost O(log distance).
func (l *Levels) Bad() (p State, distance int, is bool) {
	if l.bad < 0 {
		return State{}, 0, false
	}
	at, exact := slices.BinarySearch(l.begins, l.bad)
	if !exact {
		at--
	}
	return l.productState(l.bad), at, true
}

func (l *Levels) productState(i int) State {
	return State{*l.states.At(i), property.Q(*l.qs.At(i))}
}

func (l *Levels) add(s lts.State, q property.Q) {
	l.states.Append(s)
	l.qs.Append(uint8(q))
}

// Path returns the transitions of the model on the shortest path to a product
// state at this distance. Each state on it is the first one, by number, that
// leads to the next. Cost O(number of transitions of the nearer product states).
func (l *Levels) Path(to State, distance int) []lts.Transition {
	steps := make([]lts.Transition, distance)
	for d := distance - 1; d >= 0; d-- {
		steps[d], to = l.into(to, d)
	}
	return steps
}

// into returns the first transition to a product state from one at this distance,
// with its source.
func (l *Levels) into(to State, distance int) (lts.Transition, State) {
	for i := l.begins[distance]; ; i++ {
		from := l.productState(i)
		labels, targets := l.model.Out(from.State)
		for j, t := range targets {
			if t == to.State && l.next(from.Q, labels.At(j)) == to.Q {
				return lts.Transition{From: from.State, Label: labels.At(j), To: t}, from
			}
		}
	}
}

func (l *Levels) next(q property.Q, label lts.Label) property.Q {
	return l.table.Next[int(q)*l.table.Columns+int(l.table.Letters[label])]
}

// words has for each state of a model the set of property states with which it is
// reached.
type words[W stateset.Set] struct{ reached []W }

func (x *words[W]) explore(ctx context.Context, l *Levels, within int) {
	if x.reached == nil {
		x.reached = abort.Must(resources.Make[W](ctx, l.model.NumStates()))
		l.stops = l.MayStop()
		x.reached[l.model.Initial()] |= 1 << l.property.Initial()
		l.add(l.model.Initial(), l.property.Initial())
		l.begins = []int{0}
	}
	for l.bad < 0 {
		level := len(l.begins) - 1
		first, end := l.begins[level], l.Len()
		near := level < within
		if first == end || !near && (l.looked > level || !l.stops) {
			return
		}
		if x.follow(ctx, l, near && !l.stops) {
			continue
		}
		for i := first; i < end; i++ {
			if i&(1<<12-1) == 0 {
				abort.On(ctx.Err())
			}
			if x.expand(l, i, near); l.bad >= 0 {
				return
			}
		}
		l.looked = level + 1
		if near {
			l.begin(end)
		}
	}
}

// begin starts a distance whose first product state has this index. Paths can be
// as long as the model is large: doubling the list copies it five times less
// often than append.
func (l *Levels) begin(first int) {
	if n := len(l.begins); n == cap(l.begins) {
		l.begins = slices.Grow(l.begins, n+1)
	}
	l.begins = append(l.begins, first)
}

// follow adds the product states of the next distance from the levels of another
// property, and reports whether they are known.
func (x *words[W]) follow(ctx context.Context, l *Levels, wanted bool) bool {
	if l.like == nil || !wanted {
		return false
	}
	level, end := len(l.begins), l.Len()
	l.like.sets.explore(ctx, l.like, level)
	if l.like.bad >= 0 {
		return false
	}
	l.begin(end)
	l.looked = level
	for i, last := l.like.level(level); i < last; i++ {
		if s := *l.like.states.At(i); x.reached[s] == 0 {
			x.reached[s] = 1
			l.add(s, 0)
		}
	}
	abort.On(ctx.Err())
	return true
}

// level returns the index range of the product states at a distance; an empty one
// if there are none.
func (l *Levels) level(distance int) (first, end int) {
	switch {
	case distance+1 < len(l.begins):
		return l.begins[distance], l.begins[distance+1]
	case distance < len(l.begins):
		return l.begins[distance], l.Len()
	}
	return 0, 0
}

// expand adds the successors of product state i, if near is set, and notes if i
// is a deadlock in which the property must not stop.
func (x *words[W]) expand(l *Levels, i int, near bool) {
	p := l.productState(i)
	labels, targets := l.model.Out(p.State)
	if len(targets) == 0 && !l.table.Stop[p.Q] {
		l.bad = i
	}
	if !near {
		return
	}
	letters, row := l.table.Letters, l.table.Next[int(p.Q)*l.table.Columns:]
	for j, t := range targets {
		q := row[letters[labels.At(j)]]
		if x.reached[t]>>q&1 == 0 {
			x.reached[t] |= 1 << q
			l.add(t, q)
		}
	}
}
