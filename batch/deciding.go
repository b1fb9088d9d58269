package batch

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/report"
)

// summarise returns the counterexample in short.
func (t *task) summarise(ctx context.Context, e *explain.Explanation) (*Counterexample, error) {
	c := e.Counterexample
	short := &Counterexample{
		Kind: c.Kind, Length: len(c.Steps), Shortest: c.Shortest, LoopStart: c.LoopStart,
		Labels: make([]string, min(len(c.Steps), listed)),
	}
	for i := range short.Labels {
		short.Labels[i] = report.Printable(c.Steps[i].Label)
	}
	choices := e.Choices()
	for _, d := range choices[:min(len(choices), listed)] {
		short.Decisions = append(short.Decisions, Decision{
			Step: d.Step + 1, State: e.Name(d.State), Kind: d.Kind, Label: report.Printable(d.Chosen.Label),
		})
	}
	short.Sentence = sentence(e)
	var err error
	if len(c.Steps) > 0 {
		short.Deciding, err = t.decide(ctx, e)
	}
	return short, err
}

// decidingStep returns the step at which the property is lost, and why it is that.
func decidingStep(e *explain.Explanation) (step int, why string) {
	if e.PointOfNoReturn != nil {
		return e.PointOfNoReturn.Step, "point of no return"
	}
	if choices := e.Choices(); len(choices) > 0 {
		return choices[len(choices)-1].Step, "last decision"
	}
	return len(e.Counterexample.Steps) - 1, "last step"
}

func (t *task) decide(ctx context.Context, e *explain.Explanation) (*Deciding, error) {
	i, why := decidingStep(e)
	step := e.Counterexample.Steps[i]
	d := &Deciding{From: e.Name(step.From), Label: report.Printable(step.Label), To: e.Name(step.To), Why: why}
	if isAutx(t.job.Path) {
		return d, nil
	}
	transition := e.Trace().Step(i)
	if e.IsUnfolded() {
		// Labels are numbered as in the model itself.
		transition.From, transition.To = foldedState(d.From), foldedState(d.To)
	}
	index, err := indexOf(ctx, t.model.LTS, transition)
	if err != nil {
		return nil, err
	}
	d.Line, err = aut.LineOf(ctx, t.job.Path, index)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		// The file has gone since it was read: the answer stands without it.
		d.Line = 0
	}
	return d, nil
}

// foldedState returns the state of the model that a state of the unfolded one, shown
// as state·progress, stands for.
func foldedState(name string) lts.State {
	state, _, _ := strings.Cut(name, "·")
	n, _ := strconv.ParseUint(state, 10, 32)
	return lts.State(n)
}

// indexOf returns the index of a transition in the order of the model's file, the
// first of equal ones. Cost O(T).
func indexOf(ctx context.Context, m *lts.LTS, wanted lts.Transition) (int, error) {
	i := 0
	for t := range m.Transitions() {
		if t == wanted {
			return i, nil
		}
		if i++; i&(1<<16-1) == 0 {
			if err := ctx.Err(); err != nil {
				return 0, err
			}
		}
	}
	return 0, fmt.Errorf("the model has no transition from %d to %d with label %d", wanted.From, wanted.To, wanted.Label)
}

// sentence says what was decided: at the point of no return, else at the last
// decision, else what the run looks like.
func sentence(e *explain.Explanation) string {
	s := report.NewSentences(e, report.Printable)
	step, _ := decidingStep(e)
	for _, d := range e.Choices() {
		if d.Step == step {
			return s.Decision(d)
		}
	}
	return s.Shape()
}
