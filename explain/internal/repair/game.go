package repair

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// game is a game on the unfolded model: if uncontrollable transitions leave a product state, the
// opponent chooses one of them; otherwise the supervisor chooses a transition.
type game struct {
	unfolding *product.Unfolding
	m         *lts.LTS // the unfolded model
	// forced[l] reports whether label l is not controllable.
	forced  []bool
	byLabel bool
	// condition is the condition on infinite runs; nil for inevitability.
	condition *condition
	// rank[s] is one more than the round that wins product state s; 0 if product state s is not
	// won.
	rank []uint32
	// refused has, for games by label, each label at a wide product state with a transition to a
	// product state that is not won.
	refused map[choice]bool
	// guarded are the product states that are reachable without forbidden transitions.
	guarded bitset.Set[lts.State]
	// cycles are the components that a run must leave, for each set of colours such that one of
	// them must recur.
	cycles []cycles
}

// cycles are the components of the guarded model without the transitions that have some colours.
type cycles struct {
	without property.Marks
	parts   []found
}

// newGame returns the game of a supervisor with the abilities in the options.
func newGame(ctx context.Context, m *lts.LTS, p *property.Property, o Options) *game {
	u := o.Unfolding
	if u == nil {
		u = abort.Must(product.Unfold(ctx, m, p))
	}
	g := &game{unfolding: u, m: u.LTS(), forced: make([]bool, m.Alphabet().Len()), byLabel: o.ByLabel}
	for l := range g.forced {
		g.forced[l] = o.Controllable != nil && !o.Controllable(lts.Label(l))
	}
	return g
}

// pending returns the round, from 1, that wins a product state; 0 if no round does, or if the
// property is done there.
func (g *game) pending(s lts.State) uint32 {
	if g.rank[s] == 0 {
		return 0
	}
	return g.rank[s] - 1
}

func (g *game) wins(s lts.State) bool { return g.rank[s] > 0 }

// solve finds the product states from which the supervisor wins, in rounds. W is the least set of
// product states that contains those that are done, and each one, except deadlocks, whose
// uncontrollable transitions all lead into W or, if it has none, that has some transition into W.
//
// Under full fairness, W is the greatest set that equals the least set L of product states that
// contains those that are done, and each one whose uncontrollable transitions all lead into W and
// that has a transition into L.
func (g *game) solve(ctx context.Context, done func(lts.State) bool, fair bool) {
	forced := func(l lts.Label) bool { return g.forced[l] }
	if !fair {
		g.rankBy(g.attract(ctx, done, forced, g.byLabel, nil))
		return
	}
	within := make([]bool, g.m.NumStates())
	for s := range within {
		within[s] = true
	}
	for stable := false; !stable; {
		rank := g.attract(ctx, done, forced, g.byLabel, within)
		g.rankBy(rank)
		stable = true
		for s, is := range within {
			stable = stable && (!is || rank[s] > 0)
			within[s] = rank[s] > 0
		}
	}
}

// attract computes the rounds of solve: forced transitions cannot be forbidden, and byLabel forbids
// transitions with one label together. Under full fairness, within is the set W.
func (g *game) attract(ctx context.Context, done func(lts.State) bool, forced func(lts.Label) bool, byLabel bool, within []bool) []uint32 {
	n := g.m.NumStates()
	abort.On(g.m.FindPredecessors(ctx))
	rank := abort.Must(resources.Make[uint32](ctx, n))
	left := abort.Must(resources.Make[uint32](ctx, n)) // the number of uncontrollable transitions that do not lead into W yet
	queue := abort.Must(resources.Make[lts.State](ctx, n))[:0]
	isForced := make([]bool, n)
	for s := range lts.State(n) {
		if done(s) {
			rank[s] = 1
			queue = append(queue, s)
		}
		labels, targets := g.m.Out(s)
		for i := range labels.Len() {
			l := labels.At(i)
			if forced(l) {
				isForced[s] = true
				if within == nil || !within[targets[i]] {
					left[s]++
				}
			}
		}
	}
	together, wide := map[choice]uint32{}, map[choice]uint32{}
	if byLabel {
		wide = g.wideChoices(within)
	}
	for next := 0; next < len(queue); next++ {
		abort.IfDone(ctx, next)
		to := queue[next]
		labels, sources := g.m.Predecessors().In(to)
		for i, from := range sources {
			l := labels.At(i)
			switch {
			case rank[from] > 0, within == nil && isForced[from] && !forced(l):
				continue
			case within != nil && byLabel && !forced(l) && !g.staysWithin(choice{from, l}, within, wide):
				continue
			case isForced[from]:
				if within == nil {
					left[from]--
				}
				if left[from] > 0 {
					continue
				}
			case within == nil && byLabel && !g.completes(together, choice{from, l}, wide):
				continue
			}
			rank[from] = rank[to] + 1
			queue = append(queue, from)
		}
	}
	return rank
}

