//go:build linux

// Command soak runs inev for a given time: random commands on random models, damaged files among
// them, under random limits, interrupted and killed at random moments. It compares their results
// with brute force, and the files that they leave with the allowed ones.
//
//	go -C tools run ./soak -for 30m -seed 1
//
// A failure is printed with the number of its round, which can be run again alone:
//
//	go -C tools run ./soak -rounds 1 -seed 4711 -keep /tmp/soak
//
// Signals reach a command at another moment each time, so that a round with signals may have to be
// run several times. The exit code is 1 if there was a failure.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"

	"github.com/inev-lts/inev/tools/build"
)

func main() {
	o := options{}
	flag.DurationVar(&o.duration, "for", 0,
		"how long, such as 30m; 0: as many rounds as -rounds says")
	flag.IntVar(&o.rounds, "rounds", 100, "how many rounds, where there is no -for")
	flag.Uint64Var(&o.seed, "seed", 1, "the number of the first round; the others follow")
	flag.StringVar(&o.scene, "scene", "", "only scenes of this name")
	flag.StringVar(&o.program, "program", "",
		"the inev to run (default: built from this source)")
	flag.StringVar(&o.keep, "keep", "",
		"the folder to work in, which is kept, with the files of the last round")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := soak(ctx, os.Stdout, o); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

type options struct {
	duration             time.Duration
	rounds               int
	seed                 uint64
	scene, program, keep string
}

// soak runs rounds and prints failures at once. At the end, or when the context is done, it prints
// how often each command was run, and how it ended.
func soak(ctx context.Context, w io.Writer, o options) error {
	folder := o.keep
	if folder == "" {
		var err error
		if folder, err = os.MkdirTemp("", "inev-soak-"); err != nil {
			return err
		}
		defer os.RemoveAll(folder)
	}
	folder, err := filepath.Abs(folder)
	if err != nil {
		return err
	}
	if o.program == "" {
		o.program = filepath.Join(folder, "inev")
		if err := build.Command(ctx, o.program); err != nil {
			return err
		}
	}
	schemas, err := compileSchemas()
	if err != nil {
		return err
	}
	t := tally{ends: map[string]map[string]int{}}
	start := time.Now()
	goesOn := func(i int) bool {
		return ctx.Err() == nil &&
			(o.duration == 0 && i < o.rounds ||
				o.duration > 0 && time.Since(start) < o.duration)
	}
	for i := 0; goesOn(i); i++ {
		r := newRound(o.seed+uint64(i), o.program, filepath.Join(folder, "round"), schemas, &t)
		if o.scene != "" && r.scene != o.scene {
			continue
		}
		before := time.Now()
		if err := r.run(); err != nil {
			return fmt.Errorf("round %d: %w", r.seed, err)
		}
		if took := time.Since(before); took > t.took {
			t.took, t.longest = took, r.seed
		}
		t.rounds++
		for _, text := range r.faults {
			fmt.Fprintf(w, "round %d (%s): %s\n\n", r.seed, r.scene, text)
		}
		t.wrong += len(r.faults)
	}
	if err := t.write(w); err != nil {
		return err
	}
	if t.wrong > 0 {
		return fmt.Errorf("%d things went wrong", t.wrong)
	}
	return nil
}

// tally counts how commands ended.
type tally struct {
	rounds, wrong, sentences int
	longest                  uint64 // the longest round
	took                     time.Duration
	ends                     map[string]map[string]int
}

func (t *tally) count(command, end string) {
	if t.ends[command] == nil {
		t.ends[command] = map[string]int{}
	}
	t.ends[command][end]++
}

// write writes how often each command was run, and how it ended.
func (t *tally) write(w io.Writer) error {
	commands := make([]string, 0, len(t.ends))
	ends := []string{"0", "1", "2", "130", "killed"}
	for name := range t.ends {
		commands = append(commands, name)
	}
	slices.Sort(commands)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(table, "command\t%s\t\n", strings.Join(ends, "\t"))
	for _, name := range commands {
		fmt.Fprintf(table, "%s\t", name)
		for _, end := range ends {
			fmt.Fprintf(table, "%d\t", t.ends[name][end])
		}
		fmt.Fprintln(table)
	}
	_, err := fmt.Fprintf(w,
		"%d rounds, %d sentences read back, %d things wrong; the longest was round %d: %.0f s\n",
		t.rounds, t.sentences, t.wrong, t.longest, t.took.Seconds())
	return errors.Join(table.Flush(), err)
}
