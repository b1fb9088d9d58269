package faults

import (
	"context"

	"github.com/inev-lts/inev/internal/cores"
	"github.com/inev-lts/inev/internal/property/stateset"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
)

const (
	// mostInImages is the largest size, in bytes, of the tables of images.
	mostInImages = 1 << 18
	// worthPasses is the largest number of passes over all states and transitions for each property
	// state. With more passes, a search of product states is cheaper.
	worthPasses = 20
)

// faultWords is [faultSearch] without the product, for a property of few states whose violations
// need no colour to recur. For each state of the model, it has two sets of property states: those
// in which runs reach the state, and those from which an infinite run without faults violates the
// property.
type faultWords[W stateset.Set] struct {
	m       *lts.LTS
	fates   *fate.Map
	table   property.Automaton
	isFault []bool // for each label, whether it is a fault
	// ahead has, for a set of property states, the successors from which the property can still be
	// violated.
	ahead stateset.Images[W]
	// lost are the property states that accept nothing. mustContinue are those in which no run may end.
	lost, mustContinue W
	// endless are, for each state, the property states from which an infinite run without faults
	// violates the property.
	endless []W

	// visited are, for each state, the property states in which the search has reached it. fresh are
	// those of them whose transitions it has not followed yet.
	visited, fresh []W
	// work is the number of states and transitions visited. most is the limit of this number.
	work, most int
}