// choice is a label at a product state.
type choice struct {
	from  lts.State
	label lts.Label
}

// A product state with more than mostNarrow transitions is wide. Its transitions are counted once
// for each label, in a map; at the other product states, visiting the transitions is faster.
const mostNarrow = 32

func (g *game) isWide(s lts.State) bool {
	labels, _ := g.m.Out(s)
	return labels.Len() > mostNarrow
}

// wideChoices counts the transitions of each label at wide product states; if within is not nil,
// only transitions that leave this set.
func (g *game) wideChoices(within []bool) map[choice]uint32 {
	count := map[choice]uint32{}
	for s := range lts.State(g.m.NumStates()) {
		if !g.isWide(s) {
			continue
		}
		labels, targets := g.m.Out(s)
		for i, to := range targets {
			if within == nil || !within[to] {
				count[choice{s, labels.At(i)}]++
			}
		}
	}
	return count
}

// staysWithin reports whether all transitions of a choice stay within a set; wide has the numbers
// of transitions that leave it.
func (g *game) staysWithin(c choice, within []bool, wide map[choice]uint32) bool {
	if g.isWide(c.from) {
		return wide[c] == 0
	}
	labels, targets := g.m.Out(c.from)
	for i, to := range targets {
		if labels.At(i) == c.label && !within[to] {
			return false
		}
	}
	return true
}

// completes counts a transition of choice c that leads into W, and reports whether now all
// transitions of c are counted; wide has their numbers at wide product states.
func (g *game) completes(into map[choice]uint32, c choice, wide map[choice]uint32) bool {
	into[c]++
	if g.isWide(c.from) {
		return into[c] == wide[c]
	}
	all := uint32(0)
	labels, _ := g.m.Out(c.from)
	for i := range labels.Len() {
		l := labels.At(i)
		if l == c.label {
			all++
		}
	}
	return into[c] == all
}

// rankBy sets the round in which each product state is won.
func (g *game) rankBy(rank []uint32) {
	g.rank, g.refused = rank, nil
	if !g.byLabel {
		return
	}
	g.refused = map[choice]bool{}
	for s := range lts.State(g.m.NumStates()) {
		if !g.isWide(s) {
			continue
		}
		labels, targets := g.m.Out(s)
		for i, to := range targets {
			if !g.wins(to) {
				g.refused[choice{s, labels.At(i)}] = true
			}
		}
	}
}

// allows reports whether the supervisor allows a transition of the unfolded model from a product
// state that is won.
func (g *game) allows(from lts.State, l lts.Label, to lts.State) bool {
	switch {
	case g.pending(from) == 0 || g.forced[l]:
		return true
	case !g.byLabel:
		return g.wins(to)
	}
	if g.isWide(from) {
		return !g.refused[choice{from, l}]
	}
	labels, targets := g.m.Out(from)
	for i, to := range targets {
		if labels.At(i) == l && !g.wins(to) {
			return false
		}
	}
	return true
}

// detours returns transitions of the model from reachable product states that are won, while the
// property is pending: those that lead to a product state that is not won or, for a chain, not won
// in an earlier round.
func (g *game) detours() []lts.Transition {
	var found []lts.Transition
	visited := bitset.New[lts.State](g.m.NumStates())
	visited.Add(0)
	for queue := []lts.State{0}; len(queue) > 0; queue = queue[1:] {
		from := queue[0]
		labels, targets := g.m.Out(from)
		for i, to := range targets {
			switch {
			case g.pending(from) > 0 && (!g.wins(to) || g.condition == nil && g.rank[to] >= g.rank[from]):
				found = append(found, g.folded(lts.Transition{From: from, Label: labels.At(i), To: to}))
			case !visited.Has(to):
				visited.Add(to)
				queue = append(queue, to)
			}
		}
	}
	return found
}

