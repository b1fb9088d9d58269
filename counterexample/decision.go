package counterexample

import (
	"context"
	"math"
	"math/bits"
	"slices"
	"sync/atomic"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/contained"
	"github.com/inev-lts/inev/internal/counters"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
)

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
	numSteps := min(d.atOnce, d.p.Len()-d.first)
	for l := range d.avoids {
		d.avoids[l] = 0
		for i := range numSteps {
			if !d.p.Does(lts.Label(l), d.first+i+1) {
				d.avoids[l] |= 1 << i
			}
		}
	}
	return uint8(1<<numSteps - 1)
}

// remove removes all states that can be removed for the current values of m, and returns the bits
// of those with remaining states. It counts transitions once passes over the states no longer pay.
func (d *decision) remove() (unfinished uint8) {
	pairs := d.restore()
	enough := d.removeByPasses(pairs)
	unfinished = d.unfinished()
	if !enough {
		for bit := uint8(1); bit != 0; bit <<= 1 {
			if unfinished&bit != 0 {
				d.removeByCounts(bit)
			}
		}
		unfinished = d.unfinished()
	}
	for s, remaining := range d.remaining.many {
		if remaining != 0 {
			d.open.Add(lts.State(s))
		}
	}
	return unfinished
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

// unfinished returns the bits of the values of m for which states remain.
func (d *decision) unfinished() (all uint8) {
	if d.remaining.one != nil && !d.remaining.one.Empty() {
		all = 1
	}
	for _, remaining := range d.remaining.many {
		all |= remaining
	}
	return all
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
		remaining := d.remaining.at(s)
		if remaining == 0 {
			continue
		}
		transitions, continuing := d.continues(s, remaining)
		visited += transitions + 1
		if continuing != remaining {
			d.remaining.set(s, continuing)
			removed += bits.OnesCount8(remaining &^ continuing)
		}
	}
	return removed, visited
}

// continues returns the number of transitions visited, and some of the bits in remaining. The bit of m
// is among them if a transition without labels of step m+1 leads from s to a remaining state.
func (d *decision) continues(s lts.State, remaining uint8) (visited int, continues uint8) {
	labels, targets := d.m.Out(s)
	for j, t := range targets {
		continues |= d.remaining.at(t) & d.avoids[labels.At(j)]
		if remaining&^continues == 0 {
			return j + 1, remaining
		}
	}
	return len(targets), remaining & continues
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
		wasLast := d.entering.Decrease(uint32(t))
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
