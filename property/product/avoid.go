package product

import (
	"context"
	"math/bits"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/stateset"
)

// worthPasses limits the passes over all transitions, each of which removes
// product states. At the limit, the product states that are left are taken as the
// result, which then has a few too many.
const worthPasses = 4

// avoidance finds the product states from where a run can go on for ever without some colours and
// stay on one loop of the property: the greatest sets such that each member leads into one of the
// sets. Its passes go through the states of the model from the last one and from the first in turn.
type avoidance[W stateset.Set] struct {
	*Levels
	left          []W
	productStates int // the number of product states in left
	// before and after are the inverse images and the images of sets under
	// transitions on such loops.
	before, after stateset.Images[W]
	// looked is the number of transitions that a pass has read, taken the number of product states
	// that it has removed.
	looked, taken int
}

// candidates is a superset, with few extra members, of the product states from where a run can go
// on for ever without the Fin colours of a pair. Its property states all lie on a loop that meets
// all Inf colours of the pair.
type candidates interface {
	// count returns the number of product states.
	count() int
	// part returns the product of these states, as [Levels.Part] does.
	part(ctx context.Context) (part *Unfolding, distances []uint32)
}

// Loops finds for each pair a superset, with few extra members, of the explored product states on
// loops that violate the property by this pair, and returns its size. The sets are kept for
// [Levels.Part]. Errors as for [Levels.Explore]. Cost: passes through the transitions of the model,
// O(T) each and usually few, for each pair; for each pair also the memory of Explore.
func (l *Levels) Loops(ctx context.Context, pairs []property.Pair) (_ int, err error) {
	defer abort.Caught(&err)
	productStates := 0
	for _, pair := range pairs {
		found := l.sets.candidates(ctx, l, pair)
		l.candidates = append(l.candidates, found)
		productStates += found.count()
	}
	return productStates, nil
}

// Part returns the product states from which a run can go on for ever without the
// Fin colours of the i-th pair, and the transitions of such runs; nil if there is
// none. It only has property states on a loop that meets all Inf colours of the
// pair. A search for loops can use the part, but the part cannot find product
// states. Its states have the order of all product states; distances has their
// distances, which ascend. It is made once for a pair. Call [Levels.Explore]
// first; errors as there. Cost as for [Levels.Loops] unless that was called, and
// O(T); 4 bytes for each state of the model, and 13 for each product state of the
// part and its transitions.
func (l *Levels) Part(ctx context.Context, i int, pair property.Pair) (part *Unfolding, distances []uint32, err error) {
	defer abort.Caught(&err)
	var of candidates
	if i < len(l.candidates) {
		of, l.candidates[i] = l.candidates[i], nil
	} else {
		of = l.sets.candidates(ctx, l, pair)
	}
	part, distances = of.part(ctx)
	return part, distances, nil
}

func (x *words[W]) candidates(ctx context.Context, l *Levels, pair property.Pair) candidates {
	a := &avoidance[W]{Levels: l}
	on := a.prepare(pair)
	if on == 0 {
		return a
	}
	a.left = abort.Must(resources.Make[W](ctx, len(x.reached)))
	for s, set := range x.reached {
		a.left[s] = set & on
	}
	if a.productStates = a.narrow(ctx); a.productStates == 0 {
		return a
	}
	if a.productStates = a.narrowAhead(ctx, a.productStates); !a.meets(pair) {
		a.productStates = 0
	}
	return a
}

func (a *avoidance[W]) count() int { return a.productStates }

func (a *avoidance[W]) part(ctx context.Context) (*Unfolding, []uint32) {
	if a.productStates == 0 {
		return nil, nil
	}
	return a.rows(ctx, a.productStates)
}

// fewTaken: as long as a pass removes at least one in fewTaken product states,
// another pass follows.
const fewTaken = 4

func (x *words[W]) mayLoop(ctx context.Context, l *Levels, pair property.Pair) float64 {
	a := &avoidance[W]{Levels: l}
	on := a.prepare(pair)
	if on == 0 {
		return 0
	}
	a.left = abort.Must(resources.Make[W](ctx, l.model.NumStates()))
	for s := range a.left {
		a.left[s] = on
	}
	all := stateset.Count(a.left)
	productStates := all
	for down := true; productStates > 0; down = !down {
		a.pass(ctx, down)
		few := fewTaken*a.taken < productStates
		if productStates -= a.taken; few {
			break
		}
	}
	if productStates > 0 {
		if productStates = a.narrowAhead(ctx, productStates); !a.meets(pair) {
			return 0
		}
	}
	return float64(productStates) / float64(all)
}

func (l *Levels) marks(i int) property.Marks {
	if l.table.Marks == nil {
		return 0
	}
	return l.table.Marks[i]
}

