package counterexample

import (
	"context"
	"errors"
	"math"
	"math/bits"
	"runtime"
	"slices"
	"sort"
	"sync/atomic"
	"unsafe"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/contained"
	"github.com/inev-lts/inev/internal/counters"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/internal/pagedlist"
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
)

// Options are the options of a search. The zero value is the default. If the result is a shortest
// run, it does not depend on the options.
type Options struct {
	// Components are the components of the LTS, if they are known. Otherwise a search finds them as
	// soon as that pays.
	Components *scc.Components
	// Fates are the fates of model and property, if they are known. If the property is no chain,
	// they have the product.
	Fates *fate.Map
	// Engine is the algorithm that finds components.
	Engine scc.Engine
	// Prefixes makes a search count a bad prefix as a run of its own length, even if some
	// violations have no bad prefix. If all violations have one, a search finds a shortest bad
	// prefix in any case.
	Prefixes bool
	// Limit, if it is positive, ends the search after this number of visits to states
	// (Stats.Matched), but not before the search has found a counterexample.
	Limit int64
	// Within, if it is positive, is the largest number of transitions of the runs of interest. If the
	// property is a chain, the search ends as soon as it has found a counterexample of at most this
	// length, or knows that there is none. The result says nothing about longer runs: a found run
	// need not be a shortest one, and if none was found, Trace is nil and Violated may be false.
	// Searches for other properties ignore Within; searches for chains then ignore Limit.
	Within int
}

// Result is what a search for a shortest counterexample has found, and how much work it took.
type Result struct {
	// Trace is nil if the property holds.
	Trace *Trace
	// Violated reports whether the property is violated. If the search fails, this may be known
	// although no run was found.
	Violated bool
	// Minimal is the set of runs among which Trace is known to be a shortest counterexample.
	Minimal Minimality
	// Stats are the costs of the search, without the costs of finding components, and of finding
	// the states on cycles.
	Stats Stats
}

// Stats are the counts of a search for a counterexample, as papers on searches report them: see
// package buchi.
type Stats struct {
	// Stored is the number of different nodes visited: here pairs of a state and a progress, in
	// package buchi states of the automaton ("states stored").
	Stored int64 `json:"states_stored"`
	// Matched is the number of visits to nodes and to the states of the cycle searches, where each
	// repeated visit counts ("states matched").
	Matched int64 `json:"states_matched"`
	// Found is the number of counterexamples found, each shorter than the previous one.
	Found int `json:"counterexamples_found"`
	// Length is the number of states of the last counterexample, where the state that closes its
	// loop counts twice; 0 without a counterexample.
	Length int `json:"length_in_states"`
}

// shortest searches for a counterexample in m with the fewest transitions. The result is always the
// same: of the shortest counterexamples that end at the state that is visited first, or whose loop
// begins there, it is the first in the order of the model. It fails if ctx is done; then the result
// has what was known by then.
//
// A lasso with stem σ and cycle C violates the property iff, for some m that is at least the
// progress of σ, no label of C does step m+1. Hence the shortest lasso has length min over m and
// states s of D_m(s) + g_m(s), where D_m(s) is the length of a shortest path to s with progress at
// most m, and g_m(s) that of a shortest cycle through s without the labels of step m+1. The search
// goes breadth first over states and progress, which meets the states in the order of D_m, and from
// each searches for a cycle that would make a shorter lasso than the best one so far:
//
//   - a path that reaches a state later than another path, and with no less
//     progress, is dropped;
//   - a state from which cycles were searched for m takes no part in later
//     searches for this m: a lasso through it is no shorter than the lasso that enters
//     its cycle there;
//   - the search ends as soon as even a cycle of one transition would be too late;
//   - if the searches become expensive, they begin at heads only: at states with a
//     transition from a state that is no nearer, which can be few;
//   - if that is expensive, too, they leave out the states all of whose loops are
//     too long, as distances inside the model show;
//   - and if that is expensive, they go forth and back from few states that all loops pass, or
//     one search from 64 heads at once finds those heads that are worth a search of their own.
//
// The first searches for cycles do not use components, until they have cost about as much as
// deciding whether there is a counterexample, and then about as much as finding the components.
// Later searches stay within components, until they have cost about as much as finding, for each m,
// the states on cycles without the labels of step m+1.
//
// Cost O(n (S + T)) time if every cycle search is short. In the worst case, a girth problem, it is
// O(n F (S + T)) with F heads or states that separate others, which may be all states. Memory: 12
// bytes for each visited pair of state and progress, 6 bytes and up to 5 n bits a state, 8 bytes
// for each head and m, 28 bytes a state if states are sifted, and about 60 more if that is not
// enough. With a limit, the time is O(n (S + T)) and that many visits.
func (h chainHalf) shortest(ctx context.Context, m *lts.LTS, o Options, r *Result) {
	s := newShortest(ctx, m, h.p, o)
	err := abort.Try(s.run)
	defer abort.On(err) // instead of an error about the run found until then
	stored := int64(max(s.nodes.Len(), s.reached))
	*r = Result{
		Stats: Stats{
			Stored:  stored,
			Matched: stored + s.bounded.visits,
			Found:   s.found,
		},
		Violated: s.best != infinite || s.decided && !s.holds,
	}
	if s.best != infinite {
		r.Stats.Length = s.best + 1
	}
	if o.Within > 0 && s.best > o.Within {
		return
	}
	steps, loop, found := s.steps()
	if found {
		r.Minimal = ifShortest(!s.stopped && err == nil)
		r.Trace = violating("the search", m, h.p.Property(), steps, loop)
	}
}

// infinite is the length of a counterexample that has not been found.
const infinite = math.MaxInt

