// Package faults counts how many faults, which are transitions with some labels, a violation takes.
// Every number is the smallest, from a search of the whole product of model and property.
package faults

import (
	"context"
	"iter"
	"slices"

	"github.com/inev-lts/inev/internal/cores"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/internal/property/stateset"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// Faults has the least number of faults on a violating run, and the least number of faults after
// which the property is lost.
type Faults struct {
	// If Finite is set, Least is the smallest number of faults on a violating run. Otherwise each
	// violating run has infinitely many faults.
	Least  int
	Finite bool
	// If Loses is set, Lost is the smallest number of faults after which no run satisfies the
	// property.
	Lost  int
	Loses bool
}

// mostPairs is the largest number of Rabin pairs that a complement may have.
const mostPairs = 1 << 10

// Least returns the smallest number of faults on a run that counts and violates the property of
// fates. It searches breadth first by the number of faults, for one of three ends: a run ends and
// violates the property; a run is a bad prefix; or a product state is reached from which a run
// without faults violates the property. Cost O(n (S + T)) for n property states, and as for
// [product.Unfolding.Recurring] for each pair of the complement of the condition. For a property of
// few states, without fairness and colours that must recur, Least makes some passes through the
// model instead; they take three words and 4 bytes for each state of the model.
func Least(
	ctx context.Context,
	fates *fate.Map,
	isFault func(lts.Label) bool,
) (*Faults, error) {
	found, err := inWords(ctx, fates, isFault)
	if err != nil || found != nil {
		return found, err
	}
	return inProduct(ctx, fates, isFault)
}

// inProduct is [Least] by a search of the product.
func inProduct(
	ctx context.Context,
	fates *fate.Map,
	isFault func(lts.Label) bool,
) (*Faults, error) {
	f, err := newFaultSearch(ctx, fates, isFault)
	if err != nil {
		return nil, err
	}
	if err := f.findEnds(ctx); err != nil {
		return nil, err
	}
	if err := f.findLoops(ctx); err != nil {
		return nil, err
	}
	return f.nearest(ctx)
}

// nearest searches breadth first, by the number of faults, for the nearest target and the nearest
// product state where the property is lost.
func (f *faultSearch) nearest(ctx context.Context) (*Faults, error) {
	visited := bitset.New[lts.State](f.m.NumStates())
	found := &Faults{}
	reached := []lts.State{f.m.Initial()} // by the present number of faults
	work := 0
	for faults := 0; len(reached) > 0; faults++ {
		var level []lts.State
		for _, s := range reached {
			if !visited.Has(s) {
				visited.Add(s)
				level = append(level, s)
			}
		}
		reached = nil
		for i := 0; i < len(level); i++ { // level grows meanwhile
			work++
			if err := cores.Done(ctx, work); err != nil {
				return nil, err
			}
			s := level[i]
			at := f.u.At(s)
			if !found.Loses && f.fates.At(at.State, at.Q) == fate.Lost {
				found.Lost = faults
				found.Loses = true
			}
			if f.target.Has(s) {
				found.Least = faults
				found.Finite = true
				return found, nil
			}
			labels, targets := f.m.Out(s)
			for k, t := range targets {
				switch {
				case visited.Has(t) || !f.admits(t):
				case f.isFault(labels.At(k)):
					reached = append(reached, t)
				default:
					visited.Add(t)
					level = append(level, t)
				}
			}
		}
	}
	return found, nil
}

func newFaultSearch(
	ctx context.Context,
	fates *fate.Map,
	isFault func(lts.Label) bool,
) (*faultSearch, error) {
	u, err := fates.Unfold(ctx)
	if err == nil && u == nil {
		u, err = product.Unfold(ctx, fates.LTS(), fates.Property())
	}
	if err != nil {
		return nil, err
	}
	return &faultSearch{
		u:       u,
		fates:   fates,
		m:       u.LTS(),
		isFault: isFault,
	}, nil
}

// satisfiable returns a function that reports whether a property state accepts some word. If the
// initial state accepts no word, the function always returns true, so that no prefix counts as bad.
func satisfiable(ctx context.Context, p *property.Property) (func(property.Q) bool, error) {
	words, err := product.ResidualsOf(ctx, p)
	if err != nil {
		return nil, err
	}
	if words.CanAccept(p.Initial()) {
		return words.CanAccept, nil
	}
	return func(property.Q) bool { return true }, nil
}

// faultSearch is a search for faults in the product.
type faultSearch struct {
	u       *product.Unfolding
	fates   *fate.Map
	m       *lts.LTS
	isFault func(lts.Label) bool
	// target has the product states from which a run violates the property without a further fault.
	target bitset.Set[lts.State]
}

// findEnds finds the product states where a run ends and violates the property, and those after a
// bad prefix.
func (f *faultSearch) findEnds(ctx context.Context) error {
	n := f.m.NumStates()
	if err := resources.AskFor[uint8](ctx, n/8); err != nil {
		return err
	}
	f.target = bitset.New[lts.State](n)
	p := f.u.Property()
	canAccept, err := satisfiable(ctx, p)
	if err != nil {
		return err
	}
	for s := range lts.State(n) {
		q := f.u.At(s).Q
		violatesByEnding := f.m.IsDeadlock(s) && !p.Stops(q)
		if violatesByEnding || !canAccept(q) {
			f.target.Add(s)
		}
	}
	return nil
}

// findLoops finds the product states on loops without faults that violate the property.
func (f *faultSearch) findLoops(ctx context.Context) error {
	complement := f.u.Property().Acceptance().Not()
	pairs, few := complement.Pairs(mostPairs)
	needsColour := func(pair property.Pair) bool { return pair.Inf != 0 }
	if f.fates.Fairness() == nil && few && !slices.ContainsFunc(pairs, needsColour) {
		return f.findLoopsWithout(ctx, pairs)
	}
	fair, err := f.fairWithoutFaults()
	if err != nil {
		return err
	}
	components, err := scc.Find(ctx, f.m, "iterative")
	if err != nil {
		return err
	}
	switch {
	case fair.Full():
		return f.findFairComponents(ctx, components, fair)
	case !few:
		return property.NotChainError{
			Property: f.u.Property().String(),
			What:     "a number of faults",
		}
	}
	for _, pair := range pairs {
		part, _, err := f.u.Recurring(ctx, components, pair.Fin, pair.Inf, fair)
		if err != nil {
			return err
		}
		for s := range part {
			if part[s] > 0 {
				f.target.Add(lts.State(s))
			}
		}
	}
	return nil
}

// findFairComponents is findLoops under full fairness: a fair run takes all transitions of the component where it
// stays.
func (f *faultSearch) findFairComponents(
	ctx context.Context,
	components *scc.Components,
	fair *property.Fairness,
) error {
	complement := f.u.Property().Acceptance().Not()
	violating, err := f.u.AcceptingUnder(ctx, components, complement, fair)
	if err != nil {
		return err
	}
	for i, violates := range violating {
		if violates {
			f.addTargets(components.States(scc.Component(i)))
		}
	}
	return nil
}

// findLoopsWithout is findLoops for the case in which all runs count and no pair demands a colour.
// A loop then violates the property if it avoids the colours that some pair excludes.
func (f *faultSearch) findLoopsWithout(ctx context.Context, pairs []property.Pair) error {
	for _, pair := range pairs {
		keeps := func(from lts.State, l lts.Label, _ lts.State) bool {
			return !f.isFault(l) && f.u.Marks(from, l)&pair.Fin == 0
		}
		err := scc.Within(ctx, f.m, keeps, func(states []lts.State, cyclic bool) {
			if cyclic {
				f.addTargets(states)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *faultSearch) addTargets(states []lts.State) {
	for _, s := range states {
		f.target.Add(s)
	}
}

// fairWithoutFaults returns the fairness of the fates, with the addition that faults occur finitely
// often.
func (f *faultSearch) fairWithoutFaults() (*property.Fairness, error) {
	fairness := f.fates.Fairness()
	a := f.m.Alphabet()
	var rare []lts.Label
	for l := range a.All() {
		if f.isFault(l) || fairness != nil && fairness.Rare(l) {
			rare = append(rare, l)
		}
	}
	if fairness == nil {
		return property.NewFairness(a, false, nil, rare)
	}
	return fairness.Finitely(a, rare)
}

func (f *faultSearch) admits(t lts.State) bool {
	at := f.u.At(t)
	return f.fates.AdmitsFrom(at.State, at.Q)
}

// mostCounting is the largest number of states of a property that counts faults. With more states,
// searches would need a product.
const mostCounting = 64

// OrMoreFaults returns the property that p holds or more than the given number of faults happen.
// Faults after a bad prefix do not count. It returns nil if this property would have more than 64
// states, or too many letters or colours; then use [WithFewFaults]. Cost O(its size).
func OrMoreFaults(
	ctx context.Context,
	p *property.Property,
	isFault func(lts.Label) bool,
	faults int,
) (*property.Property, error) {
	plain := p.Automaton()
	n := plain.States()
	tooManyStates := faults >= mostCounting || n*(faults+1)+1 > mostCounting
	tooManyLetters := 2*plain.Columns > 1<<16
	if plain.Columns == 0 || tooManyStates || tooManyLetters {
		return nil, nil
	}
	used, _ := plain.Acceptance.Colours()
	sinkColour := 0 // the colour of the transitions into the sink, which satisfy the property
	for used.Has(sinkColour) {
		sinkColour++
	}
	if sinkColour >= property.Colours {
		return nil, nil
	}
	canAccept, err := satisfiable(ctx, p)
	if err != nil {
		return nil, err
	}
	counting := &faultCounting{
		plain:     &plain,
		faults:    faults,
		canAccept: canAccept,
		sink:      property.Q(n * (faults + 1)),
		intoSink:  property.Mark(sinkColour),
	}
	t := property.Automaton{
		Columns:    2 * plain.Columns,
		Initial:    plain.Initial,
		Acceptance: property.Any(plain.Acceptance, property.Inf(sinkColour)),
		Kind:       plain.Kind,
		Name:       plain.Name,
	}
	for l := range p.Alphabet().All() {
		letter := plain.Letters[l]
		if isFault(l) {
			letter += uint16(plain.Columns)
		}
		t.Letters = append(t.Letters, letter)
	}
	for state := range counting.sink + 1 {
		t.Stop = append(t.Stop, counting.stops(state))
		for letter := range t.Columns {
			next, marks := counting.move(state, letter)
			t.Next = append(t.Next, next)
			t.Marks = append(t.Marks, marks)
		}
	}
	return property.Table(p.Alphabet(), t)
}

// faultCounting is the automaton of [OrMoreFaults]. For n states of the plain automaton, its state n·k + q is the
// state q after k faults; the sink is the state after too many faults. Its letters are those of the plain automaton,
// followed by the same letters for transitions that are faults.
type faultCounting struct {
	plain     *property.Automaton
	faults    int // the largest number that is counted
	canAccept func(property.Q) bool
	sink      property.Q
	intoSink  property.Marks // of the transitions into the sink
}

// stops reports whether a run may end in a state.
func (c *faultCounting) stops(state property.Q) bool {
	return state == c.sink || c.plain.Stop[int(state)%c.plain.States()]
}

// move returns the state that a letter leads to, and the colours of the transition.
func (c *faultCounting) move(state property.Q, letter int) (property.Q, property.Marks) {
	if state == c.sink {
		return c.sink, c.intoSink
	}
	n := c.plain.States()
	from := int(state) % n
	count := int(state) / n
	entry := from*c.plain.Columns + letter%c.plain.Columns
	isCounted := letter >= c.plain.Columns && c.canAccept(property.Q(from))
	if isCounted {
		count++
	}
	if count > c.faults {
		return c.sink, c.intoSink
	}
	marks := property.Marks(0)
	if c.plain.Marks != nil {
		marks = c.plain.Marks[entry]
	}
	return property.Q(count*n + int(c.plain.Next[entry])), marks
}

const (
	// mostInImages is the largest size, in bytes, of the tables of images.
	mostInImages = 1 << 18
	// worthPasses is the largest number of passes over all states and transitions for each property
	// state. With more passes, a search of product states is cheaper.
	worthPasses = 20
)

// faultWords is [faultSearch] without the product, for a property of few states whose violations
// need no colour to recur. For each state of the model, it has two sets of property states: those
// in which runs reach the state, and those from which an infinite run without faults violates the
// property.
type faultWords[W stateset.Set] struct {
	m       *lts.LTS
	fates   *fate.Map
	table   property.Automaton
	isFault []bool // for each label, whether it is a fault
	// ahead has, for a set of property states, the successors from which the property can still be
	// violated.
	ahead stateset.Images[W]
	// lost are the property states that accept nothing. mustContinue are those in which no run may end.
	lost, mustContinue W
	// endless are, for each state, the property states from which an infinite run without faults
	// violates the property.
	endless []W

	// visited are, for each state, the property states in which the search has reached it. fresh are
	// those of them whose transitions it has not followed yet.
	visited, fresh []W
	// work is the number of states and transitions visited. most is the limit of this number.
	work, most int
}

// inWords is [Least] without the product. It returns nil if the product must be used: if the
// product exists already; if fairness is assumed; if the property has too many states or letters,
// or demands that colours recur; or if there would be too many passes.
func inWords(
	ctx context.Context,
	fates *fate.Map,
	isFault func(lts.Label) bool,
) (*Faults, error) {
	p := fates.Property()
	if _, known := fates.Unfolding(); known || fates.Fairness() != nil {
		return nil, nil
	}
	t := p.Automaton()
	width := stateset.Width(&t, mostInImages)
	pairs, few := t.Acceptance.Not().Pairs(mostPairs)
	if !few || width == 0 {
		return nil, nil
	}
	for _, pair := range pairs {
		if pair.Inf != 0 {
			return nil, nil
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

// faultsInWords is [inWords] for words of this width. An infinite run violates the property iff it satisfies
// one of the pairs; none of these demands that a colour recurs.
func faultsInWords[W stateset.Set](
	ctx context.Context,
	fates *fate.Map,
	t property.Automaton,
	pairs []property.Pair,
	isFault func(lts.Label) bool,
) (*Faults, error) {
	f := &faultWords[W]{m: fates.LTS(), fates: fates, table: t}
	f.isFault = make([]bool, f.m.Alphabet().Len())
	for l := range f.isFault {
		f.isFault[l] = isFault(lts.Label(l))
	}
	canAccept, err := satisfiable(ctx, fates.Property())
	if err != nil {
		return nil, err
	}
	for q, stop := range t.Stop {
		if !canAccept(property.Q(q)) {
			f.lost |= 1 << q
		}
		if !stop {
			f.mustContinue |= 1 << q
		}
	}
	n := f.m.NumStates()
	if err := resources.AskFor[W](ctx, 4*n); err != nil {
		return nil, err
	}
	f.most = worthPasses * (1 + t.States()) * (n + f.m.NumTransitions())
	f.endless = make([]W, n)
	f.visited = make([]W, n)
	f.fresh = make([]W, n)
	violating := f.mustContinue | f.lost // the property states in which some run violates the property
	for _, pair := range pairs {
		onLoops, err := f.findEndless(ctx, pair.Fin)
		if err != nil {
			return nil, err
		}
		violating |= onLoops
		if f.work > f.most {
			return nil, nil
		}
	}
	violable := reaching(&t, violating)
	f.ahead = stateset.Forward[W](&t, func(_, to property.Q, _ property.Marks) bool {
		return violable>>to&1 != 0
	})
	return f.search(ctx)
}

// reaching returns the property states from which some state of a set is reachable.
func reaching[W stateset.Set](t *property.Automaton, set W) W {
	for grown := true; grown; {
		grown = false
		for i, to := range t.Next {
			from := i / t.Columns
			if set>>to&1 != 0 && set>>from&1 == 0 {
				set |= 1 << from
				grown = true
			}
		}
	}
	return set
}

// findEndless adds product states to endless: those from which a run can stay on one loop of the
// property without faults and without some colours. It returns the property states on such loops.
func (f *faultWords[W]) findEndless(
	ctx context.Context,
	fin property.Marks,
) (onLoops W, err error) {
	pair := property.Pair{Fin: fin}
	loops, states := stateset.Loops(&f.table, pair)
	before := stateset.Backward[W](&f.table, stateset.Stays(loops, pair))
	onLoops = W(states)
	if onLoops == 0 {
		return 0, nil
	}
	remaining := f.fresh // which is not in use yet
	for s := range remaining {
		remaining[s] = onLoops
	}
	down := true
	for changed := true; changed && f.work <= f.most; down = !down {
		changed, err = f.removeInPass(ctx, remaining, &before, down)
		if err != nil {
			return 0, err
		}
	}
	for s, set := range remaining {
		f.endless[s] |= set
	}
	clear(remaining)
	return onLoops, nil
}

// removeInPass makes one pass that removes, from each state, the property states without a successor in
// remaining. It reports whether it removed any.
func (f *faultWords[W]) removeInPass(
	ctx context.Context,
	remaining []W,
	before *stateset.Images[W],
	down bool,
) (bool, error) {
	f.work += len(remaining)
	removed, err := stateset.Pass(ctx, len(remaining), down, func(s lts.State) bool {
		if remaining[s] == 0 {
			return false
		}
		// stays has the property states from which a transition that is no fault leads into remaining.
		stays := W(0)
		labels, targets := f.m.Out(s)
		f.work += len(targets)
		for j, t := range targets {
			set := remaining[t]
			l := labels.At(j)
			if set == 0 || f.isFault[l] {
				continue
			}
			stays |= before.Of(f.table.Letters[l], set) & remaining[s]
			if stays == remaining[s] {
				break
			}
		}
		changed := stays != remaining[s]
		remaining[s] = stays
		return changed
	})
	return removed > 0, err
}

// behindFault is a state where runs begin, or arrive by a fault, with the property states in which
// they do so.
type behindFault[W stateset.Set] struct {
	state lts.State
	set   W
}

// search counts faults to the nearest product states of two kinds: those from which a run needs no
// further fault to violate the property, and those where the property is lost.
func (f *faultWords[W]) search(ctx context.Context) (*Faults, error) {
	found := &Faults{}
	later := []behindFault[W]{{f.m.Initial(), 1 << f.table.Initial}}
	var queue []lts.State
	for faults := 0; len(later) > 0; faults++ {
		queue = queue[:0]
		for _, b := range later {
			queue = f.reach(b.state, b.set, queue)
		}
		later = later[:0]
		for i := 0; i < len(queue); i++ { // the queue grows meanwhile
			if err := cores.Done(ctx, i); err != nil {
				return nil, err
			}
			s := queue[i]
			set := f.fresh[s]
			f.fresh[s] = 0
			if !found.Loses && f.hasLost(s, set) {
				found.Lost = faults
				found.Loses = true
			}
			labels, targets := f.m.Out(s)
			violatesForever := set&(f.endless[s]|f.lost) != 0
			violatesByEnding := len(targets) == 0 && set&f.mustContinue != 0
			if violatesForever || violatesByEnding {
				found.Least = faults
				found.Finite = true
				return found, nil
			}
			for j, t := range targets {
				l := labels.At(j)
				reached := f.ahead.Of(f.table.Letters[l], set) &^ f.visited[t]
				switch {
				case reached == 0:
					continue
				case f.isFault[l]:
					later = append(later, behindFault[W]{t, reached})
				default:
					queue = f.reach(t, reached, queue)
				}
			}
		}
	}
	return found, nil
}

// hasLost reports whether the property is lost in a state with one of these property states.
func (f *faultWords[W]) hasLost(s lts.State, set W) bool {
	for q := range stateset.All(set) {
		if f.fates.At(s, q) == fate.Lost {
			return true
		}
	}
	return false
}

// reach adds property states in which runs reach a state. If some of them are new, it adds the state
// to the queue, unless the state is there already.
func (f *faultWords[W]) reach(s lts.State, set W, queue []lts.State) []lts.State {
	added := set &^ f.visited[s]
	if added == 0 {
		return queue
	}
	isQueued := f.fresh[s] != 0
	if !isQueued {
		queue = append(queue, s)
	}
	f.visited[s] |= added
	f.fresh[s] |= added
	return queue
}

// WithFewFaults returns a model whose violating runs represent violating runs of the model of
// fates: those with the given number of faults, which must be the fewest possible. A shortest one
// of these is represented, too. The function run returns the transitions that a run of the returned
// model represents.
//
// The model is the part of the product that violating runs with this number of faults pass. It has
// the product states that need so many faults, the transitions between them that are no faults, and
// one path to each of them: of the paths with the fewest faults, a shortest one. So no counter is
// needed. Cost O(size of the product), which is unfolded.
func WithFewFaults(
	ctx context.Context,
	fates *fate.Map,
	isFault func(lts.Label) bool,
	faults int,
) (few *lts.LTS, run func([]lts.Transition) []lts.Transition, err error) {
	w, err := newWays(ctx, fates, isFault)
	if err != nil {
		return nil, nil, err
	}
	start := w.m.Initial()
	w.before[start] = start
	reached := []distant{{start, 0}} // the product states that the search has just reached by a fault
	for count := 0; count <= faults; count++ {
		isLast := count == faults
		reached, err = w.visitLevel(ctx, reached, isLast)
		if err != nil {
			return nil, nil, err
		}
	}
	if err := w.removeDeadEnds(ctx); err != nil {
		return nil, nil, err
	}
	few, states, err := w.model(ctx)
	if err != nil {
		return nil, nil, err
	}
	return few, func(steps []lts.Transition) []lts.Transition {
		run := make([]lts.Transition, len(steps))
		for i, t := range steps {
			run[i] = lts.Transition{
				From:  w.u.At(states[t.From]).State,
				Label: t.Label,
				To:    w.u.At(states[t.To]).State,
			}
		}
		return run
	}, nil
}

// newWays returns a search that has found no product states yet.
func newWays(
	ctx context.Context,
	fates *fate.Map,
	isFault func(lts.Label) bool,
) (*ways, error) {
	f, err := newFaultSearch(ctx, fates, isFault)
	if err != nil {
		return nil, err
	}
	n := f.m.NumStates()
	if err := resources.Ask(ctx, 20*int64(n)); err != nil {
		return nil, err
	}
	canAccept, err := satisfiable(ctx, f.u.Property())
	if err != nil {
		return nil, err
	}
	return &ways{
		faultSearch: f,
		canAccept:   canAccept,
		visited:     bitset.New[lts.State](n),
		noted:       bitset.New[lts.State](n),
		before:      make([]lts.State, n),
		by:          make([]lts.Label, n),
		remaining:   bitset.New[lts.State](n),
	}, nil
}

// removeDeadEnds removes the product states of last from which every path needs a further fault: they
// would be deadlocks.
func (w *ways) removeDeadEnds(ctx context.Context) error {
	if err := w.m.FindPredecessors(ctx); err != nil {
		return err
	}
	for _, s := range w.last {
		w.remaining.Add(s)
	}
	// successors is, for each product state of last, the number of its transitions to remaining
	// product states.
	successors, err := resources.Make[uint32](ctx, w.m.NumStates())
	if err != nil {
		return err
	}
	var deadEnds []lts.State
	for i, s := range w.last {
		if err := cores.Done(ctx, i); err != nil {
			return err
		}
		for range w.onward(s) {
			successors[s]++
		}
		if successors[s] == 0 && !w.m.IsDeadlock(s) {
			deadEnds = append(deadEnds, s)
		}
	}
	before := w.m.Predecessors()
	for work := 0; len(deadEnds) > 0; work++ {
		if err := cores.Done(ctx, work); err != nil {
			return err
		}
		t := deadEnds[len(deadEnds)-1]
		deadEnds = deadEnds[:len(deadEnds)-1]
		w.remaining.Remove(t)
		labels, sources := before.In(t)
		for j, s := range sources {
			if !w.remaining.Has(s) || w.isCountedFault(s, labels.At(j)) {
				continue
			}
			successors[s]--
			if successors[s] == 0 {
				deadEnds = append(deadEnds, s)
			}
		}
	}
	return nil
}

// model returns the model that consists of the remaining product states of last, and of the paths
// to them. It also returns the product state of each state of the model.
func (w *ways) model(ctx context.Context) (*lts.LTS, []lts.State, error) {
	numbers, err := resources.Make[lts.State](ctx, w.m.NumStates())
	if err != nil {
		return nil, nil, err
	}
	var states []lts.State
	numbered := bitset.New[lts.State](w.m.NumStates())
	number := func(s lts.State) lts.State {
		if !numbered.Has(s) {
			numbered.Add(s)
			numbers[s] = lts.State(len(states))
			states = append(states, s)
		}
		return numbers[s]
	}
	var b lts.Builder
	b.Over(w.m.Alphabet())
	start := w.m.Initial()
	first := number(start)
	attached := bitset.New[lts.State](w.m.NumStates())
	attached.Add(start)
	for i, s := range w.last {
		if err := cores.Done(ctx, i); err != nil {
			return nil, nil, err
		}
		if !w.remaining.Has(s) {
			continue
		}
		for at := s; !attached.Has(at) && !w.remaining.Has(w.before[at]); at = w.before[at] {
			attached.Add(at)
			b.Add(number(w.before[at]), w.by[at], number(at))
		}
		from := number(s)
		for t := range w.onward(s) {
			b.Add(from, t.Label, number(t.To))
		}
	}
	few, err := b.Build(first, len(states))
	return few, states, err
}

// ways are paths to the product states that take the most faults. Of the paths with the fewest
// faults, they are shortest ones.
type ways struct {
	*faultSearch
	canAccept func(property.Q) bool
	// visited are the product states that the search has visited. noted are those that it has
	// reached by a fault.
	visited, noted bitset.Set[lts.State]
	// before[s] is the product state before s on the path to s. by[s] is the label of the
	// transition between them.
	before []lts.State
	by     []lts.Label
	// last are the product states that take the most faults, in the order of their distances.
	last      []lts.State
	remaining bitset.Set[lts.State] // the members of last that remain
}

// distant is a product state with its distance.
type distant struct {
	state    lts.State
	distance int
}

// visitLevel visits the product states with one number of faults, in the order of distances: those in
// from, and those that they reach by transitions that are no faults. It returns the product states that
// are reached by one more fault. isLast reports whether the level has the largest number of faults; it
// then adds the visited product states to w.last.
func (w *ways) visitLevel(
	ctx context.Context,
	from []distant,
	isLast bool,
) (later []distant, err error) {
	var queue []distant
	for i := 0; i < len(queue) || len(from) > 0; {
		// Product states of from join the queue once they are no farther than the next ones that the visit
		// below adds. So the distances in the queue ascend.
		mostDistant := 0
		if i < len(queue) {
			mostDistant = queue[i].distance + 1
		} else {
			mostDistant = from[0].distance
		}
		for len(from) > 0 && from[0].distance <= mostDistant {
			if !w.visited.Has(from[0].state) {
				w.visited.Add(from[0].state)
				queue = append(queue, from[0])
			}
			from = from[1:]
		}
		if i == len(queue) {
			continue
		}
		at := queue[i]
		i++
		if err := cores.Done(ctx, i); err != nil {
			return nil, err
		}
		if isLast {
			w.last = append(w.last, at.state)
		}
		labels, targets := w.m.Out(at.state)
		for j, t := range targets {
			if w.visited.Has(t) || !w.admits(t) {
				continue
			}
			next := distant{state: t, distance: at.distance + 1}
			l := labels.At(j)
			if !w.isCountedFault(at.state, l) {
				w.visited.Add(t)
				w.setPath(t, at.state, l)
				queue = append(queue, next)
				continue
			}
			// The first path to t is a shortest one.
			if !isLast && !w.noted.Has(t) {
				w.noted.Add(t)
				w.setPath(t, at.state, l)
				later = append(later, next)
			}
		}
	}
	return later, nil
}

// setPath records the last transition of the path to a product state.
func (w *ways) setPath(to, from lts.State, l lts.Label) {
	w.before[to] = from
	w.by[to] = l
}

// isCountedFault reports whether a transition is a fault that counts: after a bad prefix, no fault counts.
func (w *ways) isCountedFault(from lts.State, l lts.Label) bool {
	return w.isFault(l) && w.canAccept(w.u.At(from).Q)
}

// onward yields the transitions from a product state of last to remaining product states of last.
func (w *ways) onward(s lts.State) iter.Seq[lts.Transition] {
	return func(yield func(lts.Transition) bool) {
		labels, targets := w.m.Out(s)
		for j, t := range targets {
			l := labels.At(j)
			if w.remaining.Has(t) && !w.isCountedFault(s, l) &&
				!yield(lts.Transition{From: s, Label: l, To: t}) {
				return
			}
		}
	}
}
