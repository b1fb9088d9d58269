package repair

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
)

// FairChoices returns states of the model, ascending, such that fairness to their choices makes
// runs leave each component of r.NotForEver, if they take no forbidden transition. A run is fair to
// the choices of a state if it visits the state finitely often, or takes every allowed transition
// from there infinitely often. Each of the states is needed. FairChoices returns nil if there are
// no such components, if no choices are enough (possible for properties other than inevitability),
// or if the search would visit more than work transitions; 0 means no limit. It fails if ctx is
// done, or if there is too little memory. Cost O(S + T) of a component for each of its states that
// is chosen, and at worst again for each trial to leave one out; for a chain 8 bytes a product
// state.
func (r *Repair) FairChoices(ctx context.Context, work int64) (_ []lts.State, err error) {
	defer abort.Caught(&err)
	demandsMore := func(p Part) bool { return p.Again != nil }
	if len(r.NotForEver) == 0 || slices.ContainsFunc(r.NotForEver, demandsMore) {
		return nil, nil
	}
	x := r.game.newChoices(ctx, work)
	if work > 0 {
		x.predictWork()
	}
	if x.isOverLimit() || !x.chooseEnough() {
		return nil, nil
	}
	if x.condition == nil {
		x.numbers = abort.Must(resources.Make[uint32](ctx, 2*x.m.NumStates()))
	}
	return x.chooseNeeded(), nil
}

// choices is a search for states such that fairness to their choices is enough.
type choices struct {
	*game
	search *scc.Parts
	fair   bitset.Set[lts.State] // the chosen states of the model, as a set
	chosen []lts.State
	most   int64
	work   int64 // the number of transitions visited while sets were refined
	// size is, for each state of the model, the size of the first component that contains it. sizes
	// is the sum of these sizes for the chosen states. predicted is a lower bound of that sum at the
	// end of the search.
	size             map[lts.State]int64
	sizes, predicted int64
	numbers          []uint32 // the memory of the counts of pruning; nil if there is no pruning
	// rank is the number of each product state in the order of the states of the model, and ranked
	// is the inverse of rank. Both are nil for a chain.
	rank, ranked []lts.State
	// sorted is the memory of sort.
	sorted bitset.Set[lts.State]
}

// manyToSort decides how to sort a list: as a bit set, if it has at least 1/manyToSort of the
// number of states of the model.
const manyToSort = 64

// newChoices returns a search that visits at most work transitions, 0 for no limit.
func (g *game) newChoices(ctx context.Context, work int64) *choices {
	x := &choices{
		game:   g,
		search: abort.Must(scc.NewParts(ctx, g.m)),
		most:   work,
		fair:   bitset.New[lts.State](g.unfolding.Model().NumStates()),
	}
	if x.condition != nil {
		x.rankPlaces(ctx)
	}
	return x
}

// rankPlaces numbers the product states in the order of their states of the model.
func (x *choices) rankPlaces(ctx context.Context) {
	n := x.m.NumStates()
	abort.On(resources.AskFor[lts.State](ctx, 3*n))
	x.rank = make([]lts.State, n)
	x.ranked = make([]lts.State, n)
	x.sorted = bitset.New[lts.State](n)
	next := make([]lts.State, x.unfolding.Model().NumStates()+1) // for each state of the model, the next number
	for s := range lts.State(n) {
		next[x.unfolding.At(s).State+1]++
	}
	for s := range len(next) - 1 {
		next[s+1] += next[s]
	}
	for s := range lts.State(n) {
		state := x.unfolding.At(s).State
		x.rank[s] = next[state]
		x.ranked[next[state]] = s
		next[state]++
	}
}

// sort sorts distinct product states, or their numbers. Cost O(S / 64) and the length of the list.
// For a short list, the cost is its length times the logarithm.
func (x *choices) sort(list []lts.State) {
	if manyToSort*len(list) < x.m.NumStates() {
		slices.Sort(list)
		return
	}
	x.sorted.Sort(list)
}

// isOverLimit reports whether the search has reached its limit of work, or is known to reach it.
func (x *choices) isOverLimit() bool {
	return x.most > 0 && max(x.search.Work()+x.work, x.sizes, x.predicted) > x.most
}

// choose makes the choices of a state fair.
func (x *choices) choose(s lts.State) {
	x.fair.Add(s)
	x.chosen = append(x.chosen, s)
	x.sizes += x.size[s]
}

