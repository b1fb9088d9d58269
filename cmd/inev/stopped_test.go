package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
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

// TestStoppedExplanationIsWritten: the file of --json has what is known when time is up, as the report has, so that a
// program that reads it gets the verdict.
func TestStoppedExplanationIsWritten(t *testing.T) {
	folder := t.TempDir()
	model := filepath.Join(folder, "m.aut")
	var text strings.Builder
	const n = 20_000
	fmt.Fprintf(&text, "des (0,%d,%d)\n", 3*n, n)
	for i := range n {
		for k := range 3 {
			fmt.Fprintf(&text, "(%d,L%d,%d)\n", i, (7*i+k)%97, (31*i+17*k+1)%n)
		}
	}
	if err := os.WriteFile(model, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	for limit := 5 * time.Millisecond; limit < time.Minute; limit += limit / 3 {
		written := filepath.Join(folder, limit.String()+".json")
		code, stdout, stderr := called(strings.NewReader(""), "explain", model, "Inev(L1, L2, L3, L4)", "--timeout", limit.String(), "--json", written)
		if !strings.Contains(stderr, "warning: stopped before") {
			continue
		}
		var e struct {
			Verdict  string
			Warnings []string
		}
		file, err := os.ReadFile(written)
		if err == nil {
			err = json.Unmarshal(file, &e)
		}
		if code != exitViolated || err != nil || e.Verdict != "violated" || len(e.Warnings) == 0 {
			t.Errorf("%v: code %d, %v, %+v; output %q, errors %q", limit, code, err, e, stdout, stderr)
		}
		return
	}
	t.Error("no explanation was stopped after the verdict was known")
}
