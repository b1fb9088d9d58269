// Package product pairs a model with a property: the product has a state for each
// pair of a state of the model and a property state with which it can be reached.
//
// In the model itself a state that is reached both before and after a step has
// one class for both histories; unfolded, it is two states, each with its own
// class. The unfolded model is an LTS like any other, to which the same analyses
// apply. For a property that is no chain, its cycles decide which runs are
// accepted.
//
// The unfolded model has the alphabet of the model, label numbers included, so that a property
// bound to one also fits the other. Its traces from the initial state are those of the model.
package product

import (
	"context"
	"fmt"
	"iter"
	"math"
	"math/bits"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/internal/property/stateset"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
)

// State is a product state: a state of a model with the property state that the
// path to it gives; for a chain, the progress.
type State struct {
	State lts.State
	Q     property.Q
}

// String writes a product state as state·property state, such as 67·1.
func (p State) String() string { return fmt.Sprintf("%d·%d", p.State, p.Q) }

// Unfolding is the unfolded model of an LTS and a property.
type Unfolding struct {
	system        *lts.LTS
	property      *property.Property
	productStates productStates
	next          successor
	model         *lts.LTS
	// index finds the product states of a property of few states, unless only a part is unfolded.
	// known finds them in all other cases. If known is used and everything is unfolded, the
	// unfolded states of each model state form a list: latest[s] is the unfolded state of model
	// state s with the largest number, and earlier[u] is the next smaller one after u in its list;
	// none if there is none.
	index   index
	known   map[State]lts.State
	latest  []lts.State
	earlier []lts.State
	// expanded is the number of states that have their transitions; depth is the distance of the
	// first state without them from the initial state.
	expanded, depth int
}

// String returns the size of the unfolded model.
func (u *Unfolding) String() string {
	if u == nil {
		return "<nil>"
	}
	return fmt.Sprintf("unfolded: %v", u.model)
}

// productStates lists product states. If the property has few states, its states take
// one byte each.
type productStates struct {
	states []lts.State
	narrow []uint8
	wide   []property.Q // used instead of narrow if the property has many states
	few    bool
}

func newProductStates(p *property.Property) productStates {
	return productStates{few: p.States() <= 1<<8}
}

func (l *productStates) len() int { return len(l.states) }

func (l *productStates) at(s lts.State) State { return State{l.states[s], l.q(s)} }

func (l *productStates) q(s lts.State) property.Q {
	if l.few {
		return property.Q(l.narrow[s])
	}
	return l.wide[s]
}

func (l *productStates) add(p State) {
	l.states = append(l.states, p.State)
	if l.few {
		l.narrow = append(l.narrow, uint8(p.Q))
	} else {
		l.wide = append(l.wide, p.Q)
	}
}

// makeRoom makes room for this many product states.
func (l *productStates) makeRoom(n int) {
	l.states = make([]lts.State, 0, n)
	if l.few {
		l.narrow = make([]uint8, 0, n)
	}
}

// none is the number of no state.
const none lts.State = lts.MaxStates

// Unfold unfolds the reachable part of m by the states of p, which must be bound
// to m. Unfolded states are numbered in breadth-first order from the initial
// state, 0. It fails if ctx is done, or if the unfolded model has too many states
// or transitions. Cost O(n (S + T)) time and memory at worst for a property of n
// states; usually less than twice that of the model, since most states are
// reached with one or two property states.
func Unfold(ctx context.Context, m *lts.LTS, p *property.Property) (_ *Unfolding, err error) {
	defer abort.Caught(&err)
	return unfold(ctx, m, p, math.MaxInt), nil
}

// roomy limits the rows in a part: a state is expanded if it has at most roomy times as many
// transitions as states are wanted.
const roomy = 8

