package counterexample

import (
	"context"
	"slices"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
)

// matching looks for runs in a product. Its runs are those that do not satisfy
// the property on the way, found breadth first over states and progress, so that
// the first run to a state is a shortest one.
type matching struct {
	*pairing
	ctx context.Context
	// p is the property over the alphabet of the product.
	p    *property.Chain
	runs *prefixes
	// depth[i] is the number of transitions of run i.
	depth []int
}

// match is a run through the product: a path, or a lasso as in [New].
type match struct {
	steps []lts.Transition
	loop  int
}

func newMatching(ctx context.Context, x *pairing, p *property.Chain) (*matching, error) {
	p, err := p.Relabel(x.q.Alphabet(), func(l lts.Label) lts.Label { return x.labels[l] })
	if err != nil {
		return nil, err
	}
	runs := newPrefixes(x.q, p)
	y := &matching{pairing: x, ctx: ctx, p: p, runs: runs}
	for i := 0; i < runs.nodes.Len(); i++ {
		if i&(1<<12-1) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if i == 0 {
			y.depth = append(y.depth, 0)
		} else {
			y.depth = append(y.depth, y.depth[runs.nodes.At(i).parent]+1)
		}
		runs.expand(i)
	}
	return y, nil
}

// run returns the transitions of run i.
func (y *matching) run(i int) []lts.Transition {
	steps := make([]lts.Transition, y.depth[i])
	for k := len(steps) - 1; k >= 0; k-- {
		at := y.runs.nodes.At(i)
		i = int(at.parent)
		steps[k] = y.runs.step(y.runs.nodes.At(i), at)
	}
	return steps
}

// maximal returns a run that fits the given trace, is maximal and violates the
// property, nil if there is none: a shortest one to a deadlock, or a lasso
// that is shorter.
func (y *matching) maximal() (*match, error) {
	var best *match
	for i, at := range y.runs.nodes.All() {
		if y.isEnd(at.state) {
			best = &match{y.run(i), noLoop}
			break
		}
	}
	_, lively, err := y.liveComponents(y.p.Len())
	if err != nil || !slices.Contains(lively, true) {
		return best, err
	}
	for m := range y.p.Len() {
		found, err := y.lasso(m)
		if err != nil {
			return nil, err
		}
		if found != nil && (best == nil || len(found.steps) < len(best.steps)) {
			best = found
		}
	}
	return best, nil
}

// lasso returns a run of progress at most m to a cycle without labels of step
// m+1, and round it.
func (y *matching) lasso(m int) (*match, error) {
	c, lively, err := y.liveComponents(m)
	if err != nil || c == nil {
		return nil, err
	}
	for i, at := range y.runs.nodes.All() {
		if int(at.progress) > m {
			continue
		}
		if of, ok := c.Of(at.state); ok && lively[of] {
			return &match{append(y.run(i), y.cycle(at.state, c)...), y.depth[i]}, nil
		}
	}
	return nil, nil
}

// liveComponents returns the strongly connected components of what a run with
// progress at most m can reach without labels of step m+1, and which of them a
// run can stay in for ever: those that hold a transition which the product
// accepts. With m = n no label is left out, and every run counts.
func (y *matching) liveComponents(m int) (*scc.Components, []bool, error) {
	if y.ctx.Err() != nil {
		return nil, nil, y.ctx.Err()
	}
	g, err := y.without(m)
	if err != nil {
		return nil, nil, err
	}
	c, err := scc.Find(y.ctx, g, "")
	if err != nil {
		return nil, nil, err
	}
	lively := make([]bool, c.Len())
	for t := range g.Transitions() {
		if of, ok := c.Of(t.From); ok && c.Same(t.From, t.To) && y.accepts(t.From, t.Label, t.To) {
			lively[of] = true
		}
	}
	return c, lively, nil
}

// without returns the product less the labels of step m+1. Its initial state is
// an additional one, which leads to wherever a run with progress at most m comes.
func (y *matching) without(m int) (*lts.LTS, error) {
	var b lts.Builder
	for _, text := range y.q.Alphabet().All() {
		b.Label(text) // so that labels keep their numbers
	}
	for t := range y.q.Transitions() {
		if y.avoids(m, t.Label) {
			b.Add(t.From, t.Label, t.To)
		}
	}
	initial, entry := lts.State(y.q.NumStates()), b.Label("")
	for s := range initial {
		if m == y.p.Len() || int(y.runs.least(s)) <= m {
			b.Add(initial, entry, s)
		}
	}
	return b.Build(initial, int(initial)+1)
}

