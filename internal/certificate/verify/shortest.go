package verify

import (
	"cmp"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
)

// shortness is the evidence that no counterexample is shorter than that of the file.
type shortness struct {
	*checker
	// near are the states with numbers in the file, ascending.
	near []lts.State
	// soon has, for the states in near, a number for each progress from 0 to n-1. The rows of other
	// states are empty: all their numbers are the length of the counterexample.
	soon rows
	// isHead reports, for each entry of soon, whether a search from its state, with
	// its progress, is needed.
	isHead []bool
	// far has, during a search, the distance of a state from the head, plus 1; 0 for other states.
	far []uint32
	// proved has, during a search, the states whose distance a transition justifies.
	proved []bool
}

// checkShortest reads the evidence that no counterexample is shorter, if there is any, and checks
// it.
func (c *checker) checkShortest() {
	if c.fair != nil || !c.violated || c.in.peek() != ',' {
		return // another member is refused by finish
	}
	v := &shortness{checker: c, soon: rows{start: make([]int, c.model.NumStates()+1)}}
	c.in.member("shortest")
	c.in.open('{')
	for _, part := range []func(){v.readNear, v.checkNear, v.findHeads, v.checkSearches} {
		part()
		abort.On(c.ctx.Err())
	}
	c.in.end('}')
	c.shortest = true
}

// readNear reads the numbers of soon.
func (v *shortness) readNear() {
	in := v.in
	in.member("near")
	in.open('[')
	after := 0 // the smallest state that may come next
	for in.more() {
		in.open('{')
		in.member("state")
		s := int(in.number(longest))
		switch {
		case s < after:
			fail("near: state %d is listed twice, or behind a larger one", s)
		case s >= v.model.NumStates() || !v.listed[s]:
			fail("near: state %d is listed, which cannot be reached", s)
		}
		addEmptyRows(after, s, &v.soon)
		v.readWholeRow(lts.State(s), "soon", &v.soon, v.numSteps)
		in.end('}')
		after = s + 1
		v.near = append(v.near, lts.State(s))
		if v.at(lts.State(s), v.numSteps-1) >= v.length {
			fail("near: state %d is listed, but the counterexample is no longer than the runs to it", s)
		}
	}
	addEmptyRows(after, v.model.NumStates(), &v.soon)
}

// at returns the entry of soon for a state and a progress.
func (v *shortness) at(s lts.State, progress int) uint32 {
	row := v.soon.rowOf(s)
	if len(row) > 0 {
		return row[progress]
	}
	return v.length
}

// checkNear checks soon: the number of the initial state is 0; another one is 1 plus the least
// number over its incoming transitions, but at most the length of the counterexample.
func (v *shortness) checkNear() {
	initial := v.model.Initial()
	want := v.shortestRuns()
	clear(want[v.soon.start[initial]:v.soon.start[int(initial)+1]])
	if v.length > 0 && len(v.soon.rowOf(initial)) == 0 {
		fail("near: state %d, the initial one, is not listed", initial)
	}
	for _, s := range v.near {
		for j, found := range v.soon.rowOf(s) {
			want := want[v.soon.start[s]+j]
			if found != want {
				fail("near: state %d: soon[%d] is %d, but the transitions make it %d", s, j,
					found, want)
			}
		}
	}
	for _, s := range v.near {
		if v.model.IsDeadlock(s) {
			fail("counterexample: it has %d transitions, but a run to the deadlock %d, which violates the property, has %d", v.length, s, v.at(s, v.numSteps-1))
		}
	}
}

// shortestRuns computes the numbers of soon from the transitions of the states in near. It fails if
// one of them leads to a state that should be near, but is not.
func (v *shortness) shortestRuns() []uint32 {
	lengths := slices.Repeat([]uint32{v.length}, len(v.soon.values))
	for _, s := range v.near {
		for l, t := range v.model.From(s) {
			v.extendRuns(lengths, lts.Transition{From: s, Label: l, To: t})
		}
	}
	return lengths
}

// extendRuns lowers the lengths of the runs to the target of a transition to those of the runs that take the
// transition last.
func (v *shortness) extendRuns(lengths []uint32, t lts.Transition) {
	for progress := range v.numSteps {
		progressBefore := progress
		if v.chain.Does(t.Label, progress+1) {
			progressBefore-- // the transition has done the last one
		}
		if progressBefore < 0 {
			continue
		}
		length := v.at(t.From, progressBefore) + 1
		if length >= v.length {
			continue
		}
		if len(v.soon.rowOf(t.To)) == 0 {
			fail("near: state %d is not listed, but a run of %d transitions, up to %s, leads to it",
				t.To, length, v.transition(t.From, t.Label, t.To))
		}
		entry := v.soon.start[t.To] + progress
		lengths[entry] = min(lengths[entry], length)
	}
}

// earlier reports whether the searches from t come before searches from w.
func (v *shortness) earlier(progress int, t, w lts.State) bool {
	return cmp.Or(cmp.Compare(v.at(t, progress), v.at(w, progress)), cmp.Compare(t, w)) < 0
}