// UnfoldPart is [Unfold] for about as many states as given, the nearest to the initial one. It expands
// states breadth first until it has expanded this many, or comes to one with far more transitions; the
// other states have no transitions. [Unfolding.IsCut] then returns true, and [Unfolding.Unfolded] must
// not be used. Cost O(the expanded states and their transitions).
func UnfoldPart(
	ctx context.Context,
	m *lts.LTS,
	p *property.Property,
	states int,
) (_ *Unfolding, err error) {
	defer abort.Caught(&err)
	return unfold(ctx, m, p, states), nil
}

// unfold returns the product that [UnfoldPart] describes, with at most this many expanded states.
func unfold(ctx context.Context, m *lts.LTS, p *property.Property, mostExpanded int) *Unfolding {
	u := &Unfolding{
		property:      p,
		productStates: newProductStates(p),
		next:          newSuccessor(p),
		model:         m,
	}
	x := explorer{Unfolding: u, m: m}
	if mostExpanded >= m.NumStates() && p.States() <= mostInSet {
		x.prepare(ctx)
	} else {
		u.known = make(map[State]lts.State)
	}
	x.rowStarts = append(x.rowStarts, 0)
	x.explore(ctx, mostExpanded)
	u.system = abort.Must(lts.FromRows(0, m.Alphabet(), x.rowStarts, x.labels, x.targets))
	if u.known != nil && !u.IsCut() {
		u.linkCopies(ctx)
	}
	return u
}

// linkCopies links the unfolded states of each model state, from the one with the largest number on.
func (u *Unfolding) linkCopies(ctx context.Context) {
	abort.On(resources.AskFor[lts.State](ctx, u.model.NumStates()+u.productStates.len()))
	u.latest = make([]lts.State, u.model.NumStates())
	u.earlier = make([]lts.State, u.productStates.len())
	for s := range u.latest {
		u.latest[s] = none
	}
	for i, s := range u.productStates.states {
		u.earlier[i] = u.latest[s]
		u.latest[s] = lts.State(i)
	}
}

// prepare finds the product states that are reached, and allocates them and their rows at once,
// since lists of this size would be copied repeatedly if they grew.
func (x *explorer) prepare(ctx context.Context) {
	reached := reachedSets(ctx, x.m, &x.next)
	productStates := 0
	transitions := 0
	for s, set := range reached {
		n := bits.OnesCount64(set)
		first, end := x.m.Row(lts.State(s))
		productStates += n
		transitions = transitions + n*(end-first)
	}
	if productStates > lts.MaxStates || transitions > math.MaxUint32 {
		tooLarge()
	}
	abort.On(resources.Ask(ctx, 10*int64(productStates)+4*int64(transitions)))
	x.index = newIndex(ctx, reached, productStates, x.property.States())
	x.productStates.makeRoom(productStates)
	x.rowStarts = make([]uint32, 0, productStates+1)
	x.targets = make([]lts.State, 0, transitions)
	abort.On(x.labels.Grow(ctx, transitions, x.m.Alphabet().Len()))
}

// tooLarge fails with the error of an unfolded model that is too large.
func tooLarge() {
	abort.On(fmt.Errorf("the unfolded model has more than %d states or transitions",
		lts.MaxStates-1))
}

// successor computes the successor of a property state under a label: from the
// table if there is one.
type successor struct {
	property *property.Property
	isChain  bool
	table    property.Automaton
}

func newSuccessor(p *property.Property) successor {
	x := successor{property: p, isChain: p.Steps() > 0}
	if !x.isChain {
		x.table = p.Automaton()
	}
	return x
}

func (x *successor) after(q property.Q, l lts.Label) property.Q {
	if x.isChain {
		return x.property.Next(q, l)
	}
	return x.table.Next[int(q)*x.table.Columns+int(x.table.Letters[l])]
}

// explorer writes the rows of an unfolded model one after the other.
type explorer struct {
	*Unfolding
	m *lts.LTS
	// rowStarts[s] is where the row of state s begins.
	rowStarts []uint32
	labels    lts.LabelColumn
	targets   []lts.State
}

