package explain

import (
	"context"
	"errors"
	"slices"
	"sort"
	"strings"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain/internal/necessary"
	"github.com/inev-lts/inev/internal/enumeration"
	"github.com/inev-lts/inev/internal/paged"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bfs"
	"github.com/inev-lts/inev/lts/bitset"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
	"github.com/inev-lts/inev/simplify"
)

// Diagnosis is why the counterexample violates the property, in one word and a few figures.
type Diagnosis struct {
	Kind DiagnosisKind `json:"kind"`
	// Livelock reports whether all actions of the loop are internal: i or tau.
	Livelock bool `json:"livelock"`
	// Pending are the labels of the model that would make progress: what the run waits for
	// at its end, in the order of the model.
	Pending []string `json:"pending"`
	// PossibleIn is the number of places of the loop where one of them is possible, and Of
	// the number of all: places that repeat, each a state with the state of the property; 0
	// without a loop, and if the kind is none of a loop.
	PossibleIn int `json:"possible_in"`
	Of         int `json:"of"`
	// Distance is the number of transitions of Way.
	Distance int `json:"distance"`
	// Step decides: the property is lost by it, or what is forbidden
	// happens; nil if the kind has none. If no run satisfies a property of values, it is the step after which
	// this one would not, whatever followed.
	Step *StepIndex `json:"step,omitempty"`
	// First to Last are the steps of the property, from 1, that no continuation does in
	// their order, if it has steps and is lost or impossible; otherwise 0.
	First int `json:"first_lost,omitzero"`
	Last  int `json:"last_lost,omitzero"`
	// Awaited is what the run waits for where that is about values of states, "big = 4", and one
	// thing at all places; Pending are labels that lead there then.
	Awaited string `json:"awaited,omitempty"`
	// Values are values of states that make the run violate the property, if a forbidden step decides that,
	// the first state, or one that comes again and again; nil elsewhere, and of labels alone.
	Values *decidingValues `json:"values,omitempty"`
	// Unreachable reports whether step Last, or what is pending of a property without
	// steps, can no longer happen, whatever happens before it; if it is lost or impossible.
	Unreachable bool `json:"unreachable,omitzero"`
	// Taken are the labels that the run takes where one of Pending is possible; Recurring
	// those of the loop that would have to stop, if nothing is pending. Both in the order of
	// the run, each once.
	Taken     []string `json:"taken,omitempty"`
	Recurring []string `json:"recurring,omitempty"`
	// Way is a shortest way from the loop up to and with one of Pending, and Instead the
	// step that the run takes where it leaves the loop; only if none is possible on the loop.
	Way     []PathStep `json:"way,omitempty"`
	Instead *StepIndex `json:"instead,omitempty"`
	// Alike reports whether all places of the loop wait for the same labels.
	Alike bool `json:"-"`
	// AllEnd reports whether all runs end, after Step or at all, though the property takes ones without
	// end. Begins are the labels of first steps if each of them forbids the property. TooEarly reports
	// whether Step is the last time that what is lost can happen, before it counts: step First of the
	// property is not done, or Called is a later step of the run that calls for it.
	AllEnd   bool       `json:"-"`
	Begins   []string   `json:"-"`
	TooEarly bool       `json:"-"`
	Called   *StepIndex `json:"-"`
}

// DiagnosisKind says why a run violates a property.
type DiagnosisKind uint8

// The kinds: the first one that is true of a counterexample.
const (
	KindImpossible DiagnosisKind = iota + 1 // no run satisfies the property
	KindForbidden                           // something happens after which no word satisfies it
	KindLost                                // the run passes a point of no return, and goes on
	KindStops                               // it ends, in a deadlock or refused, and was not lost before its last step
	KindRecurs                              // on its loop nothing is pending, but something does not stop
	KindStarved                             // what is pending is possible on the loop
	KindTurnedBack                          // it is not, but can be had from there
)

var diagnosisNames = enumeration.New("diagnosis", "", "impossible", "forbidden", "lost", "stops", "recurs", "starved", "turned back")

func (k DiagnosisKind) String() string { return diagnosisNames.Name(uint8(k)) }

// MarshalText returns the name of the kind.
func (k DiagnosisKind) MarshalText() ([]byte, error) { return diagnosisNames.Text(uint8(k)) }

// UnmarshalText sets the kind by its name.
func (k *DiagnosisKind) UnmarshalText(text []byte) error {
	return enumeration.Set(diagnosisNames, k, text)
}

