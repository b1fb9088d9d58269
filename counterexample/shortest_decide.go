package counterexample

import (
	"context"
	"math"

	"github.com/inev-lts/inev/internal/bitset"
	"github.com/inev-lts/inev/internal/counters"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/resources"
)

// decision finds out whether there is any counterexample, which is far cheaper than to find
// a shortest one, and needs no components: for each m, whether the states that some run
// reaches with progress at most m have a cycle without labels of step m+1. They have none
// iff they can be taken away one after the other, always one from which no such transition
// leads to those that are left; or one to which none leads, which is counted where going
// through the rows again and again stops paying.
//
// Searches go through the states in ascending order, and come back to those that turn
// up behind them only: so what waits is a small part of most models.
type decision struct {
	*shortest
	// least[s] is the least progress with which a run reaches s; n if none does with less.
	least leastProgress
	// gone are the states that were taken away.
	gone bitset.Set[lts.State]
	// ways counts the transitions to a state from states that are left; nil where nothing
	// has been counted.
	ways *counters.Counters
	// now and next are states to come back to: those that were found before, and since.
	now, next []lts.State
	// worthPasses is the constant, but in tests.
	worthPasses int
}

// worthPasses is how many times all transitions are looked at by passes that take away not
// much less than the one before, until ways are counted.
const worthPasses = 3

// decide finds out whether no run violates the property, and where one does for which m no
// loop does. Cost O(n (S + T)) time; a bit a state, those of [leastProgress], 4 bytes for each
// state that waits and, where states have to be counted, a byte a state, or 5 where more than
// 254 transitions lead to one.
func (s *shortest) decide() error {
	return (&decision{shortest: s, worthPasses: worthPasses}).decide()
}

func (d *decision) decide() (err error) {
	n := d.m.NumStates()
	if d.least, err = newLeastProgress(d.ctx, n, d.p.Len()); err != nil {
		return err
	}
	if err = resources.Ask(d.ctx, int64(n)/8); err != nil {
		return err
	}
	d.gone = bitset.New[lts.State](n)
	dead, err := d.reach()
	if err != nil {
		return err
	}
	s := d.shortest
	s.decided, s.holds = true, !dead
	for m := s.p.Len() - 1; m >= 0; m-- {
		cyclic, err := d.cyclic(m)
		if err != nil {
			return err
		}
		if cyclic {
			s.holds = false
		} else {
			s.cyclic[m] = bitset.New[lts.State](n)
		}
	}
	return nil
}

// reach finds the least progress of all states, by ascending progress, and reports whether a
// run with progress to be made ends in a deadlock.
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

// cyclic takes away what it can, of the states with progress at most m, and reports whether
// any are left.
func (d *decision) cyclic(m int) (bool, error) {
	clear(d.gone)
	states := 0
	for s := range lts.State(d.m.NumStates()) {
		if d.least.at(s) <= m {
			states++
		}
	}
	worth := d.worthPasses * (d.m.NumStates() + d.m.NumTransitions())
	for before, down := states, true; worth > 0; down = !down {
		taken, looked := d.pass(m, down)
		if d.ctx.Err() != nil {
			return false, d.ctx.Err()
		}
		if states -= taken; states == 0 || taken == 0 {
			return states > 0, nil
		}
		if 4*taken > before {
			worth -= looked
		}
		before = taken
	}
	return d.cyclicByCounting(m)
}

// pass looks once at each state with progress at most m that is left, and takes it away where
// no transition without labels of step m+1 leads from there to one that is left. It returns
// how many it has taken away, and how many states and transitions it has looked at.
func (d *decision) pass(m int, down bool) (taken, looked int) {
	n := d.m.NumStates()
	for i := range n {
		s := lts.State(i)
		if down {
			s = lts.State(n - 1 - i)
		}
		if i&(1<<14-1) == 0 && d.ctx.Err() != nil {
			return taken, looked
		}
		if d.least.at(s) > m || d.gone.Has(s) {
			continue
		}
		labels, targets := d.m.Out(s)
		goesOn := false
		for j, t := range targets {
			if looked++; !d.gone.Has(t) && !d.p.Does(labels.At(j), m+1) {
				goesOn = true
				break
			}
		}
		if looked++; !goesOn {
			d.gone.Add(s)
			taken++
		}
	}
	return taken, looked
}

// count counts the ways without labels of step m+1 from states with progress at most m.
func (d *decision) count(m int) (err error) {
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
		if d.least.at(s) > m {
			continue
		}
		labels, targets := d.m.Out(s)
		for j, t := range targets {
			if !d.p.Does(labels.At(j), m+1) {
				d.ways.Add(t)
			}
		}
	}
	return d.ways.Err()
}

// cyclicByCounting is cyclic by the ways to a state from those that are left.
func (d *decision) cyclicByCounting(m int) (bool, error) {
	if err := d.count(m); err != nil {
		return false, err
	}
	left := 0
	for s := range lts.State(d.m.NumStates()) {
		if s&(1<<14-1) == 0 && d.ctx.Err() != nil {
			return false, d.ctx.Err()
		}
		if d.least.at(s) > m {
			continue
		}
		if left++; d.ways.None(s) {
			d.takeAway(s, s, m)
			left--
		}
	}
	for len(d.next) > 0 {
		d.now, d.next = d.next, d.now[:0]
		for i, s := range d.now {
			if i&(1<<14-1) == 0 && d.ctx.Err() != nil {
				return false, d.ctx.Err()
			}
			d.takeAway(s, lts.MaxStates, m)
			left--
		}
	}
	return left > 0, nil
}

// takeAway takes a state away. States below passed to which no way leads any more are come
// back to.
func (d *decision) takeAway(s, passed lts.State, m int) {
	labels, targets := d.m.Out(s)
	for j, t := range targets {
		if !d.p.Does(labels.At(j), m+1) && d.ways.Remove(t) && t < passed {
			d.next = append(d.next, t)
		}
	}
}

// leastProgress has a number from 0 to n for each state, all of them n at first: as bits where
// n is 1, which is so of most properties, and else in a byte, or in two where n > 255.
type leastProgress struct {
	below  bitset.Set[lts.State] // the states that have 0; nil where n is larger
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
