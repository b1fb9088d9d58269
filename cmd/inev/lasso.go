//go:build !js

package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/buchi"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/stoppable"
	"github.com/inev-lts/inev/report"
)

func lassoCommand(p *program) *cli.Command {
	algorithm := value(methodFlags, "algorithm", "search by `ALGORITHM`: "+alternatives(buchi.Algorithms()))
	algorithm.Value, algorithm.DefaultText = buchi.ByPriority.String(), buchi.ByPriority.String()
	return page(&cli.Command{
		Name:      "lasso",
		Usage:     "find a short accepting lasso in a Büchi automaton",
		ArgsUsage: "FILE",
		Description: `FILE (below: a.hoa) is a Büchi automaton in the Hanoi format (HOA v1), or - for
standard input; if it has several, the first is used. A lasso is a path from the
initial state into a loop through an accepting state: an infinite run in finite form.
In the product of a system with the negation of a property, it is a counterexample.
Exit code: 0 if no run is accepting, 1 if one is, even if no lasso is below the bound.

  colour    the first lasso found, in linear time
  contrex   ever shorter ones, a shortest last; exponential at worst
  priority  a shortest one, in polynomial time

Lengths count states; the state that closes the loop counts twice, so they are one
more than the number of transitions. Lassos are lassos of FILE, even if its marks are
on edges or it has several initial states.`,
		Flags: slices.Concat(reporting(), []cli.Flag{
			inFull(), value(alsoFlags, "dot", "write a picture of the colours after the colour search for Graphviz to `FILE`.dot"),
			toggle(methodFlags, "all", "list a smallest lasso for each accepting state that is on a loop"),
		}, automatonFlags(algorithm), modelRun()),
		Action: action(p, findLasso),
	},
		`inev lasso a.hoa`,
		`inev lasso a.hoa --algorithm contrex --bound 10 --format json`)
}

func findLasso(j *job) error {
	o, err := j.readAlgorithm()
	if err != nil {
		return err
	}
	if o == nil {
		return j.refuse("--algorithm: %s searches models, not automata; choose %s", onModel, alternatives(buchi.Algorithms()))
	}
	d, err := j.readAutomaton(j.operands[0])
	if err != nil {
		return err
	}
	if path := j.flag("dot"); path != "" {
		if err := checkOutput(path, ".dot"); err != nil {
			return err
		}
		if err := j.drawColours(d, path); err != nil {
			return err
		}
	}
	if j.c.Bool("all") {
		return j.findAllLassos(d)
	}
	each := func(_ buchi.Lasso, s buchi.Stats) bool {
		if o.improved != nil {
			o.improved(s)
		}
		return true
	}
	found, stats, err := d.Find(j.ctx, o.FindOptions, each)
	shortest, beyond := o.Algorithm != buchi.ByColour, 0
	switch {
	case isDone(err) && o.anytime && found != nil:
		shortest = false
		j.warn([]string{"the search was stopped before its end: there may be a shorter lasso"})
		j.outlive()
	case err != nil:
		return err
	case found == nil && o.Bound > 0:
		longer, _, err := d.Find(j.ctx, buchi.FindOptions{Algorithm: buchi.ByColour}, nil)
		if err != nil {
			return err
		}
		if longer != nil {
			beyond = o.Bound
		}
	}
	l := lassoReport(d, found)
	l.File, l.Shortest, l.Beyond = j.operands[0], shortest, beyond
	return j.tellLasso(l, &stats)
}

// lassoReport returns an automaton and the lasso that was found in it, nil for none, as reports
// take them.
func lassoReport(d *buchi.Description, found *buchi.Lasso) *report.Lasso {
	l := &report.Lasso{Name: d.Name, States: d.Automaton.NumStates(), Edges: d.Automaton.NumEdges()}
	if found == nil {
		return l
	}
	inFile := func(s buchi.State) int64 {
		if s == buchi.NoState {
			return -1
		}
		return int64(s)
	}
	for i, step := range d.Steps(*found) {
		l.Steps = append(l.Steps, report.LassoStep{
			From: inFile(step.From), Name: step.Name, Accepting: d.Automaton.Accepting(found.States[i]), Label: step.Label, To: inFile(step.To),
		})
	}
	l.LoopStart = found.LoopStart
	return l
}

// tellLasso ends the command: the exit code reports whether there is a lasso, of
// whatever length.
func (j *job) tellLasso(l *report.Lasso, stats *buchi.Stats) error {
	j.tellStats(&stats.Stats, len(l.Steps))
	err := j.print(func(w io.Writer) error { return j.report.Lasso(w, l) })
	if err == nil && !l.Empty() {
		err = errViolated
	}
	return err
}

func (j *job) readAutomaton(path string) (*buchi.Description, error) {
	if path == standardInput {
		return buchi.ReadHOA(j.ctx, stoppable.Reader(j.ctx, j.stdin), "<standard input>")
	}
	f, err := inputfile.Open(j.ctx, path)
	if err != nil {
		var inPath *fs.PathError
		if errors.As(err, &inPath) {
			err = inPath.Err
		}
		return nil, fmt.Errorf("%s: the automaton cannot be read: %w", path, err)
	}
	defer f.Close()
	return buchi.ReadHOA(j.ctx, f, path)
}
