package counterexample

import (
	"context"
	"math"
	"math/bits"

	"github.com/inev-lts/inev/internal/counters"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
)

// decision finds out whether there is any counterexample, which is far cheaper than to find
// a shortest one, and needs no components: for each m, whether the states that some run
// reaches with progress at most m have a cycle without labels of step m+1. They have none
// iff they can be taken away one after the other, always one from which no such transition
// leads to those that are left; or one to which none leads, which is counted where going
// through the rows again and again stops paying. A pass takes away for as many m at once as
// a byte has bits.
//
// Searches go through the states in ascending order, and come back to those that turn
// up behind them only: so what waits is a small part of most models.
type decision struct {
	*shortest
	// least[s] is the least progress of the runs that reach s; n if none has less.
	least leastProgress
	// first is the least m that is looked at now. Bit i of left has s if s is left for m = first+i,
	// and bit i of avoids[l] is set if l does not do step m+1.
	first  int
	left   leftStates
	avoids []uint8
	// begun reports that states were taken away before it was known which are reached.
	begun bool
	// open are the states that were left in the end, for any m.
	open bitset.Set[lts.State]
	// ways counts the transitions to a state from states that are left; nil if nothing
	// has been counted.
	ways *counters.Counters
	// now and next are states to come back to: those that were found before, and since.
	now, next []lts.State
	// worthPasses and atOnce are the constants, but in tests.
	worthPasses, atOnce int
	// second is [decision.ahead] where another core takes states away while this one finds
	// their progress, and nil elsewhere.
	second func() (stop func())
}

// worthPasses is how many times all transitions are looked at by passes that take away not
// much less than the one before, until ways are counted.
const worthPasses = 3

// atOnce is for how many m states are taken away at once: the bits of a byte.
const atOnce = 8

// decide finds out whether no run violates the property, for which m no loop does and, where
// few states are left for any m, which states lie on those that do. Cost O(n (S + T)) time; a byte
// and a bit a state, those of [leastProgress], 4 bytes for each state that waits and, where
// states have to be counted, a byte a state, or 5 where more than 254 transitions lead to one.
func (s *shortest) decide() error {
	d := &decision{shortest: s, worthPasses: worthPasses, atOnce: atOnce}
	if s.worthSecond() {
		d.second = d.ahead
	}
	return d.decide()
}

func (d *decision) decide() (err error) {
	n := d.m.NumStates()
	if d.least, err = newLeastProgress(d.ctx, n, d.p.Len()); err != nil {
		return err
	}
	if err = d.makeLeft(); err != nil {
		return err
	}
	d.avoids = make([]uint8, d.m.Alphabet().Len())
	stop := func() {}
	// With more steps than one, what is left lies where the least progress does.
	if d.second != nil && d.p.Len() == 1 {
		d.markSteps()
		d.begun = true
		stop = d.second()
	}
	dead, err := d.reach()
	if stop(); err != nil {
		return err
	}
	s := d.shortest
	s.decided, s.holds = true, !dead
	for d.first = 0; d.first < s.p.Len(); d.first += d.atOnce {
		cyclic, err := d.cyclic()
		if err != nil {
			return err
		}
		for m := d.first; m < min(d.first+d.atOnce, s.p.Len()); m++ {
			if cyclic>>(m-d.first)&1 != 0 {
				s.holds = false
			} else {
				s.cyclic[m] = bitset.New[lts.State](n)
			}
		}
	}
	return d.findLoops()
}

// makeLeft makes room for what is left, and in the end was left for any m.
func (d *decision) makeLeft() (err error) {
	n := d.m.NumStates()
	if err = resources.Ask(d.ctx, int64(n)/8); err != nil {
		return err
	}
	d.open = bitset.New[lts.State](n)
	switch {
	case d.p.Len() == 1:
		d.left.one = d.open
	// Once it is known which m a state is left for, nobody asks for its least progress.
	case d.least.narrow != nil && d.p.Len() <= d.atOnce:
		d.left.many = d.least.narrow
	default:
		d.left.many, err = resources.Make[uint8](d.ctx, n)
	}
	return err
}

