// Command experiments prints docs/experiments.md: what the algorithms of package
// buchi, and the search on the model itself, do on the algorithms and random
// graphs of the papers, next to the figures that the papers report.
//
//	go -C tools run ./experiments > docs/experiments.md
//
// is run in the root of the main module. The rows about SPIN need spin and gcc on PATH.
//
// The invariant that holds inside: SPIN's rows aside, the document depends on
// nothing but the models of the examples folder and fixed seeds, so that every
// run prints the same bytes. That is why it has no timings.
package main

import (
	"bufio"
	"context"
	"fmt"
	"log"
	"os"
	"os/signal"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("experiments: ")
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	out := bufio.NewWriter(os.Stdout)
	err := writeDocument(ctx, out, "..", func(s subject) (spinRows, error) { return runSPIN(ctx, s) })
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		log.Fatal(err)
	}
}

// figures are what a row of a table tells of a search; a cell without a figure is
// empty.
type figures struct {
	search                                      string
	length, transitions, stored, matched, found string
}

func (f figures) String() string {
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %s |\n", f.search, f.length, f.transitions, f.stored, f.matched, f.found)
}