// explore expands states breadth first, until this many are expanded, all are, or one has far too many
// transitions. The other states get empty rows.
func (x *explorer) explore(ctx context.Context, mostExpanded int) {
	x.number(State{x.m.Initial(), x.property.Initial()})
	levelEnd := 1 // the number of states up to the present depth
	for ; x.expanded < x.productStates.len() && x.expanded < mostExpanded; x.expanded++ {
		if x.expanded == levelEnd {
			levelEnd = x.productStates.len()
			x.depth++
		}
		if x.expanded%4096 == 0 {
			abort.On(ctx.Err())
		}
		from := x.productStates.at(lts.State(x.expanded))
		labels, targets := x.m.Out(from.State)
		hasFarTooMany := mostExpanded < math.MaxInt/roomy && len(targets) > roomy*mostExpanded
		if hasFarTooMany {
			break
		}
		if x.productStates.len()+len(targets) > lts.MaxStates ||
			len(x.targets)+len(targets) > math.MaxUint32 {
			tooLarge()
		}
		x.labels.AppendAll(labels)
		for i, t := range targets {
			q := x.next.after(from.Q, labels.At(i))
			x.targets = append(x.targets, x.number(State{t, q}))
		}
		x.rowStarts = append(x.rowStarts, uint32(len(x.targets)))
	}
	if x.expanded == levelEnd {
		x.depth++
	}
	for len(x.rowStarts) <= x.productStates.len() {
		x.rowStarts = append(x.rowStarts, uint32(len(x.targets)))
	}
}

// number returns the unfolded state of a product state. It adds the unfolded state if the product
// state has none.
func (x *explorer) number(p State) lts.State {
	if x.known == nil {
		s := &x.index.numbers[x.index.slot(p)]
		if *s == none {
			*s = lts.State(x.productStates.len())
			x.productStates.add(p)
		}
		return *s
	}
	if s, ok := x.known[p]; ok {
		return s
	}
	s := lts.State(x.productStates.len())
	x.productStates.add(p)
	x.known[p] = s
	return s
}

// IsCut reports whether some states lack their transitions: see [UnfoldPart]. Cost O(1).
func (u *Unfolding) IsCut() bool { return u.expanded < u.productStates.len() }

// Depth returns the distance from the initial state of the nearest state without
// its transitions; the result has no meaning if there is no such state. Cost
// O(1).
func (u *Unfolding) Depth() int { return u.depth }

// HasTransitions reports whether a state has the transitions of its model state, which may have
// none. Cost O(1).
func (u *Unfolding) HasTransitions(s lts.State) bool { return int(s) < u.expanded }

// LTS returns the unfolded model.
func (u *Unfolding) LTS() *lts.LTS { return u.system }

// Model returns the model that was unfolded.
func (u *Unfolding) Model() *lts.LTS { return u.model }

// Property returns the property that the model was unfolded by.
func (u *Unfolding) Property() *property.Property { return u.property }

// Marks returns the colours of the transition labelled l from unfolded state s.
// Cost O(1).
func (u *Unfolding) Marks(s lts.State, l lts.Label) property.Marks {
	return u.property.Marks(u.productStates.q(s), l)
}

// Stays reports whether a transition between two unfolded states is a self-loop
// of the model. Cost O(1).
func (u *Unfolding) Stays(from, to lts.State) bool {
	return u.productStates.states[from] == u.productStates.states[to]
}

// Unfolded yields the unfolded states of model state s, those with larger numbers
// first.
func (u *Unfolding) Unfolded(s lts.State) iter.Seq[lts.State] {
	return func(yield func(lts.State) bool) {
		if u.known != nil {
			for at := u.latest[s]; at != none && yield(at); at = u.earlier[at] {
			}
			return
		}
		var memory [mostInSet]lts.State // so that no memory is allocated
		for _, unfolded := range u.appendDescending(memory[:0], s) {
			if !yield(unfolded) {
				return
			}
		}
	}
}

