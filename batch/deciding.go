package batch

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/printable"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/format"
	"github.com/inev-lts/inev/format/specification"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/report"
)

// summarise returns the counterexample in short.
func (t *task) summarise(ctx context.Context, e *explain.Explanation) (*Counterexample, error) {
	c := e.Counterexample
	short := &Counterexample{
		Kind: c.Kind, Length: len(c.Steps), Shortest: c.Shortest, InProduct: c.Shortest && c.Minimal == counterexample.InProduct, LoopStart: int(c.LoopStart),
		Labels: make([]string, min(len(c.Steps), listed)),
	}
	for i := range short.Labels {
		short.Labels[i] = printable.Text(c.Steps[i].Label)
	}
	choices := e.Decisions
	for _, d := range choices[:min(len(choices), listed)] {
		short.Decisions = append(short.Decisions, Decision{
			Step: int(d.Step) + 1, State: e.Name(d.State), Kind: d.Kind, Label: printable.Text(d.Chosen.Label), Source: shownPlace(d.Source),
		})
	}
	short.Sentence = sentence(e)
	short.Prevention = strings.Join(report.NewSentences(e, printable.Text).Prevention(), " ")
	if e.Diagnosis != nil {
		short.Diagnosis = e.Diagnosis.Kind.String()
	}
	if len(c.Steps) == 0 {
		return short, nil
	}
	short.Deciding = decide(e)
	deciding, _ := decidingStep(e)
	short.Deciding.Source = shownPlace(t.files.Find(c.Steps[deciding].Label))
	return short, t.locate(ctx, e, short)
}

// shownPlace returns a place, the text of its line fit to be shown.
func shownPlace(p *specification.Place) *specification.Place {
	if p == nil {
		return nil
	}
	shown := *p
	shown.Text = printable.Text(p.Text)
	return &shown
}

// decidingStep returns the step at which the property is lost, and why it is that.
func decidingStep(e *explain.Explanation) (step int, why string) {
	if e.PointOfNoReturn != nil {
		return int(e.PointOfNoReturn.Step), "point of no return"
	}
	if choices := e.Decisions; len(choices) > 0 {
		return int(choices[len(choices)-1].Step), "last decision"
	}
	return len(e.Counterexample.Steps) - 1, "last step"
}

// decide returns the transition at which the property is lost; its line is found
// with those of the other steps.
func decide(e *explain.Explanation) *Deciding {
	i, why := decidingStep(e)
	step := e.Counterexample.Steps[i]
	return &Deciding{From: e.Name(step.From), Label: printable.Text(step.Label), To: e.Name(step.To), Why: why}
}

// locate finds the lines of the steps that a result tells of. Where the file has gone,
// or is another one, the answer stands without them.
func (t *task) locate(ctx context.Context, e *explain.Explanation, short *Counterexample) error {
	if t.job.isMade() || !format.Of(t.job.Path, nil).IsAut() {
		return nil
	}
	deciding, _ := decidingStep(e)
	steps := []int{deciding}
	for i := range short.Labels {
		steps = append(steps, i)
	}
	for _, d := range short.Decisions {
		steps = append(steps, d.Step-1)
	}
	wanted := make([]lts.Transition, len(steps))
	for i, step := range steps {
		wanted[i] = e.Trace().Step(step)
		if e.IsUnfolded() {
			// Labels are numbered as in the model itself.
			wanted[i].From, wanted[i].To = foldedState(e.Name(wanted[i].From)), foldedState(e.Name(wanted[i].To))
		}
	}
	indexes, err := indexesOf(ctx, t.model.LTS, wanted)
	if err != nil {
		return err
	}
	lines, plain, err := aut.LinesOf(ctx, t.job.Path, indexes)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil || lines[0] == 0 || !t.sameFile() {
		return nil
	}
	short.Deciding.Line = lines[0]
	if t.result.Packed = !plain; t.result.Packed {
		return nil
	}
	short.Lines = lines[1 : 1+len(short.Labels)]
	for i := range short.Decisions {
		short.Decisions[i].Line = lines[1+len(short.Labels)+i]
	}
	return nil
}

// sameFile reports whether the file is still the one of which the model was made, as far as
// that is known.
func (t *task) sameFile() bool {
	if t.model.file == nil {
		return true
	}
	now, err := os.Stat(t.job.Path)
	return err == nil && inputfile.Unchanged(t.model.file, now)
}

// foldedState returns the state of the model that a state of the unfolded one, shown
// as state·progress, stands for.
func foldedState(name string) lts.State {
	state, _, _ := strings.Cut(name, "·")
	n, _ := strconv.ParseUint(state, 10, 32)
	return lts.State(n)
}

// indexesOf returns the indexes of transitions in the order of the model's file, of
// equal ones the first. Cost O(T + number of the transitions).
func indexesOf(ctx context.Context, m *lts.LTS, wanted []lts.Transition) ([]int, error) {
	found := make(map[lts.Transition]int, len(wanted))
	for _, t := range wanted {
		found[t] = -1
	}
	i, left := 0, len(found)
	for t := range m.Transitions() {
		if at, is := found[t]; is && at < 0 {
			found[t] = i
			if left--; left == 0 {
				break
			}
		}
		if i++; i&(1<<16-1) == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
	}
	indexes := make([]int, len(wanted))
	for i, t := range wanted {
		if indexes[i] = found[t]; indexes[i] < 0 {
			return nil, fmt.Errorf("the model has no transition from %d to %d with label %d", t.From, t.To, t.Label)
		}
	}
	return indexes, nil
}

// sentence says why the property fails or, if that is not known, what the run looks like.
func sentence(e *explain.Explanation) string {
	s := report.NewSentences(e, printable.Text)
	if d := s.Story().Diagnosis; d != nil {
		return s.Say(*d)
	}
	return s.Shape()
}
