package repair

import (
	"context"
	"maps"
	"math"
	"slices"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/product"
)

// FairChoices returns states of the model, ascending, such that no run stays for ever in a
// part of r.NotForEver that takes no transition that is forbidden and is fair to their
// choices: one that comes to such a state again and again takes every transition again and
// again that may be taken from there. None of the states can be left out. Nil where there
// are no such parts, where no choices suffice, as can be of properties other than
// inevitability, and where so many states would be chosen that more than work transitions were
// looked at if a part were gone through for each of them; 0 for no limit. It fails where ctx is
// done. Cost O(S + T) of each part for each state of it that is chosen, and at worst again
// for each that is tried to be left out.
func (r *Repair) FairChoices(ctx context.Context, work int64) ([]lts.State, error) {
	if len(r.NotForEver) == 0 || slices.ContainsFunc(r.NotForEver, func(p Part) bool { return p.Again != nil }) {
		return nil, nil
	}
	search, err := scc.NewParts(ctx, r.game.m)
	if err != nil {
		return nil, err
	}
	x := &choices{game: r.game, search: search, most: work, fair: map[lts.State]bool{}}
	if work > 0 {
		if err := x.foresee(); err != nil || x.ended() {
			return nil, err
		}
	}
	for _, c := range r.cycles() {
		for _, p := range c.parts {
			ok, err := x.refute(p.states, c, x.choose, nil)
			if err != nil || !ok || x.ended() {
				return nil, err
			}
		}
	}
	err = x.leaveOut(r.cycles())
	if err != nil || x.ended() {
		return nil, err
	}
	slices.Sort(x.chosen)
	return x.chosen, nil
}

func (r *Repair) cycles() []cycles { return r.game.cycles }

// choices is a search for choices that are enough if they are fair.
type choices struct {
	*game
	search *scc.Parts
	fair   map[lts.State]bool // of the model
	chosen []lts.State
	most   int64
	// size is that of the first part that a state of the model is in, and sizes the sum of
	// those of the chosen states; foreseen is a sum that it will come to.
	size            map[lts.State]int64
	sizes, foreseen int64
}

// ended reports whether the limit of work has been reached, or will be.
func (x *choices) ended() bool {
	return x.most > 0 && max(x.search.Work(), x.sizes, x.foreseen) > x.most
}

// choose chooses the first one of some states, and reports whether there is one.
func (x *choices) choose(conflict []lts.State) bool {
	if len(conflict) == 0 {
		return false
	}
	s := conflict[0]
	x.fair[s] = true
	x.chosen = append(x.chosen, s)
	x.sizes += x.size[s]
	return true
}

// foresee finds the sizes of parts, and cycles of which no two have a state in common: for
// each of them a state will be chosen, another one each. It does nothing where the limit is
// not reached whatever is chosen.
func (x *choices) foresee() error {
	size, all := map[lts.State]int64{}, int64(0)
	for _, c := range x.cycles {
		for _, p := range c.parts {
			of := x.sizeOf(p)
			all += of * int64(len(p.states))
			for _, at := range p.Places {
				if _, is := size[at.State]; !is {
					size[at.State] = of
				}
			}
		}
	}
	if all <= x.most {
		return nil
	}
	x.size = size
	met := map[lts.State]bool{}
	for _, c := range x.cycles {
		for _, p := range c.parts {
			err := x.search.DisjointCycles(p.states, x.leftOver(c.without), func(cycle []lts.State) bool {
				least := int64(math.MaxInt64)
				for _, s := range cycle {
					at := x.unfolding.Place(s).State
					if met[at] {
						least = 0
					}
					met[at] = true
					least = min(least, x.size[at])
				}
				x.foreseen += least
				return !x.ended()
			})
			if err != nil || x.ended() {
				return err
			}
		}
	}
	return nil
}

// sizeOf returns how many places a part has, and transitions that leave them.
func (x *choices) sizeOf(p found) (size int64) {
	for _, s := range p.states {
		labels, _ := x.m.Out(s)
		size += 1 + int64(labels.Len())
	}
	return size
}

// leaveOut leaves out the chosen states without which the others suffice.
func (x *choices) leaveOut(all []cycles) error {
	var kept []lts.State
	for _, s := range x.chosen {
		delete(x.fair, s)
		suffices := true
		for _, c := range all {
			for _, p := range c.parts {
				if !suffices || !slices.ContainsFunc(p.Places, func(at product.Place) bool { return at.State == s }) {
					continue
				}
				var err error
				suffices, err = x.suffices(p, c, s)
				if err != nil || x.ended() {
					return err
				}
			}
		}
		if !suffices {
			x.fair[s] = true
			kept = append(kept, s)
		}
	}
	x.chosen = kept
	return nil
}

