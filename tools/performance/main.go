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
// This process stays small, and does no work that is measured. On Linux the largest resident memory
// that the system reports for a process is never less than that of the process that started it.
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
	f := parseFlags()
	o, err := f.settings()
	if err != nil {
		log.Fatal(err)
	}
	if err := f.measure(ctx, o); err != nil {
		log.Fatal(err)
	}
}

// flags are the flags of the command.
type flags struct {
	sizes, largest, pipe    string // numbers of transitions
	mcrl2, examples, models string
	inev                    string
	runs                    int
	peerLimit               time.Duration
	output                  string
	// At most one of these pages is given: then only its section is measured and written.
	scale, bandwidth, logs, versions, cores string
	// These are sizes of what such a section measures: the transitions of the largest model that scale
	// explains, the transitions of the smaller models of versions, and the events of logs.
	explained, compared, events string
}

// parseFlags reads the command line, and exits if it is wrong.
func parseFlags() flags {
	var f flags
	flag.StringVar(&f.sizes, "sizes", "1e5,1e6,1e7",
		"numbers of transitions, ascending; the last is that of the reference model")
	flag.StringVar(&f.largest, "largest", "",
		"one more number of transitions, such as 1e8, measured once")
	flag.StringVar(&f.pipe, "pipe", "",
		"the number of transitions of a model from a pipe, such as 1e9, measured once")
	flag.StringVar(&f.mcrl2, "mcrl2", "",
		"the `folders` of mCRL2's tools, if they are not on PATH, in the form of PATH")
	flag.StringVar(&f.examples, "mcrl2-examples", "",
		"the `folder` of the examples in mCRL2's sources: models of some are generated, and measured, too")
	flag.StringVar(&f.models, "mcrl2-models", "",
		"the `folder` in which those models stay; they are generated where it does not have them")
	flag.StringVar(&f.inev, "inev", "", "the `file` of inev, if it is not to be built")
	flag.IntVar(&f.runs, "runs", 3, "how often everything is measured")
	flag.DurationVar(&f.peerLimit, "peer-limit", 15*time.Minute, "how long a tool of others may take")
	flag.StringVar(&f.output, "o", filepath.Join("..", "docs", "research", "performance.md"),
		"the `file` to write; the plot has its name, with .svg")
	f.defineSections()
	flag.Parse()
	return f
}

// defineSections defines the flags that measure a single section of a page.
func (f *flags) defineSections() {
	flag.StringVar(&f.scale, "scale", "",
		"measure nothing but models from pipes, and put that into this Markdown `file`")
	flag.StringVar(&f.bandwidth, "bandwidth", "",
		"measure nothing but memory and disk, and put that into this Markdown `file`")
	flag.StringVar(&f.logs, "logs", "",
		"measure nothing but replays of logs, and put that into this Markdown `file`")
	flag.StringVar(&f.versions, "versions", "",
		"measure nothing but comparisons of versions and logs with few deviations, and put that into this Markdown `file`")
	flag.StringVar(&f.cores, "cores", "",
		"measure nothing but explanations on one core and on two, and put that into this Markdown `file`")
	flag.StringVar(&f.explained, "explained", "1e8",
		"the largest number of transitions that -scale explains")
	flag.StringVar(&f.compared, "compared", "1e5",
		"the number of transitions of the smaller models that -versions compares")
	flag.StringVar(&f.events, "events", "1e7", "how many events -logs replays")
}

// settings returns the settings that the flags ask for. It fails if a flag has no sensible value.
func (f *flags) settings() (settings, error) {
	o := settings{
		mcrl2:     f.mcrl2,
		examples:  f.examples,
		models:    f.models,
		inev:      f.inev,
		runs:      f.runs,
		smallRuns: 50,
		peerLimit: f.peerLimit,
		log:       os.Stderr,
	}
	if err := o.readSizes(f.sizes, f.largest, f.pipe); err != nil {
		return o, err
	}
	if f.inev != "" {
		absolute, err := filepath.Abs(f.inev)
		if err != nil {
			return o, err
		}
		o.inev = absolute
	}
	if f.runs < 1 {
		return o, fmt.Errorf("-runs %d: measure at least once", f.runs)
	}
	return o, nil
}

// measure measures the section that the flags name or, if they name none, everything.
func (f *flags) measure(ctx context.Context, o settings) error {
	switch {
	case f.scale != "":
		return measureScale(ctx, o, f.explained, f.scale)
	case f.bandwidth != "":
		return inLaboratory(ctx, o, func(l *laboratory) error {
			return l.measureBandwidths(ctx, bandwidthExtent, f.bandwidth)
		})
	case f.cores != "":
		return inLaboratory(ctx, o, func(l *laboratory) error {
			return l.twoCores(ctx, f.cores)
		})
	case f.versions != "":
		return measureVersions(ctx, o, f.compared, f.versions)
	case f.logs != "":
		return measureLogs(ctx, o, f.events, f.logs)
	}
	return write(ctx, o, f.output)
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
