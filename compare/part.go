package compare

import (
	"context"
	"errors"
	"slices"

	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
)

// errLimit reports that a search reached its limit.
var errLimit = errors.New("limit reached")

// work counts the transitions that a search may still visit.
type work struct {
	ctx  context.Context
	left int64
}

func (w *work) spend(n int) error {
	if w.left -= int64(n); w.left < 0 {
		return errLimit
	}
	if w.left&0xff == 0 {
		return w.ctx.Err()
	}
	return nil
}

// pair is a state of the search: the block that one version has reached by some run, and all blocks
// that the other version can have reached by a run with the same labels.
type pair struct {
	side   Side // the version of the block one
	one    lts.State
	others []lts.State // ascending
	// from is the index of the previous pair; the visible label leads from the previous pair to
	// this pair.
	from  int
	label lts.Label
}

const noPair = -1

// parter searches for a run of both versions after which only one can do some label. It decides
// inclusion of automata by antichains (De Wulf, Doyen, Henzinger, Raskin: Antichains, CAV 2006,
// section 3): of two pairs with the same block, it skips the pair with the larger set of others,
// which distinguishes less. It also skips a block in its own set: equivalent states have the same
// runs.
type parter struct {
	d       *divided
	g       *lts.LTS
	tau     lts.Label
	hides   bool
	work    work
	pairs   []pair
	visited map[visitedBlock][][]lts.State
}

type visitedBlock struct {
	side Side
	one  lts.State
}

// part returns a shortest run after which one version can do a label that the other cannot, from
// the given blocks; among shortest runs, it prefers one after which the new version can do more. It
// returns nil if the versions have the same runs, and errLimit if the search is not complete. Cost
// exponential in the number of blocks, but bounded.
func (d *divided) part(ctx context.Context, old, latest lts.State, limit int64) (*Parting, error) {
	p := &parter{d: d, g: d.q.LTS(), work: work{ctx, limit}, visited: make(map[visitedBlock][][]lts.State)}
	p.tau, p.hides = d.q.Tau()
	for _, begin := range []pair{{side: New, one: latest, others: []lts.State{old}}, {side: Old, one: old, others: []lts.State{latest}}} {
		begin.from = noPair
		if err := p.add(begin); err != nil {
			return nil, err
		}
	}
	// At each depth, pairs with a block of the new version come first.
	for i := 0; i < len(p.pairs); i++ {
		label, found, err := p.expand(i)
		if err != nil {
			return nil, err
		}
		if found {
			return &Parting{Run: p.run(i), Only: p.pairs[i].side, Label: p.g.Alphabet().Text(label)}, nil
		}
	}
	return nil, nil
}