// avoids reports whether l does not do step m+1. No label does a step after the last.
func (y *matching) avoids(m int, l lts.Label) bool {
	return m == y.p.Len() || !y.p.Does(l, m+1)
}

// place is a state of the product on the search for a cycle, with whether a
// transition that the product accepts has been taken on the way.
type place struct {
	state    lts.State
	accepted bool
}

// visited is a place with the transition that led there, from queue[parent].
type visited struct {
	place
	step   lts.Transition
	parent int
}

// cycle returns a shortest cycle through start inside its component that has a
// transition which the product accepts. There must be one.
func (y *matching) cycle(start lts.State, c *scc.Components) []lts.Transition {
	met := map[place]bool{}
	queue := []visited{{place: place{state: start}}}
	for i := 0; !met[place{start, true}]; i++ {
		from := queue[i]
		labels, targets := c.LTS().Out(from.state)
		for j, to := range targets {
			next := place{to, from.accepted || y.accepts(from.state, labels.At(j), to)}
			if !c.Same(start, to) || met[next] || met[place{start, true}] {
				continue
			}
			met[next] = true
			queue = append(queue, visited{next, lts.Transition{From: from.state, Label: labels.At(j), To: to}, i})
		}
	}
	var steps []lts.Transition
	for i := len(queue) - 1; i > 0; i = queue[i].parent {
		steps = append(steps, queue[i].step)
	}
	slices.Reverse(steps)
	return steps
}

// closed returns a run to a cut that leads back to a state of the model which it
// went through before, such that the lasso violates the property; nil if there
// is none. Of several it is a shortest one, and of these one whose loop is
// longest.
func (y *matching) closed() (*match, error) {
	cuts := y.cuts()
	var best *closing
	for m := 0; m < y.p.Len() && len(cuts) > 0; m++ {
		first := y.firstRuns(m)
		for _, cut := range cuts {
			if y.ctx.Err() != nil {
				return nil, y.ctx.Err()
			}
			if found := y.closedAt(cut, m, first); found != nil && (best == nil || found.before(best)) {
				best = found
			}
		}
	}
	if best == nil {
		return nil, nil
	}
	return &match{append(y.run(best.run), best.steps...), best.stem}, nil
}

// closing is a way to close a loop: the run to where it begins, of stem
// transitions, and the loop.
type closing struct {
	run          int
	stem, length int
	steps        []lts.Transition
}

func (a *closing) before(b *closing) bool {
	if total, other := a.stem+a.length, b.stem+b.length; total != other {
		return total < other
	}
	return a.stem < b.stem
}

// firstRuns returns for each state of the product the first run to it with
// progress at most m, -1 if there is none.
func (y *matching) firstRuns(m int) []int {
	first := slices.Repeat([]int{-1}, y.q.NumStates())
	for i, at := range y.runs.nodes.Backward() {
		if int(at.progress) <= m {
			first[at.state] = i
		}
	}
	return first
}

// closedAt goes back from a cut by transitions without labels of step m+1, to
// the places where the model is in the same state.
func (y *matching) closedAt(cut lts.State, m int, first []int) *closing {
	onward := map[lts.State]lts.Transition{cut: {}} // from each state met towards the cut
	begin, best := cut, closing{}
	queue := []lts.State{cut}
	for distance := 1; len(queue) > 0; distance++ {
		var next []lts.State
		for _, s := range queue {
			labels, sources := y.q.Predecessors().In(s)
			for i, from := range sources {
				if _, met := onward[from]; met || !y.avoids(m, labels.At(i)) {
					continue
				}
				onward[from] = lts.Transition{From: from, Label: labels.At(i), To: s}
				next = append(next, from)
				if run := first[from]; run >= 0 && y.joints[from].state == y.joints[cut].state {
					found := closing{run: run, stem: y.depth[run], length: distance}
					if begin == cut || found.before(&best) {
						begin, best = from, found
					}
				}
			}
		}
		queue = next
	}
	if begin == cut {
		return nil
	}
	for at := begin; at != cut; at = onward[at].To {
		best.steps = append(best.steps, onward[at])
	}
	return &best
}
