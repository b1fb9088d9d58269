package repair

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/lts/bfs"
	"github.com/inev-lts/inev/internal/paged"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
)

// Op is an operation of a diff.
type Op string

// The operations, with the names of a diff of files.
const (
	Keep   Op = " " // both runs do the step
	Remove Op = "-" // the run that went wrong does the step, the correct run does not
	Insert Op = "+" // the correct run does it
)

// Edit is a step of one of the two runs in a diff.
type Edit struct {
	Op Op
	// Transition is a step of the correct run or, if Op is Remove, of the other run.
	Transition lts.Transition
	// Progress is the progress of the correct run after the step.
	Progress int
}

// Diff compares a correct run with a run that violates the property. First come the steps that both
// take (Keep); then the next steps of the other run (Remove); then the remaining steps of the
// correct run (Insert), even if the other run has steps with the same labels. After the last step
// of the correct run, every continuation satisfies the property, or the run ends, or it repeats its
// last steps for ever.
//
// The removed steps continue to the end of the other run, or once round its loop. There is only one
// removed step if the other run is on its loop there and every continuation of the correct run
// satisfies the property.
type Diff struct {
	Steps []Edit
	// Loop is the number of last steps that the correct run repeats for ever, 0 for none. They
	// count as inserted.
	Loop int
	// Ends reports whether the correct run ends after the last step, in a deadlock.
	Ends bool
	// Edits is the smallest number of steps to be removed and inserted, if steps with the same
	// label are equal. For inevitability, Edits ignores the other run once the correct run has done
	// all steps; for other properties, Edits counts the other run to its end, or once round its
	// loop: otherwise a run that has nothing in common with the other would be the nearest.
	Edits int
	// Fork is the number of steps before the runs differ.
	Fork int
	// Near reports that the search reached its limit, so that another correct run may be nearer
	// than this one.
	Near bool
}

// Nearest returns a run that satisfies the property of the repair and differs from the
// counterexample t in the fewest steps, removed or inserted, if steps with the same label are
// equal; of several, one that leaves t latest. The run may repeat the loop of t any number of
// times; the result leaves these rounds out. If a supervisor exists, the run takes no transition
// that must never be taken. The result is nil if no such run satisfies the property.
//
// also are sets of labels: if the counterexample has a label of a set, the run must have one, too; only
// the first 8 sets count. limit is the largest number of transitions to visit, from pairs of product
// states of the two runs and from product states of loops, repeated visits included; 0 for no limit.
// At the limit it returns a run with Near: the nearest found so far or, if none was found, one with
// the fewest inserted steps in a row, which it searches within the same limit and one pass through
// the unfolded model. It fails if ctx is done, and with [ErrTooFar] if that search finds none. Cost
// O(p n (S + T)) at worst for a counterexample of length p, times 2 to the number of sets of also
// that it has; it visits only the pairs that are no farther than the result.
func (r *Repair) Nearest(ctx context.Context, t *counterexample.Trace, also [][]lts.Label, limit int64) (_ *Diff, err error) {
	defer abort.Caught(&err)
	g := r.game
	loop, _ := t.LoopStart()
	steps, loop := g.unfolding.Run(t.Steps(), loop)
	x := &nearest{game: g, guards: r.Solvable, steps: steps, loop: loop, start: loop, limit: limit}
	x.does = map[lts.Label]uint8{}
	for i, set := range also[:min(len(also), mostAlso)] {
		if slices.ContainsFunc(x.steps, func(t lts.Transition) bool { return slices.Contains(set, t.Label) }) {
			x.all |= 1 << i
			for _, l := range set {
				x.does[l] |= 1 << i
			}
		}
	}
	if g.condition != nil {
		// The endings of runs that take no forbidden transition.
		e := &endings{loops: map[lts.State]foundLoop{}}
		x.endings = e
		if len(g.condition.good) > mostCases {
			return nil, nil
		}
		for _, p := range g.condition.good {
			if p.Inf.Len() > mostRecurring {
				return nil, nil
			}
			c := goodCase{p, make([]uint32, g.m.NumStates())}
			count := uint32(0)
			avoiding := func(s lts.State, l lts.Label, to lts.State) bool { return x.mayAvoiding(p, s, l, to) }
			abort.On(scc.Within(ctx, g.m, avoiding, func(states []lts.State, cyclic bool) {
				if !cyclic {
					return
				}
				count++
				for _, s := range states {
					c.part[s] = count
				}
				colours := property.Marks(0)
				for _, s := range states {
					labels, targets := g.m.Out(s)
					for i, to := range targets {
						if c.part[to] == count && avoiding(s, labels.At(i), to) {
							colours |= g.unfolding.Marks(s, labels.At(i))
						}
					}
				}
				if p.Inf&^colours != 0 {
					for _, s := range states {
						c.part[s] = 0
					}
				}
			}))
			e.cases = append(e.cases, c)
		}
		components := abort.Must(scc.Find(ctx, g.m, ""))
		violating := abort.Must(g.unfolding.Accepting(ctx, components, g.condition.accept.Not()))
		e.doubtful = abort.Must(bfs.Back(ctx, g.m, func(s lts.State) bool {
			c, _ := components.Of(s)
			return violating[c] || g.m.IsDeadlock(s) && !x.accepts(s)
		}, nil))
		x.once = len(steps)
		if loop >= 0 {
			x.steps, x.loop = append(slices.Clip(steps), steps[loop:]...), len(steps)
		}
	}
	// The search need not visit product states from where no allowed transitions lead to an ending.
	x.hope = abort.Must(bfs.Back(ctx, g.m, x.isEnding, func(t lts.Transition) bool { return x.may(t.From, t.Label, t.To) }))
	if !x.hope.Has(0) {
		return nil, nil
	}
	x.visited = newNumberSet(uint64(g.m.NumStates()) * uint64(len(x.steps)+1) * (uint64(x.all) + 1))
	return x.search(ctx), nil
}

