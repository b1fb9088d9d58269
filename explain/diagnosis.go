package explain

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/inev-lts/inev/internal/enumeration"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/bitset"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
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
	words, err := product.WordsOf(d.ctx, d.a.Property)
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
	labels := w.labels(d.ends())
	if len(labels) > 1 || d.PossibleIn == 0 && d.Way == nil {
		happening, err := d.a.m.Happening(d.ctx)
		if err != nil {
			return err
		}
		labels = slices.DeleteFunc(slices.Clone(labels), func(l lts.Label) bool { return !happening.Happens(l) })
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
			text += " to " + factsText(a, l)
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