type shortest struct {
	*prefixes
	ctx     context.Context
	options Options

	// levels[d] is the number of the first node at distance d.
	levels  []int
	settled int // the number of nodes searched from, in all rounds
	// decided reports whether the search knows if there is a counterexample. holds reports whether
	// it knows that there is none. reached is the number of states that it visited to find this
	// out.
	decided, holds bool
	reached        int
	bounded        *boundedSearch
	escalation
	// cyclic[m] are the states on cycles without labels of step m+1; nil as long as finding them
	// does not pay.
	cyclic []bitset.Set[lts.State]

	// goal is a pattern that the run must complete; nil without one.
	goal *goal

	best  int
	found int // the number of counterexamples, each shorter than the previous one
	end   int // the number of the node where the best counterexample ends or enters its loop
	cycle []lts.Transition
	// avoids is the number m such that the cycle avoids step m+1. backwards reports whether a
	// backward search found the cycle.
	avoids    int
	backwards bool
	// stopped reports whether the limit ended the search.
	stopped bool
}

// newShortest prepares the search for a shortest counterexample of a chain. It asks for the memory of its
// tables.
func newShortest(ctx context.Context, m *lts.LTS, p *property.Chain, o Options) *shortest {
	abort.On(resources.Ask(ctx, 6*int64(m.NumStates())))
	if o.Within > 0 {
		o.Limit = 0 // a longer counterexample that was found first must not end the search
	}
	s := &shortest{
		prefixes: &prefixes{m: m, p: p, missing: make([]uint16, m.NumStates())},
		ctx:      ctx,
		options:  o,
		bounded: &boundedSearch{
			ctx:      ctx,
			m:        m,
			c:        o.Components,
			p:        p,
			seen:     make([]uint32, m.NumStates()),
			finished: make([]bitset.Set[lts.State], p.Len()),
		},
		cyclic:     make([]bitset.Set[lts.State], p.Len()),
		levels:     []int{0},
		best:       infinite,
		escalation: escalation{patience: 4*m.NumTransitions() + 16, dearer: 2},
	}
	s.restart()
	return s
}

// run searches for counterexamples within a bound of transitions, and raises the bound until there
// is one. Without a bound, the search for a cycle from the first state could visit the whole model
// before the second state, which may have a short cycle. The bound grows by 1 if a round costs at
// least twice as much as the round before, and by a growing step otherwise. So all rounds together
// cost a few times as much as the last one.
func (s *shortest) run() {
	meter := progress.Start(s.ctx, "search", progress.States, 0)
	s.bound = 4
	if s.options.Within > 0 {
		s.bound = s.options.Within + 1 // a round visits only the deadlocks that are nearer than its bound
	}
	step := 1
	lastWork := 0
	for {
		workBefore := s.work()
		complete, anew := s.round(meter)
		for anew {
			complete, anew = s.round(meter)
		}
		if s.holds {
			return
		}
		if complete || s.stopped || s.best != infinite {
			s.takeFirstLoop()
			return
		}
		if s.options.Within > 0 && s.bound > s.options.Within {
			return
		}
		work := s.work() - workBefore
		step = 2 * step
		if work >= 2*lastWork {
			step = 1
		}
		lastWork = work
		s.raiseBound(step)
	}
}

// takeFirstLoop replaces a loop that a backward search has found by the first loop in the order of
// the model. The search for it need not avoid the states whose cycles were searched for before: no
// loop of this length passes such a state, since the lasso that begins its loop there would have
// been found.
func (s *shortest) takeFirstLoop() {
	if !s.backwards || s.cycle == nil || s.goal != nil || s.stopped {
		return
	}
	start := s.nodes.At(s.end).state
	onCycle := s.cyclic[s.avoids]
	mayPass := func(t lts.State) bool {
		return s.bounded.together(start, t) && (onCycle == nil || onCycle.Has(t))
	}
	s.bounded.most = 0
	s.cycle = s.bounded.forwards(pathQuery{
		start:  start,
		end:    start,
		avoids: s.avoids,
		radius: len(s.cycle),
		passes: mayPass,
	})
}

// raiseBound prepares the next round.
func (s *shortest) raiseBound(step int) {
	s.done = s.bound
	s.bound += step
	if s.goal != nil && s.visitPays() {
		s.bound = infinite
	}
	s.bounded.forget()
	s.inUse = false
	s.separated = false
	s.sifted = s.bounded.work
}

// work returns the cost of all rounds so far.
func (s *shortest) work() int {
	if s.sieve != nil {
		return s.settled + s.bounded.work + s.sieve.work
	}
	return s.settled + s.bounded.work
}

// round searches for a counterexample with at most as many transitions as the bound. It visits the
// nodes level by level: a level has the nodes at one distance from the initial state. complete
// reports whether no larger bound can find a counterexample. anew reports whether the round must be
// repeated from the initial state: [shortest.escalate] has then taken a step that changes where searches
// begin, or that narrows the bound.
func (s *shortest) round(meter *progress.Meter) (complete, anew bool) {
	s.bounded.cut = false
	if s.heads != nil {
		s.markTo(min(s.bound, s.best-1))
		if s.heads.list.Len() == 0 && s.best == infinite {
			return s.takeDeadlock(meter), false
		}
	}
	for distance := 0; distance < min(s.best, s.bound); distance++ {
		if distance == len(s.levels) {
			s.addLevel()
		}
		first := s.levels[distance]
		end := s.nodes.Len()
		if distance+1 < len(s.levels) {
			end = s.levels[distance+1]
		}
		if first == end {
			return !s.bounded.cut, false
		}
		for i := first; i < end; i++ {
			s.settled++
			if s.settled&(1<<12-1) == 0 {
				abort.On(s.ctx.Err())
				meter.Add(1 << 12)
			}
			s.applyLimits()
			if s.stopped {
				return false, false
			}
			anew = s.settle(i, distance)
			if s.holds || anew {
				return false, anew
			}
		}
	}
	return false, false
}

