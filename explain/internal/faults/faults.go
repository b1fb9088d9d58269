// Package faults counts how many faults, which are transitions with some labels, a violation takes.
//
// The invariant that holds inside: every number is the smallest, from a search of the whole product of
// model and property.
package faults

import (
	"context"
	"iter"
	"math/bits"
	"slices"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
	"github.com/inev-lts/inev/property/stateset"
)

// Faults are the numbers of faults that a violation takes, and that lose the property.
type Faults struct {
	// Least is the smallest number of faults on a violating run, if Finite; otherwise each
	// violating run has infinitely many faults.
	Least  int
	Finite bool
	// Lost is the smallest number of faults after which no run satisfies the property, if Loses.
	Lost  int
	Loses bool
}

// mostPairs is the largest number of Rabin pairs that a complement may have.
const mostPairs = 1 << 10

// Least returns the smallest number of faults on a run that counts and violates the property
// of fates. It searches breadth first by the number of faults, until a run ends and violates the
// property, a bad prefix, or a product state from which a run without faults violates it. Cost O(n
// (S + T)) for n property states, and as for [product.Unfolding.Recurring] for each pair of the
// complement of the condition. A property of few states, without fairness and colours that must
// recur, takes some passes through the model instead, and three words and 4 bytes for each of its
// states.
func Least(ctx context.Context, fates *fate.Map, isFault func(lts.Label) bool) (_ *Faults, err error) {
	defer abort.Caught(&err)
	if found := inWords(ctx, fates, isFault); found != nil {
		return found, nil
	}
	return inProduct(ctx, fates, isFault), nil
}

func inProduct(ctx context.Context, fates *fate.Map, isFault func(lts.Label) bool) *Faults {
	x := newFaultSearch(ctx, fates, isFault)
	abort.On(resources.AskFor[uint8](x.ctx, x.m.NumStates()/8))
	x.target = bitset.New[lts.State](x.m.NumStates())
	p := x.u.Property()
	canAccept := satisfiable(x.ctx, p)
	for s := range lts.State(x.m.NumStates()) {
		q := x.u.At(s).Q
		if x.m.IsDeadlock(s) && !p.Stops(q) || !canAccept(q) {
			x.target.Add(s)
		}
	}
	x.findLoops()
	// Breadth first by the number of faults, to the nearest target.
	visited := bitset.New[lts.State](x.m.NumStates())
	r := &Faults{}
	now, later := []lts.State{x.m.Initial()}, []lts.State(nil)
	visited.Add(x.m.Initial())
	for faults, looks := 0, 0; len(now) > 0; faults++ {
		for i := 0; i < len(now); i++ {
			looks++
			abort.IfDone(x.ctx, looks)
			s := now[i]
			at := x.u.At(s)
			if !r.Loses && x.fates.At(at.State, at.Q) == fate.Lost {
				r.Lost, r.Loses = faults, true
			}
			if x.target.Has(s) {
				r.Least, r.Finite = faults, true
				return r
			}
			labels, targets := x.m.Out(s)
			for k, t := range targets {
				if visited.Has(t) || !x.admits(t) {
					continue
				}
				if x.isFault(labels.At(k)) {
					later = append(later, t)
					continue
				}
				visited.Add(t)
				now = append(now, t)
			}
		}
		now = now[:0]
		for _, t := range later {
			if !visited.Has(t) {
				visited.Add(t)
				now = append(now, t)
			}
		}
		later = later[:0]
	}
	return r
}

func newFaultSearch(ctx context.Context, fates *fate.Map, isFault func(lts.Label) bool) *faultSearch {
	u := abort.Must(fates.Unfold(ctx))
	if u == nil {
		u = abort.Must(product.Unfold(ctx, fates.LTS(), fates.Property()))
	}
	return &faultSearch{ctx: ctx, u: u, fates: fates, m: u.LTS(), isFault: isFault}
}

// satisfiable returns which property states accept some word. It returns all if the initial state
// accepts none, so that no prefix counts as bad.
func satisfiable(ctx context.Context, p *property.Property) func(property.Q) bool {
	words := abort.Must(product.ResidualsOf(ctx, p))
	if words.CanAccept(p.Initial()) {
		return words.CanAccept
	}
	return func(property.Q) bool { return true }
}

type faultSearch struct {
	ctx     context.Context
	u       *product.Unfolding
	fates   *fate.Map
	m       *lts.LTS
	isFault func(lts.Label) bool
	// target has the product states from where a run violates the property without a further fault.
	target bitset.Set[lts.State]
}

