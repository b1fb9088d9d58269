package faults

import (
	"context"
	"math/bits"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/stateset"
)

const (
	// mostInImages is the largest size, in bytes, of the tables of images.
	mostInImages = 1 << 18
	// worthPasses is the largest number of passes over all states and transitions for each property
	// state, since searching product states costs more.
	worthPasses = 20
)

// faultWords is [faultSearch] without the product, for a property of few states whose violations
// need no colour to recur. For each state of the model, it has the set of property states that runs
// have there, and the set of property states from where an infinite run without faults violates the
// property.
type faultWords[W stateset.Set] struct {
	ctx     context.Context
	m       *lts.LTS
	fates   *fate.Map
	table   property.Automaton
	isFault []bool // for each label, whether it is a fault
	// ahead are, for a set of property states, the successors from where the property can still be
	// violated.
	ahead stateset.Images[W]
	// lost are the property states that accept nothing, ends those where no run may end.
	lost, ends W
	// endless are, for each state, the property states from which an infinite run without faults
	// violates the property.
	endless []W

	visited, fresh []W
	// looks is the number of states and transitions visited, most the limit of this number.
	looks, most int
}

// inWords is [Least] without the product. It is nil if the product must be used: if the
// product exists already, under fairness, if the property has too many states or letters or demands
// that colours recur, or if there would be too many passes.
func inWords(ctx context.Context, fates *fate.Map, isFault func(lts.Label) bool) *Faults {
	p := fates.Property()
	if _, known := fates.Unfolding(); known || fates.Fairness() != nil {
		return nil
	}
	t := p.Automaton()
	width := stateset.Width(&t, mostInImages)
	pairs, few := t.Acceptance.Not().Pairs(mostPairs)
	if !few || width == 0 {
		return nil
	}
	for _, pair := range pairs {
		if pair.Inf != 0 {
			return nil
		}
	}
	switch width {
	case 1:
		return faultsInWords[uint8](ctx, fates, t, pairs, isFault)
	case 2:
		return faultsInWords[uint16](ctx, fates, t, pairs, isFault)
	case 4:
		return faultsInWords[uint32](ctx, fates, t, pairs, isFault)
	}
	return faultsInWords[uint64](ctx, fates, t, pairs, isFault)
}

func faultsInWords[W stateset.Set](ctx context.Context, fates *fate.Map, t property.Automaton, pairs []property.Pair, isFault func(lts.Label) bool) *Faults {
	x := &faultWords[W]{ctx: ctx, m: fates.LTS(), fates: fates, table: t}
	x.isFault = make([]bool, x.m.Alphabet().Len())
	for l := range x.isFault {
		x.isFault[l] = isFault(lts.Label(l))
	}
	canAccept := satisfiable(ctx, fates.Property())
	for q, stop := range t.Stop {
		if !canAccept(property.Q(q)) {
			x.lost |= 1 << q
		}
		if !stop {
			x.ends |= 1 << q
		}
	}
	n := x.m.NumStates()
	abort.On(resources.AskFor[W](ctx, 4*n))
	x.most = worthPasses * (1 + t.States()) * (n + x.m.NumTransitions())
	x.endless, x.visited, x.fresh = make([]W, n), make([]W, n), make([]W, n)
	open := x.ends | x.lost
	for _, pair := range pairs {
		open |= x.goOn(pair.Fin)
		if x.looks > x.most {
			return nil
		}
	}
	x.lead(open)
	return x.search()
}

// lead makes the images ahead, of the property states from where some state of open is reachable.
func (x *faultWords[W]) lead(open W) {
	t := &x.table
	for grown := true; grown; {
		grown = false
		for i, to := range t.Next {
			if from := i / t.Columns; open>>to&1 != 0 && open>>from&1 == 0 {
				open |= 1 << from
				grown = true
			}
		}
	}
	x.ahead = stateset.Forward[W](t, func(_, to property.Q, _ property.Marks) bool { return open>>to&1 != 0 })
}

