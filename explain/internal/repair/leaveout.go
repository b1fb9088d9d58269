package repair

import (
	"math"

	"github.com/inev-lts/inev/lts"
)

// meeting are the places that a part has of one state of the model.
type meeting struct {
	in     *found
	cycles cycles
	places []lts.State
}

// meetings returns for each chosen state the parts that it is in, in their order. Cost O(S) of all parts.
func (x *choices) meetings(all []cycles) map[lts.State][]meeting {
	met := make(map[lts.State][]meeting, len(x.chosen))
	for _, s := range x.chosen {
		met[s] = nil
	}
	for _, c := range all {
		for i := range c.parts {
			p := &c.parts[i]
			for _, at := range p.states {
				s := x.unfolding.Place(at).State
				of, chosen := met[s]
				if !chosen {
					continue
				}
				if len(of) == 0 || of[len(of)-1].in != p {
					of = append(of, meeting{in: p, cycles: c})
				}
				last := &of[len(of)-1]
				last.places = append(last.places, at)
				met[s] = of
			}
		}
	}
	return met
}

// leaveOut leaves out the chosen states without which the others suffice.
func (x *choices) leaveOut(all []cycles) error {
	met := x.meetings(all)
	var kept []lts.State
	for _, s := range x.chosen {
		x.fair.Remove(s)
		suffices := true
		for _, m := range met[s] {
			var err error
			suffices, err = x.suffices(m, s)
			if err != nil || x.ended() {
				return err
			}
			if !suffices {
				break
			}
		}
		if !suffices {
			x.fair.Add(s)
			kept = append(kept, s)
		}
	}
	x.chosen = kept
	return nil
}

// suffices reports whether no run stays for ever in a part and comes to s again and again that
// is fair to the chosen states, of which s is none. One that comes to no other of them is
// found nearby.
func (x *choices) suffices(m meeting, s lts.State) (bool, error) {
	stays := x.leftOver(m.cycles.without)
	past := func(from lts.State, l lts.Label, to lts.State) bool {
		return stays(from, l, to) && !x.fair.Has(x.unfolding.Place(to).State)
	}
	for _, at := range m.places {
		if is, err := x.search.OnCycle(at, past); is || err != nil {
			return false, err
		}
	}
	states := m.in.states
	if x.condition == nil {
		states = x.narrowed(states, stays)
	}
	return x.refute(states, m.cycles, nil, func(at lts.State) bool { return at == s })
}

// narrowing finds where in a part of a chain a run can stay for ever that is fair to the chosen
// states, by counting.
type narrowing struct {
	*choices
	stays func(lts.State, lts.Label, lts.State) bool
	// out and in are the numbers of transitions between the places that are left which leave
	// and enter a place; out of one that is not left is gone.
	out, in []uint32
	removed []lts.State
}

const gone = math.MaxUint32

// narrowed returns the places of a part without those that lie in no set of transitions that a
// run can take for ever and is fair to the chosen states: those of chosen states from which
// some transition leads elsewhere, those that no transition enters, and those that none
// leaves, again and again. Cost O(S + T) of the part.
func (x *choices) narrowed(part []lts.State, stays func(lts.State, lts.Label, lts.State) bool) []lts.State {
	half := x.m.NumStates()
	n := narrowing{choices: x, stays: stays, out: x.numbers[:half], in: x.numbers[half:]}
	n.count(part)
	for next := 0; next < len(n.removed); next++ {
		n.takeAway(n.removed[next])
	}
	left := make([]lts.State, 0, len(part)-len(n.removed))
	for _, s := range part {
		if n.out[s] != gone {
			left = append(left, s)
		}
	}
	return left
}

// count counts transitions, and removes the first places.
func (n *narrowing) count(part []lts.State) {
	n.search.Enter(part)
	for _, s := range part {
		n.out[s], n.in[s] = 0, 0
	}
	var partial []lts.State
	for _, s := range part {
		all := true
		labels, targets := n.m.Out(s)
		for i, to := range targets {
			if n.search.Has(to) && n.stays(s, labels.At(i), to) {
				n.out[s]++
				n.in[to]++
			} else if n.allows(s, labels.At(i), to) {
				all = false
			}
		}
		if !all && n.isFair(s) {
			partial = append(partial, s)
		}
	}
	for _, s := range partial {
		n.remove(s)
	}
	for _, s := range part {
		if n.out[s] == 0 || n.in[s] == 0 {
			n.remove(s)
		}
	}
}

func (n *narrowing) isFair(s lts.State) bool { return n.fair.Has(n.unfolding.Place(s).State) }

func (n *narrowing) remove(s lts.State) {
	if n.out[s] != gone {
		n.out[s] = gone
		n.removed = append(n.removed, s)
	}
}

// takeAway takes the transitions away that enter and leave a place that was removed.
func (n *narrowing) takeAway(s lts.State) {
	labels, targets := n.m.Out(s)
	for i, to := range targets {
		if n.search.Has(to) && n.out[to] != gone && n.stays(s, labels.At(i), to) {
			if n.in[to]--; n.in[to] == 0 {
				n.remove(to)
			}
		}
	}
	labels, sources := n.m.Predecessors().In(s)
	for i, from := range sources {
		if n.search.Has(from) && n.out[from] != gone && n.stays(from, labels.At(i), s) {
			if n.out[from]--; n.out[from] == 0 || n.isFair(from) {
				n.remove(from)
			}
		}
	}
}
