package repair

import (
	"slices"

	"github.com/inev-lts/inev/lts"
)

// mostAlso is the number of sets of labels that the correct run can be asked to do, too.
const mostAlso = 8

// demand puts down of which sets of labels the correct run has to do one: those of which the
// other run does.
func (x *nearest) demand(sets [][]lts.Label) {
	x.does = map[lts.Label]uint8{}
	for i, set := range sets[:min(len(sets), mostAlso)] {
		if slices.ContainsFunc(x.steps, func(t lts.Transition) bool { return slices.Contains(set, t.Label) }) {
			x.all |= 1 << i
			for _, l := range set {
				x.does[l] |= 1 << i
			}
		}
	}
}

// done returns the bits of the sets of labels of which some steps do one.
func (x *nearest) done(steps []lts.Transition) (did uint8) {
	for _, t := range steps {
		did |= x.does[t.Label]
	}
	return did
}

// other returns step i of the other run, which goes round its loop; false if it has ended.
func (x *nearest) other(i int) (lts.Transition, bool) {
	if i >= len(x.steps) && x.loop >= 0 {
		i = x.loop + (i-x.loop)%(len(x.steps)-x.loop)
	}
	if i >= len(x.steps) {
		return lts.Transition{}, false
	}
	return x.steps[i], true
}

// diff returns where the run that leads to a node, and goes on with the loop, leaves the
// other one.
func (x *nearest) diff(end ending) *Diff {
	correct := slices.Clone(end.loop)
	slices.Reverse(correct)
	for n := x.nodes.At(*end.at); n.parent >= 0; n = x.nodes.At(n.parent) {
		if n.op != Remove {
			correct = append(correct, n.step)
		}
	}
	slices.Reverse(correct)
	fork := 0
	for ; ; fork++ {
		if fork == len(correct) {
			// They differ in a later round: both go on for ever, and are not the same.
			correct = append(correct, end.loop...)
		}
		if fork == len(correct) {
			break
		}
		if step, goes := x.other(fork); !goes || step != correct[fork] {
			break
		}
	}
	correct, fork = x.withoutRounds(correct, fork, len(end.loop))
	d := &Diff{Edits: end.edits, Fork: fork, Loop: len(end.loop), Ends: end.ends}
	put := func(op Op, steps []lts.Transition, progress int) int {
		for _, t := range steps {
			if op != Remove {
				progress = int(x.unfolding.Place(t.To).Q)
			}
			d.Steps = append(d.Steps, Edit{op, x.folded(t), progress})
		}
		return progress
	}
	progress := put(Keep, correct[:fork], int(x.unfolding.Place(0).Q))
	put(Remove, x.gone(fork, d), progress)
	put(Insert, correct[fork:], progress)
	return d
}

// withoutRounds leaves out the rounds of the loop of the other run that the correct one goes,
// too, and comes back from with nothing changed.
func (x *nearest) withoutRounds(correct []lts.Transition, fork, loop int) ([]lts.Transition, int) {
	if x.start < 0 || fork >= len(correct) {
		return correct, fork
	}
	rest := correct[fork:]
	if begin := len(correct) - loop; fork > begin {
		rest = append(slices.Clone(rest), correct[begin:fork]...)
	}
	round := len(x.steps) - x.loop
	for at := x.start + (fork-x.start)%round; at < fork && fork > x.start; at += round {
		step, _ := x.other(at)
		shorter := append(slices.Clone(correct[:at]), rest...)
		if correct[at].From == correct[fork].From && step != correct[fork] && x.done(shorter) == x.done(correct) {
			return shorter, at
		}
	}
	return correct, fork
}

// gone returns what the other run does from the fork on: see [Diff].
func (x *nearest) gone(fork int, d *Diff) []lts.Transition {
	if x.start < 0 {
		return x.steps[fork:]
	}
	last := fork + 1
	if d.Loop > 0 || d.Ends {
		round := len(x.steps) - x.loop
		for last = x.start + round; last <= fork; last += round {
		}
	}
	var gone []lts.Transition
	for i := fork; i < last; i++ {
		step, _ := x.other(i)
		gone = append(gone, step)
	}
	return gone
}
