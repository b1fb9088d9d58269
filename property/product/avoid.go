package product

import (
	"context"
	"math/bits"

	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/stateset"
)

// worthPasses bounds the passes over all transitions, each of which takes some places away. When it is
// reached, the places that are left are taken as they are: a few too many.
const worthPasses = 4

// avoidance finds the places on which a run can go on for ever without some colours, and stays
// on one loop of the property: the greatest sets whose places all lead into one. As the
// passes of a chain, they go through the states of the model from the last one and from the
// first in turn.
type avoidance[W stateset.Set] struct {
	*Levels
	left   []W
	places int // how many are left
	// before has the inverse images of sets, on such loops, after the images.
	before, after stateset.Images[W]
	// looked is how many transitions a pass has looked at, taken how many places it took away.
	looked, taken int
}

// rest are the places on which a run can go on for ever without the colours of a pair that
// must not recur: those, and maybe some more. Of the states of the property it has only those with a
// loop that meets all colours of the pair that must recur.
type rest interface {
	// count returns the number of places.
	count() int
	// part returns the places as [Levels.Part] does.
	part(ctx context.Context) (part *Unfolding, distances []uint32, err error)
}

// Loops finds out for each pair which of the places that were explored can lie on loops that violate
// the property by it, or are not known to lie on none, and returns their number. They are kept
// for [Levels.Part]. Errors as for [Levels.Explore]. Cost: passes through the transitions of the model,
// O(T) each and commonly few, for each pair; for each of them the memory of Explore.
func (l *Levels) Loops(ctx context.Context, pairs []property.Pair) (places int, err error) {
	for _, pair := range pairs {
		rest, err := l.sets.rest(ctx, l, pair)
		if err != nil {
			return 0, err
		}
		l.rests = append(l.rests, rest)
		places += rest.count()
	}
	return places, nil
}

// Part returns the places on which a run can go on for ever without the colours of the i-th pair that
// must not recur, and the transitions that it takes; nil if there is none. Of the states of
// the property it has only those with a loop that meets all colours of the pair that must recur.
// The part serves for searches of loops, and finds no places. Its states are numbered as they
// come among all places, and have the distances that are returned, which ascend. It is
// made once for a pair. Errors as for
// [Levels.Explore], which goes before. Cost as for [Levels.Loops] unless that has been called, and O(T);
// 4 bytes for each state of the model, and for each place of the part 13 and its transitions.
func (l *Levels) Part(ctx context.Context, i int, pair property.Pair) (part *Unfolding, distances []uint32, err error) {
	var of rest
	if i < len(l.rests) {
		of, l.rests[i] = l.rests[i], nil
	} else if of, err = l.sets.rest(ctx, l, pair); err != nil {
		return nil, nil, err
	}
	return of.part(ctx)
}

func (x *words[W]) rest(ctx context.Context, l *Levels, pair property.Pair) (rest, error) {
	a := &avoidance[W]{Levels: l}
	on := a.prepare(pair)
	if on == 0 {
		return a, nil
	}
	left, err := resources.Make[W](ctx, len(x.reached))
	if err != nil {
		return nil, err
	}
	for s, set := range x.reached {
		left[s] = set & on
	}
	a.left = left
	if a.places, err = a.narrow(ctx); err != nil || a.places == 0 {
		return a, err
	}
	if a.places, err = a.narrowAhead(ctx, a.places); err == nil && !a.meets(pair) {
		a.places = 0
	}
	return a, err
}

func (a *avoidance[W]) count() int { return a.places }

func (a *avoidance[W]) part(ctx context.Context) (*Unfolding, []uint32, error) {
	if a.places == 0 {
		return nil, nil, nil
	}
	return a.rows(ctx, a.places)
}

// fewTaken is the part of the places that a pass has to take away, as its reciprocal, for
// another one to be made where nothing is known of what is reached.
const fewTaken = 4

func (x *words[W]) mayLoop(ctx context.Context, l *Levels, pair property.Pair) (float64, error) {
	a := &avoidance[W]{Levels: l}
	on := a.prepare(pair)
	if on == 0 {
		return 0, nil
	}
	left, err := resources.Make[W](ctx, l.model.NumStates())
	if err != nil {
		return 0, err
	}
	for s := range left {
		left[s] = on
	}
	a.left = left
	all := stateset.Count(left)
	places := all
	for down := true; places > 0; down = !down {
		if err := a.pass(ctx, down); err != nil {
			return 0, err
		}
		few := fewTaken*a.taken < places
		if places -= a.taken; few {
			break
		}
	}
	if places > 0 {
		if places, err = a.narrowAhead(ctx, places); err != nil || !a.meets(pair) {
			return 0, err
		}
	}
	return float64(places) / float64(all), nil
}

func (l *Levels) marks(i int) property.Marks {
	if l.table.Marks == nil {
		return 0
	}
	return l.table.Marks[i]
}

// prepare makes the tables, and returns the states of the property that lie on loops.
func (a *avoidance[W]) prepare(pair property.Pair) (on W) {
	loops, states := stateset.Loops(&a.table, pair)
	stays := stateset.Stays(loops, pair)
	a.before, a.after = stateset.Backward[W](&a.table, stays), stateset.Forward[W](&a.table, stays)
	return W(states)
}