// ErrTooFar reports that the search for a nearest correct run reached its limit without a run.
var ErrTooFar = fmt.Errorf("the nearest correct run is too far away to be found within the limit")

// pair is a product state of the correct run, with the number of steps of the other run that are
// kept or removed so far.
type pair struct {
	state lts.State
	at    uint32
	did   uint8 // the sets of labels that the correct run has met
}

// nearest is a search of pairs in the order of their edits; among pairs with as many edits, the
// pairs that fork latest come first.
type nearest struct {
	*game
	guards bool
	steps  []lts.Transition // the steps of the other run, in the unfolded model
	loop   int
	start  int // the index of the step that begins the first round of the other run's loop; -1 without a loop
	// does has, for each label, the bits of those sets of also that contain it; all has the bits of
	// the sets that the correct run must meet.
	does    map[lts.Label]uint8
	all     uint8
	nodes   paged.List[edited]
	along   int        // the number of leading nodes that lie along the counterexample
	visited *numberSet // the numbers of the visited pairs
	limit   int64
	// now are the pairs with the current number of edits, next the pairs with one edit more, both
	// by the step where the pairs fork.
	now, next [][]int
	// endings is nil for an inevitability. For other properties, once is the number of steps of the
	// other run to its end, or through its loop once, and steps has the loop twice.
	endings *endings
	once    int
	// hope are the product states from where a correct run is still possible.
	hope   bitset.Set[lts.State]
	best   ending
	looked int64
	// The memory that searches for loops share.
	loopNodes   []inLoop
	loopVisited *numberSet
}

type edited struct {
	pair
	step   lts.Transition
	op     Op
	parent int
	fork   int
}

