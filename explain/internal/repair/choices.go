package repair

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
	"github.com/inev-lts/inev/lts/scc"
)

// FairChoices returns states of the model, ascending, such that a run leaves each component of
// r.NotForEver if it takes no forbidden transition and is fair to the choices of these states: if
// it visits such a state infinitely often, it takes every allowed transition from there infinitely
// often. Each of the states is needed. It returns nil without such components, if no choices are
// enough (possible for properties other than inevitability), and if the search would visit more
// than work transitions, 0 for no limit: the component once for each state that is chosen. It fails
// if ctx is done, and if there is too little memory. Cost O(S + T) of a component for each state of
// it that is chosen, and at worst again for each trial to leave one out; for a chain 8 bytes a
// product state.
func (r *Repair) FairChoices(ctx context.Context, work int64) (_ []lts.State, err error) {
	defer abort.Caught(&err)
	if len(r.NotForEver) == 0 || slices.ContainsFunc(r.NotForEver, func(p Part) bool { return p.Again != nil }) {
		return nil, nil
	}
	states := r.game.unfolding.Model().NumStates()
	x := &choices{game: r.game, search: abort.Must(scc.NewParts(ctx, r.game.m)), most: work, fair: bitset.New[lts.State](states)}
	if x.condition != nil {
		// Number the product states in the order of the states of the model that they have.
		n := x.m.NumStates()
		abort.On(resources.AskFor[lts.State](ctx, 3*n))
		x.rank, x.ranked, x.sorted = make([]lts.State, n), make([]lts.State, n), bitset.New[lts.State](n)
		next := make([]lts.State, states+1)
		for s := range lts.State(n) {
			next[x.unfolding.At(s).State+1]++
		}
		for s := range len(next) - 1 {
			next[s+1] += next[s]
		}
		for s := range lts.State(n) {
			at := &next[x.unfolding.At(s).State]
			x.rank[s], x.ranked[*at] = *at, s
			*at++
		}
	}
	if work > 0 {
		if x.foresee(); x.ended() {
			return nil, nil
		}
	}
	for _, c := range x.cycles {
		for _, p := range c.parts {
			if !x.refute(p.states, c, x.choose, nil) || x.ended() {
				return nil, nil
			}
		}
	}
	if x.condition == nil {
		x.numbers = abort.Must(resources.Make[uint32](ctx, 2*x.m.NumStates()))
	}
	// The chosen states that are superfluous given the others are left out. For each chosen state, its
	// meetings in the order of the components. Cost O(S) of all components.
	meetings := make(map[lts.State][]meeting, len(x.chosen))
	for _, s := range x.chosen {
		meetings[s] = nil
	}
	for _, c := range x.cycles {
		for i := range c.parts {
			p := &c.parts[i]
			for _, at := range p.states {
				s := x.unfolding.At(at).State
				of, chosen := meetings[s]
				if !chosen {
					continue
				}
				if len(of) == 0 || of[len(of)-1].in != p {
					of = append(of, meeting{in: p, cycles: c})
				}
				last := &of[len(of)-1]
				last.places = append(last.places, at)
				meetings[s] = of
			}
		}
	}
	var kept []lts.State
	for _, s := range x.chosen {
		x.fair.Remove(s)
		needed := slices.ContainsFunc(meetings[s], func(m meeting) bool { return !x.suffices(m, s) || x.ended() })
		if x.ended() {
			return nil, nil
		}
		if needed {
			x.fair.Add(s)
			kept = append(kept, s)
		}
	}
	slices.Sort(kept)
	return kept, nil
}

// choices is a search for states such that fairness to their choices is enough.
type choices struct {
	*game
	search *scc.Parts
	fair   bitset.Set[lts.State] // the chosen states of the model, as a set
	chosen []lts.State
	most   int64
	looked int64 // the number of transitions visited while sets were refined
	// size is, for each state of the model, the size of the first component that has it; sizes is
	// the sum of these sizes for the chosen states; foreseen is a lower bound of that sum at the
	// end.
	size            map[lts.State]int64
	sizes, foreseen int64
	numbers         []uint32 // the counts in suffices, kept for their memory; nil if none is made
	// rank is the number of each product state in the order of states of the model, and ranked its
	// inverse; nil for a chain.
	rank, ranked []lts.State
	// sorted is the memory of sort.
	sorted bitset.Set[lts.State]
}