// appendDescending appends the unfolded states of model state s to an empty list. It sorts them by
// insertion.
func (u *Unfolding) appendDescending(descending []lts.State, s lts.State) []lts.State {
	for i, end := u.index.bounds(s); i < end; i++ {
		number := u.index.numbers[i]
		if number == none {
			continue
		}
		descending = append(descending, number)
		for k := len(descending) - 1; k > 0 && descending[k-1] < number; k-- {
			descending[k] = descending[k-1]
			descending[k-1] = number
		}
	}
	return descending
}

// AppendCopies appends the targets of the copies of a transition of the model, in an unspecified order.
// There is one copy for each unfolded state of its source. Cost O(copies).
func (u *Unfolding) AppendCopies(
	into []lts.State,
	from lts.State,
	l lts.Label,
	to lts.State,
) []lts.State {
	if u.known != nil {
		for source := u.latest[from]; source != none; source = u.earlier[source] {
			q := u.next.after(u.productStates.q(source), l)
			into = append(into, u.known[State{to, q}])
		}
		return into
	}
	x := &u.index
	if x.width == 0 { // the sources are the members of a set
		for source := range stateset.All(x.reached[from]) {
			q := u.next.after(source, l)
			into = append(into, x.numbers[x.slot(State{to, q})])
		}
		return into
	}
	// The sources are the entries of a row, one for each property state.
	sourceRow, sourceEnd := x.bounds(from)
	targetRow, _ := x.bounds(to)
	for q, source := range x.numbers[sourceRow:sourceEnd] {
		if source != none {
			next := u.next.after(property.Q(q), l)
			into = append(into, x.numbers[targetRow+int(next)])
		}
	}
	return into
}

// At returns the product state of unfolded state s. Cost O(1).
func (u *Unfolding) At(s lts.State) State { return u.productStates.at(s) }

// Find returns the unfolded state of a product state; false if that is not
// reached. Cost O(1).
func (u *Unfolding) Find(p State) (lts.State, bool) {
	if u.known == nil {
		return u.index.find(p)
	}
	s, reached := u.known[p]
	return s, reached
}

// Run lifts a run of the model that begins in its initial state: it returns the
// same transitions between unfolded states, and the index at which the loop
// begins, negative if there is none. A loop whose first round makes progress does
// not close at once in the unfolded model: it is repeated until it does, at most
// n times, and the run becomes longer. The steps must be a run of the model that
// was unfolded. Cost O(n · length of the run).
func (u *Unfolding) Run(steps []lts.Transition, loopStart int) ([]lts.Transition, int) {
	var lifted []lts.Transition
	end := lts.State(0) // the last unfolded state of lifted
	lift := func(steps []lts.Transition) {
		for _, step := range steps {
			to := u.liftStep(end, step)
			lifted = append(lifted, lts.Transition{
				From:  end,
				Label: step.Label,
				To:    to,
			})
			end = to
		}
	}
	if loopStart < 0 {
		lift(steps)
		return lifted, loopStart
	}
	lift(steps[:loopStart])
	for {
		roundStart := len(lifted)
		entered := end
		lift(steps[loopStart:])
		if end == entered {
			return lifted, roundStart
		}
	}
}

// liftStep returns the unfolded state to which a transition of the model leads
// from unfolded state s.
func (u *Unfolding) liftStep(s lts.State, step lts.Transition) lts.State {
	labels, targets := u.system.Out(s)
	for i, t := range targets {
		if labels.At(i) == step.Label && u.productStates.states[t] == step.To {
			return t
		}
	}
	return s
}

// mostInSet is the largest number of property states that fit a word with a bit
// for each.
const mostInSet = 64

