package compare

import (
	"context"
	"errors"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
)

// errLimit ends a search that reached its limit.
var errLimit = errors.New("limit reached")

// completed does a search, and reports whether it ended before its limit.
func completed(search func()) bool {
	err := abort.Try(search)
	if err == errLimit {
		return false
	}
	abort.On(err)
	return true
}

// work counts the transitions that a search may still visit.
type work struct {
	ctx  context.Context
	left int64
}

func (w *work) spend(n int) {
	if w.left -= int64(n); w.left < 0 {
		abort.On(errLimit)
	}
	if w.left&0xff == 0 {
		abort.On(w.ctx.Err())
	}
}

// pair is a state of the search: the state that one version has reached by some run, with the state,
// or set of states, that the other version can have reached by a run with the same labels.
type pair struct {
	one, other lts.State
	set        int32 // the index in sets of the set of states; -1 if other is the single state
	// from is the index of the previous pair; the visible label leads from the previous pair to
	// this pair.
	from  int32
	label lts.Label
}

const noPair = -1

// mostPairs is the largest number of pairs of a search.
const mostPairs = 1<<31 - 2

// parter searches for a run of both versions after which only one can do some label, in a graph
// that has both: their union, or its blocks. It decides inclusion of automata by antichains (De Wulf,
// Doyen, Henzinger, Raskin: Antichains, CAV 2006, section 3): of two pairs with the same state, it
// skips the later one if it has the larger set of others, which distinguishes less, whichever
// version has reached the state. It also skips a block in its own set: equivalent states have the
// same runs. Most pairs have one state on each side, and most states occur in one such pair.
type parter struct {
	g     *lts.LTS
	tau   lts.Label
	hides bool
	work  work
	pairs []pair
	// sets are the sets of more than one state on the other side of pairs.
	sets [][]lts.State
	// first has, for each state, the first single state with which it was paired; visited has all
	// other single states, and all sets, with which the state was paired.
	first   []lts.State
	paired  bitset.Set[lts.State]
	visited map[lts.State][][]lts.State
	// after are the states after the last label, kept to reuse their memory.
	after []lts.State
}

// part returns a shortest run after which one version can do a label that the other cannot, from
// the given states or blocks; among shortest runs, it prefers one after which the new version can do
// more. It returns nil if the versions have the same runs, and ends with errLimit if the search is not
// complete. Cost exponential in the number of blocks, but bounded.
func (p *parter) part(ctx context.Context, old, latest lts.State) *Parting {
	n := p.g.NumStates()
	abort.On(resources.Ask(ctx, 4*int64(n)))
	p.first, p.paired, p.visited = make([]lts.State, n), bitset.New[lts.State](n), make(map[lts.State][][]lts.State)
	p.add(pair{one: latest, from: noPair}, []lts.State{old})
	ofNew := len(p.pairs)
	p.add(pair{one: old, from: noPair}, []lts.State{latest})
	// At each depth, pairs with a state of the new version come first.
	for i := 0; i < len(p.pairs); i++ {
		abort.IfDone(ctx, i)
		if len(p.pairs) >= mostPairs {
			abort.On(errLimit)
		}
		label, found := p.expand(int32(i))
		if !found {
			continue
		}
		parting := &Parting{Run: []string{}, Only: Old, Label: p.g.Alphabet().Text(label)}
		at := i
		for ; p.pairs[at].from != noPair; at = int(p.pairs[at].from) {
			parting.Run = append(parting.Run, p.g.Alphabet().Text(p.pairs[at].label))
		}
		slices.Reverse(parting.Run)
		if at < ofNew {
			parting.Only = New
		}
		return parting
	}
	return nil
}

// add adds a pair for each state that hidden transitions reach from a.one, with all states that they
// reach from others, ascending.
func (p *parter) add(a pair, others []lts.State) {
	if !p.hides {
		p.meet(a, others)
		return
	}
	others = closed(p.g, others, p.hidden, p.work.spend)
	for _, a.one = range closed(p.g, []lts.State{a.one}, p.hidden, p.work.spend) {
		p.meet(a, others)
	}
}

// meet adds a pair with others, ascending, unless a pair with the same state and a subset of others
// was visited.
func (p *parter) meet(a pair, others []lts.State) {
	one := a.one
	if _, in := slices.BinarySearch(others, one); in {
		return
	}
	if p.paired.Has(one) {
		if _, in := slices.BinarySearch(others, p.first[one]); in {
			return
		}
	}
	if visited := p.visited[one]; slices.ContainsFunc(visited, func(smaller []lts.State) bool { return subset(smaller, others) }) {
		return
	}
	a.other, a.set = others[0], -1
	switch {
	case len(others) > 1:
		a.set = int32(len(p.sets))
		p.sets = append(p.sets, slices.Clone(others))
		p.visited[one] = append(p.visited[one], p.sets[a.set])
	case p.paired.Has(one):
		p.visited[one] = append(p.visited[one], slices.Clone(others))
	default:
		p.paired.Add(one)
		p.first[one] = others[0]
	}
	p.pairs = append(p.pairs, a)
}

// subset reports whether all states of a, ascending, are in b, ascending.
func subset(a, b []lts.State) bool {
	for _, s := range a {
		at, in := slices.BinarySearch(b, s)
		if !in {
			return false
		}
		b = b[at:]
	}
	return true
}

// expand returns a visible label that the state of a pair has and no state on the pair's other side
// has; without such a label, it adds the pairs after each label.
func (p *parter) expand(i int32) (lts.Label, bool) {
	a := p.pairs[i]
	others := []lts.State{a.other}
	if a.set >= 0 {
		others = p.sets[a.set]
	}
	labels, targets := p.g.Out(a.one)
	looks := len(targets)
	for _, s := range others {
		_, row := p.g.Out(s)
		looks += len(row)
	}
	const few = 32 // the number of transitions that are examined for each label
	var after map[lts.Label][]lts.State
	if looks > few {
		after = p.afterAll(others)
	}
	p.work.spend(looks)
	for k := range targets {
		l := labels.At(k)
		if p.hidden(l) {
			continue
		}
		both := after[l] != nil
		if after == nil {
			both = slices.ContainsFunc(others, func(s lts.State) bool {
				labels, _ := p.g.Out(s)
				return labels.Any(func(other lts.Label) bool { return other == l })
			})
		}
		if !both {
			return l, true
		}
	}
	for k, t := range targets {
		l := labels.At(k)
		if p.hidden(l) {
			continue
		}
		there := after[l]
		if after == nil {
			p.after = p.after[:0]
			for _, s := range others {
				for label, t := range p.g.From(s) {
					if label == l {
						p.after = append(p.after, t)
					}
				}
			}
			slices.Sort(p.after)
			p.after = slices.Compact(p.after)
			there = p.after
		}
		p.add(pair{one: t, from: i, label: l}, there)
	}
	return 0, false
}

func (p *parter) hidden(l lts.Label) bool { return p.hides && l == p.tau }

// afterAll returns, for each label, the targets, ascending, of its transitions from some states.
func (p *parter) afterAll(states []lts.State) map[lts.Label][]lts.State {
	after := make(map[lts.Label][]lts.State)
	for _, s := range states {
		for l, t := range p.g.From(s) {
			after[l] = append(after[l], t)
		}
	}
	for l, all := range after {
		slices.Sort(all)
		after[l] = slices.Compact(all)
	}
	return after
}
