package explain

import (
	"context"
	"slices"
	"sort"
	"strings"

	"github.com/inev-lts/inev/internal/cores"
	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// recordPending records what is pending at the end of the run. If the property is lost or
// impossible, it also records whether a pending label is still reachable. If none is, it records
// the reason.
func (d diagnosis) recordPending(ctx context.Context) error {
	w, _, err := d.pendingLabels(ctx)
	if err != nil {
		return err
	}
	if w != nil {
		if err := d.setPending(ctx, w); err != nil {
			return err
		}
	}
	if d.Kind != KindLost && d.Kind != KindImpossible {
		return nil
	}
	if w != nil {
		if err := d.recordUnreachable(ctx, w); err != nil {
			return err
		}
	}
	return d.recordReason(ctx)
}

// recordUnreachable records whether nothing that is missing can happen once the property is lost.
func (d diagnosis) recordUnreachable(ctx context.Context, w *waiting) error {
	lost := d.after(d.stepsUntilLost())
	can, err := canHappen(ctx, d.a.m, d.isMissing(w), lost.State)
	if err != nil {
		return err
	}
	d.Unreachable = !can && (d.Last > 0 || len(d.Pending) > 0)
	if d.Unreachable && d.Kind == KindLost && d.Last == 0 {
		return d.recordGone(ctx, w)
	}
	return nil
}

// recordGone records the step after which nothing that is missing can happen, if it comes before
// the step that loses the property: then that later step only demands what was already out of
// reach. It searches for the step by halving, since what is out of reach stays out of reach.
func (d diagnosis) recordGone(ctx context.Context, w *waiting) error {
	isMissing := d.isMissing(w)
	var failure error
	isGone := func(steps int) bool {
		if failure != nil {
			return true
		}
		can, err := canHappen(ctx, d.a.m, isMissing, d.after(steps).State)
		failure = err
		return !can
	}
	lost := d.stepsUntilLost()
	if !isGone(lost-1) || failure != nil {
		return failure
	}
	firstGone := sort.Search(lost-1, isGone)
	if failure != nil || firstGone == 0 {
		return failure
	}
	d.Gone = stepIndex(firstGone - 1)
	d.Asks = d.asksFor(w)
	return nil
}

// asksFor reports whether the step that loses the property demands what the run waits for at its
// end. This is so if the property allows a run to end before this step but not after it, and the
// run waits for the same labels after the step as at its end.
func (d diagnosis) asksFor(w *waiting) bool {
	before := d.trace.At(int(*d.Step))
	after := d.trace.At(int(*d.Step) + 1)
	stop := d.a.Property.Automaton().Stop
	if !stop[before] || stop[after] {
		return false
	}
	return slices.Equal(w.labels([]property.Q{after}), w.labels(d.finalPropertyStates()))
}

// isMissing returns a function that reports whether a label is missing. A label is missing if it
// does step Last; for a property without steps, if the run waits for it.
func (d diagnosis) isMissing(w *waiting) func(lts.Label) bool {
	if d.Last > 0 {
		return func(l lts.Label) bool { return d.a.Property.Does(l, d.Last) }
	}
	pending := d.setOf(w.labels(d.finalPropertyStates()))
	a := d.a.m.Alphabet()
	if d.AwaitedStep != "" || a.Texts() == a.Len() {
		return pending.Has
	}
	// The diagnosis shows only the texts and facts of labels, not the sets of steps that
	// distinguish them. So all labels with the same text and facts count.
	type shown struct {
		plain lts.Label
		facts lts.Facts
	}
	shownAs := func(l lts.Label) shown {
		facts, _ := a.Facts(l)
		return shown{plain: a.Plain(l), facts: facts}
	}
	pendingAsShown := map[shown]bool{}
	for l := range a.All() {
		if pending.Has(l) {
			pendingAsShown[shownAs(l)] = true
		}
	}
	return func(l lts.Label) bool { return pendingAsShown[shownAs(l)] }
}

// finalPropertyStates returns the property states of the loop or, without a loop, that of the last
// state. Each occurs once.
func (d diagnosis) finalPropertyStates() []property.Q {
	var all []property.Q
	visited := bitset.New[property.Q](d.a.Property.States())
	for _, at := range d.loop {
		if !visited.Has(at.Q) {
			visited.Add(at.Q)
			all = append(all, at.Q)
		}
	}
	if all == nil {
		all = append(all, d.trace.At(d.trace.Len()))
	}
	return all
}

// pendingLabels returns what the run waits for at its end; nil if it waits for nothing. If the run
// waits for nothing and has a loop, the second result has the colours that would have to stop.
func (d diagnosis) pendingLabels(ctx context.Context) (*waiting, property.Marks, error) {
	if step, awaits := d.awaitedStep(); awaits {
		return &waiting{p: d.a.Property, step: step}, 0, nil
	}
	if len(d.loop) > 0 {
		return d.pendingOnLoop(ctx)
	}
	if d.a.Property.Kind() == property.KindDeadlockFree || !d.trace.Kind().Ends() {
		return nil, 0, nil
	}
	w := &waiting{p: d.a.Property}
	if err := w.findDistances(ctx, true); err != nil {
		return nil, 0, err
	}
	w.least = w.distances[d.finalPropertyStates()[0]]
	if w.least == noPath {
		return nil, 0, nil
	}
	return w, 0, nil
}

// pendingOnLoop is pendingLabels for a loop of a property without a pending step. If several pairs
// of the acceptance condition help, it takes the nearest one.
func (d diagnosis) pendingOnLoop(ctx context.Context) (*waiting, property.Marks, error) {
	p := d.a.Property
	var colours property.Marks
	for _, at := range d.loop {
		colours |= p.Marks(at.Q, d.trace.Step(at.step).Label)
	}
	pairs, _ := p.Acceptance().Pairs(mostPairs)
	var nearest *waiting
	var recurring property.Marks
	least := noPath
	for _, pair := range pairs {
		forbidden := pair.Fin & colours
		if forbidden != 0 {
			if recurring == 0 || forbidden.Len() < recurring.Len() {
				recurring = forbidden
			}
			continue
		}
		w := &waiting{
			p:      p,
			wanted: pair.Inf &^ colours,
			banned: pair.Fin,
			least:  noPath,
		}
		if err := w.findDistances(ctx, false); err != nil {
			return nil, 0, err
		}
		for _, at := range d.loop {
			w.least = min(w.least, w.distances[at.Q])
		}
		if w.least < least {
			nearest = w
			least = w.least
		}
	}
	return nearest, recurring, nil
}

// setPending records the labels that w waits for, except those that no run of the model does.
func (d diagnosis) setPending(ctx context.Context, w *waiting) error {
	labels := slices.Clone(w.labels(d.finalPropertyStates()))
	// Labels of transitions to initial states occur only before all steps.
	labels = slices.DeleteFunc(labels, func(l lts.Label) bool {
		_, begins := d.a.m.Alphabet().Facts(l)
		return begins
	})
	happensForSure := len(labels) <= 1 && (d.PossibleIn > 0 || d.Way != nil)
	if !happensForSure {
		happening, err := d.a.m.Happening(ctx)
		if err != nil {
			return err
		}
		labels = slices.DeleteFunc(labels, func(l lts.Label) bool {
			return !happening.Happens(l)
		})
	}
	d.Pending = make([]string, 0, len(labels))
	pending := d.setOf(labels)
	for _, l := range labels {
		text, isNew := d.pendingText(l, pending)
		if isNew {
			d.Pending = append(d.Pending, text)
		}
	}
	d.AwaitedStep = d.conditionOnSteps()
	return d.recordAwaited(ctx, w)
}

// pendingText returns the text of a pending label. isNew is false if Pending has the text already.
// Several labels may have the same text, and differ in the facts of the states to which they lead.
// If only some of them are pending, the text includes these facts; those that do not hold are
// negated.
func (d diagnosis) pendingText(
	l lts.Label,
	pending bitset.Set[lts.Label],
) (text string, isNew bool) {
	a := d.a.m.Alphabet()
	text = d.a.text(l)
	isNotPending := func(variant lts.Label) bool { return !pending.Has(variant) }
	if !slices.ContainsFunc(a.Variants(text), isNotPending) {
		return text, a.Plain(l) == l // this label represents all labels with its text
	}
	facts, _ := a.Facts(l)
	allFacts := d.factTexts(^lts.Facts(0), facts, d.negation)
	if len(allFacts) > 0 {
		return text + " to " + d.conjoined(allFacts), true
	}
	// These labels differ in their effect, and not only in the states to which they lead.
	return text, !slices.Contains(d.Pending, text)
}

// setOf returns labels as a bit set. Lookups must be fast, since a model can have as many labels as
// transitions.
func (d diagnosis) setOf(labels []lts.Label) bitset.Set[lts.Label] {
	set := bitset.New[lts.Label](d.a.m.Alphabet().Len())
	for _, l := range labels {
		set.Add(l)
	}
	return set
}

// conditionOnSteps returns the condition on steps that the run waits for, see [Diagnosis.AwaitedStep].
func (d diagnosis) conditionOnSteps() string {
	text := ""
	for _, q := range d.finalPropertyStates() {
		awaited, alone := d.a.Property.Pending(q).Awaits()
		differs := text != "" && text != awaited
		if !alone || differs {
			return ""
		}
		text = awaited
	}
	a := d.a.m.Alphabet()
	isAboutState := slices.Contains(a.FactNames(), text)
	if a.Len() == 0 || isAboutState {
		return ""
	}
	_, isSetOfSteps := a.InSet(0, text) // every label is known to be in a set of steps, or outside it
	if !isSetOfSteps {
		return ""
	}
	return text
}

// mostAwaited is the largest number of alternatives of an awaited condition.
const mostAwaited = 3

// recordAwaited records the condition on values that decides whether w waits for a transition,
// whatever the label of the transition. The condition must be the same in all property states at
// the end of the run. recordAwaited records nothing if the label matters, too.
func (d diagnosis) recordAwaited(ctx context.Context, w *waiting) error {
	names := d.a.m.Alphabet().FactNames()
	if len(names) == 0 {
		return nil
	}
	happening, err := d.a.m.Happening(ctx)
	if err != nil {
		return err
	}
	var helpful, useless []lts.Facts
	ends := d.finalPropertyStates()
	for l := range happening.All() {
		facts, begins := happening.Facts(l)
		if begins || !happening.Happens(l) {
			continue
		}
		for _, q := range ends {
			if w.helps(q, l) {
				helpful = append(helpful, facts)
			} else {
				useless = append(useless, facts)
			}
		}
	}
	helpful = sortedFacts(helpful)
	useless = sortedFacts(useless)
	d.Awaited = d.conditionOf(helpful, useless)
	return nil
}

func sortedFacts(all []lts.Facts) []lts.Facts {
	slices.Sort(all)
	return slices.Compact(all)
}

// conditionOf returns a condition that all helpful facts meet and no useless facts do: a
// conjunction, or a disjunction of a few. It returns "" if there is no such condition, or if no
// facts are useless.
func (d diagnosis) conditionOf(helpful, useless []lts.Facts) string {
	if len(helpful) == 0 || len(useless) == 0 {
		return ""
	}
	w := valueWords{n: len(d.a.m.Alphabet().FactNames())}
	all := lts.Facts(1)<<w.n - 1
	common := all
	for _, facts := range helpful {
		common &^= facts ^ helpful[0]
	}
	if isApart(helpful[0], common, useless) {
		return d.conjunction(w, helpful[0], common, useless)
	}
	// No conjunction of what all helpful facts have in common is enough, so each has its own.
	var alternatives []string
	for _, facts := range helpful {
		if !isApart(facts, all, useless) {
			return ""
		}
		alternative := d.conjunction(w, facts, all, useless)
		if !slices.Contains(alternatives, alternative) {
			alternatives = append(alternatives, alternative)
		}
	}
	if len(alternatives) > mostAwaited {
		return ""
	}
	return d.disjoined(alternatives)
}

// isApart reports whether each of the others differs from facts in at least one of the given bits.
func isApart(facts, bits lts.Facts, others []lts.Facts) bool {
	return !slices.ContainsFunc(others, func(other lts.Facts) bool {
		return (facts^other)&bits == 0
	})
}

// conjunction returns a conjunction about the given bits of facts that excludes all others, and from
// which no part can be left out.
func (d diagnosis) conjunction(w valueWords, facts, bits lts.Facts, others []lts.Facts) string {
	minimal := w.minimalFacts(bits, 0, func(kept lts.Facts) bool {
		return isApart(facts, kept, others)
	})
	return d.conjoined(d.factTexts(minimal, facts, d.negation))
}

// conjoined returns a conjunction for the reader.
func (d diagnosis) conjoined(texts []string) string {
	if d.a.idle != "" {
		return strings.Join(texts, ` /\ `) // as in TLA+
	}
	return strings.Join(texts, " && ")
}

// disjoined returns a disjunction for the reader.
func (d diagnosis) disjoined(texts []string) string {
	if d.a.idle != "" {
		return strings.Join(texts, ` \/ `) // as in TLA+
	}
	return strings.Join(texts, " || ")
}

// waiting is what a violating run waits for at its end: for a chain, its next step; for another
// property, transitions that bring the automaton nearer to its aim.
type waiting struct {
	p    *property.Property
	step int // the step of a chain, from 1; 0 for another property
	// The aim is a transition with a colour of wanted or, if the run ends, a property state where
	// it may end. Paths to the aim avoid the colours of banned. distances are the distances of the
	// property states from the aim, in transitions; [noPath] if there is no path.
	wanted, banned property.Marks
	distances      []int
	// least is the smallest distance from the aim on the loop or, without a loop, the distance at
	// the end.
	least int
}

// helps reports whether the run waits for a transition labelled l from property state q.
func (w *waiting) helps(q property.Q, l lts.Label) bool {
	if w.step > 0 {
		return w.p.Does(l, w.step)
	}
	marks := w.p.Marks(q, l)
	switch {
	case marks&w.banned != 0:
		return false
	case marks&w.wanted != 0:
		return w.least > 0
	}
	return w.distances[w.p.Next(q, l)] < w.least
}

// labels returns the labels that help in these property states, ascending.
func (w *waiting) labels(at []property.Q) []lts.Label {
	if w.step > 0 {
		return w.p.Step(w.step).Labels
	}
	helping := bitset.New[lts.Label](w.p.Alphabet().Len())
	for _, q := range at {
		for l := range w.p.Alphabet().All() {
			if w.helps(q, l) {
				helping.Add(l)
			}
		}
	}
	return slices.Collect(helping.All)
}

// findDistances finds the distances of the property states from the aim, searching backwards. With
// mayEnd, the aim may also be a property state where the run may end. Cost O(states · letters).
func (w *waiting) findDistances(ctx context.Context, mayEnd bool) error {
	t := w.p.Automaton()
	isUsed := make([]bool, t.Columns) // whether some label of the model belongs to the column
	for _, letter := range t.Letters {
		isUsed[letter] = true
	}
	w.distances = slices.Repeat([]int{noPath}, t.States())
	before := make([][]property.Q, t.States())
	var first []property.Q // the property states at distance 0 or, if there are none, at distance 1
	for q := range t.States() {
		if err := cores.Done(ctx, q); err != nil {
			return err
		}
		hasWanted := false
		for column := range t.Columns {
			entry := q*t.Columns + column
			marks := property.Marks(0)
			if t.Marks != nil {
				marks = t.Marks[entry]
			}
			isBanned := !isUsed[column] || marks&w.banned != 0
			isWanted := marks&w.wanted != 0
			switch {
			case isBanned:
				continue
			case isWanted:
				hasWanted = true
			default:
				next := t.Next[entry]
				before[next] = append(before[next], property.Q(q))
			}
		}
		switch {
		case mayEnd && t.Stop[q]:
			w.distances[q] = 0
			first = append(first, property.Q(q))
		case hasWanted:
			w.distances[q] = 1
			first = append(first, property.Q(q))
		}
	}
	w.spreadDistances(first, before)
	return nil
}

// spreadDistances sets the distances of the other property states by a breadth-first search backwards
// from first, whose distances are known. before has the predecessors of each property state.
func (w *waiting) spreadDistances(first []property.Q, before [][]property.Q) {
	layer := first
	for len(layer) > 0 {
		var next []property.Q
		for _, q := range layer {
			for _, from := range before[q] {
				if w.distances[from] == noPath {
					w.distances[from] = w.distances[q] + 1
					next = append(next, from)
				}
			}
		}
		layer = next
	}
}

// noPath is the distance of a property state from which no path leads to the aim.
const noPath = int(^uint(0) >> 1)

// mostPairs is the largest number of pairs of an acceptance condition for which
// pendingLabels searches.
const mostPairs = 256