// findLoops finds the product states on loops without faults that violate the property.
func (x *faultSearch) findLoops() {
	p := x.u.Property()
	// The fairness of the fates, with faults among the labels that occur finitely often.
	var rare []lts.Label
	of, a := x.fates.Fairness(), x.m.Alphabet()
	for l := range a.All() {
		if x.isFault(l) || of != nil && of.Rare(l) {
			rare = append(rare, l)
		}
	}
	var fair *property.Fairness
	if of == nil {
		fair = abort.Must(property.NewFairness(a, false, nil, rare))
	} else {
		fair = abort.Must(of.Finitely(a, rare))
	}
	pairs, few := p.Acceptance().Not().Pairs(mostPairs)
	if x.fates.Fairness() == nil && few && !slices.ContainsFunc(pairs, func(pair property.Pair) bool { return pair.Inf != 0 }) {
		for _, pair := range pairs {
			keeps := func(from lts.State, l lts.Label, _ lts.State) bool {
				return !x.isFault(l) && x.u.Marks(from, l)&pair.Fin == 0
			}
			abort.On(scc.Within(x.ctx, x.m, keeps, func(states []lts.State, cyclic bool) {
				for _, s := range states {
					if cyclic {
						x.target.Add(s)
					}
				}
			}))
		}
		return
	}
	c := abort.Must(scc.Find(x.ctx, x.m, "iterative"))
	if fair.Full() {
		violating := abort.Must(x.u.AcceptingUnder(x.ctx, c, p.Acceptance().Not(), fair))
		for i, is := range violating {
			for _, s := range c.States(scc.Component(i)) {
				if is {
					x.target.Add(s)
				}
			}
		}
		return
	}
	if !few {
		abort.On(property.NotChainError{Property: p.String(), What: "a number of faults"})
	}
	for _, pair := range pairs {
		part, _, err := x.u.Recurring(x.ctx, c, pair.Fin, pair.Inf, fair)
		abort.On(err)
		for s := range part {
			if part[s] > 0 {
				x.target.Add(lts.State(s))
			}
		}
	}
}

func (x *faultSearch) admits(t lts.State) bool {
	at := x.u.At(t)
	return x.fates.AdmitsFrom(at.State, at.Q)
}

// mostCounting is the largest number of states of a property that counts faults, so that searches
// need no product.
const mostCounting = 64

// OrMoreFaults returns the property that p holds or more than this number of faults happen; faults
// after a bad prefix do not count. It is nil if it would have more than 64 states, or too many
// letters or colours; then use [WithFewFaults]. Cost O(its size).
func OrMoreFaults(ctx context.Context, p *property.Property, isFault func(lts.Label) bool, faults int) (_ *property.Property, err error) {
	defer abort.Caught(&err)
	of := p.Automaton()
	n := of.States()
	if of.Columns == 0 || faults >= mostCounting || n*(faults+1)+1 > mostCounting || 2*of.Columns > 1<<16 {
		return nil, nil
	}
	all, _ := of.Acceptance.Colours()
	fresh := 0
	for all.Has(fresh) {
		fresh++
	}
	if fresh >= property.Colours {
		return nil, nil
	}
	canAccept := satisfiable(ctx, p)
	sink := n * (faults + 1)
	t := property.Automaton{
		Columns: 2 * of.Columns, Initial: of.Initial, Acceptance: property.Any(of.Acceptance, property.Inf(fresh)),
		Kind: of.Kind, Name: of.Name,
	}
	for l := range p.Alphabet().All() {
		letter := of.Letters[l]
		if isFault(l) {
			letter += uint16(of.Columns)
		}
		t.Letters = append(t.Letters, letter)
	}
	for q := range sink {
		from, count := q%n, q/n
		t.Stop = append(t.Stop, of.Stop[from])
		for letter := range t.Columns {
			i := from*of.Columns + letter%of.Columns
			next, marks := int(of.Next[i])+count*n, property.Marks(0)
			if of.Marks != nil {
				marks = of.Marks[i]
			}
			if letter >= of.Columns && canAccept(property.Q(from)) {
				if next += n; count == faults {
					next, marks = sink, property.Mark(fresh)
				}
			}
			t.Next, t.Marks = append(t.Next, property.Q(next)), append(t.Marks, marks)
		}
	}
	t.Stop = append(t.Stop, true)
	for range t.Columns {
		t.Next, t.Marks = append(t.Next, property.Q(sink)), append(t.Marks, property.Mark(fresh))
	}
	return property.Table(p.Alphabet(), t)
}

const (
	// mostInImages is the largest size, in bytes, of the tables of images.
	mostInImages = 1 << 18
	// worthPasses is the largest number of passes over all states and transitions for each property
	// state, since searching product states costs more.
	worthPasses = 20
)

