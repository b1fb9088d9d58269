package counterexample

import (
	"github.com/inev-lts/inev/internal/bitset"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/resources"
)

// decision finds out whether there is any counterexample, which is far cheaper than to find
// a shortest one, and needs no components: for each m, whether the states that some run
// reaches with progress at most m have a cycle without labels of step m+1. They have none
// iff they can be taken away one after the other, always one to which no such transition
// leads from those that are left.
type decision struct {
	*shortest
	// least[s] is the least progress with which a run reaches s; n if none does with less.
	least []uint16
	// ways[s] is the number of transitions to s from states that are left.
	ways []uint32
	// queue holds the states that were reached, and then those that are taken away.
	queue []lts.State
}

// decide finds out whether no run violates the property, and where one does for which m no
// loop does. Cost O(n (S + T)) time, 10 bytes a state while it runs.
func (s *shortest) decide() error {
	n := s.m.NumStates()
	if err := resources.Ask(s.ctx, 10*int64(n)); err != nil {
		return err
	}
	d := &decision{shortest: s, least: make([]uint16, n), ways: make([]uint32, n), queue: make([]lts.State, 0, n)}
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
func (d *decision) reach() (dead bool, err error) {
	last := d.p.Len()
	for s := range d.least {
		d.least[s] = uint16(last)
	}
	d.least[d.m.Initial()] = 0
	now, later := append(d.queue, d.m.Initial()), []lts.State(nil)
	for progress := 0; progress < last; progress++ {
		for i := 0; i < len(now); i++ {
			s := now[i]
			if int(d.least[s]) < progress {
				continue
			}
			if d.reached++; d.reached&(1<<14-1) == 0 && d.ctx.Err() != nil {
				return dead, d.ctx.Err()
			}
			labels, targets := d.m.Out(s)
			dead = dead || labels.Len() == 0
			for j, t := range targets {
				if !d.p.Does(labels.At(j), last) {
					d.ways[t]++
				}
				after := d.p.Advance(progress, labels.At(j))
				switch {
				case after >= int(d.least[t]):
				case after == progress:
					d.least[t] = uint16(after)
					now = append(now, t)
				default:
					d.least[t] = uint16(after)
					later = append(later, t)
				}
			}
		}
		now, later = later, now[:0]
	}
	return dead, nil
}

// count counts the ways without labels of step m+1 from states with progress at most m.
func (d *decision) count(m int) {
	clear(d.ways)
	for s := range lts.State(len(d.least)) {
		if int(d.least[s]) > m {
			continue
		}
		labels, targets := d.m.Out(s)
		for j, t := range targets {
			if !d.p.Does(labels.At(j), m+1) {
				d.ways[t]++
			}
		}
	}
}

// cyclic takes away what it can, of the states with progress at most m, and reports whether
// any are left.
func (d *decision) cyclic(m int) (bool, error) {
	left := 0
	queue := d.queue[:0]
	for s, least := range d.least {
		if int(least) > m {
			continue
		}
		if left++; d.ways[s] == 0 {
			queue = append(queue, lts.State(s))
		}
	}
	for i := 0; i < len(queue); i++ {
		if i&(1<<14-1) == 0 && d.ctx.Err() != nil {
			return false, d.ctx.Err()
		}
		labels, targets := d.m.Out(queue[i])
		for j, t := range targets {
			if d.p.Does(labels.At(j), m+1) {
				continue
			}
			if d.ways[t]--; d.ways[t] == 0 {
				queue = append(queue, t)
			}
		}
	}
	d.queue = queue
	return len(queue) < left, nil
}
