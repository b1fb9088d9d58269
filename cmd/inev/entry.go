//go:build !js

package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, _ := listening()
	os.Exit(runWithin(ctx, &walked{}, patience, os.Args, os.Stdin, os.Stdout, os.Stderr))
}

// tooLarge returns nil: here only memory limits the size of a model.
func tooLarge(*program, string, int64) error { return nil }

// interruptions are the signals that stop the work in good order. A hang-up is none if the
// caller ignores hang-ups, as nohup does.
func interruptions() []os.Signal {
	all := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		all = append(all, syscall.SIGHUP)
	}
	return all
}

// outliveReaders keeps the program alive when a reader of its output ends early, as head does:
// the files and the verdict are still wanted.
func outliveReaders() (end func()) {
	closed := make(chan os.Signal, 1)
	signal.Notify(closed, syscall.SIGPIPE)
	return func() { signal.Stop(closed) }
}

// watched reports whether a page shows progress instead of a terminal.
const watched = false

// walked is empty: here no question follows another in the same process.
type walked struct{}
