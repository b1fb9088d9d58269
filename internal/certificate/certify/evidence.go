package certify

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/inev-lts/inev/internal/lts/bfs"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
)

// none is a length that is not known.
const none = math.MaxUint32

// errTooLong and errNoEvidence occur only if the program is wrong, or for models too large to be
// explained.
var (
	errTooLong    = errors.New("certificate: a witness run is longer than the format can say")
	errNoEvidence = errors.New("certificate: there is no evidence for a claim of the explanation, please report it")
)

// evidence has, by state number, the lengths that justify the claims about states. They are
// undefined for unreachable states.
type evidence struct {
	// first[s] has, for each progress from 0 to mp(s), the length of a shortest run to s with at
	// least that progress.
	first rows
	// least has, for each state t, a shortest run to t whose progress in every visited state s is
	// cp(s).
	least *bfs.Tree
	// next[s] has, for m from 1 to ms(s), the length of a shortest run from s that does the last m
	// steps.
	next rows
	// due[s] has, for m from 1 to cs(s), the largest number of transitions on a run from s up to
	// the first transition that does step n-m+1.
	due rows
	*fairEvidence
}

// claims are the claims about states, see [enrich.Enriched].
type claims interface {
	MP(s lts.State) int
	CP(s lts.State) int
	MS(s lts.State) int
	CS(s lts.State) int
	Admits(s lts.State) bool
}

// countingClaims are the claims about runs that count. Suffixes are 0 in states that are not
// admitted, since no run that counts continues these.
type countingClaims struct{ claims }

func (c countingClaims) MS(s lts.State) int {
	if !c.Admits(s) {
		return 0
	}
	return c.claims.MS(s)
}

func (c countingClaims) CS(s lts.State) int {
	if !c.Admits(s) {
		return 0
	}
	return c.claims.CS(s)
}

// rows has a row of numbers for each state: that of s is values[start[s]:start[s+1]].
type rows struct {
	start  []int
	values []uint32
}

func (r *rows) rowOf(s lts.State) []uint32 { return r.values[r.start[s]:r.start[int(s)+1]] }

// pass is the input of all computations of evidence.
type pass struct {
	ctx      context.Context
	claimed  claims
	model    *lts.LTS
	chain    *property.Chain
	fairness *property.Fairness // nil if all runs count
	numSteps int                // the number of steps of the chain
	reach    *lts.Reach
}

// newPass returns a pass that computes evidence for the claims about a chain. Under fairness, the claims are
// about the runs that count.
func newPass(
	ctx context.Context,
	e claims,
	m *lts.LTS,
	p *property.Chain,
	f *property.Fairness,
) *pass {
	if f != nil {
		e = countingClaims{e}
	}
	return &pass{
		ctx:      ctx,
		claimed:  e,
		model:    m,
		chain:    p,
		fairness: f,
		numSteps: p.Len(),
		reach:    m.Reachable(),
	}
}

// newEvidence computes all evidence. Cost O(n (S + T)) time; 4 bytes for each number, and
// predecessor rows (see [lts.LTS.Predecessors]).
func newEvidence(x *pass) (*evidence, error) {
	v := &evidence{}
	var err error
	if v.first, err = x.shortestRunsTo(); err != nil {
		return nil, err
	}
	if v.least, err = x.shortestRunsWithCP(); err != nil {
		return nil, err
	}
	if v.next, err = x.shortestRunsFrom(); err != nil {
		return nil, err
	}
	if x.fairness == nil {
		v.due, err = x.longestRunsBefore()
	} else {
		err = v.findFair(x)
	}
	if err != nil {
		return nil, err
	}
	if !v.isComplete(x) {
		return nil, errNoEvidence
	}
	return v, nil
}

// findFair finds due and the further evidence under an assumption.
func (v *evidence) findFair(x *pass) error {
	fair, err := newFairPass(x)
	if err != nil {
		return err
	}
	if err := fair.findHomes(); err != nil {
		return err
	}
	if err := fair.findSettled(); err != nil {
		return err
	}
	if err := fair.findDue(); err != nil {
		return err
	}
	v.due = fair.due
	v.fairEvidence = fair.fairEvidence
	return nil
}

// isComplete reports whether each claim about a reachable state has evidence.
func (v *evidence) isComplete(x *pass) bool {
	for _, r := range []rows{v.first, v.next, v.due} {
		if slices.Contains(r.values, none) {
			return false
		}
	}
	for s := range lts.State(x.model.NumStates()) {
		if _, met := v.least.Distance(s); !met && x.reach.Has(s) {
			return false
		}
	}
	return true
}

