package enrich

import (
	"context"
	"math/bits"
	"runtime"
	"sync"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
)

// leastAround is the smallest number of states for which [FairSets.Around]
// searches, mostSweeps how often it goes through them in each direction of
// transitions, and mostLooks how often it examines a state on the average. Up to
// fewBeside states another core is not worthwhile.
const (
	fewBeside   = 1 << 13
	leastAround = 1 << 12
	mostSweeps  = 64
	mostLooks   = 3
)

// Around reports whether states, ascending and all of one component, contain a
// fair strongly connected set as [FairSets.In] yields them, by a quick test:
// whether the component around the state in the middle of them is fair. That is
// so for most large components with a fair set. If it returns false there may
// still be a fair set. It fails if the context is done, or if there is too little
// memory. The predecessors and successors of a state, direct and indirect, are
// found in sweeps up and down through the numbers of states. If transitions lead
// to near numbers, few sweeps suffice, and take a fraction of the time of a
// search in depth. Cost O(S + T), shared by all cores if there are many states;
// half a byte a state of the model, and a byte a label for each of up to four
// cores.
func (x *FairSets) Around(states []lts.State, hidden bitset.Set[lts.Label]) (bool, error) {
	return x.around(states, hidden, leastAround)
}

// around is [FairSets.Around] with another smallest number of states.
func (x *FairSets) around(states []lts.State, hidden bitset.Set[lts.Label], least int) (is bool, err error) {
	defer abort.Caught(&err)
	if x.f.Full() || len(states) < least {
		return false, nil
	}
	workers := 1
	if len(states) > fewBeside {
		workers = min(runtime.GOMAXPROCS(0), mostCores)
	}
	model := x.c.LTS()
	need := 4*int64(model.NumStates())/8 + int64(workers+1)*int64(model.Alphabet().Len()) + int64(len(x.f.Tasks()))
	abort.On(resources.Ask(x.ctx, need))
	a := &around{FairSets: x, hidden: hidden, workers: workers}
	left := a.without(states)
	n := left.Len()
	if n < max(1, least) {
		return false, nil
	}
	find := x.middle
	if workers > 1 {
		find = x.middleBeside
	}
	visited := find(left, nth(left, n/2), hidden)
	abort.On(x.ctx.Err())
	return visited != nil && a.fair(visited), nil
}

// nth returns the n-th smallest member of a set, from 0.
func nth(set bitset.Set[lts.State], n int) lts.State {
	for i, word := range set {
		if in := bits.OnesCount64(word); n >= in {
			n -= in
			continue
		}
		for ; n > 0; n-- {
			word &= word - 1
		}
		return lts.State(64*i + bits.TrailingZeros64(word))
	}
	return 0
}

// middle returns the component of a state among the states that are left: those
// that reach it, restricted to those that it reaches. It returns nil if that
// takes too many sweeps, or if the context is done.
func (x *FairSets) middle(left bitset.Set[lts.State], of lts.State, hidden bitset.Set[lts.Label]) bitset.Set[lts.State] {
	s := newSweeps(x, hidden, left)
	s.add(of)
	if s.back(); !s.stable {
		return nil
	}
	s.left, s.met = s.met, bitset.New[lts.State](x.c.LTS().NumStates())
	s.add(of)
	if s.forth(); !s.stable {
		return nil
	}
	return s.met
}

// middleBeside is [FairSets.middle] on two cores: one searches backwards, one
// forwards, and the result is the intersection. If one gives up, the other is
// stopped.
func (x *FairSets) middleBeside(left bitset.Set[lts.State], of lts.State, hidden bitset.Set[lts.Label]) bitset.Set[lts.State] {
	back := newSweeps(x, hidden, left)
	ctx, stop := context.WithCancel(x.ctx)
	defer stop()
	back.ctx = ctx
	forth := *back
	forth.met = bitset.New[lts.State](x.c.LTS().NumStates())
	back.open = nil
	back.met.Add(of)
	forth.add(of)
	var done sync.WaitGroup
	done.Go(func() {
		if forth.forth(); !forth.stable {
			stop()
		}
	})
	if back.back(); !back.stable {
		stop()
	}
	done.Wait()
	if !back.stable || !forth.stable {
		return nil
	}
	for i, word := range forth.met {
		back.met[i] &= word
	}
	return back.met
}

// sweeps finds the states that reach some states, or that are reached from them,
// among those that are left.
type sweeps struct {
	*FairSets
	ctx       context.Context
	hidden    bitset.Set[lts.Label]
	left, met bitset.Set[lts.State]
	// open are the states in met whose successors were not added yet.
	open bitset.Set[lts.State]
	// stable reports whether met is complete, false once ctx is done; looks is how many more states may
	// be examined.
	stable bool
	looks  int
}

// newSweeps returns sweeps through the states that are left, with an empty set of
// found states.
func newSweeps(x *FairSets, hidden bitset.Set[lts.Label], left bitset.Set[lts.State]) *sweeps {
	n := x.c.LTS().NumStates()
	return &sweeps{x, x.ctx, hidden, left, bitset.New[lts.State](n), bitset.New[lts.State](n), false, mostLooks * n}
}

func (s *sweeps) add(of lts.State) {
	s.met.Add(of)
	s.open.Add(of)
}

// back adds to met the states that reach a state in met.
func (s *sweeps) back() {
	s.stable = false
	for sweep := 0; sweep < mostSweeps && !s.stable && s.ctx.Err() == nil; sweep++ {
		s.stable = true
		for k := range s.left {
			at := k
			if sweep&1 == 0 {
				at = len(s.left) - 1 - k
			}
			for word := s.left[at] &^ s.met[at]; word != 0; {
				bit := next(word, sweep)
				word &^= 1 << bit
				if s.looks--; s.looks < 0 {
					s.stable = false
					return
				}
				if of := lts.State(64*at + bit); s.leads(of) {
					s.met.Add(of)
					s.stable = false
				}
			}
		}
	}
}

// next returns the first bit of a word in the direction of a sweep.
func next(word uint64, sweep int) int {
	if sweep&1 == 0 {
		return bits.Len64(word) - 1
	}
	return bits.TrailingZeros64(word)
}

// leads reports whether a transition leads from a state to one in met.
func (s *sweeps) leads(of lts.State) bool {
	labels, targets := s.c.LTS().Out(of)
	for j, to := range targets {
		if s.met.Has(to) && !s.hidden.Has(labels.At(j)) {
			return true
		}
	}
	return false
}

// forth adds to met the states that are reached from a state in met.
func (s *sweeps) forth() {
	s.stable = false
	// During this search, met is inverted: it has the states not found yet, so
	// that each transition tests one bit.
	s.invert()
	defer s.invert()
	for sweep := 0; sweep < mostSweeps && !s.stable && s.ctx.Err() == nil; sweep++ {
		s.stable = true
		for k := range s.open {
			at := k
			if sweep&1 == 0 {
				at = len(s.open) - 1 - k
			}
			for s.open[at] != 0 {
				s.stable = false
				bit := next(s.open[at], sweep)
				s.open[at] &^= 1 << bit
				s.goOn(lts.State(64*at + bit))
			}
		}
	}
}

// invert replaces met by its complement in left.
func (s *sweeps) invert() {
	for i, word := range s.left {
		s.met[i] = word &^ s.met[i]
	}
}

func (s *sweeps) goOn(of lts.State) {
	labels, targets := s.c.LTS().Out(of)
	for j, to := range targets {
		if s.met.Has(to) && !s.hidden.Has(labels.At(j)) {
			s.met.Remove(to)
			s.open.Add(to)
		}
	}
}