// predictWork finds the sizes of components, and disjoint cycles: the search will have to choose
// another state for each cycle. It does nothing if the limit cannot be reached.
func (x *choices) predictWork() {
	size := map[lts.State]int64{}
	all := int64(0)
	for _, c := range x.cycles {
		for _, p := range c.parts {
			partSize := x.sizeOf(p.states)
			all += partSize * int64(len(p.states))
			for _, place := range p.Places {
				if _, known := size[place.State]; !known {
					size[place.State] = partSize
				}
			}
		}
	}
	if all <= x.most {
		return
	}
	x.size = size
	visited := map[lts.State]bool{}
	for _, c := range x.cycles {
		for _, p := range c.parts {
			stays := x.leftOver(c.without)
			abort.On(x.search.DisjointCycles(p.states, stays, func(cycle []lts.State) bool {
				x.predicted += x.leastSize(cycle, visited)
				return !x.isOverLimit()
			}))
			if x.isOverLimit() {
				return
			}
		}
	}
}

// sizeOf returns the number of some product states and of the transitions from them.
func (x *choices) sizeOf(states []lts.State) int64 {
	size := int64(0)
	for _, s := range states {
		labels, _ := x.m.Out(s)
		size += 1 + int64(labels.Len())
	}
	return size
}

// leastSize returns the size of the smallest component that contains a state of a cycle; 0 if one
// of the states of the cycle has been visited. It adds the states to visited.
func (x *choices) leastSize(cycle []lts.State, visited map[lts.State]bool) int64 {
	least := int64(math.MaxInt64)
	for _, s := range cycle {
		state := x.unfolding.At(s).State
		if visited[state] {
			least = 0
		}
		visited[state] = true
		least = min(least, x.size[state])
	}
	return least
}

// chooseEnough chooses states until a run that is fair to them must leave each component. It
// returns false if no choices are enough, or if the limit is reached.
func (x *choices) chooseEnough() bool {
	for _, c := range x.cycles {
		for _, p := range c.parts {
			if !x.mustLeave(p.states, c, x.choose, nil) || x.isOverLimit() {
				return false
			}
		}
	}
	return true
}

// chooseNeeded returns the chosen states, ascending, without those that are superfluous given the
// others; nil if the limit is reached.
func (x *choices) chooseNeeded() []lts.State {
	meetings := x.meetings()
	var kept []lts.State
	for _, s := range x.chosen {
		x.fair.Remove(s)
		isNeeded := false
		for _, m := range meetings[s] {
			suffices := x.suffices(m, s)
			if x.isOverLimit() {
				return nil
			}
			if !suffices {
				isNeeded = true
				break
			}
		}
		if isNeeded {
			x.fair.Add(s)
			kept = append(kept, s)
		}
	}
	slices.Sort(kept)
	return kept
}

// meeting has the product states of one component that belong to one state of the model.
type meeting struct {
	component *found
	cycles    cycles
	places    []lts.State
}

// meetings returns the meetings of each chosen state, in the order of the components. Cost O(S) of
// all components.
func (x *choices) meetings() map[lts.State][]meeting {
	meetings := make(map[lts.State][]meeting, len(x.chosen))
	for _, s := range x.chosen {
		meetings[s] = nil
	}
	for _, c := range x.cycles {
		for i := range c.parts {
			p := &c.parts[i]
			for _, s := range p.states {
				state := x.unfolding.At(s).State
				known, isChosen := meetings[state]
				if !isChosen {
					continue
				}
				isFirstPlace := len(known) == 0 || known[len(known)-1].component != p
				if isFirstPlace {
					known = append(known, meeting{component: p, cycles: c})
				}
				last := &known[len(known)-1]
				last.places = append(last.places, s)
				meetings[state] = known
			}
		}
	}
	return meetings
}

