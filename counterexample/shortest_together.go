package counterexample

import (
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
)

// together finds the lengths of shortest cycles through up to 64 states in one search, breadth
// first against the direction of transitions: see [meetings]. If most states are met by all of
// them at about the same distance, it costs little more than the search from one.
type together struct {
	*sieve
	// within are the states that cycles may pass.
	within   bitset.Set[lts.State]
	meetings meetings[lts.State]
	lengths  [64]int

	// told[m] says for which heads it is known whether loops begin there.
	told []told
	// dear tells that it costs less to search from one head after the other.
	dear bool
	from []lts.State
	most []int
}

// told is what is known of the heads at nodes before until: those in vain begin no loop of a
// lasso of at most as many transitions as are looked for.
type told struct {
	until int
	vain  bitset.Set[lts.State]
}

// newTogether makes a search that has told nothing, where there is none.
func (s *shortest) newTogether() error {
	if s.together != nil {
		return nil
	}
	n, sets := s.m.NumStates(), 1+s.p.Len()
	if err := resources.Ask(s.ctx, 36*int64(n)+8*int64(sets)*int64(bitset.Words(n))); err != nil {
		return err
	}
	if err := s.bounded.findPredecessors(); err != nil {
		return err
	}
	s.together = &together{
		sieve: s.sieve, within: bitset.New[lts.State](n), told: make([]told, s.p.Len()),
		meetings: newMeetings[lts.State](n),
	}
	for m := range s.together.told {
		s.together.told[m].vain = bitset.New[lts.State](n)
	}
	return nil
}

// forget makes all that was told unknown, for another bound.
func (x *together) forget() {
	if x == nil {
		return
	}
	for m := range x.told {
		x.told[m].until = 0
		clear(x.told[m].vain)
	}
	x.dear = false
}

// inVain reports whether it is known that no loop of a lasso of at most most transitions, that
// avoids step m+1, begins at node i, a head at this distance. It tells that of the next heads
// with it.
func (s *shortest) inVain(i, distance, m, most int) (bool, error) {
	if err := s.newTogether(); err != nil {
		return false, err
	}
	x := s.together
	if i >= x.told[m].until && !x.dear {
		if err := x.tell(i, distance, m, most); err != nil {
			return false, err
		}
	}
	return i < x.told[m].until && x.told[m].vain.Has(s.nodes.At(i).state), nil
}

// tell finds for which of the next heads, from node i on, there is no loop that is short enough.
func (x *together) tell(i, distance, m, most int) error {
	x.from, x.most = x.from[:0], x.most[:0]
	first := distance
	for ; i < x.nodes.Len() && len(x.from) < len(x.lengths); i++ {
		for distance+1 < len(x.levels) && x.levels[distance+1] <= i {
			distance++
		}
		if distance >= most {
			break
		}
		at := x.nodes.At(i)
		if int(at.progress) <= m && m <= int(at.upTo) && x.heads.wanted(at.state, m) && x.left[m].Has(at.state) {
			x.from, x.most = append(x.from, at.state), append(x.most, most-distance)
		}
	}
	x.told[m].until = i
	copy(x.within, x.left[m])
	for w, finished := range x.bounded.finished[m] {
		x.within[w] &^= finished
	}
	work := x.work
	if err := x.search(x.from, m, most-first); err != nil {
		return err
	}
	for k, s := range x.from {
		if x.lengths[k] > x.most[k] {
			x.told[m].vain.Add(s)
		}
	}
	searches := int(x.bounded.search - x.searched)
	x.dear = 2*(x.work-work)*searches > len(x.from)*(x.bounded.work-x.sifted)
	return nil
}

// search finds the length of a shortest cycle through each of up to 64 states, without labels of
// step m+1 and through states that are within; more than radius where that is longer. Cost
// O(S + T) for each of the distances at which states are met.
func (x *together) search(from []lts.State, m, radius int) (err error) {
	live := ^uint64(0) >> (64 - len(from))
	x.meetings.front, x.meetings.all = append(x.meetings.front[:0], from...), x.meetings.all[:0]
	for i, s := range from {
		x.meetings.now[s] |= 1 << i
		x.lengths[i] = radius + 1
	}
	for length := 1; length <= radius && len(x.meetings.front) > 0 && err == nil; length++ {
		err = x.step(m, live)
		for i, s := range from {
			if live>>i&1 != 0 && x.meetings.met[s]>>i&1 != 0 {
				x.lengths[i] = length
				live &^= 1 << i
			}
		}
	}
	x.meetings.clear()
	return err
}

// step goes on by one transition, with those bits that are live.
func (x *together) step(m int, live uint64) error {
	x.meetings.ahead = x.meetings.ahead[:0]
	var err error
	for _, to := range x.meetings.front {
		bits := x.meetings.now[to] & live
		x.meetings.now[to] = 0
		if bits == 0 {
			continue
		}
		labels, sources := x.bounded.before.In(to)
		if e := x.visit(len(sources)); e != nil {
			err = e
		}
		for j, from := range sources {
			fresh := bits &^ x.meetings.met[from]
			if fresh == 0 || !x.within.Has(from) || x.p.Does(labels.At(j), m+1) {
				continue
			}
			x.meetings.meet(from, fresh)
		}
	}
	x.meetings.step()
	return err
}
