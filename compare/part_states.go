package compare

import (
	"context"
	"slices"

	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
)

// stateParter is [parter] for states instead of blocks, which need not be known then. Most pairs have one
// state on each side, and most states stand in one such pair.
type stateParter struct {
	d     *divided
	work  work
	pairs []statePair
	// sets are the others of pairs with more of them than one.
	sets [][]lts.State
	// first has for each state the first other that it was paired with alone, and visited the other
	// ones, and sets.
	first   []lts.State
	paired  bitset.Set[lts.State]
	visited map[lts.State][][]lts.State
	// after are the states that one label leads to.
	after []lts.State
}

// statePair is a state that a run may lead one version to, and those that it may lead the other version
// to: a state, or a set.
type statePair struct {
	one, other lts.State
	set        int32 // -1 if other is the only one
	from       int32
	label      lts.Label
}

// mostPairs is the number of pairs of states that are looked at.
const mostPairs = 1<<31 - 2

// partStates is [divided.part] without blocks, where nothing is hidden. It fails with errLimit beyond some
// times the size of the models: most versions part soon, or go on in step for as long as they have states.
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
	// A pair of the new version stands before a pair of the old version of the same depth.
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

// add adds a pair with others, ascending, unless one with some of these was visited.
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

// expand returns a label that the pair's state does and the others do not, and else adds the pairs
// after each label.
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
	const few = 32 // transitions that are looked through for each label
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

// do reports whether any of some states does a label.
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

// afterLabel returns the states that a label leads to from any of some states, ascending, until
// it is called again.
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

// afterAll returns the states that each label leads to from any of some states, ascending.
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

// run returns the labels of the run to a pair.
func (p *stateParter) run(i int32) []string {
	run := []string{}
	for ; p.pairs[i].from != noPair; i = p.pairs[i].from {
		run = append(run, p.d.m.Alphabet().Text(p.pairs[i].label))
	}
	slices.Reverse(run)
	return run
}