// faultWords is [faultSearch] without the product, for a property of few states whose violations
// need no colour to recur. For each state of the model, it has the set of property states that runs
// have there, and the set of property states from where an infinite run without faults violates the
// property.
type faultWords[W stateset.Set] struct {
	ctx     context.Context
	m       *lts.LTS
	fates   *fate.Map
	table   property.Automaton
	isFault []bool // for each label, whether it is a fault
	// ahead are, for a set of property states, the successors from where the property can still be
	// violated.
	ahead stateset.Images[W]
	// lost are the property states that accept nothing, ends those where no run may end.
	lost, ends W
	// endless are, for each state, the property states from which an infinite run without faults
	// violates the property.
	endless []W

	visited, fresh []W
	// looks is the number of states and transitions visited, most the limit of this number.
	looks, most int
}

// inWords is [Least] without the product. It is nil if the product must be used: if the
// product exists already, under fairness, if the property has too many states or letters or demands
// that colours recur, or if there would be too many passes.
func inWords(ctx context.Context, fates *fate.Map, isFault func(lts.Label) bool) *Faults {
	p := fates.Property()
	if _, known := fates.Unfolding(); known || fates.Fairness() != nil {
		return nil
	}
	t := p.Automaton()
	width := stateset.Width(&t, mostInImages)
	pairs, few := t.Acceptance.Not().Pairs(mostPairs)
	if !few || width == 0 {
		return nil
	}
	for _, pair := range pairs {
		if pair.Inf != 0 {
			return nil
		}
	}
	switch width {
	case 1:
		return faultsInWords[uint8](ctx, fates, t, pairs, isFault)
	case 2:
		return faultsInWords[uint16](ctx, fates, t, pairs, isFault)
	case 4:
		return faultsInWords[uint32](ctx, fates, t, pairs, isFault)
	}
	return faultsInWords[uint64](ctx, fates, t, pairs, isFault)
}

func faultsInWords[W stateset.Set](ctx context.Context, fates *fate.Map, t property.Automaton, pairs []property.Pair, isFault func(lts.Label) bool) *Faults {
	x := &faultWords[W]{ctx: ctx, m: fates.LTS(), fates: fates, table: t}
	x.isFault = make([]bool, x.m.Alphabet().Len())
	for l := range x.isFault {
		x.isFault[l] = isFault(lts.Label(l))
	}
	canAccept := satisfiable(ctx, fates.Property())
	for q, stop := range t.Stop {
		if !canAccept(property.Q(q)) {
			x.lost |= 1 << q
		}
		if !stop {
			x.ends |= 1 << q
		}
	}
	n := x.m.NumStates()
	abort.On(resources.AskFor[W](ctx, 4*n))
	x.most = worthPasses * (1 + t.States()) * (n + x.m.NumTransitions())
	x.endless, x.visited, x.fresh = make([]W, n), make([]W, n), make([]W, n)
	open := x.ends | x.lost
	for _, pair := range pairs {
		open |= x.goOn(pair.Fin)
		if x.looks > x.most {
			return nil
		}
	}
	for grown := true; grown; { // open gets the property states from where some state of it is reachable
		grown = false
		for i, to := range t.Next {
			if from := i / t.Columns; open>>to&1 != 0 && open>>from&1 == 0 {
				open |= 1 << from
				grown = true
			}
		}
	}
	x.ahead = stateset.Forward[W](&t, func(_, to property.Q, _ property.Marks) bool { return open>>to&1 != 0 })
	return x.search()
}

// goOn adds to endless the product states from where a run that stays on one loop of the property
// avoids faults and some colours. It returns the property states on such loops.
func (x *faultWords[W]) goOn(fin property.Marks) (on W) {
	pair := property.Pair{Fin: fin}
	loops, states := stateset.Loops(&x.table, pair)
	before := stateset.Backward[W](&x.table, stateset.Stays(loops, pair))
	on = W(states)
	if on == 0 {
		return 0
	}
	left := x.fresh // the next free index
	for s := range left {
		left[s] = on
	}
	for down := true; x.looks <= x.most && x.pass(left, &before, down); down = !down {
	}
	for s, set := range left {
		x.endless[s] |= set
	}
	clear(left)
	return on
}

