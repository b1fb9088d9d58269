package explain

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/format/states"
	"github.com/inev-lts/inev/internal/cores"
	"github.com/inev-lts/inev/internal/enumeration"
	"github.com/inev-lts/inev/internal/formula/ltl"
	"github.com/inev-lts/inev/internal/keyed"
	"github.com/inev-lts/inev/internal/lts/bfs"
	"github.com/inev-lts/inev/internal/paged"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
	"github.com/inev-lts/inev/property/values"
)

// Diagnosis is why the counterexample violates the property: a kind, with the labels, steps and
// counts that belong to it.
type Diagnosis struct {
	Kind DiagnosisKind `json:"kind"`
	// Consequent is the part of the formula that Kind and the other fields are about, if the formula
	// is an implication whose premises the run meets; "" if they are about the whole formula.
	Consequent string `json:"consequent,omitempty"`
	// Lacks is the text of the only element of Consequent that the run waits for; "" if there is no
	// Consequent, or not one such element.
	Lacks string `json:"-"`
	// After describes what is pending after Step for a Consequent.
	After property.Phrase `json:"-"`
	// Livelock reports whether all actions of the loop are internal: i or tau.
	Livelock bool `json:"livelock"`
	// Pending are the labels that the run waits for at its end, since they would make progress, in
	// the order of the model.
	Pending []string `json:"pending"`
	// PossibleIn is the number of product states of the loop where a label of Pending is possible,
	// Of the number of all product states of the loop. PossibleIn and Of are 0 without a loop, and
	// for kinds that are not about loops.
	PossibleIn int `json:"possible_in"`
	Of         int `json:"of"`
	// Distance is the length of Way.
	Distance int `json:"distance"`
	// Steps are the steps of the run that the diagnosis is about, ascending: Step or Instead; the
	// step into the state where the run stops; the steps of the loop that the run takes where a
	// label of Pending is possible; or the steps of the loop that would have to stop. They are nil
	// if the diagnosis is about no step.
	Steps []StepIndex `json:"steps,omitempty"`
	// Step is the step that loses the property, or does what is forbidden; nil if the kind has
	// none. If no run of the model satisfies a property of values, it is the first step after which
	// no word satisfies it.
	Step *StepIndex `json:"step,omitempty"`
	// First to Last are the steps of the property, from 1, that no continuation does in their
	// order. First and Last are 0 if the property has no steps, and if it is neither lost nor
	// impossible.
	First int `json:"first_lost,omitzero"`
	Last  int `json:"last_lost,omitzero"`
	// Awaited is the condition on values of states, such as "big = 4", that the run waits for in
	// all property states of its end; Pending are then the labels that lead to such states. "" if
	// there is no such condition, or not the same condition everywhere.
	Awaited string `json:"awaited,omitempty"`
	// AwaitedStep is the condition on steps, such as "<<queue' # queue>>_vars", that the run waits
	// for in all property states of its end; some transitions with the labels of Pending then meet
	// this condition. "" as for Awaited.
	AwaitedStep string `json:"awaited_step,omitempty"`
	// Values are the values of states that make the run violate the property: in a forbidden step,
	// in the first state, or in a state of the loop. They are nil if something else decides, and
	// for a formula about labels alone.
	Values *decidingValues `json:"values,omitempty"`
	// Unreachable reports whether nothing that is missing can happen any more: no label of step
	// Last or, for a property without steps, no label of Pending. It is set only if the property is
	// lost or impossible.
	Unreachable bool `json:"unreachable,omitzero"`
	// Taken are the labels that the run takes in product states where a label of Pending is
	// possible. Recurring are the labels of the loop that would have to stop, if nothing is
	// pending. Both are in the order of the run, each label once.
	Taken     []string `json:"taken,omitempty"`
	Recurring []string `json:"recurring,omitempty"`
	// Way is a shortest path from the loop that ends with a label of Pending, and Instead the step
	// that the run takes where Way leaves the loop. They are set only if no label of Pending is
	// possible on the loop.
	Way     []PathStep `json:"way,omitempty"`
	Instead *StepIndex `json:"instead,omitempty"`
	// Alike reports whether the run waits for the same labels in all property states of the loop.
	Alike bool `json:"-"`
	// AllEnd reports whether all runs, or all runs that continue after Step, are finite, although
	// an infinite run could satisfy the property. Begins are the labels of the initial transitions,
	// if each of them forbids the property. TooEarly reports whether Step is the last step that
	// does what is missing in the end, when it does not count yet: before step First of the
	// property, or before step Called of the run, which demands it.
	AllEnd   bool       `json:"-"`
	Begins   []string   `json:"-"`
	TooEarly bool       `json:"-"`
	Called   *StepIndex `json:"-"`
}

// DiagnosisKind is the kind of a [Diagnosis].
type DiagnosisKind uint8

// The kinds, in the order they are tried: the diagnosis has the first kind that fits.
const (
	KindImpossible DiagnosisKind = iota + 1 // no run satisfies the property
	KindForbidden                           // something happens after which no word satisfies the property
	KindLost                                // the run passes a point of no return, and goes on
	KindStops                               // the run ends, in a deadlock or where the environment refuses, and the property was not lost before the last step
	KindRecurs                              // nothing is pending on the run's loop, but something on the loop would have to stop
	KindStarved                             // something pending is possible on the loop
	KindTurnedBack                          // something pending is not possible on the loop, but reachable from the loop
)

var diagnosisNames = enumeration.New("diagnosis", "", "impossible", "forbidden", "lost", "stops", "recurs", "starved", "turned back")

func (k DiagnosisKind) String() string { return diagnosisNames.Name(uint8(k)) }

// MarshalText returns the name of the kind.
func (k DiagnosisKind) MarshalText() ([]byte, error) { return diagnosisNames.Text(uint8(k)) }

// UnmarshalText sets the kind by its name.
func (k *DiagnosisKind) UnmarshalText(text []byte) error {
	return enumeration.Set(diagnosisNames, k, text)
}

// diagnosis is a [Diagnosis] under construction, with its run.
type diagnosis struct {
	*Diagnosis
	repeating
}

