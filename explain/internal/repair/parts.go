package repair

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
)

// parts finds the strongly connected parts of the guarded model in which the property stays
// unfinished: where a colour recurs of each of several sets, those without a colour of one
// of them. A part that lies in another one is not told.
func (g *game) parts(ctx context.Context) ([]Part, error) {
	if g.condition == nil {
		all, err := g.within(ctx, 0)
		g.cycles = []cycles{{0, all}}
		return described(all), err
	}
	again, err := g.again(ctx)
	if err != nil {
		return nil, err
	}
	var sets [][]found
	for _, recurring := range g.condition.recurring() {
		parts, err := g.within(ctx, recurring)
		if err != nil {
			return nil, err
		}
		sets = append(sets, parts)
		g.cycles = append(g.cycles, cycles{recurring, parts})
	}
	if len(sets) == 1 {
		return described(append(again, sets[0]...)), nil
	}
	return described(append(again, greatest(sets)...)), nil
}

// recurring returns the sets of colours of which one has to recur each, whatever else does.
func (c condition) recurring() []property.Marks {
	var sets []property.Marks
	for _, p := range c.bad {
		if p.Inf == 0 {
			sets = append(sets, p.Fin)
		}
	}
	return sets
}

// again finds the strongly connected parts of the guarded model in which a run violates the
// property that does something again and again: unless it is enough that it does not stay
// in a part in which nothing recurs that is to.
func (g *game) again(ctx context.Context) ([]found, error) {
	var all []found
	for _, p := range g.condition.bad {
		if p.Inf == 0 {
			continue
		}
		parts, err := g.within(ctx, p.Fin)
		if err != nil {
			return nil, err
		}
		for _, f := range parts {
			if f.Again = g.violating(f, p.Inf); f.Again == nil {
				continue
			}
			if f.ByLabels, err = g.byLabels(ctx, f); err != nil {
				return nil, err
			}
			all = append(all, f)
		}
	}
	return all, nil
}

// violating returns the moves in a part of each of some colours; nil if one of them is not
// there, or nothing that is to recur.
func (g *game) violating(f found, colours property.Marks) [][]Move {
	of := map[int][]Move{}
	met := property.Marks(0)
	for _, t := range f.inside {
		marks := g.unfolding.Marks(t.From, t.Label)
		met |= marks
		for c := range property.Colours {
			if (marks & colours).Has(c) {
				of[c] = append(of[c], g.move(t))
			}
		}
	}
	for _, recurring := range g.condition.recurring() {
		if recurring&met == 0 {
			return nil
		}
	}
	if len(of) < colours.Len() {
		return nil
	}
	var again [][]Move
	for _, c := range slices.Sorted(maps.Keys(of)) {
		again = append(again, inOrder(of[c]))
	}
	return again
}

// move returns the move that a transition of the unfolded model is.
func (g *game) move(t lts.Transition) Move {
	return Move{g.folded(t), int(g.unfolding.Place(t.From).Q)}
}

// inOrder sorts moves, each of which is to stand there once.
func inOrder(moves []Move) []Move {
	slices.SortFunc(moves, func(a, b Move) int {
		return cmp.Or(compare(a.Transition, b.Transition), cmp.Compare(a.Progress, b.Progress))
	})
	return slices.Compact(moves)
}

// leftOver returns which transitions of the unfolded model are left where the property is
// unfinished, without those that have one of some colours.
func (g *game) leftOver(without property.Marks) func(s lts.State, l lts.Label, to lts.State) bool {
	return func(s lts.State, l lts.Label, to lts.State) bool {
		return g.guarded.Has(s) && g.pending(s) > 0 && g.pending(to) > 0 && g.allows(s, l, to) &&
			(without == 0 || g.unfolding.Marks(s, l)&without == 0)
	}
}

// components finds the strongly connected components, with a transition inside, of what is
// left over. Those inside are what it yields for.
func (g *game) components(ctx context.Context, without property.Marks, yield func(states []lts.State, inside func(s lts.State, l lts.Label, to lts.State) bool)) error {
	stays := g.leftOver(without)
	in := bitset.New[lts.State](g.m.NumStates())
	inside := func(s lts.State, l lts.Label, to lts.State) bool { return in.Has(to) && stays(s, l, to) }
	return scc.Within(ctx, g.m, stays, func(states []lts.State) {
		for _, s := range states {
			in.Add(s)
		}
		if len(states) > 1 || g.loops(states[0], inside) {
			yield(states, inside)
		}
		for _, s := range states {
			in.Remove(s)
		}
	})
}

// loops reports whether some transition that leaves a place is inside.
func (g *game) loops(s lts.State, inside func(s lts.State, l lts.Label, to lts.State) bool) bool {
	labels, targets := g.m.Out(s)
	for i, to := range targets {
		if inside(s, labels.At(i), to) {
			return true
		}
	}
	return false
}

// found is a part of the unfolded model, its places and, of properties other than
// inevitability, the transitions inside.
type found struct {
	Part
	states []lts.State
	inside []lts.Transition
}

func described(all []found) []Part {
	var parts []Part
	for _, f := range all {
		parts = append(parts, f.Part)
	}
	slices.SortStableFunc(parts, func(a, b Part) int { return comparePlaces(a.Places[0], b.Places[0]) })
	return parts
}

// greatest leaves out what lies in another part: who does not stay there for ever does not
// stay in it either. The parts of one set of colours are disjoint.
func greatest(sets [][]found) []found {
	of := make([]map[lts.Transition]int, len(sets)) // the part of each transition
	for k, parts := range sets {
		of[k] = map[lts.Transition]int{}
		for i, p := range parts {
			for _, t := range p.inside {
				of[k][t] = i
			}
		}
	}
	var left []found
	for k, parts := range sets {
		for _, p := range parts {
			lies := false
			for other := range sets {
				if q, is := around(p, sets[other], of[other]); is && other != k {
					lies = lies || other < k || len(p.inside) < len(q.inside)
				}
			}
			if !lies {
				left = append(left, p)
			}
		}
	}
	return left
}

// around returns the part of some parts in which another one lies.
func around(p found, parts []found, of map[lts.Transition]int) (found, bool) {
	at, met := -1, false
	for _, t := range p.inside {
		i, is := of[t]
		if !is || met && i != at {
			return found{}, false
		}
		at, met = i, true
	}
	return parts[at], true
}

// within finds the parts without transitions that have one of some colours.
func (g *game) within(ctx context.Context, without property.Marks) ([]found, error) {
	var all []found
	err := g.components(ctx, without, func(states []lts.State, inside func(lts.State, lts.Label, lts.State) bool) {
		f := found{states: slices.Clone(states)}
		loop := bitset.New[lts.Label](g.m.Alphabet().Len())
		for _, s := range states {
			f.Places = append(f.Places, g.unfolding.Place(s))
			labels, targets := g.m.Out(s)
			for i, to := range targets {
				t := lts.Transition{From: s, Label: labels.At(i), To: to}
				switch {
				case inside(s, labels.At(i), to):
					loop.Add(labels.At(i))
					if g.condition != nil {
						f.inside = append(f.inside, t)
					}
				case g.allows(s, labels.At(i), to):
					f.WaysOut = append(f.WaysOut, g.move(t))
				}
			}
		}
		slices.SortFunc(f.Places, comparePlaces)
		f.Loop, f.WaysOut = slices.Collect(loop.All), inOrder(f.WaysOut)
		all = append(all, f)
	})
	for i := range all {
		if err == nil {
			all[i].ByLabels, err = g.byLabels(ctx, all[i])
		}
	}
	return all, err
}
