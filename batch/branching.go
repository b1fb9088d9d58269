package batch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/ctl/argument"
	"github.com/inev-lts/inev/internal/ctl/branching"
	"github.com/inev-lts/inev/internal/diagram/draw"
	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/internal/formula/formulafile"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/property"
)

// asked is the formula of a job, in one of two forms.
type asked struct {
	// ofRuns is a property of runs, or nil.
	ofRuns property.Formula
	// ofStates is a formula about states, which inev ctl answers, if the text is no property of runs.
	ofStates *branching.Formula
}

// String returns the formula on one line.
func (a asked) String() string {
	if a.ofStates != nil {
		return a.ofStates.String()
	}
	return a.ofRuns.String()
}

// isModal reports whether the formula is one of the mu-calculus. Its text must then be read as such
// a formula again, even if it begins as a formula of another logic.
func (a asked) isModal() bool { return a.ofStates != nil && a.ofStates.Modal != nil }

// readAsked reads a formula: as a property of runs or, failing that, as a formula about states. If
// it is neither, the error is that of the reader that got further in the text.
func readAsked(ctx context.Context, text string, isModal bool) (asked, error) {
	f, err := formula.Parse(ctx, text)
	if err == nil {
		return asked{ofRuns: f}, nil
	}
	return readOfStates(ctx, text, isModal, err)
}

// readAskedFile is readAsked for the text of a file with one formula.
func readAskedFile(ctx context.Context, name, text string) (asked, error) {
	f, err := formula.ParseFile(ctx, name, []byte(text))
	if err == nil || ctx.Err() != nil {
		return asked{ofRuns: f}, err
	}
	return formulafile.Parse(name, []byte(text), func(text string) (asked, error) {
		return readOfStates(ctx, text, formula.IsModal(name), err)
	})
}

// readOfStates reads a formula about states. The reader of properties of runs has refused the text before,
// with the error earlier. If the text is no formula about states either, readOfStates returns the error
// whose position lies further in the text: its own or earlier.
func readOfStates(ctx context.Context, text string, isModal bool, earlier error) (asked, error) {
	if ctx.Err() != nil {
		return asked{}, ctx.Err()
	}
	ofStates, _, err := branching.Parse(ctx, text, isModal)
	if err == nil {
		return asked{ofStates: ofStates}, nil
	}
	var own, other *actl.SyntaxError
	areInSameText := errors.As(err, &own) && errors.As(earlier, &other) && other.File == ""
	if areInSameText && own.Offset > other.Offset {
		return asked{}, err
	}
	return asked{}, earlier
}

// hiddenByDefault are the labels that the operator U with labels ignores, unless inev ctl is given
// others.
const hiddenByDefault = "{i, tau}"

// shownArguments is the number of states of each verdict for which pages and pictures have arguments.
const shownArguments = 10

// answerAboutStates answers the question of a job about states, and records the answer in the result.
func (t *task) answerAboutStates(ctx context.Context) error {
	if err := t.refuseExpectationsOfRuns(); err != nil {
		return err
	}
	if err := t.readModel(ctx); err != nil {
		return err
	}
	start := time.Now()
	answer, err := t.askModel(ctx)
	if err != nil {
		return err
	}
	t.answer = answer
	t.arguments, err = answer.Arguments(shownArguments)
	if err != nil {
		return err
	}
	r := t.result
	r.Argument = printable.Text(headline(t.arguments[0]))
	r.TimingsMS = map[string]float64{"ctl": milliseconds(time.Since(start))}
	if t.model.Took > 0 {
		r.TimingsMS["read"] = milliseconds(t.model.Took)
	}
	if err := t.writeFiles(ctx); err != nil {
		return err
	}
	r.Status = Satisfied
	if len(answer.Bad) > 0 {
		r.Status = Violated
	}
	r.judge()
	return nil
}

// headline returns the sentence of an argument. If the argument only refers to one claim about a
// part of the formula, the sentence of that claim follows.
func headline(a *argument.Argument) string {
	text := a.Text
	for {
		hasRun := a.Run != nil && len(a.Run.Steps) > 0
		hasProof := hasRun || a.Layers != nil || a.Set != nil
		if hasProof || len(a.Because) != 1 {
			return text
		}
		a = a.Because[0]
		text += " " + a.Text
	}
}