// diagnosis is what is known while one is made.
type diagnosis struct {
	*Diagnosis
	violation
	ctx    context.Context
	places []product.Place // of the loop
	steps  []int           // those that leave them
}

// diagnose finds out why the counterexample violates the property. Loss says after which
// step it is lost, nil if it is not. Cost: [property.Property.Automaton] of a property
// without steps, and of a search from the loop if what is pending is not possible on it.
func (v violation) diagnose(ctx context.Context, loss *Loss) (*Diagnosis, error) {
	d := diagnosis{Diagnosis: &Diagnosis{Pending: []string{}}, violation: v, ctx: ctx}
	d.places, d.steps = round(v.trace, v.a.Property)
	d.Livelock = d.internal()
	decided, err := d.forbidden(loss)
	if err == nil && !decided {
		err = d.classify(loss)
	}
	if err != nil {
		return nil, err
	}
	return d.Diagnosis, nil
}

// internal reports whether the run has a loop of internal actions.
func (d diagnosis) internal() bool {
	for _, i := range d.steps {
		if text := d.a.text(d.trace.Step(i).Label); text != "i" && text != "tau" {
			return false
		}
	}
	return len(d.steps) > 0
}

// forbidden decides whether no run satisfies the property, or no word after a step.
func (d diagnosis) forbidden(loss *Loss) (bool, error) {
	if loss != nil && loss.Steps == 0 {
		d.Kind = KindImpossible
		d.lose(loss)
		if err := errors.Join(d.decideByValues(-1), d.wait()); err != nil || d.Values != nil || len(d.a.m.Alphabet().FactNames()) == 0 {
			return true, err
		}
		_, err := d.sunk()
		return true, err
	}
	if d.a.inSteps() {
		return false, nil
	}
	is, err := d.sunk()
	if is {
		d.Kind = KindForbidden
	}
	return is, err
}

// sunk notes the first step after which no word satisfies the property, with the values that decide;
// false if there is none.
func (d diagnosis) sunk() (bool, error) {
	words, err := product.ResidualsOf(d.ctx, d.a.Property)
	if err != nil {
		return false, err
	}
	for i := range d.trace.Len() {
		if !words.CanAccept(d.trace.At(i + 1)) {
			d.Step = stepIndex(i)
			return true, d.decideByValues(i)
		}
	}
	return false, nil
}

// lose notes what is lost.
func (d diagnosis) lose(loss *Loss) {
	if loss.Steps > 0 {
		d.Step = stepIndex(loss.Steps - 1)
	}
	if loss.Step > 0 {
		d.First, d.Last = 1, loss.Step
		if loss.Steps > 0 {
			d.First = d.trace.Progress(loss.Steps) + 1
		}
	}
}

// classify gives the kind of a run that a word could still follow to satisfy the property.
func (d diagnosis) classify(loss *Loss) error {
	t := d.trace
	_, loops := t.LoopStart()
	switch {
	case loss != nil && (!t.Kind().Ends() || loss.Steps < t.Len()) && d.a.Property.Kind() != property.KindDeadlockFree:
		d.Kind = KindLost
		d.lose(loss)
		return d.wait()
	case !loops:
		d.Kind = KindStops
		return d.wait()
	}
	return d.loop()
}

// wait notes what is pending at the end of the run and, if it is lost, whether that can still
// happen.
func (d diagnosis) wait() error {
	w, _, err := d.waits()
	if err != nil {
		return err
	}
	if w == nil && (d.Kind == KindLost || d.Kind == KindImpossible) {
		return d.reason()
	}
	if w == nil {
		return nil
	}
	if err := d.setPending(w); err != nil || d.Kind != KindLost && d.Kind != KindImpossible {
		return err
	}
	at := d.trace.Initial()
	if d.Step != nil {
		at = d.trace.Step(int(*d.Step)).To
	}
	happens := func(l lts.Label) bool { return d.a.inSteps() && d.a.Property.Does(l, d.Last) }
	if !d.a.inSteps() {
		happens = d.setOf(w.labels(d.ends())).Has
	}
	can, err := canHappen(d.ctx, d.a.m, happens, at)
	if err != nil {
		return err
	}
	d.Unreachable = !can && (d.a.inSteps() || len(d.Pending) > 0)
	return d.reason()
}

// ends returns the states of the property where the run ends or its loop repeats.
func (d diagnosis) ends() []property.Q {
	var all []property.Q
	met := bitset.New[property.Q](d.a.Property.States())
	for _, at := range d.places {
		if !met.Has(at.Q) {
			met.Add(at.Q)
			all = append(all, at.Q)
		}
	}
	if all == nil {
		all = append(all, d.trace.At(d.trace.Len()))
	}
	return all
}