// diagnose finds out why the counterexample violates the property. loss has the step that loses the
// property, nil if the property is not lost. If the property is not lost before the run ends or repeats
// its loop, and an implication, the run meets its premises, and the diagnosis is about its consequent.
// Cost: [property.Property.Automaton] for a property without steps, and a search from the loop if no
// pending label is possible on it.
func (v violation) diagnose(ctx context.Context, loss *Loss) (*Diagnosis, error) {
	d, err := v.diagnoseWhole(ctx, loss)
	if err != nil {
		return nil, err
	}
	switch d.Kind {
	case KindStops, KindRecurs, KindStarved, KindTurnedBack:
		part, err := v.diagnoseConsequent(ctx)
		if err != nil {
			return nil, err
		}
		if part != nil {
			return part, nil
		}
	}
	return d, nil
}

// diagnoseConsequent makes the diagnosis for the consequent of the formula; nil if the formula is no
// implication, if the consequent is too large, or if the diagnosis could not name what it lacks.
func (v violation) diagnoseConsequent(ctx context.Context) (*Diagnosis, error) {
	f, is := v.a.Formula.(*ltl.Formula)
	if !is || v.trace == nil {
		return nil, nil
	}
	consequent := f.Consequent()
	if consequent == nil {
		return nil, nil
	}
	p, _, err := consequent.Bind(ctx, v.a.m.Alphabet())
	if errors.As(err, new(*ltl.BudgetError)) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	t, err := counterexample.Under(v.a.m, v.trace, p)
	if err != nil {
		return nil, err
	}
	a := *v.a
	a.Formula = consequent
	a.Property = p
	part := violation{a: &a, trace: t, described: &Counterexample{Done: p.Progress(t.At(t.Len()))}}
	if _, awaits := part.awaitedStep(); !awaits {
		words, err := product.ResidualsOf(ctx, p)
		if err != nil {
			return nil, err
		}
		if !words.CanAccept(t.At(0)) {
			return part.lacksAtom(ctx, consequent)
		}
	}
	whole, err := part.diagnoseWhole(ctx, nil)
	if err != nil {
		return nil, err
	}
	d := diagnosis{Diagnosis: whole, repeating: part.repeating()}
	d.Consequent = consequent.String()
	d.Lacks = d.lacks(consequent)
	if d.Step != nil {
		d.After = p.Pending(t.At(int(*d.Step) + 1))
	}
	if (d.Kind == KindStops || d.Kind == KindTurnedBack) && len(d.Pending) == 0 && d.Lacks == "" {
		return nil, nil
	}
	return d.Diagnosis, nil
}

// lacksAtom makes the diagnosis for a formula that no word over the labels of the model satisfies,
// since no label does its only atom of this kind; nil if there is not exactly one.
func (v violation) lacksAtom(ctx context.Context, f *ltl.Formula) (*Diagnosis, error) {
	happening, err := v.a.m.Happening(ctx)
	if err != nil {
		return nil, err
	}
	steps, _, err := actl.BindAtoms(ctx, f.Atoms(), happening)
	if err != nil {
		return nil, err
	}
	d := &Diagnosis{Kind: KindStops, Pending: []string{}, Consequent: f.String()}
	if _, loops := v.trace.LoopStart(); loops {
		d.Kind = KindTurnedBack
	}
	for _, step := range steps {
		if slices.ContainsFunc(step.Labels, happening.Happens) {
			continue
		}
		if d.Lacks != "" {
			return nil, nil
		}
		d.Lacks = step.Pattern.String()
	}
	if d.Lacks == "" {
		return nil, nil
	}
	return d, nil
}

// lacks returns the only atom of the formula that the run waits for at its end; "" if there is no
// such atom, or not the same everywhere.
func (d diagnosis) lacks(f *ltl.Formula) string {
	name := ""
	if step, awaits := d.awaitedStep(); awaits {
		name = d.a.Property.Step(step).Pattern.String()
	} else {
		for i, q := range d.finalPropertyStates() {
			awaited, _ := d.a.Property.Pending(q).Awaits()
			if awaited == "" || i > 0 && awaited != name {
				return ""
			}
			name = awaited
		}
	}
	isName := func(atom actl.Pattern) bool { return atom.String() == name }
	if !slices.ContainsFunc(f.Atoms(), isName) {
		return ""
	}
	return name
}

// diagnoseWhole is diagnose for the formula as a whole.
func (v violation) diagnoseWhole(ctx context.Context, loss *Loss) (*Diagnosis, error) {
	d := diagnosis{Diagnosis: &Diagnosis{Pending: []string{}}, repeating: v.repeating()}
	_, loops := v.trace.LoopStart()
	d.Livelock = loops && !slices.ContainsFunc(d.loop, func(at visit) bool {
		text := d.a.text(d.trace.Step(at.step).Label)
		return text != "i" && text != "tau"
	})
	if err := d.findKind(ctx, loss); err != nil {
		return nil, err
	}
	d.recordSteps()
	return d.Diagnosis, nil
}

// findKind finds the first kind that fits, and what belongs to it.
func (d diagnosis) findKind(ctx context.Context, loss *Loss) error {
	if loss != nil && loss.Steps == 0 {
		return d.diagnoseImpossible(ctx, loss)
	}
	_, awaits := d.awaitedStep()
	if !awaits { // if it awaits a step, some word does this step, and all after it
		found, err := d.recordBadPrefix(ctx)
		if err != nil {
			return err
		}
		if found {
			d.Kind = KindForbidden
			return nil
		}
	}
	_, loops := d.trace.LoopStart()
	goesOn := loss != nil && (!d.trace.Kind().Ends() || loss.Steps < d.trace.Len())
	switch {
	case goesOn && d.a.Property.Kind() != property.KindDeadlockFree:
		d.Kind = KindLost
		d.recordLoss(loss)
		return d.recordPending(ctx)
	case !loops:
		d.Kind = KindStops
		return d.recordPending(ctx)
	}
	return d.diagnoseLoop(ctx)
}

// diagnoseImpossible finds out why no run satisfies the property.
func (d diagnosis) diagnoseImpossible(ctx context.Context, loss *Loss) error {
	d.Kind = KindImpossible
	d.recordLoss(loss)
	if err := d.decideByValues(ctx, -1); err != nil {
		return err
	}
	if err := d.recordPending(ctx); err != nil {
		return err
	}
	if d.Values != nil || len(d.a.m.Alphabet().FactNames()) == 0 {
		return nil
	}
	_, err := d.recordBadPrefix(ctx)
	return err
}

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

