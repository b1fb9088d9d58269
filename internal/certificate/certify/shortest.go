package certify

import (
	"cmp"
	"slices"

	"github.com/inev-lts/inev/lts"
)

// shortness is the evidence that no counterexample is shorter than bound: see the comment of package
// verify.
type shortness struct {
	*pass
	bound uint32
	// nearStates are the states, ascending, that a run of fewer than bound transitions can reach before
	// it has done all n steps of the property. soon has a row for each of them: row[s] is the number
	// of the row of s, plus 1; 0 for states without a row.
	nearStates []lts.State
	row        []uint32
	// soon has, for each state in nearStates and each progress from 0 to n-1, the length of a shortest
	// run to the state with at most that progress; bound if no such run is shorter.
	soon     []uint32
	searches []search
}

// search has the states at distance 1, 2, … from the head.
type search struct {
	head     lts.State
	progress int
	levels   [][]lts.State
}

// newShortness returns the evidence that a counterexample of this length is shortest; nil if the
// searches would look at too many transitions. For a counterexample that is not shortest, the
// evidence is wrong, and the checker refuses it.
func newShortness(x *pass, length int) (*shortness, error) {
	v := &shortness{
		pass:  x,
		bound: uint32(length),
		row:   make([]uint32, x.model.NumStates()),
	}
	if err := v.findNear(); err != nil {
		return nil, err
	}
	isHead := v.findHeads()
	// The searches together may look at about eight times the states and transitions of the model.
	budget := 1<<16 + 8*(v.model.NumStates()+v.model.NumTransitions())
	visited := make([]bool, v.model.NumStates())
	for _, w := range v.nearStates {
		for j := range v.numSteps {
			if !isHead[v.entry(w, j)] {
				continue
			}
			found, err := v.search(search{head: w, progress: j}, visited, &budget)
			if err != nil {
				return nil, err
			}
			if budget < 0 {
				return nil, nil
			}
			v.searches = append(v.searches, found)
		}
	}
	return v, nil
}

// findNear finds nearStates and soon breadth first.
func (v *shortness) findNear() error {
	// lowest has, by state, the lowest progress of the runs that have met it.
	lowest := slices.Repeat([]int{v.numSteps}, v.model.NumStates())
	meet := func(reached productState, length uint32) bool {
		if length >= v.bound || reached.done >= lowest[reached.state] {
			return false
		}
		if v.row[reached.state] == 0 {
			v.nearStates = append(v.nearStates, reached.state)
			v.row[reached.state] = uint32(len(v.nearStates))
			for range v.numSteps {
				v.soon = append(v.soon, v.bound)
			}
		}
		row := v.soonOf(reached.state)
		for j := reached.done; j < lowest[reached.state]; j++ {
			row[j] = length
		}
		lowest[reached.state] = reached.done
		return true
	}
	var level []productState
	start := productState{v.model.Initial(), 0}
	if meet(start, 0) {
		level = append(level, start)
	}
	err := v.breadthFirst(level, func(reached productState, length uint32, add func(productState)) {
		for l, t := range v.model.From(reached.state) {
			to := productState{t, v.chain.Advance(reached.done, l)}
			if meet(to, length+1) {
				add(to)
			}
		}
	})
	slices.Sort(v.nearStates)
	return err
}

// findHeads reports, for each entry of soon, whether a search from its state w is needed: some
// transition to w does not do the step after progress, its source does not come before w, and a run
// with a loop from w that ends with this transition could be shorter than bound.
func (v *shortness) findHeads() []bool {
	isHead := make([]bool, len(v.soon))
	for _, u := range v.nearStates {
		labels, targets := v.model.Out(u)
		for progress, soon := range v.soonOf(u) {
			if soon+1 >= v.bound {
				continue
			}
			for i, w := range targets {
				doesNextStep := v.chain.Does(labels.At(i), progress+1)
				if !doesNextStep && !v.comesBefore(progress, u, w) {
					isHead[v.entry(w, progress)] = true
				}
			}
		}
	}
	return isHead
}

// entry returns the index in soon for a state in nearStates and a progress.
func (v *shortness) entry(s lts.State, progress int) int {
	return int(v.row[s]-1)*v.numSteps + progress
}

// soonOf returns the row of a state in nearStates.
func (v *shortness) soonOf(s lts.State) []uint32 {
	first := v.entry(s, 0)
	return v.soon[first : first+v.numSteps]
}

// comesBefore reports whether searches from t, with this progress, come before searches from w. Both t
// and w are near.
func (v *shortness) comesBefore(progress int, t, w lts.State) bool {
	return cmp.Or(cmp.Compare(v.soonOf(t)[progress], v.soonOf(w)[progress]), cmp.Compare(t, w)) < 0
}

// search searches breadth first from a head, through states that do not come before it, up to the
// distance at which a loop through them would make the run as long as bound. It subtracts the
// visited transitions from budget, and stops when budget is negative. visited is empty before and
// after the search.
func (v *shortness) search(h search, visited []bool, budget *int) (search, error) {
	level := []lts.State{h.head}
	visited[h.head] = true
	for length := v.soonOf(h.head)[h.progress] + 1; len(level) > 0; length++ {
		isLast := length+1 >= v.bound
		if isLast {
			v.spend(level, budget) // its transitions are read, too
			break
		}
		level = v.nextLevel(h, level, visited, budget)
		if len(level) > 0 {
			h.levels = append(h.levels, level)
		}
	}
	visited[h.head] = false
	for _, level := range h.levels {
		for _, t := range level {
			visited[t] = false
		}
	}
	return h, v.ctx.Err()
}

// spend subtracts the transitions of a level from budget.
func (v *shortness) spend(level []lts.State, budget *int) {
	for _, t := range level {
		labels, _ := v.model.Out(t)
		*budget -= labels.Len()
	}
}

// nextLevel returns the states that a search reaches from a level in one step, ascending, and marks
// them as visited. It subtracts the transitions from budget, and stops when budget is negative.
func (v *shortness) nextLevel(
	h search,
	level []lts.State,
	visited []bool,
	budget *int,
) []lts.State {
	var next []lts.State
	for _, t := range level {
		labels, targets := v.model.Out(t)
		*budget -= labels.Len()
		if *budget < 0 {
			break
		}
		for i, u := range targets {
			doesNextStep := v.chain.Does(labels.At(i), h.progress+1)
			if !visited[u] && !doesNextStep && !v.comesBefore(h.progress, u, h.head) {
				visited[u] = true
				next = append(next, u)
			}
		}
	}
	slices.Sort(next)
	return next
}

// writeShortness writes the evidence that no counterexample is shorter.
func (x *writer) writeShortness(v *shortness) {
	x.beginList(",\n\"shortest\": {\"near\": [")
	for _, s := range v.nearStates {
		x.beginElement()
		x.field(`{"state":`, uint64(s))
		list(x, `,"soon":[`, v.soonOf(s))
		x.print("}")
	}
	x.beginList("],\n\"searches\": [")
	for _, h := range v.searches {
		x.beginElement()
		x.field(`{"head":`, uint64(h.head))
		x.field(`,"progress":`, uint64(h.progress))
		x.print(`,"levels":[`)
		before := "["
		for _, level := range h.levels {
			list(x, before, level)
			before = ",["
		}
		x.print("]}")
	}
	x.print("]}")
}
