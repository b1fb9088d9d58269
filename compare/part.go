package compare

import (
	"context"
	"errors"
	"slices"

	"github.com/inev-lts/inev/lts"
)

// errLimit is the error of a search that was given up at its limit.
var errLimit = errors.New("limit reached")

// work counts what a search looks at.
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

// pair is a block that a run may lead one version to, and all blocks that it may lead the
// other version to.
type pair struct {
	side   Side // of one
	one    lts.State
	others []lts.State // ascending
	// How the search came here: from the pair with number from, by a visible label.
	from  int
	label lts.Label
}

const noPair = -1

// parter looks for a run of both versions after which one can do more, as inclusion of
// automata is decided by antichains (De Wulf, Doyen, Henzinger, Raskin: Antichains, CAV 2006,
// section 3): where a block is compared with a set, a larger set parts less. A block that
// is in the set itself parts nothing, for equivalent states have the same runs.
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

// part returns a shortest run after which one of the versions, which are in these blocks, can
// do a label that the other cannot; of several as short one after which the new version can
// do more. It returns nil if the versions have the same runs, and errLimit where that was not
// found out. Cost exponential in the number of blocks, but bounded.
func (d *divided) part(ctx context.Context, old, latest lts.State, limit int64) (*Parting, error) {
	p := &parter{d: d, g: d.q.LTS(), work: work{ctx, limit}, visited: make(map[visitedBlock][][]lts.State)}
	p.tau, p.hides = d.q.Tau()
	for _, begin := range []pair{{side: New, one: latest, others: []lts.State{old}}, {side: Old, one: old, others: []lts.State{latest}}} {
		begin.from = noPair
		if err := p.add(begin); err != nil {
			return nil, err
		}
	}
	// A pair of the new version stands before a pair of the old version of the same depth.
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

// add adds a pair for each block that its block reaches by hidden transitions.
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

// closed returns the states, ascending, with all that hidden transitions reach from them.
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

// expand returns a label that the pair's block does and the others do not, and else adds the
// pairs after each label.
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

// after returns the blocks that each visible label leads to from any of some blocks.
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

// run returns the labels of the run to a pair.
func (p *parter) run(i int) []string {
	run := []string{}
	for ; p.pairs[i].from != noPair; i = p.pairs[i].from {
		run = append(run, p.g.Alphabet().Text(p.pairs[i].label))
	}
	slices.Reverse(run)
	return run
}