// from returns the states of the property that a letter leads to one of the set.
func (a *avoidance[W]) from(letter uint16, set W) W { return a.before.Of(letter, set) }

// narrow takes places away until each leads to one that is left, or until that is not worth it
// any more, and returns how many are left.
func (a *avoidance[W]) narrow(ctx context.Context) (places int, err error) {
	places = stateset.Count(a.left)
	worth := worthPasses * (a.model.NumStates() + a.model.NumTransitions())
	for before, down := places, true; worth > 0 && places > 0; down = !down {
		if err := a.pass(ctx, down); err != nil {
			return 0, err
		}
		if a.taken == 0 {
			break
		}
		places -= a.taken
		if 4*a.taken > before {
			worth -= a.looked
		}
		before = a.taken
	}
	return places, nil
}

// pass looks once at each state of the model that is left.
func (a *avoidance[W]) pass(ctx context.Context, down bool) error {
	a.looked, a.taken = 0, 0
	_, err := stateset.Pass(ctx, len(a.left), down, func(s lts.State) bool {
		if a.left[s] == 0 {
			return false
		}
		return a.look(s)
	})
	return err
}

// look takes away the places of a state that no transition leads to one that is left, and reports whether
// there were any.
func (a *avoidance[W]) look(s lts.State) bool {
	left, goesOn := a.left[s], W(0)
	labels, targets := a.model.Out(s)
	a.looked += len(targets) + 1
	for j, t := range targets {
		set := a.left[t]
		if set == 0 {
			continue
		}
		if goesOn |= a.from(a.table.Letters[labels.At(j)], set); left&^goesOn == 0 {
			return false
		}
	}
	a.taken += bits.OnesCount64(uint64(left &^ goesOn))
	a.left[s] = left & goesOn
	return true
}

// slots find the number of a place that is left. For place (s, q) it is at first[s] and the
// number of smaller states of the property in the set of s.
type slots[W stateset.Set] struct {
	left    []W
	first   []uint32
	numbers []lts.State
}

func (x *slots[W]) of(s lts.State, q property.Q) *lts.State {
	return &x.numbers[int(x.first[s])+bits.OnesCount64(uint64(x.left[s])&(1<<q-1))]
}

// number numbers the places that are left, as they come among all.
func (a *avoidance[W]) number(ctx context.Context, u *Unfolding, places int) (*slots[W], []uint32, error) {
	x := &slots[W]{left: a.left}
	var err error
	if x.first, err = resources.Make[uint32](ctx, len(a.left)); err != nil {
		return nil, nil, err
	}
	if x.numbers, err = resources.Make[lts.State](ctx, places); err != nil {
		return nil, nil, err
	}
	at := 0
	for s, set := range a.left {
		x.first[s] = uint32(at)
		at += bits.OnesCount64(uint64(set))
	}
	if err := resources.Ask(ctx, 9*int64(places)); err != nil {
		return nil, nil, err
	}
	u.places.makeRoom(places)
	distances := make([]uint32, 0, places)
	for d, i := 0, 0; i < a.Len(); i++ {
		for d+1 < len(a.begins) && i >= a.begins[d+1] {
			d++
		}
		p := a.place(i)
		if a.left[p.State]>>p.Q&1 != 0 {
			*x.of(p.State, p.Q) = lts.State(u.places.len())
			u.places.add(p)
			distances = append(distances, uint32(d))
		}
	}
	return x, distances, ctx.Err()
}

// rows makes the part of the places that are left, with the transitions between them that a run
// without these colours takes on a loop.
func (a *avoidance[W]) rows(ctx context.Context, places int) (*Unfolding, []uint32, error) {
	u := &Unfolding{property: a.property, places: newPlaces(a.property), next: newSuccessor(a.property), model: a.model}
	x, distances, err := a.number(ctx, u, places)
	if err != nil {
		return nil, nil, err
	}
	most := 0
	for _, s := range u.places.states {
		first, end := a.model.Row(s)
		most += end - first
	}
	if places > lts.MaxStates || most > 1<<32-1 {
		return nil, nil, tooLarge()
	}
	if err := resources.Ask(ctx, 4*int64(places)+4*int64(most)); err != nil {
		return nil, nil, err
	}
	var labels lts.LabelColumn
	if err := labels.Grow(ctx, most, a.model.Alphabet().Len()); err != nil {
		return nil, nil, err
	}
	starts, targets := make([]uint32, 1, places+1), make([]lts.State, 0, most)
	for s := range lts.State(places) {
		if s&(1<<12-1) == 0 && ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		p := u.places.at(s)
		of, to := a.model.Out(p.State)
		for j, t := range to {
			if l := of.At(j); a.left[t] != 0 && a.from(a.table.Letters[l], a.left[t])>>p.Q&1 != 0 {
				labels.Append(l)
				targets = append(targets, *x.of(t, a.next(p.Q, l)))
			}
		}
		starts = append(starts, uint32(len(targets)))
	}
	u.expanded = places
	u.system, err = lts.FromRows(0, a.model.Alphabet(), starts, labels, targets)
	return u, distances, err
}