// findHeads finds the states from where a shorter loop could begin. All of them are near.
func (v *shortness) findHeads() {
	v.isHead = make([]bool, len(v.soon.values))
	for _, u := range v.near {
		labels, targets := v.model.Out(u)
		for progress, soon := range v.soon.rowOf(u) {
			if soon+1 >= v.length {
				continue
			}
			for i, w := range targets {
				doesNextStep := v.chain.Does(labels.At(i), progress+1)
				if !doesNextStep && !v.earlier(progress, u, w) {
					v.isHead[v.soon.start[w]+progress] = true
				}
			}
		}
	}
}

// checkSearches reads a search for each head and checks it.
func (v *shortness) checkSearches() {
	v.far = make([]uint32, v.model.NumStates())
	v.proved = make([]bool, v.model.NumStates())
	v.in.member("searches")
	v.in.open('[')
	for _, w := range v.near {
		for j := range v.numSteps {
			if !v.isHead[v.soon.start[w]+j] {
				continue
			}
			if !v.in.more() {
				fail("searches: there is none from state %d with progress %d, where a loop can begin", w, j)
			}
			v.prefixErrors(func() { v.checkSearch(w, j) }, "search from state %d with progress %d: ",
				w, j)
		}
	}
	if v.in.more() {
		fail("searches: there are more than states with a progress where a loop can begin")
	}
}

// checkSearch checks a search from w. The search considers the loops from w through states that do
// not come before w, without labels of the step after progress: it proves that none of these loops
// makes a run shorter than the counterexample.
func (v *shortness) checkSearch(w lts.State, progress int) {
	v.in.open('{')
	v.readHead(w, progress)
	states := v.readLevels(w, progress)
	v.in.end('}')
	for _, t := range states {
		v.checkStepsFrom(t, w, progress)
	}
	for _, t := range states[1:] {
		if !v.proved[t] {
			fail("state %d is listed at distance %d, but no transition leads there", t,
				v.far[t]-1)
		}
	}
	for _, t := range states {
		v.far[t] = 0
		v.proved[t] = false
	}
}

// readHead reads from where a search begins.
func (v *shortness) readHead(w lts.State, progress int) {
	v.in.member("head")
	foundState := v.in.number(longest)
	if lts.State(foundState) != w {
		fail("found one from state %d there", foundState)
	}
	v.in.member("progress")
	foundProgress := v.in.number(longest)
	if int(foundProgress) != progress {
		fail("found one with progress %d there", foundProgress)
	}
}

// readLevels reads the states at distance 1, 2, … from w, and sets far for them. It returns w and
// all of them.
func (v *shortness) readLevels(w lts.State, progress int) []lts.State {
	states := []lts.State{w}
	v.far[w] = 1
	v.in.member("levels")
	v.in.open('[')
	for distance := uint32(1); v.in.more(); distance++ {
		first := len(states)
		states = v.readLevel(states, w, progress, distance)
		if len(states) == first {
			fail("level %d is empty", distance)
		}
	}
	return states
}

// readLevel reads the states at a distance from w, ascending, and appends them to states.
func (v *shortness) readLevel(
	states []lts.State,
	w lts.State,
	progress int,
	distance uint32,
) []lts.State {
	v.in.open('[')
	first := len(states)
	for v.in.more() {
		t := lts.State(v.in.number(longest))
		isFirst := len(states) == first
		ascends := isFirst || t >= states[len(states)-1]
		switch {
		case int(t) >= v.model.NumStates() || v.far[t] > 0 || !ascends:
			fail("state %d cannot stand in level %d", t, distance)
		case v.earlier(progress, t, w):
			fail("state %d comes before", t)
		case v.at(w, progress)+distance+1 >= v.length:
			fail("state %d is too far away to matter", t)
		}
		v.far[t] = distance + 1
		states = append(states, t)
	}
	return states
}

// checkStepsFrom checks the transitions from t, a state of a search from w: none of them closes a
// loop that makes a shorter run, nor leads to a state that the search should list and does not. It
// sets proved for the states of the next level.
func (v *shortness) checkStepsFrom(t, w lts.State, progress int) {
	labels, targets := v.model.Out(t)
	length := v.at(w, progress) + v.far[t] // the length of a run to t and one more transition
	for i, u := range targets {
		label := labels.At(i)
		isNearer := v.far[u] > 0 && v.far[u] <= v.far[t] // u is listed, and no farther away than t
		switch {
		case v.chain.Does(label, progress+1):
			// The loops of this search have no such transition.
		case u == w:
			if length < v.length {
				fail("the loop that ends with transition %s makes a run of %d transitions, but the counterexample has %d", v.transition(t, label, u), length, v.length)
			}
		case v.far[u] == v.far[t]+1:
			v.proved[u] = true
		case isNearer:
			// The path through t is no shorter than the path to u that the search lists.
		case v.mustList(u, w, progress, length):
			fail("state %d is not listed at distance %d, but transition %s leads there", u,
				v.far[t], v.transition(t, label, u))
		}
	}
}

// mustList reports whether a search from w must list the state u, to which a run through w leads: if this
// run and one more transition are shorter than the counterexample, and no earlier search can begin in u.
func (v *shortness) mustList(u, w lts.State, progress int, lengthOfRun uint32) bool {
	return lengthOfRun+1 < v.length && !v.earlier(progress, u, w)
}
