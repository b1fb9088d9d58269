package repair

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
)

// cycles are the components of the guarded model without the transitions that have certain colours.
type cycles struct {
	without property.Marks
	parts   []found
}

// leftOver returns a function that selects transitions of the guarded model: those that keep the
// property pending and have none of some colours.
func (g *game) leftOver(without property.Marks) func(s lts.State, l lts.Label, to lts.State) bool {
	return func(s lts.State, l lts.Label, to lts.State) bool {
		staysPending := g.guarded.Has(s) && g.pending(s) > 0 && g.pending(to) > 0
		if !staysPending || !g.allows(s, l, to) {
			return false
		}
		return without == 0 || g.unfolding.Marks(s, l)&without == 0
	}
}

// found is a component of the unfolded model, with its product states and, for properties other
// than inevitability, the transitions inside.
type found struct {
	Part
	states []lts.State
	inside []lts.Transition
}

// parts finds the strongly connected components of the guarded model where the property stays
// pending. They are the components without the colours of a set, for each set of colours such that
// some colour of the set must recur. parts leaves out a component that lies in another one.
func (g *game) parts(ctx context.Context) []Part {
	if g.condition == nil {
		all := g.within(ctx, 0)
		g.cycles = []cycles{{0, all}}
		return inPlaceOrder(all)
	}
	violating := g.violatingParts(ctx)
	var sets [][]found
	for _, recurring := range g.condition.recurring() {
		parts := g.within(ctx, recurring)
		sets = append(sets, parts)
		g.cycles = append(g.cycles, cycles{recurring, parts})
	}
	return inPlaceOrder(append(violating, outermost(sets)...))
}

// violatingParts returns the components where a run violates the property by the colours that it
// takes infinitely often, although it takes a colour of each set of recurring infinitely often.
func (g *game) violatingParts(ctx context.Context) []found {
	var parts []found
	for _, p := range g.condition.bad {
		if p.Inf == 0 {
			continue
		}
		for _, f := range g.within(ctx, p.Fin) {
			f.Again = g.movesByColour(f, p.Inf)
			if f.Again != nil {
				f.ByLabels = g.byLabels(ctx, f)
				parts = append(parts, f)
			}
		}
	}
	return parts
}

// outermost returns the components that lie in no other component: a run that leaves a larger
// component also leaves each smaller one inside. The components of one set are disjoint.
func outermost(sets [][]found) []found {
	if len(sets) == 1 {
		return sets[0]
	}
	partOf := make([]map[lts.Transition]int, len(sets)) // the component of each transition, by set
	for k, parts := range sets {
		partOf[k] = map[lts.Transition]int{}
		for i, f := range parts {
			for _, t := range f.inside {
				partOf[k][t] = i
			}
		}
	}
	var outer []found
	for k, parts := range sets {
		for _, f := range parts {
			isInOther := false
			for other := range sets {
				i, isContained := containing(f, partOf[other])
				if other == k || !isContained {
					continue
				}
				isSmaller := len(f.inside) < len(sets[other][i].inside)
				isListedEarlier := other < k // an equal component of an earlier set
				isInOther = isInOther || isSmaller || isListedEarlier
			}
			if !isInOther {
				outer = append(outer, f)
			}
		}
	}
	return outer
}

// containing returns the component that contains all transitions of f; false if there is none. partOf
// has the component of each transition.
func containing(f found, partOf map[lts.Transition]int) (int, bool) {
	first, known := partOf[f.inside[0]]
	if !known {
		return 0, false
	}
	for _, t := range f.inside {
		if i, known := partOf[t]; !known || i != first {
			return 0, false
		}
	}
	return first, true
}

// movesByColour returns, for each of some colours, the moves of a component that have this colour. It
// returns nil if the component lacks one of the colours, or a colour that the condition demands.
func (g *game) movesByColour(f found, colours property.Marks) [][]Move {
	moves := map[int][]Move{} // by colour
	inside := property.Marks(0)
	for _, t := range f.inside {
		marks := g.unfolding.Marks(t.From, t.Label)
		inside |= marks
		for c := range property.Colours {
			if (marks & colours).Has(c) {
				moves[c] = append(moves[c], g.move(t))
			}
		}
	}
	for _, recurring := range g.condition.recurring() {
		if recurring&inside == 0 {
			return nil
		}
	}
	if len(moves) < colours.Len() {
		return nil
	}
	var again [][]Move
	for _, c := range slices.Sorted(maps.Keys(moves)) {
		again = append(again, inOrder(moves[c]))
	}
	return again
}

