package explain

import (
	"context"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/product"
)

// whatLed describes how a counterexample comes to a step that the property forbids.
type whatLed struct {
	// Step is the step that does what is forbidden, and Label is its label.
	Step  StepIndex `json:"step"`
	Label string    `json:"label"`
	// Values are conditions on the state after Step, if these values are what is forbidden, whatever
	// the label; nil otherwise.
	Values []string `json:"values,omitempty"`
	// Forbidden is the step since which Step's label is forbidden, up to Step; nil if it is forbidden
	// from the beginning of the run.
	Forbidden *stepOfRun `json:"forbidden_since"`
	// Possible is the step since which a step like Step is possible in each state of the run, up to
	// the state before Step; nil if it is possible in each of these states from the beginning. A step
	// is like Step if it has the same label or, with Values, if it does what is forbidden, too.
	Possible *stepOfRun `json:"possible_since"`
	// WayOut is the last state of the run from which some run satisfies the property; nil if there is
	// no such state.
	WayOut *wayOut `json:"way_out"`
}

// stepOfRun is a step of a counterexample.
type stepOfRun struct {
	Step  StepIndex `json:"step"`
	From  lts.State `json:"from"`
	Label string    `json:"label"`
	To    lts.State `json:"to"`
}

// wayOut is the last state of a run where another transition would have been better than the one
// that the run takes.
type wayOut struct {
	// Taken is the step of the run that leaves the state.
	Taken stepOfRun `json:"taken"`
	// Choices are the transitions that would have been best; see [Decision.Recommended].
	Choices []Choice `json:"choices"`
}

// forbiddenStep is the first step of a run that does what the property forbids.
type forbiddenStep struct {
	violation
	index int
	// isForbidden reports whether the property has been violated in a property state, as it is after
	// the step.
	isForbidden func(property.Q) bool
	diagnosis   *Diagnosis
}

// forbiddenStep returns the step of the run that does what the property forbids. It returns nil if
// nothing on the run is forbidden, or only the state in which the run begins.
func (v violation) forbiddenStep(ctx context.Context) (*forbiddenStep, error) {
	if v.trace == nil {
		return nil, nil
	}
	_, awaits := v.awaitedStep()
	if awaits {
		return nil, nil
	}
	d, err := v.diagnoseChecked(ctx)
	if err != nil || d == nil || d.Step == nil {
		return nil, err
	}
	mayBeForbidden := d.Kind == KindForbidden || d.Kind == KindImpossible
	if !mayBeForbidden {
		return nil, nil
	}
	words, err := product.ResidualsOf(ctx, v.a.Property)
	if err != nil {
		return nil, err
	}
	index := int(*d.Step)
	isForbidden := func(q property.Q) bool { return !words.CanAccept(q) }
	if d.InScope != nil {
		index = int(*d.InScope)
		violated := v.trace.At(index + 1)
		isForbidden = func(q property.Q) bool { return q == violated }
	}
	isInInitialState := index < before(v.a.m, v.trace.Len())
	if isInInitialState {
		return nil, nil
	}
	return &forbiddenStep{v, index, isForbidden, d}, nil
}

// question returns the question about the label of the step.
func (f *forbiddenStep) question(ctx context.Context) (*actl.Formula, error) {
	label := f.a.text(f.trace.Step(f.index).Label)
	return actl.Parse(ctx, "Inev("+actl.PatternFor(label)+")")
}

// describe describes how the run comes to the step. Cost O(length of the run · outgoing transitions).
func (f *forbiddenStep) describe(ctx context.Context) (*whatLed, error) {
	wayOut, err := f.lastWayOut(ctx)
	if err != nil {
		return nil, err
	}
	return &whatLed{
		Step:      StepIndex(f.index),
		Label:     f.a.text(f.trace.Step(f.index).Label),
		Values:    f.values(),
		Forbidden: f.since(f.isForbiddenAt),
		Possible:  f.since(f.isPossibleAt),
		WayOut:    wayOut,
	}, nil
}

// values returns the values after the step if they are forbidden, whatever its label.
func (f *forbiddenStep) values() []string {
	v := f.diagnosis.Values
	if v == nil || v.Action || f.diagnosis.InScope != nil {
		return nil
	}
	return v.After
}

// since returns the step after which a condition holds in each state of the run up to the step that is
// forbidden; nil if it holds from the first state on.
func (f *forbiddenStep) since(holdsAt func(int) bool) *stepOfRun {
	first := before(f.a.m, f.trace.Len())
	i := f.index
	for i > first && holdsAt(i-1) {
		i--
	}
	if i == first {
		return nil
	}
	step := f.step(i - 1)
	return &step
}

// step describes step i of the run.
func (f *forbiddenStep) step(i int) stepOfRun {
	t := f.trace.Step(i)
	return stepOfRun{
		Step:  StepIndex(i),
		From:  t.From,
		Label: f.a.text(t.Label),
		To:    t.To,
	}
}

// isForbiddenAt reports whether the forbidden step would be forbidden before step i, too.
func (f *forbiddenStep) isForbiddenAt(i int) bool {
	label := f.trace.Step(f.index).Label
	return f.isForbidden(f.a.Property.Next(f.trace.At(i), label))
}

// isPossibleAt reports whether a step like the forbidden one is possible in the state before step i.
func (f *forbiddenStep) isPossibleAt(i int) bool {
	q := f.trace.At(f.index)
	text := f.a.text(f.trace.Step(f.index).Label)
	areValues := f.values() != nil
	labels, _ := f.a.m.Out(f.trace.Step(i).From)
	return labels.Any(func(l lts.Label) bool {
		if areValues {
			return f.isForbidden(f.a.Property.Next(q, l))
		}
		return f.a.text(l) == text
	})
}

// lastWayOut returns the last state of the run where the property is not lost, with the transitions that
// would have been best; nil if there is none.
func (f *forbiddenStep) lastWayOut(ctx context.Context) (*wayOut, error) {
	loss, err := f.describeLoss(ctx)
	if err != nil || loss == nil || loss.Steps == 0 {
		return nil, err
	}
	taken := f.step(loss.Steps - 1)
	d := Decision{
		Step:         taken.Step,
		State:        taken.From,
		Chosen:       f.firstChoice(int(taken.Step), f.trace.Step(int(taken.Step))),
		Alternatives: f.alternatives(int(taken.Step)),
	}
	stops := &stopping{}
	if err := stops.mark(ctx, f.repeating(), &d); err != nil {
		return nil, err
	}
	choices := d.Recommended()
	if len(choices) == 0 {
		return nil, nil
	}
	return &wayOut{Taken: taken, Choices: choices}, nil
}

// alternatives describes the transitions from the source of step i, each once.
func (f *forbiddenStep) alternatives(i int) []Choice {
	var choices []Choice
	seen := map[lts.Transition]bool{}
	from := f.trace.Step(i).From
	labels, targets := f.a.m.Out(from)
	for k, to := range targets {
		t := lts.Transition{From: from, Label: labels.At(k), To: to}
		if seen[t] {
			continue
		}
		seen[t] = true
		choices = append(choices, f.firstChoice(i, t))
	}
	return choices
}

// firstChoice describes a transition from the source of step i, when the run comes there for the first
// time.
func (f *forbiddenStep) firstChoice(i int, t lts.Transition) Choice {
	after := f.a.Fates.After(f.trace.At(i), t.Label, t.To)
	return Choice{
		Label: f.a.text(t.Label),
		To:    t.To,
		Class: f.a.Classification.Class(t.From, t.Label, t.To),
		After: after,
		First: after,
	}
}