// waits returns what the run waits for at its end, nil for nothing; then the colours are
// those of its loop that would have to stop.
func (d diagnosis) waits() (waiting, property.Marks, error) {
	if d.a.inSteps() {
		return stepWaits{d.a.Property, d.told.Done + 1}, 0, nil
	}
	if len(d.places) > 0 {
		labels := make([]lts.Label, len(d.steps))
		for i, step := range d.steps {
			labels[i] = d.trace.Step(step).Label
		}
		return waitsOnLoop(d.ctx, d.a.Property, d.places, labels)
	}
	if d.a.Property.Kind() == property.KindDeadlockFree || !d.trace.Kind().Ends() {
		return nil, 0, nil
	}
	a := &aim{p: d.a.Property, stops: true}
	if err := a.find(d.ctx); err != nil {
		return nil, 0, err
	}
	if least := a.distances[d.ends()[0]]; least < far {
		return tableWaits{a, least}, 0, nil
	}
	return nil, 0, nil
}

// loop gives the kind of a run whose loop could be left.
func (d diagnosis) loop() error {
	w, recurring, err := d.waits()
	if err != nil {
		return err
	}
	if w == nil {
		d.recurs(recurring)
		return d.recurByValues()
	}
	if err := d.countPossible(w); err != nil {
		return err
	}
	if d.PossibleIn > 0 {
		d.Kind = KindStarved
		return d.setPending(w)
	}
	way, found, err := d.way(w, d.places)
	if err != nil {
		return err
	}
	if !found && recurring != 0 {
		d.Of = 0
		d.recurs(recurring)
		return d.recurByValues()
	}
	d.Kind = KindTurnedBack
	if found {
		d.Way, d.Distance = way.Transitions, len(way.Transitions)
		d.Instead = &way.Step
	}
	return d.setPending(w)
}

// setPending notes the labels that w waits for, of those that some run does.
func (d diagnosis) setPending(w waiting) error {
	// What stands before the beginning of runs comes no more.
	labels := slices.DeleteFunc(slices.Clone(w.labels(d.ends())), func(l lts.Label) bool {
		_, begins := d.a.m.Alphabet().Facts(l)
		return begins
	})
	if len(labels) > 1 || d.PossibleIn == 0 && d.Way == nil {
		happening, err := d.a.m.Happening(d.ctx)
		if err != nil {
			return err
		}
		labels = slices.DeleteFunc(labels, func(l lts.Label) bool { return !happening.Happens(l) })
	}
	d.Pending = d.texts(labels)
	d.Awaited = d.awaited()
	return nil
}

// recurs notes what would have to stop: what bears these colours, or all of the loop.
func (d diagnosis) recurs(colours property.Marks) {
	d.Kind = KindRecurs
	told := bitset.New[lts.Label](d.a.m.Alphabet().Len())
	for i, at := range d.places {
		l := d.trace.Step(d.steps[i]).Label
		if (colours == 0 || d.a.Property.Marks(at.Q, l)&colours != 0) && !told.Has(l) {
			told.Add(l)
			d.Recurring = append(d.Recurring, d.a.text(l))
		}
	}
}

// countPossible counts the places of the loop where w is possible.
func (d diagnosis) countPossible(w waiting) error {
	met, err := d.a.newPlaceSet(d.ctx)
	if err != nil {
		return err
	}
	possible, err := d.a.newPlaceSet(d.ctx)
	if err != nil {
		return err
	}
	taken := bitset.New[lts.Label](d.a.m.Alphabet().Len())
	d.PossibleIn, d.Of = 0, 0
	for i, at := range d.places {
		if met.add(at) {
			d.Of++
			labels, _ := d.a.m.Out(at.State)
			if labels.Any(func(l lts.Label) bool { return w.helps(at.Q, l) }) {
				possible.add(at)
				d.PossibleIn++
			}
		}
		if l := d.trace.Step(d.steps[i]).Label; !taken.Has(l) && possible.has(at) {
			taken.Add(l)
			d.Taken = append(d.Taken, d.a.text(l))
		}
	}
	d.Alike = true
	ends := d.ends()
	for _, q := range ends[1:] {
		d.Alike = d.Alike && slices.Equal(w.labels([]property.Q{q}), w.labels(ends[:1]))
	}
	return nil
}

