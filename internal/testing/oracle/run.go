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
			length, found = l, true
		}
	}
	for m := range o.steps {
		stem := o.distances(o.initial, func(progress int) bool {
			return progress <= m
		},
			o.steps)
		avoided := monitor{o.steps[m]}
		for s := range o.out {
			if stem[s] == unreached {
				continue
			}
			if len(o.out[s]) == 0 {
				consider(stem[s])
			}
			away := o.distances(lts.State(s), func(progress int) bool {
				return progress == 0
			},
				avoided)
			for from := range o.out {
				for _, t := range o.out[from] {
					if int(t.To) == s && away[from] != unreached && !o.steps[m][t.Label] {
						consider(stem[s] + away[from] + 1)
					}
				}
			}
		}
	}
	return length, found
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
// given state during which allowed returns true for the monitor's progress.
func (o *Oracle) distances(from lts.State, allowed func(progress int) bool, k monitor) []int {
	type productState struct {
		s        lts.State
		progress int
	}
	distance := slices.Repeat([]int{unreached}, len(o.out))
	seen := map[productState]bool{{from, 0}: true}
	level := []productState{{from, 0}}
	for length := 0; len(level) > 0; length++ {
		var next []productState
		for _, p := range level {
			if distance[p.s] == unreached {
				distance[p.s] = length
			}
			for _, t := range o.out[p.s] {
				q := productState{t.To, k.advance(p.progress, t.Label)}
				if allowed(q.progress) && !seen[q] {
					seen[q] = true
					next = append(next, q)
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
	type productState struct{ at, progress int }
	seen := make(map[productState]bool)
	for p := (productState{}); p.at < len(r.Transitions) && !seen[p]; {
		seen[p] = true
		p.progress = o.steps.advance(p.progress, r.Transitions[p.at].Label)
		if p.progress == len(o.steps) {
			return false
		}
		p.at++
		if p.at == len(r.Transitions) && r.Loop != NoLoop {
			p.at = r.Loop
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
	var (
		trace []lts.Transition
		visit func(s lts.State)
	)
	visit = func(s lts.State) {
		if len(o.out[s]) == 0 {
			do(Run{slices.Clone(trace), NoLoop})
		}
		for i, t := range o.out[s] {
			if slices.Contains(o.out[s][:i], t) {
				continue
			}
			trace = append(trace, t)
			back := slices.IndexFunc(trace, func(u lts.Transition) bool {
				return u.From == t.To
			})
			if back >= 0 {
				do(Run{slices.Clone(trace), back})
			} else {
				visit(t.To)
			}
			trace = trace[:len(trace)-1]
		}
	}
	visit(o.initial)
}
