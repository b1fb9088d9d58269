package counterexample

import (
	"math/bits"

	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// fewSources is the number of states with a transition that meets a colour up to which loops are
// looked for through these before anything else is tried.
const fewSources = 4

// fewer is how many heads there must be for each of these states once heads have been sifted:
// half as many as are searched from together.
const fewer = 32

// loopsThrough finds the shortest loops by searches through the states with a transition that
// meets some colour: each loop to be found passes one of them. It is what searches through
// separators are elsewhere: the search from f has for each place, a state with a set of colours,
// the distance a from f, where nothing is met, and z to f, where all is. The shortest run of which the
// loop begins in t and passes f has D(t) + a + z transitions, for some set.
type loopsThrough struct {
	*loops
	part []uint32
	// away and back are one more than a and z, 0 for places that were not come to; met lists
	// the places with one of them.
	away, back []uint32
	met, queue []uint64
	// length is that of the best run found, which begins its loop in entry.
	length int
	entry  lts.State
}

// sources returns the states with a transition that meets a colour and is no shorter way out of
// its part, for the colour of which they are fewest; nil if there are more than most.
func (x *loops) sources(part []uint32, most int) []lts.State {
	var fewest []lts.State
	for left := x.pair.Inf; left != 0; left &= left - 1 {
		colour := property.Mark(bits.TrailingZeros64(uint64(left)))
		if all, few := x.sourcesOf(part, colour, most); few && (fewest == nil || len(all) < len(fewest)) {
			fewest = all
		}
	}
	return fewest
}

func (x *loops) sourcesOf(part []uint32, colour property.Marks, most int) (all []lts.State, few bool) {
	for s, of := range part {
		if of == 0 {
			continue
		}
		labels, targets := x.m.Out(lts.State(s))
		x.work += len(targets) + 1
		for i, t := range targets {
			if part[t] != of {
				continue
			}
			if marks := x.u.Marks(lts.State(s), labels.At(i)); marks&colour != 0 && marks&x.pair.Fin == 0 {
				if len(all) == most {
					return nil, false
				}
				all = append(all, lts.State(s))
				break
			}
		}
	}
	return all, true
}

// through looks for the shortest run within the bound whose loop passes one of these states.
// Cost O(2^k (S + T)) for each; 8 bytes for each place, and predecessor rows.
func (x *loops) through(sources []lts.State, part []uint32) error {
	n := x.m.NumStates() << x.bits
	if err := resources.Ask(x.ctx, 8*int64(n)); err != nil {
		return err
	}
	if err := x.m.FindPredecessors(x.ctx); err != nil {
		return err
	}
	y := &loopsThrough{loops: x, part: part, away: make([]uint32, n), back: make([]uint32, n), length: x.most() + 1}
	for _, f := range sources {
		if err := y.searchThrough(f); err != nil || x.stopped {
			return err
		}
	}
	if y.length > x.most() {
		return nil
	}
	return x.from(y.entry)
}

// searchThrough looks for the best loop through a state.
func (x *loopsThrough) searchThrough(f lts.State) error {
	x.met = x.met[:0]
	if err := x.forth(f); err != nil {
		return err
	}
	if err := x.goBack(f); err != nil {
		return err
	}
	for _, place := range x.met {
		t := lts.State(place >> x.bits)
		if a, z := x.away[place], x.back[place]; a > 0 && z > 0 {
			if length := int(x.distance[t]) + int(a+z) - 2; length < x.length || length == x.length && length <= x.most() && t < x.entry {
				x.length, x.entry = length, t
			}
		}
	}
	for _, place := range x.met {
		x.away[place], x.back[place] = 0, 0
	}
	return nil
}

// forth finds the distances from f.
func (x *loopsThrough) forth(f lts.State) error {
	start := uint64(f) << x.bits
	x.away[start] = 1
	x.met, x.queue = append(x.met, start), append(x.queue[:0], start)
	for i := 0; i < len(x.queue); i++ {
		place := x.queue[i]
		if int(x.away[place]) > x.most() {
			return nil
		}
		s := lts.State(place >> x.bits)
		labels, targets := x.m.Out(s)
		if err := x.visit(len(targets)); err != nil || x.stopped {
			return err
		}
		for j, t := range targets {
			if x.part[t] != x.part[f] {
				continue
			}
			marks := x.u.Marks(s, labels.At(j))
			if marks&x.pair.Fin != 0 {
				continue
			}
			to := uint64(t)<<x.bits | place&uint64(x.full) | uint64(x.colours(marks))
			if x.away[to] == 0 {
				x.away[to] = x.away[place] + 1
				x.met, x.queue = append(x.met, to), append(x.queue, to)
			}
		}
	}
	return nil
}

// goBack finds the distances to f, from places that were come to.
func (x *loopsThrough) goBack(f lts.State) error {
	end := uint64(f)<<x.bits | uint64(x.full)
	x.back[end] = 1
	if x.away[end] == 0 {
		x.met = append(x.met, end)
	}
	x.queue = append(x.queue[:0], end)
	for i := 0; i < len(x.queue); i++ {
		place := x.queue[i]
		labels, sources := x.m.Predecessors().In(lts.State(place >> x.bits))
		if err := x.visit(len(sources)); err != nil || x.stopped {
			return err
		}
		set := uint32(place) & x.full
		for j, s := range sources {
			if x.part[s] != x.part[f] {
				continue
			}
			marks := x.u.Marks(s, labels.At(j))
			met := x.colours(marks)
			if marks&x.pair.Fin != 0 || met&^set != 0 {
				continue
			}
			// What was met before is the set without any part of what is met here.
			for some := met; ; some = (some - 1) & met {
				from := uint64(s)<<x.bits | uint64(set&^some)
				if x.away[from] > 0 && x.back[from] == 0 && int(x.away[from]+x.back[place])-1 <= x.length {
					x.back[from] = x.back[place] + 1
					x.queue = append(x.queue, from)
				}
				if some == 0 {
					break
				}
			}
		}
	}
	return nil
}