// reach finds the least progress of all states, by ascending progress. It reports whether a run
// ends in a deadlock before the last step.
func (d *decision) reach() (dead bool, err error) {
	last := d.p.Len()
	d.least.set(d.m.Initial(), 0)
	for progress := 0; progress < last; progress++ {
		for s := range lts.State(d.m.NumStates()) {
			if d.least.at(s) == progress {
				dead = d.expand(s, s, progress) || dead
			}
			if s&(1<<14-1) == 0 && d.ctx.Err() != nil {
				return dead, d.ctx.Err()
			}
		}
		for len(d.next) > 0 {
			d.now, d.next = d.next, d.now[:0]
			for i, s := range d.now {
				dead = d.expand(s, lts.MaxStates, progress) || dead
				if i&(1<<14-1) == 0 && d.ctx.Err() != nil {
					return dead, d.ctx.Err()
				}
			}
		}
	}
	return dead, nil
}

// expand goes on from a state with this progress, and reports whether a run ends there.
// States that are below passed and have this progress, too, from now on are come back to.
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

// markSteps finds which labels avoid the steps that are looked at now, and returns all of
// these as bits.
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

// begin makes all states with progress at most m left, for each m that is looked at now, but
// those that have been taken away already, and returns how many pairs of m and state these are.
func (d *decision) begin() (pairs int) {
	all := d.markSteps()
	for s := range lts.State(d.m.NumStates()) {
		left := all & (all << max(0, d.least.at(s)-d.first))
		if d.begun {
			left &= d.left.of(s)
		}
		d.left.set(s, left)
		pairs += bits.OnesCount8(left)
	}
	return pairs
}

// cyclic takes away what it can for each m that is looked at now, and returns the bits of those m
// with states left.
func (d *decision) cyclic() (some uint8, err error) {
	pairs := d.begin()
	worth := d.worthPasses * (d.m.NumStates() + d.m.NumTransitions())
	for before, down := pairs, true; worth > 0 && pairs > 0; down = !down {
		taken, looked := d.pass(down)
		if d.ctx.Err() != nil {
			return 0, d.ctx.Err()
		}
		if taken == 0 {
			break
		}
		pairs -= taken
		if 4*taken > before {
			worth -= looked
		}
		before = taken
	}
	if some = d.some(); worth <= 0 {
		for bit := uint8(1); bit != 0; bit <<= 1 {
			if some&bit == 0 {
				continue
			}
			if err := d.takeByCounting(bit); err != nil {
				return 0, err
			}
		}
		some = d.some()
	}
	for s, left := range d.left.many {
		if left != 0 {
			d.open.Add(lts.State(s))
		}
	}
	return some, nil
}

// some returns the bits of the m with states left.
func (d *decision) some() (some uint8) {
	if d.left.one != nil && !d.left.one.Empty() {
		some = 1
	}
	for _, left := range d.left.many {
		some |= left
	}
	return some
}

// pass looks once at each state that is left. It takes the state away for m if no transition
// without labels of step m+1 leads from it to a state that is left. It returns how many states it
// has taken away, and how many states and transitions it has looked at.
func (d *decision) pass(down bool) (taken, looked int) {
	n := d.m.NumStates()
	for i := range n {
		s := lts.State(i)
		if down {
			s = lts.State(n - 1 - i)
		}
		if i&(1<<14-1) == 0 && d.ctx.Err() != nil {
			return taken, looked
		}
		before := d.left.of(s)
		if before == 0 {
			continue
		}
		more, goesOn := d.goesOn(s, before)
		if looked += more + 1; goesOn != before {
			d.left.set(s, goesOn)
			taken += bits.OnesCount8(before &^ goesOn)
		}
	}
	return taken, looked
}

