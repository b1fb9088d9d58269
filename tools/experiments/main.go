// Command experiments prints docs/research/experiments.md: the results of the algorithms of package
// buchi, and of the search in the model itself, for the models and random graphs of the papers,
// next to the figures in the papers.
//
//	go -C tools run ./experiments -clear CLEAR -agency FILE -peterson FILE -measure heap,searches > docs/research/experiments.md
//
// is run in the root of the main module. The rows about SPIN need spin and gcc on PATH. The rows
// about CLEAR, the published agency and SPIN's own model need the named files; without its file, a
// row stays as it is in the document. Times stay as they are without -measure.
//
// Apart from the rows about SPIN, CLEAR and times, the document depends on nothing but the models
// of the examples folder and fixed seeds, so that every run prints the same bytes.
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"strings"
	"time"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("experiments: ")
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	clear := flag.String("clear", "", "compare with the examples of CLEAR in this `FOLDER`")
	agency := flag.String("agency", "",
		"compare with the published model of the sanitary agency in this `FILE`")
	peterson := flag.String("peterson", "",
		"run SPIN on the model Examples/peterson.pml of its distribution in this `FILE`")
	measured := flag.String("measure", "",
		"measure the times of `WHAT` anew: heap, searches, or both with a comma")
	fit := flag.Bool("fit", false,
		"look for parameters of random graphs that come near to Table 2, and print these only")
	flag.Parse()
	if *fit {
		if err := writeFit(ctx, os.Stdout); err != nil {
			log.Fatal(err)
		}
		return
	}
	committed, err := os.ReadFile("../docs/research/experiments.md")
	if err != nil {
		log.Fatal(err)
	}
	out := bufio.NewWriter(os.Stdout)
	from := sourcesIn(ctx, string(committed))
	if strings.Contains(*measured, "heap") {
		from.heap = func() (string, error) { return heapRows(ctx, "..") }
	}
	if strings.Contains(*measured, "searches") {
		from.times = func() (string, error) { return measure(ctx) }
	}
	if *peterson != "" {
		from.distribution = func() (string, error) {
			return distributionRows(ctx, *peterson)
		}
	}
	if *agency != "" {
		from.agency = func() (string, error) {
			m, err := openModel(ctx, *agency)
			if err != nil {
				return "", err
			}
			row, err := agencyRow(ctx, m)
			return publishedRow + row, err
		}
	}
	if *clear != "" {
		from.clear = func() (string, error) {
			return clearRows(ctx, *clear, time.Now().Format(time.DateOnly))
		}
	}
	err = writeDocument(ctx, out, "..", from)
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		log.Fatal(err)
	}
}

// sourcesIn returns sources that repeat what the committed document says, but for the rows of SPIN, which are measured if
// SPIN is installed.
func sourcesIn(ctx context.Context, committed string) sources {
	return sources{
		spin: func(s subject) (spinRows, error) {
			rows, err := runSPIN(ctx, s)
			if kept := rowsIn(committed, s.name); rows == notInstalled && kept != "" {
				return kept, err
			}
			return rows, err
		},
		agency: func() (string, error) {
			return rowBeginning(committed, publishedRow), nil
		},
		clear: func() (string, error) {
			return tableBelow(committed, clearOpening), nil
		},
		heap: func() (string, error) {
			return tableBelow(committed, heapOpening), nil
		},
		times: func() (string, error) {
			return timesIn(committed), nil
		},
		distribution: func() (string, error) {
			return string(rowsIn(committed, distributed)), nil
		},
	}
}

// figures are the cells of a table about a search; a cell without a figure is empty.
type figures struct {
	search                                      string
	length, transitions, stored, matched, found string
}

func (f figures) String() string {
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %s |\n", f.search, f.length, f.transitions,
		f.stored, f.matched, f.found)
}