// newRows returns rows whose entries are all none: of the given size for reachable states, empty
// for others.
func (x *pass) newRows(size func(lts.State) int) rows {
	r := rows{start: make([]int, x.model.NumStates()+1)}
	for s := range x.model.NumStates() {
		r.start[s+1] = r.start[s]
		if x.reach.Has(lts.State(s)) {
			r.start[s+1] += size(lts.State(s))
		}
	}
	r.values = allNone(r.start[x.model.NumStates()])
	return r
}

func allNone(size int) []uint32 { return slices.Repeat([]uint32{none}, size) }

// productState is a state with the number of steps of the property that were done before it, or
// that are still to be done from it.
type productState struct {
	state lts.State
	done  int
}

// breadthFirst calls expand for the product states in level, then for those that expand adds, level
// by level. It overwrites level.
func (x *pass) breadthFirst(
	level []productState,
	expand func(at productState, length uint32, add func(productState)),
) error {
	var following []productState
	add := func(p productState) { following = append(following, p) }
	for length := uint32(0); len(level) > 0; length++ {
		if length == none-1 {
			return errTooLong
		}
		for i, at := range level {
			if err := doneAt(x.ctx, i); err != nil {
				return err
			}
			expand(at, length, add)
		}
		level, following = following, level[:0]
	}
	return nil
}

// doneAt returns the error of ctx, which it checks only in every 16,384th round of a loop.
func doneAt(ctx context.Context, round int) error {
	if round%16384 == 0 {
		return ctx.Err()
	}
	return nil
}

// extendDistances sets the distances of the states that a breadth-first search finds. The search
// begins in the states of queue, whose distances are known, ascend, and differ by at most one. next
// returns the transitions from or to a state, and along selects those that the search follows.
func extendDistances(
	ctx context.Context,
	queue []lts.State,
	distance []uint32,
	next func(lts.State) (lts.Labels, []lts.State),
	along func(at lts.State, l lts.Label, next lts.State) bool,
) error {
	for i := 0; i < len(queue); i++ {
		if err := doneAt(ctx, i); err != nil {
			return err
		}
		s := queue[i]
		labels, states := next(s)
		for k, t := range states {
			if distance[t] == none && along(s, labels.At(k), t) {
				distance[t] = distance[s] + 1
				queue = append(queue, t)
			}
		}
	}
	return nil
}

// distancesFromAndTo sets the distances from and to a state by the transitions that along selects.
func distancesFromAndTo(
	ctx context.Context,
	m *lts.LTS,
	root lts.State,
	from, to []uint32,
	along func(from lts.State, l lts.Label, to lts.State) bool,
) error {
	from[root] = 0
	to[root] = 0
	if err := extendDistances(ctx, []lts.State{root}, from, m.Out, along); err != nil {
		return err
	}
	backwards := func(t lts.State, l lts.Label, s lts.State) bool {
		return along(s, l, t)
	}
	return extendDistances(ctx, []lts.State{root}, to, m.Predecessors().In, backwards)
}

// filling is rows whose entries are set in the order of ascending lengths.
type filling struct {
	rows
	known []uint32 // the number of known entries of each row
}

func (x *pass) newFilling(size func(lts.State) int) *filling {
	return &filling{x.newRows(size), make([]uint32, x.model.NumStates())}
}

// setUpTo sets the entries of the row of s that are not yet set, up to the given number of entries,
// and reports whether there were any.
func (f *filling) setUpTo(s lts.State, entries int, length uint32) bool {
	row := f.rowOf(s)
	known := int(f.known[s])
	for entries = min(entries, len(row)); known < entries; known++ {
		row[known] = length
	}
	grown := known > int(f.known[s])
	f.known[s] = uint32(known)
	return grown
}

// shortestRunsTo searches breadth first over states with progress. It visits a state again only with more
// progress, since a run that is no longer and has more progress also serves for less progress.
func (x *pass) shortestRunsTo() (rows, error) {
	f := x.newFilling(func(s lts.State) int { return x.claimed.MP(s) + 1 })
	start := productState{x.model.Initial(), 0}
	f.setUpTo(start.state, 1, 0)
	err := x.breadthFirst([]productState{start}, func(at productState, length uint32, add func(productState)) {
		for l, t := range x.model.From(at.state) {
			to := (productState{t, x.chain.Advance(at.done, l)})
			if f.setUpTo(t, to.done+1, length+1) {
				add(to)
			}
		}
	})
	return f.rows, err
}