// add adds a pair for each block that hidden transitions reach from a.one.
func (p *parter) add(a pair) error {
	others, err := p.closed(a.others)
	if err != nil {
		return err
	}
	ones, err := p.closed([]lts.State{a.one})
	if err != nil {
		return err
	}
	for _, one := range ones {
		if _, in := slices.BinarySearch(others, one); in {
			continue
		}
		at := visitedBlock{a.side, one}
		if slices.ContainsFunc(p.visited[at], func(smaller []lts.State) bool { return subset(smaller, others) }) {
			continue
		}
		if err := p.work.spend(len(others)); err != nil {
			return err
		}
		p.visited[at] = append(p.visited[at], others)
		next := a
		next.one, next.others = one, others
		p.pairs = append(p.pairs, next)
	}
	return nil
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

// closed returns the given states, and all that hidden transitions reach from them, ascending.
func (p *parter) closed(states []lts.State) ([]lts.State, error) {
	if !p.hides {
		return states, nil
	}
	in := make(map[lts.State]bool, len(states))
	for _, s := range states {
		in[s] = true
	}
	all := slices.Clone(states)
	for i := 0; i < len(all); i++ {
		labels, targets := p.g.Out(all[i])
		if err := p.work.spend(len(targets)); err != nil {
			return nil, err
		}
		for k, t := range targets {
			if labels.At(k) == p.tau && !in[t] {
				in[t] = true
				all = append(all, t)
			}
		}
	}
	slices.Sort(all)
	return all, nil
}

// expand returns a visible label that the block of a pair has and no block in the pair's others
// has; without such a label, it adds the pairs after each label.
func (p *parter) expand(i int) (lts.Label, bool, error) {
	a := p.pairs[i]
	after, err := p.after(a.others)
	if err != nil {
		return 0, false, err
	}
	labels, targets := p.g.Out(a.one)
	if err := p.work.spend(len(targets)); err != nil {
		return 0, false, err
	}
	for k := range targets {
		if l := labels.At(k); (!p.hides || l != p.tau) && after[l] == nil {
			return l, true, nil
		}
	}
	for k, t := range targets {
		l := labels.At(k)
		if p.hides && l == p.tau {
			continue
		}
		if err := p.add(pair{side: a.side, one: t, others: after[l], from: i, label: l}); err != nil {
			return 0, false, err
		}
	}
	return 0, false, nil
}

// after returns, for each visible label, the targets of its transitions from some blocks.
func (p *parter) after(states []lts.State) (map[lts.Label][]lts.State, error) {
	after := make(map[lts.Label][]lts.State)
	for _, s := range states {
		labels, targets := p.g.Out(s)
		if err := p.work.spend(len(targets)); err != nil {
			return nil, err
		}
		for k, t := range targets {
			if l := labels.At(k); !p.hides || l != p.tau {
				after[l] = append(after[l], t)
			}
		}
	}
	for l, all := range after {
		slices.Sort(all)
		after[l] = slices.Compact(all)
	}
	return after, nil
}

// run returns the labels of the run that leads to a pair.
func (p *parter) run(i int) []string {
	run := []string{}
	for ; p.pairs[i].from != noPair; i = p.pairs[i].from {
		run = append(run, p.g.Alphabet().Text(p.pairs[i].label))
	}
	slices.Reverse(run)
	return run
}

// stateParter is [parter] for states, so it needs no blocks. Most pairs have one state on each
// side, and most states occur in one such pair.
type stateParter struct {
	d     *divided
	work  work
	pairs []statePair
	// sets are the sets of more than one state on the other side of pairs.
	sets [][]lts.State
	// first has, for each state, the first single state with which it was paired; visited has all
	// other single states, and all sets, with which the state was paired.
	first   []lts.State
	paired  bitset.Set[lts.State]
	visited map[lts.State][][]lts.State
	// after is the last result of afterLabel, kept to reuse its memory.
	after []lts.State
}

// statePair is the state that one version has reached by some run, with the state, or set of
// states, that the other version can have reached.
type statePair struct {
	one, other lts.State
	set        int32 // the index in sets of the set of states; -1 if other is the single state
	from       int32
	label      lts.Label
}

// mostPairs is the largest number of pairs of a search.
const mostPairs = 1<<31 - 2

// partStates is [divided.part] without blocks, for models without hidden labels. It fails with
// errLimit once it has visited several times the size of the models: most versions differ soon, or
// have the same runs in all new states.
func (d *divided) partStates(ctx context.Context, limit int64) (*Parting, error) {
	if err := d.join(ctx); err != nil {
		return nil, err
	}
	n := d.m.NumStates()
	if err := resources.Ask(ctx, 4*int64(n)); err != nil {
		return nil, err
	}
	p := &stateParter{d: d, work: work{ctx, min(limit, 8*int64(d.m.NumTransitions()))}, visited: make(map[lts.State][][]lts.State)}
	p.first, p.paired = make([]lts.State, n), bitset.New[lts.State](n)
	old, latest := d.state(Old, d.old.Initial()), d.state(New, d.latest.Initial())
	p.add(statePair{one: latest, from: noPair}, []lts.State{old})
	p.add(statePair{one: old, from: noPair}, []lts.State{latest})
	// At each depth, pairs with a state of the new version come first.
	for i := 0; i < len(p.pairs); i++ {
		if i&(1<<12-1) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if len(p.pairs) >= mostPairs {
			return nil, errLimit
		}
		label, found, err := p.expand(int32(i))
		if err != nil {
			return nil, err
		}
		if found {
			side := Old
			if p.pairs[i].one >= d.state(New, 0) {
				side = New
			}
			return &Parting{Run: p.run(int32(i)), Only: side, Label: d.m.Alphabet().Text(label)}, nil
		}
	}
	return nil, nil
}

// add adds a pair with others, ascending, unless a pair with the same state and a subset of others
// was visited.
func (p *stateParter) add(a statePair, others []lts.State) {
	one := a.one
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

// expand returns a label that the state of a pair has and no state on the pair's other side has;
// without such a label, it adds the pairs after each label.
func (p *stateParter) expand(i int32) (lts.Label, bool, error) {
	a := p.pairs[i]
	others := []lts.State{a.other}
	if a.set >= 0 {
		others = p.sets[a.set]
	}
	labels, targets := p.d.m.Out(a.one)
	looks := len(targets)
	for _, s := range others {
		_, row := p.d.m.Out(s)
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
		if after == nil && !p.do(others, l) || after != nil && after[l] == nil {
			return l, true, nil
		}
	}
	for k, t := range targets {
		l := labels.At(k)
		there := after[l]
		if after == nil {
			there = p.afterLabel(others, l)
		}
		p.add(statePair{one: t, from: i, label: l}, there)
	}
	return 0, false, nil
}

// do reports whether a transition of one of the states has a label.
func (p *stateParter) do(states []lts.State, l lts.Label) bool {
	for _, s := range states {
		labels, targets := p.d.m.Out(s)
		for k := range targets {
			if labels.At(k) == l {
				return true
			}
		}
	}
	return false
}

// afterLabel returns the targets, ascending, of the transitions with a label from some states. The
// result is valid until the next call.
func (p *stateParter) afterLabel(states []lts.State, l lts.Label) []lts.State {
	p.after = p.after[:0]
	for _, s := range states {
		labels, targets := p.d.m.Out(s)
		for k, t := range targets {
			if labels.At(k) == l {
				p.after = append(p.after, t)
			}
		}
	}
	slices.Sort(p.after)
	p.after = slices.Compact(p.after)
	return p.after
}

// afterAll returns, for each label, the targets, ascending, of its transitions from some states.
func (p *stateParter) afterAll(states []lts.State) map[lts.Label][]lts.State {
	after := make(map[lts.Label][]lts.State)
	for _, s := range states {
		labels, targets := p.d.m.Out(s)
		for k, t := range targets {
			after[labels.At(k)] = append(after[labels.At(k)], t)
		}
	}
	for l, all := range after {
		slices.Sort(all)
		after[l] = slices.Compact(all)
	}
	return after
}

// run returns the labels of the run that leads to a pair.
func (p *stateParter) run(i int32) []string {
	run := []string{}
	for ; p.pairs[i].from != noPair; i = p.pairs[i].from {
		run = append(run, p.d.m.Alphabet().Text(p.pairs[i].label))
	}
	slices.Reverse(run)
	return run
}