// texts returns the texts of labels, each once. Where labels of one text differ in facts about
// states, and not all of them are meant, the facts of those that are stand behind.
func (d diagnosis) texts(labels []lts.Label) []string {
	texts := make([]string, 0, len(labels))
	a, meant := d.a.m.Alphabet(), d.setOf(labels)
	for _, l := range labels {
		text := d.a.text(l)
		if variants := a.Variants(text); slices.ContainsFunc(variants, func(l lts.Label) bool { return !meant.Has(l) }) {
			if facts := factsText(a, l); facts != "" {
				text += " to " + facts
			} else if slices.Contains(texts, text) {
				continue // labels that differ in what they do, not in states
			}
		} else if a.Plain(l) != l {
			continue
		}
		texts = append(texts, text)
	}
	return texts
}

// setOf returns labels as a set: models can have as many labels as transitions.
func (d diagnosis) setOf(labels []lts.Label) bitset.Set[lts.Label] {
	set := bitset.New[lts.Label](d.a.m.Alphabet().Len())
	for _, l := range labels {
		set.Add(l)
	}
	return set
}

// factsText says which facts hold in the states that a label leads to, and which do not.
func factsText(a *lts.Alphabet, l lts.Label) string {
	facts, _ := a.Facts(l)
	var all []string
	for i, name := range a.FactNames() {
		if facts>>i&1 == 0 {
			name = "!(" + name + ")"
		}
		all = append(all, name)
	}
	return strings.Join(all, " && ")
}

// awaited returns the one thing, about values of states, that the run waits for at all of its
// last places; "" if there is no such.
func (d diagnosis) awaited() string {
	if len(d.a.m.Alphabet().FactNames()) == 0 {
		return ""
	}
	text := ""
	for _, q := range d.ends() {
		words := d.a.Property.Pending(q)
		if len(words) < 2 || words[0].Text != "waiting for " || !words[1].Quoted || len(words) > 2 && !strings.HasPrefix(words[2].Text, " since") {
			return ""
		}
		if text != "" && text != words[1].Text {
			return ""
		}
		text = words[1].Text
	}
	for _, name := range d.a.m.Alphabet().FactNames() {
		if text == name {
			return text
		}
	}
	return ""
}

func stepIndex(i int) *StepIndex {
	index := StepIndex(i)
	return &index
}

// mostForDiagnosis is the number of states of a property, times that of the states and
// transitions of a model, above which [Check] makes no diagnosis of a property without
// steps: it takes the unfolded model.
const mostForDiagnosis = mostForAdvice

// diagnoseChecked makes the diagnosis of a check, which has no classes of transitions; nil if
// that would take long.
func (v violation) diagnoseChecked(ctx context.Context) (*Diagnosis, error) {
	a := v.a
	var loss *Loss
	var err error
	switch {
	case a.Fates != nil:
		loss, err = v.lossByFates(ctx)
	case a.inSteps():
		if !v.isStarvedOfLastStep() {
			loss, err = v.lossOfSteps(ctx)
		}
	case int64(a.Property.States())*(int64(a.m.NumStates())+int64(a.m.NumTransitions())) > mostForDiagnosis:
		return nil, nil
	default:
		loss, err = v.lossOfTable(ctx)
	}
	if err != nil {
		return nil, err
	}
	return v.diagnose(ctx, loss)
}

// lossOfTable finds out where the run is lost, for a property without steps; nil if it never is. Cost as for
// [fate.Losses].
func (v violation) lossOfTable(ctx context.Context) (*Loss, error) {
	var lost func(lts.State, property.Q) bool
	err := v.a.phase("enrich", func() (err error) {
		lost, err = fate.Losses(ctx, v.a.m, v.a.Property)
		return err
	})
	if err != nil {
		return nil, err
	}
	return v.firstLoss(lost), nil
}

// firstLoss returns where the run is lost, nil if it never is: once it is, it stays so.
func (v violation) firstLoss(lost func(lts.State, property.Q) bool) *Loss {
	t := v.trace
	steps := sort.Search(t.Len()+1, func(i int) bool {
		if i == 0 {
			return lost(t.Initial(), t.At(0))
		}
		return lost(t.Step(i-1).To, t.At(i))
	})
	if steps > t.Len() {
		return nil
	}
	return &Loss{Steps: steps}
}

// lossByFates finds out where the run is lost, by the fates.
func (v violation) lossByFates(ctx context.Context) (*Loss, error) {
	steps := slices.Index(simplify.Fates(v.trace, v.a.Fates), simplify.Fated)
	if steps < 0 {
		return nil, nil
	}
	return v.lossAfter(ctx, steps)
}

