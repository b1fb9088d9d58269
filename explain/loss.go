package explain

import (
	"context"
	"slices"
	"sort"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/internal/cores"
	"github.com/inev-lts/inev/internal/lts/bfs"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/internal/pagedlist"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// recordBadPrefix records the step that ends a bad prefix, with the values that decide, and reports
// whether there is one.
func (d diagnosis) recordBadPrefix(ctx context.Context) (bool, error) {
	step, found, err := d.firstBadPrefixStep(ctx)
	if err != nil || !found {
		return false, err
	}
	d.Step = stepIndex(step)
	return true, d.decideByValues(ctx, step)
}

// recordInScope records the step that did what must not happen in a scope, if the bad prefix ends
// only with the scope. In that case, the property state before Step has a phrase for what has
// happened, and the recorded step led to this property state.
func (d diagnosis) recordInScope() {
	i := int(*d.Step)
	q := d.trace.At(i)
	hasHappened := func(w property.Word) bool {
		return w.Kind == property.Happened
	}
	if !slices.ContainsFunc(d.a.Property.Pending(q), hasHappened) {
		return
	}
	for i >= 0 && d.trace.At(i) == q {
		i--
	}
	d.InScope = stepIndex(i)
}

// firstBadPrefixStep returns the first step after which no word satisfies the property; false if
// there is none, or if no word at all satisfies the property.
func (d diagnosis) firstBadPrefixStep(ctx context.Context) (int, bool, error) {
	words, err := product.ResidualsOf(ctx, d.a.Property)
	if err != nil {
		return 0, false, err
	}
	if !words.CanAccept(d.trace.At(0)) {
		return 0, false, nil
	}
	for i := range d.trace.Len() {
		if !words.CanAccept(d.trace.At(i + 1)) {
			return i, true, nil
		}
	}
	return 0, false, nil
}

// recordLoss records the step that loses the property, and the steps of the property that are lost.
func (d diagnosis) recordLoss(loss *Loss) {
	if loss.Steps > 0 {
		d.Step = stepIndex(loss.Steps - 1)
	}
	if loss.Step > 0 {
		d.First = 1
		d.Last = loss.Step
		if loss.Steps > 0 {
			d.First = d.a.Property.Progress(d.trace.At(loss.Steps)) + 1
		}
	}
}

// stepsUntilLost returns the number of steps until the property is lost; 0 if no step loses it.
func (d diagnosis) stepsUntilLost() int {
	if d.Step == nil {
		return 0
	}
	return int(*d.Step) + 1
}

// lossOfTable returns where the run loses a property without steps; nil if the run never loses it.
// Cost as for [fate.Losses].
func (v violation) lossOfTable(ctx context.Context) (*Loss, error) {
	defer v.a.phase("enrich")()
	lost, err := fate.Losses(ctx, v.a.m, v.a.Property)
	if err != nil {
		return nil, err
	}
	return v.firstLoss(lost), nil
}

// firstLoss returns the first state of the run where the property is lost; nil if there is none. It
// searches by bisection, since a lost property stays lost.
func (v violation) firstLoss(lost func(lts.State, property.Q) bool) *Loss {
	steps := sort.Search(v.trace.Len()+1, func(i int) bool {
		at := v.after(i)
		return lost(at.State, at.Q)
	})
	if steps > v.trace.Len() {
		return nil
	}
	return &Loss{Steps: steps}
}

// isStarvedOfLastStep reports whether a run with a loop misses only the last step of the property
// although this step is possible on the loop. If so, the property is not lost. This test is cheap, and
// true of most loops.
func (v violation) isStarvedOfLastStep() bool {
	p := v.a.Property
	start, loops := v.trace.LoopStart()
	missesEarlierStep := v.described.Done+1 < p.Steps()
	if !loops || missesEarlierStep {
		return false
	}
	for i := start; i < v.trace.Len(); i++ {
		labels, _ := v.a.m.Out(v.trace.Step(i).From)
		if labels.Any(func(l lts.Label) bool { return p.Does(l, p.Steps()) }) {
			return true
		}
	}
	return false
}

// recordReason records why the property can no longer hold, if the reason is one of these: all runs
// from the state where the property is lost are finite; each label with which runs begin violates
// the property; or the run did the step that is missing at its end too early. Cost O(S + T).
func (d diagnosis) recordReason(ctx context.Context) error {
	lost := d.after(d.stepsUntilLost())
	if d.Kind == KindLost && d.Unreachable && d.Awaited == "" {
		d.recordTooEarly(lost.Q)
	}
	hasReason := d.Last > 0 || d.Unreachable || d.Values != nil
	if hasReason || largestProduct(d.a.m, d.a.Property) > mostForDiagnosis {
		return nil
	}
	allEnd := false
	if d.trace.Kind() == counterexample.Deadlock {
		var err error
		allEnd, err = d.allRunsEnd(ctx, lost)
		if err != nil {
			return err
		}
	}
	if d.Kind != KindImpossible && !allEnd {
		return nil
	}
	words, err := product.ResidualsOf(ctx, d.a.Property)
	if err != nil {
		return err
	}
	d.AllEnd = allEnd && words.CanAccept(lost.Q)
	if d.AllEnd && d.Step != nil {
		before := d.after(d.stepsUntilLost() - 1)
		if d.MayEndBefore, err = d.isFinite(ctx, before.State); err != nil {
			return err
		}
	}
	if d.Kind == KindImpossible && !d.AllEnd {
		d.recordFirstLabels(lost, words)
	}
	return nil
}

// allRunsEnd reports whether all runs from a product state are finite although the property does not
// allow a run to end.
func (d diagnosis) allRunsEnd(ctx context.Context, from product.State) (bool, error) {
	toEnd := &waiting{p: d.a.Property}
	if err := toEnd.findDistances(ctx, true); err != nil {
		return false, err
	}
	mayEndLater := toEnd.distances[from.Q] < noPath
	if mayEndLater {
		return false, nil
	}
	return d.isFinite(ctx, from.State)
}

// isFinite reports whether all runs from a state are finite: it reaches no cycle.
func (d diagnosis) isFinite(ctx context.Context, from lts.State) (bool, error) {
	ahead, err := bfs.From(ctx, d.a.m, []lts.State{from}, bfs.Options{})
	if err != nil {
		return false, err
	}
	reached := func(s lts.State, _ lts.Label, _ lts.State) bool {
		_, isAhead := ahead.Distance(s)
		return isAhead
	}
	finite := true
	err = scc.Within(ctx, d.a.m, reached, func(_ []lts.State, cyclic bool) {
		finite = finite && !cyclic
	})
	return finite, err
}

// recordFirstLabels records the labels of the first transitions of runs, if each of these transitions
// violates the property.
func (d diagnosis) recordFirstLabels(begin product.State, words *product.Residuals) {
	begins := bitset.New[lts.Label](d.a.m.Alphabet().Len())
	for _, first := range d.firstStates(begin) {
		labels, _ := d.a.m.Out(first.State)
		if labels.Len() == 0 || !words.CanAccept(first.Q) {
			return // something other than the label loses the property
		}
		for l := range labels.All() {
			if words.CanAccept(d.a.Property.Next(first.Q, l)) {
				return
			}
			begins.Add(l)
		}
	}
	for l := range begins.All {
		if d.a.m.Alphabet().Plain(l) != l {
			return // the values of the next state may matter
		}
		d.Begins = append(d.Begins, d.a.text(l))
	}
}

// firstStates returns the product states where runs begin: the given product state or, if its state
// was added in front of several initial states, its successors.
func (d diagnosis) firstStates(begin product.State) []product.State {
	if !d.a.m.IsBefore(begin.State) {
		return []product.State{begin}
	}
	var firsts []product.State
	labels, targets := d.a.m.Out(begin.State)
	for i, to := range targets {
		firsts = append(firsts, product.State{
			State: to,
			Q:     d.a.Property.Next(begin.Q, labels.At(i)),
		})
	}
	return firsts
}

// recordTooEarly records whether the step that loses the property does what is missing at the end
// of the run. q is the property state after this step. For a property without steps, recordTooEarly
// also records the later step that demands what is missing.
func (d diagnosis) recordTooEarly(q property.Q) {
	label := d.trace.Step(int(*d.Step)).Label
	if d.Last > 0 {
		d.TooEarly = d.First < d.Last && d.a.Property.Does(label, d.Last)
		return
	}
	stop := d.a.Property.Automaton().Stop
	if len(d.Pending) != 1 || d.Pending[0] != d.a.text(label) || !stop[q] {
		return
	}
	// Called is the first step after which the property never again allows the run to stop.
	for i := int(*d.Step) + 1; i < d.trace.Len(); i++ {
		mayStopAfter := stop[d.trace.At(i+1)]
		switch {
		case mayStopAfter:
			d.Called = nil
		case d.Called == nil:
			d.Called = stepIndex(i)
		}
	}
	d.TooEarly = d.Called != nil
}

// canHappen reports whether a transition with a wanted label is reachable from a state. It searches
// breadth first, level by level: since most models are numbered breadth first, it reads memory in
// order. Cost O(S + T) of the states reached, a bit for each state, and 4 bytes for each state of
// two levels.
func canHappen(
	ctx context.Context,
	m *lts.LTS,
	isWanted func(lts.Label) bool,
	from lts.State,
) (bool, error) {
	if !hasLabel(m.Alphabet(), isWanted) {
		return false, nil
	}
	if err := resources.AskFor[uint64](ctx, m.NumStates()/64+1); err != nil {
		return false, err
	}
	visited := bitset.New[lts.State](m.NumStates())
	visited.Add(from)
	level := []lts.State{from}
	var next []lts.State
	looks := 0
	for len(level) > 0 {
		next = next[:0]
		for _, s := range level {
			if err := cores.Done(ctx, looks); err != nil {
				return false, err
			}
			looks++
			labels, targets := m.Out(s)
			for k, to := range targets {
				if isWanted(labels.At(k)) {
					return true, nil
				}
				if !visited.Has(to) {
					visited.Add(to)
					next = append(next, to)
				}
			}
		}
		level, next = next, level
	}
	return false, nil
}

// hasLabel reports whether some label of the alphabet meets a condition.
func hasLabel(a *lts.Alphabet, condition func(lts.Label) bool) bool {
	for l := range a.All() {
		if condition(l) {
			return true
		}
	}
	return false
}

// lossOfSteps returns where a run that never does the missing step loses the property; nil if it
// never loses it. It needs no classes of transitions. It searches for the largest progress of
// continuations from the last state of the run, then from each earlier state, until all steps are
// possible. The searches share the visited states. Cost O(n (S + T)) of the states reached, 4 bytes
// a state.
func (v violation) lossOfSteps(ctx context.Context, missing int) (*Loss, error) {
	t := v.trace
	p := v.a.Property
	doesMissing := func(l lts.Label) bool { return p.Does(l, missing) }
	if !hasLabel(v.a.m.Alphabet(), doesMissing) {
		return &Loss{Steps: 0, Step: missing}, nil
	}
	f, err := newFurthest(ctx, v.a.m, p)
	if err != nil {
		return nil, err
	}
	for i := t.Len(); i >= 0; i-- {
		at := v.after(i)
		if i == t.Len() {
			at.Q = property.Q(v.described.Done)
		}
		reachedLater := f.reached // from the later states of the run
		if err := f.searchFrom(ctx, at); err != nil {
			return nil, err
		}
		canDoAll := f.reached == p.Steps()
		switch {
		case canDoAll && i == t.Len():
			return nil, nil
		case canDoAll: // the next step of the run loses the property
			return &Loss{Steps: i + 1, Step: reachedLater + 1}, nil
		}
	}
	return &Loss{Steps: 0, Step: f.reached + 1}, nil
}

// furthest finds the largest progress that continuations make, from several states one after the
// other.
type furthest struct {
	m *lts.LTS
	p *property.Property
	// visitedBelow is, for each state, one more than the largest progress with which the search has
	// visited the state; 0 if it has not visited it. A visit with less progress would find nothing
	// new.
	visitedBelow []uint32
	// reached is the largest progress so far.
	reached int
	// admits restricts the search to product states on runs that count; nil for no restriction.
	admits func(lts.State, property.Q) bool
}

func newFurthest(ctx context.Context, m *lts.LTS, p *property.Property) (*furthest, error) {
	visitedBelow, err := resources.Make[uint32](ctx, m.NumStates())
	if err != nil {
		return nil, err
	}
	return &furthest{m: m, p: p, visitedBelow: visitedBelow}, nil
}

// searchFrom continues the search at a product state, and returns as soon as all steps are done. The
// search visits a state again only with more progress than before.
func (f *furthest) searchFrom(ctx context.Context, first product.State) error {
	if uint32(first.Q) < f.visitedBelow[first.State] {
		return nil
	}
	f.visitedBelow[first.State] = uint32(first.Q) + 1
	// open is a queue: most files number states roughly breadth first, so memory is read in order.
	var open, next pagedlist.List[product.State]
	next.Append(first)
	work := 0
	for next.Len() > 0 {
		open, next = next, open
		next.Truncate(0)
		for i := range open.Len() {
			work++
			if err := cores.Done(ctx, work); err != nil {
				return err
			}
			from := *open.At(i)
			f.reached = max(f.reached, int(from.Q))
			if f.reached == f.p.Steps() {
				return nil
			}
			labels, targets := f.m.Out(from.State)
			for k, to := range targets {
				after := f.p.Next(from.Q, labels.At(k))
				isNew := uint32(after) >= f.visitedBelow[to]
				if isNew && (f.admits == nil || f.admits(to, after)) {
					f.visitedBelow[to] = uint32(after) + 1
					next.Append(product.State{State: to, Q: after})
				}
			}
		}
	}
	return nil
}
