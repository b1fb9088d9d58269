package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/inev-lts/inev/explain"
)

// TestKnown: a verdict that is known is told with one line on what was not done where time is up,
// and not where the user has interrupted the work, nor where it failed of itself.
func TestKnown(t *testing.T) {
	timeUp, stop := context.WithDeadlineCause(context.Background(), time.Unix(0, 0), &timeoutError{time.Minute})
	defer stop()
	interrupted, interrupt := context.WithCancel(context.Background())
	interrupt()
	for _, c := range []struct {
		ctx  context.Context
		err  error
		want []string
	}{
		{timeUp, &explain.StoppedError{Before: "advice", Err: context.DeadlineExceeded},
			[]string{"a", "stopped before advice: after 1m0s (--timeout); allow it more time, or leave --timeout out"}},
		{interrupted, &explain.StoppedError{Before: "advice", Err: context.Canceled}, nil},
		{timeUp, context.DeadlineExceeded, nil},
		{context.Background(), errors.New("wrong"), nil},
		{context.Background(), fmt.Errorf("wrong: %w", errViolated), nil},
	} {
		j := &limited{call: call{ctx: c.ctx}}
		e, err := j.keepVerdict(&explain.Explanation{Warnings: []string{"a"}}, c.err)
		if c.want == nil {
			if e != nil || err != c.err {
				t.Errorf("%v: %v, %v", c.err, e, err)
			}
			continue
		}
		if err != nil || !slices.Equal(e.Warnings, c.want) || j.ctx.Err() != nil {
			t.Errorf("%v: %v, %v", c.err, e, err)
		}
	}
}