// applyLimits stops the search if a limit of the options is reached, and limits the next search for a loop.
func (s *shortest) applyLimits() {
	if s.options.Limit > 0 && s.best != infinite {
		visitsLeft := s.options.Limit - int64(s.nodes.Len()) - s.bounded.visits
		s.stopped = visitsLeft <= 0
		s.bounded.most = s.bounded.visits + visitsLeft
	}
	if s.best <= s.options.Within {
		s.stopped = true
	}
}

// takeDeadlock ends a round in which no loop can begin, so that every violating run ends in a
// deadlock. The search for heads has found the nearest deadlock. complete reports whether no larger
// bound can find a counterexample.
func (s *shortest) takeDeadlock(meter *progress.Meter) (complete bool) {
	nodes := s.nodes.Len()
	lastLevel := len(s.levels) - 1
	complete = lastLevel < s.bound && s.levels[lastLevel] == nodes
	if s.bound <= lastLevel {
		nodes = s.levels[s.bound]
	}
	s.settled += nodes
	meter.Add(int64(nodes))
	dead := s.heads.dead
	if dead >= 0 {
		distance := sort.SearchInts(s.levels, dead+1) - 1
		s.improve(distance, dead, nil)
	}
	return complete
}

// addLevel adds the nodes of the next level.
func (s *shortest) addLevel() {
	first := s.levels[len(s.levels)-1]
	end := s.nodes.Len()
	s.levels = append(s.levels, end)
	for i := first; i < end; i++ {
		from := *s.nodes.At(i)
		labels, targets := s.m.Out(from.state)
		for j, t := range targets {
			s.meet(t, i, s.p.Advance(int(from.progress), labels.At(j)))
		}
	}
}

// beginning is a node where a loop without labels of step m+1 may begin; most is the largest number
// of transitions of a lasso of interest.
type beginning struct {
	node, distance int
	state          lts.State
	m, most        int
}

// escalation has the means that make the searches for loops cheaper, see [shortest.escalate].
type escalation struct {
	// heads is nil as long as searches for loops begin in all states.
	heads *heads
	// sieve is nil until searches from heads are expensive. inUse reports whether the sieve was
	// sifted in this round. sifted is the work at that time, or at the beginning of the round, and
	// patience is the additional work of searches after which the sieve is sifted.
	sieve            *sieve
	inUse            bool
	sifted, patience int
	// tried reports whether separators were searched since the last sifting. separated reports
	// whether searches from separators have found all loops of this round. dearer is the assumed
	// cost of a search from a separator, in units of a search from a head.
	tried, separated bool
	dearer           int
	// together is nil until one search starts from many heads or separators. searched is the number
	// of the last search at the time of the last sifting.
	together *together
	searched uint32
	// bound is the bound of the round, done the bound of the previous round.
	bound, done int
}

// escalate makes the searches for loops cheaper once they are expensive. It takes the steps below
// in their order. It takes a step, perhaps again, once the searches have cost so much that the step
// pays. It reports whether the round must be repeated. After each step, the searches begin only at
// the following states:
//
//   - heads: states with a transition from a state that is no nearer;
//   - a [decision]: none if there is no counterexample at all, otherwise the states of few components;
//   - a [sieve]: states that may lie on a short loop, by distances inside the model;
//   - [separators]: none, since they find the loop by searches from few states that all loops pass.
//
// After that, a search from 64 heads at once finds those that begin no short loop, see [together].
func (s *shortest) escalate(at beginning) (anew bool) {
	if s.heads == nil && s.goal == nil && s.visitPays() {
		s.bounded.forget()
		s.seekHeads()
		return true
	}
	if s.decisionPays() {
		s.decide()
		if s.holds {
			return false
		}
	}
	needsSieve := !s.inUse || at.most < s.sieve.bound
	if needsSieve && s.siftingPays(at.m) {
		anew = s.useSieve(at.most)
		if anew {
			return true
		}
	}
	if s.inUse && !s.tried && s.siftingPays(at.m) {
		s.tried = true
		s.separated = s.separate(at.most)
	}
	return false
}

// decisionPays reports whether the searches from heads have cost so much that it pays to decide
// first whether there is any counterexample.
func (s *shortest) decisionPays() bool {
	if s.heads == nil || s.decided || s.best != infinite || s.options.Components != nil {
		return false
	}
	return s.bounded.work-s.bounded.workBeforeHeads > s.m.NumTransitions()/4+16
}

// decide finds out whether there is a counterexample, see [decision].
func (s *shortest) decide() {
	d := &decision{shortest: s, worthPasses: worthPasses, atOnce: atOnce}
	// On one core, removing states before it is known which are reachable would only add work for
	// unreachable states.
	if s.m.NumTransitions() >= worthAhead && runtime.GOMAXPROCS(0) > 1 {
		d.second = d.ahead
	}
	d.decide()
}

// useSieve sifts the states for lassos of at most the given number of transitions. As long as no
// counterexample is known, it narrows the bound of the round. anew reports whether the round must
// then be repeated.
func (s *shortest) useSieve(most int) (anew bool) {
	if s.sieve == nil {
		s.sieve = newSieve(s)
	}
	anew = s.best == infinite
	if anew {
		s.bounded.forget()
		s.bound = s.sieve.narrow(s.done+1, s.bound)
	} else {
		s.sieve.sift(most)
	}
	s.inUse = true
	s.tried = false
	s.sifted = s.bounded.work
	s.searched = s.bounded.search
	s.together.forget()
	return anew
}

// skips reports whether it is known that no relevant loop begins at the node.
func (s *shortest) skips(at beginning) bool {
	switch {
	case !s.heads.areWanted(at.state, at.m):
		return true
	case !s.inUse:
		return false
	case !s.sieve.kept[at.m].Has(at.state):
		s.bounded.cut = s.bounded.cut || s.sieve.cut
		return true
	case !s.tried:
		return false
	}
	s.newTogether()
	x := s.together
	if at.node >= x.fruitless[at.m].until && !x.separateIsCheaper {
		x.findFruitless(at)
	}
	fruitless := at.node < x.fruitless[at.m].until && x.fruitless[at.m].heads.Has(at.state)
	s.bounded.cut = s.bounded.cut || fruitless
	return fruitless
}

