// Command inev explains why a property fails on a labelled transition system:
// inev --help shows how to use it.
//
// The invariant that holds inside: a command turns flags into calls of the
// packages, and their results into output; it computes nothing itself. All
// arguments are checked before a model is read, results are written only when
// they are complete, and every error is one line on standard error.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os/signal"
	"time"

	"github.com/inev-lts/inev/internal/resources"
)

// listening returns a context that ends at the first signal, and a function that stops
// listening. Calling it costs some switches of threads, which a process about to end can save.
func listening() (ctx context.Context, stop func()) {
	ctx, deaf := signal.NotifyContext(context.Background(), interruptions()...)
	// A second signal must not wait until the work ends that the first signal has stopped.
	context.AfterFunc(ctx, deaf)
	end := outliveReaders()
	return ctx, func() { end(); deaf() }
}

// runWithin is the whole program; it ends early when ctx is done, and keeps in w, for later runs,
// the part of the model that was explored.
func runWithin(ctx context.Context, w *walked, patience time.Duration, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if err := cmp.Or(enoughFiles(), resources.Addresses()); err != nil {
		fmt.Fprintf(stderr, "inev: %v\n", err)
		return exitFailed
	}
	p := &program{
		stdin: stdin, stdout: newResults(ctx, stdout), stderr: stderr,
		terminal: isTerminal(stdout), columns: columnsOf(stdout), attended: watched || isTerminal(stderr), patience: patience,
		walked: w,
	}
	err := p.run(ctx, args)
	if err == nil || errors.Is(err, errViolated) || errors.Is(err, errOpen) || errors.Is(err, errFailing) {
		if unwritten := p.stdout.finish(); unwritten != nil {
			err = unwritten
		}
	}
	return p.exitCode(ctx, err)
}
