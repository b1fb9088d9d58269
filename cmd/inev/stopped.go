package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/resources"
)

// known returns the explanation of work that was stopped, by a limit of time or of memory, when the
// verdict was known: that is told, with a warning that says what was not done. It returns the
// error elsewhere, and where the user has interrupted the work.
func (j *job) known(e *explain.Explanation, err error) (*explain.Explanation, error) {
	var stopped *explain.StoppedError
	if e == nil || !errors.As(err, &stopped) {
		return nil, err
	}
	cause := resources.Because(j.ctx, stopped.Err)
	var timeout *timeoutError
	if errors.As(context.Cause(j.ctx), &timeout) {
		cause = timeout
	}
	if isDone(cause) {
		return nil, err
	}
	text := strings.TrimPrefix(say(cause), "stopped ")
	j.outlive()
	return e.Warned("stopped before " + stopped.Before + ": " + text), nil
}

// unwrittenError is the error of files that were asked for and are not written, since an explanation was stopped.
type unwrittenError struct {
	files   []string
	verdict explain.Verdict // which was found all the same
}

func (e *unwrittenError) Error() string {
	are := "are"
	if len(e.files) == 1 {
		are = "is"
	}
	return fmt.Sprintf("%s %s not written, for the explanation was stopped (the property is %s); allow it more, or ask for less",
		strings.Join(e.files, ", "), are, e.verdict)
}

// tellKnown writes the report of an explanation that was stopped. It fails with an [unwrittenError] if other files
// were asked for.
func (j *job) tellKnown(e *explain.Explanation) error {
	j.account(e.Timings)
	j.warn(e.Warnings)
	missing := unwrittenError{verdict: e.Verdict}
	for _, a := range j.artefacts() {
		if path := j.flag(a.flag); path != "" {
			missing.files = append(missing.files, path)
		}
	}
	if err := j.print(func(w io.Writer) error { return j.report.Explanation(w, e) }); err != nil {
		return err
	}
	if len(missing.files) > 0 {
		return errors.Join(&missing, j.stdout.finish()) // the report is true all the same
	}
	return verdict(e)
}

// outlive lets the result of a search that was stopped be written all the same.
func (j *job) outlive() { j.ctx = context.WithoutCancel(j.ctx) }

// isDone reports whether a search failed because its context is done.
func isDone(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