// prepare makes the tables, and returns the states of the property that lie on
// loops.
func (a *avoidance[W]) prepare(pair property.Pair) (on W) {
	loops, states := stateset.Loops(&a.table, pair)
	stays := stateset.Stays(loops, pair)
	a.before, a.after = stateset.Backward[W](&a.table, stays), stateset.Forward[W](&a.table, stays)
	return W(states)
}

// from returns the property states from which a letter leads into the set.
func (a *avoidance[W]) from(letter uint16, set W) W { return a.before.Of(letter, set) }

// narrow removes product states until each remaining one leads to another, or until passes find too
// little, and returns how many remain.
func (a *avoidance[W]) narrow(ctx context.Context) (productStates int) {
	productStates = stateset.Count(a.left)
	worth := worthPasses * (a.model.NumStates() + a.model.NumTransitions())
	for before, down := productStates, true; worth > 0 && productStates > 0; down = !down {
		a.pass(ctx, down)
		if a.taken == 0 {
			break
		}
		productStates -= a.taken
		if 4*a.taken > before {
			worth -= a.looked
		}
		before = a.taken
	}
	return productStates
}

// pass examines once each state of the model with product states left.
func (a *avoidance[W]) pass(ctx context.Context, down bool) {
	a.looked, a.taken = 0, 0
	abort.Must(stateset.Pass(ctx, len(a.left), down, func(s lts.State) bool { return a.left[s] != 0 && a.look(s) }))
}

// look removes the product states of a model state without a transition to a remaining product
// state, and reports whether there were any.
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

// slots maps remaining product states to their numbers. The number of (s, q) is at first[s] plus
// the number of property states below q in the set of s.
type slots[W stateset.Set] struct {
	left    []W
	first   []uint32
	numbers []lts.State
}

func (x *slots[W]) of(s lts.State, q property.Q) *lts.State {
	return &x.numbers[int(x.first[s])+bits.OnesCount64(uint64(x.left[s])&(1<<q-1))]
}

// number numbers the remaining product states, in the order of all product states.
func (a *avoidance[W]) number(ctx context.Context, u *Unfolding, productStates int) (*slots[W], []uint32) {
	x := &slots[W]{left: a.left}
	x.first = abort.Must(resources.Make[uint32](ctx, len(a.left)))
	x.numbers = abort.Must(resources.Make[lts.State](ctx, productStates))
	at := 0
	for s, set := range a.left {
		x.first[s] = uint32(at)
		at += bits.OnesCount64(uint64(set))
	}
	abort.On(resources.Ask(ctx, 9*int64(productStates)))
	u.productStates.makeRoom(productStates)
	distances := make([]uint32, 0, productStates)
	for d, i := 0, 0; i < a.Len(); i++ {
		for d+1 < len(a.begins) && i >= a.begins[d+1] {
			d++
		}
		p := a.productState(i)
		if a.left[p.State]>>p.Q&1 != 0 {
			*x.of(p.State, p.Q) = lts.State(u.productStates.len())
			u.productStates.add(p)
			distances = append(distances, uint32(d))
		}
	}
	abort.On(ctx.Err())
	return x, distances
}

// rows makes the part that consists of the remaining product states and those transitions between
// them that lie on loops without these colours.
func (a *avoidance[W]) rows(ctx context.Context, productStates int) (*Unfolding, []uint32) {
	u := &Unfolding{property: a.property, productStates: newProductStates(a.property), next: newSuccessor(a.property), model: a.model}
	x, distances := a.number(ctx, u, productStates)
	most := 0
	for _, s := range u.productStates.states {
		first, end := a.model.Row(s)
		most += end - first
	}
	if productStates > lts.MaxStates || most > 1<<32-1 {
		tooLarge()
	}
	abort.On(resources.Ask(ctx, 4*int64(productStates)+4*int64(most)))
	var labels lts.LabelColumn
	abort.On(labels.Grow(ctx, most, a.model.Alphabet().Len()))
	starts, targets := make([]uint32, 1, productStates+1), make([]lts.State, 0, most)
	for s := range lts.State(productStates) {
		if s&(1<<12-1) == 0 {
			abort.On(ctx.Err())
		}
		p := u.productStates.at(s)
		of, to := a.model.Out(p.State)
		for j, t := range to {
			if l := of.At(j); a.left[t] != 0 && a.from(a.table.Letters[l], a.left[t])>>p.Q&1 != 0 {
				labels.Append(l)
				targets = append(targets, *x.of(t, a.next(p.Q, l)))
			}
		}
		starts = append(starts, uint32(len(targets)))
	}
	u.expanded = productStates
	u.system = abort.Must(lts.FromRows(0, a.model.Alphabet(), starts, labels, targets))
	return u, distances
}
