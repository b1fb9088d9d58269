package product

import (
	"context"
	"fmt"
	"slices"

	"github.com/inev-lts/inev/internal/paged"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/stateset"
)

// mostTables is the number of bytes that tables by letter may take: see [before].
const mostTables = 1 << 24

// Levels are the places that are reached, breadth first from the initial one, by their
// distances: an [Unfolding] without transitions. For each state of the model one word has the
// states of the property that it is reached with. See [Levels.Explore].
type Levels struct {
	model    *lts.LTS
	property *property.Property
	table    property.Automaton
	// states and qs are the places in their order; distance d begins with place begins[d].
	states paged.List[lts.State]
	qs     paged.List[uint8]
	begins []int
	// looked is how many distances were looked at for places where a run stops that may not.
	looked int
	// stops reports whether a run may come to a deadlock at which it must not stop, in one of these
	// places or another one.
	stops bool
	// bad is the first place where a run stops that may not; negative if there is none.
	bad  int
	sets sets
	// like are levels of another property for the same model, which have each of these: see
	// [Levels.Follow].
	like *Levels
	// rests are those of pairs, once they were asked for.
	rests []rest
}

// sets are sets of states of a property as words, one for each state of a model, of as few bits
// as there are.
type sets interface {
	explore(ctx context.Context, l *Levels, within int) error
	rest(ctx context.Context, l *Levels, pair property.Pair) (rest, error)
	near(ctx context.Context, l *Levels, pairs []property.Pair, excluded, below int) (nearSearch, error)
	mayLoop(ctx context.Context, l *Levels, pair property.Pair) (float64, error)
}

// NewLevels returns levels without places; nil if they do not serve for the property, which has
// to be a table of at most 64 states and not too many letters. Cost O(size of the property).
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

// Explore finds the places within a distance of the initial one; if a run stops in
// one that may not, only the first such place and nearer ones. A further call goes on to a
// larger distance. It
// fails if ctx is done, or if there is too little memory. Cost O(n T) time for a
// property of n states, commonly little more than O(T); 5 bytes for each place, and n bits for
// each state of the model, at least 8.
func (l *Levels) Explore(ctx context.Context, within int) error {
	return l.sets.explore(ctx, l, within)
}

// Follow makes l, of a property with one state, take its places from those of another property:
// states of the model are come to in the order places with them are. Cost of Explore
// from then on: that of other, and O(places).
func (l *Levels) Follow(other *Levels) { l.like = other }

// First returns the first place, in the order of their numbers, that is as asked for, and its distance;
// there is one, unless a run stops before it in one where it must not. Errors and cost as for
// [Levels.Explore].
func (l *Levels) First(ctx context.Context, is func(Place) bool) (first Place, distance int, err error) {
	for i := 0; ; distance++ {
		if err := l.Explore(ctx, distance); err != nil {
			return Place{}, 0, err
		}
		if i == l.Len() {
			return Place{}, 0, fmt.Errorf("product: no place is as asked for, please report it")
		}
		for ; i < l.Len(); i++ {
			if p := l.place(i); is(p) {
				return p, distance, nil
			}
		}
	}
}

// MayLoop returns which part of all places, wherever a run begins and with the property in
// whichever state, may lie on a loop that violates it by one of these pairs, as far as a few passes
// show; the largest of all pairs. If it is 0 and no run stops where it must not, the property holds.
// Errors as for [Levels.Explore]. Cost O(T) for each pass; n bits for each
// state of the model, at least 8, for a property of n states.
func (l *Levels) MayLoop(ctx context.Context, pairs []property.Pair) (part float64, err error) {
	for _, pair := range pairs {
		of, err := l.sets.mayLoop(ctx, l, pair)
		if part = max(part, of); err != nil {
			return 0, err
		}
	}
	return part, nil
}

// MayStop reports whether the model has deadlocks, and the property states where a run must not
// stop. Cost O(S).
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

// Len returns the number of places. Cost O(1).
func (l *Levels) Len() int { return l.states.Len() }

// Bad returns the nearest place where a run stops that may not, and its distance; false if
// there is none. Cost O(1) and O(log distance).
func (l *Levels) Bad() (p Place, distance int, is bool) {
	if l.bad < 0 {
		return Place{}, 0, false
	}
	at, exact := slices.BinarySearch(l.begins, l.bad)
	if !exact {
		at--
	}
	return l.place(l.bad), at, true
}

func (l *Levels) place(i int) Place {
	return Place{*l.states.At(i), property.Q(*l.qs.At(i))}
}

func (l *Levels) add(s lts.State, q property.Q) {
	l.states.Append(s)
	l.qs.Append(uint8(q))
}

// Path returns the transitions of the model on the shortest path to a place at this distance
// that comes first: each place has the first one before it that leads there. Cost O(number of
// transitions of the nearer places).
func (l *Levels) Path(to Place, distance int) []lts.Transition {
	steps := make([]lts.Transition, distance)
	for d := distance - 1; d >= 0; d-- {
		steps[d], to = l.into(to, d)
	}
	return steps
}

// into returns the first transition to a place from one at this distance, with its source.
func (l *Levels) into(to Place, distance int) (lts.Transition, Place) {
	for i := l.begins[distance]; ; i++ {
		from := l.place(i)
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

// words are sets for each state of a model, of the states of the property that it is reached with.
type words[W stateset.Set] struct{ reached []W }

func (x *words[W]) explore(ctx context.Context, l *Levels, within int) (err error) {
	if x.reached == nil {
		if x.reached, err = resources.Make[W](ctx, l.model.NumStates()); err != nil {
			return err
		}
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
			return nil
		}
		if followed, err := x.follow(ctx, l, near && !l.stops); err != nil {
			return err
		} else if followed {
			continue
		}
		for i := first; i < end; i++ {
			if i&(1<<12-1) == 0 {
				if ctx.Err() != nil {
					return ctx.Err()
				}
			}
			if x.expand(l, i, near); l.bad >= 0 {
				return nil
			}
		}
		l.looked = level + 1
		if near {
			l.begin(end)
		}
	}
	return nil
}

// begin adds a distance that begins with a place. Runs can be as long as the model is large: the list
// doubles, where append would copy it five times as often.
func (l *Levels) begin(place int) {
	if n := len(l.begins); n == cap(l.begins) {
		l.begins = slices.Grow(l.begins, n+1)
	}
	l.begins = append(l.begins, place)
}

// follow adds the places of the next distance that another property has, and reports whether
// it is known which those are.
func (x *words[W]) follow(ctx context.Context, l *Levels, wanted bool) (bool, error) {
	if l.like == nil || !wanted {
		return false, nil
	}
	level, end := len(l.begins), l.Len()
	if err := l.like.Explore(ctx, level); err != nil || l.like.bad >= 0 {
		return false, err
	}
	l.begin(end)
	l.looked = level
	for i, last := l.like.level(level); i < last; i++ {
		if s := *l.like.states.At(i); x.reached[s] == 0 {
			x.reached[s] = 1
			l.add(s, 0)
		}
	}
	return true, ctx.Err()
}

// level returns the places at a distance; none if there are not any.
func (l *Levels) level(distance int) (first, end int) {
	switch {
	case distance+1 < len(l.begins):
		return l.begins[distance], l.begins[distance+1]
	case distance < len(l.begins):
		return l.begins[distance], l.Len()
	}
	return 0, 0
}

// expand adds the places to which place i leads, if it is near, or notes that a run stops there
// that may not.
func (x *words[W]) expand(l *Levels, i int, near bool) {
	p := l.place(i)
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