// index maps product states to the numbers of unfolded states, for a property of
// at most mostInSet states.
type index struct {
	// numbers are the unfolded states; none for product states that are not
	// reached.
	numbers []lts.State
	// If most product states are reached, model state s has a row of width
	// entries in numbers.
	width int
	// Otherwise width is 0, reached[s] has a bit for each property state with
	// which s is reached, and the numbers of these product states begin at
	// first[s], in ascending order of property states.
	reached []uint64
	first   []uint32
}

// newIndex returns an index of the product states in these sets, with all numbers
// none, in the form that takes less memory.
func newIndex(ctx context.Context, reached []uint64, productStates, width int) (x index) {
	states := len(reached)
	rowsTakeLess := width*states <= 3*states+productStates // in units of four bytes
	if rowsTakeLess {
		x.width = width
		x.numbers = abort.Must(resources.Make[lts.State](ctx, width*states))
	} else {
		x.first = abort.Must(resources.Make[uint32](ctx, states))
		x.reached = reached
		at := 0
		for s, set := range reached {
			x.first[s] = uint32(at)
			at += bits.OnesCount64(set)
		}
		x.numbers = abort.Must(resources.Make[lts.State](ctx, productStates))
	}
	for i := range x.numbers {
		x.numbers[i] = none
	}
	return x
}

// slot returns the position in numbers of a product state, which must be reached
// if there are no rows.
func (x *index) slot(p State) int {
	if x.width > 0 {
		return int(p.State)*x.width + int(p.Q)
	}
	return int(x.first[p.State]) + stateset.CountBelow(x.reached[p.State], p.Q)
}

// find returns the unfolded state of a product state; false if that is not
// reached.
func (x *index) find(p State) (lts.State, bool) {
	if x.width > 0 {
		if int(p.Q) >= x.width {
			return 0, false
		}
	} else if p.Q >= mostInSet || !hasState(x.reached, p) {
		return 0, false
	}
	s := x.numbers[x.slot(p)]
	return s, s != none
}

// bounds returns the positions [first, end) in numbers of a model state.
func (x *index) bounds(s lts.State) (first, end int) {
	if x.width > 0 {
		return int(s) * x.width, int(s+1) * x.width
	}
	first = int(x.first[s])
	return first, first + bits.OnesCount64(x.reached[s])
}

// growingSets holds a set of property states for each state of a model, and a
// queue of the model states whose sets have grown.
type growingSets struct {
	sets  []uint64
	added []uint64 // the members added since the state was last taken from the queue
	// queue is a ring buffer. It has each state at most once.
	queue         []lts.State
	next, waiting int
}

func newGrowingSets(ctx context.Context, states int) *growingSets {
	abort.On(resources.Ask(ctx, 20*int64(states)))
	return &growingSets{
		sets:  make([]uint64, states),
		added: make([]uint64, states),
		queue: make([]lts.State, states),
	}
}

// add adds property states to the set of a model state, and puts this state on the queue if the set grows.
func (g *growingSets) add(s lts.State, set uint64) {
	set &^= g.sets[s]
	if set == 0 {
		return
	}
	if g.added[s] == 0 {
		at := g.next + g.waiting
		if at >= len(g.queue) {
			at -= len(g.queue)
		}
		g.queue[at] = s
		g.waiting++
	}
	g.sets[s] |= set
	g.added[s] |= set
}

// pop removes the first state from the queue, which is not empty, and returns it
// with the states added to its set.
func (g *growingSets) pop() (s lts.State, set uint64) {
	s = g.queue[g.next]
	g.next++
	if g.next == len(g.queue) {
		g.next = 0
	}
	g.waiting--
	set = g.added[s]
	g.added[s] = 0
	return s, set
}