// suffices reports whether no run stays for ever in a part and comes to s again and again that
// is fair to the chosen states, of which s is none. One that comes to no other of them is
// found nearby.
func (x *choices) suffices(p found, c cycles, s lts.State) (bool, error) {
	stays := x.leftOver(c.without)
	past := func(from lts.State, l lts.Label, to lts.State) bool {
		return !x.fair[x.unfolding.Place(to).State] && stays(from, l, to)
	}
	for _, at := range p.states {
		if x.unfolding.Place(at).State != s {
			continue
		}
		if is, err := x.search.OnCycle(at, past); is || err != nil {
			return false, err
		}
	}
	return x.refute(p.states, c, func([]lts.State) bool { return false }, func(at lts.State) bool { return at == s })
}

// refute goes through the sets of places of a part that a run can come to again and again
// which is fair to the chosen states; those alone, where with is not nil, that have a place of
// a state of which it says so. Of each that is found, resolve gets the states, ascending, that
// some transition leaves which is not in the set, and chooses more, so that it is looked at
// again; or refute ends, with false.
func (x *choices) refute(states []lts.State, c cycles, resolve func(conflict []lts.State) bool, with func(lts.State) bool) (bool, error) {
	stays := x.leftOver(c.without)
	refuted := true
	for work := [][]lts.State{states}; len(work) > 0 && refuted && !x.ended(); {
		part := work[len(work)-1]
		work = work[:len(work)-1]
		err := x.search.Components(part, stays, func(set []lts.State) (bool, error) {
			if with != nil && !slices.ContainsFunc(set, func(s lts.State) bool { return with(x.unfolding.Place(s).State) }) {
				return true, nil
			}
			left, partial, some := x.refine(set, stays)
			switch {
			case len(left) == len(set) && some && !resolve(partial):
				refuted = false
			case len(left) == len(set) && some && x.condition == nil:
				// Of a chain, no state has places in two sets: what others choose does not matter.
				left, _, _ = x.refine(set, stays)
				work = append(work, left)
			case len(left) == len(set) && some:
				work = append(work, set)
			case len(left) > 0 && len(left) < len(set):
				work = append(work, left)
			}
			return refuted, nil
		})
		if err != nil {
			return false, err
		}
	}
	return refuted, nil
}

// refine returns the places of a set that are left where the choices of fair states are
// made all ways that can be within it, the states, ascending, that can be left in a way that
// is not, and whether a transition is inside.
func (x *choices) refine(set []lts.State, stays func(lts.State, lts.Label, lts.State) bool) (left, partial []lts.State, some bool) {
	x.search.Enter(set)
	if x.condition == nil {
		return x.refineChain(set, stays)
	}
	taken, missing := map[lts.Transition]bool{}, map[lts.State]bool{}
	each := func(do func(t lts.Transition, inside bool)) {
		for _, s := range set {
			labels, targets := x.m.Out(s)
			for i, to := range targets {
				if x.allows(s, labels.At(i), to) {
					do(x.folded(lts.Transition{From: s, Label: labels.At(i), To: to}), x.search.Has(to) && stays(s, labels.At(i), to))
				}
			}
		}
	}
	each(func(t lts.Transition, inside bool) {
		if inside {
			taken[t] = true
		}
	})
	each(func(t lts.Transition, _ bool) {
		if !taken[t] {
			missing[t.From] = true
		}
	})
	for _, s := range set {
		if at := x.unfolding.Place(s).State; !missing[at] || !x.fair[at] {
			left = append(left, s)
		}
	}
	return left, append([]lts.State{}, slices.Sorted(maps.Keys(missing))...), len(taken) > 0
}

// refineChain is refine for a chain, where runs that stay in a part for ever come to each
// state with one progress.
func (x *choices) refineChain(set []lts.State, stays func(lts.State, lts.Label, lts.State) bool) (left, partial []lts.State, some bool) {
	partial = []lts.State{}
	for _, s := range set {
		at, all := x.unfolding.Place(s).State, true
		labels, targets := x.m.Out(s)
		for i, to := range targets {
			if x.search.Has(to) && stays(s, labels.At(i), to) {
				some = true
			} else if x.allows(s, labels.At(i), to) {
				all = false
			}
		}
		if !all {
			partial = append(partial, at)
		}
		if all || !x.fair[at] {
			left = append(left, s)
		}
	}
	slices.Sort(partial)
	return left, partial, some
}