func (x *nearest) search(ctx context.Context) *Diff {
	x.now, x.next = make([][]int, len(x.steps)+1), make([][]int, len(x.steps)+1)
	// First come the pairs along the counterexample, until it takes a transition that is not allowed.
	x.nodes.Append(edited{parent: -1})
	x.now[0] = append(x.now[0], 0)
	for i, step := range x.steps {
		if !x.may(step.From, step.Label, step.To) || !x.hope.Has(step.To) {
			break
		}
		did := x.nodes.At(i).did | x.does[step.Label]
		x.nodes.Append(edited{pair{step.To, x.after(uint32(i)), did}, step, Keep, i, i + 1})
		x.now[i+1] = append(x.now[i+1], i+1)
	}
	x.along = x.nodes.Len()
	for edits := 0; x.best.at == nil || edits <= x.best.edits; edits++ {
		more := false
		for fork := len(x.now) - 1; fork >= 0; fork-- {
			for k := 0; k < len(x.now[fork]); k++ {
				abort.IfDone(ctx, k)
				at := x.now[fork][k]
				n := x.nodes.At(at)
				if !x.visited.add(x.number(n.pair)) {
					continue
				}
				if x.endings != nil {
					x.end(at, edits)
				} else if x.isDone(n.state) && n.did == x.all {
					return x.diff(ending{at: &at, edits: edits})
				}
				if x.expand(at); x.isEnough() {
					if x.best.at == nil {
						x.leave(ctx)
					}
					d := x.diff(x.best)
					d.Near = true
					return d
				}
			}
			x.now[fork] = nil
			more = more || len(x.next[fork]) > 0
		}
		if !more {
			break
		}
		x.now, x.next = x.next, x.now
	}
	if x.best.at == nil {
		return nil
	}
	return x.diff(x.best)
}

// leave finds a correct run that never returns to the other one, with the fewest steps from the
// fork to an ending.
func (x *nearest) leave(ctx context.Context) {
	x.looked, x.limit = 0, x.limit+int64(x.m.NumStates())+int64(x.m.NumTransitions())
	if x.endings != nil {
		clear(x.endings.loops) // the search was stopped before it found one
	}
	visited := newNumberSet(uint64(x.m.NumStates()) * (uint64(x.all) + 1))
	var now, next []int
	for at := x.along - 1; at >= 0; at-- {
		now = append(now, at)
	}
	for edits := 0; len(now) > 0; edits, now, next = edits+1, next, now[:0] {
		for k, at := range now {
			abort.IfDone(ctx, k)
			n := *x.nodes.At(at)
			if !visited.add(uint64(n.state)*(uint64(x.all)+1) + uint64(n.did)) {
				continue
			}
			switch {
			case x.endings == nil && x.isDone(n.state) && n.did == x.all:
				x.best = ending{at: &at, edits: edits}
			case x.endings != nil && x.isEnding(n.state):
				x.end(at, edits)
			}
			labels, targets := x.m.Out(n.state)
			if x.best.at != nil {
				return
			}
			if x.looked += 1 + int64(len(targets)); x.isEnough() {
				abort.On(ErrTooFar)
			}
			for i, to := range targets {
				if x.hope.Has(to) && x.may(n.state, labels.At(i), to) {
					step := lts.Transition{From: n.state, Label: labels.At(i), To: to}
					next = append(next, x.nodes.Len())
					x.nodes.Append(edited{pair{to, n.at, n.did | x.does[step.Label]}, step, Insert, at, n.fork})
				}
			}
		}
	}
	abort.On(ErrTooFar)
}

// number returns a number for each pair.
func (x *nearest) number(p pair) uint64 {
	return (uint64(p.state)*uint64(len(x.steps)+1)+uint64(p.at))*(uint64(x.all)+1) + uint64(p.did)
}

func (x *nearest) isEnough() bool { return x.limit > 0 && x.looked > x.limit }

// isDone reports whether a product state satisfies the property without further steps.
func (x *nearest) isDone(s lts.State) bool { return x.rank[s] == 1 }

func (x *nearest) may(from lts.State, l lts.Label, to lts.State) bool {
	return !x.guards || x.wins(to) && x.allows(from, l, to)
}

// after returns the number of the other run's step after step i; after the last step of the loop,
// its first one.
func (x *nearest) after(i uint32) uint32 {
	if int(i)+1 == len(x.steps) && x.loop >= 0 {
		return uint32(x.loop)
	}
	return i + 1
}

// expand adds the pairs after a pair.
func (x *nearest) expand(at int) {
	n := *x.nodes.At(at)
	going := int(n.at) < len(x.steps)
	labels, targets := x.m.Out(n.state)
	x.looked += 1 + int64(len(targets))
	for i, to := range targets {
		if !x.hope.Has(to) || !x.may(n.state, labels.At(i), to) {
			continue
		}
		step := lts.Transition{From: n.state, Label: labels.At(i), To: to}
		did := n.did | x.does[step.Label]
		if going && x.m.Alphabet().Plain(step.Label) == x.m.Alphabet().Plain(x.steps[n.at].Label) {
			x.put(x.now, edited{pair{to, x.after(n.at), did}, step, Keep, at, n.fork})
		} else {
			x.put(x.next, edited{pair{to, n.at, did}, step, Insert, at, n.fork})
		}
	}
	if going {
		x.put(x.next, edited{pair{n.state, x.after(n.at), n.did}, x.steps[n.at], Remove, at, n.fork})
	}
}

