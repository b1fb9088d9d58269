package compare

import (
	"context"
	"errors"
	"slices"

	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
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

// others are the states that the other version can have reached, ascending, with the index of their
// set; [noSet] if they are in no set yet. If lent is true, the states are valid only for a while.
type others struct {
	states []lts.State
	set    int32
	lent   bool
	closed bool // whether hidden transitions lead to no further state
}

const noSet = -1

// single is a state with the only state that the other version can have reached.
type single struct{ one, other lts.State }

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
	// sets are the sets of more than one state on the other side of pairs. Pairs that one label
	// leads to from one pair share their set.
	sets [][]lts.State
	// following caches the results of afterAll for sets; followed is the number of transitions
	// that these have.
	following map[int32]map[lts.Label]*others
	followed  int
	// closures caches the results of closure; reached is the number of states that these have.
	closures map[lts.State][]lts.State
	reached  int
	// first has, for each state, the first single state with which it was paired; singles has all
	// other single states, and visited all sets, with which the state was paired. Each state in
	// paired has a first one, each state in several has others.
	first   []lts.State
	paired  bitset.Set[lts.State]
	several bitset.Set[lts.State]
	singles map[single]bool
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
	p.several = bitset.New[lts.State](n)
	p.visited = make(map[lts.State][][]lts.State)
	p.singles = make(map[single]bool)
	if err := p.add(pair{one: latest, from: noPair}, &others{states: []lts.State{old}, set: noSet}); err != nil {
		return nil, err
	}
	ofNew := len(p.pairs)
	if err := p.add(pair{one: old, from: noPair}, &others{states: []lts.State{latest}, set: noSet}); err != nil {
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
// reach from others.
func (p *parter) add(a pair, o *others) error {
	if !p.hides {
		p.meet(a, o)
		return nil
	}
	if !o.closed {
		all, err := closed(p.g, o.states, p.hidden, p.work.spend)
		if err != nil {
			return err
		}
		*o = others{states: all, set: noSet, closed: true}
	}
	reached, err := p.closure(a.one)
	if err != nil {
		return err
	}
	for _, one := range reached {
		a.one = one
		p.meet(a, o)
	}
	return nil
}

// closure returns a state and the states that hidden transitions reach from it.
func (p *parter) closure(s lts.State) ([]lts.State, error) {
	if reached := p.closures[s]; reached != nil {
		return reached, p.work.spend(len(reached))
	}
	reached, err := closed(p.g, []lts.State{s}, p.hidden, p.work.spend)
	if err != nil {
		return nil, err
	}
	p.reached += len(reached)
	if p.closures == nil || p.reached > p.g.NumStates() {
		p.closures = make(map[lts.State][]lts.State)
		p.reached = len(reached)
	}
	p.closures[s] = reached
	return reached, nil
}

// meet adds a pair with others, unless a pair with the same state and a subset of others was
// visited.
func (p *parter) meet(a pair, o *others) {
	one := a.one
	if _, in := slices.BinarySearch(o.states, one); in {
		return
	}
	if p.hasSmaller(one, o.states) {
		return
	}
	a.other = o.states[0]
	a.set = noSet
	switch {
	case len(o.states) > 1:
		a.set = p.setOf(o)
		p.visited[one] = append(p.visited[one], p.sets[a.set])
	case p.paired.Has(one):
		p.singles[single{one, o.states[0]}] = true
		p.several.Add(one)
	default:
		p.paired.Add(one)
		p.first[one] = o.states[0]
	}
	p.pairs = append(p.pairs, a)
}

// hasSmaller reports whether a state was paired with a subset of some states, ascending.
func (p *parter) hasSmaller(one lts.State, states []lts.State) bool {
	if !p.paired.Has(one) && len(p.visited[one]) == 0 {
		return false
	}
	if _, in := slices.BinarySearch(states, p.first[one]); in && p.paired.Has(one) {
		return true
	}
	isPaired := func(other lts.State) bool { return p.singles[single{one, other}] }
	if p.several.Has(one) && slices.ContainsFunc(states, isPaired) {
		return true
	}
	isSmaller := func(visited []lts.State) bool { return subset(visited, states) }
	return len(states) > 1 && slices.ContainsFunc(p.visited[one], isSmaller)
}

// setOf returns the index of the set of others.
func (p *parter) setOf(o *others) int32 {
	if o.set == noSet {
		if o.lent {
			o.states = slices.Clone(o.states)
			o.lent = false
		}
		o.set = int32(len(p.sets))
		p.sets = append(p.sets, o.states)
	}
	return o.set
}

// subset reports whether all states of a, ascending, are in b, ascending.
func subset(a, b []lts.State) bool {
	if len(a) > len(b) {
		return false
	}
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
	there := []lts.State{a.other}
	if a.set >= 0 {
		there = p.sets[a.set]
	}
	labels, targets := p.g.Out(a.one)
	after, err := p.afterMany(a.set, there, len(targets))
	if err != nil {
		return 0, false, err
	}
	for k := range targets {
		l := labels.At(k)
		if p.hidden(l) {
			continue
		}
		both := after[l] != nil
		if after == nil {
			both = slices.ContainsFunc(there, func(s lts.State) bool {
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
		o := after[l]
		if after == nil {
			o = &others{states: p.afterOne(there, l), set: noSet, lent: true}
		}
		if err := p.add(pair{one: t, from: i, label: l}, o); err != nil {
			return 0, false, err
		}
	}
	return 0, false, nil
}

// afterMany returns the states after each label from the states of a set, or from a single state; nil
// if they and the given number of transitions are so few that each label is looked up. It counts the
// transitions that it visits.
func (p *parter) afterMany(set int32, states []lts.State, transitions int) (map[lts.Label]*others, error) {
	if after := p.following[set]; after != nil && set != noSet {
		return after, p.work.spend(transitions)
	}
	looks := transitions
	for _, s := range states {
		_, row := p.g.Out(s)
		looks += len(row)
	}
	if err := p.work.spend(looks); err != nil {
		return nil, err
	}
	const few = 32 // the number of transitions that are examined for each label
	if looks <= few {
		return nil, nil
	}
	after := p.afterAll(states)
	if set == noSet {
		return after, nil
	}
	p.followed += looks
	if p.following == nil || p.followed > p.g.NumTransitions() {
		p.following = make(map[int32]map[lts.Label]*others)
		p.followed = looks
	}
	p.following[set] = after
	return after, nil
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

// afterAll returns, for each label, the targets of its transitions from some states.
func (p *parter) afterAll(states []lts.State) map[lts.Label]*others {
	after := make(map[lts.Label]*others)
	for _, s := range states {
		for l, t := range p.g.From(s) {
			if after[l] == nil {
				after[l] = &others{set: noSet}
			}
			after[l].states = append(after[l].states, t)
		}
	}
	for _, all := range after {
		slices.Sort(all.states)
		all.states = slices.Compact(all.states)
	}
	return after
}