// shortestRunsWithCP searches along the transitions to a target t with progress exactly cp(t).
func (x *pass) shortestRunsWithCP() (*bfs.Tree, error) {
	keepsCP := func(t lts.Transition) bool {
		return x.chain.Advance(x.claimed.CP(t.From), t.Label) == x.claimed.CP(t.To)
	}
	return bfs.From(x.ctx, x.model, []lts.State{x.model.Initial()}, bfs.Options{Along: keepsCP})
}

// shortestRunsFrom searches backwards, breadth first from all states at once, over states with the number of
// last steps that a run from there does.
func (x *pass) shortestRunsFrom() (rows, error) {
	f := x.newFilling(x.claimed.MS)
	var all []productState
	for s := range x.model.NumStates() {
		if x.reach.Has(lts.State(s)) && x.claimed.Admits(lts.State(s)) {
			all = append(all, productState{lts.State(s), 0})
		}
	}
	before := x.model.Predecessors()
	err := x.breadthFirst(all, func(at productState, length uint32, add func(productState)) {
		for l, s := range before.Into(at.state) {
			to := (productState{s, x.chain.AdvanceSuffix(at.done, l)})
			if f.setUpTo(s, to.done, length+1) {
				add(to)
			}
		}
	})
	return f.rows, err
}

// longestRunsBefore computes, for each m, longest runs without step n-m+1. The transitions that do not do this
// step, between states with cs >= m, have no cycle, so that the lengths are found backwards from
// the states without such transitions.
func (x *pass) longestRunsBefore() (rows, error) {
	v := &dueSearch{
		pass:      x,
		rows:      x.newRows(x.claimed.CS),
		unsettled: make([]int, x.model.NumStates()),
	}
	for m := 1; ; m++ {
		found, err := v.findLast(m)
		if err != nil || !found {
			return v.rows, err
		}
		if err := v.settle(m); err != nil {
			return v.rows, err
		}
	}
}

// dueSearch finds the entries of due, for one m after the other.
type dueSearch struct {
	*pass
	rows
	// unsettled counts, for each state, the transitions that do not do the step and whose targets
	// have no length yet.
	unsettled []int
	// open are the states whose lengths are known, but not yet propagated to their predecessors.
	open []lts.State
}

// findLast opens the states with cs >= m in which every transition does step n-m+1. It reports
// whether some state has cs >= m.
func (v *dueSearch) findLast(m int) (found bool, err error) {
	v.open = v.open[:0]
	for i := range v.unsettled {
		if err := doneAt(v.ctx, i); err != nil {
			return false, err
		}
		s := lts.State(i)
		if len(v.rowOf(s)) < m {
			continue
		}
		found = true
		v.unsettled[s] = 0
		labels, _ := v.model.Out(s)
		for l := range labels.All() {
			if !v.chain.Does(l, v.numSteps-m+1) {
				v.unsettled[s]++
			}
		}
		if v.unsettled[s] == 0 {
			v.rowOf(s)[m-1] = 1
			v.open = append(v.open, s)
		}
	}
	return found, nil
}

// settle propagates the lengths for m backwards. A state opens when all its targets have a length.
func (v *dueSearch) settle(m int) error {
	predecessors := v.model.Predecessors()
	for round := 0; len(v.open) > 0; round++ {
		if err := doneAt(v.ctx, round); err != nil {
			return err
		}
		t := v.open[len(v.open)-1]
		v.open = v.open[:len(v.open)-1]
		for l, s := range predecessors.Into(t) {
			row := v.rowOf(s)
			if len(row) < m || v.chain.Does(l, v.numSteps-m+1) {
				continue
			}
			length := v.rowOf(t)[m-1] + 1
			if row[m-1] == none || row[m-1] < length {
				row[m-1] = length
			}
			v.unsettled[s]--
			if v.unsettled[s] == 0 {
				v.open = append(v.open, s)
			}
		}
	}
	return nil
}

