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

// run is the whole program: it returns the exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return runPatiently(patience, args, stdin, stdout, stderr)
}

// runPatiently is run with progress shown after another time than usual.
func runPatiently(patience time.Duration, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := listening()
	defer stop()
	return runWithin(ctx, patience, args, stdin, stdout, stderr)
}

// listening returns a context that the first signal ends, and what stops listening to signals. Each
// of them costs some changes of threads, which a process that is about to end need not pay.
func listening() (ctx context.Context, stop func()) {
	ctx, deaf := signal.NotifyContext(context.Background(), interruptions()...)
	// The first signal asks the work to end in good order, a second one must not
	// be asked to wait for it.
	context.AfterFunc(ctx, deaf)
	end := outliveReaders()
	return ctx, func() { end(); deaf() }
}

// runWithin is the whole program until ctx is done.
func runWithin(ctx context.Context, patience time.Duration, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return runWalking(ctx, &walked{}, patience, args, stdin, stdout, stderr)
}

// runWalking is runWithin, and may keep for later runs what was walked through.
func runWalking(ctx context.Context, w *walked, patience time.Duration, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
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
