// Command interrupts measures how long inev continues after Ctrl-C: it starts commands on a large
// model, interrupts each of them at many moments, and prints the longest times from the signal to
// the exit.
//
//	go -C tools run ./interrupts -transitions 10M -times 20 -seed 1
//
// If a command leaves a file behind, exits with another code than 130, or prints more than the
// message that it was interrupted, the program reports this and exits with 1. People must judge the
// times: they depend on the machine, and on its other work.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/inev-lts/inev/internal/lts/generate"
	"github.com/inev-lts/inev/internal/options"
	"github.com/inev-lts/inev/tools/build"
)

func main() {
	transitions := flag.String("transitions", "10M", "the model has about so many transitions")
	times := flag.Int("times", 20, "how often each command is interrupted")
	seed := flag.Uint64("seed", 1, "at which moments")
	only := flag.String("only", "", "only commands that begin with this")
	stacks := flag.Duration("stacks", 0,
		"report the commands that run for longer than this")
	flag.Parse()
	i := interruptions{
		transitions: *transitions,
		times:       *times,
		seed:        *seed,
		only:        *only,
		dumpAfter:   *stacks,
	}
	if err := i.run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "interrupts:", err)
		os.Exit(1)
	}
}

// interruptions says which commands are interrupted, and how often, as the flags do.
type interruptions struct {
	transitions string // the size of the model
	times       int    // how often each command is interrupted
	seed        uint64
	only        string        // how the commands begin
	dumpAfter   time.Duration // after how long the stacks of a command are reported; 0 for never
}

// run interrupts the commands, and writes a table of how soon they end. It fails if one does not end in good
// order.
func (i interruptions) run(w io.Writer) error {
	folder, err := os.MkdirTemp("", "inev-interrupts-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	program := filepath.Join(folder, "inev")
	if err := build.Command(context.Background(), program); err != nil {
		return err
	}
	l := &laboratory{
		program:   program,
		folder:    filepath.Join(folder, "work"),
		dumpAfter: i.dumpAfter,
	}
	if err := os.Mkdir(l.folder, 0o755); err != nil {
		return err
	}
	commands, err := l.prepare(i.transitions)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "command\ttakes\tinterrupted\tmedian\tlongest\tafter")
	wrong := 0
	for _, c := range commands {
		if !strings.HasPrefix(strings.Join(c, " "), i.only) {
			continue
		}
		m, err := l.measure(c, i.times, i.seed)
		if err != nil {
			return err
		}
		fmt.Fprintf(table, "%s\t%.2f s\t%d\t%.3f s\t%.3f s\t%.2f s\n", shortened(c),
			m.duration.Seconds(), len(m.delays), m.median().Seconds(), m.longest.Seconds(), m.longestAfter.Seconds())
		for _, text := range m.stacks {
			fmt.Fprintf(table, "  %s\n", text)
		}
		for _, text := range m.faults {
			wrong++
			fmt.Fprintf(table, "  %s\n", text)
		}
		if err := table.Flush(); err != nil {
			return err
		}
	}
	if wrong > 0 {
		return fmt.Errorf("%d things went wrong", wrong)
	}
	return nil
}

// prepare writes the files that the commands read, and returns the arguments that name them.
func (l *laboratory) prepare(transitions string) ([][]string, error) {
	n, err := options.Count(transitions)
	if err != nil {
		return nil, err
	}
	spec := generate.Spec{
		Kind:     "scc",
		States:   int(n / 4),
		Degree:   4,
		Locality: 1000,
		Labels:   1000,
	}
	f, err := os.Create(filepath.Join(l.folder, "m.aut"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := generate.Write(context.Background(), f, spec); err != nil {
		return nil, err
	}
	formula, err := spec.Formula()
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, 100_000)
	for i := range cap(names) {
		names = append(names, fmt.Sprintf("a%dz", i))
	}
	for name, text := range map[string]string{
		"large.inev": "Inev(/(x+x+)+y|" + strings.Join(names, "|") + "/)\n",
		"set.inev":   "Inev({" + strings.Join(names, ", ") + "})\n",
		"m.csv":      "model,formula\nm.aut,\"" + strings.ReplaceAll(formula, `"`, `""`) + "\"\n",
		"glob.csv":   "model,formula\n/*/*/*/*/*.aut,Inev(A)\n",
	} {
		if err := os.WriteFile(filepath.Join(l.folder, name), []byte(text), 0o644); err != nil {
			return nil, err
		}
	}
	return [][]string{
		{"info", "m.aut"},
		{"check", "m.aut", formula},
		{"check", "m.aut", formula, "--all"},
		{"explain", "m.aut", formula, "--json", "out/x.json", "--trace", "out/x.seq", "--autx", "out/x.autx", "--certificate", "out/y.json", "-o", "out/x.txt"},
		{"explain", "m.aut", formula, "--unfold", "-o", "out/x.json"},
		{"explain", "m.aut", formula, "--html", "out/x.html", "-o", "out/x.md"},
		{"enrich", "m.aut", formula, "-o", "out/x.tsv"},
		{"classify", "m.aut", formula, "-o", "out/x.json"},
		{"classify", "m.aut", formula, "--neighbourhoods", "-o", "out/x.tsv"},
		{"path", "m.aut", formula, "--to", "each", "-o", "out/x.tsv"},
		{"diagram", "m.aut", formula, "--view", "quotient", "-o", "out/x.svg"},
		{"convert", "m.aut", "-o", "out/x.aut.zst"},
		{"convert", "m.aut", formula, "-o", "out/x.autx"},
		{"generate", "scc", "--states", "5M", "-o", "out/x.aut.gz"},
		{"batch", "m.csv", "-o", "out/results"},
		{"batch", "glob.csv", "-o", "out/results"},
		{"check", "m.aut", "--formula", "large.inev"},
		{"formula", "--formula", "large.inev", "--format", "json"},
		{"formula", "--formula", "set.inev"},
	}, nil
}

// shortened returns a command line as a table shows it.
func shortened(args []string) string {
	text := []rune(strings.Join(args, " "))
	const most = 60
	if len(text) > most {
		text = append(text[:most-1], '…')
	}
	return string(text)
}