// reachedSets returns for each state of m the property states with which it is
// reached, as bits of a number. All property states of a model state move on
// together, so that this takes much less time than the product.
func reachedSets(ctx context.Context, m *lts.LTS, next *successor) []uint64 {
	g := newGrowingSets(ctx, m.NumStates())
	g.add(m.Initial(), 1<<next.property.Initial())
	for work := 0; g.waiting > 0; work++ {
		if work%16384 == 0 {
			abort.On(ctx.Err())
		}
		s, set := g.pop()
		labels, targets := m.Out(s)
		for i, t := range targets {
			var states uint64
			for q := range stateset.All(set) {
				states |= 1 << next.after(q, labels.At(i))
			}
			g.add(t, states)
		}
	}
	return g.sets
}

// fewProductStates is the largest number of product states for which a search in depth takes little time.
const fewProductStates = 1 << 10

// Components returns the components of the unfolded model, as [scc.Find] does. If
// a transition leads back to the initial state, and the property has few states,
// the component of the initial state is found by a backward search in the model,
// whose predecessor rows are built. The property states of a model state are the
// bits of one integer, so that one operation serves them all. Errors and cost as for
// [scc.Find], and 8 bytes for each transition of the model.
func (u *Unfolding) Components(ctx context.Context) (_ *scc.Components, err error) {
	defer abort.Caught(&err)
	hasSets := u.known == nil && !u.next.isChain
	if !hasSets || u.productStates.len() <= fewProductStates || !u.returnsToInitial() {
		return scc.Find(ctx, u.system, "iterative")
	}
	abort.On(u.model.FindPredecessors(ctx))
	reachingInitial := u.reachInitial(ctx) // all states are reached from the initial one, too
	component := bitset.New[lts.State](u.productStates.len())
	for s, modelState := range u.productStates.states {
		q := u.productStates.narrow[s]
		if stateset.Has(reachingInitial[modelState], property.Q(q)) {
			component.Add(lts.State(s))
		}
	}
	return scc.FindAround(ctx, u.system, component)
}

// returnsToInitial reports whether a transition leads back to the initial state.
func (u *Unfolding) returnsToInitial() bool {
	for s := range lts.State(u.system.NumStates()) {
		_, targets := u.system.Out(s)
		if slices.Contains(targets, u.system.Initial()) {
			return true
		}
	}
	return false
}

// reachInitial returns for each state of the model the property states with which
// it reaches the initial product state.
func (u *Unfolding) reachInitial(ctx context.Context) []uint64 {
	g := newGrowingSets(ctx, u.model.NumStates())
	t := &u.next.table
	// sourcesOf[q*t.Columns+letter] is the set of states from which the letter leads
	// to q.
	sourcesOf := make([]uint64, len(t.Next))
	for i, q := range t.Next {
		sourcesOf[int(q)*t.Columns+i%t.Columns] |= 1 << (i / t.Columns)
	}
	in := u.model.Predecessors()
	g.add(u.model.Initial(), 1<<u.property.Initial())
	for work := 0; g.waiting > 0; work++ {
		if work%16384 == 0 {
			abort.On(ctx.Err())
		}
		s, set := g.pop()
		labels, sources := in.In(s)
		for i, from := range sources {
			letter := int(t.Letters[labels.At(i)])
			var states uint64
			for q := range stateset.All(set) {
				states |= sourcesOf[int(q)*t.Columns+letter]
			}
			g.add(from, states)
		}
	}
	return g.sets
}

// Residuals are the residual languages of the states of a property over all
// words, infinite or finite, of the labels that happen; no model restricts the
// words. It is immutable.
type Residuals struct {
	canAccept, canReject []bool
	// safety: every violating word has a bad prefix; guarantee: every accepted word has a
	// good prefix, one that no continuation violates.
	safety, guarantee bool
}

