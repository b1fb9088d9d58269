package oracle

import (
	"errors"
	"fmt"
	"slices"

	"github.com/inev-lts/inev/lts"
)

// NoLoop is the Loop of a run that ends.
const NoLoop = -1

// Run is a maximal run: it ends with its last transition or, if it is a lasso,
// repeats its transitions from number Loop on forever.
type Run struct {
	Transitions []lts.Transition
	Loop        int
}

// ShortestCounterexamples returns all counterexamples of the smallest length, as
// distinct sequences of transitions; none if the property is satisfied. It
// enumerates every elementary trace to a deadlock and every elementary trace
// followed by one transition back to one of its states.
func (o *Oracle) ShortestCounterexamples() []Run {
	var shortest []Run
	o.elementaryRuns(func(r Run) {
		if !o.Violates(r) {
			return
		}
		if len(shortest) > 0 && len(r.Transitions) < len(shortest[0].Transitions) {
			shortest = nil
		}
		if len(shortest) == 0 || len(r.Transitions) == len(shortest[0].Transitions) {
			shortest = append(shortest, r)
		}
	})
	return shortest
}

// ShortestLength returns the length of a shortest counterexample, false if the
// property is satisfied. It enumerates no runs, so that it also serves larger
// models: a lasso violates the property if some step m+1 is not done on its cycle
// and the progress of the stem is at most m. The cost is that of a search for each
// state and step.
func (o *Oracle) ShortestLength() (length int, found bool) {
	consider := func(l int) {
		if !found || l < length {
			length = l
			found = true
		}
	}
	for m, pending := range o.steps {
		isPending := func(progress int) bool { return progress <= m }
		stem := o.distances(o.initial, isPending, o.steps)
		for s := range o.out {
			if stem[s] == unreached {
				continue
			}
			if len(o.out[s]) == 0 {
				consider(stem[s])
			}
			cycle := o.shortestCycle(lts.State(s), pending)
			if cycle != unreached {
				consider(stem[s] + cycle)
			}
		}
	}
	return length, found
}

// shortestCycle returns the length of a shortest cycle through a state without the given labels;
// unreached if there is none.
func (o *Oracle) shortestCycle(s lts.State, avoided map[lts.Label]bool) int {
	isAvoiding := func(progress int) bool { return progress == 0 }
	distance := o.distances(s, isAvoiding, monitor{avoided})
	least := unreached
	for from := range o.out {
		if distance[from] == unreached {
			continue
		}
		for _, t := range o.out[from] {
			cycle := distance[from] + 1
			isShorter := least == unreached || cycle < least
			if t.To == s && !avoided[t.Label] && isShorter {
				least = cycle
			}
		}
	}
	return least
}

// unreached is the distance of a state that no trace reaches.
const unreached = -1

// ShortestLoss returns the length of a shortest run after which no run satisfies
// the property; false if there is none.
func (o *Oracle) ShortestLoss() (length int, found bool) {
	type pair struct {
		s        lts.State
		progress int
	}
	depth := map[pair]int{{o.initial, 0}: 0}
	for open := []pair{{o.initial, 0}}; len(open) > 0; open = open[1:] {
		at := open[0]
		if !o.Free(at.s, at.progress) {
			return depth[at], true
		}
		for _, t := range o.Out(at.s) {
			next := pair{t.To, o.Advance(at.progress, t.Label)}
			if _, met := depth[next]; !met {
				depth[next] = depth[at] + 1
				open = append(open, next)
			}
		}
	}
	return 0, false
}

// distances returns for every state the length of a shortest trace from the
// given state during which isAllowed returns true for the progress of the monitor k.
func (o *Oracle) distances(from lts.State, isAllowed func(progress int) bool, k monitor) []int {
	type productState struct {
		s        lts.State
		progress int
	}
	distance := slices.Repeat([]int{unreached}, len(o.out))
	seen := map[productState]bool{{from, 0}: true}
	level := []productState{{from, 0}}
	for length := 0; len(level) > 0; length++ {
		var next []productState
		for _, here := range level {
			if distance[here.s] == unreached {
				distance[here.s] = length
			}
			for _, t := range o.out[here.s] {
				there := productState{t.To, k.advance(here.progress, t.Label)}
				if isAllowed(there.progress) && !seen[there] {
					seen[there] = true
					next = append(next, there)
				}
			}
		}
		level = next
	}
	return distance
}

// Violates reports whether the run, repeated forever if it is a lasso, does not
// contain the steps of the property in their order. It follows the monitor until
// a position of the run recurs with the same progress.
func (o *Oracle) Violates(r Run) bool {
	type situation struct{ index, progress int }
	seen := make(map[situation]bool)
	here := situation{}
	for here.index < len(r.Transitions) && !seen[here] {
		seen[here] = true
		here.progress = o.steps.advance(here.progress, r.Transitions[here.index].Label)
		if here.progress == len(o.steps) {
			return false
		}
		here.index++
		if here.index == len(r.Transitions) && r.Loop != NoLoop {
			here.index = r.Loop
		}
	}
	return true
}

// Check returns an error unless r is a maximal run of the model that violates
// the property.
func (o *Oracle) Check(r Run) error {
	at := o.initial
	for i, t := range r.Transitions {
		if t.From != at {
			return fmt.Errorf("transition %d leaves state %d, the run is in state %d", i,
				t.From, at)
		}
		if !slices.Contains(o.out[at], t) {
			return fmt.Errorf("transition %d is none of the model's: %v", i, t)
		}
		at = t.To
	}
	switch {
	case r.Loop == NoLoop && len(o.out[at]) > 0:
		return fmt.Errorf("the run ends in state %d, which is not a deadlock", at)
	case r.Loop != NoLoop && (r.Loop < 0 || r.Loop >= len(r.Transitions)):
		return fmt.Errorf("the loop begins at transition %d of %d", r.Loop, len(r.Transitions))
	case r.Loop != NoLoop && r.Transitions[r.Loop].From != at:
		return fmt.Errorf("the loop begins in state %d and ends in state %d",
			r.Transitions[r.Loop].From, at)
	case !o.Violates(r):
		return errors.New("the run satisfies the property")
	}
	return nil
}

// elementaryRuns calls do for every elementary trace that ends in a deadlock and
// for every lasso, each sequence of transitions once.
func (o *Oracle) elementaryRuns(do func(Run)) {
	var trace []lts.Transition
	var visit func(s lts.State)
	visit = func(s lts.State) {
		if len(o.out[s]) == 0 {
			do(Run{slices.Clone(trace), NoLoop})
		}
		for _, t := range o.Out(s) {
			trace = append(trace, t)
			loopStart := slices.IndexFunc(trace, func(earlier lts.Transition) bool {
				return earlier.From == t.To
			})
			if loopStart >= 0 {
				do(Run{slices.Clone(trace), loopStart})
			} else {
				visit(t.To)
			}
			trace = trace[:len(trace)-1]
		}
	}
	visit(o.initial)
}