// goOn adds to endless the product states from where a run that stays on one loop of the property
// avoids faults and some colours. It returns the property states on such loops.
func (x *faultWords[W]) goOn(fin property.Marks) (on W) {
	pair := property.Pair{Fin: fin}
	loops, states := stateset.Loops(&x.table, pair)
	before := stateset.Backward[W](&x.table, stateset.Stays(loops, pair))
	on = W(states)
	if on == 0 {
		return 0
	}
	left := x.fresh // the next free index
	for s := range left {
		left[s] = on
	}
	down := true
	for x.looks <= x.most && x.pass(left, &before, down) {
		down = !down
	}
	for s, set := range left {
		x.endless[s] |= set
	}
	clear(left)
	return on
}

// pass removes once, from each state, the property states without a successor in left, and reports
// whether it removed any.
func (x *faultWords[W]) pass(left []W, before *stateset.Images[W], down bool) bool {
	x.looks += len(left)
	return abort.Must(stateset.Pass(x.ctx, len(left), down, func(s lts.State) bool {
		if left[s] == 0 {
			return false
		}
		goesOn := x.into(s, left, before)
		taken := goesOn != left[s]
		left[s] = goesOn
		return taken
	})) > 0
}

// into returns the property states of left[s] from which a transition that is no fault leads into
// left.
func (x *faultWords[W]) into(s lts.State, left []W, before *stateset.Images[W]) (goesOn W) {
	labels, targets := x.m.Out(s)
	x.looks += len(targets)
	for j, t := range targets {
		set, l := left[t], labels.At(j)
		if set == 0 || x.isFault[l] {
			continue
		}
		if goesOn |= before.Of(x.table.Letters[l], set) & left[s]; goesOn == left[s] {
			break
		}
	}
	return goesOn
}

// behindFault is a state where runs begin or arrive by a fault, with their property states there.
type behindFault[W stateset.Set] struct {
	state lts.State
	set   W
}

// search counts the faults to the nearest product state from where a run needs no further fault,
// and to the nearest where the property is lost.
func (x *faultWords[W]) search() *Faults {
	r := &Faults{}
	later := []behindFault[W]{{x.m.Initial(), 1 << x.table.Initial}}
	var line []lts.State
	for faults := 0; len(later) > 0; faults++ {
		line = line[:0]
		for _, b := range later {
			line = x.meet(b.state, b.set, line)
		}
		later = later[:0]
		for i := 0; i < len(line); i++ {
			abort.IfDone(x.ctx, i)
			s := line[i]
			set := x.fresh[s]
			x.fresh[s] = 0
			if !r.Loses && x.isLost(s, set) {
				r.Lost, r.Loses = faults, true
			}
			labels, targets := x.m.Out(s)
			if set&(x.endless[s]|x.lost) != 0 || len(targets) == 0 && set&x.ends != 0 {
				r.Least, r.Finite = faults, true
				return r
			}
			for j, t := range targets {
				l := labels.At(j)
				more := x.ahead.Of(x.table.Letters[l], set) &^ x.visited[t]
				switch {
				case more == 0:
				case x.isFault[l]:
					later = append(later, behindFault[W]{t, more})
				default:
					line = x.meet(t, more, line)
				}
			}
		}
	}
	return r
}

// meet adds property states to those that runs have in a state, and adds the state to the queue if
// it is not there.
func (x *faultWords[W]) meet(s lts.State, set W, line []lts.State) []lts.State {
	set &^= x.visited[s]
	if set == 0 {
		return line
	}
	if x.fresh[s] == 0 {
		line = append(line, s)
	}
	x.visited[s] |= set
	x.fresh[s] |= set
	return line
}

// isLost reports whether the property is lost in state s with some property state of set.
func (x *faultWords[W]) isLost(s lts.State, set W) bool {
	for left := uint64(set); left != 0; left &= left - 1 {
		if x.fates.At(s, property.Q(bits.TrailingZeros64(left))) == fate.Lost {
			return true
		}
	}
	return false
}