// mustLeave reports whether a run that is fair to the chosen states must leave a component. It
// searches for sets of product states of the component that such a run can visit infinitely often. If
// concerns is not nil, it only considers sets that have a state for which concerns returns true. If
// resolve is nil, it returns false as soon as it finds a set. Otherwise it passes to resolve, for each
// set, the least state with a transition that leaves the set; resolve chooses the state, and the search
// continues. If a set has no such state, the result is false.
func (x *choices) mustLeave(
	states []lts.State,
	c cycles,
	resolve func(lts.State),
	concerns func(lts.State) bool,
) bool {
	stays := x.leftOver(c.without)
	isConcerned := func(s lts.State) bool { return concerns(x.unfolding.At(s).State) }
	open := [][]lts.State{states}
	for len(open) > 0 && !x.isOverLimit() {
		part := open[len(open)-1]
		open = open[:len(open)-1]
		for set := range abort.Must(x.search.Components(part, stays)) {
			if concerns != nil && !slices.ContainsFunc(set, isConcerned) {
				continue
			}
			r := x.refine(set, stays)
			isRefined := len(r.recurring) < len(set)
			switch {
			case isRefined && len(r.recurring) > 0:
				open = append(open, r.recurring)
			case isRefined || !r.hasInside:
				// No run can stay in the set.
			case resolve == nil || r.least == none:
				return false
			default:
				resolve(r.least)
				if x.condition == nil {
					// For a chain, different sets have different states of the model, so states
					// chosen for other sets do not matter.
					set = x.refine(set, stays).recurring
				}
				open = append(open, set)
			}
		}
	}
	return true
}

// none means no state.
const none = lts.State(math.MaxUint32)

// refined is the result of refine.
type refined struct {
	// recurring are the product states of the set that a run can visit infinitely often. A product
	// state is left out if its state has fair choices and a transition that cannot be taken within
	// the set.
	recurring []lts.State
	// least is the least state with a transition that cannot be taken within the set, or none.
	least lts.State
	// hasInside reports whether some transition stays in the set.
	hasInside bool
}

// refine finds the states of a set that a run can visit infinitely often.
func (x *choices) refine(
	set []lts.State,
	stays func(lts.State, lts.Label, lts.State) bool,
) refined {
	x.search.Enter(set)
	r := refined{recurring: make([]lts.State, 0, len(set)), least: none}
	var moves movesOf
	for rest := x.byState(set); len(rest) > 0; {
		state := x.unfolding.At(rest[0]).State
		n := 1
		for n < len(rest) && x.unfolding.At(rest[n]).State == state {
			n++
		}
		places := rest[:n] // those of one state
		rest = rest[n:]
		x.findMoves(&moves, places, stays)
		takesAll := len(moves.leave) == 0 ||
			x.condition != nil && isAmong(moves.leave, moves.stay)
		r.hasInside = r.hasInside || len(moves.stay) > 0
		if !takesAll {
			r.least = min(r.least, state)
		}
		if takesAll || !x.fair.Has(state) {
			r.recurring = append(r.recurring, places...)
		}
	}
	if x.condition != nil {
		x.sort(r.recurring)
	}
	return r
}

// byState returns the product states of a set, sorted by their states of the model. For a chain,
// this is the set itself: a run that stays in a component forever has the same progress in all its
// states.
func (x *choices) byState(set []lts.State) []lts.State {
	if x.condition == nil {
		return set
	}
	places := make([]lts.State, len(set))
	for i, s := range set {
		places[i] = x.rank[s]
	}
	x.sort(places)
	for i, number := range places {
		places[i] = x.ranked[number]
	}
	return places
}

// movesOf are the allowed transitions of some product states that belong to the same state of the
// model.
type movesOf struct {
	stay  []way // the transitions that stay in the set that the search has entered
	leave []way // the others
}

// findMoves finds the moves of some product states. It reuses the memory of moves.
func (x *choices) findMoves(
	moves *movesOf,
	places []lts.State,
	stays func(lts.State, lts.Label, lts.State) bool,
) {
	moves.stay = moves.stay[:0]
	moves.leave = moves.leave[:0]
	for _, s := range places {
		labels, targets := x.m.Out(s)
		if x.condition != nil {
			x.work += int64(len(targets))
		}
		for i, to := range targets {
			l := labels.At(i)
			if !x.allows(s, l, to) {
				continue
			}
			w := way{l, x.unfolding.At(to).State}
			if x.search.Has(to) && stays(s, l, to) {
				moves.stay = append(moves.stay, w)
			} else {
				moves.leave = append(moves.leave, w)
			}
		}
	}
}

// way is a transition from a state of the model, without its source.
type way struct {
	label lts.Label
	to    lts.State
}

func compareWays(a, b way) int {
	return cmp.Or(cmp.Compare(a.label, b.label), cmp.Compare(a.to, b.to))
}

// fewWays is the largest number of ways that are searched in a list one by one.
const fewWays = 8

// isAmong reports whether all ways are in the list others. If there are many ways, it first sorts
// others.
func isAmong(ways, others []way) bool {
	if len(ways) <= fewWays {
		return !slices.ContainsFunc(ways, func(w way) bool {
			return !slices.Contains(others, w)
		})
	}
	slices.SortFunc(others, compareWays)
	return !slices.ContainsFunc(ways, func(w way) bool {
		_, found := slices.BinarySearchFunc(others, w, compareWays)
		return !found
	})
}