// pass removes once, from each state, the property states without a successor in left, and reports
// whether it removed any.
func (x *faultWords[W]) pass(left []W, before *stateset.Images[W], down bool) bool {
	x.looks += len(left)
	return abort.Must(stateset.Pass(x.ctx, len(left), down, func(s lts.State) bool {
		if left[s] == 0 {
			return false
		}
		// The property states from which a transition that is no fault leads into left.
		goesOn := W(0)
		labels, targets := x.m.Out(s)
		x.looks += len(targets)
		for j, t := range targets {
			set, l := left[t], labels.At(j)
			if set == 0 || x.isFault[l] {
				continue
			}
			if goesOn |= before.Of(x.table.Letters[l], set) & left[s]; goesOn == left[s] {
				break
			}
		}
		taken := goesOn != left[s]
		left[s] = goesOn
		return taken
	})) > 0
}

// behindFault is a state where runs begin or arrive by a fault, with their property states there.
type behindFault[W stateset.Set] struct {
	state lts.State
	set   W
}

// search counts the faults to the nearest product state from where a run needs no further fault,
// and to the nearest where the property is lost.
func (x *faultWords[W]) search() *Faults {
	r := &Faults{}
	later := []behindFault[W]{{x.m.Initial(), 1 << x.table.Initial}}
	var line []lts.State
	for faults := 0; len(later) > 0; faults++ {
		line = line[:0]
		for _, b := range later {
			line = x.meet(b.state, b.set, line)
		}
		later = later[:0]
		for i := 0; i < len(line); i++ {
			abort.IfDone(x.ctx, i)
			s := line[i]
			set := x.fresh[s]
			x.fresh[s] = 0
			for left := uint64(set); !r.Loses && left != 0; left &= left - 1 {
				if x.fates.At(s, property.Q(bits.TrailingZeros64(left))) == fate.Lost {
					r.Lost, r.Loses = faults, true
				}
			}
			labels, targets := x.m.Out(s)
			if set&(x.endless[s]|x.lost) != 0 || len(targets) == 0 && set&x.ends != 0 {
				r.Least, r.Finite = faults, true
				return r
			}
			for j, t := range targets {
				l := labels.At(j)
				more := x.ahead.Of(x.table.Letters[l], set) &^ x.visited[t]
				switch {
				case more == 0:
				case x.isFault[l]:
					later = append(later, behindFault[W]{t, more})
				default:
					line = x.meet(t, more, line)
				}
			}
		}
	}
	return r
}

// meet adds property states to those that runs have in a state, and adds the state to the queue if
// it is not there.
func (x *faultWords[W]) meet(s lts.State, set W, line []lts.State) []lts.State {
	set &^= x.visited[s]
	if set == 0 {
		return line
	}
	if x.fresh[s] == 0 {
		line = append(line, s)
	}
	x.visited[s] |= set
	x.fresh[s] |= set
	return line
}

// WithFewFaults returns a model whose violating runs stand for those of the model of fates with the
// given number of faults, and run, which returns the transitions that a run stands for. A shortest one is
// among them. The model is the part of the product that violating runs with this number of faults, the fewest possible, pass: the product states that need that many, the transitions
// between them that are no faults, and one path to each, a shortest one of those with the fewest
// faults; so no counter is needed. Cost O(size of the product), which is unfolded.
func WithFewFaults(ctx context.Context, fates *fate.Map, isFault func(lts.Label) bool, faults int) (few *lts.LTS, run func([]lts.Transition) []lts.Transition, err error) {
	defer abort.Caught(&err)
	x := newFaultSearch(ctx, fates, isFault)
	n := x.m.NumStates()
	abort.On(resources.Ask(x.ctx, 20*int64(n)))
	w := &ways{faultSearch: x, canAccept: satisfiable(ctx, x.u.Property()), before: make([]lts.State, n), by: make([]lts.Label, n)}
	w.visited, w.noted, w.in = bitset.New[lts.State](n), bitset.New[lts.State](n), bitset.New[lts.State](n)
	start := x.m.Initial()
	now := []distant{{start, 0}}
	w.before[start] = start
	for count := 0; count <= faults; count++ {
		now = w.spread(now, count == faults)
	}
	// Remove those product states of last from where every path needs a further fault: they would be
	// deadlocks.
	abort.On(w.m.FindPredecessors(w.ctx))
	for _, s := range w.last {
		w.in.Add(s)
	}
	left := abort.Must(resources.Make[uint32](w.ctx, w.m.NumStates()))
	var ends []lts.State
	for i, s := range w.last {
		abort.IfDone(w.ctx, i)
		for range w.onward(s) {
			left[s]++
		}
		if left[s] == 0 && !w.m.IsDeadlock(s) {
			ends = append(ends, s)
		}
	}
	before := w.m.Predecessors()
	for looks := 0; len(ends) > 0; looks++ {
		abort.IfDone(w.ctx, looks)
		t := ends[len(ends)-1]
		ends = ends[:len(ends)-1]
		w.in.Remove(t)
		labels, sources := before.In(t)
		for j, s := range sources {
			if !w.in.Has(s) || w.counts(s, labels.At(j)) {
				continue
			}
			if left[s]--; left[s] == 0 {
				ends = append(ends, s)
			}
		}
	}
	// The model of the remaining product states of last, and of the paths to them, with the product state
	// of each state.
	var states []lts.State
	number := abort.Must(resources.Make[lts.State](w.ctx, w.m.NumStates()))
	var b lts.Builder
	b.Over(w.m.Alphabet())
	numbered := bitset.New[lts.State](w.m.NumStates())
	of := func(s lts.State) lts.State {
		if !numbered.Has(s) {
			numbered.Add(s)
			number[s] = lts.State(len(states))
			states = append(states, s)
		}
		return number[s]
	}
	first := of(start)
	attached := bitset.New[lts.State](w.m.NumStates())
	attached.Add(start)
	for i, s := range w.last {
		abort.IfDone(w.ctx, i)
		if !w.in.Has(s) {
			continue
		}
		for at := s; !attached.Has(at) && !w.in.Has(w.before[at]); at = w.before[at] {
			attached.Add(at)
			b.Add(of(w.before[at]), w.by[at], of(at))
		}
		from := of(s)
		for t := range w.onward(s) {
			b.Add(from, t.Label, of(t.To))
		}
	}
	few = abort.Must(b.Build(first, len(states)))
	return few, func(steps []lts.Transition) []lts.Transition {
		run := make([]lts.Transition, len(steps))
		for i, t := range steps {
			run[i] = lts.Transition{From: w.u.At(states[t.From]).State, Label: t.Label, To: w.u.At(states[t.To]).State}
		}
		return run
	}, nil
}

