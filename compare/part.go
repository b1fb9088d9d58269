package compare

import (
	"context"
	"errors"
	"slices"

	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
)

// errLimit ends a search that reached its limit.
var errLimit = errors.New("limit reached")

// completed reports, by its error, whether a search ended before its limit. It returns all other errors.
func completed(err error) (bool, error) {
	if err == errLimit {
		return false, nil
	}
	return err == nil, err
}

// work counts the transitions that a search may still visit.
type work struct {
	ctx  context.Context
	left int64
}

// spend counts n transitions. It fails with errLimit if no more are left, and at times it asks whether the
// context is done.
func (w *work) spend(n int) error {
	w.left -= int64(n)
	if w.left < 0 {
		return errLimit
	}
	if w.left&0xff == 0 {
		return w.ctx.Err()
	}
	return nil
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
// more. It returns nil if the versions have the same runs, and fails with errLimit if the search is not
// complete. Cost exponential in the number of blocks, but bounded.
func (p *parter) part(ctx context.Context, old, latest lts.State) (*Parting, error) {
	n := p.g.NumStates()
	if err := resources.Ask(ctx, 4*int64(n)); err != nil {
		return nil, err
	}
	p.first = make([]lts.State, n)
	p.paired = bitset.New[lts.State](n)
	p.visited = make(map[lts.State][][]lts.State)
	if err := p.add(pair{one: latest, from: noPair}, []lts.State{old}); err != nil {
		return nil, err
	}
	ofNew := len(p.pairs)
	if err := p.add(pair{one: old, from: noPair}, []lts.State{latest}); err != nil {
		return nil, err
	}
	// At each depth, pairs with a state of the new version come first.
	for i := 0; i < len(p.pairs); i++ {
		if err := asked(ctx, i); err != nil {
			return nil, err
		}
		if len(p.pairs) >= mostPairs {
			return nil, errLimit
		}
		label, found, err := p.expand(int32(i))
		if err != nil {
			return nil, err
		}
		if found {
			return p.parting(i, label, ofNew), nil
		}
	}
	return nil, nil
}

// parting returns the run to a pair, after which one version can do a label. The first ofNew pairs begin with a
// state of the new version.
func (p *parter) parting(i int, label lts.Label, ofNew int) *Parting {
	parting := &Parting{Run: []string{}, Only: Old, Label: p.g.Alphabet().Text(label)}
	for p.pairs[i].from != noPair {
		parting.Run = append(parting.Run, p.g.Alphabet().Text(p.pairs[i].label))
		i = int(p.pairs[i].from)
	}
	slices.Reverse(parting.Run)
	if i < ofNew {
		parting.Only = New
	}
	return parting
}

// add adds a pair for each state that hidden transitions reach from a.one, with all states that they
// reach from others, ascending.
func (p *parter) add(a pair, others []lts.State) error {
	if !p.hides {
		p.meet(a, others)
		return nil
	}
	others, err := closed(p.g, others, p.hidden, p.work.spend)
	if err != nil {
		return err
	}
	reached, err := closed(p.g, []lts.State{a.one}, p.hidden, p.work.spend)
	if err != nil {
		return err
	}
	for _, one := range reached {
		a.one = one
		p.meet(a, others)
	}
	return nil
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
	isSmaller := func(visited []lts.State) bool { return subset(visited, others) }
	if slices.ContainsFunc(p.visited[one], isSmaller) {
		return
	}
	a.other = others[0]
	a.set = -1
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
func (p *parter) expand(i int32) (_ lts.Label, found bool, err error) {
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
	if err := p.work.spend(looks); err != nil {
		return 0, false, err
	}
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
			return l, true, nil
		}
	}
	for k, t := range targets {
		l := labels.At(k)
		if p.hidden(l) {
			continue
		}
		there := after[l]
		if after == nil {
			there = p.afterOne(others, l)
		}
		if err := p.add(pair{one: t, from: i, label: l}, there); err != nil {
			return 0, false, err
		}
	}
	return 0, false, nil
}

// afterOne returns the targets, ascending, of the transitions with a label from some states, valid until the
// next call.
func (p *parter) afterOne(states []lts.State, label lts.Label) []lts.State {
	p.after = p.after[:0]
	for _, s := range states {
		for l, t := range p.g.From(s) {
			if l == label {
				p.after = append(p.after, t)
			}
		}
	}
	slices.Sort(p.after)
	p.after = slices.Compact(p.after)
	return p.after
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
