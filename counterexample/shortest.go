package counterexample

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
)

// Options say how a search goes about its work. The zero value is the default.
// They change nothing in a result that is a shortest one.
type Options struct {
	// Components are the components of the LTS, if they are known already. Otherwise they are found
	// when they have become worth their cost.
	Components *scc.Components
	// Fates, if they are known already, are the fates of model and property; if the property is no
	// chain, they have the product.
	Fates *fate.Map
	// Engine finds components.
	Engine scc.Engine
	// Limit, where it is greater than 0, ends the search after that many visits to
	// states, as Matched counts them, once it has found a counterexample.
	Limit int64
}

// Result is what a search found.
type Result struct {
	// Trace is nil if the property holds.
	Trace *Trace
	// Violated reports whether the property is violated: it may be known before any run is,
	// where the search fails.
	Violated bool
	// Minimal says where it is known that no counterexample is shorter.
	Minimal Minimality
	// Stats are what the search cost. The passes that find components and the states
	// on cycles are not counted.
	Stats Stats
}

// Stats count what a search for a counterexample does, as papers on searches report
// it: see package buchi.
type Stats struct {
	// Stored is the number of different places met: here pairs of a state and a
	// progress, in package buchi states of the automaton ("states stored").
	Stored int64 `json:"states_stored"`
	// Matched is the number of visits, first and repeated ones, to them and to the
	// states of the cycle searches ("states matched").
	Matched int64 `json:"states_matched"`
	// Found is the number of counterexamples found, each shorter than the one
	// before it.
	Found int `json:"counterexamples_found"`
	// Length is the number of states of the last one, with the state that closes its
	// loop counted twice; 0 if there is none.
	Length int `json:"length_in_states"`
}

// search looks for a counterexample to p in m with the fewest transitions that
// any has. It is always the same one: of those whose loop begins, or which end,
// at the state that is met first, the first in the order of the model. It
// fails if ctx is done; then the result holds what was known by then.
//
// A lasso with stem σ and cycle C violates the property iff, for some m that is
// at least the progress of σ, no label of C does step m+1. Hence the shortest
// lasso has length min over m and states s of D_m(s) + g_m(s), where D_m(s) is
// the length of a shortest path to s with progress at most m, and g_m(s) that
// of a shortest cycle through s without the labels of step m+1. The search goes
// breadth first over states and progress, which meets the states in the order
// of D_m, and from each looks for a cycle that would make a shorter lasso than
// the best one so far:
//
//   - a path that comes to a state later than another one, and with no less
//     progress, is dropped;
//   - a state whose cycles have been looked for at m takes no part in later
//     searches at m: a lasso through it is no shorter than the one that enters
//     its cycle there;
//   - it ends as soon as even a cycle of one transition would come too late;
//   - where the searches become dear, they begin at heads only: at states with a
//     transition from a state that is no nearer, which can be few;
//   - where that is dear, too, they begin at and pass only states of which distances
//     inside the model do not tell that all loops through them are too long;
//   - and where that is, they go forth and back from few states that all loops pass, or
//     begin at those heads only of which a search from 64 at once tells that they are worth it.
//
// Cycles are looked for without knowing anything of the model until that has cost
// about as much as deciding whether there is a counterexample, and then as its components,
// and then within components until it has cost
// about as much as finding, for each m, the states on cycles without the labels
// of step m+1.
//
// Cost O(n (S + T)) time where every cycle search is short, O(n F (S + T)) with F
// heads or states that separate others, which may be all states, in the worst case, a girth
// problem; 12 bytes for each visited pair of state and progress, 6 bytes and up to 5 n bits a
// state, 8 bytes for each head and m, 28 bytes a state where states are sifted, and about 60
// more where that is not enough. With a limit, O(n (S + T)) and that many visits.
func search(ctx context.Context, m *lts.LTS, p *property.Chain, o Options) (*Result, error) {
	s, err := newShortest(ctx, m, p, o)
	if err != nil {
		return &Result{}, err
	}
	err = s.run()
	r := &Result{Stats: s.stats(), Violated: s.best != infinite || s.decided && !s.holds}
	steps, loop, found, untold := s.steps()
	if !found {
		return r, cmp.Or(err, untold)
	}
	r.Minimal = ifShortest(!s.stopped && err == nil)
	r.Trace, untold = NewViolating(m, p.Property(), steps, loop)
	if untold != nil {
		return r, fmt.Errorf("counterexample: the search went wrong, please report it: %w", untold)
	}
	return r, err
}

// infinite stands for the length of a counterexample that has not been found.
const infinite = math.MaxInt

