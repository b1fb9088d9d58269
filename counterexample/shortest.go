package counterexample

import (
	"context"
	"errors"
	"math"
	"runtime"
	"sort"
	"unsafe"

	"github.com/inev-lts/inev/internal/abort"
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
			s.countSettled(meter)
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

// countSettled counts a node. From time to time it reports the progress, and fails if the context is done.
func (s *shortest) countSettled(meter *progress.Meter) {
	const interval = 1 << 12
	s.settled++
	if s.settled%interval == 0 {
		abort.On(s.ctx.Err())
		meter.Add(interval)
	}
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
func (s *shortest) escalate(begin beginning) (anew bool) {
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
	needsSieve := !s.inUse || begin.most < s.sieve.bound
	if needsSieve && s.siftingPays(begin.m) {
		anew = s.useSieve(begin.most)
		if anew {
			return true
		}
	}
	if s.inUse && !s.tried && s.siftingPays(begin.m) {
		s.tried = true
		s.separated = s.separate(begin.most)
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

// knowsFruitless reports whether it is known that no relevant loop begins at the node. Once searches from
// single heads have cost much, it finds this out by one search from many heads at once. If only the bound
// shows it, it records that the bound has cut something off.
func (s *shortest) knowsFruitless(begin beginning) bool {
	switch {
	case !s.heads.areWanted(begin.state, begin.m):
		return true
	case !s.inUse:
		return false
	case !s.sieve.kept[begin.m].Has(begin.state):
		s.bounded.cut = s.bounded.cut || s.sieve.cut
		return true
	case !s.tried:
		return false
	}
	s.newTogether()
	x := s.together
	if begin.node >= x.fruitless[begin.m].until && !x.separateIsCheaper {
		x.findFruitless(begin)
	}
	fruitless := begin.node < x.fruitless[begin.m].until && x.fruitless[begin.m].heads.Has(begin.state)
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
	last := *s.nodes.At(i)
	if s.m.IsDeadlock(last.state) {
		if distance < s.best && s.goal.reached(last.state) {
			s.improve(distance, i, nil)
		}
		return false
	}
	if s.liesOnNoCycle(last.state) {
		return false
	}
	for m := int(last.progress); m <= int(last.upTo); m++ {
		mayImprove := distance+1 < s.best && !s.separated
		if !mayImprove {
			return false
		}
		// This test comes first, because it is enough for most states.
		if !s.heads.areWanted(last.state, m) {
			s.bounded.finish(last.state, m)
			continue
		}
		anew = s.searchLoopWithin(beginning{
			node:     i,
			distance: distance,
			state:    last.state,
			m:        m,
			most:     min(s.bound, s.best-1),
		})
		if anew || s.holds || s.stopped {
			return anew
		}
	}
	return false
}

// searchLoopWithin searches for a loop that begins at a node, and reports whether the round must be
// repeated. The search stops at the limit on all work; if the work that was meant for loops is spent, the
// round is repeated from fewer beginnings.
func (s *shortest) searchLoopWithin(from beginning) (anew bool) {
	err := abort.Try(func() { anew = s.searchLoop(from) })
	switch {
	case errors.Is(err, errLimit):
		s.stopped = true
		return false
	case errors.Is(err, errSpent):
		s.bounded.forget()
		s.seekHeads()
		return true
	}
	abort.On(err)
	return anew
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
	if s.knowsFruitless(from) {
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
