package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/inev-lts/inev/cmd/wording"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/printable"
)

// Exit codes.
const (
	exitDone        = 0 // the property holds, or the command did its work
	exitViolated    = 1
	exitFailed      = 2
	exitOpen        = 3   // of inev watch and replay: the property is neither satisfied nor violated yet
	exitInterrupted = 130 // as shells count: 128 and the number of the signal
)

// errViolated is the error of a command that did its work and found the property violated.
var errViolated = errors.New("the property is violated")

// errOpen is the error of a watch whose verdict is still open.
var errOpen = errors.New("the property is open")

// errFailing is the error of a batch that was done and has failing jobs.
var errFailing = errors.New("jobs of the batch fail")

// violatedIf ends the command as one that found the property violated, if it did.
func violatedIf(is bool) {
	if is {
		abort.On(errViolated)
	}
}

// interruptedError is the error of a batch that was stopped: it names the results that are kept.
type interruptedError struct{ kept string }

func (e *interruptedError) Error() string { return "interrupted: " + e.kept }

// usageError is the error of a wrong command line.
type usageError struct {
	command string // "" if no command was recognised
	message string
}

func (e *usageError) Error() string {
	if e.command == "" {
		return e.message
	}
	return e.command + ": " + e.message
}

// timeoutError is the cause of a context that --timeout has ended.
type timeoutError struct{ after time.Duration }

func (e *timeoutError) Error() string {
	return fmt.Sprintf("stopped after %v (--timeout); allow it more time, or leave --timeout out", e.after)
}

// exitCode shows an error, unless the error only stands for a verdict, and returns the exit code.
func (p *program) exitCode(ctx context.Context, err error) int {
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, errViolated), errors.Is(err, errFailing):
		return exitViolated
	case errors.Is(err, errOpen):
		return exitOpen
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		fmt.Fprintln(p.stderr, "inev: interrupted")
		return exitInterrupted
	}
	var interrupted *interruptedError
	if errors.As(err, &interrupted) {
		fmt.Fprintf(p.stderr, "inev: %s\n", p.brief(wording.Text(err)))
		return exitInterrupted
	}
	if tellManifest(p.stderr, err) {
		return exitFailed
	}
	fmt.Fprintf(p.stderr, "inev: %s\n", p.brief(wording.Text(err)))
	tellFailure(p.stderr, err)
	var placed interface {
		error
		Caret() string
	}
	if errors.As(err, &placed) && placed.Caret() != "" {
		fmt.Fprintln(p.stderr, placed.Caret())
	}
	return exitFailed
}

// brief returns a message as it is shown, with long arguments of the command line cut.
func (p *program) brief(message string) string {
	given := make([]string, 0, len(p.line))
	for _, word := range p.line {
		if name, value, is := strings.Cut(word, "="); is && strings.HasPrefix(name, "-") {
			word = value
		}
		given = append(given, strings.TrimLeft(word, "-"), filepath.Dir(word))
	}
	return printable.Brief(message, given...)
}

// tellFailure shows the output of a tool that failed, below the error, the last line first.
func tellFailure(w io.Writer, err error) {
	var failed interface{ Said() ([]string, int) }
	if !errors.As(err, &failed) {
		return
	}
	lines, total := failed.Said()
	if total == 0 {
		return
	}
	what := "all that it said"
	if len(lines) < total {
		what = fmt.Sprintf("%d of %d lines that it said", len(lines), total)
	}
	fmt.Fprintf(w, "inev: %s, the last one first:\n", what)
	for _, line := range lines {
		fmt.Fprintf(w, "  %s\n", printable.Text(line))
	}
}
