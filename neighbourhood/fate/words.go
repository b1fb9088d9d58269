package fate

import (
	"context"
	"math/bits"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/property/stateset"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// inWords computes fates without the product, for a property of few states. Each state of the model
// has three words, which are sets of property states: those with which a run reaches the state,
// those from which some run satisfies the property, and those from which some run violates it.
type inWords[W stateset.Set] struct {
	m     *lts.LTS
	p     *property.Property
	table property.Automaton
	// ahead are the images of sets of property states under letters.
	ahead stateset.Images[W]

	reached, satisfy, violate []W
}

// mostInImages is the largest number of bytes of the tables of images.
const mostInImages = 1 << 18

// newInWords returns the fates in words; nil if the property has too many states
// or letters, its condition too many pairs, or if there would be too many passes.
// Cost O(S + T) for each pass.
func newInWords(ctx context.Context, m *lts.LTS, p *property.Property) productFates {
	w := wordsFor(ctx, m, p)
	if w == nil {
		return nil
	}
	return w.fates(ctx)
}

// Losses returns a function that reports whether the property is lost for a run in state s with the
// property in state q: whether no run from there satisfies it. The pair must be one that can be reached,
// and the property no chain. Errors as for [Compute]. Cost as for Compute; less than half of it with
// words, which then need only the runs that satisfy the property.
func Losses(
	ctx context.Context,
	m *lts.LTS,
	p *property.Property,
) (lost func(s lts.State, q property.Q) bool, err error) {
	defer abort.Caught(&err)
	w := wordsFor(ctx, m, p)
	if w != nil {
		lost = w.losses(ctx)
		if lost != nil {
			return lost, nil
		}
	}
	x := newInProduct(ctx, m, p, nil)
	return func(s lts.State, q property.Q) bool {
		possible, reached := x.outcomes(s, q)
		return reached && fateOf[possible] == Lost
	}, nil
}

// wordsOfWidth is an [inWords] with words of some width, before it has computed anything.
type wordsOfWidth interface {
	fates(ctx context.Context) productFates
	losses(ctx context.Context) func(lts.State, property.Q) bool
}

// wordsFor returns words that are wide enough for a property; nil if no width is,
// or if the property has too many letters.
func wordsFor(ctx context.Context, m *lts.LTS, p *property.Property) wordsOfWidth {
	t := p.Automaton()
	width := stateset.Width(&t, mostInImages)
	if width == 0 {
		return nil
	}
	abort.On(resources.Ask(ctx, int64(m.NumStates())*int64(5*width+4)))
	switch width {
	case 1:
		return wordsOf[uint8](m, p, t)
	case 2:
		return wordsOf[uint16](m, p, t)
	case 4:
		return wordsOf[uint32](m, p, t)
	}
	return wordsOf[uint64](m, p, t)
}

// wordsOf returns words of the type W, which must have a bit for each state of the property.
func wordsOf[W stateset.Set](
	m *lts.LTS,
	p *property.Property,
	t property.Automaton,
) *inWords[W] {
	return &inWords[W]{
		m:     m,
		p:     p,
		table: t,
		ahead: stateset.Forward[W](&t, all),
	}
}

// all selects all transitions of a property.
func all(_, _ property.Q, _ property.Marks) bool { return true }

// fates computes, for each reachable product state, whether some maximal run from there satisfies the
// property, and whether some run violates it; nil if either is too expensive.
func (x *inWords[W]) fates(ctx context.Context) productFates {
	x.reach(ctx)
	f := newFixpoints(ctx, x)
	x.satisfy = f.satisfying(x.p)
	if x.satisfy == nil {
		return nil
	}
	x.violate = f.violating(x.p)
	if x.violate == nil {
		return nil
	}
	return x
}

// losses returns a function that reports whether no maximal run from a product state satisfies the
// property; nil if that is too expensive.
func (x *inWords[W]) losses(ctx context.Context) func(lts.State, property.Q) bool {
	if x.table.States() == 1 {
		// With one property state, every state of the model may count as reached: unreachable
		// states change no result for the reachable ones, and need no further passes.
		x.reached = slices.Repeat([]W{1}, x.m.NumStates())
	} else {
		x.reach(ctx)
	}
	satisfy := newFixpoints(ctx, x).satisfying(x.p)
	if satisfy == nil {
		return nil
	}
	return func(s lts.State, q property.Q) bool { return !stateset.Has(satisfy[s], q) }
}

// A pass that propagates the sets of at most 1/shareOfLastPass of the states is the last one.
const shareOfLastPass = 16

// reach computes the property states with which runs reach each state. It makes passes through the
// states whose sets have grown, alternately from the first state and from the last. When only a few
// sets grow in a pass, it continues with a queue of these states.
func (x *inWords[W]) reach(ctx context.Context) {
	n := x.m.NumStates()
	x.reached = make([]W, n)
	fresh := make([]W, n) // the additions that were not propagated yet
	begin := x.m.Initial()
	x.reached[begin] = 1 << x.p.Initial()
	fresh[begin] = x.reached[begin]
	x.propagateInPasses(ctx, fresh)
	x.propagateFromQueue(ctx, fresh)
}

// propagateInPasses makes passes through the states until one of them propagates only a few sets: for
// so few, another pass through all states would cost too much. Every other pass goes backwards, since
// one pass follows a path as long as it goes to states that are still to come in this pass.
func (x *inWords[W]) propagateInPasses(ctx context.Context, fresh []W) {
	n := len(fresh)
	propagated := n
	for up := true; propagated > n/shareOfLastPass; up = !up {
		propagated = 0
		for i := range n {
			abort.IfDone(ctx, i)
			s := lts.State(i)
			if !up {
				s = lts.State(n - 1 - i)
			}
			if fresh[s] != 0 {
				propagated++
				x.propagate(s, fresh, nil) // without a queue: this pass or the next one finds the successors
			}
		}
	}
}

// propagateFromQueue propagates the remaining additions, and those that follow from them.
func (x *inWords[W]) propagateFromQueue(ctx context.Context, fresh []W) {
	queue := ring{states: make([]lts.State, len(fresh))}
	for s, set := range fresh {
		if set != 0 {
			queue.add(lts.State(s))
		}
	}
	for work := 0; queue.size > 0; work++ {
		abort.IfDone(ctx, work)
		x.propagate(queue.remove(), fresh, &queue)
	}
}

// propagate adds the new members of the set of a state to the sets of its successors. It puts the
// successors whose sets grow into the queue, if there is one.
func (x *inWords[W]) propagate(s lts.State, fresh []W, queue *ring) {
	set := fresh[s]
	fresh[s] = 0
	labels, targets := x.m.Out(s)
	for i, t := range targets {
		more := x.ahead.Of(x.table.Letters[labels.At(i)], set) &^ x.reached[t]
		if more == 0 {
			continue
		}
		if fresh[t] == 0 && queue != nil {
			queue.add(t)
		}
		x.reached[t] |= more
		fresh[t] |= more
	}
}

// ring is a queue of states in which each state is at most once.
type ring struct {
	states []lts.State
	next   int // the index of the first state
	size   int // the number of states in the queue
}

func (r *ring) add(s lts.State) {
	at := r.next + r.size
	if at >= len(r.states) {
		at -= len(r.states)
	}
	r.states[at] = s
	r.size++
}

// remove removes the first state.
func (r *ring) remove() lts.State {
	s := r.states[r.next]
	r.next++
	if r.next == len(r.states) {
		r.next = 0
	}
	r.size--
	return s
}

// outcomesOf returns the outcomes of the runs that reach a state with one of the property states in set.
func (x *inWords[W]) outcomesOf(s lts.State, set W) (possible outcomes) {
	if set&x.satisfy[s] != 0 {
		possible |= canAccept
	}
	if set&x.violate[s] != 0 {
		possible |= canReject
	}
	return possible
}

func (x *inWords[W]) outcomes(s lts.State, q property.Q) (possible outcomes, reached bool) {
	set := W(1) << q & x.reached[s]
	return x.outcomesOf(s, set), set != 0
}

func (x *inWords[W]) class(from lts.State, l lts.Label, to lts.State) Class {
	return fateOf[x.outcomesOf(to, x.ahead.Of(x.table.Letters[l], x.reached[from]))].class()
}

func (x *inWords[W]) pathClass(path []lts.Transition) Class {
	set := x.reached[path[0].From]
	for _, t := range path {
		set = x.ahead.Of(x.table.Letters[t.Label], set)
	}
	return fateOf[x.outcomesOf(path[len(path)-1].To, set)].class()
}

func (x *inWords[W]) histories(s lts.State) (reached, satisfy, violate int) {
	size := func(set W) int { return bits.OnesCount64(uint64(set)) }
	return size(x.reached[s]), size(x.reached[s] & x.satisfy[s]), size(x.reached[s] & x.violate[s])
}

func (x *inWords[W]) arrivals(s lts.State) (set uint64, all []property.Q) {
	return uint64(x.reached[s]), nil
}

const (
	// mostPasses limits the passes: all states and transitions are read at most this many times for
	// each state of the property. Beyond that the product is cheaper.
	mostPasses = 20
	// A round of a greatest fixpoint is slow if it removes less than 1/fewLeftOut of the product
	// states that it began with; at most mostFew rounds may be slow.
	fewLeftOut, mostFew = 64, 4
	// mostPairs is the largest number of pairs of a condition that are examined.
	mostPairs = 16
)

// fixpoints computes sets of product states from which a run of some kind exists. Passes through
// the states of the model, alternately from the last state and from the first, add to the sets or
// remove from them until nothing changes.
//
// A run satisfies a pair of colours (Fin, Inf) iff it finally stays in the greatest sets Z with
// this property: from each product state of Z, a path inside Z without Fin colours meets each of
// the Inf colours once more. For each Inf colour this is a least fixpoint inside the greatest one
// (Emerson, Lei: Efficient Model Checking in Fragments of the Propositional Mu-Calculus, LICS
// 1986).
type fixpoints[W stateset.Set] struct {
	*inWords[W]
	ctx context.Context
	// left is how many states and transitions may still be read.
	left int
	// before are the inverse images: the property states from which a letter leads
	// into a set.
	before stateset.Images[W]
}

func newFixpoints[W stateset.Set](ctx context.Context, x *inWords[W]) *fixpoints[W] {
	passes := mostPasses * (1 + x.table.States())
	return &fixpoints[W]{
		inWords: x,
		ctx:     ctx,
		left:    passes * (x.m.NumStates() + x.m.NumTransitions()),
		before:  stateset.Backward[W](&x.table, all),
	}
}

// satisfying returns, for each state of the model, the property states from which some maximal run
// satisfies the property; nil if that takes too many passes.
func (f *fixpoints[W]) satisfying(p *property.Property) []W { return f.meeting(p.Acceptance(), true) }

// violating returns, for each state of the model, the property states from which some maximal run
// violates the property; nil if that takes too many passes.
func (f *fixpoints[W]) violating(p *property.Property) []W {
	return f.meeting(p.Acceptance().Not(), false)
}

// meeting returns, for each state of the model, the property states from which some run meets the
// condition, or ends in a deadlock in a property state whose Stop equals stops; nil if that takes
// too many passes. It first finds the product states where such runs end or recur, and then the
// states that lead there.
func (f *fixpoints[W]) meeting(condition property.Acceptance, stops bool) []W {
	pairs, few := condition.Pairs(mostPairs)
	if !few {
		return nil
	}
	sets := f.endingWith(stops)
	for _, pair := range pairs {
		recurring := f.recurring(pair)
		if f.left < 0 {
			return nil
		}
		for s, set := range recurring {
			sets[s] |= set
		}
	}
	isNonempty := func(set W) bool { return set != 0 }
	if !slices.ContainsFunc(sets, isNonempty) {
		return sets
	}
	f.grow(sets, f.reached, &f.before)
	if f.left < 0 {
		return nil
	}
	return sets
}

// endingWith returns, for each deadlock of the model, the property states in which runs end there and
// whose Stop equals stops. The sets of all other states are empty.
func (f *fixpoints[W]) endingWith(stops bool) []W {
	var matching W // the property states whose Stop equals stops
	for q, stop := range f.table.Stop {
		if stop == stops {
			matching |= 1 << q
		}
	}
	ending := make([]W, len(f.reached))
	for s := range lts.State(len(ending)) {
		if f.m.IsDeadlock(s) {
			ending[s] = f.reached[s] & matching
		}
	}
	return ending
}

// recurring returns the greatest sets of a pair: see [fixpoints]. As loops of the
// product are also loops of the property, only property states on loops are
// examined.
func (f *fixpoints[W]) recurring(pair property.Pair) []W {
	loops, states := stateset.Loops(&f.table, pair)
	onLoops := W(states)
	sets := make([]W, len(f.reached))
	if onLoops == 0 {
		return sets
	}
	for s, set := range f.reached {
		sets[s] = set & onLoops
	}
	stays := stateset.Stays(loops, pair)
	along := stateset.Backward[W](&f.table, stays)
	if pair.Inf == 0 {
		f.shrink(sets, &along)
		return sets
	}
	var wanted []stateset.Images[W] // for each Inf colour, the images under the transitions that have it
	for c := range property.Colours {
		colour := pair.Inf & property.Mark(c)
		if colour == 0 {
			continue
		}
		hasColour := func(from, to property.Q, marks property.Marks) bool {
			return marks&colour != 0 && stays(from, to, marks)
		}
		wanted = append(wanted, stateset.Backward[W](&f.table, hasColour))
	}
	return f.recurringThrough(sets, wanted, &along)
}

// recurringThrough shrinks sets to the greatest subsets with this property: from each product state
// in them, a path inside them leads to a wanted transition of each colour. along has the images of
// all transitions that the paths may take. It returns nil if there are too many slow rounds.
func (f *fixpoints[W]) recurringThrough(sets []W, wanted []stateset.Images[W], along *stateset.Images[W]) []W {
	countBefore := stateset.Count(sets)
	slowRounds := 0
	for {
		// Shrinking first takes one or two passes to remove the product states
		// whose continuations soon end; the loop would need many rounds for that.
		f.shrink(sets, along)
		for i := range wanted {
			if f.left < 0 {
				return nil
			}
			sets = f.leadingTo(sets, &wanted[i], along)
		}
		size := stateset.Count(sets)
		if f.left < 0 || size == countBefore {
			return sets
		}
		isSlow := countBefore-size < countBefore/fewLeftOut
		if isSlow {
			slowRounds++
			if slowRounds > mostFew {
				f.left = -1 // the model may have as many more slow rounds as it has components
				return nil
			}
		}
		countBefore = size
	}
}

// leadingTo returns the product states from which a path inside sets ends in a wanted transition. along
// has the images of all transitions that the path may take.
func (f *fixpoints[W]) leadingTo(sets []W, wanted, along *stateset.Images[W]) []W {
	found := make([]W, len(sets))
	f.pass(true, func(s lts.State) bool {
		if sets[s] != 0 {
			found[s] = f.into(s, sets, wanted, sets[s])
		}
		return false
	})
	f.grow(found, sets, along)
	return found
}

// into returns the candidates from which a transition leads into sets. The candidates are property
// states in the state s of the model.
func (f *fixpoints[W]) into(
	s lts.State,
	sets []W,
	by *stateset.Images[W],
	candidates W,
) (found W) {
	labels, targets := f.m.Out(s)
	for i, t := range targets {
		set := sets[t]
		if set == 0 {
			continue
		}
		found |= by.Of(f.table.Letters[labels.At(i)], set) & candidates
		if found == candidates {
			f.left -= i + 1
			return found
		}
	}
	f.left -= len(targets)
	return found
}

// grow extends sets: it adds each product state in within from which a path inside within leads
// into them.
func (f *fixpoints[W]) grow(sets, within []W, by *stateset.Images[W]) {
	f.repeat(func(s lts.State) bool {
		missing := within[s] &^ sets[s]
		if missing == 0 {
			return false
		}
		missing = f.into(s, sets, by, missing)
		sets[s] |= missing
		return missing != 0
	})
}

// shrink removes product states from sets until each one that is left has a transition into the
// sets.
func (f *fixpoints[W]) shrink(sets []W, by *stateset.Images[W]) {
	f.repeat(func(s lts.State) bool {
		before := sets[s]
		if before != 0 {
			sets[s] = f.into(s, sets, by, before)
		}
		return sets[s] != before
	})
}

// repeat makes passes until one changes nothing, or the limit is reached.
func (f *fixpoints[W]) repeat(change func(lts.State) bool) {
	for down := true; f.left >= 0 && f.pass(down, change); down = !down {
	}
}

// pass goes once through all states, and reports whether anything changed.
func (f *fixpoints[W]) pass(down bool, change func(lts.State) bool) (changed bool) {
	f.left -= f.m.NumStates()
	return abort.Must(stateset.Pass(f.ctx, f.m.NumStates(), down, change)) > 0
}