// fairEvidence is further evidence under an assumption: for cs on the runs that count, and for the
// admitted states. A state is admitted if some run that counts continues it.
type fairEvidence struct {
	// home[s] is the smallest state of the set of s, see [fairPass.findHomes], none if there is no
	// such set; from and back are the distances from and to this state within the set. settle[s] is
	// the length of a shortest run from s to such a set, to a deadlock, or to a state of smaller cs.
	// Each transition u -l-> t of this run has cs(u) = cs(t), plus 1 if l does step n-cs(t).
	settle, home, from, back []uint32
	// within has, for each number in due, the number (from 1) of the set from where the state was
	// removed; 0 for none. It is nil under full fairness.
	within []uint32
	sets   []neglecting
}

// neglecting is a set of states where no fair run stays: a run that stays would neglect the tasks
// or, for a pair, lack the colour.
type neglecting struct {
	parent, rank uint32
	tasks        []uint32
	// missing is the colour that no transition of the set has, plus 1; 0 if tasks are neglected.
	missing uint32
}

// fairPass is the input of the computations of evidence under fairness, and their results.
type fairPass struct {
	*pass
	due rows // see findDue
	*fairEvidence
	refinement *refinement
}

// newFairPass returns a pass with room for its results; home and settle are unknown for all states.
func newFairPass(p *pass) (*fairPass, error) {
	parts, err := scc.NewParts(p.ctx, p.model)
	if err != nil {
		return nil, err
	}
	x := &fairPass{pass: p, fairEvidence: &fairEvidence{}}
	x.refinement, err = newRefinement(p.ctx, parts, p.model, x.fairness, nil)
	if err != nil {
		return nil, err
	}
	// A state that is not admitted has one entry, see findDue; any other state has one for each step of its
	// common suffix.
	x.due = p.newRows(func(s lts.State) int {
		if !p.claimed.Admits(s) {
			return 1
		}
		return p.claimed.CS(s)
	})
	size := p.model.NumStates()
	x.settle = allNone(size)
	x.home = allNone(size)
	x.from = make([]uint32, size)
	x.back = make([]uint32, size)
	if !x.fairness.Full() {
		x.within = make([]uint32, len(x.due.values))
	}
	return x, nil
}

// eachReachable calls do with each reachable state, in ascending order.
func (x *fairPass) eachReachable(do func(s lts.State)) {
	for i := range x.model.NumStates() {
		s := lts.State(i)
		if x.reach.Has(s) {
			do(s)
		}
	}
}

// largestCSOfHomes returns the largest cs for which states need a home. If all states are admitted, cs = n
// needs no evidence that some run attains it.
func (x *fairPass) largestCSOfHomes() int {
	if x.fairness.Excludes() {
		return x.numSteps
	}
	return x.numSteps - 1
}