// suffices reports whether the chosen states are enough without s: each run that stays in a
// component forever and visits s infinitely often is unfair to a chosen state. The caller has
// removed s from the chosen states. suffices first searches for a cycle around s without chosen
// states.
func (x *choices) suffices(m meeting, s lts.State) bool {
	stays := x.leftOver(m.cycles.without)
	avoidsFair := func(from lts.State, l lts.Label, to lts.State) bool {
		return stays(from, l, to) && !x.isFair(to)
	}
	for _, place := range m.places {
		if abort.Must(x.search.OnCycle(place, avoidsFair)) {
			return false
		}
	}
	states := m.component.states
	if x.condition == nil {
		p := &pruning{
			choices: x,
			stays:   stays,
			out:     x.numbers[:x.m.NumStates()],
			in:      x.numbers[x.m.NumStates():],
		}
		states = p.prune(states)
	}
	return x.mustLeave(states, m.cycles, nil, func(state lts.State) bool {
		return state == s
	})
}

// isFair reports whether the state of a product state is chosen.
func (x *choices) isFair(s lts.State) bool { return x.fair.Has(x.unfolding.At(s).State) }

// pruning removes product states from a component of a chain that lie in no set where a run can
// stay forever while it is fair to the chosen states. It repeatedly removes product states that no
// remaining transition enters, or leaves; and product states of a chosen state from which an
// allowed transition leads out of the remaining ones.
type pruning struct {
	*choices
	stays func(lts.State, lts.Label, lts.State) bool
	// out and in have, for each remaining product state, the numbers of its transitions to, and
	// from, remaining product states. out is isRemoved for a removed product state.
	out, in []uint32
	removed []lts.State
}

// isRemoved is a value of pruning.out.
const isRemoved = math.MaxUint32

// prune returns the product states of the component that remain. Cost O(S + T) of the component.
func (x *pruning) prune(states []lts.State) []lts.State {
	x.search.Enter(states)
	for _, s := range states {
		x.out[s] = 0
		x.in[s] = 0
	}
	var leaving []lts.State // the product states of chosen states from which an allowed transition leaves the component
	for _, s := range states {
		if x.countMoves(s) && x.isFair(s) {
			leaving = append(leaving, s)
		}
	}
	for _, s := range leaving {
		x.remove(s)
	}
	for _, s := range states {
		if x.out[s] == 0 || x.in[s] == 0 {
			x.remove(s)
		}
	}
	for next := 0; next < len(x.removed); next++ {
		x.uncount(x.removed[next])
	}
	remaining := make([]lts.State, 0, len(states)-len(x.removed))
	for _, s := range states {
		if x.out[s] != isRemoved {
			remaining = append(remaining, s)
		}
	}
	return remaining
}

// countMoves counts the transitions from a product state that stay in the component. leaves reports
// whether an allowed transition leaves the component.
func (x *pruning) countMoves(s lts.State) (leaves bool) {
	labels, targets := x.m.Out(s)
	for i, to := range targets {
		if x.search.Has(to) && x.stays(s, labels.At(i), to) {
			x.out[s]++
			x.in[to]++
		} else if x.allows(s, labels.At(i), to) {
			leaves = true
		}
	}
	return leaves
}

// remove removes a product state, unless it is removed already.
func (x *pruning) remove(s lts.State) {
	if x.out[s] != isRemoved {
		x.out[s] = isRemoved
		x.removed = append(x.removed, s)
	}
}

// uncount subtracts the transitions of a removed product state from the counts of its neighbours.
// It removes the neighbours that cannot remain without them.
func (x *pruning) uncount(s lts.State) {
	labels, targets := x.m.Out(s)
	for i, to := range targets {
		if x.remains(to) && x.stays(s, labels.At(i), to) {
			x.in[to]--
			if x.in[to] == 0 {
				x.remove(to)
			}
		}
	}
	labels, sources := x.m.Predecessors().In(s)
	for i, from := range sources {
		if x.remains(from) && x.stays(from, labels.At(i), s) {
			x.out[from]--
			if x.out[from] == 0 || x.isFair(from) {
				x.remove(from)
			}
		}
	}
}

// remains reports whether a product state is in the component and not removed.
func (x *pruning) remains(s lts.State) bool { return x.search.Has(s) && x.out[s] != isRemoved }