// visitPays reports whether the searches for loops have cost so much that a visit to the whole model
// pays.
func (s *shortest) visitPays() bool { return s.bounded.work > s.m.NumTransitions()/4+16 }

// siftingPays reports whether the searches from heads have cost more than sifting costs, since the
// round began or the sieve was last sifted.
func (s *shortest) siftingPays(m int) bool {
	return s.heads != nil && s.cyclic[m] != nil && s.bounded.work-s.sifted > s.patience
}

// heads are the states where the loop of a shortest lasso can begin. For each m, these are the
// states w with a transition from some u that avoids step m+1, where D_m(u) is at least D_m(w); if
// components are known, u and w are in the same component. A lasso that takes this transition has
// at least D_m(u)+1 transitions (docs/semantics.md, Theorem 3).
//
// At all times every head with a transition from a state u with D_m(u) < marked is known, and its
// level in list is the least such D_m(u).
type heads struct {
	// candidates[m] are the heads for m where the loop of a lasso shorter than the best known lasso may
	// begin.
	candidates []bitset.Set[lts.State]
	// hopeless[m] are the heads from which a complete search has found nothing.
	hopeless []bitset.Set[lts.State]
	// list has the heads by ascending D_m(u). The heads with D_m(u) = d begin at begins[d].
	list   pagedlist.List[head]
	begins []int
	marked int // the number of levels whose transitions were visited
	dead   int // the number of the first node of these levels whose state is a deadlock; -1 for none
}

type head struct {
	state lts.State
	m     uint16
}

// seekHeads makes all further rounds search for loops from heads only. It begins the breadth-first
// search again, since a head depends on distances that are known only during this search.
func (s *shortest) seekHeads() {
	const sets = 3 // candidates, hopeless, and the finished states
	n := s.m.NumStates()
	abort.On(resources.Ask(s.ctx, 8*int64(sets)*int64(s.p.Len())*int64(bitset.Words(n))))
	h := &heads{
		candidates: make([]bitset.Set[lts.State], s.p.Len()),
		hopeless:   make([]bitset.Set[lts.State], s.p.Len()),
		dead:       -1,
	}
	for m := range h.candidates {
		h.candidates[m] = bitset.New[lts.State](n)
		h.hopeless[m] = bitset.New[lts.State](n)
	}
	s.heads = h
	s.bounded.fromHeads = true
	s.bounded.workBeforeHeads = s.bounded.work
	s.prefixes.restart()
	s.levels = s.levels[:1]
}

// markTo finds the heads among the targets of the states whose distance is below bound.
func (s *shortest) markTo(bound int) {
	h := s.heads
	for ; h.marked < bound; h.marked++ {
		if h.marked == len(s.levels) {
			s.addLevel()
		}
		first := s.levels[h.marked]
		end := s.nodes.Len()
		if first == end {
			return
		}
		h.begins = append(h.begins, h.list.Len())
		abort.On(resources.Ask(s.ctx, int64(end-first)*int64(unsafe.Sizeof(head{}))))
		for i := first; i < end; i++ {
			abort.IfDone(s.ctx, i)
			transitions := s.mark(s.nodes.At(i))
			if transitions == 0 && h.dead < 0 {
				h.dead = i
			}
		}
	}
}

// mark finds the heads among the targets of a node of the last level, and returns the number of its
// transitions. It must be called before the next level is added, while least shows which states are
// at most as far away.
func (s *shortest) mark(from *node) int {
	labels, targets := s.m.Out(from.state)
	for j, t := range targets {
		least := s.least(t)
		isNoFarther := least <= from.upTo // for some m of the node
		if !isNoFarther || !s.bounded.together(from.state, t) {
			continue
		}
		for m := max(from.progress, least); m <= from.upTo; m++ {
			if s.cyclic[m] != nil && !s.cyclic[m].Has(t) {
				continue
			}
			if !s.heads.candidates[m].Has(t) && !s.p.Does(labels.At(j), int(m)+1) {
				s.heads.candidates[m].Add(t)
				s.heads.list.Append(head{t, m})
			}
		}
	}
	return len(targets)
}

// areWanted reports whether loops that begin in a state, and avoid step m+1, must be searched for.
func (h *heads) areWanted(state lts.State, m int) bool {
	return h == nil || h.candidates[m].Has(state) && !h.hopeless[m].Has(state)
}

// settle searches for the shortest counterexample within the bound that ends at node i, or whose
// loop begins there. It reports whether the round must be repeated.
func (s *shortest) settle(i, distance int) (anew bool) {
	at := *s.nodes.At(i)
	if s.m.IsDeadlock(at.state) {
		if distance < s.best && s.goal.reached(at.state) {
			s.improve(distance, i, nil)
		}
		return false
	}
	if s.liesOnNoCycle(at.state) {
		return false
	}
	for m := int(at.progress); m <= int(at.upTo); m++ {
		mayImprove := distance+1 < s.best && !s.separated
		if !mayImprove {
			break
		}
		// This test comes first, because it is enough for most states.
		if !s.heads.areWanted(at.state, m) {
			s.bounded.finish(at.state, m)
			continue
		}
		from := beginning{
			node:     i,
			distance: distance,
			state:    at.state,
			m:        m,
			most:     min(s.bound, s.best-1),
		}
		err := abort.Try(func() { anew = s.searchLoop(from) })
		switch {
		case errors.Is(err, errLimit):
			s.stopped = true
			return false
		case errors.Is(err, errSpent):
			s.bounded.forget()
			s.seekHeads()
			return true
		default:
			abort.On(err)
		}
		if anew || s.holds {
			return anew
		}
	}
	return false
}

