package enrich

import (
	"context"
	"math/bits"
	"runtime"
	"sync"

	"github.com/inev-lts/inev/internal/bitset"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
)

// leastAround is the number of states from which [FairSets.Around] looks at all, mostSweeps
// how often it goes through them in each direction of transitions, and mostLooks how often it
// looks at a state on the average. Up to fewBeside states another core is not worth it.
const (
	fewBeside   = 1 << 13
	leastAround = 1 << 12
	mostSweeps  = 64
	mostLooks   = 3
)

// Around reports whether the states, all of one component, hold a fair strongly connected set
// as [FairSets.In] yields them, where that is easily seen: the component around the state
// in the middle of them is fair. Most large components that have such a set are so. Where it
// reports false there may be others. It fails if the context is done, or if there is too little memory. What leads to a
// state, and what it leads to, are found in sweeps up and down through the numbers of states,
// of which few are enough where transitions lead to near numbers: a fraction of the time of a
// search in depth. Cost O(S + T); half a byte a state of the model, and 4 for each of these.
func (x *FairSets) Around(states []lts.State, hidden bitset.Set[lts.Label]) (bool, error) {
	return x.around(states, hidden, leastAround)
}

// around is [FairSets.Around] from another number of states on.
func (x *FairSets) around(states []lts.State, hidden bitset.Set[lts.Label], least int) (bool, error) {
	if x.f.Full() || len(states) < least {
		return false, nil
	}
	states, err := x.tasks.WithoutHidden(states, hidden)
	if err != nil || len(states) < least {
		return false, err
	}
	// Four sets of states, and the list of those that were met.
	n := int64(x.c.LTS().NumStates())
	if err := resources.Ask(x.ctx, 4*n/8+4*int64(len(states))); err != nil {
		return false, err
	}
	find := x.middle
	if runtime.GOMAXPROCS(0) > 1 && len(states) > fewBeside {
		find = x.middleBeside
	}
	met, err := find(states, hidden)
	if met == nil || err != nil {
		return false, err
	}
	set := make([]lts.State, 0, met.Len())
	for of := range met.All {
		set = append(set, of)
	}
	shows := func(_ lts.State, l lts.Label, _ lts.State) bool { return !hidden.Has(l) }
	if !x.tasks.Count(set, shows) {
		return false, nil
	}
	refined, given := x.tasks.Refine(set)
	return !given && len(refined) == len(set), nil
}

// middle returns the component around the state in the middle of some, nil if the sweeps are too
// many: what leads to the state and, of this, what it leads to.
func (x *FairSets) middle(states []lts.State, hidden bitset.Set[lts.Label]) (bitset.Set[lts.State], error) {
	s := newSweeps(x, hidden, states)
	s.add(states[len(states)/2])
	if err := s.back(); err != nil || !s.stable {
		return nil, err
	}
	s.left, s.met = s.met, bitset.New[lts.State](x.c.LTS().NumStates())
	s.add(states[len(states)/2])
	if err := s.forth(); err != nil || !s.stable {
		return nil, err
	}
	return s.met, nil
}

// middleBeside is [FairSets.middle] on two cores: what leads to a state, what it leads to, and then
// what does both. Where the one gives up, the other is stopped.
func (x *FairSets) middleBeside(states []lts.State, hidden bitset.Set[lts.Label]) (bitset.Set[lts.State], error) {
	back := newSweeps(x, hidden, states)
	ctx, stop := context.WithCancel(x.ctx)
	defer stop()
	back.ctx = ctx
	forth := *back
	forth.met = bitset.New[lts.State](x.c.LTS().NumStates())
	back.open = nil
	back.met.Add(states[len(states)/2])
	forth.add(states[len(states)/2])
	var done sync.WaitGroup
	done.Go(func() {
		if err := forth.forth(); err != nil || !forth.stable {
			stop()
		}
	})
	if err := back.back(); err != nil || !back.stable {
		stop()
	}
	done.Wait()
	if x.ctx.Err() != nil || !back.stable || !forth.stable {
		return nil, x.ctx.Err()
	}
	for i, word := range forth.met {
		back.met[i] &= word
	}
	return back.met, nil
}

// sweeps finds what leads to some states, or what these lead to, among those that are left.
type sweeps struct {
	*FairSets
	ctx       context.Context
	hidden    bitset.Set[lts.Label]
	left, met bitset.Set[lts.State]
	// open are states that were met, and from which it was not gone on.
	open bitset.Set[lts.State]
	// stable reports whether all has been met; looks is how many states may still be looked at
	// until then.
	stable bool
	looks  int
}

// newSweeps returns sweeps through some states, of which none was met.
func newSweeps(x *FairSets, hidden bitset.Set[lts.Label], states []lts.State) *sweeps {
	n := x.c.LTS().NumStates()
	s := &sweeps{x, x.ctx, hidden, bitset.New[lts.State](n), bitset.New[lts.State](n), bitset.New[lts.State](n), false, mostLooks * n}
	for _, of := range states {
		s.left.Add(of)
	}
	return s
}

func (s *sweeps) add(of lts.State) {
	s.met.Add(of)
	s.open.Add(of)
}

// back meets the states from which one leads that was met.
func (s *sweeps) back() error {
	s.stable = false
	for sweep := 0; sweep < mostSweeps && !s.stable; sweep++ {
		if s.ctx.Err() != nil {
			return s.ctx.Err()
		}
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
					return nil
				}
				if of := lts.State(64*at + bit); s.leads(of) {
					s.met.Add(of)
					s.stable = false
				}
			}
		}
	}
	return nil
}

// next returns the first bit of a word in the order of a sweep.
func next(word uint64, sweep int) int {
	if sweep&1 == 0 {
		return bits.Len64(word) - 1
	}
	return bits.TrailingZeros64(word)
}

// leads reports whether a state leads to one that was met.
func (s *sweeps) leads(of lts.State) bool {
	labels, targets := s.c.LTS().Out(of)
	for j, to := range targets {
		if s.met.Has(to) && !s.hidden.Has(labels.At(j)) {
			return true
		}
	}
	return false
}

// forth meets the states to which one leads that was met.
func (s *sweeps) forth() error {
	s.stable = false
	for sweep := 0; sweep < mostSweeps && !s.stable; sweep++ {
		if s.ctx.Err() != nil {
			return s.ctx.Err()
		}
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
	return nil
}

func (s *sweeps) goOn(of lts.State) {
	labels, targets := s.c.LTS().Out(of)
	for j, to := range targets {
		if s.left.Has(to) && !s.met.Has(to) && !s.hidden.Has(labels.At(j)) {
			s.add(to)
		}
	}
}
