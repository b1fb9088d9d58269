//go:build !js

package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, _ := listening()
	os.Exit(runWithin(ctx, patience, os.Args, os.Stdin, os.Stdout, os.Stderr))
}

// tooLarge returns nil: what is too large is found by the memory that it takes.
func tooLarge(*program, string, int64) error { return nil }

// interruptions are the signals that end the work in good order. Who has hang-ups ignored, as nohup
// does, does not want them to end it.
func interruptions() []os.Signal {
	all := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		all = append(all, syscall.SIGHUP)
	}
	return all
}

// outliveReaders makes sure that a reader that has seen enough, such as head, is no reason to
// be killed before the files are written and the verdict is returned.
func outliveReaders() (end func()) {
	closed := make(chan os.Signal, 1)
	signal.Notify(closed, syscall.SIGPIPE)
	return func() { signal.Stop(closed) }
}

// watched is set where a page shows how far the work is, and no terminal.
const watched = false

// walked is nothing: a command ends with its answer.
type walked struct{}