// liesOnNoCycle reports whether the components show that no loop begins in a state.
func (s *shortest) liesOnNoCycle(state lts.State) bool {
	components := s.bounded.c
	if components == nil || s.goal != nil {
		return false
	}
	component, reached := components.Of(state)
	return !reached || !components.IsCyclic(component)
}

// searchLoop searches for the shortest loop that begins where the run to a node ends. It reports whether
// the round must be repeated.
func (s *shortest) searchLoop(from beginning) (anew bool) {
	anew = s.escalate(from)
	if anew || s.holds || s.separated {
		return anew
	}
	if s.skips(from) {
		s.bounded.finish(from.state, from.m)
		return false
	}
	// Only a loop that makes a shorter lasso than the best one so far is of interest.
	radius := infinite
	if from.most < infinite-1 {
		radius = from.most - from.distance
	}
	wasCut := s.bounded.cut
	s.bounded.cut = s.inUse && s.sieve.cut
	cycle := s.closeLoop(from.state, from.m, radius)
	if cycle != nil {
		s.improve(from.distance+len(cycle), from.node, cycle)
		s.avoids = from.m
		s.backwards = s.bounded.backwards
	} else if s.heads != nil && !s.bounded.cut {
		s.heads.hopeless[from.m].Add(from.state)
	}
	s.bounded.cut = s.bounded.cut || wasCut
	return false
}

// improve makes the run to node i, with the cycle from there, the best counterexample.
func (s *shortest) improve(length, i int, cycle []lts.Transition) {
	s.best = length
	s.end = i
	s.cycle = cycle
	s.found++
	// Heads at this distance, or farther away, begin no loop of a shorter lasso.
	h := s.heads
	if h != nil && length-1 < len(h.begins) {
		keep := h.begins[max(0, length-1)]
		for i := keep; i < h.list.Len(); i++ {
			at := h.list.At(i)
			h.candidates[at.m].Remove(at.state)
		}
		h.list.Truncate(keep)
		h.begins = h.begins[:max(0, length-1)]
	}
}

// closeLoop returns a shortest loop of at most radius transitions from a state, without labels of
// step m+1. It returns nil if there is none, or if an earlier search has found a loop that makes a
// shorter counterexample.
func (s *shortest) closeLoop(state lts.State, m, radius int) []lts.Transition {
	end, closes := s.goal.closing(state)
	if !closes {
		return nil
	}
	if end != state {
		isInSameComponent := func(t lts.State) bool {
			return s.goal.model.Same(s.goal.unfolding.At(state).State, s.goal.unfolding.At(t).State)
		}
		return s.bounded.shortestPath(pathQuery{
			start:  state,
			end:    end,
			avoids: m,
			radius: radius,
			passes: isInSameComponent,
		})
	}
	// The states on cycles for m are found last. Before that, cheaper answers are tried: a search for the
	// loop within its budget and, once the components are known, that the component of the state has no
	// cycle.
	for s.cyclic[m] == nil {
		if s.isInAcyclicComponent(state) {
			return nil
		}
		cycle, isDecided := s.closeCheaply(state, m, radius)
		if isDecided {
			return cycle
		}
		if s.bounded.c == nil {
			s.bounded.c = abort.Must(scc.Find(s.ctx, s.m, s.options.Engine))
		} else {
			s.onCycle(m)
		}
	}
	if !s.cyclic[m].Has(state) {
		return nil
	}
	if s.inUse {
		return s.bounded.shortestCycle(state, m, radius, s.sieve.kept[m])
	}
	return s.bounded.shortestCycle(state, m, radius, s.cyclic[m])
}

// isInAcyclicComponent reports whether the components are known, and that of a state has no cycle.
func (s *shortest) isInAcyclicComponent(state lts.State) bool {
	components := s.bounded.c
	if components == nil {
		return false
	}
	component, _ := components.Of(state)
	return !components.IsCyclic(component)
}

// closeCheaply searches for a shortest loop from a state within the budget of searches. isDecided is false
// if the budget is spent. If heads are not known, closeCheaply then fails with errSpent, so that the caller
// begins to search from heads.
func (s *shortest) closeCheaply(state lts.State, m, radius int) (cycle []lts.Transition, isDecided bool) {
	if s.bounded.spent() {
		return nil, false
	}
	err := abort.Try(func() {
		cycle = s.bounded.shortestCycle(state, m, radius, nil)
	})
	isLeftToCaller := s.heads == nil && s.goal == nil
	if errors.Is(err, errSpent) && !isLeftToCaller {
		return nil, false
	}
	abort.On(err)
	return cycle, true
}

// onCycle returns the states on cycles without labels of step m+1.
func (s *shortest) onCycle(m int) bitset.Set[lts.State] {
	if s.cyclic[m] == nil {
		s.cyclic[m] = abort.Must(s.bounded.c.OnCycle(s.ctx, func(l lts.Label) bool {
			return s.p.Does(l, m+1)
		}))
	}
	return s.cyclic[m]
}

// steps returns the steps of the best counterexample, and the index where its loop begins; found is
// false if there is none. It asks for the memory of the steps and of the [Trace].
func (s *shortest) steps() (steps []lts.Transition, loop int, found bool) {
	if s.best == infinite {
		return nil, noLoop, false
	}
	const inTrace = 8
	abort.On(resources.Ask(s.ctx,
		int64(s.best)*(int64(unsafe.Sizeof(lts.Transition{}))+inTrace)))
	steps = make([]lts.Transition, s.best)
	stem := s.best - len(s.cycle)
	at := s.nodes.At(s.end)
	for i := stem; i > 0; i-- {
		before := s.nodes.At(int(at.parent))
		steps[i-1] = s.firstStep(before, at)
		at = before
	}
	copy(steps[stem:], s.cycle)
	if s.cycle == nil {
		return steps, noLoop, true
	}
	return steps, stem, true
}