func (g *game) move(t lts.Transition) Move {
	return Move{g.inModel(t), int(g.unfolding.At(t.From).Q)}
}

// inOrder sorts moves, and removes duplicates.
func inOrder(moves []Move) []Move {
	slices.SortFunc(moves, func(a, b Move) int {
		return cmp.Or(compare(a.Transition, b.Transition), cmp.Compare(a.Progress, b.Progress))
	})
	return slices.Compact(moves)
}

// inPlaceOrder returns the components in the order of their first product states.
func inPlaceOrder(all []found) []Part {
	order := make([]int, len(all)) // sorted instead of the parts, which are large and would be moved often
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, k int) int {
		return comparePlaces(all[i].Places[0], all[k].Places[0])
	})
	parts := make([]Part, len(all))
	for i, k := range order {
		parts[i] = all[k].Part
	}
	return parts
}

// within finds the components without transitions that have some colours.
func (g *game) within(ctx context.Context, without property.Marks) []found {
	stays := g.leftOver(without)
	components := cyclicComponents(ctx, g.m, stays)
	all := make([]found, len(components))
	for i, states := range components {
		all[i].states = states
	}
	in := bitset.New[lts.State](g.m.NumStates())
	for i := range all {
		g.describe(ctx, &all[i], in, stays)
	}
	for i := range all {
		all[i].ByLabels = g.byLabels(ctx, all[i])
	}
	return all
}

// cyclicComponents returns the states of each strongly connected component of the transitions for
// which keeps returns true, if one of these transitions lies within the component.
func cyclicComponents(
	ctx context.Context,
	m *lts.LTS,
	keeps func(from lts.State, l lts.Label, to lts.State) bool,
) [][]lts.State {
	var all [][]lts.State
	abort.On(scc.Within(ctx, m, keeps, func(states []lts.State, isCyclic bool) {
		if isCyclic {
			all = append(all, slices.Clone(states))
		}
	}))
	return all
}

// describe sets the product states and transitions of a component whose states are known. in must
// be an empty set; it is empty again afterwards.
func (g *game) describe(
	ctx context.Context,
	f *found,
	in bitset.Set[lts.State],
	stays func(lts.State, lts.Label, lts.State) bool,
) {
	for _, s := range f.states {
		in.Add(s)
	}
	loop := bitset.New[lts.Label](g.m.Alphabet().Len())
	for round, s := range f.states {
		abort.IfDone(ctx, round)
		f.Places = append(f.Places, g.unfolding.At(s))
		labels, targets := g.m.Out(s)
		for i, to := range targets {
			l := labels.At(i)
			t := lts.Transition{From: s, Label: l, To: to}
			switch {
			case in.Has(to) && stays(s, l, to):
				loop.Add(l)
				if g.condition != nil {
					f.inside = append(f.inside, t)
				}
			case g.allows(s, l, to):
				f.WaysOut = append(f.WaysOut, g.move(t))
			}
		}
	}
	slices.SortFunc(f.Places, comparePlaces)
	f.Loop = slices.Collect(loop.All)
	f.WaysOut = inOrder(f.WaysOut)
	for _, s := range f.states {
		in.Remove(s)
	}
}

// byLabels reports whether states and labels alone can describe a component, see [Part]. They can
// if every described run violates the property: every run that stays in these states forever and
// takes a label of each set of f.Again infinitely often. For a chain, runs must reach each of these
// states with only one number of done steps.
func (g *game) byLabels(ctx context.Context, f found) bool {
	if g.condition == nil {
		return g.hasOneProgress(ctx, f)
	}
	var places []lts.State // all product states of the states of the component
	for i, s := range f.states {
		abort.IfDone(ctx, i)
		places = slices.AppendSeq(places, g.unfolding.Unfolded(g.unfolding.At(s).State))
	}
	// If each state has only one product state, states and labels describe exactly the component,
	// and a run that stays in it violates the property.
	if f.Again == nil && len(places) == len(f.states) {
		return true
	}
	waysOut := map[lts.Transition]bool{}
	for _, m := range f.WaysOut {
		waysOut[m.Transition] = true
	}
	for i, t := range f.inside {
		abort.IfDone(ctx, i)
		if waysOut[g.inModel(t)] {
			return false
		}
	}
	slices.Sort(places)
	d := g.newDescription(ctx, slices.Compact(places), waysOut)
	again := g.labelSets(f.Again)
	for _, pair := range g.condition.good {
		if d.admits(ctx, pair, again) {
			return false
		}
	}
	return true
}

