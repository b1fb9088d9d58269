package counterexample

import (
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// chainMatching searches for runs that violate a chain: the property over the alphabet of the
// product.
type chainMatching struct {
	*matching
	chain *property.Chain
}

// match finds the runs of a matching that violate a chain, see [Match].
//
// Cost O(n P) for P states and transitions of the product of model and given trace. The product is
// about as large as the given trace if few runs fit it. For a given trace that has no loop and
// breaks off, the cost is also O(n P) for each state where it may break off, and O(S + T).
func (h chainHalf) match(y *matching) violations {
	chain := abort.Must(h.p.Relabel(y.q.Alphabet(), func(l lts.Label) lts.Label {
		return y.labels[l]
	}))
	y.bound = chain.Property()
	return &chainMatching{y, chain}
}

// isBeginning reports whether a run to a cut has yet to do some step.
func (y *chainMatching) isBeginning(at product.State) bool { return int(at.Q) < y.chain.Len() }

// violatedOnceLost returns the chain itself: every loop violates it once no run does all steps.
func (y *chainMatching) violatedOnceLost() *property.Property { return y.p }

// maximal returns a shortest run to a deadlock, or a lasso if there is a shorter one.
func (y *chainMatching) maximal() *match {
	y.findRuns()
	var best *match
	isViolatingEnd := func(at product.State) bool { return y.isEnd(at.State) && y.isBeginning(at) }
	if end, exists := y.nearest(isViolatingEnd); exists {
		best = &match{steps: y.runTo(end), loop: noLoop}
	}
	looping := y.looping()
	// A run that loops violates the chain iff, for some m, its stem has progress at most m and its loop
	// avoids step m+1.
	for m := 0; m < y.chain.Len() && len(looping) > 0; m++ {
		found := y.lasso(m, looping)
		if found != nil && (best == nil || len(found.steps) < len(best.steps)) {
			best = found
		}
	}
	return best
}

// lasso returns a run with progress at most m to a cycle through one of the looping states, and the
// cycle; the cycle has no labels of step m+1.
func (y *chainMatching) lasso(m int, looping []lts.State) *match {
	runs := y.firstRuns(m)
	states := slices.DeleteFunc(slices.Clone(looping), func(s lts.State) bool {
		return runs[s] == none
	})
	avoids := func(_ lts.State, l lts.Label, _ lts.State) bool {
		return !y.chain.Does(l, m+1)
	}
	first := none
	var reached []lts.State // the component that the first run reaches
	for _, component := range y.componentsToStay(states, avoids) {
		for _, s := range component {
			if runs[s] < first {
				first = runs[s]
				reached = component
			}
		}
	}
	if first == none {
		return nil
	}
	stem := y.runTo(first)
	cycle := y.cycle(y.runs.u.At(first).State, m, reached)
	return &match{steps: append(stem, cycle...), loop: len(stem)}
}

// none means that no run leads to a state.
const none lts.State = lts.MaxStates

// firstRuns returns, for each state of the product, a state in the field runs: there ends a
// shortest run to the state of the product with progress at most m. It is none if there is no such
// run.
func (y *chainMatching) firstRuns(m int) []lts.State {
	first := slices.Repeat([]lts.State{none}, y.q.NumStates())
	for s := range lts.State(y.runs.m.NumStates()) {
		at := y.runs.u.At(s)
		if int(at.Q) <= m && first[at.State] == none {
			first[at.State] = s
		}
	}
	return first
}

// onCycle is a state of the product on a path that may become a cycle. accepted reports whether the
// product accepts some transition of the path.
type onCycle struct {
	treeNode
	accepted bool
}

// cycle returns a shortest cycle through start, inside its component and without labels of step m+1,
// with a transition that the product accepts. There must be one.
func (y *chainMatching) cycle(start lts.State, m int, component []lts.State) []lts.Transition {
	inside := bitset.Of(y.q.NumStates(), component)
	type node struct {
		state    lts.State
		accepted bool
	}
	visited := map[node]bool{}
	queue := []onCycle{{treeNode: treeNode{state: start}}}
	for i := 0; ; i++ {
		from := queue[i]
		labels, targets := y.q.Out(from.state)
		for j, to := range targets {
			next := node{to, from.accepted || y.accepts(from.state, labels.At(j), to)}
			mayTake := inside.Has(to) && !y.chain.Does(labels.At(j), m+1)
			if !mayTake || visited[next] {
				continue
			}
			visited[next] = true
			step := treeNode{state: to, label: labels.At(j), parent: uint32(i)}
			queue = append(queue, onCycle{treeNode: step, accepted: next.accepted})
			if next == (node{start, true}) {
				return treePath(len(queue)-1, func(i int) *treeNode {
					return &queue[i].treeNode
				})
			}
		}
	}
}

// closedAtCut searches backwards from each cut. A loop that violates a chain lacks the labels of some
// step m+1, so the search is repeated for each m.
func (y *chainMatching) closedAtCut() *match {
	cuts := y.statesWhere(y.isCut)
	if len(cuts) == 0 {
		return nil
	}
	best := closing{length: infinite}
	for m := range y.chain.Len() {
		firstRuns := y.firstRuns(m)
		for _, cut := range cuts {
			abort.On(y.ctx.Err())
			best = y.bestClosing(cut, m, firstRuns, best)
		}
	}
	if best.length == infinite {
		return nil
	}
	return &match{steps: append(y.runTo(best.run), best.loop...), loop: best.stem}
}

// closing is a lasso whose loop closes at a cut. run is the state in which the run to the beginning
// of the loop ends. stem is the number of transitions of that run, and length the number of
// transitions of stem and loop.
type closing struct {
	run          lts.State
	stem, length int
	loop         []lts.Transition
}

// isBetter reports whether a lasso is shorter than another or, if both have the same length, has
// the longer loop.
func (c closing) isBetter(other closing) bool {
	return c.length < other.length || c.length == other.length && c.stem < other.stem
}

// bestClosing searches backwards from a cut, by transitions without labels of step m+1, for product
// states with the same state of the model: there a loop can begin. It returns the best of these
// lassos and of the given one. firstRuns has the results of [chainMatching.firstRuns] for m.
func (y *chainMatching) bestClosing(
	cut lts.State,
	m int,
	firstRuns []lts.State,
	best closing,
) closing {
	onward := map[lts.State]lts.Transition{cut: {}} // from each visited state towards the cut
	queue := []lts.State{cut}
	for distance := 1; len(queue) > 0; distance++ {
		var next []lts.State
		for _, s := range queue {
			labels, sources := y.q.Predecessors().In(s)
			for i, from := range sources {
				_, isVisited := onward[from]
				if isVisited || y.chain.Does(labels.At(i), m+1) {
					continue
				}
				onward[from] = lts.Transition{
					From:  from,
					Label: labels.At(i),
					To:    s,
				}
				next = append(next, from)
				closesLoop := y.joints[from].state == y.joints[cut].state
				run := firstRuns[from]
				if run == none || !closesLoop {
					continue
				}
				stem := int(y.runs.distance[run])
				found := closing{run: run, stem: stem, length: stem + distance}
				if found.isBetter(best) {
					found.loop = pathAlong(onward, from, cut)
					best = found
				}
			}
		}
		queue = next
	}
	return best
}

// pathAlong returns the path from a state to the end that takes the transition of onward in each state.
func pathAlong(onward map[lts.State]lts.Transition, from, end lts.State) []lts.Transition {
	var path []lts.Transition
	for at := from; at != end; at = onward[at].To {
		path = append(path, onward[at])
	}
	return path
}