// firstStep returns the first transition in the model that leads from one node to another, with the
// right progress.
func (s *shortest) firstStep(from, to *node) lts.Transition {
	labels, targets := s.m.Out(from.state)
	for j, t := range targets {
		hasProgress := s.p.Advance(int(from.progress), labels.At(j)) == int(to.progress)
		if t == to.state && hasProgress {
			return lts.Transition{From: from.state, Label: labels.At(j), To: t}
		}
	}
	return lts.Transition{}
}

// decision finds out whether there is any counterexample, which is far cheaper than to find a
// shortest one, and needs no components. For each m, it decides whether the states that runs reach
// with progress at most m have a cycle without labels of step m+1. They have none iff all of them
// can be removed one by one. A state can be removed when no transition without these labels leads
// from it to a remaining state, or when none leads from a remaining state to it. For the second
// case, transitions are counted once passes over the rows no longer pay. A pass removes states for
// as many m at once as a byte has bits.
//
// Searches visit the states in ascending order. They return only to states that are found after the
// search has passed them, so in most models few states wait.
type decision struct {
	*shortest
	// least[s] is the least progress of the runs that reach s; n if every run that reaches s has
	// done all steps, or if s is unreachable.
	least leastProgress
	// first is the smallest current m. Bit i of remaining[s] is set if s remains for m = first+i.
	// Bit i of avoids[l] is set if l does not do step m+1 for this m.
	first     int
	remaining remainingStates
	avoids    []uint8
	// removedAhead reports whether states were removed before it was known which are reachable.
	removedAhead bool
	// open are the states that remained at the end for some m.
	open bitset.Set[lts.State]
	// entering has, for each state, the number of transitions to it from remaining states; nil if
	// nothing has been counted.
	entering *counters.Counters
	// now and next are states to which the search returns: those found before the current pass, and
	// during it.
	now, next []lts.State
	// worthPasses and atOnce are the constants of these names, except in tests.
	worthPasses, atOnce int
	// second is [decision.ahead], which starts to remove states on a second core while this core
	// finds the least progress of all states. It is nil if the search uses one core.
	second func() (stop func())
}

// worthPasses limits passes that remove little less than the pass before did. Once such passes have
// visited all transitions worthPasses times, transitions are counted instead.
const worthPasses = 3

// atOnce is the number of values of m for which states are removed at once: the bits of a byte.
const atOnce = 8

// decide finds out whether no run violates the property, and for which m no loop violates it. If
// few states remain, it also finds, for each m, the states on loops that violate the property. Cost
// O(n (S + T)) time; a byte and a bit a state, those of [leastProgress], 4 bytes for each state
// that waits and, if transitions are counted, a byte a state, or 5 if more than 254 transitions
// lead to it.
func (d *decision) decide() {
	d.prepare()
	stop := d.removeAhead()
	defer stop() // if an error ends the search
	deadlocked := d.findLeastProgress()
	stop()
	d.decided = true
	d.holds = !deadlocked
	d.findOpen()
	if d.holds || d.open.Len() > d.m.NumStates()/fewOpen {
		return
	}
	d.findOpenLoops()
}

// prepare asks for the memory of the search.
func (d *decision) prepare() {
	n := d.m.NumStates()
	d.least = newLeastProgress(d.ctx, n, d.p.Len())
	abort.On(resources.Ask(d.ctx, int64(n)/8))
	d.open = bitset.New[lts.State](n)
	switch {
	case d.p.Len() == 1:
		d.remaining.one = d.open
	// Once the remaining states of all m are known, the least progress is no longer needed.
	case d.least.narrow != nil && d.p.Len() <= d.atOnce:
		d.remaining.many = d.least.narrow
	default:
		d.remaining.many = abort.Must(resources.Make[uint8](d.ctx, n))
	}
	d.avoids = make([]uint8, d.m.Alphabet().Len())
}

// removeAhead lets another core, if there is one, remove states until stop is called. If the
// property has several steps, removal would share memory with the least progress, so it waits until
// the least progress is known.
func (d *decision) removeAhead() (stop func()) {
	if d.second == nil || d.p.Len() > 1 {
		return func() {}
	}
	d.markSteps()
	d.removedAhead = true
	return d.second()
}

// findLeastProgress finds the least progress of all states, by ascending progress. It reports
// whether some run ends in a deadlock without having done all steps.
func (d *decision) findLeastProgress() (deadlocked bool) {
	d.least.set(d.m.Initial(), 0)
	for progress := 0; progress < d.p.Len(); progress++ {
		for s := range lts.State(d.m.NumStates()) {
			if d.least.at(s) == progress {
				deadlocked = d.expand(s, s, progress) || deadlocked
			}
			abort.IfDone(d.ctx, s)
		}
		for len(d.next) > 0 {
			d.now, d.next = d.next, d.now[:0]
			for i, s := range d.now {
				deadlocked = d.expand(s, lts.MaxStates, progress) || deadlocked
				abort.IfDone(d.ctx, i)
			}
		}
	}
	return deadlocked
}

// findOpen removes states for each m. If some remain, there are loops that violate the property;
// otherwise no state lies on a cycle for this m.
func (d *decision) findOpen() {
	for d.first = 0; d.first < d.p.Len(); d.first += d.atOnce {
		remaining := d.remove()
		for m := d.first; m < min(d.first+d.atOnce, d.p.Len()); m++ {
			if remaining>>(m-d.first)&1 != 0 {
				d.holds = false
			} else {
				d.cyclic[m] = bitset.New[lts.State](d.m.NumStates())
			}
		}
	}
}

