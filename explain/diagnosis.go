package explain

import (
	"context"
	"errors"
	"slices"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/internal/enumeration"
	"github.com/inev-lts/inev/internal/formula/ltl"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// Diagnosis is the reason why the counterexample violates the property: a kind, with the labels,
// steps and counts that belong to it.
type Diagnosis struct {
	Kind DiagnosisKind `json:"kind"`
	// Consequent is the part of the formula to which Kind and the other fields refer, if the
	// formula is an implication whose premises the run meets; "" if they refer to the whole
	// formula.
	Consequent string `json:"consequent,omitempty"`
	// Lacks is the text of the only element of Consequent that the run waits for. It is "" if there
	// is no Consequent, or if the run waits for none or several elements.
	Lacks string `json:"-"`
	// After describes what Consequent, if there is one, waits for after Step.
	After property.Phrase `json:"-"`
	// Livelock reports whether all actions of the loop are internal: i or tau.
	Livelock bool `json:"livelock"`
	// Pending are the labels that the run waits for at its end: those that would make progress. They
	// are in the order of the model.
	Pending []string `json:"pending"`
	// Of is the number of product states of the loop, and PossibleIn is the number of those where a
	// label of Pending is possible. Both are 0 without a loop, or for kinds that are not about loops.
	PossibleIn int `json:"possible_in"`
	Of         int `json:"of"`
	// Distance is the length of Way.
	Distance int `json:"distance"`
	// Steps are the steps of the run to which the diagnosis refers, ascending; nil if it refers to
	// no step. Depending on the kind, they are InScope, Step or Instead; or the step into the state
	// where the run stops; or the steps of the loop that the run takes where a label of Pending is
	// possible; or the steps of the loop that would have to stop.
	Steps []StepIndex `json:"steps,omitempty"`
	// Step is the step that loses the property, or does what is forbidden; nil if the kind has no such
	// step. If no run of the model satisfies the property, Step is the first step, if any, after which
	// no word satisfies the property.
	Step *StepIndex `json:"step,omitempty"`
	// InScope is set if a scope forbids something, and Step only ends the scope: it is the step in
	// the scope that does what is forbidden, or -1 for the state in which the run begins. It is nil
	// for other properties.
	InScope *StepIndex `json:"-"`
	// First to Last are the steps of the property, from 1, that no continuation does in their
	// order. Both are 0 if the property has no steps, or if it is neither lost nor impossible.
	First int `json:"first_lost,omitzero"`
	Last  int `json:"last_lost,omitzero"`
	// Awaited is the condition on values of states, such as "big = 4", that the run waits for at its
	// end: in the state where it stops, or everywhere on its loop. It may have several atoms, joined
	// by && and ||, or by /\ and \/ for a specification in TLA+. Pending are then the labels that lead to
	// states that meet it. Awaited is "" if there is no such condition, or if the property asks for
	// different ones along the loop.
	Awaited string `json:"awaited,omitempty"`
	// AwaitedStep is likewise the condition on steps, such as "<<queue' # queue>>_vars", that the run
	// waits for at its end. Of the transitions with a label of Pending, some meet this condition, and
	// others may not. It is "" in the same cases as Awaited.
	AwaitedStep string `json:"awaited_step,omitempty"`
	// Values are the values of states that make the run violate the property: in a forbidden step,
	// in the first state, or in a state of the loop. They are nil if something else decides, or if
	// the formula is about labels alone.
	Values *decidingValues `json:"values,omitempty"`
	// Unreachable reports whether nothing that is missing can happen any more: no label of step
	// Last or, for a property without steps, no label of Pending. It can be true only if the
	// property is lost or impossible.
	Unreachable bool `json:"unreachable,omitzero"`
	// Inactive is the owner of all labels of Pending if one of these labels is possible everywhere on
	// the loop, and the owner takes no part in the loop; "" if there is no such owner, or if owners are
	// not known.
	Inactive string `json:"-"`
	// Taken are the labels that the run takes in product states where a label of Pending is
	// possible. If nothing is pending, Recurring are the labels of the loop that would have to
	// stop. Both are in the order of the run, each label once.
	Taken     []string `json:"taken,omitempty"`
	Recurring []string `json:"recurring,omitempty"`
	// Way is a shortest path from the loop to a transition with a label of Pending; this transition
	// is its last one. Instead is the step that the run takes where Way leaves the loop. They are
	// set only if no label of Pending is possible on the loop.
	Way     []PathStep `json:"way,omitempty"`
	Instead *StepIndex `json:"instead,omitempty"`
	// Cause are the labels that keep the run from Way, in alphabetical order: at most 2 labels that
	// are on no shortest way. The run takes one of them at Instead, or after internal actions from
	// there. The property would hold if these labels happened finitely often. Cause is nil if there
	// are no such labels, and in the result of [Check]. If Cause is set, Again reports whether the
	// run has done what it waits for before the loop.
	Cause []string `json:"cause,omitempty"`
	Again bool     `json:"-"`
	// Alike reports whether the run waits for the same labels in all property states of the loop.
	Alike bool `json:"-"`
	// AllEnd reports whether all runs, or all runs that continue after Step, are finite, although
	// an infinite run could satisfy the property. Begins are the labels of the initial transitions,
	// if each of these transitions violates the property. TooEarly reports whether Step does what
	// is missing in the end, but too early to count: before step First of the property, or before
	// step Called of the run, which demands it. Step is then the last such step.
	AllEnd   bool       `json:"-"`
	Begins   []string   `json:"-"`
	TooEarly bool       `json:"-"`
	Called   *StepIndex `json:"-"`
	// Gone is the step after which nothing that is missing can happen, if this step comes before Step
	// and the property has no steps; otherwise it is nil. With Gone, Asks reports whether Step makes
	// the property wait: a run may end before Step, but not after it. MayEndBefore belongs to AllEnd.
	// It reports whether all runs that continued before Step were finite, too; the property allowed
	// them to end until then.
	Gone         *StepIndex `json:"-"`
	Asks         bool       `json:"-"`
	MayEndBefore bool       `json:"-"`
	// Unavoidable is the step after which each run ends in a deadlock, if the property is freedom
	// from deadlock and the run continues after this step; otherwise it is nil.
	Unavoidable *StepIndex `json:"-"`
}

// DiagnosisKind is the kind of a [Diagnosis].
type DiagnosisKind uint8

// These are the kinds, in the order in which they are tried: the diagnosis has the first kind that
// fits.
const (
	KindImpossible DiagnosisKind = iota + 1 // no run satisfies the property
	KindForbidden                           // something happens after which no word satisfies the property
	KindLost                                // the run passes a point of no return, and continues
	KindStops                               // the run ends, in a deadlock or where the environment refuses, and the property was not lost before the last step
	KindRecurs                              // nothing is pending on the loop of the run, but something on the loop would have to stop
	KindStarved                             // something pending is possible on the loop
	KindTurnedBack                          // something is pending that is not possible on the loop, but can be reached from the loop
)

var diagnosisNames = enumeration.New("diagnosis", "", "impossible", "forbidden", "lost",
	"stops", "recurs", "starved", "turned back")

func (k DiagnosisKind) String() string { return diagnosisNames.Name(uint8(k)) }

// MarshalText returns the name of the kind.
func (k DiagnosisKind) MarshalText() ([]byte, error) { return diagnosisNames.Text(uint8(k)) }

// UnmarshalText sets the kind by its name.
func (k *DiagnosisKind) UnmarshalText(text []byte) error {
	return enumeration.Set(diagnosisNames, k, text)
}

// diagnosis is a [Diagnosis] under construction, together with its run.
type diagnosis struct {
	*Diagnosis
	repeating
}

// diagnose finds out why the counterexample violates the property. loss has the step that loses the
// property; it is nil if the property is not lost. The diagnosis refers to the consequent if the
// formula is an implication whose premises the run meets, unless the property is lost before the
// run ends or repeats its loop. Cost: [property.Property.Automaton] for a property without steps,
// and a search from the loop if no pending label is possible on it.
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

// diagnoseConsequent makes the diagnosis for the consequent of the formula. It returns nil if the
// formula is no implication, if the consequent is too large, or if the diagnosis could not name
// what the run lacks.
func (v violation) diagnoseConsequent(ctx context.Context) (*Diagnosis, error) {
	f, isLTL := v.a.Formula.(*ltl.Formula)
	if !isLTL || v.trace == nil {
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
	part, err := v.under(consequent, p)
	if err != nil {
		return nil, err
	}
	t := part.trace
	if _, awaits := part.awaitedStep(); !awaits {
		words, err := product.ResidualsOf(ctx, p)
		if err != nil {
			return nil, err
		}
		if !words.CanAccept(t.At(0)) {
			return part.diagnoseMissingAtom(ctx, consequent)
		}
	}
	whole, err := part.diagnoseWhole(ctx, nil)
	if err != nil {
		return nil, err
	}
	d := diagnosis{Diagnosis: whole, repeating: part.repeating()}
	d.Consequent = consequent.String()
	d.Lacks = d.awaitedAtom(consequent)
	if d.Step != nil {
		d.After = p.Pending(t.At(int(*d.Step) + 1))
	}
	mustNameWhatLacks := d.Kind == KindStops || d.Kind == KindTurnedBack
	namesWhatLacks := len(d.Pending) > 0 || d.Lacks != ""
	if mustNameWhatLacks && !namesWhatLacks {
		return nil, nil
	}
	return d.Diagnosis, nil
}

// under returns the run as a violation of another formula, which is bound to p.
func (v violation) under(f property.Formula, p *property.Property) (violation, error) {
	t, err := counterexample.Under(v.a.m, v.trace, p)
	if err != nil {
		return violation{}, err
	}
	a := *v.a
	a.Formula = f
	a.Property = p
	return violation{
		a:         &a,
		trace:     t,
		described: &Counterexample{Done: p.Progress(t.At(t.Len()))},
	}, nil
}

// diagnoseMissingAtom makes the diagnosis for a formula that no word over the labels of the model satisfies,
// because no label matches one of its atoms. It returns nil unless there is exactly one such atom.
func (v violation) diagnoseMissingAtom(ctx context.Context, f *ltl.Formula) (*Diagnosis, error) {
	happening, err := v.a.m.Happening(ctx)
	if err != nil {
		return nil, err
	}
	steps, _, err := actl.BindAtoms(ctx, f.Atoms(), happening)
	if err != nil {
		return nil, err
	}
	d := &Diagnosis{
		Kind:       KindStops,
		Pending:    []string{},
		Consequent: f.String(),
	}
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

// awaitedAtom returns the atom of f that the run waits for at its end. It returns "" if the run waits
// for none, or for different atoms in different property states.
func (d diagnosis) awaitedAtom(f *ltl.Formula) string {
	name := ""
	if step, awaits := d.awaitedStep(); awaits {
		name = d.a.Property.Step(step).Pattern.String()
	} else {
		for i, q := range d.finalPropertyStates() {
			awaited, _ := d.a.Property.Pending(q).Awaits()
			differs := i > 0 && awaited != name
			if awaited == "" || differs {
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

// diagnoseWhole is like [violation.diagnose], but always makes the diagnosis for the formula as a
// whole.
func (v violation) diagnoseWhole(ctx context.Context, loss *Loss) (*Diagnosis, error) {
	d := diagnosis{Diagnosis: &Diagnosis{Pending: []string{}}, repeating: v.repeating()}
	_, loops := v.trace.LoopStart()
	isVisible := func(at visit) bool {
		text := d.a.text(d.trace.Step(at.step).Label)
		return text != "i" && text != "tau"
	}
	d.Livelock = loops && !slices.ContainsFunc(d.loop, isVisible)
	if err := d.findKind(ctx, loss); err != nil {
		return nil, err
	}
	d.recordSteps()
	return d.Diagnosis, nil
}

// findKind sets the first kind that fits, and the fields that this kind needs.
func (d diagnosis) findKind(ctx context.Context, loss *Loss) error {
	if loss != nil && loss.Steps == 0 {
		return d.diagnoseImpossible(ctx, loss)
	}
	// If the property awaits a step, the run is no bad prefix: some word takes this step and all
	// later ones.
	_, awaits := d.awaitedStep()
	if !awaits {
		found, err := d.recordBadPrefix(ctx)
		if err != nil {
			return err
		}
		if found {
			d.Kind = KindForbidden
			d.recordInScope()
			return nil
		}
	}
	_, loops := d.trace.LoopStart()
	continuesAfterLoss := loss != nil && (!d.trace.Kind().Ends() || loss.Steps < d.trace.Len())
	switch {
	case continuesAfterLoss && d.a.Property.Kind() != property.KindDeadlockFree:
		d.Kind = KindLost
		d.recordLoss(loss)
		return d.recordPending(ctx)
	case !loops:
		d.Kind = KindStops
		isWithoutScope := d.a.Property.States() == 1
		if continuesAfterLoss && isWithoutScope && d.a.fairness == nil {
			d.Unavoidable = stepIndex(loss.Steps - 1)
		}
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
	_, awaits := d.awaitedStep()
	if d.Values != nil || awaits {
		return nil
	}
	isBadPrefix, err := d.recordBadPrefix(ctx)
	if isBadPrefix {
		d.recordInScope()
	}
	return err
}

func stepIndex(i int) *StepIndex {
	index := StepIndex(i)
	return &index
}

// mostForDiagnosis limits the diagnosis that [Check] makes of a property without steps, which needs
// the unfolded model. It is the largest product of the number of property states and the number of
// states and transitions of the model.
const mostForDiagnosis = mostForAdvice

// diagnoseChecked makes the diagnosis for [Check], which has no classes of transitions. It returns
// nil if the diagnosis would take long.
func (v violation) diagnoseChecked(ctx context.Context) (*Diagnosis, error) {
	missing, awaits := v.awaitedStep()
	needsProduct := v.a.Fates == nil && !awaits
	if needsProduct && largestProduct(v.a.m, v.a.Property) > mostForDiagnosis {
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