// refuseExpectationsOfRuns fails if the job has expectations that only properties of runs can meet.
func (t *task) refuseExpectationsOfRuns() error {
	switch {
	case t.job.Bound > 0:
		return t.withoutBound()
	case len(t.faults) > 0:
		return fmt.Errorf("faults: %s is not a property of runs, so faults cannot violate it; leave faults out", t.job.Formula)
	}
	return nil
}

// askModel decides the formula in the states where runs begin, and records warnings.
func (t *task) askModel(ctx context.Context) (*branching.Answer, error) {
	hidden, _, err := actl.Text(hiddenByDefault).Atom(ctx, 0)
	if err != nil {
		return nil, err
	}
	warn := func(warning string) {
		t.result.Warnings = append(t.result.Warnings, printable.Text(warning))
	}
	for _, warning := range t.model.Warnings {
		warn(warning)
	}
	if t.model.Unsettled != "" {
		warn(t.model.Unsettled)
	}
	m := t.model.LTS
	answer, err := branching.Decide(ctx, branching.Question{
		Formula:   t.ofStates,
		Model:     m,
		States:    t.model.States,
		Hidden:    []actl.Pattern{hidden},
		Fair:      t.options.Fair,
		Asked:     m.Begin(),
		Unmatched: t.unmatchedError,
		Warn:      warn,
	})
	var predicate *branching.PredicateError
	if errors.As(err, &predicate) {
		return nil, t.aboutModel(err)
	}
	return answer, err
}

// unmatchedError returns the error of a pattern that matches no label, nil if the job allows that.
func (t *task) unmatchedError(err error) error {
	var unmatched *actl.UnmatchedError
	if errors.As(err, &unmatched) && t.job.Options.AllowUnmatched {
		return nil
	}
	return t.withRemedy(err)
}

// argumentOutputs are the files that a job about states can write. Its evidence takes the place of the
// explanation.
var argumentOutputs = [...]output{
	{kind: "explanation", file: "evidence.json", write: writeEvidence},
	{kind: "page", file: "page.html", write: writeArgumentPage},
	{kind: "svg", file: "picture.svg", optional: true, write: writeArgumentSVG},
	{kind: "dot", file: "picture.dot", optional: true, write: writeArgumentDOT},
}

func writeEvidence(_ context.Context, t *task, w io.Writer) error {
	return t.answer.WriteEvidence(w)
}

// argumentPicture returns what a picture of the arguments shows.
func (t *task) argumentPicture(caption view.Caption) *view.Argument {
	return view.NewArgument(t.model.LTS, t.arguments, caption)
}

func (t *task) caption() view.Caption {
	return view.Caption{
		Model:   t.job.Model,
		Formula: t.job.Formula,
		Verdict: t.answer.Verdict(),
	}
}

// writeArgumentPage writes the page of a job about states. The picture in it has no caption, since the page has
// one of its own.
func writeArgumentPage(ctx context.Context, t *task, w io.Writer) error {
	var picture bytes.Buffer
	if err := draw.SVG(ctx, t.Engine, &picture, t.argumentPicture(view.Caption{}), draw.Options{}); err != nil {
		return err
	}
	page := argument.Page{
		Model:   t.job.Model,
		Formula: t.job.Formula,
		Verdict: t.answer.Verdict(),
		Holds:   len(t.answer.Bad) == 0,
		Picture: picture.String(),
	}
	return page.WriteHTML(w, t.model.LTS, t.arguments)
}

func writeArgumentSVG(ctx context.Context, t *task, w io.Writer) error {
	return draw.SVG(ctx, t.Engine, w, t.argumentPicture(t.caption()), draw.Options{})
}

func writeArgumentDOT(_ context.Context, t *task, w io.Writer) error {
	return draw.DOT(w, t.argumentPicture(t.caption()), draw.Options{})
}

// outputs returns the files that the job can write.
func (t *task) outputs() []output {
	switch {
	case t.answer == nil && t.e.Counterexample == nil:
		return slices.DeleteFunc(slices.Clone(outputs[:]), func(o output) bool {
			return o.kind == "trace"
		})
	case t.answer == nil:
		return outputs[:]
	case t.answer.WriteEvidence == nil: // formulas of CTL* have no evidence
		return slices.DeleteFunc(slices.Clone(argumentOutputs[:]), func(o output) bool {
			return o.kind == "explanation"
		})
	}
	return argumentOutputs[:]
}
