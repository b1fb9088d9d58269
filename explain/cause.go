package explain

import (
	"cmp"
	"context"
	"slices"

	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// mostForCause is the largest number of product states near the loop that are searched for a cause.
const mostForCause = 200_000

// mostLabelsOfCause is the largest number of labels that a cause has.
const mostLabelsOfCause = 2

// findCause finds a set of labels that keep the run from what it waits for: a minimal set such that
// the property would hold if these labels happened finitely often. The run takes one of the labels
// where the shortest way leaves the loop, perhaps after internal actions; the other label may be on
// the loops of other runs. None of the labels is internal or on a shortest way, and what is pending
// can be reached without them. Cost O(size of the product up to what is pending), if some
// assumption has such labels.
func (p *parts) findCause(ctx context.Context) error {
	d := p.Diagnosis
	leavesLoop := d.Kind == KindTurnedBack && d.Instead != nil
	if !leavesLoop || d.Consequent != "" || d.AwaitedStep != "" || p.Fairness == nil {
		return nil
	}
	r := p.run.repeating()
	candidates := r.candidateCauses(d, p.Fairness.finitely)
	if len(candidates) == 0 {
		return nil
	}
	awaited, _, err := diagnosis{Diagnosis: d, repeating: r}.pendingLabels(ctx)
	if err != nil || awaited == nil {
		return err
	}
	onWays, err := r.labelsOnShortestWays(ctx, awaited, d.Distance)
	if err != nil || onWays == nil {
		return err
	}
	for _, labels := range candidates {
		if slices.ContainsFunc(labels, func(l string) bool { return onWays[l] }) {
			continue
		}
		found, err := r.reachesWithout(ctx, awaited, labels)
		if err != nil {
			return err
		}
		if !found.isOutOfReach && !found.isUnknown {
			d.Cause = labels
			d.Again = r.doesAwaited(d, awaited)
			return nil
		}
	}
	return nil
}

// doesAwaited reports whether the run does, before its loop, what it waits for on the loop. Then it
// waits for this a second time.
func (r repeating) doesAwaited(d *Diagnosis, w *waiting) bool {
	isPending := func(t lts.Transition) bool {
		return slices.Contains(d.Pending, r.a.text(t.Label))
	}
	if d.Awaited == "" {
		return slices.ContainsFunc(r.trace.Steps(), isPending)
	}
	final := diagnosis{Diagnosis: d, repeating: r}.finalPropertyStates()
	return slices.ContainsFunc(r.trace.Steps(), func(t lts.Transition) bool {
		helps := func(q property.Q) bool { return w.helps(q, t.Label) }
		return slices.ContainsFunc(final, helps)
	})
}

// candidateCauses returns the sets of labels that may be the cause, the smallest first. They are
// sufficient sets with few labels, none of them internal. The run takes one of these labels where
// the shortest way leaves the loop. There are no candidates if the loop has a pending label.
func (r repeating) candidateCauses(
	d *Diagnosis,
	sufficient [][]string,
) (candidates [][]string) {
	onLoop := map[string]bool{}
	for _, at := range r.loop {
		onLoop[r.a.text(r.trace.Step(at.step).Label)] = true
	}
	if slices.ContainsFunc(d.Pending, func(l string) bool { return onLoop[l] }) {
		return nil
	}
	isInternal := func(l string) bool { return !r.isVisible(l) }
	taken := r.firstVisible(int(*d.Instead))
	for _, labels := range sufficient {
		isShort := len(labels) <= mostLabelsOfCause
		if isShort && slices.Contains(labels, taken) &&
			!slices.ContainsFunc(labels, isInternal) {
			candidates = append(candidates, labels)
		}
	}
	slices.SortStableFunc(candidates, func(a, b []string) int {
		return cmp.Compare(len(a), len(b))
	})
	return candidates
}

// isVisible reports whether a label is neither internal nor that of stuttering.
func (r repeating) isVisible(label string) bool {
	return label != "i" && label != "tau" && label != r.a.idle
}

// firstVisible returns the label of the first visible action of the loop from a step on; "" if
// there is none. So an internal choice is identified by the visible action that follows it.
func (r repeating) firstVisible(step int) string {
	first := max(0, slices.IndexFunc(r.loop, func(at visit) bool {
		return at.step == step
	}))
	for i := range r.loop {
		at := r.loop[(first+i)%len(r.loop)]
		label := r.a.text(r.trace.Step(at.step).Label)
		if r.isVisible(label) {
			return label
		}
	}
	return ""
}

// labelsOnShortestWays returns the labels on the shortest ways, of the given length, from the loop
// to what is pending; nil if the search would visit too many product states.
func (r repeating) labelsOnShortestWays(
	ctx context.Context,
	w *waiting,
	length int,
) (map[string]bool, error) {
	nearby := r.statesNearLoop(length - 1)
	if nearby == nil {
		return nil, nil
	}
	labelsOnWays := bitset.New[lts.Label](r.a.m.Alphabet().Len())
	leads := make([]bool, len(nearby.states)) // whether a state lies on a shortest way
	// Farther product states come first. So when a state is visited, it is known which of the next
	// states lie on shortest ways.
	for i, at := range slices.Backward(nearby.states) {
		distance := nearby.distance[i]
		labels, targets := r.a.m.Out(at.State)
		for k, to := range targets {
			l := labels.At(k)
			isOnWay := false
			if distance == length-1 {
				isOnWay = w.helps(at.Q, l)
			} else {
				next := nearby.index[product.State{State: to, Q: r.a.Property.Next(at.Q, l)}]
				isOnWay = leads[next] && nearby.distance[next] == distance+1
			}
			if isOnWay {
				leads[i] = true
				labelsOnWays.Add(l)
			}
		}
	}
	onWays := map[string]bool{}
	for l := range labelsOnWays.All {
		onWays[r.a.text(l)] = true
	}
	return onWays, ctx.Err()
}

// nearLoop are product states near the loop of a run, in the order of their distances from it.
type nearLoop struct {
	states   []product.State
	distance []int                 // of each of the states
	index    map[product.State]int // the place of each state in states
}

// statesNearLoop returns the product states that are at most so many transitions away from the loop; nil
// if there are more than mostForCause.
func (r repeating) statesNearLoop(most int) *nearLoop {
	near := &nearLoop{index: map[product.State]int{}}
	add := func(at product.State, distance int) {
		if _, isKnown := near.index[at]; isKnown {
			return
		}
		near.index[at] = len(near.states)
		near.states = append(near.states, at)
		near.distance = append(near.distance, distance)
	}
	for _, at := range r.loop {
		add(at.State, 0)
	}
	for i := 0; i < len(near.states); i++ {
		at, distance := near.states[i], near.distance[i]
		if distance >= most {
			break
		}
		if len(near.states) > mostForCause {
			return nil
		}
		labels, targets := r.a.m.Out(at.State)
		for k, to := range targets {
			next := product.State{State: to, Q: r.a.Property.Next(at.Q, labels.At(k))}
			add(next, distance+1)
		}
	}
	return near
}

// dropUnhelpful drops assumptions that some labels happen finitely often, if what the run waits for
// cannot be reached without these labels. The property would hold under such an assumption, but it
// is no advice to avoid these labels. Cost O(size of the product), up to mostForCause product
// states for each assumption.
func (p *parts) dropUnhelpful(ctx context.Context) error {
	isFinitely := func(a Assumption) bool { return a.Kind == Finitely }
	if p.Fairness == nil || p.run.trace == nil ||
		!slices.ContainsFunc(p.Fairness.Assumptions, isFinitely) {
		return nil
	}
	r := p.run.repeating()
	awaited, _, err := diagnosis{Diagnosis: p.Diagnosis, repeating: r}.pendingLabels(ctx)
	if err != nil || awaited == nil {
		return err
	}
	kept := []Assumption{}
	for _, assumption := range p.Fairness.Assumptions {
		if isFinitely(assumption) {
			found, err := r.reachesWithout(ctx, awaited, assumption.Labels)
			if err != nil {
				return err
			}
			if found.isOutOfReach {
				continue
			}
		}
		kept = append(kept, assumption)
	}
	p.Fairness.Assumptions = kept
	return nil
}

// withoutLabels is what a search that leaves out some labels has found.
type withoutLabels struct {
	// isOutOfReach reports whether runs cannot reach what a run waits for, although they can begin
	// to wait. isUnknown reports whether the search would be too large.
	isOutOfReach, isUnknown bool
}

// reachesWithout leaves out the transitions with some labels. Among the other transitions, it
// searches for a path from the initial state to a property state in which the violating run waits
// forever, and from there to a step that would end the wait.
func (r repeating) reachesWithout(
	ctx context.Context,
	w *waiting,
	labels []string,
) (withoutLabels, error) {
	removed := bitset.New[lts.Label](r.a.m.Alphabet().Len())
	for l := range lts.Label(r.a.m.Alphabet().Len()) {
		if slices.Contains(labels, r.a.text(l)) {
			removed.Add(l)
		}
	}
	isWaiting := bitset.New[property.Q](r.a.Property.States())
	for _, q := range (diagnosis{repeating: r}).finalPropertyStates() {
		isWaiting.Add(q)
	}
	first := product.State{State: r.a.m.Initial(), Q: r.a.Property.Initial()}
	visited := bitset.New[int](r.a.m.NumStates() * r.a.Property.States())
	number := func(p product.State) int { return int(p.State)*r.a.Property.States() + int(p.Q) }
	visited.Add(number(first))
	open := []product.State{first}
	// For a chain, the wait begins at the start of the run: if no path reaches the awaited step,
	// what the run waits for is out of reach, too.
	waitBegins := w.step > 0
	for i := 0; i < len(open); i++ {
		if len(open) > mostForCause {
			return withoutLabels{isUnknown: true}, nil
		}
		current := open[i]
		waitsHere := isWaiting.Has(current.Q)
		waitBegins = waitBegins || waitsHere
		outgoing, targets := r.a.m.Out(current.State)
		for k, to := range targets {
			l := outgoing.At(k)
			next := product.State{State: to, Q: r.a.Property.Next(current.Q, l)}
			switch {
			case removed.Has(l):
				continue
			case waitsHere && w.helps(current.Q, l):
				return withoutLabels{}, nil
			case !visited.Has(number(next)):
				visited.Add(number(next))
				open = append(open, next)
			}
		}
	}
	return withoutLabels{isOutOfReach: waitBegins}, ctx.Err()
}
