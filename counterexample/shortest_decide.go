package counterexample

import (
	"math"

	"github.com/inev-lts/inev/internal/bitset"
	"github.com/inev-lts/inev/internal/counters"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/resources"
)

// decision finds out whether there is any counterexample, which is far cheaper than to find
// a shortest one, and needs no components: for each m, whether the states that some run
// reaches with progress at most m have a cycle without labels of step m+1. They have none
// iff they can be taken away one after the other, always one to which no such transition
// leads from those that are left.
//
// Both searches go through the states in ascending order, and come back to those that turn
// up behind them only: so what waits is a small part of most models.
type decision[Level uint8 | uint16] struct {
	*shortest
	// least[s] is the least progress with which a run reaches s; n if none does with less.
	least []Level
	// ways counts the transitions to a state from states that are left.
	ways *counters.Counters
	// now and next are states to come back to: those that were found before, and since.
	now, next []lts.State
}

// decide finds out whether no run violates the property, and where one does for which m no
// loop does. Cost O(n (S + T)) time; 2 bytes a state while it runs, 5 more where more than
// 254 transitions lead to a state, 1 more where n > 255, and 4 for each state that waits.
func (s *shortest) decide() error {
	if s.p.Len() > math.MaxUint8 {
		return decideWith[uint16](s)
	}
	return decideWith[uint8](s)
}

func decideWith[Level uint8 | uint16](s *shortest) error {
	n := s.m.NumStates()
	d := &decision[Level]{shortest: s}
	var err error
	if d.least, err = resources.Make[Level](s.ctx, n); err != nil {
		return err
	}
	if d.ways, err = counters.New(s.ctx, n); err != nil {
		return err
	}
	dead, err := d.reach()
	if err != nil {
		return err
	}
	s.decided, s.holds = true, !dead
	for m := s.p.Len() - 1; m >= 0; m-- {
		if m < s.p.Len()-1 {
			d.count(m)
		}
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

// reach finds the least progress of all states, by ascending progress, counts the ways
// without labels of the last step, and reports whether a run with progress to be made ends
// in a deadlock.
func (d *decision[Level]) reach() (dead bool, err error) {
	last := d.p.Len()
	for s := range d.least {
		d.least[s] = Level(last)
	}
	initial := d.m.Initial()
	d.least[initial] = 0
	for progress := 0; progress < last; progress++ {
		for s, least := range d.least {
			if int(least) == progress {
				dead = d.expand(lts.State(s), lts.State(s), progress) || dead
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
func (d *decision[Level]) expand(s, passed lts.State, progress int) (dead bool) {
	d.reached++
	last := d.p.Len()
	labels, targets := d.m.Out(s)
	for j, t := range targets {
		label := labels.At(j)
		if !d.p.Does(label, last) {
			d.ways.Add(t)
		}
		after := d.p.Advance(progress, label)
		if after >= int(d.least[t]) {
			continue
		}
		d.least[t] = Level(after)
		if after == progress && t < passed {
			d.next = append(d.next, t)
		}
	}
	return len(targets) == 0
}

// count counts the ways without labels of step m+1 from states with progress at most m.
func (d *decision[Level]) count(m int) {
	d.ways.Clear()
	for s := range lts.State(len(d.least)) {
		if int(d.least[s]) > m {
			continue
		}
		labels, targets := d.m.Out(s)
		for j, t := range targets {
			if !d.p.Does(labels.At(j), m+1) {
				d.ways.Add(t)
			}
		}
	}
}

// cyclic takes away what it can, of the states with progress at most m, and reports whether
// any are left.
func (d *decision[Level]) cyclic(m int) (bool, error) {
	if err := d.ways.Err(); err != nil {
		return false, err
	}
	left := 0
	for s, least := range d.least {
		if s&(1<<14-1) == 0 && d.ctx.Err() != nil {
			return false, d.ctx.Err()
		}
		if int(least) > m {
			continue
		}
		if left++; d.ways.None(lts.State(s)) {
			d.takeAway(lts.State(s), lts.State(s), m)
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
func (d *decision[Level]) takeAway(s, passed lts.State, m int) {
	labels, targets := d.m.Out(s)
	for j, t := range targets {
		if !d.p.Does(labels.At(j), m+1) && d.ways.Remove(t) && t < passed {
			d.next = append(d.next, t)
		}
	}
}