// findOpenLoops finds the components of the remaining states and, for each m, the states on cycles
// without labels of step m+1. These include all loops that violate the property, so the components
// of the model are not needed. Cost O(n (S + T)) of the remaining states, and 12 bytes a state of
// the model.
func (d *decision) findOpenLoops() {
	n := d.m.NumStates()
	abort.On(resources.Ask(d.ctx, 4*int64(n)+int64(d.p.Len())*int64(n)/8))
	parts := abort.Must(scc.NewParts(d.ctx, d.m))
	open := slices.Collect(d.open.All)
	d.bounded.componentOf = make([]uint32, n)
	count := uint32(0)
	for component := range abort.Must(parts.Components(open, nil)) {
		count++
		for _, state := range component {
			d.bounded.componentOf[state] = count
		}
	}
	for m := range d.p.Len() {
		if d.cyclic[m] != nil {
			continue
		}
		d.cyclic[m] = bitset.New[lts.State](n)
		hidden := bitset.New[lts.Label](d.m.Alphabet().Len())
		for l := range lts.Label(d.m.Alphabet().Len()) {
			if d.p.Does(l, m+1) {
				hidden.Add(l)
			}
		}
		for component := range abort.Must(parts.Without(open, hidden)) {
			for _, state := range component {
				d.cyclic[m].Add(state)
			}
		}
	}
	d.heads.prune(d.cyclic)
}

// expand follows the transitions from a state with the given progress, and reports whether the
// state is a deadlock. Some targets get this progress only now. The search has already passed the
// targets whose numbers are below passed; expand adds those that get the progress now to next, so
// that the search returns to them.
func (d *decision) expand(s, passed lts.State, progress int) (dead bool) {
	d.reached++
	labels, targets := d.m.Out(s)
	for j, t := range targets {
		after := d.p.Advance(progress, labels.At(j))
		if after >= d.least.at(t) {
			continue
		}
		d.least.set(t, after)
		if after == progress && t < passed {
			d.next = append(d.next, t)
		}
	}
	return len(targets) == 0
}

// markSteps finds the labels that avoid the steps of the current values of m, and returns the bits
// of all these values.
func (d *decision) markSteps() (all uint8) {
	steps := min(d.atOnce, d.p.Len()-d.first)
	for l := range d.avoids {
		d.avoids[l] = 0
		for i := range steps {
			if !d.p.Does(lts.Label(l), d.first+i+1) {
				d.avoids[l] |= 1 << i
			}
		}
	}
	return uint8(1<<steps - 1)
}

// remove removes all states that can be removed for the current values of m, and returns the bits
// of those with remaining states. It counts transitions once passes over the states no longer pay.
func (d *decision) remove() (steps uint8) {
	pairs := d.restore()
	enough := d.removeByPasses(pairs)
	steps = d.steps()
	if !enough {
		for bit := uint8(1); bit != 0; bit <<= 1 {
			if steps&bit != 0 {
				d.removeByCounts(bit)
			}
		}
		steps = d.steps()
	}
	for s, remaining := range d.remaining.many {
		if remaining != 0 {
			d.open.Add(lts.State(s))
		}
	}
	return steps
}

// restore lets states remain again: for each current m, all states with progress at most m, except
// those that were removed ahead. It returns the number of pairs of such a state and m.
func (d *decision) restore() (pairs int) {
	all := d.markSteps()
	for s := range lts.State(d.m.NumStates()) {
		tooSmall := max(0, d.least.at(s)-d.first) // the number of current m below the least progress
		remaining := all & (all << tooSmall)
		if d.removedAhead {
			remaining &= d.remaining.at(s)
		}
		d.remaining.set(s, remaining)
		pairs += bits.OnesCount8(remaining)
	}
	return pairs
}

// removeByPasses removes states by passes over all of them, forth and back, as long as that pays. It
// reports whether nothing more can be removed.
func (d *decision) removeByPasses(pairs int) (enough bool) {
	mayVisit := d.worthPasses * (d.m.NumStates() + d.m.NumTransitions())
	removedBefore := pairs
	for down := true; mayVisit > 0 && pairs > 0; down = !down {
		removed, visited := d.pass(down, func() bool {
			return d.ctx.Err() != nil
		})
		abort.On(d.ctx.Err())
		if removed == 0 {
			break
		}
		pairs -= removed
		if 4*removed > removedBefore {
			mayVisit -= visited
		}
		removedBefore = removed
	}
	return mayVisit > 0
}

// removeByCounts removes, for the m of this bit, each state to which no transition without labels
// of step m+1 leads from a remaining state. It counts these transitions, and lowers the counts when
// states are removed.
func (d *decision) removeByCounts(bit uint8) {
	d.countEntering(bit)
	for s := range lts.State(d.m.NumStates()) {
		abort.IfDone(d.ctx, s)
		if d.remaining.at(s)&bit != 0 && d.entering.None(uint32(s)) {
			d.removeState(s, s, bit)
		}
	}
	for len(d.next) > 0 {
		d.now, d.next = d.next, d.now[:0]
		for i, s := range d.now {
			abort.IfDone(d.ctx, i)
			// The search returns to every target, since all have numbers below lts.MaxStates.
			d.removeState(s, lts.MaxStates, bit)
		}
	}
}

// countEntering counts the transitions to each state from states that remain for the m with this bit.
func (d *decision) countEntering(bit uint8) {
	if d.entering == nil {
		d.entering = abort.Must(counters.New(d.ctx, d.m.NumStates()))
	}
	d.entering.Clear()
	for s := range lts.State(d.m.NumStates()) {
		abort.IfDone(d.ctx, s)
		if d.remaining.at(s)&bit == 0 {
			continue
		}
		labels, targets := d.m.Out(s)
		for j, t := range targets {
			if d.avoids[labels.At(j)]&bit != 0 {
				d.entering.Add(uint32(t))
			}
		}
	}
	abort.On(d.entering.Err())
}

// steps returns the bits of the values of m for which states remain.
func (d *decision) steps() (steps uint8) {
	if d.remaining.one != nil && !d.remaining.one.Empty() {
		steps = 1
	}
	for _, remaining := range d.remaining.many {
		steps |= remaining
	}
	return steps
}

