package main

import (
	"context"
	"errors"
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

// outlive lets the result of a search that was stopped be written all the same.
func (j *job) outlive() { j.ctx = context.WithoutCancel(j.ctx) }

// isDone reports whether a search failed because its context is done.
func isDone(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