// guard finds the product states that are reachable without forbidden transitions.
func (g *game) guard(ctx context.Context) {
	g.guarded = bitset.New[lts.State](g.m.NumStates())
	g.guarded.Add(0)
	queue := []lts.State{0}
	for next := 0; next < len(queue); next++ {
		abort.IfDone(ctx, next)
		from := queue[next]
		labels, targets := g.m.Out(from)
		for i, to := range targets {
			if !g.guarded.Has(to) && g.allows(from, labels.At(i), to) {
				g.guarded.Add(to)
				queue = append(queue, to)
			}
		}
	}
}

func compare(a, b lts.Transition) int {
	return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Label, b.Label), cmp.Compare(a.To, b.To))
}

func comparePlaces(a, b product.State) int {
	return cmp.Or(cmp.Compare(a.State, b.State), cmp.Compare(a.Q, b.Q))
}

// parts finds the strongly connected components of the guarded model where the property stays
// pending: for each set of colours such that one of them must recur, the components without these
// colours. It leaves out a component that lies in another one.
func (g *game) parts(ctx context.Context) []Part {
	if g.condition == nil {
		all := g.within(ctx, 0)
		g.cycles = []cycles{{0, all}}
		return described(all)
	}
	again := g.again(ctx)
	var sets [][]found
	for _, recurring := range g.condition.recurring() {
		parts := g.within(ctx, recurring)
		sets = append(sets, parts)
		g.cycles = append(g.cycles, cycles{recurring, parts})
	}
	if len(sets) == 1 {
		return described(append(again, sets[0]...))
	}
	return described(append(again, greatest(sets)...))
}

// recurring returns the sets of colours such that every run that satisfies the condition takes one
// colour of each set infinitely often.
func (c condition) recurring() []property.Marks {
	var sets []property.Marks
	for _, p := range c.bad {
		if p.Inf == 0 {
			sets = append(sets, p.Fin)
		}
	}
	return sets
}

// again finds the components of the guarded model where a run violates the property by taking some
// colours infinitely often, although it meets the demands of recurring.
func (g *game) again(ctx context.Context) []found {
	var all []found
	for _, p := range g.condition.bad {
		if p.Inf == 0 {
			continue
		}
		for _, f := range g.within(ctx, p.Fin) {
			if f.Again = g.violating(f, p.Inf); f.Again != nil {
				f.ByLabels = g.byLabels(ctx, f)
				all = append(all, f)
			}
		}
	}
	return all
}

