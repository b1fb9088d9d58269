//go:build !js

package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() { os.Exit(run(os.Args, os.Stdin, os.Stdout, os.Stderr)) }

// tooLarge returns nil: what is too large is found by the memory that it takes.
func (j *job) tooLarge(int64) error { return nil }

// outliveReaders makes sure that a reader that has seen enough, such as head, is no reason to
// be killed before the files are written and the verdict is returned.
func outliveReaders() (end func()) {
	closed := make(chan os.Signal, 1)
	signal.Notify(closed, syscall.SIGPIPE)
	return func() { signal.Stop(closed) }
}

// watched is set where a page shows how far the work is, and no terminal.
const watched = false