// hasOneProgress reports whether runs of the guarded model reach each state of a component with only one
// number of done steps.
func (g *game) hasOneProgress(ctx context.Context, f found) bool {
	for i, s := range f.states {
		abort.IfDone(ctx, i)
		if len(g.comesTo(g.unfolding.At(s).State)) > 1 {
			return false
		}
	}
	return true
}

// labelSets returns the labels of sets of moves.
func (g *game) labelSets(sets [][]Move) []map[lts.Label]bool {
	var all []map[lts.Label]bool
	for _, moves := range sets {
		labels := map[lts.Label]bool{}
		for _, m := range moves {
			labels[g.m.Alphabet().Plain(m.Transition.Label)] = true
		}
		all = append(all, labels)
	}
	return all
}

// description is a model of the runs that the states and labels of a component describe. It has the
// product states of the component's states, every transition between them that the description
// admits, and an additional initial state. Its size is that of the component, since there may be as
// many components as states.
type description struct {
	*game
	places []lts.State // the product state of each state of model except the initial one, ascending
	model  *lts.LTS
	in     bitset.Set[lts.State] // a set of states of model, kept so that hasAll can reuse its memory
}

// newDescription returns the description of a component. places are the product states of its
// states; they must be ascending. The described runs do not take the transitions in waysOut.
func (g *game) newDescription(
	ctx context.Context,
	places []lts.State,
	waysOut map[lts.Transition]bool,
) *description {
	var b lts.Builder
	b.Over(g.m.Alphabet())
	first := lts.State(len(places))
	for i, s := range places {
		abort.IfDone(ctx, i)
		labels, targets := g.m.Out(s)
		for k, to := range targets {
			l := labels.At(k)
			j, isPlace := slices.BinarySearch(places, to)
			isGuarded := g.guarded.Has(s) && g.guarded.Has(to)
			if !isPlace || !isGuarded || !g.allows(s, l, to) {
				continue
			}
			t := lts.Transition{From: s, Label: l, To: to}
			isWayOut := len(waysOut) > 0 && waysOut[g.inModel(t)]
			if !isWayOut {
				b.Add(lts.State(i), l, lts.State(j))
			}
		}
		b.Add(first, 0, lts.State(i))
	}
	m := abort.Must(b.Build(first, len(places)+1))
	return &description{
		game:   g,
		places: places,
		model:  m,
		in:     bitset.New[lts.State](m.NumStates()),
	}
}

// admits reports whether some described run satisfies a pair of the condition, and takes a label of each
// of some sets infinitely often.
func (d *description) admits(
	ctx context.Context,
	pair property.Pair,
	again []map[lts.Label]bool,
) bool {
	avoids := func(s lts.State, l lts.Label, _ lts.State) bool {
		return s != d.model.Initial() && d.unfolding.Marks(d.places[s], l)&pair.Fin == 0
	}
	for _, states := range cyclicComponents(ctx, d.model, avoids) {
		if d.hasAll(ctx, states, avoids, pair.Inf, again) {
			return true
		}
	}
	return false
}

// hasAll reports whether the transitions within a component for which keeps returns true have all of the
// given colours, and a label of each of the given sets.
func (d *description) hasAll(
	ctx context.Context,
	states []lts.State,
	keeps func(lts.State, lts.Label, lts.State) bool,
	colours property.Marks,
	again []map[lts.Label]bool,
) bool {
	for _, s := range states {
		d.in.Add(s)
	}
	missingColours := colours
	missingSets := slices.Clone(again)
	for round, s := range states {
		abort.IfDone(ctx, round)
		labels, targets := d.model.Out(s)
		for i, to := range targets {
			l := labels.At(i)
			if !d.in.Has(to) || !keeps(s, l, to) {
				continue
			}
			missingColours &^= d.unfolding.Marks(d.places[s], l)
			missingSets = slices.DeleteFunc(missingSets, func(set map[lts.Label]bool) bool {
				return set[d.m.Alphabet().Plain(l)]
			})
		}
	}
	for _, s := range states {
		d.in.Remove(s)
	}
	return missingColours == 0 && len(missingSets) == 0
}