// findHomes finds, for each common suffix m, the sets of states s with cs(s) = m in which a fair run can
// stay forever and never do step n-m, which a longer suffix would need. They are evidence that the common
// suffix of these states is no longer than m.
func (x *fairPass) findHomes() error {
	byCS := make([][]lts.State, x.largestCSOfHomes()+1)
	x.eachReachable(func(s lts.State) {
		cs := x.claimed.CS(s)
		if x.claimed.Admits(s) && cs < len(byCS) {
			byCS[cs] = append(byCS[cs], s)
		}
	})
	for m, states := range byCS {
		x.refinement.isAllowed = func(_ lts.State, l lts.Label, _ lts.State) bool {
			return !x.fairness.Rare(l) && x.chain.AdvanceSuffix(m, l) == m
		}
		err := x.refinement.refine(states, refined{
			place:     func(lts.State, uint32, uint32) {},
			neglected: func(neglecting) uint32 { return 0 },
			fair:      x.makeHome,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// makeHome makes the smallest state of a set the home of its states, and finds the distances from and to it.
func (x *fairPass) makeHome(set []lts.State) error {
	root := slices.Min(set)
	for _, s := range set {
		x.home[s] = uint32(root)
		x.settle[s] = 0
		x.from[s] = none
		x.back[s] = none
	}
	return distancesFromAndTo(x.ctx, x.model, root, x.from, x.back, func(from lts.State, l lts.Label, to lts.State) bool {
		return x.home[to] == uint32(root) && x.home[from] == uint32(root) &&
			x.refinement.isAllowed(from, l, to)
	})
}

// findSettled sets settle for all reachable states. It searches backwards, breadth first, along the
// transitions that mayKeepCS selects.
func (x *fairPass) findSettled() error {
	queue := x.startSettled()
	back := func(t lts.State, l lts.Label, s lts.State) bool {
		return x.reach.Has(s) && x.mayKeepCS(s, l, t)
	}
	if err := extendDistances(x.ctx, queue, x.settle, x.model.Predecessors().In, back); err != nil {
		return err
	}
	complete := true
	x.eachReachable(func(s lts.State) { complete = complete && x.settle[s] != none })
	if !complete {
		return errNoEvidence
	}
	return nil
}

// startSettled sets settle for the states that are settled, and for those one transition before a
// smaller cs. It returns both, in this order.
func (x *fairPass) startSettled() []lts.State {
	var settled, falls []lts.State
	x.eachReachable(func(s lts.State) {
		needsSettle := x.claimed.Admits(s) && x.claimed.CS(s) <= x.largestCSOfHomes()
		if !needsSettle || x.fairness.MayEnd(x.model, s) {
			x.settle[s] = 0
		}
		if x.settle[s] == 0 {
			settled = append(settled, s)
			return
		}
		labels, targets := x.model.Out(s)
		for i, t := range targets {
			if x.mayKeepCS(s, labels.At(i), t) && x.claimed.CS(t) < x.claimed.CS(s) {
				x.settle[s] = 1
				falls = append(falls, s)
				return
			}
		}
	})
	return append(settled, falls...)
}

// mayKeepCS reports whether a run that counts may begin with s -l-> t and do no more than the last
// cs(s) steps.
func (x *fairPass) mayKeepCS(s lts.State, l lts.Label, t lts.State) bool {
	return x.claimed.Admits(t) && x.chain.AdvanceSuffix(x.claimed.CS(t), l) == x.claimed.CS(s)
}

// findDue sets the field due. The number of a state at level i is about step n-i of the n steps. A state
// that is not admitted has a number only at level 0.
func (x *fairPass) findDue() error {
	levels := 1
	var outcasts []lts.State
	x.eachReachable(func(s lts.State) {
		if x.claimed.Admits(s) {
			levels = max(levels, x.claimed.CS(s))
		} else {
			outcasts = append(outcasts, s)
		}
	})
	x.refinement.isAllowed = func(_ lts.State, l lts.Label, _ lts.State) bool {
		return !x.fairness.Rare(l)
	}
	if err := x.findLevel(0, outcasts); err != nil {
		return err
	}
	for i := range levels {
		var states []lts.State
		x.eachReachable(func(s lts.State) {
			if x.claimed.Admits(s) && x.claimed.CS(s) > i {
				states = append(states, s)
			}
		})
		x.refinement.isAllowed = func(_ lts.State, l lts.Label, t lts.State) bool {
			return !x.fairness.Rare(l) && x.claimed.Admits(t) && x.chain.AdvanceSuffix(i, l) == i
		}
		if err := x.findLevel(i, states); err != nil {
			return err
		}
	}
	return nil
}

// findLevel finds number i of due for some states.
func (x *fairPass) findLevel(i int, states []lts.State) error {
	if x.fairness.Full() {
		return x.findExits(i, states)
	}
	return x.refinement.refine(states, refined{
		place: func(s lts.State, rank, set uint32) {
			at := x.due.start[s] + i
			x.due.values[at] = rank
			x.within[at] = set
		},
		neglected: func(s neglecting) uint32 {
			x.sets = append(x.sets, s)
			return uint32(len(x.sets))
		},
		fair: func([]lts.State) error { return errNoEvidence },
	})
}

// findExits finds number i of due under full fairness: the length of a shortest path whose last
// transition is not allowed.
func (x *fairPass) findExits(i int, states []lts.State) error {
	var begin []productState
	for _, s := range states {
		for l, t := range x.model.From(s) {
			if !x.refinement.isAllowed(s, l, t) {
				x.due.rowOf(s)[i] = 1
				begin = append(begin, productState{state: s})
				break
			}
		}
	}
	before := x.model.Predecessors()
	return x.breadthFirst(begin, func(at productState, length uint32, add func(productState)) {
		// The states of begin have paths of length 1, and length counts from them.
		const lastTransition = 1
		for l, s := range before.Into(at.state) {
			row := x.due.rowOf(s)
			hasNumber := x.reach.Has(s) && i < len(row)
			isSearched := hasNumber && x.claimed.Admits(s) == x.claimed.Admits(at.state)
			if isSearched && x.refinement.isAllowed(s, l, at.state) && row[i] == none {
				row[i] = length + 1 + lastTransition
				add(productState{state: s})
			}
		}
	})
}
