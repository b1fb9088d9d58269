package repair

import (
	"context"
	"maps"
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
// inevitability, and where more than work transitions are looked at, each as often as it is;
// 0 for no limit. It fails where ctx is done. Cost O(S + T) of each part for each state of
// it that is chosen, and each that is tried to be left out.
func (r *Repair) FairChoices(ctx context.Context, work int64) ([]lts.State, error) {
	if len(r.NotForEver) == 0 || slices.ContainsFunc(r.NotForEver, func(p Part) bool { return p.Again != nil }) {
		return nil, nil
	}
	search, err := scc.NewParts(ctx, r.game.m)
	if err != nil {
		return nil, err
	}
	x := &choices{game: r.game, search: search, most: work, fair: map[lts.State]bool{}}
	for _, c := range r.cycles() {
		for _, p := range c.parts {
			ok, err := x.refute(p.states, c, func(conflict []lts.State) bool {
				if len(conflict) > 0 {
					x.fair[conflict[0]] = true
					x.chosen = append(x.chosen, conflict[0])
				}
				return len(conflict) > 0
			}, nil)
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
}

// ended reports whether the limit of work has been reached.
func (x *choices) ended() bool { return x.most > 0 && x.search.Work() > x.most }

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
				suffices, err = x.refute(p.states, c, func([]lts.State) bool { return false }, func(at lts.State) bool { return at == s })
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
			case len(left) < len(set):
				if len(left) > 0 {
					work = append(work, left)
				}
			case some && resolve(partial):
				work = append(work, set)
			case some:
				refuted = false
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