// isStarvedOfLastStep reports whether the last step of a property with steps is possible on the loop, so
// that nothing is lost: what most loops show at a glance.
func (v violation) isStarvedOfLastStep() bool {
	p := v.a.Property
	start, loops := v.trace.LoopStart()
	if !loops || v.told.Done+1 < p.Steps() {
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

// reason notes why a property can no longer hold, or never does, if that is plain: what all runs from
// there have in common, or that the run did too early what it lacks in the end. Cost O(S + T).
func (d diagnosis) reason() error {
	at, q := d.trace.Initial(), d.trace.At(0)
	if d.Step != nil {
		at, q = d.trace.Step(int(*d.Step)).To, d.trace.At(int(*d.Step)+1)
	}
	if d.Kind == KindLost && d.Unreachable && d.Awaited == "" {
		d.tooEarly(q)
	}
	if d.a.inSteps() || d.Unreachable || d.Values != nil || d.size() > mostForDiagnosis {
		return nil
	}
	if d.trace.Kind() == counterexample.Deadlock {
		a := &aim{p: d.a.Property, stops: true}
		if err := a.find(d.ctx); err != nil {
			return err
		}
		d.AllEnd = a.distances[q] == far && endsAlways(d.a.m, at)
	}
	if d.Kind != KindImpossible || d.AllEnd {
		return nil
	}
	words, err := product.ResidualsOf(d.ctx, d.a.Property)
	if err != nil {
		return err
	}
	begins := bitset.New[lts.Label](d.a.m.Alphabet().Len())
	for _, first := range d.begin(at, q) {
		labels, _ := d.a.m.Out(first.State)
		if labels.Len() == 0 || !words.CanAccept(first.Q) {
			return nil // it is not the label that is to blame
		}
		for l := range labels.All() {
			if words.CanAccept(d.a.Property.Next(first.Q, l)) {
				return nil
			}
			begins.Add(l)
		}
	}
	for l := range begins.All {
		if d.a.m.Alphabet().Plain(l) != l {
			return nil // what values it leads to may matter
		}
		d.Begins = append(d.Begins, d.a.text(l))
	}
	return nil
}

// begin returns where the runs begin that begin in a state: there, or behind it if it is none of the system.
func (d diagnosis) begin(at lts.State, q property.Q) (all []product.Place) {
	if _, added := d.a.m.Begin(); !added || at != d.a.m.Initial() {
		return []product.Place{{State: at, Q: q}}
	}
	labels, targets := d.a.m.Out(at)
	for i, to := range targets {
		all = append(all, product.Place{State: to, Q: d.a.Property.Next(q, labels.At(i))})
	}
	return all
}

// size is what the product of model and property has of places and transitions, at most.
func (d diagnosis) size() int64 {
	return int64(d.a.Property.States()) * (int64(d.a.m.NumStates()) + int64(d.a.m.NumTransitions()))
}

// tooEarly notes whether the step after which the run is lost, in state q of the property, is itself
// one of those that it lacks in the end; and of a property without steps, which later one calls for it.
func (d diagnosis) tooEarly(q property.Q) {
	text := d.a.text(d.trace.Step(int(*d.Step)).Label)
	if d.a.inSteps() {
		d.TooEarly = d.First < d.Last && d.a.Property.Does(d.trace.Step(int(*d.Step)).Label, d.Last)
		return
	}
	stop := d.a.Property.Automaton().Stop
	if len(d.Pending) != 1 || d.Pending[0] != text || !stop[q] {
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

// endsAlways reports whether no run from a state goes on for ever: whether it reaches no cycle. Cost
// O(S + T) of what is met, and 4 bytes for each state of the model.
func endsAlways(m *lts.LTS, from lts.State) bool {
	// waits counts the transitions into a state that were not yet followed.
	waits := make([]uint32, m.NumStates())
	met := bitset.New[lts.State](m.NumStates())
	met.Add(from)
	open := []lts.State{from}
	all := 0
	for ; len(open) > 0; all++ {
		s := open[len(open)-1]
		open = open[:len(open)-1]
		_, targets := m.Out(s)
		for _, to := range targets {
			if waits[to]++; !met.Has(to) {
				met.Add(to)
				open = append(open, to)
			}
		}
	}
	if waits[from] > 0 {
		return false
	}
	done := 0
	for open = append(open, from); len(open) > 0; done++ {
		s := open[len(open)-1]
		open = open[:len(open)-1]
		_, targets := m.Out(s)
		for _, to := range targets {
			if waits[to]--; waits[to] == 0 {
				open = append(open, to)
			}
		}
	}
	return done == all
}

// way returns a shortest way from some places to, and with, a transition that w waits
// for; false if there is none. Of a way from the loop, Step is the one that the run takes
// where it leaves the loop. Cost O(S + T) of what is met, times the states of the property.
func (d diagnosis) way(w waiting, from []product.Place) (*Way, bool, error) {
	search := d.wayInModel
	if !d.a.inSteps() {
		search = d.wayInProduct
	}
	transitions, at, err := search(w, from)
	if err != nil || transitions == nil {
		return nil, false, err
	}
	way := &Way{}
	if at < len(d.steps) {
		way.Step = StepIndex(d.steps[at])
	}
	for _, t := range transitions {
		way.Transitions = append(way.Transitions, PathStep{t.From, d.a.text(t.Label), t.To})
	}
	return way, true, nil
}

// wayInModel is for chains, on all ways of which the state of the property is the same. It
// returns the transitions, and the number of the place that they leave.
func (d diagnosis) wayInModel(w waiting, from []product.Place) ([]lts.Transition, int, error) {
	states := make([]lts.State, len(from))
	for i, at := range from {
		states[i] = at.State
	}
	var (
		last  lts.Transition
		found bool
	)
	tree, err := bfs.From(d.ctx, d.a.m, states, bfs.Options{
		Along: func(t lts.Transition) bool {
			helps := w.helps(from[0].Q, t.Label)
			if helps && !found {
				last, found = t, true
			}
			return !helps
		},
		Until: func(lts.State) bool { return found },
	})
	if err != nil || !found {
		return nil, 0, err
	}
	way := append(tree.Path(last.From), last)
	return way, slices.Index(states, way[0].From), nil
}

// wayInProduct is for properties without steps.
func (d diagnosis) wayInProduct(w waiting, from []product.Place) ([]lts.Transition, int, error) {
	type node struct {
		at     product.Place
		by     lts.Transition
		parent int
	}
	met, err := d.a.newPlaceSet(d.ctx)
	if err != nil {
		return nil, 0, err
	}
	var open []node
	for i, at := range from {
		if met.add(at) {
			open = append(open, node{at: at, parent: -1 - i})
		}
	}
	for i := 0; i < len(open); i++ {
		if i&(1<<12-1) == 0 {
			if err := d.ctx.Err(); err != nil {
				return nil, 0, err
			}
			if err := resources.AskFor[node](d.ctx, 4*len(open)); err != nil {
				return nil, 0, err
			}
		}
		n := open[i]
		labels, targets := d.a.m.Out(n.at.State)
		for k, to := range targets {
			by := lts.Transition{From: n.at.State, Label: labels.At(k), To: to}
			if w.helps(n.at.Q, by.Label) {
				way := []lts.Transition{by}
				for n.parent >= 0 {
					way = append(way, n.by)
					n = open[n.parent]
				}
				slices.Reverse(way)
				return way, -1 - n.parent, nil
			}
			if next := (product.Place{State: to, Q: d.a.Property.Next(n.at.Q, by.Label)}); met.add(next) {
				open = append(open, node{next, by, i})
			}
		}
	}
	return nil, 0, nil
}

// canHappen reports whether some transition with one of these labels can be taken after a
// state. It goes level by level, since models are often numbered breadth first, and memory is then
// read in order. Cost O(S + T) of what is met, a bit a state, and 4 bytes for each of two levels.
func canHappen(ctx context.Context, m *lts.LTS, is func(lts.Label) bool, from lts.State) (bool, error) {
	some := false
	for l := range m.Alphabet().All() {
		some = some || is(l)
	}
	if !some {
		return false, nil
	}
	if err := resources.AskFor[uint64](ctx, m.NumStates()/64+1); err != nil {
		return false, err
	}
	met := bitset.New[lts.State](m.NumStates())
	met.Add(from)
	now, next := []lts.State{from}, []lts.State(nil)
	for looks := 0; len(now) > 0; now, next = next, now[:0] {
		for _, s := range now {
			if looks++; looks&(1<<12-1) == 1 && ctx.Err() != nil {
				return false, ctx.Err()
			}
			labels, targets := m.Out(s)
			for k, to := range targets {
				if is(labels.At(k)) {
					return true, nil
				}
				if !met.Has(to) {
					met.Add(to)
					next = append(next, to)
				}
			}
		}
	}
	return false, nil
}

// lossOfSteps finds out, without the classes of transitions, where the run is lost: nil if
// it never is. It goes back along the run and on from there; what was lost from one place
// is so from those before. Cost O(n (S + T)) of what is met, 4 bytes a state.
func (v violation) lossOfSteps(ctx context.Context) (*Loss, error) {
	t, p := v.trace, v.a.Property
	if missing := v.told.Done + 1; !v.does(missing) {
		return &Loss{Steps: 0, Step: missing}, nil
	}
	f := &furthest{ctx: ctx, m: v.a.m, p: p}
	if err := f.begin(); err != nil {
		return nil, err
	}
	for i := t.Len(); i >= 0; i-- {
		at, progress := t.Initial(), t.Progress(i)
		if i > 0 {
			at = t.Step(i - 1).To
		}
		if i == t.Len() {
			progress = v.told.Done
		}
		before := f.reached
		if err := f.from(at, progress); err != nil {
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

// does reports whether some label does a step.
func (v violation) does(step int) bool {
	for l := range v.a.m.Alphabet().All() {
		if v.a.Property.Does(l, step) {
			return true
		}
	}
	return false
}

// furthest is a search for the largest progress that continuations make, from several
// places one after the other.
type furthest struct {
	ctx context.Context
	m   *lts.LTS
	p   *property.Property
	// most is one more than the largest progress with which a state was met.
	most    []uint32
	reached int
	// admits says where runs that count go; nil for everywhere.
	admits func(lts.State, property.Q) bool
}

func (f *furthest) begin() (err error) {
	f.most, err = resources.Make[uint32](f.ctx, f.m.NumStates())
	return err
}

// from goes on from a state, and ends early once all steps are done. A state is looked at
// again only with more progress than before.
func (f *furthest) from(s lts.State, progress int) error {
	type node struct {
		state    lts.State
		progress int
	}
	if uint32(progress) < f.most[s] {
		return nil
	}
	f.most[s] = uint32(progress) + 1
	// First in, first out: files number states about as they are found, so memory is read in order.
	var open, next paged.List[node]
	next.Append(node{s, progress})
	work := 0
	for next.Len() > 0 {
		open, next = next, open
		next.Truncate(0)
		for i := range open.Len() {
			if work++; work&(1<<12-1) == 0 && f.ctx.Err() != nil {
				return f.ctx.Err()
			}
			at := *open.At(i)
			if f.reached = max(f.reached, at.progress); f.reached == f.p.Steps() {
				return nil
			}
			labels, targets := f.m.Out(at.state)
			for i, to := range targets {
				after := f.p.Next(property.Q(at.progress), labels.At(i))
				if uint32(after) >= f.most[to] && (f.admits == nil || f.admits(to, after)) {
					f.most[to] = uint32(after) + 1
					next.Append(node{to, int(after)})
				}
			}
		}
	}
	return nil
}

// workForNecessity is the number of places and transitions that are looked at to find out what is
// necessary, each as often as it is; and again for transitions that may be missing.
const workForNecessity = 6_000_000

// workAtLength is the same for what only runs of this length have in common.
const workAtLength = 24_000_000

// Necessity is what every run of the model that violates the property has in common with the
// counterexample.
type Necessity struct {
	// Steps are those that every such run takes, somewhere, in the order of the run; a
	// transition that the run takes again is there once.
	Steps []StepIndex `json:"steps"`
	// AtLength are those that every such run takes if it is no longer than this one; nil if that is
	// not known.
	AtLength []StepIndex `json:"steps_at_length,omitempty"`
	// Stop reports whether all such runs stop where this one does, and the runs that stop there
	// are all such.
	Stop bool `json:"stop"`
	// At is the state in which this one does; nil unless Stop is true.
	At *ModelState `json:"at,omitempty"`
	// Missing are transitions, any of which would make the property true, if they were possible
	// where the run stops: guesses, the likeliest first; only if Stop is true.
	Missing []ModelStep `json:"missing,omitempty"`
}

// findNecessity finds out what is necessary of the counterexample, by the product of model and property;
// nil if that takes too long.
func (v violation) findNecessity(ctx context.Context, u *product.Unfolding) (*Necessity, error) {
	m, p := v.a.m, v.a.Property
	found, err := necessary.Find(ctx, m, p, v.trace, necessary.Options{Work: workForNecessity, WorkAtLength: workAtLength, Unfolding: u})
	if found == nil || err != nil {
		return nil, err
	}
	n := &Necessity{Steps: v.firstOf(found.Every), Stop: found.Stop}
	if found.AtLength != nil {
		n.AtLength = v.firstOf(found.AtLength)
	}
	if !n.Stop {
		return n, nil
	}
	at := ModelState(v.trace.Last())
	n.At = &at
	missing, err := necessary.Missing(ctx, m, p, v.trace.Last(), workForNecessity)
	for _, t := range missing {
		n.Missing = append(n.Missing, modelStep(m, t))
	}
	return n, err
}

// firstOf returns the steps that have something, each transition once, but for what leads to where runs begin.
func (v violation) firstOf(is []bool) []StepIndex {
	steps := []StepIndex{}
	met := map[lts.Transition]bool{}
	for i, holds := range is {
		if t := v.trace.Step(i); holds && !met[t] && !v.a.m.IsBefore(t.From) {
			met[t] = true
			steps = append(steps, StepIndex(i))
		}
	}
	return steps
}

// rank gives each decision its place among where a fault is likely: see [Decision].
func (d *decided) rank(n *Necessity) {
	rank := 0
	for _, first := range []bool{true, false} {
		for i := len(d.decisions) - 1; i >= 0; i-- {
			at := &d.decisions[i]
			if necessary := n != nil && slices.Contains(n.Steps, at.Step); necessary == first {
				rank++
				at.Rank = rank
			}
		}
	}
}

// Conjunct is one of several conditions that a formula joins by "and", and what the
// counterexample does to it.
type Conjunct struct {
	Text string `json:"text"`
	// Verdict is violated or satisfied; 0 if the conjunct depends on how the stem goes on.
	Verdict Verdict `json:"verdict,omitzero"`
	// Nothing satisfies a violated condition any more after Step, nil if there is no such step;
	// FromStart says that nothing ever did.
	Step      *StepIndex `json:"step,omitempty"`
	FromStart bool       `json:"from_start,omitzero"`
	// Pending is what is pending of a violated condition at the end of the run, or all along
	// its loop; nil elsewhere.
	Pending Words `json:"pending,omitempty"`
}

// mostConjuncts is how many conditions are judged.
const mostConjuncts = 64

// judgeConjuncts finds out which of the conditions that the formula joins the run violates. Cost:
// binding each, and O(steps) with the rounds that a loop takes.
func (v violation) judgeConjuncts(ctx context.Context) ([]Conjunct, error) {
	joined, is := v.a.Formula.(interface{ Conjuncts() []property.Formula })
	if !is || v.trace == nil {
		return nil, nil
	}
	parts := joined.Conjuncts()
	if len(parts) < 2 || len(parts) > mostConjuncts {
		return nil, nil
	}
	labels, err := v.a.m.Happening(ctx)
	if err != nil {
		return nil, err
	}
	all := make([]Conjunct, len(parts))
	for i, part := range parts {
		p, _, err := part.Bind(ctx, labels)
		if err != nil {
			return nil, err
		}
		if all[i], err = v.judge(ctx, p); err != nil {
			return nil, err
		}
		all[i].Text = part.String()
	}
	return all, nil
}

// judge compares the run with a condition.
func (v violation) judge(ctx context.Context, p *property.Property) (c Conjunct, err error) {
	words, err := product.ResidualsOf(ctx, p)
	if err != nil {
		return c, err
	}
	t, err := counterexample.Under(v.a.m, v.trace, p)
	if err != nil {
		return c, err
	}
	end := t.At(t.Len())
	switch isStem := t.Kind() == counterexample.Trap || t.Kind() == counterexample.Prefix; {
	case isStem && words.CanAccept(end) && words.CanReject(end):
		return c, nil
	case isStem && words.CanAccept(end), !isStem && t.Satisfies():
		c.Verdict = Satisfied
		return c, nil
	}
	c.Verdict = Violated
	for i := range t.Len() + 1 {
		if words.CanAccept(t.At(i)) {
			continue
		}
		if c.FromStart = i == 0; i > 0 {
			c.Step = stepIndex(i - 1)
		}
		return c, nil
	}
	ends := []property.Q{end}
	if loop, loops := t.LoopStart(); loops {
		ends = repeatingRound(t, loop, p)
	}
	pending, seen := p.Pending(ends[0]), bitset.New[property.Q](p.States())
	for _, q := range ends {
		if seen.Has(q) {
			continue
		}
		seen.Add(q)
		if p.Pending(q).String() != pending.String() || !words.CanAccept(q) {
			return c, nil
		}
	}
	c.Pending = Words(pending)
	return c, nil
}
