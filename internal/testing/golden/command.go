package golden

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// patience is how long a program of a test may run: far longer than any runs, even on a busy
// machine.
const patience = 5 * time.Minute

// Test has the methods that [testing.TB], tests of scripts and drawn cases of
// package rapid have in common.
type Test interface {
	Errorf(format string, args ...any)
	Cleanup(func())
}

// Command is [exec.Command] for a test that must not wait for ever. If the program runs too long,
// it is asked for the stacks of its goroutines and killed soon after, and the test fails with an
// error that names it.
func Command(t Test, name string, args ...string) *exec.Cmd {
	return CommandWithin(t, patience, name, args...)
}

// CommandWithin is [Command] for a program that may run for so long.
func CommandWithin(t Test, most time.Duration, name string, args ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(context.Background(), most)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Cancel = func() error {
		if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return cmd.Process.Kill()
		}
		t.Errorf("%s %s has not ended after %v", name, strings.Join(args, " "), most)
		if err := cmd.Process.Signal(syscall.SIGQUIT); err == nil || errors.Is(err, os.ErrProcessDone) {
			return err
		}
		return cmd.Process.Kill()
	}
	cmd.WaitDelay = 10 * time.Second
	return cmd
}
