package replay

import (
	"slices"

	"github.com/inev-lts/inev/lts"
)

// bounds are lower bounds of the deviations behind a position.
type bounds struct {
	// starts are positions, ascending, and the last of them is an end: between two of them some
	// deviations are certain, wherever a run begins. From starts[k] on they are remain[k] in all.
	starts, remain []uint32
	// until is the number of the position where deviations end to count. next is the first that
	// is not before the position that was asked for last.
	until, next int
}

// all returns how many deviations are certain of the whole log.
func (b *bounds) all() uint32 {
	if len(b.remain) == 0 {
		return 0
	}
	return b.remain[0]
}

// ahead returns how many deviations are certain behind a position. Cost O(1) if positions are asked
// for one after the other.
func (b *bounds) ahead(i int) uint32 {
	if len(b.starts) == 0 {
		return 0
	}
	for b.next > 0 && int(b.starts[b.next-1]) >= i {
		b.next--
	}
	for b.next < b.until && int(b.starts[b.next]) < i {
		b.next++
	}
	if b.next >= b.until {
		return 0
	}
	return b.remain[b.next] - b.remain[b.until]
}

// How many nodes may be met for each event, and for each transition of the model, to find stretches, and
// to join them.
const (
	mostWork    = 32
	mostJoining = 400
)

// stretch finds stretches of the log that no run does without a deviation, wherever it begins:
// from the left, each as short as it can be. If they take too much work, only the first ones.
func (s *search) stretch() error {
	work := mostWork * (s.n + len(s.rows.targets) + 1000)
	starts := []uint32{0}
	anywhere := true
	var now, then []lts.State
	for i := 1; i <= s.n && work > 0; i++ {
		if i&0xffff == 0 {
			if err := s.ctx.Err(); err != nil {
				return err
			}
		}
		then = s.step(then[:0], now, anywhere, s.event(i))
		work -= len(then) + 1
		now, then = then, now
		if anywhere = len(now) == 0; anywhere {
			starts = append(starts, uint32(i))
		}
	}
	s.bounds = bounds{starts: starts, until: len(starts) - 1}
	for k := range starts {
		s.bounds.remain = append(s.bounds.remain, uint32(len(starts)-1-k))
	}
	return nil
}

// step appends the states that an event leads to without a deviation, from some states or anywhere.
func (s *search) step(then, now []lts.State, anywhere bool, label uint32) []lts.State {
	if label == unknown {
		return then
	}
	s.begin()
	meet := func(all []lts.State) {
		for _, to := range all {
			if s.seen[to] != s.epoch {
				s.seen[to] = s.epoch
				then = append(then, to)
			}
		}
	}
	if anywhere {
		meet(s.rows.anywhere(label, s.m.Alphabet().Len()))
	}
	for _, at := range now {
		meet(s.rows.by(at, label))
	}
	for k := 0; k < len(then); k++ {
		meet(s.rows.free(then[k]))
	}
	return then
}

// Stretches are joined so many at a time, and tried with so many deviations more than are certain of
// them one by one.
const (
	joined   = 16
	mostMore = 8
)

// strengthen joins stretches, and what was joined again, and finds out how many deviations are
// certain of them together: the bounds come close to what the whole log needs. It gives up if
// that takes too much work. Cost O(n) if few deviations depend on others.
func (s *search) strengthen() error {
	work := mostJoining * (s.n + len(s.rows.targets) + 1000)
	units := make([]int, len(s.bounds.starts)) // the numbers of positions that part what is joined
	for k := range units {
		units[k] = k
	}
	all := make(layer, s.m.NumStates())
	for state := range all {
		all[state].state = lts.State(state)
	}
	for len(units) > 2 && work > 0 {
		var parts []int
		for k := 0; k < len(units)-1; k += joined {
			parts = append(parts, units[k])
		}
		parts = append(parts, units[len(units)-1])
		remain := slices.Clone(s.bounds.remain)
		for k := len(parts) - 2; k >= 0; k-- {
			first, end := parts[k], parts[k+1]
			certain := s.bounds.remain[first] - s.bounds.remain[end]
			for at := first; at < end; at++ {
				remain[at] = s.bounds.remain[at] - s.bounds.remain[end] + remain[end]
			}
			if work > 0 {
				least, err := s.least(all, first, end, certain, &work)
				if err != nil {
					return err
				}
				remain[first] = least + remain[end]
			}
		}
		s.bounds.remain = remain
		units = parts
	}
	s.bounds.until = len(s.bounds.starts) - 1
	return nil
}

// least returns how many deviations are certain between two positions, wherever a run begins, if so
// many are.
func (s *search) least(all layer, first, end int, certain uint32, work *int) (uint32, error) {
	s.bounds.until = end
	from, to := int(s.bounds.starts[first]), int(s.bounds.starts[end])
	for more := range uint32(mostMore) {
		s.bound = certain + more
		s.enter(from, all, nil)
		for i := from + 1; i <= to && len(s.now) > 0; i++ {
			if *work -= len(s.now); *work < 0 {
				return s.bound, s.ctx.Err()
			}
			s.advance(i)
		}
		if len(s.now) > 0 {
			return s.bound, s.ctx.Err()
		}
	}
	return s.bound + 1, s.ctx.Err()
}
