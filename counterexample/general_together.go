package counterexample

import (
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
)

// mostTogether is the number of colours to be met up to which searches are made from many
// heads at once.
const mostTogether = 3

// loopsTogether is [together] for closed walks with colours to be met: it finds the lengths of
// shortest ones through up to 64 heads in one search, in which each of them has a bit.
type loopsTogether struct {
	*loops
	// meetings are of the heads; a place is a state with a set of colours met, state<<bits | set.
	meetings meetings[uint64]
	// lengths has for each head the length of a shortest run whose loop begins there.
	lengths [64]int
	from    []lts.State
	// vain has the heads before until that are on no loop that is short enough.
	vain  bitset.Set[lts.State]
	until lts.State
}

func (x *loops) newTogether() error {
	n := x.m.NumStates() << x.bits
	if err := resources.Ask(x.ctx, 24*int64(n)); err != nil {
		return err
	}
	x.together = &loopsTogether{loops: x, meetings: newMeetings[uint64](n), vain: bitset.New[lts.State](x.m.NumStates())}
	return nil
}

// forget makes all that was told unknown, for another bound.
func (x *loopsTogether) forget() {
	if x != nil {
		x.until = 0
		clear(x.vain)
	}
}

// inVain reports whether no loop that begins at a head is short enough. It tells that of the
// next heads with it.
func (x *loops) inVain(at beginning) (bool, error) {
	if x.together == nil {
		if err := x.newTogether(); err != nil {
			return false, err
		}
	}
	y := x.together
	if at.state >= y.until {
		if err := y.tell(at); err != nil {
			return false, err
		}
	}
	return y.vain.Has(at.state), nil
}

// tell finds from which of the next heads no loop is short enough.
func (x *loopsTogether) tell(at beginning) error {
	x.did.told++
	x.from = x.from[:0]
	for s := range x.heads.From(at.state) {
		if len(x.from) == len(x.lengths) || int(x.distance[s]) >= at.most {
			break
		}
		x.from, x.until = append(x.from, s), s+1
	}
	if err := x.searchAll(at.most); err != nil {
		return err
	}
	for i, s := range x.from {
		if x.lengths[i] > at.most {
			x.vain.Add(s)
		}
	}
	return nil
}

// searchAll finds the length of a shortest run with a loop from each head; one more than most if
// none is that short. Each search sets out when a run can have come to its head: so those from heads
// near each other come to most places at the same time, and go on from there together. Cost
// O(2^k (S + T)) for each length of runs that come to states.
func (x *loopsTogether) searchAll(most int) (err error) {
	x.meetings.front, x.meetings.all = x.meetings.front[:0], x.meetings.all[:0]
	for i := range x.from {
		x.lengths[i] = most + 1
	}
	live, begun := uint64(0), 0
	for length := int(x.distance[x.from[0]]) + 1; length <= most && err == nil && !x.stopped; length++ {
		for ; begun < len(x.from) && int(x.distance[x.from[begun]]) < length; begun++ {
			x.meetings.begin(uint64(x.from[begun])<<x.bits, 1<<begun)
			live |= 1 << begun
		}
		if len(x.meetings.front) == 0 {
			if begun == len(x.from) {
				break
			}
			continue
		}
		err = x.forth(live)
		for i, s := range x.from[:begun] {
			if live>>i&1 != 0 && x.meetings.met[uint64(s)<<x.bits|uint64(x.full)]>>i&1 != 0 {
				x.lengths[i] = length
				live &^= 1 << i
			}
		}
	}
	x.meetings.clear()
	return err
}

// forth goes on by one transition, with those bits that are live.
func (x *loopsTogether) forth(live uint64) error {
	x.meetings.ahead = x.meetings.ahead[:0]
	var err error
	left, first := x.part, x.from[0]
	if x.sieve != nil {
		left = x.sieve.left
	}
	for _, place := range x.meetings.front {
		bits := x.meetings.now[place] & live
		x.meetings.now[place] = 0
		if bits == 0 {
			continue
		}
		s := lts.State(place >> x.bits)
		labels, targets := x.m.Out(s)
		if e := x.visit(len(targets)); e != nil {
			err = e
		}
		for i, t := range targets {
			if t < first || left[t] != left[s] {
				continue
			}
			marks := x.u.Marks(s, labels.At(i))
			if marks&x.pair.Fin != 0 {
				continue
			}
			to := uint64(t)<<x.bits | place&uint64(x.full) | uint64(x.colours(marks))
			if fresh := bits &^ x.meetings.met[to]; fresh != 0 {
				x.meetings.meet(to, fresh)
			}
		}
	}
	x.meetings.step()
	return err
}