func (x *nearest) put(in [][]int, n edited) {
	if x.visited.has(x.number(n.pair)) {
		return
	}
	in[n.fork] = append(in[n.fork], x.nodes.Len())
	x.nodes.Append(n)
}

// mostAlso is the largest number of sets of also.
const mostAlso = 8

// done returns the bits of the sets of labels that some steps meet.
func (x *nearest) done(steps []lts.Transition) (did uint8) {
	for _, t := range steps {
		did |= x.does[t.Label]
	}
	return did
}

// other returns step i of the other run, counted through the rounds of its loop; false after its
// end.
func (x *nearest) other(i int) (lts.Transition, bool) {
	if i >= len(x.steps) && x.loop >= 0 {
		i = x.loop + (i-x.loop)%(len(x.steps)-x.loop)
	}
	if i >= len(x.steps) {
		return lts.Transition{}, false
	}
	return x.steps[i], true
}

// diff returns the diff of the run that leads to a node and continues with an ending.
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
			// The runs differ only in a later round, and both go on for ever.
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
				progress = int(x.unfolding.At(t.To).Q)
			}
			d.Steps = append(d.Steps, Edit{op, x.folded(t), progress})
		}
		return progress
	}
	progress := put(Keep, correct[:fork], int(x.unfolding.At(0).Q))
	put(Remove, x.gone(fork, d), progress)
	put(Insert, correct[fork:], progress)
	return d
}

// withoutRounds removes rounds of the other run's loop from the common steps, if the correct run
// can leave the loop in an earlier round, too.
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

// gone returns the removed steps of a diff.
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

// A condition with more cases, or with more demanded colours in a case, has no nearest run.
const (
	mostCases     = 16
	mostRecurring = 6
)

// endings are the endings of runs of the unfolded model that satisfy a property other than
// inevitability.
type endings struct {
	// doubtful are the product states from where some run violates the property.
	doubtful bitset.Set[lts.State]
	// cases are the ways for an infinite run to satisfy the property.
	cases []goodCase
	loops map[lts.State]foundLoop // the results of the searches for loops so far, by product state
}

// goodCase is a pair of the condition, with the components where a run can satisfy it.
type goodCase struct {
	pair property.Pair
	// part[s] is the number, from 1, of the component of product state s if a run can stay in the
	// component for ever and satisfy the pair; 0 otherwise.
	part []uint32
}

// ending is how a correct run continues after a node of the search; without a node, there is no
// ending.
type ending struct {
	at    *int
	edits int // the number of edits in all
	loop  []lts.Transition
	ends  bool
}

// mayAvoiding reports whether the correct run may take a transition infinitely often and satisfy a
// pair.
func (x *nearest) mayAvoiding(p property.Pair, s lts.State, l lts.Label, to lts.State) bool {
	return x.unfolding.Marks(s, l)&p.Fin == 0 && x.may(s, l, to)
}

// isEnding reports whether a product state is an ending: a correct run can end there, satisfies the
// property whatever follows, or can stay in the component.
func (x *nearest) isEnding(s lts.State) bool {
	if x.endings == nil {
		return x.isDone(s)
	}
	if x.m.IsDeadlock(s) {
		return x.accepts(s)
	}
	return !x.endings.doubtful.Has(s) || slices.ContainsFunc(x.endings.cases, func(c goodCase) bool { return c.part[s] != 0 })
}

// accepts reports whether a run that ends in a product state satisfies the property.
func (x *nearest) accepts(s lts.State) bool {
	return x.unfolding.Property().Stops(x.unfolding.At(s).Q)
}