// ways are shortest paths among those with the fewest faults, to the product states that take the
// most faults.
type ways struct {
	*faultSearch
	canAccept func(property.Q) bool
	// visited are the product states visited, noted the visited product states that a fault has
	// reached.
	visited, noted bitset.Set[lts.State]
	// before is, for each product state, the previous product state on its path, by the label of
	// the transition between the two.
	before []lts.State
	by     []lts.Label
	// last are the product states that take the most faults, in the order of their distances.
	last []lts.State
	in   bitset.Set[lts.State] // the members of last that remain
}

// distant is a product state with its distance.
type distant struct {
	state    lts.State
	distance int
}

// spread visits product states, in the order of distances, by transitions that are no faults. It
// returns the product states after faults; with last, it adds the visited ones to w.last.
func (w *ways) spread(from []distant, last bool) (later []distant) {
	var line []distant
	for i := 0; i < len(line) || len(from) > 0; {
		// A product state after a fault comes before those in the queue at the same distance.
		near := 0
		if i < len(line) {
			near = line[i].distance + 1
		} else {
			near = from[0].distance
		}
		for len(from) > 0 && from[0].distance <= near {
			if !w.visited.Has(from[0].state) {
				w.visited.Add(from[0].state)
				line = append(line, from[0])
			}
			from = from[1:]
		}
		if i == len(line) {
			continue
		}
		at := line[i]
		i++
		abort.IfDone(w.ctx, i)
		if last {
			w.last = append(w.last, at.state)
		}
		labels, targets := w.m.Out(at.state)
		for j, t := range targets {
			if w.visited.Has(t) || !w.admits(t) {
				continue
			}
			l := labels.At(j)
			if w.counts(at.state, l) {
				// The first path to t has the least distance.
				if !last && !w.noted.Has(t) {
					w.noted.Add(t)
					later = append(later, distant{t, at.distance + 1})
					w.before[t], w.by[t] = at.state, l
				}
				continue
			}
			w.visited.Add(t)
			w.before[t], w.by[t] = at.state, l
			line = append(line, distant{t, at.distance + 1})
		}
	}
	return later
}

// counts reports whether a transition is a fault that counts: after a bad prefix, no fault counts.
func (w *ways) counts(from lts.State, l lts.Label) bool {
	return w.isFault(l) && w.canAccept(w.u.At(from).Q)
}

// onward yields the transitions from a product state of last to remaining product states of last.
func (w *ways) onward(s lts.State) iter.Seq[lts.Transition] {
	return func(yield func(lts.Transition) bool) {
		labels, targets := w.m.Out(s)
		for j, t := range targets {
			l := labels.At(j)
			if w.in.Has(t) && !w.counts(s, l) && !yield(lts.Transition{From: s, Label: l, To: t}) {
				return
			}
		}
	}
}