// inWords is [Least] without the product. It returns nil if the product must be used: if the
// product exists already; if fairness is assumed; if the property has too many states or letters,
// or demands that colours recur; or if there would be too many passes.
func inWords(
	ctx context.Context,
	fates *fate.Map,
	isFault func(lts.Label) bool,
) (*Faults, error) {
	p := fates.Property()
	if _, known := fates.Unfolding(); known || fates.Fairness() != nil {
		return nil, nil
	}
	t := p.Automaton()
	width := stateset.Width(&t, mostInImages)
	pairs, few := t.Acceptance.Not().Pairs(mostPairs)
	if !few || width == 0 {
		return nil, nil
	}
	for _, pair := range pairs {
		if pair.Inf != 0 {
			return nil, nil
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

// faultsInWords is [inWords] for words of this width. An infinite run violates the property iff it satisfies
// one of the pairs; none of these demands that a colour recurs.
func faultsInWords[W stateset.Set](
	ctx context.Context,
	fates *fate.Map,
	t property.Automaton,
	pairs []property.Pair,
	isFault func(lts.Label) bool,
) (*Faults, error) {
	f := &faultWords[W]{m: fates.LTS(), fates: fates, table: t}
	f.isFault = make([]bool, f.m.Alphabet().Len())
	for l := range f.isFault {
		f.isFault[l] = isFault(lts.Label(l))
	}
	canAccept, err := satisfiable(ctx, fates.Property())
	if err != nil {
		return nil, err
	}
	for q, stop := range t.Stop {
		if !canAccept(property.Q(q)) {
			f.lost |= 1 << q
		}
		if !stop {
			f.mustContinue |= 1 << q
		}
	}
	n := f.m.NumStates()
	if err := resources.AskFor[W](ctx, 4*n); err != nil {
		return nil, err
	}
	f.most = worthPasses * (1 + t.States()) * (n + f.m.NumTransitions())
	f.endless = make([]W, n)
	f.visited = make([]W, n)
	f.fresh = make([]W, n)
	violating := f.mustContinue | f.lost // the property states in which some run violates the property
	for _, pair := range pairs {
		onLoops, err := f.findEndless(ctx, pair.Fin)
		if err != nil {
			return nil, err
		}
		violating |= onLoops
		if f.work > f.most {
			return nil, nil
		}
	}
	violable := reaching(&t, violating)
	f.ahead = stateset.Forward[W](&t, func(_, to property.Q, _ property.Marks) bool {
		return violable>>to&1 != 0
	})
	return f.search(ctx)
}

// reaching returns the property states from which some state of a set is reachable.
func reaching[W stateset.Set](t *property.Automaton, set W) W {
	for grown := true; grown; {
		grown = false
		for i, to := range t.Next {
			from := i / t.Columns
			if set>>to&1 != 0 && set>>from&1 == 0 {
				set |= 1 << from
				grown = true
			}
		}
	}
	return set
}

// findEndless adds product states to endless: those from which a run can stay on one loop of the
// property without faults and without some colours. It returns the property states on such loops.
func (f *faultWords[W]) findEndless(
	ctx context.Context,
	fin property.Marks,
) (onLoops W, err error) {
	pair := property.Pair{Fin: fin}
	loops, states := stateset.Loops(&f.table, pair)
	before := stateset.Backward[W](&f.table, stateset.Stays(loops, pair))
	onLoops = W(states)
	if onLoops == 0 {
		return 0, nil
	}
	remaining := f.fresh // which is not in use yet
	for s := range remaining {
		remaining[s] = onLoops
	}
	down := true
	for changed := true; changed && f.work <= f.most; down = !down {
		changed, err = f.removeInPass(ctx, remaining, &before, down)
		if err != nil {
			return 0, err
		}
	}
	for s, set := range remaining {
		f.endless[s] |= set
	}
	clear(remaining)
	return onLoops, nil
}

// removeInPass makes one pass that removes, from each state, the property states without a successor in
// remaining. It reports whether it removed any.
func (f *faultWords[W]) removeInPass(
	ctx context.Context,
	remaining []W,
	before *stateset.Images[W],
	down bool,
) (bool, error) {
	f.work += len(remaining)
	removed, err := stateset.Pass(ctx, len(remaining), down, func(s lts.State) bool {
		if remaining[s] == 0 {
			return false
		}
		// stays has the property states from which a transition that is no fault leads into remaining.
		stays := W(0)
		labels, targets := f.m.Out(s)
		f.work += len(targets)
		for j, t := range targets {
			set := remaining[t]
			l := labels.At(j)
			if set == 0 || f.isFault[l] {
				continue
			}
			stays |= before.Of(f.table.Letters[l], set) & remaining[s]
			if stays == remaining[s] {
				break
			}
		}
		changed := stays != remaining[s]
		remaining[s] = stays
		return changed
	})
	return removed > 0, err
}

// behindFault is a state where runs begin, or arrive by a fault, with the property states in which
// they do so.
type behindFault[W stateset.Set] struct {
	state lts.State
	set   W
}

// search counts faults to the nearest product states of two kinds: those from which a run needs no
// further fault to violate the property, and those where the property is lost.
func (f *faultWords[W]) search(ctx context.Context) (*Faults, error) {
	found := &Faults{}
	later := []behindFault[W]{{f.m.Initial(), 1 << f.table.Initial}}
	var queue []lts.State
	for faults := 0; len(later) > 0; faults++ {
		queue = queue[:0]
		for _, b := range later {
			queue = f.reach(b.state, b.set, queue)
		}
		later = later[:0]
		for i := 0; i < len(queue); i++ { // the queue grows meanwhile
			if err := cores.Done(ctx, i); err != nil {
				return nil, err
			}
			s := queue[i]
			set := f.fresh[s]
			f.fresh[s] = 0
			if !found.Loses && f.hasLost(s, set) {
				found.Lost = faults
				found.Loses = true
			}
			if f.violates(s, set) {
				found.Least = faults
				found.Finite = true
				return found, nil
			}
			queue, later = f.addSuccessors(s, set, queue, later)
		}
	}
	return found, nil
}

// violates reports whether some run from a state, in one of these property states, violates the property without
// a further fault.
func (f *faultWords[W]) violates(s lts.State, set W) bool {
	if set&(f.endless[s]|f.lost) != 0 {
		return true
	}
	return f.m.IsDeadlock(s) && set&f.mustContinue != 0
}

// addSuccessors follows the transitions of a state that runs reach in these property states. It adds their
// targets to the queue, or, where the transition is a fault, to later.
func (f *faultWords[W]) addSuccessors(
	s lts.State,
	set W,
	queue []lts.State,
	later []behindFault[W],
) (longerQueue []lts.State, longerLater []behindFault[W]) {
	labels, targets := f.m.Out(s)
	for i, t := range targets {
		l := labels.At(i)
		reached := f.ahead.Of(f.table.Letters[l], set) &^ f.visited[t]
		switch {
		case reached == 0:
		case f.isFault[l]:
			later = append(later, behindFault[W]{t, reached})
		default:
			queue = f.reach(t, reached, queue)
		}
	}
	return queue, later
}

// hasLost reports whether the property is lost in a state with one of these property states.
func (f *faultWords[W]) hasLost(s lts.State, set W) bool {
	for q := range stateset.All(set) {
		if f.fates.At(s, q) == fate.Lost {
			return true
		}
	}
	return false
}

// reach adds property states in which runs reach a state. If some of them are new, it adds the state
// to the queue, unless the state is there already.
func (f *faultWords[W]) reach(s lts.State, set W, queue []lts.State) []lts.State {
	added := set &^ f.visited[s]
	if added == 0 {
		return queue
	}
	isQueued := f.fresh[s] != 0
	if !isQueued {
		queue = append(queue, s)
	}
	f.visited[s] |= added
	f.fresh[s] |= added
	return queue
}
