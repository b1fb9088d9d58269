// Command performance measures inev and writes docs/research/performance.md and its plot.
//
//	go -C tools run ./performance
//
// is run in the root of the main module, on a machine that does nothing else. The models are
// generated into a temporary folder, and every piece of work runs in a process of its own, several
// times: the rows of a table take turns, so that anything that slows the machine down slows all of
// them. The mCRL2 tools that are found on PATH or in the folders of -mcrl2 run on the same files;
// no other tool is built. With -mcrl2-examples FOLDER, the examples in mCRL2's sources, they
// generate some large models, too, which takes minutes unless -mcrl2-models FOLDER has them
// already. A test of all this with small models takes a minute:
//
//	go -C tools run ./performance -sizes 1e4,1e5 -runs 1 -o FILE.md
//
// The invariant that holds inside: this process stays small, and does no work that is measured. On
// Linux the largest resident memory that the system reports for a process is never less than that
// of the process that started it.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/inev-lts/inev/internal/options"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("performance: ")
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if len(os.Args) == 3 && os.Args[1] == taskArgument {
		if err := runTask(ctx, os.Stdout, os.Args[2]); err != nil {
			log.Fatal(err)
		}
		return
	}
	sizes := flag.String("sizes", "1e5,1e6,1e7",
		"numbers of transitions, ascending; the last is that of the reference model")
	largest := flag.String("largest", "",
		"one more number of transitions, such as 1e8, measured once")
	pipe := flag.String("pipe", "",
		"the number of transitions of a model from a pipe, such as 1e9, measured once")
	mcrl2 := flag.String("mcrl2", "",
		"the `folders` of mCRL2's tools, if they are not on PATH, in the form of PATH")
	examples := flag.String("mcrl2-examples", "",
		"the `folder` of the examples in mCRL2's sources: models of some are generated, and measured, too")
	models := flag.String("mcrl2-models", "",
		"the `folder` in which those models stay; they are generated where it does not have them")
	inev := flag.String("inev", "", "the `file` of inev, if it is not to be built")
	runs := flag.Int("runs", 3, "how often everything is measured")
	limit := flag.Duration("peer-limit", 15*time.Minute, "how long a tool of others may take")
	output := flag.String("o", filepath.Join("..", "docs", "research", "performance.md"),
		"the `file` to write; the plot has its name, with .svg")
	scale := flag.String("scale", "",
		"measure nothing but models from pipes, and put that into this Markdown `file`")
	bandwidth := flag.String("bandwidth", "",
		"measure nothing but memory and disk, and put that into this Markdown `file`")
	logs := flag.String("logs", "",
		"measure nothing but replays of logs, and put that into this Markdown `file`")
	versions := flag.String("versions", "",
		"measure nothing but comparisons of versions and logs with few deviations, and put that into this Markdown `file`")
	compared := flag.String("compared", "1e5",
		"the number of transitions of the smaller models that -versions compares")
	cores := flag.String("cores", "",
		"measure nothing but explanations on one core and on two, and put that into this Markdown `file`")
	events := flag.String("events", "1e7", "how many events -logs replays")
	explained := flag.String("explained", "1e8",
		"the largest number of transitions that -scale explains")
	flag.Parse()
	o := settings{
		mcrl2:     *mcrl2,
		examples:  *examples,
		models:    *models,
		inev:      *inev,
		runs:      *runs,
		smallRuns: 50,
		peerLimit: *limit,
		log:       os.Stderr,
	}
	err := o.readSizes(*sizes, *largest, *pipe)
	if err == nil && *inev != "" {
		o.inev, err = filepath.Abs(*inev)
	}
	if err == nil && *runs < 1 {
		err = fmt.Errorf("-runs %d: measure at least once", *runs)
	}
	switch {
	case err != nil:
	case *scale != "":
		err = measureScale(ctx, o, *explained, *scale)
	case *bandwidth != "":
		err = inLaboratory(ctx, o, func(l *laboratory) error {
			return l.measureBandwidths(ctx, bandwidthExtent, *bandwidth)
		})
	case *cores != "":
		err = inLaboratory(ctx, o, func(l *laboratory) error {
			return l.twoCores(ctx, *cores)
		})
	case *versions != "":
		err = measureVersions(ctx, o, *compared, *versions)
	case *logs != "":
		err = measureLogs(ctx, o, *events, *logs)
	default:
		err = write(ctx, o, *output)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// settings are those of a run.
type settings struct {
	sizes   []int
	largest int // 0 if no scale is measured
	pipe    int // 0 if no model from a pipe is measured
	mcrl2   string
	// examples is the folder of mCRL2's examples, "" if they are not measured; models is the folder
	// that keeps the models generated from them, "" if none are kept.
	examples, models string
	inev             string // "" if the program must be built
	runs             int
	// smallRuns is how often a small model is explained.
	smallRuns int
	// scalePage is the page with the measurements from pipes.
	scalePage string
	peerLimit time.Duration
	log       io.Writer
}

// readSizes reads the numbers of transitions.
func (o *settings) readSizes(sizes, largest, pipe string) error {
	for _, text := range strings.Split(sizes, ",") {
		n, err := options.Count(text)
		if err != nil {
			return fmt.Errorf("-sizes: %w", err)
		}
		o.sizes = append(o.sizes, int(n))
	}
	if !slices.IsSorted(o.sizes) || o.sizes[0] < leastSize {
		return fmt.Errorf("-sizes %s: give numbers from %d on, in ascending order", sizes,
			leastSize)
	}
	for _, more := range []struct {
		name, text string
		n          *int
	}{{"largest", largest, &o.largest}, {"pipe", pipe, &o.pipe}} {
		if more.text == "" {
			continue
		}
		n, err := options.Count(more.text)
		if err != nil {
			return fmt.Errorf("-%s: %w", more.name, err)
		}
		*more.n = int(n)
	}
	return nil
}

// leastSize is the smallest size of the reference model for which all models have transitions, also
// those that are a fraction of its size.
const leastSize = 1000

// write measures everything, and writes the document and its plot.
func write(ctx context.Context, o settings, output string) error {
	o.scalePage = filepath.Join(filepath.Dir(output), "scale.md")
	return inLaboratory(ctx, o, func(l *laboratory) error {
		plot := strings.TrimSuffix(output, filepath.Ext(output)) + ".svg"
		text, sizes, err := l.document(ctx, filepath.Base(plot))
		if err != nil {
			return err
		}
		picture, err := draw(sizes)
		if err != nil {
			return err
		}
		if err := os.WriteFile(plot, picture, 0o644); err != nil {
			return err
		}
		return os.WriteFile(output,
			[]byte(text+sectionOf(output, "What stays serial")+
				sectionOf(output, "Limits of memory")+sectionOf(output, "Logs")+
				sectionOf(output, "Versions and deviations")+
				sectionOf(output, "Beside SPIN and TLC")), 0o644)
	})
}

// measureScale measures how time and memory grow, and writes the figures into a page.
func measureScale(ctx context.Context, o settings, explained, page string) error {
	n, err := options.Count(explained)
	if err != nil {
		return fmt.Errorf("-explained: %w", err)
	}
	return inLaboratory(ctx, o, func(l *laboratory) error {
		return l.measureScale(ctx, int(n), page)
	})
}

// inLaboratory does something in a laboratory, and removes the laboratory.
func inLaboratory(ctx context.Context, o settings, do func(*laboratory) error) (err error) {
	l, err := newLaboratory(ctx, o)
	if err != nil {
		return err
	}
	defer func() {
		if removeErr := os.RemoveAll(l.folder); err == nil {
			err = removeErr
		}
	}()
	return do(l)
}

// measureVersions measures comparisons of versions, and replays of logs with few deviations, and writes
// the figures into a page.
func measureVersions(ctx context.Context, o settings, compared, page string) error {
	n, err := options.Count(compared)
	if err != nil {
		return fmt.Errorf("-compared: %w", err)
	}
	return inLaboratory(ctx, o, func(l *laboratory) error {
		return l.measureVersions(ctx, int(n), page)
	})
}

// measureLogs measures replays of logs, and writes the figures into a page.
func measureLogs(ctx context.Context, o settings, events, page string) error {
	n, err := options.Count(events)
	if err != nil {
		return fmt.Errorf("-events: %w", err)
	}
	return inLaboratory(ctx, o, func(l *laboratory) error {
		return l.measureLogs(ctx, int(n), page)
	})
}

// sectionOf returns a section of a page, "" if the page has no such section. The text of a section
// names the run or program that writes the section.
func sectionOf(page, heading string) string {
	heading = "\n## " + heading + "\n"
	old, err := os.ReadFile(page)
	if err != nil {
		return ""
	}
	_, section, hasSection := strings.Cut(string(old), heading)
	if !hasSection {
		return ""
	}
	section, _, _ = strings.Cut(section, "\n## ")
	return heading + strings.TrimRight(section, "\n") + "\n"
}