type shortest struct {
	*prefixes
	ctx     context.Context
	options Options

	// levels[d] is the number of the first node at distance d.
	levels  []int
	settled int // how many nodes were looked at, by all rounds
	// decided reports whether it is known that there is a counterexample or none, holds that there
	// is none; reached is how many states were met to find out.
	decided, holds bool
	reached        int
	bounded        *boundedSearch
	// strategies make the searches for loops cheaper, and escalation is what they know.
	strategies strategies
	escalation
	// cyclic[m] has the states on cycles without labels of step m+1; nil until that is worth its
	// cost.
	cyclic []bitset.Set[lts.State]

	// goal is what a run has to reach besides violating the property; nil if that is nothing.
	goal *goal

	best  int
	found int // how many counterexamples, each shorter than the one before it
	end   int // number of the node at which the best one ends or enters its loop
	cycle []lts.Transition
	// avoids is the m whose step m+1 the cycle avoids. backwards reports whether it was found
	// against the direction of transitions.
	avoids    int
	backwards bool
	// stopped reports whether the limit has ended the search.
	stopped bool
}

func newShortest(ctx context.Context, m *lts.LTS, p *property.Chain, o Options) (*shortest, error) {
	if err := resources.Ask(ctx, 6*int64(m.NumStates())); err != nil {
		return nil, err
	}
	s := &shortest{
		prefixes: newPrefixes(m, p), ctx: ctx, options: o,
		cyclic: make([]bitset.Set[lts.State], p.Len()),
		best:   infinite, escalation: escalation{patience: 4*m.NumTransitions() + 16, dearer: 2},
	}
	s.strategies = s.inOrder()
	s.bounded = newBoundedSearch(ctx, m, p)
	s.bounded.c = o.Components
	return s, nil
}

// run looks for counterexamples within a bound of transitions, and raises the bound until there is
// one. Without a bound, the search for a cycle from the first state would go through all of a model
// before it comes to the second state, which may have a short cycle. The bound rises by 1 for as
// long as that makes the work grow twofold, and faster otherwise, so that all rounds together cost
// a few times as much as the last one.
func (s *shortest) run() error {
	meter := progress.Start(s.ctx, "search", progress.States, 0)
	s.levels = []int{0}
	const first = 4
	last := 0
	s.bound = first
	for step := 1; ; {
		before := s.work()
		complete, next, err := s.round(meter)
		for err == nil && next == beginAnew {
			complete, next, err = s.round(meter)
		}
		if err != nil || s.holds {
			return err
		}
		if complete || s.stopped || s.best != infinite {
			return s.firstCycle()
		}
		work := s.work() - before
		if step = 2 * step; work >= 2*last {
			step = 1
		}
		last, s.done = work, s.bound
		if s.bound += step; s.goal != nil && s.dear() {
			s.bound = infinite
		}
		s.bounded.forget()
		s.inUse, s.separated, s.sifted = false, false, s.bounded.work
	}
}

// work is the cost of all rounds so far.
func (s *shortest) work() int {
	if s.sieve != nil {
		return s.settled + s.bounded.work + s.sieve.work
	}
	return s.settled + s.bounded.work
}

// round looks for a counterexample of at most as many transitions as the bound. It visits the
// nodes level by level: those of one level are at one distance from the initial
// state. It reports whether there is nothing that a larger bound could find, unless a strategy
// was taken with which the round has to begin anew.
func (s *shortest) round(meter *progress.Meter) (complete bool, next then, err error) {
	s.bounded.cut = false
	if s.heads != nil {
		if err := s.markTo(min(s.bound, s.best-1)); err != nil {
			return false, goOn, err
		}
		if s.heads.list.Len() == 0 && s.best == infinite {
			return s.headless(s.bound, meter), goOn, nil
		}
	}
	for distance := 0; distance < min(s.best, s.bound); distance++ {
		if distance == len(s.levels) {
			s.level()
		}
		first, end := s.levels[distance], s.nodes.Len()
		if distance+1 < len(s.levels) {
			end = s.levels[distance+1]
		}
		if first == end {
			return !s.bounded.cut, goOn, nil
		}
		for i := first; i < end; i++ {
			if s.settled++; s.settled&(1<<12-1) == 0 {
				if s.ctx.Err() != nil {
					return false, goOn, s.ctx.Err()
				}
				meter.Add(1 << 12)
			}
			if s.limit(); s.stopped {
				return false, goOn, nil
			}
			if next, err := s.settle(i, distance); err != nil || s.holds || next == beginAnew {
				return false, next, err
			}
		}
	}
	return false, goOn, nil
}

// level meets the nodes of the next level.
func (s *shortest) level() {
	first, end := s.levels[len(s.levels)-1], s.nodes.Len()
	s.levels = append(s.levels, end)
	for i := first; i < end; i++ {
		s.expand(i)
	}
}

// limit ends the search where it has a counterexample, and has cost what it may.
func (s *shortest) limit() {
	if s.options.Limit <= 0 || s.best == infinite {
		return
	}
	left := s.options.Limit - int64(s.nodes.Len()) - s.bounded.visits
	s.stopped = left <= 0
	s.bounded.limit(left)
}