// pass visits each remaining state once. It removes a state for m if no transition without labels
// of step m+1 leads from the state to a remaining one. It returns the number of removed states, and
// the number of visited states and transitions, even if stopped ends it early.
func (d *decision) pass(down bool, stopped func() bool) (removed, visited int) {
	n := d.m.NumStates()
	for i := range n {
		s := lts.State(i)
		if down {
			s = lts.State(n - 1 - i)
		}
		if i&(1<<14-1) == 0 && stopped() {
			return removed, visited
		}
		before := d.remaining.at(s)
		if before == 0 {
			continue
		}
		transitions, continuing := d.continues(s, before)
		visited += transitions + 1
		if continuing != before {
			d.remaining.set(s, continuing)
			removed += bits.OnesCount8(before &^ continuing)
		}
	}
	return removed, visited
}

// continues returns the number of transitions visited, and some of the bits in before. The bit of m
// is among them if a transition without labels of step m+1 leads from s to a remaining state.
func (d *decision) continues(s lts.State, before uint8) (visited int, continues uint8) {
	labels, targets := d.m.Out(s)
	for j, t := range targets {
		continues |= d.remaining.at(t) & d.avoids[labels.At(j)]
		if before&^continues == 0 {
			return j + 1, before
		}
	}
	return len(targets), before & continues
}

// removeState removes a state. Some targets then have no transition left that leads to them. If the
// search has already passed such a target, since its number is below passed, removeState adds the
// target to next, so that the search returns to it.
func (d *decision) removeState(s, passed lts.State, bit uint8) {
	d.remaining.set(s, d.remaining.at(s)&^bit)
	labels, targets := d.m.Out(s)
	for j, t := range targets {
		if d.avoids[labels.At(j)]&bit == 0 {
			continue
		}
		wasLast := d.entering.Remove(uint32(t))
		if wasLast && t < passed && d.remaining.at(t)&bit != 0 {
			d.next = append(d.next, t)
		}
	}
}

// remainingStates has a bit for each state, or a byte if there are several steps.
type remainingStates struct {
	one  bitset.Set[lts.State] // nil if bytes are used
	many []uint8
}

func (l *remainingStates) at(s lts.State) uint8 {
	if l.one != nil {
		return uint8(l.one[s/64]>>(s%64)) & 1
	}
	return l.many[s]
}

func (l *remainingStates) set(s lts.State, remaining uint8) {
	switch {
	case l.one == nil:
		l.many[s] = remaining
	case remaining != 0:
		l.one.Add(s)
	default:
		l.one.Remove(s)
	}
}

// leastProgress has a number from 0 to n for each state, initially n. If n is 1, as for most
// properties, the numbers are bits; up to n = 255 they are bytes, and otherwise two bytes each.
type leastProgress struct {
	below  bitset.Set[lts.State] // the states with number 0; nil if n is larger than 1
	narrow []uint8
	wide   []uint16
}

// newLeastProgress returns a table of numbers from 0 to n for the states: of bits, bytes or longer numbers, as
// n needs.
func newLeastProgress(ctx context.Context, states, n int) (l leastProgress) {
	switch {
	case n == 1:
		abort.On(resources.Ask(ctx, int64(states)/8))
		l.below = bitset.New[lts.State](states)
	case n <= math.MaxUint8:
		l.narrow = abort.Must(resources.Make[uint8](ctx, states))
	default:
		l.wide = abort.Must(resources.Make[uint16](ctx, states))
	}
	for s := range l.narrow {
		l.narrow[s] = uint8(n)
	}
	for s := range l.wide {
		l.wide[s] = uint16(n)
	}
	return l
}

// at returns the number of a state: the smallest one that was set, or n.
func (l *leastProgress) at(s lts.State) int {
	switch {
	case l.below != nil:
		if l.below.Has(s) {
			return 0
		}
		return 1
	case l.narrow != nil:
		return int(l.narrow[s])
	}
	return int(l.wide[s])
}

// set makes the number of a state smaller.
func (l *leastProgress) set(s lts.State, progress int) {
	switch {
	case l.below != nil:
		l.below.Add(s)
	case l.narrow != nil:
		l.narrow[s] = uint8(progress)
	default:
		l.wide[s] = uint16(progress)
	}
}

// worthAhead is the least number of transitions of a model for which a second core pays.
const worthAhead = 1 << 18

// ahead starts to remove, on another core, what [decision.remove] would remove for a property of
// one step. It stops when stop is called; nothing is removed after that. It also removes
// unreachable states: transitions from reachable states lead only to reachable states, so the
// result for these does not depend on the others. How much it removes changes only how much work is
// left.
func (d *decision) ahead() (stop func()) {
	var enough atomic.Bool
	removing := contained.Go(func() {
		for s := range lts.State(d.m.NumStates()) {
			d.remaining.set(s, 1)
		}
		removed := 1
		for down := true; removed > 0 && !enough.Load(); down = !down {
			removed, _ = d.pass(down, enough.Load)
		}
	})
	return func() {
		enough.Store(true)
		removing.Wait()
	}
}

// If at most 1/fewOpen of the states remain, all loops among them are found at once.
const fewOpen = 4

// prune removes the heads that lie on no loop.
func (h *heads) prune(cyclic []bitset.Set[lts.State]) {
	if h == nil {
		return
	}
	kept := 0
	level := 0
	for i := range h.list.Len() {
		for ; level < len(h.begins) && h.begins[level] == i; level++ {
			h.begins[level] = kept
		}
		at := *h.list.At(i)
		if cyclic[at.m].Has(at.state) {
			*h.list.At(kept) = at
			kept++
		} else {
			h.candidates[at.m].Remove(at.state)
		}
	}
	for ; level < len(h.begins); level++ {
		h.begins[level] = kept
	}
	h.list.Truncate(kept)
}