// firstBadPrefixStep returns the first step after which no word satisfies the property; false if there
// is none.
func (d diagnosis) firstBadPrefixStep(ctx context.Context) (int, bool, error) {
	words, err := product.ResidualsOf(ctx, d.a.Property)
	if err != nil {
		return 0, false, err
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

// recordPending records what is pending at the end of the run. If the property is lost or impossible,
// it also records whether a pending label is still reachable and, if none is, the reason.
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
	return nil
}

// isMissing returns a function that reports whether a label is missing: whether it does step Last or,
// for a property without steps, whether the run waits for it.
func (d diagnosis) isMissing(w *waiting) func(lts.Label) bool {
	if d.Last > 0 {
		return func(l lts.Label) bool { return d.a.Property.Does(l, d.Last) }
	}
	pending := d.setOf(w.labels(d.finalPropertyStates()))
	a := d.a.m.Alphabet()
	if d.AwaitedStep != "" || a.Texts() == a.Len() {
		return pending.Has
	}
	// The diagnosis shows labels without the sets of steps that distinguish them: labels with the same
	// text and facts count, too.
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

// stepsUntilLost returns the number of steps until the property is lost; 0 if no step loses it.
func (d diagnosis) stepsUntilLost() int {
	if d.Step == nil {
		return 0
	}
	return int(*d.Step) + 1
}

// finalPropertyStates returns the property states of the loop or, without a loop, of the last state;
// each of them once.
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

// pendingLabels returns the labels that the run waits for at its end. If the labels are nil, the run
// waits for nothing, and if it has a loop, the result has the colours that would have to stop.
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
	if w.least == far {
		return nil, 0, nil
	}
	return w, 0, nil
}

// pendingOnLoop is pendingLabels for a loop on which no step is pending. If several pairs of the
// acceptance condition help, the nearest one counts.
func (d diagnosis) pendingOnLoop(ctx context.Context) (*waiting, property.Marks, error) {
	p := d.a.Property
	var colours property.Marks
	for _, at := range d.loop {
		colours |= p.Marks(at.Q, d.trace.Step(at.step).Label)
	}
	pairs, _ := p.Acceptance().Pairs(mostPairs)
	var nearest *waiting
	var recurring property.Marks
	least := far
	for _, pair := range pairs {
		if bad := pair.Fin & colours; bad != 0 {
			if recurring == 0 || bad.Len() < recurring.Len() {
				recurring = bad
			}
			continue
		}
		w := &waiting{p: p, wanted: pair.Inf &^ colours, banned: pair.Fin, least: far}
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

// diagnoseLoop finds the kind of a run with a loop on which the property is not lost.
func (d diagnosis) diagnoseLoop(ctx context.Context) error {
	w, recurring, err := d.pendingLabels(ctx)
	if err != nil {
		return err
	}
	if w == nil {
		return d.recordRecurring(ctx, recurring)
	}
	possible, err := d.recordPossible(ctx, w)
	if err != nil {
		return err
	}
	ends := d.finalPropertyStates()
	d.Alike = !slices.ContainsFunc(ends[1:], func(q property.Q) bool {
		return !slices.Equal(w.labels([]property.Q{q}), w.labels(ends[:1]))
	})
	if d.PossibleIn > 0 {
		d.Kind = KindStarved
		d.recordLoopSteps(func(at visit) bool { return possible.has(at.State) })
		return d.setPending(ctx, w)
	}
	way, err := d.way(ctx, w)
	if err != nil {
		return err
	}
	if way == nil && recurring != 0 {
		d.Of = 0
		return d.recordRecurring(ctx, recurring)
	}
	d.Kind = KindTurnedBack
	if way != nil {
		d.Way = way.Transitions
		d.Distance = len(way.Transitions)
		d.Instead = &way.Step
	}
	return d.setPending(ctx, w)
}

// recordPossible records in how many product states of the loop something that w waits for is possible,
// and the labels that the run takes there. It returns these product states.
func (d diagnosis) recordPossible(ctx context.Context, w *waiting) (*productSet, error) {
	visited, err := newProductSet(ctx, d.a.m, d.a.Property)
	if err != nil {
		return nil, err
	}
	possible, err := newProductSet(ctx, d.a.m, d.a.Property)
	if err != nil {
		return nil, err
	}
	taken := bitset.New[lts.Label](d.a.m.Alphabet().Len())
	for _, at := range d.loop {
		if visited.add(at.State) {
			d.Of++
			labels, _ := d.a.m.Out(at.State.State)
			if labels.Any(func(l lts.Label) bool { return w.helps(at.Q, l) }) {
				possible.add(at.State)
				d.PossibleIn++
			}
		}
		l := d.trace.Step(at.step).Label
		if !taken.Has(l) && possible.has(at.State) {
			taken.Add(l)
			d.Taken = append(d.Taken, d.a.text(l))
		}
	}
	return possible, nil
}

// setPending records the labels that w waits for, except those that no run of the model does.
func (d diagnosis) setPending(ctx context.Context, w *waiting) error {
	// The label of a transition to an initial state occurs before all steps, and never again.
	labels := slices.DeleteFunc(slices.Clone(w.labels(d.finalPropertyStates())), func(l lts.Label) bool {
		_, begins := d.a.m.Alphabet().Facts(l)
		return begins
	})
	if len(labels) > 1 || d.PossibleIn == 0 && d.Way == nil {
		happening, err := d.a.m.Happening(ctx)
		if err != nil {
			return err
		}
		labels = slices.DeleteFunc(labels, func(l lts.Label) bool { return !happening.Happens(l) })
	}
	d.Pending = make([]string, 0, len(labels))
	pending := d.setOf(labels)
	for _, l := range labels {
		if text, fresh := d.pendingText(l, pending); fresh {
			d.Pending = append(d.Pending, text)
		}
	}
	d.Awaited, d.AwaitedStep = d.awaited()
	return nil
}

// pendingText returns the text of a pending label; false if its text is in Pending already. If only
// some of the labels with one text are pending, since they differ in the facts of the states that they
// lead to, the text has these facts; those that do not hold are negated.
func (d diagnosis) pendingText(l lts.Label, pending bitset.Set[lts.Label]) (text string, fresh bool) {
	a := d.a.m.Alphabet()
	text = d.a.text(l)
	if !slices.ContainsFunc(a.Variants(text), func(l lts.Label) bool { return !pending.Has(l) }) {
		return text, a.Plain(l) == l
	}
	facts, _ := a.Facts(l)
	allFacts := d.factTexts(^lts.Facts(0), facts, negated)
	if len(allFacts) > 0 {
		return text + " to " + strings.Join(allFacts, " && "), true
	}
	// The labels differ in what they do, not only in the states that they lead to.
	return text, !slices.Contains(d.Pending, text)
}

// recordRecurring records the labels of the loop that would have to stop: the labels with one of these
// colours; all labels if there are no colours. It also records the values that decide.
func (d diagnosis) recordRecurring(ctx context.Context, colours property.Marks) error {
	d.Kind = KindRecurs
	described := bitset.New[lts.Label](d.a.m.Alphabet().Len())
	hasColour := func(at visit) bool {
		return colours == 0 || d.a.Property.Marks(at.Q, d.trace.Step(at.step).Label)&colours != 0
	}
	for _, at := range d.loop {
		l := d.trace.Step(at.step).Label
		if hasColour(at) && !described.Has(l) {
			described.Add(l)
			d.Recurring = append(d.Recurring, d.a.text(l))
		}
	}
	d.recordLoopSteps(hasColour)
	return d.recordRecurringValues(ctx)
}

// setOf returns labels as a bit set: a model can have as many labels as transitions, so lookups
// must be fast.
func (d diagnosis) setOf(labels []lts.Label) bitset.Set[lts.Label] {
	set := bitset.New[lts.Label](d.a.m.Alphabet().Len())
	for _, l := range labels {
		set.Add(l)
	}
	return set
}

// awaited returns [Diagnosis.Awaited] and [Diagnosis.AwaitedStep].
func (d diagnosis) awaited() (state, step string) {
	text := ""
	for _, q := range d.finalPropertyStates() {
		awaited, alone := d.a.Property.Pending(q).Awaits()
		if !alone || text != "" && text != awaited {
			return "", ""
		}
		text = awaited
	}
	a := d.a.m.Alphabet()
	if slices.Contains(a.FactNames(), text) {
		return text, ""
	}
	if a.Len() > 0 {
		if _, known := a.InSet(0, text); known {
			return "", text
		}
	}
	return "", ""
}

func stepIndex(i int) *StepIndex {
	index := StepIndex(i)
	return &index
}

// mostForDiagnosis is the largest product of the number of property states and the size of the
// model, in states and transitions, for which [Check] makes a diagnosis of a property without
// steps, since that takes the unfolded model.
const mostForDiagnosis = mostForAdvice

// diagnoseChecked makes the diagnosis for [Check], which has no classes of transitions; nil if that
// would take long.
func (v violation) diagnoseChecked(ctx context.Context) (*Diagnosis, error) {
	missing, awaits := v.awaitedStep()
	if v.a.Fates == nil && !awaits && largestProduct(v.a.m, v.a.Property) > mostForDiagnosis {
		return nil, nil
	}
	var loss *Loss
	var err error
	switch {
	case v.a.Fates != nil:
		loss, err = v.describeLoss(ctx)
	case !awaits:
		loss, err = v.lossOfTable(ctx)
	case !v.isStarvedOfLastStep():
		loss, err = v.lossOfSteps(ctx, missing)
	}
	if err != nil {
		return nil, err
	}
	return v.diagnose(ctx, loss)
}

// lossOfTable returns where the run loses a property without steps; nil if it never does. Cost as
// for [fate.Losses].
func (v violation) lossOfTable(ctx context.Context) (*Loss, error) {
	defer v.a.phase("enrich")()
	lost, err := fate.Losses(ctx, v.a.m, v.a.Property)
	if err != nil {
		return nil, err
	}
	return v.firstLoss(lost), nil
}

// firstLoss returns the first state of the run where the property is lost; nil if there is none. It
// searches by halving, since a lost property stays lost.
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

// isStarvedOfLastStep reports whether the last step of a property with steps is possible on the
// loop. If so, nothing is lost; this test is cheap, and most loops pass it.
func (v violation) isStarvedOfLastStep() bool {
	p := v.a.Property
	start, loops := v.trace.LoopStart()
	if !loops || v.described.Done+1 < p.Steps() {
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

// recordReason records why the property can no longer hold, if the reason is simple: all runs from the
// state where it is lost are finite; each initial label forbids the property; or the run did too
// early the step that it lacks at its end. Cost O(S + T).
func (d diagnosis) recordReason(ctx context.Context) error {
	lost := d.after(d.stepsUntilLost())
	if d.Kind == KindLost && d.Unreachable && d.Awaited == "" {
		d.recordTooEarly(lost.Q)
	}
	if d.Last > 0 || d.Unreachable || d.Values != nil || largestProduct(d.a.m, d.a.Property) > mostForDiagnosis {
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
	if d.Kind == KindImpossible && !d.AllEnd {
		d.recordBegins(lost, words)
	}
	return nil
}

// allRunsEnd reports whether all runs from a product state are finite, and the property does not allow a
// run to end.
func (d diagnosis) allRunsEnd(ctx context.Context, from product.State) (bool, error) {
	toEnd := &waiting{p: d.a.Property}
	if err := toEnd.findDistances(ctx, true); err != nil {
		return false, err
	}
	if toEnd.distances[from.Q] < far {
		return false, nil
	}
	// All runs from there are finite if no cycle is reachable.
	ahead, err := bfs.From(ctx, d.a.m, []lts.State{from.State}, bfs.Options{})
	if err != nil {
		return false, err
	}
	reached := func(s lts.State, _ lts.Label, _ lts.State) bool {
		_, isAhead := ahead.Distance(s)
		return isAhead
	}
	finite := true
	err = scc.Within(ctx, d.a.m, reached, func(_ []lts.State, cyclic bool) { finite = finite && !cyclic })
	return finite, err
}

// recordBegins records the labels of the transitions in which runs begin, if each of them forbids the
// property.
func (d diagnosis) recordBegins(begin product.State, words *product.Residuals) {
	begins := bitset.New[lts.Label](d.a.m.Alphabet().Len())
	for _, first := range d.firstStates(begin) {
		labels, _ := d.a.m.Out(first.State)
		if labels.Len() == 0 || !words.CanAccept(first.Q) {
			return // the property is lost by other means than the label
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

// firstStates returns where runs begin: in this product state or, if that was added in front of several
// initial states, in its successors.
func (d diagnosis) firstStates(begin product.State) []product.State {
	if !d.a.m.IsBefore(begin.State) {
		return []product.State{begin}
	}
	var firsts []product.State
	labels, targets := d.a.m.Out(begin.State)
	for i, to := range targets {
		firsts = append(firsts, product.State{State: to, Q: d.a.Property.Next(begin.Q, labels.At(i))})
	}
	return firsts
}

// recordTooEarly records whether the step that loses the property does itself what is missing in the
// end. q is the property state after that step. For a property without steps, it also records the later
// step that demands what is missing.
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
	for i := int(*d.Step) + 1; i < d.trace.Len(); i++ {
		switch {
		case stop[d.trace.At(i+1)]:
			d.Called = nil
		case d.Called == nil:
			d.Called = stepIndex(i)
		}
	}
	d.TooEarly = d.Called != nil
}

// wayNode is a product state that the search for a way has reached by a label.
type wayNode struct {
	at    product.State
	label lts.Label
	// parent is the index of the previous node; for the first node of a path, -1 minus the
	// index of its product state in the loop.
	parent int32
}

// way returns a shortest path from the loop that ends with a transition for which w waits; nil if
// there is no such path. Cost O(S + T) of the states reached, times the property states.
func (d diagnosis) way(ctx context.Context, w *waiting) (*Way, error) {
	visited, err := newProductSet(ctx, d.a.m, d.a.Property)
	if err != nil {
		return nil, err
	}
	var open []wayNode
	for i, at := range d.loop {
		if visited.add(at.State) {
			open = append(open, wayNode{at: at.State, parent: int32(-1 - i)})
		}
	}
	for i := 0; i < len(open); i++ {
		if i&(1<<12-1) == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if err := resources.AskFor[wayNode](ctx, 4*len(open)); err != nil {
				return nil, err
			}
		}
		n := open[i]
		labels, targets := d.a.m.Out(n.at.State)
		for k, to := range targets {
			l := labels.At(k)
			if w.helps(n.at.Q, l) {
				last := PathStep{From: n.at.State, Label: d.a.text(l), To: to}
				return d.wayAlong(open, n, last), nil
			}
			next := product.State{State: to, Q: d.a.Property.Next(n.at.Q, l)}
			if visited.add(next) {
				open = append(open, wayNode{at: next, label: l, parent: int32(i)})
			}
		}
	}
	return nil, nil
}

// wayAlong returns the way to a node, and by a last step from there.
func (d diagnosis) wayAlong(nodes []wayNode, n wayNode, last PathStep) *Way {
	path := []PathStep{last}
	for n.parent >= 0 {
		before := nodes[n.parent]
		path = append(path, PathStep{From: before.at.State, Label: d.a.text(n.label), To: n.at.State})
		n = before
	}
	slices.Reverse(path)
	return &Way{Step: StepIndex(d.loop[-1-n.parent].step), Transitions: path}
}

// canHappen reports whether a transition with one of these labels is reachable from a state. It
// searches breadth first, level by level: most models are numbered breadth first, so it reads
// memory in order. Cost O(S + T) of the states reached, a bit a state, and 4 bytes for each state
// of two levels.
func canHappen(ctx context.Context, m *lts.LTS, isWanted func(lts.Label) bool, from lts.State) (bool, error) {
	if !some(m.Alphabet(), isWanted) {
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

// some reports whether the function returns true for some label.
func some(a *lts.Alphabet, is func(lts.Label) bool) bool {
	for l := range a.All() {
		if is(l) {
			return true
		}
	}
	return false
}

// lossOfSteps returns, without the classes of transitions, where a run that never does the missing
// step loses the property; nil if it never does. It searches for the largest progress from the last
// state of the run, then from each earlier state, until all steps are possible; the searches share
// the states visited. Cost O(n (S + T)) of the states reached, 4 bytes a state.
func (v violation) lossOfSteps(ctx context.Context, missing int) (*Loss, error) {
	t := v.trace
	p := v.a.Property
	if !some(v.a.m.Alphabet(), func(l lts.Label) bool { return p.Does(l, missing) }) {
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
		before := f.reached
		if err := f.from(ctx, at); err != nil {
			return nil, err
		}
		if f.reached < p.Steps() {
			continue
		}
		if i == t.Len() {
			return nil, nil
		}
		return &Loss{Steps: i + 1, Step: before + 1}, nil
	}
	return &Loss{Steps: 0, Step: f.reached + 1}, nil
}

// furthest finds the largest progress that continuations make, from several states one after the
// other.
type furthest struct {
	m *lts.LTS
	p *property.Property
	// most is, for each state, one more than the largest progress with which the search reached the
	// state.
	most    []uint32
	reached int
	// admits restricts the search to product states that some run which counts visits; nil for no
	// restriction.
	admits func(lts.State, property.Q) bool
}

func newFurthest(ctx context.Context, m *lts.LTS, p *property.Property) (*furthest, error) {
	most, err := resources.Make[uint32](ctx, m.NumStates())
	if err != nil {
		return nil, err
	}
	return &furthest{m: m, p: p, most: most}, nil
}

// from continues the search at a product state, and returns early once all steps are done. It
// visits a state again only with more progress than before.
func (f *furthest) from(ctx context.Context, first product.State) error {
	if uint32(first.Q) < f.most[first.State] {
		return nil
	}
	f.most[first.State] = uint32(first.Q) + 1
	// A queue: most files number states roughly breadth first, so memory is read in order.
	var open, next paged.List[product.State]
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
			for i, to := range targets {
				after := f.p.Next(from.Q, labels.At(i))
				if uint32(after) >= f.most[to] && (f.admits == nil || f.admits(to, after)) {
					f.most[to] = uint32(after) + 1
					next.Append(product.State{State: to, Q: after})
				}
			}
		}
	}
	return nil
}

// Conjunct is one of several conditions that a formula joins by "and", with the verdict on the
// counterexample.
type Conjunct struct {
	Text string `json:"text"`
	// Verdict is violated or satisfied; 0 if the counterexample is a stem, and its continuations
	// differ in this condition.
	Verdict Verdict `json:"verdict,omitzero"`
	// Step is the step after which no word satisfies a violated condition any more, nil if there is
	// no such step; FromStart reports that no word satisfies the condition at all.
	Step      *StepIndex `json:"step,omitempty"`
	FromStart bool       `json:"from_start,omitzero"`
	// Pending is the phrase for what a violated condition waits for at the end of the run, or in
	// all states of its loop; nil if the phrase differs between these states, or if the condition
	// is not violated.
	Pending Words `json:"pending,omitempty"`
}

// judgeConjuncts finds the verdict on the run for each condition that the formula joins. Cost:
// binding each condition, and O(steps), with as many rounds of the loop as the condition needs to
// repeat its state.
func (p *parts) judgeConjuncts(ctx context.Context) error {
	if p.run.trace == nil {
		return nil
	}
	joined, err := p.a.conjuncts()
	if err != nil {
		return err
	}
	for i, condition := range joined.properties {
		one, err := p.run.judge(ctx, condition)
		if err != nil {
			return err
		}
		one.Text = joined.formulas[i].String()
		p.Conjuncts = append(p.Conjuncts, one)
	}
	return nil
}

// judge finds the verdict on the run for one condition.
func (v violation) judge(ctx context.Context, p *property.Property) (Conjunct, error) {
	words, err := product.ResidualsOf(ctx, p)
	if err != nil {
		return Conjunct{}, err
	}
	t, err := counterexample.Under(v.a.m, v.trace, p)
	if err != nil {
		return Conjunct{}, err
	}
	end := t.At(t.Len())
	if t.Kind() == counterexample.Trap || t.Kind() == counterexample.Prefix {
		if words.CanAccept(end) && words.CanReject(end) {
			return Conjunct{}, nil
		}
		if words.CanAccept(end) {
			return Conjunct{Verdict: Satisfied}, nil
		}
	} else if t.Satisfies() {
		return Conjunct{Verdict: Satisfied}, nil
	}
	c := Conjunct{Verdict: Violated}
	for i := range t.Len() + 1 {
		if words.CanAccept(t.At(i)) {
			continue
		}
		if i == 0 {
			c.FromStart = true
		} else {
			c.Step = stepIndex(i - 1)
		}
		return c, nil
	}
	c.Pending = pendingAtEnd(t, p, words)
	return c, nil
}

// pendingAtEnd returns the phrase for what a condition waits for at the end of a run, or in all states
// of its loop; nil if the phrase differs between these states.
func pendingAtEnd(t *counterexample.Trace, p *property.Property, words *product.Residuals) Words {
	ends := []property.Q{t.At(t.Len())}
	if start, loops := t.LoopStart(); loops {
		ends = nil
		for _, at := range repeated(t, p)[:t.Len()-start] {
			ends = append(ends, at.Q)
		}
	}
	pending := p.Pending(ends[0])
	for _, q := range slices.Compact(slices.Sorted(slices.Values(ends))) {
		if p.Pending(q).String() != pending.String() || !words.CanAccept(q) {
			return nil
		}
	}
	return Words(pending)
}

// decidingValues are values of states that are enough for a violation: no run with them satisfies
// the property, whatever follows.
type decidingValues struct {
	// After are conditions on the state after the step of the diagnosis (without a step, on the
	// first state), Before conditions on the state before that step. No word that meets them
	// satisfies the property, whatever the other atoms about values are in these two states. No
	// condition of After can be left out, and, given After, none of Before.
	Before []string `json:"before"`
	After  []string `json:"after"`
	// Action reports whether the values decide only together with the label of the step. Otherwise
	// they decide with any label.
	Action bool `json:"action"`
}

// mostDecidingLetters is the largest number of letters that are compared: labels times combinations
// of atoms.
const mostDecidingLetters = 1 << 13

// mostDecidingFacts is the largest number of atoms whose combinations are compared.
const mostDecidingFacts = 16

// decideByValues records the values that, in step (-1: in the first state), make the property
// impossible. It records none if the formula is about labels alone, or if there are too many letters.
// Cost: binding the formula, and O(atoms · letters · 2^atoms), bounded.
func (d diagnosis) decideByValues(ctx context.Context, step int) error {
	if len(d.a.m.Alphabet().FactNames()) == 0 {
		return nil
	}
	w, err := d.wordsOfValues(ctx, d.a.Formula, step)
	if err != nil || w == nil {
		return err
	}
	path := d.lettersUntil(w, step)
	if len(path) == 0 {
		return nil // there are several initial states
	}
	deciding, decided := w.decide(path)
	if !decided {
		return nil
	}
	t := lts.Transition{From: d.trace.Initial(), To: d.trace.Initial()}
	if step >= 0 {
		t = d.trace.Step(step)
	}
	last := len(path) - 1
	v := &decidingValues{
		Before: []string{},
		After:  d.factTexts(deciding.after, path[last].facts, d.opposite(t.To)),
		Action: deciding.action,
	}
	if deciding.before != 0 {
		v.Before = d.factTexts(deciding.before, path[last-1].facts, d.opposite(t.From))
	}
	if len(v.Before)+len(v.After) > 0 {
		d.Values = v
	}
	return nil
}

// lettersUntil returns the letters of the run up to and with a step.
func (d diagnosis) lettersUntil(w *valueWords, step int) []valueLetter {
	a := d.a.m.Alphabet()
	var path []valueLetter
	if facts, begun := a.InitialFacts(); begun {
		path = append(path, valueLetter{-1, facts})
	}
	for i := range step + 1 {
		l := d.trace.Step(i).Label
		facts, begins := a.Facts(l)
		letter := valueLetter{-1, facts}
		if !begins {
			letter.label = w.labels.Index(a.Text(l), a.Text(l))
		}
		path = append(path, letter)
	}
	return path
}

// valueWords are the words over all letters, with the automaton that reads them.
type valueWords struct {
	p      *property.Property
	words  *product.Residuals
	labels keyed.List[string, string]
	n      int // the number of facts
	number map[valueLetter]lts.Label
}

// valueLetter is the index of a label (-1 if a run begins) with the facts of the state that it
// leads to.
type valueLetter struct {
	label int
	facts lts.Facts
}

// wordsOfValues binds the formula to letters that the model need not have: each combination of
// facts with each label of the model, each label that the formula names, and one more label. If
// these are too many letters, it takes the labels of the run instead of those in the model; nil if
// these are too many as well.
func (d diagnosis) wordsOfValues(ctx context.Context, f property.Formula, step int) (*valueWords, error) {
	names := d.a.m.Alphabet().FactNames()
	w := &valueWords{n: len(names), number: map[valueLetter]lts.Label{}}
	if w.n > mostDecidingFacts || !d.collectLabels(w, f, step) {
		return nil, nil
	}
	m, err := w.model(ctx, names)
	if err != nil {
		return nil, err
	}
	for l, text := range m.Alphabet().All() {
		facts, begins := m.Alphabet().Facts(l)
		letter := valueLetter{-1, facts}
		if !begins {
			letter.label = w.labels.Index(text, text)
		}
		w.number[letter] = l
	}
	w.p, _, err = f.Bind(ctx, m.Alphabet())
	if err != nil {
		return nil, err
	}
	w.words, err = product.ResidualsOf(ctx, w.p)
	if err != nil {
		return nil, err
	}
	return w, nil
}

// collectLabels collects the labels of the letters; it reports false if they are too many.
func (d diagnosis) collectLabels(w *valueWords, f property.Formula, step int) bool {
	a := d.a.m.Alphabet()
	most := mostDecidingLetters>>w.n - 2
	if a.Texts() <= most {
		for _, text := range a.All() {
			w.labels.Index(text, text)
		}
	}
	for i := range step + 1 {
		text := a.Text(d.trace.Step(i).Label)
		w.labels.Index(text, text)
		if len(w.labels.All) > max(most, 1) {
			return false
		}
	}
	if named := ltl.OccurrencesIn(f); named != nil {
		for _, occurrence := range named.All { // each label that the formula names literally, whether the model has it or not
			text := occurrence.Pattern.String()
			if plain, err := strconv.Unquote(text); err == nil {
				text = plain
			}
			if occurrence.Pattern.Matches(text) {
				w.labels.Index(text, text)
			}
		}
	}
	other := "another action"
	for slices.Contains(w.labels.All, other) {
		other += "'"
	}
	w.labels.Index(other, other)
	return true
}

// model returns an artificial model that has all letters.
func (w *valueWords) model(ctx context.Context, names []string) (*lts.LTS, error) {
	var b lts.Builder
	begin := b.Label("begin")
	for facts := range lts.State(1) << w.n {
		b.Add(0, begin, 1+facts)
		for _, text := range w.labels.All {
			b.Add(1, b.Label(text), 1+facts)
		}
	}
	m, err := b.Build(0, 1<<w.n+1)
	if err != nil {
		return nil, err
	}
	return m.Refined(ctx, names, func(s lts.State) lts.Facts { return lts.Facts(max(s, 1) - 1) }, true)
}

// decidingFacts are facts that are enough for a violation, as bit sets.
type decidingFacts struct {
	before lts.Facts // of the last state but one
	after  lts.Facts // of the last state
	action bool      // as in [decidingValues]
}

// decide finds the fewest facts of the last two states of a path that exclude every word which
// satisfies the property. It returns false if the last letter does not exclude them.
func (w *valueWords) decide(path []valueLetter) (decidingFacts, bool) {
	last := len(path) - 1
	q := w.p.Initial()
	previous := q
	for _, letter := range path[:last] {
		previous = q
		q = w.p.Next(q, w.number[letter])
	}
	all := lts.Facts(1)<<w.n - 1
	actual := path[last]
	if !w.words.CanAccept(q) || w.words.CanAccept(w.p.Next(q, w.number[actual])) {
		return decidingFacts{}, false
	}
	var found decidingFacts
	isWrong := func(q property.Q, after lts.Facts) bool {
		if actual.label < 0 || found.action {
			return w.isWrong(q, actual.label, actual.facts, after)
		}
		for label := range w.labels.All {
			if !w.isWrong(q, label, actual.facts, after) {
				return false
			}
		}
		return true
	}
	found.action = actual.label >= 0 && !isWrong(q, all)
	unchanged := lts.Facts(0)
	if last > 0 {
		unchanged = ^(path[last-1].facts ^ actual.facts)
	}
	found.after = w.least(all, unchanged, func(facts lts.Facts) bool { return isWrong(q, facts) })
	found.action = found.action || found.after == 0 && actual.label >= 0
	if last == 0 {
		return found, true
	}
	penultimate := path[last-1]
	found.before = w.least(all, 0, func(facts lts.Facts) bool {
		for other := range all + 1 {
			from := w.p.Next(previous, w.number[valueLetter{penultimate.label, other}])
			if (other^penultimate.facts)&facts == 0 && w.words.CanAccept(from) && !isWrong(from, found.after) {
				return false
			}
		}
		return true
	})
	return found, true
}

// recordRecurringValues records the values of a state of the loop if no word with infinitely many such
// states satisfies the property; it records none if the property depends on more than values. Cost, for
// each state of the loop with other values and each atom: binding the formula joined with "infinitely
// often these values".
func (d diagnosis) recordRecurringValues(ctx context.Context) error {
	a := d.a.m.Alphabet()
	f, is := d.a.Formula.(*ltl.Formula)
	if !is || len(a.FactNames()) == 0 {
		return nil
	}
	seen := map[lts.Facts]bool{}
	for _, at := range d.loop {
		facts, _ := a.Facts(d.trace.Step(at.step).Label)
		if seen[facts] {
			continue
		}
		seen[facts] = true
		least, err := d.leastExcluding(ctx, f, facts)
		if err != nil {
			return err
		}
		if least == 0 {
			continue
		}
		d.Values = &decidingValues{Before: []string{}, After: d.factTexts(least, facts, d.opposite(d.trace.Step(at.step).To))}
		d.recordLoopSteps(func(other visit) bool {
			otherFacts, _ := a.Facts(d.trace.Step(other.step).Label)
			return (otherFacts^facts)&least == 0
		})
		return nil
	}
	return nil
}

// leastExcluding returns the fewest of the facts of a state such that no word which satisfies f has
// infinitely many states with these facts; 0 if not even all facts are enough.
func (d diagnosis) leastExcluding(ctx context.Context, f *ltl.Formula, facts lts.Facts) (lts.Facts, error) {
	w := valueWords{n: len(d.a.m.Alphabet().FactNames())}
	var failed error
	enough := func(some lts.Facts) bool {
		if some == 0 || failed != nil {
			return false
		}
		excluded, err := d.excludes(ctx, f, facts, some)
		failed = err
		return excluded
	}
	least := lts.Facts(1)<<w.n - 1
	if enough(least) {
		least = w.least(least, 0, enough)
	} else {
		least = 0
	}
	return least, failed
}

// excludes reports whether no word satisfies f that has infinitely many states whose facts agree
// with facts on the set some. It returns false if there are too many letters.
func (d diagnosis) excludes(ctx context.Context, f *ltl.Formula, facts, some lts.Facts) (bool, error) {
	text := "(" + f.String() + ") && G F (" + strings.Join(append(d.factTexts(some, facts, negated), "true"), " && ") + ")"
	joined, err := ltl.Parse(ctx, text)
	if err != nil {
		return false, ctx.Err()
	}
	w, err := d.wordsOfValues(ctx, joined, -1)
	if err != nil || w == nil {
		return false, ctx.Err()
	}
	return !w.words.CanAccept(w.p.Initial()), nil
}

// least removes facts one by one, each if enough returns true for the remaining facts, and returns
// the facts that are left. It tries the facts in first before the other facts.
func (w *valueWords) least(all, first lts.Facts, enough func(lts.Facts) bool) lts.Facts {
	for _, some := range []lts.Facts{first, ^first} {
		for i := range w.n {
			if one := lts.Facts(1) << i; some&one != 0 && enough(all&^one) {
				all &^= one
			}
		}
	}
	return all
}

// isWrong reports whether the property is impossible after state q reads the label with facts that
// agree with actual on the set some, whatever the other facts are.
func (w *valueWords) isWrong(q property.Q, label int, actual, some lts.Facts) bool {
	for facts := range lts.Facts(1) << w.n {
		if (facts^actual)&some == 0 && w.words.CanAccept(w.p.Next(q, w.number[valueLetter{label, facts}])) {
			return false
		}
	}
	return true
}

// factTexts returns the facts of a state that are in the set some as texts: each atom, by not if the
// atom does not hold.
func (d diagnosis) factTexts(some, holds lts.Facts, not func(name string) string) []string {
	texts := []string{}
	for i, name := range d.a.m.Alphabet().FactNames() {
		fact := lts.Facts(1) << i
		switch {
		case some&fact == 0:
		case holds&fact != 0:
			texts = append(texts, name)
		default:
			texts = append(texts, not(name))
		}
	}
	return texts
}

func negated(name string) string {
	if isIdentifier().MatchString(name) {
		return "!" + name
	}
	return "!(" + name + ")"
}

// isIdentifier matches a name that needs no parentheses.
var isIdentifier = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_]\w*$`) })

// opposite returns a function that negates an atom in a state: with the opposite operator (= as !=, < as
// >=) if that holds in the state; otherwise as !(atom), since the state has no value to compare.
func (d diagnosis) opposite(s lts.State) func(name string) string {
	t := d.a.states
	s = d.a.inModel(s)
	return func(name string) string {
		a, _, isAtom, err := values.Read(name, 0)
		if !isAtom || err != nil || t == nil || !holdsIn(t, s, a.Opposite()) {
			return negated(name)
		}
		return a.Opposite().String()
	}
}

// holdsIn reports whether an atom holds in a state; false if the state has no value to compare.
func holdsIn(t *states.Table, s lts.State, a *values.Atom) bool {
	var names []string
	for _, p := range parametersOf(t) {
		names = append(names, p.Name)
	}
	bound, err := a.Bind(names)
	if err != nil {
		return false
	}
	var operands []values.Value
	for _, p := range bound.Parameters() {
		v := t.Value(s, p)
		if v == states.None {
			return false
		}
		operands = append(operands, values.Parse(t.Text(p, v)))
	}
	holds, err := bound.Holds(operands...)
	return err == nil && holds
}

// waiting is what a violating run waits for at its end: a chain for its next step, another property
// for transitions that bring its automaton nearer to its aim.
type waiting struct {
	p    *property.Property
	step int // of a chain, from 1; 0 for another property
	// The run must still reach its aim: a transition with a colour of wanted or, if the run ends, a
	// property state where it may end. Paths to it avoid the colours of banned. distances are the distances
	// of the property states from the aim, in transitions; [far] if there is no path.
	wanted, banned property.Marks
	distances      []int
	// least is the smallest distance from the aim on the loop or, without a loop, the distance at
	// the end.
	least int
}

// helps reports whether a transition labelled l from q is what the run waits for.
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

// findDistances finds the distances from the aim, backwards; with mayEnd, the aim is where the run may
// end. Cost O(states · letters).
func (w *waiting) findDistances(ctx context.Context, mayEnd bool) error {
	t := w.p.Automaton()
	used := make([]bool, t.Columns)
	for _, letter := range t.Letters {
		used[letter] = true
	}
	w.distances = slices.Repeat([]int{far}, t.States())
	before := make([][]property.Q, t.States())
	var first []property.Q // only property states at distance 0, or only property states at distance 1
	for q := range t.States() {
		if err := cores.Done(ctx, q); err != nil {
			return err
		}
		hasWanted := false
		for column := range t.Columns {
			i := q*t.Columns + column
			marks := property.Marks(0)
			if t.Marks != nil {
				marks = t.Marks[i]
			}
			switch {
			case !used[column] || marks&w.banned != 0:
			case marks&w.wanted != 0:
				hasWanted = true
			default:
				before[t.Next[i]] = append(before[t.Next[i]], property.Q(q))
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

// spreadDistances finds the distances of all property states from which a path leads to the first ones,
// layer by layer. before has the property states with a transition to each.
func (w *waiting) spreadDistances(first []property.Q, before [][]property.Q) {
	layer := first
	for len(layer) > 0 {
		var next []property.Q
		for _, q := range layer {
			for _, from := range before[q] {
				if w.distances[from] == far {
					w.distances[from] = w.distances[q] + 1
					next = append(next, from)
				}
			}
		}
		layer = next
	}
}

// far is the distance from the aim if there is no path.
const far = int(^uint(0) >> 1)

// mostPairs is the largest number of pairs of an acceptance condition for which
// pendingLabels searches.
const mostPairs = 256