// violating returns, for each of some colours, the moves of a component that have this colour; nil
// if the component lacks one of the colours, or one that recurring demands.
func (g *game) violating(f found, colours property.Marks) [][]Move {
	of := map[int][]Move{}
	inside := property.Marks(0)
	for _, t := range f.inside {
		marks := g.unfolding.Marks(t.From, t.Label)
		inside |= marks
		for c := range property.Colours {
			if (marks & colours).Has(c) {
				of[c] = append(of[c], g.move(t))
			}
		}
	}
	for _, recurring := range g.condition.recurring() {
		if recurring&inside == 0 {
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

func (g *game) move(t lts.Transition) Move {
	return Move{g.folded(t), int(g.unfolding.At(t.From).Q)}
}

// inOrder sorts moves, and removes duplicates.
func inOrder(moves []Move) []Move {
	slices.SortFunc(moves, func(a, b Move) int {
		return cmp.Or(compare(a.Transition, b.Transition), cmp.Compare(a.Progress, b.Progress))
	})
	return slices.Compact(moves)
}

// leftOver returns a function that selects the transitions of the guarded model that keep the
// property pending and have none of some colours.
func (g *game) leftOver(without property.Marks) func(s lts.State, l lts.Label, to lts.State) bool {
	return func(s lts.State, l lts.Label, to lts.State) bool {
		return g.guarded.Has(s) && g.pending(s) > 0 && g.pending(to) > 0 && g.allows(s, l, to) &&
			(without == 0 || g.unfolding.Marks(s, l)&without == 0)
	}
}

// components finds the strongly connected components of the transitions that leftOver selects, and
// yields each one that has a transition, with a function that reports whether a transition is
// inside.
func (g *game) components(ctx context.Context, without property.Marks, yield func(states []lts.State, inside func(s lts.State, l lts.Label, to lts.State) bool)) {
	stays := g.leftOver(without)
	in := bitset.New[lts.State](g.m.NumStates())
	inside := func(s lts.State, l lts.Label, to lts.State) bool { return in.Has(to) && stays(s, l, to) }
	abort.On(scc.Within(ctx, g.m, stays, func(states []lts.State, cyclic bool) {
		if !cyclic {
			return
		}
		for _, s := range states {
			in.Add(s)
		}
		yield(states, inside)
		for _, s := range states {
			in.Remove(s)
		}
	}))
}

// found is a component of the unfolded model, with its product states and, for properties other
// than inevitability, the transitions inside.
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

// greatest removes components that lie in another one: a run that leaves the larger one also leaves
// the smaller one. The components of one set of colours are disjoint.
func greatest(sets [][]found) []found {
	of := make([]map[lts.Transition]int, len(sets)) // the component of each transition
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

// around returns the component that has all transitions of p, and whether there is one.
func around(p found, parts []found, of map[lts.Transition]int) (found, bool) {
	at, known := -1, false
	for _, t := range p.inside {
		i, is := of[t]
		if !is || known && i != at {
			return found{}, false
		}
		at, known = i, true
	}
	return parts[at], true
}

// within finds the components without transitions that have some colours.
func (g *game) within(ctx context.Context, without property.Marks) []found {
	var all []found
	g.components(ctx, without, func(states []lts.State, inside func(lts.State, lts.Label, lts.State) bool) {
		f := found{states: slices.Clone(states)}
		loop := bitset.New[lts.Label](g.m.Alphabet().Len())
		for i, s := range states {
			abort.IfDone(ctx, i)
			f.Places = append(f.Places, g.unfolding.At(s))
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
		all[i].ByLabels = g.byLabels(ctx, all[i])
	}
	return all
}

// byLabels reports whether states and labels alone can describe a component, see [Part]: whether
// every run that stays in it for ever, as they describe it, and takes a label of each set of f.Again
// infinitely often, violates the property. For a chain, runs must not reach its states with other
// numbers of done steps.
func (g *game) byLabels(ctx context.Context, f found) bool {
	if g.condition == nil {
		for i, s := range f.states {
			if abort.IfDone(ctx, i); len(g.comesTo(g.unfolding.At(s).State)) > 1 {
				return false
			}
		}
		return true
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
	out := map[lts.Transition]bool{}
	for _, m := range f.WaysOut {
		out[m.Transition] = true
	}
	for i, inside := range f.inside {
		if abort.IfDone(ctx, i); out[g.folded(inside)] {
			return false
		}
	}
	var again []map[lts.Label]bool
	for _, set := range f.Again {
		labels := map[lts.Label]bool{}
		for _, m := range set {
			labels[g.m.Alphabet().Plain(m.Transition.Label)] = true
		}
		again = append(again, labels)
	}
	// A model of these product states alone, with every transition that the description admits, and a
	// state before all of them: there may be as many components as states, so its size is that of the
	// component.
	slices.Sort(places)
	places = slices.Compact(places)
	var b lts.Builder
	b.Over(g.m.Alphabet())
	first := lts.State(len(places))
	for i, s := range places {
		abort.IfDone(ctx, i)
		labels, targets := g.m.Out(s)
		for k, to := range targets {
			l := labels.At(k)
			j, in := slices.BinarySearch(places, to)
			if in && g.guarded.Has(s) && g.guarded.Has(to) && g.allows(s, l, to) &&
				(len(out) == 0 || !out[g.folded(lts.Transition{From: s, Label: l, To: to})]) {
				b.Add(lts.State(i), l, lts.State(j))
			}
		}
		b.Add(first, 0, lts.State(i))
	}
	m := abort.Must(b.Build(first, int(first)+1))
	violates := true
	in := bitset.New[lts.State](m.NumStates())
	for _, good := range g.condition.good {
		avoids := func(i lts.State, l lts.Label, _ lts.State) bool {
			return i != first && g.unfolding.Marks(places[i], l)&good.Fin == 0
		}
		abort.On(scc.Within(ctx, m, avoids, func(states []lts.State, cyclic bool) {
			for _, i := range states {
				in.Add(i)
			}
			missing, left := good.Inf, slices.Clone(again)
			for looks, i := range states {
				abort.IfDone(ctx, looks)
				labels, targets := m.Out(i)
				for k, to := range targets {
					if l := labels.At(k); in.Has(to) && avoids(i, l, to) {
						missing &^= g.unfolding.Marks(places[i], l)
						left = slices.DeleteFunc(left, func(set map[lts.Label]bool) bool { return set[m.Alphabet().Plain(l)] })
					}
				}
			}
			for _, i := range states {
				in.Remove(i)
			}
			violates = violates && !(cyclic && missing == 0 && len(left) == 0)
		}))
	}
	return violates
}

// ErrUnsolvable reports that there is no repaired model: see [Repair.Obstacle].
var ErrUnsolvable = errors.New("there is no repair")

// Apply returns the model without the transitions that must never be taken. If each of these is
// forbidden in all property states, the result is the model itself without them, with the same
// states, and places is nil. Otherwise the result is the reachable part of the unfolded model, and
// places[s] is the product state of state s. It fails with [ErrUnsolvable], and if ctx is done.
// Cost O(n (S + T)).
func (r *Repair) Apply(ctx context.Context, m *lts.LTS) (fixed *lts.LTS, places []product.State, err error) {
	defer abort.Caught(&err)
	if !r.Solvable {
		return nil, nil, ErrUnsolvable
	}
	never := map[lts.Transition]bool{}
	for _, g := range r.Never {
		if !g.Everywhere() {
			fixed, places = r.game.unfolded(ctx)
			return fixed, places, nil
		}
		never[g.Transition] = true
	}
	fixed, err = m.Without(func(t lts.Transition) bool { return never[t] })
	return fixed, nil, err
}

// unfolded returns the guarded model, with the product state of each state.
func (g *game) unfolded(ctx context.Context) (*lts.LTS, []product.State) {
	number := abort.Must(resources.Make[lts.State](ctx, g.m.NumStates()))
	var places []product.State
	for s := range lts.State(g.m.NumStates()) {
		if g.guarded.Has(s) {
			number[s] = lts.State(len(places))
			places = append(places, g.unfolding.At(s))
		}
	}
	var b lts.Builder
	b.Over(g.m.Alphabet())
	for s := range lts.State(g.m.NumStates()) {
		abort.IfDone(ctx, s)
		if !g.guarded.Has(s) {
			continue
		}
		labels, targets := g.m.Out(s)
		for i, to := range targets {
			if g.allows(s, labels.At(i), to) {
				b.Add(number[s], labels.At(i), number[to])
			}
		}
	}
	return abort.Must(b.Build(0, len(places))), places
}

// Coalitions finds out, for one model and property, which sets of owners must control their labels
// so that a supervisor exists. All games are on the same unfolded model, 64 at once.
type Coalitions struct {
	game *game
	p    *property.Property
	o    Options
	// owner is the number of the owner of each label; negative if it has none.
	owner []int
	games *games // the games, kept after they have been played; not used under fairness and by label
}

// MostSets is the largest number of sets in a call of [Coalitions.CanPrevent].
const MostSets = 64

// NewCoalitions returns the coalitions of m, to which p is bound, for up to 64 owners. It uses the
// options Fair, ByLabel, Unfolding and Work, where Work is for all games together. It fails as
// [Find] does. Cost O(n (S + T)).
func NewCoalitions(ctx context.Context, m *lts.LTS, p *property.Property, owner []int, o Options) (_ *Coalitions, err error) {
	defer abort.Caught(&err)
	return &Coalitions{game: newGame(ctx, m, p, o), p: p, o: o, owner: owner}, nil
}

// CanPrevent returns, as bit k for sets[k], whether a supervisor exists that makes p hold, without
// new deadlocks, and forbids only transitions of the owners in the set. Bit i of a set stands for
// owner i; there may be up to [MostSets] sets. Only one goroutine may call it at a time. Errors as
// for [Find]. Cost O(n (S + T)) for an inevitability if the order of rounds is the same for all
// sets, and at worst that times their number; for other properties, and under fairness, as for
// [Find].
func (c *Coalitions) CanPrevent(ctx context.Context, sets []uint64) (can uint64, err error) {
	defer abort.Caught(&err)
	if !c.o.Fair && !c.o.ByLabel {
		return c.together(ctx, sets), nil
	}
	for k, set := range sets {
		for l, owner := range c.owner {
			c.game.forced[l] = owner < 0 || set>>owner&1 == 0
		}
		if c.game.solveFor(ctx, c.p, c.o); c.game.wins(0) {
			can |= 1 << k
		}
	}
	return can, nil
}

// together plays the games of some sets at once.
func (c *Coalitions) together(ctx context.Context, sets []uint64) (can uint64) {
	if c.games == nil {
		c.games = c.game.together(ctx, c.p, c.owner)
		c.games.most = c.o.Work
	}
	var forced [nobody + 1]uint64
	for k, set := range sets {
		for owner := range nobody {
			if set>>owner&1 == 0 {
				forced[owner] |= 1 << k
			}
		}
		forced[nobody] |= 1 << k
	}
	return c.games.play(ctx, &forced)
}