// A list of at least 1/manyToSort as many members as the model has states is sorted as a bit set.
const manyToSort = 64

// sort sorts distinct product states, or their numbers. Cost O(S / 64) and the length of the list;
// for a short list, the length times its logarithm.
func (x *choices) sort(list []lts.State) {
	if manyToSort*len(list) < x.m.NumStates() {
		slices.Sort(list)
		return
	}
	x.sorted.Sort(list)
}

// ended reports whether the search has reached, or will reach, its limit of work.
func (x *choices) ended() bool {
	return x.most > 0 && max(x.search.Work()+x.looked, x.sizes, x.foreseen) > x.most
}

func (x *choices) choose(s lts.State) {
	x.fair.Add(s)
	x.chosen = append(x.chosen, s)
	x.sizes += x.size[s]
}

// foresee finds the sizes of components, and disjoint cycles: for each cycle the search will choose
// another state. It does nothing if the limit cannot be reached.
func (x *choices) foresee() {
	size, all := map[lts.State]int64{}, int64(0)
	for _, c := range x.cycles {
		for _, p := range c.parts {
			of := int64(0) // the number of product states of the component, and of the transitions from them
			for _, s := range p.states {
				labels, _ := x.m.Out(s)
				of += 1 + int64(labels.Len())
			}
			all += of * int64(len(p.states))
			for _, at := range p.Places {
				if _, is := size[at.State]; !is {
					size[at.State] = of
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
			abort.On(x.search.DisjointCycles(p.states, x.leftOver(c.without), func(cycle []lts.State) bool {
				least := int64(math.MaxInt64)
				for _, s := range cycle {
					at := x.unfolding.At(s).State
					if visited[at] {
						least = 0
					}
					visited[at] = true
					least = min(least, x.size[at])
				}
				x.foreseen += least
				return !x.ended()
			}))
			if x.ended() {
				return
			}
		}
	}
}

// refute searches for sets of product states of a component that a run can visit infinitely often
// while it is fair to the chosen states; if with is not nil, only sets with a state for which it
// returns true. For each set, it passes the least state with a transition that leaves the set to
// resolve, which chooses the state, and continues. It returns false as soon as a set has no such
// state, or resolve is nil.
func (x *choices) refute(states []lts.State, c cycles, resolve func(lts.State), with func(lts.State) bool) bool {
	stays := x.leftOver(c.without)
	for work := [][]lts.State{states}; len(work) > 0 && !x.ended(); {
		part := work[len(work)-1]
		work = work[:len(work)-1]
		for set := range abort.Must(x.search.Components(part, stays)) {
			if with != nil && !slices.ContainsFunc(set, func(s lts.State) bool { return with(x.unfolding.At(s).State) }) {
				continue
			}
			r := x.refine(set, stays)
			switch {
			case len(r.left) < len(set):
				if len(r.left) > 0 {
					work = append(work, r.left)
				}
			case !r.some:
			case resolve == nil || r.least == none:
				return false
			default:
				resolve(r.least)
				if x.condition == nil {
					// For a chain, the sets are disjoint even as states of the model, so states
					// chosen for other sets do not matter.
					set = x.refine(set, stays).left
				}
				work = append(work, set)
			}
		}
	}
	return true
}

const none = lts.State(math.MaxUint32)

// refined is the result of refine.
type refined struct {
	// left are the product states of the set, except those whose state has fair choices and a
	// transition that cannot be taken within the set.
	left []lts.State
	// least is the least state with a transition that cannot be taken within the set; none if there
	// is none.
	least lts.State
	// some reports whether a transition stays in the set.
	some bool
}

// refine finds which states of a set a run can visit infinitely often.
func (x *choices) refine(set []lts.State, stays func(lts.State, lts.Label, lts.State) bool) refined {
	x.search.Enter(set)
	places := set // of a chain: a run that stays in a component for ever has the same progress in all states
	if x.condition != nil {
		places = make([]lts.State, len(set))
		for i, s := range set {
			places[i] = x.rank[s]
		}
		x.sort(places)
		for i, number := range places {
			places[i] = x.ranked[number]
		}
	}
	r := refined{left: make([]lts.State, 0, len(set)), least: none}
	var taken, others []way
	for len(places) > 0 {
		at, n := x.unfolding.At(places[0]).State, 1
		for n < len(places) && x.unfolding.At(places[n]).State == at {
			n++
		}
		taken, others = taken[:0], others[:0] // the allowed transitions that stay in the set, and that leave it
		for _, s := range places[:n] {
			labels, targets := x.m.Out(s)
			if x.condition != nil {
				x.looked += int64(len(targets))
			}
			for i, to := range targets {
				l := labels.At(i)
				if !x.allows(s, l, to) {
					continue
				}
				w := way{l, x.unfolding.At(to).State}
				if x.search.Has(to) && stays(s, l, to) {
					taken = append(taken, w)
				} else {
					others = append(others, w)
				}
			}
		}
		all := len(others) == 0 || x.condition != nil && isAmong(others, taken)
		r.some = r.some || len(taken) > 0
		if !all {
			r.least = min(r.least, at)
		}
		if all || !x.fair.Has(at) {
			r.left = append(r.left, places[:n]...)
		}
		places = places[n:]
	}
	if x.condition != nil {
		x.sort(r.left)
	}
	return r
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

// isAmong reports whether all ways are in the list others. If there are many ways, it sorts this
// list first.
func isAmong(ways, others []way) bool {
	if len(ways) <= fewWays {
		return !slices.ContainsFunc(ways, func(w way) bool { return !slices.Contains(others, w) })
	}
	slices.SortFunc(others, compareWays)
	return !slices.ContainsFunc(ways, func(w way) bool { _, is := slices.BinarySearchFunc(others, w, compareWays); return !is })
}

// meeting has the product states of one component for one state of the model.
type meeting struct {
	in     *found
	cycles cycles
	places []lts.State
}

// suffices reports whether each run that stays in a component for ever and visits s infinitely
// often is unfair to a chosen state; s itself is no longer chosen. It first searches for a cycle
// around s without chosen states.
func (x *choices) suffices(m meeting, s lts.State) bool {
	stays := x.leftOver(m.cycles.without)
	past := func(from lts.State, l lts.Label, to lts.State) bool {
		return stays(from, l, to) && !x.fair.Has(x.unfolding.At(to).State)
	}
	for _, at := range m.places {
		if abort.Must(x.search.OnCycle(at, past)) {
			return false
		}
	}
	states := m.in.states
	if x.condition == nil {
		// Only these product states may lie in a set where a run can stay for ever while it is fair to the
		// chosen states: without those, as long as there are any, that no transition enters or leaves, and
		// those of a chosen state with an allowed transition that leaves the set. Cost O(S + T) of the
		// component.
		half := x.m.NumStates()
		// For each remaining product state, the numbers of transitions to remaining ones, and from remaining
		// ones; out is no longer updated after a removal.
		out, in := x.numbers[:half], x.numbers[half:]
		isFair := func(s lts.State) bool { return x.fair.Has(x.unfolding.At(s).State) }
		var removed []lts.State
		remove := func(s lts.State) {
			if out[s] != gone {
				out[s] = gone
				removed = append(removed, s)
			}
		}
		x.search.Enter(states)
		for _, s := range states {
			out[s], in[s] = 0, 0
		}
		var partial []lts.State
		for _, s := range states {
			all := true
			labels, targets := x.m.Out(s)
			for i, to := range targets {
				if x.search.Has(to) && stays(s, labels.At(i), to) {
					out[s]++
					in[to]++
				} else if x.allows(s, labels.At(i), to) {
					all = false
				}
			}
			if !all && isFair(s) {
				partial = append(partial, s)
			}
		}
		for _, s := range partial {
			remove(s)
		}
		for _, s := range states {
			if out[s] == 0 || in[s] == 0 {
				remove(s)
			}
		}
		for next := 0; next < len(removed); next++ {
			s := removed[next]
			labels, targets := x.m.Out(s)
			for i, to := range targets {
				if x.search.Has(to) && out[to] != gone && stays(s, labels.At(i), to) {
					if in[to]--; in[to] == 0 {
						remove(to)
					}
				}
			}
			labels, sources := x.m.Predecessors().In(s)
			for i, from := range sources {
				if x.search.Has(from) && out[from] != gone && stays(from, labels.At(i), s) {
					if out[from]--; out[from] == 0 || isFair(from) {
						remove(from)
					}
				}
			}
		}
		left := make([]lts.State, 0, len(states)-len(removed))
		for _, s := range states {
			if out[s] != gone {
				left = append(left, s)
			}
		}
		states = left
	}
	return x.refute(states, m.cycles, nil, func(at lts.State) bool { return at == s })
}

const gone = math.MaxUint32