// ResidualsOf computes the residual languages of the states of p. Cost O(states ·
// labels) and that of [Unfolding.Accepting].
func ResidualsOf(ctx context.Context, p *property.Property) (_ *Residuals, err error) {
	defer abort.Caught(&err)
	// The model has one state with all labels. Labels that begin runs lead to this state from
	// another one.
	var b lts.Builder
	b.Over(p.Alphabet())
	const inside, begin = 0, 1
	start := lts.State(inside)
	for l := range p.Alphabet().All() {
		if !p.Alphabet().Happens(l) {
			continue
		}
		_, isBegin := p.Alphabet().Facts(l)
		if isBegin {
			start = begin
			b.Add(begin, l, inside)
		} else {
			b.Add(inside, l, inside)
		}
	}
	m := abort.Must(b.Build(start, int(start)+1))
	return newResiduals(ctx, m, p, start), nil
}

// newResiduals propagates the verdicts of components backwards through the unfolded model of all
// words, m. No word ends in state 1 of this model, where runs begin.
func newResiduals(
	ctx context.Context,
	m *lts.LTS,
	p *property.Property,
	start lts.State,
) *Residuals {
	u, c := unfoldedParts(ctx, m, p)
	accepting, rejecting, err := u.Verdicts(ctx, c, nil)
	abort.On(err)
	n := p.States()
	w := &Residuals{
		canAccept: slices.Repeat([]bool{true}, n),
		canReject: slices.Repeat([]bool{true}, n),
		safety:    true,
		guarantee: true,
	}
	mayEndIn := func(s lts.State) bool { return start == 0 || s != start }
	// No transition leads to a component with a smaller number.
	for i := c.Len() - 1; i >= 0; i-- {
		component := scc.Component(i)
		staying := outcomes{accept: accepting[i], reject: rejecting[i]} // the outcomes of words that end or stay in the component
		for _, s := range c.States(component) {
			ending := u.At(s)
			if mayEndIn(ending.State) {
				stops := p.Stops(ending.Q)
				staying.add(outcomes{accept: stops, reject: !stops})
			}
		}
		all := staying
		all.add(w.leavingOutcomes(u, c, component))
		// A word that is rejected in the component has no bad prefix if some word from there is
		// accepted. The converse holds of accepted words and good prefixes.
		w.safety = w.safety && !(all.accept && staying.reject)
		w.guarantee = w.guarantee && !(all.reject && staying.accept)
		for _, s := range c.States(component) {
			q := u.At(s).Q
			w.canAccept[q] = all.accept
			w.canReject[q] = all.reject
		}
	}
	return w
}

// outcomes says whether some of several words are accepted, and whether some are rejected.
type outcomes struct{ accept, reject bool }

// add adds the outcomes of other words.
func (o *outcomes) add(other outcomes) {
	o.accept = o.accept || other.accept
	o.reject = o.reject || other.reject
}

// leavingOutcomes returns the outcomes of the words that leave a component.
func (w *Residuals) leavingOutcomes(u *Unfolding, c *scc.Components, component scc.Component) (o outcomes) {
	for _, s := range c.States(component) {
		_, targets := u.LTS().Out(s)
		for _, t := range targets {
			other, _ := c.Of(t)
			if other != component {
				q := u.At(t).Q
				o.add(outcomes{accept: w.canAccept[q], reject: w.canReject[q]})
			}
		}
	}
	return o
}

// unfoldedParts returns the unfolded model with its components.
func unfoldedParts(
	ctx context.Context,
	m *lts.LTS,
	p *property.Property,
) (*Unfolding, *scc.Components) {
	u := abort.Must(Unfold(ctx, m, p))
	return u, abort.Must(scc.Find(ctx, u.LTS(), "iterative"))
}

// CanAccept reports whether some word leads a run in q to satisfy the property;
// it is true for states that the property cannot reach. Cost O(1).
func (w *Residuals) CanAccept(q property.Q) bool { return w.canAccept[q] }

// CanReject reports whether some word leads a run in q to violate the property.
// Cost O(1).
func (w *Residuals) CanReject(q property.Q) bool { return w.canReject[q] }

// IsSafety reports whether every violating word has a bad prefix: one that no
// continuation satisfies. Cost O(1).
func (w *Residuals) IsSafety() bool { return w.safety }
