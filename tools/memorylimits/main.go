// Command memorylimits measures whether inev keeps to --memory: it runs commands on synthetic
// models of many shapes, first without a limit, and then under limits that are fractions of the
// memory that the first run took.
//
//	go -C tools run ./memorylimits -transitions 1M -seed 1
//
// A run under a limit must take at most a little more than the limit, and either print the same as
// without a limit, or exit with 2, a line with advice, and no file left behind. If a run does not,
// the program reports this and exits with 1. Peaks are those that the kernel reports for a process
// that has ended.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/inev-lts/inev/internal/lts/generate"
	"github.com/inev-lts/inev/internal/options"
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/tools/build"
)

func main() {
	transitions := flag.String("transitions", "1M", "the models have about so many transitions")
	seed := flag.Uint64("seed", 1, "which limits are tried")
	limits := flag.Int("limits", 3, "how many limits are tried for each command")
	shape := flag.String("shape", "", "only this shape")
	only := flag.String("only", "", "only commands that begin with this")
	page := flag.String("page", "",
		"put a summary into this Markdown `file`, in place of the one that is there")
	flag.Parse()
	t := trials{
		transitions: *transitions,
		limits:      *limits,
		seed:        *seed,
		shape:       *shape,
		only:        *only,
		page:        *page,
	}
	if err := t.run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "memorylimits:", err)
		os.Exit(1)
	}
}

// commands are tried on every shape; M is replaced by the model, and F by the formula.
var commands = []string{
	"check M F", "check M F --all --format json", "check M F --algorithm colour",
	"explain M F", "explain M F --full", "explain M F --unfold", "explain M F --format json",
	"explain M F --html page.html", "explain M F --certificate certificate.json", "explain M F --passing fewest",
	"classify M F --format tsv", "enrich M F --format tsv", "path M F --to each --format tsv",
	"info M", "convert M -o other.aut", "convert M F -o other.autx",
	"diagram M F --view quotient -o picture.dot", "diagram M F --view neighbourhoods -o picture.svg",
}

// laboratory is where commands are run.
type laboratory struct {
	program, folder, model, formula string
	random                          *rand.Rand
	limits                          int
	out                             *tabwriter.Writer
	summary                         summary
}

// trials says which commands are tried on which models, as the flags do.
type trials struct {
	transitions string // the size of the models
	limits      int    // how many limits are tried for each command
	seed        uint64
	shape       string // the only shape of models, "" for all
	only        string // how the commands begin
	page        string // the Markdown file for the summary, "" for none
}

// run tries the commands, and writes a table of how they end. It fails if one of them ends otherwise than a
// limit on memory allows.
func (t trials) run(w io.Writer) error {
	n, err := options.Count(t.transitions)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "inev-memorylimits-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	l := &laboratory{
		program: filepath.Join(folder, "inev"),
		folder:  filepath.Join(folder, "work"),
		model:   filepath.Join(folder, "m.aut"),
		random:  rand.New(rand.NewPCG(t.seed, 5)),
		limits:  t.limits,
		out:     tabwriter.NewWriter(w, 0, 0, 2, ' ', 0),
	}
	if err := build.Command(context.Background(), l.program); err != nil {
		return err
	}
	fmt.Fprintln(l.out, "shape\tcommand\ttakes\tlimit\tpeak\tpeak / limit\tends with")
	models, err := shapes(context.Background(), int(n))
	if err != nil {
		return err
	}
	for _, m := range models {
		if t.shape != "" && m.name != t.shape {
			continue
		}
		if err := l.writeModel(m.spec); err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		for _, c := range commands {
			if !strings.HasPrefix(c, t.only) {
				continue
			}
			if err := l.measure(m.name, c); err != nil {
				return fmt.Errorf("%s: %s: %w", m.name, c, err)
			}
		}
	}
	if t.page != "" {
		flags := fmt.Sprintf("-transitions %s -limits %d -seed %d", t.transitions, t.limits, t.seed)
		if err := l.summary.into(t.page, flags); err != nil {
			return err
		}
	}
	if l.summary.wrong > 0 {
		return fmt.Errorf("%d things went wrong", l.summary.wrong)
	}
	return nil
}

func (l *laboratory) writeModel(spec generate.Spec) (err error) {
	if l.formula, err = spec.Formula(); err != nil {
		return err
	}
	f, err := os.Create(l.model)
	if err != nil {
		return err
	}
	defer f.Close()
	return generate.Write(context.Background(), f, spec)
}

// measure runs a command without a limit, and then under some limits.
func (l *laboratory) measure(shape, command string) error {
	free, err := l.run(command, "none")
	if errors.Is(err, errSlow) {
		fmt.Fprintf(l.out, "%s\t%s\ttakes more than %v\n", shape, command, patience)
		return l.out.Flush()
	}
	if err != nil {
		return err
	}
	l.report(shape, command, free, 0, free, "")
	for range l.limits {
		limit := int64(float64(free.peak) * (0.3 + 0.9*l.random.Float64()))
		limited, err := l.run(command, fmt.Sprint(limit))
		if err != nil {
			return err
		}
		l.report(shape, command, free, limit, limited, fault(command, free, limited, limit))
	}
	return nil
}

// report writes a row about a command under a limit of memory, beside the same command without one. fault says
// what was wrong, "" if nothing was.
func (l *laboratory) report(
	shape, command string,
	free outcome,
	limit int64,
	limited outcome,
	fault string,
) {
	size := progress.Bytes.Format
	ratio, bound := "", "none"
	if limit > 0 {
		ratio, bound = fmt.Sprintf("%.2f", float64(limited.peak)/float64(limit)), size(limit)
		l.summary.count(shape, command, limit, limited, fault)
	}
	ending := fmt.Sprint(limited.exitCode)
	if limited.exitCode == exitRefused {
		_, phase, _ := strings.Cut(limited.stderr, "m.aut: ")
		phase, _, _ = strings.Cut(phase, ":")
		ending += " " + phase
	}
	if fault != "" {
		ending += "  WRONG: " + fault
	}
	fmt.Fprintf(l.out, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", shape, command, size(free.peak), bound,
		size(limited.peak), ratio, ending)
	l.out.Flush()
}
