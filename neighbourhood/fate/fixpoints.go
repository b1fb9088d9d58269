package fate

import (
	"context"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/stateset"
)

const (
	// mostPasses limits the passes: all states and transitions are read at most this many times for
	// each state of the property. Beyond that the product is cheaper.
	mostPasses = 20
	// A round of a greatest fixpoint is slow if it removes less than 1/fewLeftOut of the product
	// states that it began with; at most mostFew rounds may be slow.
	fewLeftOut, mostFew = 64, 4
	// mostPairs is the largest number of pairs of a condition that are examined.
	mostPairs = 16
)

// fixpoints computes sets of product states from which a run of some kind exists.
// Passes through the states of the model, from the last one and from the first in
// turn, add to the sets or remove from them until nothing changes.
//
// A run satisfies a pair of colours (Fin, Inf) iff it finally stays in the
// greatest sets Z with this property: from each product state of Z, a path inside
// Z without Fin colours meets each of the Inf colours once more. For each Inf
// colour this is a least fixpoint inside the greatest one (Emerson, Lei:
// Efficient Model Checking in Fragments of the Propositional Mu-Calculus, LICS
// 1986).
type fixpoints[W stateset.Set] struct {
	*inWords[W]
	ctx context.Context
	// left is how many states and transitions may still be read.
	left int
	// before are the inverse images: the property states from which a letter leads
	// into a set.
	before stateset.Images[W]
}

func newFixpoints[W stateset.Set](ctx context.Context, x *inWords[W]) *fixpoints[W] {
	f := &fixpoints[W]{inWords: x, ctx: ctx, left: mostPasses * (1 + x.table.States()) * (x.m.NumStates() + x.m.NumTransitions())}
	f.before = stateset.Backward[W](&f.table, all)
	return f
}

// can returns for each state of the model the property states from which some run
// meets the condition, or ends in a deadlock where Stop is stops; nil if that
// takes too many passes.
func (f *fixpoints[W]) can(condition property.Acceptance, stops bool) []W {
	pairs, few := condition.Pairs(mostPairs)
	if !few {
		return nil
	}
	var ends W
	for q, stop := range f.table.Stop {
		if stop == stops {
			ends |= 1 << q
		}
	}
	can := make([]W, len(f.reached))
	some := W(0)
	for s := range lts.State(len(can)) {
		if f.m.IsDeadlock(s) {
			can[s] = f.reached[s] & ends
			some |= can[s]
		}
	}
	for _, pair := range pairs {
		recurring := f.recurring(pair)
		if f.left < 0 {
			return nil
		}
		for s, set := range recurring {
			can[s] |= set
			some |= set
		}
	}
	if some == 0 {
		return can
	}
	if f.grow(can, f.reached, &f.before); f.left < 0 {
		return nil
	}
	return can
}

// recurring returns the greatest sets of a pair: see [fixpoints]. As loops of the
// product are also loops of the property, only property states on loops are
// examined.
func (f *fixpoints[W]) recurring(pair property.Pair) []W {
	loops, states := stateset.Loops(&f.table, pair)
	on := W(states)
	sets := make([]W, len(f.reached))
	if on == 0 {
		return sets
	}
	for s, set := range f.reached {
		sets[s] = set & on
	}
	stays := stateset.Stays(loops, pair)
	along := stateset.Backward[W](&f.table, stays)
	if pair.Inf == 0 {
		f.shrink(sets, &along)
		return sets
	}
	var wanted []stateset.Images[W]
	for colours := pair.Inf; colours != 0; colours &= colours - 1 {
		colour := colours &^ (colours - 1)
		wanted = append(wanted, stateset.Backward[W](&f.table, func(from, to property.Q, marks property.Marks) bool {
			return marks&colour != 0 && stays(from, to, marks)
		}))
	}
	for before, few := stateset.Count(sets), 0; ; {
		// Shrinking first takes one or two passes to remove the product states
		// whose continuations soon end; the loop would need many rounds for that.
		f.shrink(sets, &along)
		for i := range wanted {
			if f.left < 0 {
				return nil
			}
			sets = f.leadsTo(sets, &wanted[i], &along)
		}
		size := stateset.Count(sets)
		if f.left < 0 || size == before {
			return sets
		}
		if before-size < before/fewLeftOut {
			if few++; few > mostFew {
				f.left = -1 // there may be as many more as the model has components
				return nil
			}
		}
		before = size
	}
}

// leadsTo returns the product states of sets from which a path inside sets ends
// in a wanted transition.
func (f *fixpoints[W]) leadsTo(sets []W, wanted, along *stateset.Images[W]) []W {
	found := make([]W, len(sets))
	f.pass(true, func(s lts.State) bool {
		if sets[s] != 0 {
			found[s] = f.into(s, sets, wanted, sets[s])
		}
		return false
	})
	f.grow(found, sets, along)
	return found
}

// into returns, from a set of property states, the states from which a transition of s leads into
// the sets.
func (f *fixpoints[W]) into(s lts.State, sets []W, by *stateset.Images[W], of W) (found W) {
	labels, targets := f.m.Out(s)
	for i, t := range targets {
		set := sets[t]
		if set == 0 {
			continue
		}
		if found |= by.Of(f.table.Letters[labels.At(i)], set) & of; found == of {
			f.left -= i + 1
			return found
		}
	}
	f.left -= len(targets)
	return found
}

// grow adds to sets the product states of within that lead into sets.
func (f *fixpoints[W]) grow(sets, within []W, by *stateset.Images[W]) {
	f.repeat(func(s lts.State) bool {
		missing := within[s] &^ sets[s]
		if missing == 0 {
			return false
		}
		missing = f.into(s, sets, by, missing)
		sets[s] |= missing
		return missing != 0
	})
}

// shrink removes from sets the product states without a transition into sets.
func (f *fixpoints[W]) shrink(sets []W, by *stateset.Images[W]) {
	f.repeat(func(s lts.State) bool {
		before := sets[s]
		if before != 0 {
			sets[s] = f.into(s, sets, by, before)
		}
		return sets[s] != before
	})
}

// repeat makes passes until one changes nothing, or the limit is reached.
func (f *fixpoints[W]) repeat(change func(lts.State) bool) {
	for down := true; f.left >= 0 && f.pass(down, change); down = !down {
	}
}

// pass goes once through all states, and reports whether anything changed.
func (f *fixpoints[W]) pass(down bool, change func(lts.State) bool) (changed bool) {
	f.left -= f.m.NumStates()
	return abort.Must(stateset.Pass(f.ctx, f.m.NumStates(), down, change)) > 0
}