// end updates the best ending by the run that leads to a node, with a loop if it needs one.
func (x *nearest) end(at, edits int) {
	n := x.nodes.At(at)
	end := ending{at: &at, edits: edits + max(0, x.once-int(n.at))}
	switch {
	case n.did == x.all && !x.endings.doubtful.Has(n.state) && !x.m.IsDeadlock(n.state):
	case n.did == x.all && x.m.IsDeadlock(n.state) && x.accepts(n.state):
		end.ends = true
	case x.best.at != nil && end.edits >= x.best.edits: // a loop has at least one step more
		return
	default:
		most := math.MaxInt
		if x.best.at != nil {
			most = x.best.edits - end.edits // an ending of the same length is as good if it forks later
		}
		if end.loop = x.loopFrom(n.state, most); end.loop == nil || n.did|x.done(end.loop) != x.all {
			return
		}
		end.edits += len(end.loop)
	}
	if x.best.at == nil || end.edits < x.best.edits || end.edits == x.best.edits && n.fork > x.nodes.At(*x.best.at).fork {
		x.best = end
	}
}

// loopFrom returns a shortest loop through a product state that satisfies some pair; nil if it has
// more steps than the limit, or does not exist.
func (x *nearest) loopFrom(s lts.State, most int) []lts.Transition {
	known, searched := x.endings.loops[s]
	if searched && (known.steps != nil || most <= known.longer) {
		if len(known.steps) > most {
			return nil
		}
		return known.steps
	}
	var best []lts.Transition
	for _, c := range x.endings.cases {
		if c.part[s] == 0 {
			continue
		}
		if best != nil {
			most = len(best) - 1
		}
		if loop := x.shortestLoop(s, c, most); loop != nil {
			best = loop
		}
	}
	x.endings.loops[s] = foundLoop{best, most}
	return best
}

// foundLoop is a shortest loop through a product state; without steps, every loop has more steps
// than the number longer.
type foundLoop struct {
	steps  []lts.Transition
	longer int
}

// inLoop is a node of a search for a loop: a product state, with the demanded colours since the
// beginning of the loop, and the transition that leads to the product state.
type inLoop struct {
	state   lts.State
	label   lts.Label
	from    int32 // negative if the loop begins here
	colours property.Marks
}

// shortestLoop searches for a loop that satisfies the pair of c, with no more steps than the limit:
// breadth first over product states with the demanded colours since the beginning of the loop.
func (x *nearest) shortestLoop(s lts.State, c goodCase, most int) []lts.Transition {
	all := uint64(c.pair.Inf)
	number := func(n inLoop) uint64 { // the demanded colours, each as a single bit
		k := uint64(n.state)
		for left := all; left != 0; left &= left - 1 {
			k = k<<1 | uint64(n.colours)>>bits.TrailingZeros64(left)&1
		}
		return k
	}
	if x.loopVisited == nil {
		x.loopVisited = newNumberSet(uint64(x.m.NumStates()) << mostRecurring)
	}
	x.loopVisited.empty()
	x.loopNodes = append(x.loopNodes[:0], inLoop{state: s, from: -1})
	x.loopVisited.add(number(x.loopNodes[0]))
	for next, steps, last := 0, 1, 0; next < len(x.loopNodes); next++ {
		if next > last {
			steps, last = steps+1, len(x.loopNodes)-1
		}
		if steps > most {
			return nil
		}
		at := x.loopNodes[next]
		labels, targets := x.m.Out(at.state)
		if x.looked += 1 + int64(len(targets)); x.isEnough() {
			return nil
		}
		for i, to := range targets {
			l := labels.At(i)
			if c.part[to] != c.part[s] || !x.mayAvoiding(c.pair, at.state, l, to) {
				continue
			}
			n := inLoop{to, l, int32(next), at.colours | x.unfolding.Marks(at.state, l)&c.pair.Inf}
			if to == s && bits.OnesCount64(uint64(n.colours)) == c.pair.Inf.Len() {
				var loop []lts.Transition
				for at := n; at.from >= 0; at = x.loopNodes[at.from] {
					loop = append(loop, lts.Transition{From: x.loopNodes[at.from].state, Label: at.label, To: at.state})
				}
				slices.Reverse(loop)
				return loop
			}
			if x.loopVisited.add(number(n)) {
				x.loopNodes = append(x.loopNodes, n)
			}
		}
	}
	return nil
}
