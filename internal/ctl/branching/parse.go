package branching

import (
	"context"
	"errors"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/ctl/syntax"
	"github.com/inev-lts/inev/internal/formula/modal"
	"github.com/inev-lts/inev/internal/printable"
)

// Formula is a formula about states. One of its two forms is nil.
type Formula struct {
	// Temporal is a formula of computation tree logic, or of CTL*.
	Temporal *syntax.Formula
	// Modal is a formula of the mu-calculus that has no form in computation tree logic.
	Modal *modal.Written
}

// String returns the formula on one line.
func (f *Formula) String() string {
	if f.Modal != nil {
		return f.Modal.String()
	}
	return f.Temporal.String()
}

// HasPredicates reports whether the formula is about values of states.
func (f *Formula) HasPredicates() bool {
	return f.Temporal != nil && f.Temporal.HasPredicates()
}

// mostEchoed is the largest length of a formula that a note repeats.
const mostEchoed = 400

// OfRunsError reports that a text is a property of runs rather than a formula about states.
type OfRunsError struct{ Text string }

func (e *OfRunsError) Error() string {
	return printable.Echo(e.Text) +
		" is a property of runs, and no formula of computation tree logic; inev check and inev explain answer it"
}

// Parse reads a formula of computation tree logic, of MCL or of the mu-calculus of mCRL2. It turns
// a formula of MCL or of the mu-calculus into an equivalent formula of computation tree logic, if
// it finds one. A text can have a meaning in both; isModal, which the name of the file tells, then
// decides for MCL or the mu-calculus. The notes say how the text was read where that may be a
// surprise. The error is an [*actl.SyntaxError], an [*OfRunsError], or ctx.Err() once ctx is done.
// Cost O(length of the text after macros are replaced).
func Parse(
	ctx context.Context,
	text string,
	isModal bool,
) (f *Formula, notes []string, err error) {
	notation := modal.NotationOf(text)
	temporal, temporalError := syntax.ParseStar(ctx, text)
	isTemporal := temporalError == nil && !isModal && !notation.IsModal
	hasBothReadings := isTemporal && notation.HasRegular && isModalFormula(ctx, text)
	if isTemporal && !hasBothReadings {
		return &Formula{Temporal: temporal}, nil, ctx.Err()
	}
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	if hasBothReadings && notation.HasBareSigns {
		notes = append(notes,
			"* and | in modalities are those of the mu-calculus; a pattern of labels is written like /^b/")
	}
	mustBeModal := isModal || notation.IsModal || hasBothReadings
	mayBeModal := mustBeModal || modal.Begins(text)
	if !mayBeModal {
		return nil, notes, whyRefused(ctx, text, temporalError, nil)
	}
	equivalent, modalError := modal.Branching(ctx, text)
	switch {
	case equivalent != "":
		notes = append(notes,
			"the formula is read as "+printable.Cut(printable.Text(equivalent), mostEchoed))
		f, err = parseTemporal(ctx, equivalent)
	case mustBeModal || modalError == nil:
		f, err = readModal(ctx, text)
	default:
		err = whyRefused(ctx, text, temporalError, modalError)
	}
	return f, notes, err
}

// parseTemporal reads a formula of computation tree logic.
func parseTemporal(ctx context.Context, text string) (*Formula, error) {
	temporal, err := syntax.ParseStar(ctx, text)
	if err != nil {
		return nil, err
	}
	return &Formula{Temporal: temporal}, nil
}

// readModal reads a formula of MCL or of the mu-calculus.
func readModal(ctx context.Context, text string) (*Formula, error) {
	written, err := modal.Read(ctx, text)
	if err != nil {
		return nil, err
	}
	return &Formula{Modal: written}, nil
}

// whyRefused returns the error about a text that is no formula of either kind, given the errors of both readings;
// modalError is nil if the text cannot be modal.
func whyRefused(ctx context.Context, text string, temporalError, modalError error) error {
	_, errOfRuns := formula.Parse(ctx, text)
	switch {
	case errOfRuns == nil:
		return &OfRunsError{text}
	case modalError != nil && readsFurther(modalError, temporalError):
		return modalError
	}
	return temporalError
}

// isModalFormula reports whether a text is a formula of MCL or of mCRL2.
func isModalFormula(ctx context.Context, text string) bool {
	_, err := modal.Read(ctx, text)
	return err == nil
}

// readsFurther reports whether the reader that fails with err has read at least as much of a text as
// the reader that fails with other: the position of err is not before that of other. It also returns
// true if one of the errors is not about the syntax (but about a library, for example).
func readsFurther(err, other error) bool {
	var at, before *actl.SyntaxError
	if !errors.As(err, &at) || !errors.As(other, &before) {
		return true
	}
	return at.Offset >= before.Offset
}