// goesOn takes the m that a state is left for. It returns those m with a transition without labels
// of step m+1 to a state that is left for m, and how many transitions it has looked at.
func (d *decision) goesOn(s lts.State, before uint8) (looked int, goesOn uint8) {
	labels, targets := d.m.Out(s)
	for j, t := range targets {
		if goesOn |= d.left.of(t) & d.avoids[labels.At(j)]; before&^goesOn == 0 {
			return j + 1, before
		}
	}
	return len(targets), before & goesOn
}

// count counts the ways of the m with this bit from states that are left for it.
func (d *decision) count(bit uint8) (err error) {
	if d.ways == nil {
		if d.ways, err = counters.New(d.ctx, d.m.NumStates()); err != nil {
			return err
		}
	}
	d.ways.Clear()
	for s := range lts.State(d.m.NumStates()) {
		if s&(1<<14-1) == 0 && d.ctx.Err() != nil {
			return d.ctx.Err()
		}
		if d.left.of(s)&bit == 0 {
			continue
		}
		labels, targets := d.m.Out(s)
		for j, t := range targets {
			if d.avoids[labels.At(j)]&bit != 0 {
				d.ways.Add(uint32(t))
			}
		}
	}
	return d.ways.Err()
}

// takeByCounting takes away what it can, for the m with this bit, by the ways to a state from
// those that are left.
func (d *decision) takeByCounting(bit uint8) error {
	if err := d.count(bit); err != nil {
		return err
	}
	for s := range lts.State(d.m.NumStates()) {
		if s&(1<<14-1) == 0 && d.ctx.Err() != nil {
			return d.ctx.Err()
		}
		if d.left.of(s)&bit != 0 && d.ways.None(uint32(s)) {
			d.takeAway(s, s, bit)
		}
	}
	for len(d.next) > 0 {
		d.now, d.next = d.next, d.now[:0]
		for i, s := range d.now {
			if i&(1<<14-1) == 0 && d.ctx.Err() != nil {
				return d.ctx.Err()
			}
			d.takeAway(s, lts.MaxStates, bit)
		}
	}
	return nil
}

// takeAway takes a state away. States below passed to which no way leads any more are come
// back to.
func (d *decision) takeAway(s, passed lts.State, bit uint8) {
	d.left.set(s, d.left.of(s)&^bit)
	labels, targets := d.m.Out(s)
	for j, t := range targets {
		if d.avoids[labels.At(j)]&bit != 0 && d.ways.Remove(uint32(t)) && t < passed && d.left.of(t)&bit != 0 {
			d.next = append(d.next, t)
		}
	}
}

// leftStates has a bit for each state, or a byte.
type leftStates struct {
	one  bitset.Set[lts.State] // nil if there are bytes
	many []uint8
}

func (l *leftStates) of(s lts.State) uint8 {
	if l.one != nil {
		return uint8(l.one[s/64]>>(s%64)) & 1
	}
	return l.many[s]
}

func (l *leftStates) set(s lts.State, left uint8) {
	switch {
	case l.one == nil:
		l.many[s] = left
	case left != 0:
		l.one.Add(s)
	default:
		l.one.Remove(s)
	}
}

// leastProgress has a number from 0 to n for each state, all of them n at first: as bits where
// n is 1, which is so of most properties, and else in a byte, or in two where n > 255.
type leastProgress struct {
	below  bitset.Set[lts.State] // the states that have 0; nil if n is larger
	narrow []uint8
	wide   []uint16
}

func newLeastProgress(ctx context.Context, states, n int) (l leastProgress, err error) {
	switch {
	case n == 1:
		if err = resources.Ask(ctx, int64(states)/8); err == nil {
			l.below = bitset.New[lts.State](states)
		}
		return l, err
	case n <= math.MaxUint8:
		l.narrow, err = resources.Make[uint8](ctx, states)
	default:
		l.wide, err = resources.Make[uint16](ctx, states)
	}
	for s := range l.narrow {
		l.narrow[s] = uint8(n)
	}
	for s := range l.wide {
		l.wide[s] = uint16(n)
	}
	return l, err
}

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

// set sets the number of a state to one that is smaller.
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
