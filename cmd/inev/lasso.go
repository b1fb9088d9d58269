package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/buchi"
	"github.com/inev-lts/inev/report"
)

func (p *program) lasso() *cli.Command {
	algorithm := value(methodFlags, "algorithm", "search by `ALGORITHM`: "+alternatives(buchi.Algorithms()))
	algorithm.Value, algorithm.DefaultText = buchi.ByPriority.String(), buchi.ByPriority.String()
	return page(&cli.Command{
		Name:      "lasso",
		Usage:     "find a short accepting lasso in a Büchi automaton",
		ArgsUsage: "FILE",
		Description: `FILE, below a.hoa, is a Büchi automaton in the Hanoi format (HOA v1), or - for
standard input; of several automata the first is taken. A lasso is a path from the initial state
into a loop that passes an accepting state: an infinite run in finite form. In
the product of a system with the negation of a property it is a counterexample.

  colour    the first lasso found, in linear time
  contrex   ever shorter ones, a shortest last; exponential at worst
  priority  a shortest one, in polynomial time

Lengths are counted in states, the one that closes the loop twice: one more than
the number of transitions. The exit code is 0 where no run is accepting and 1
where a lasso was found.`,
		Flags:  slices.Concat(reporting(), []cli.Flag{inFull()}, automatonFlags(algorithm), []cli.Flag{costs()}, runControl()),
		Action: p.action(findLasso),
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
	each := func(_ buchi.Lasso, s buchi.Stats) bool {
		if o.Improved != nil {
			o.Improved(s)
		}
		return true
	}
	found, stats, err := buchi.Find(j.ctx, d.Automaton, o.FindOptions, each)
	shortest := o.Algorithm != buchi.ByColour
	switch {
	case isDone(err) && o.Anytime && found != nil:
		shortest = false
		j.warn([]string{"the search was stopped before its end: there may be a shorter lasso"})
		j.outlive()
	case err != nil:
		return err
	case found == nil && o.Bound > 0:
		shortest = false
		if found, stats, err = buchi.ColourDFS(j.ctx, d.Automaton); err != nil {
			return err
		}
		if found != nil {
			j.warn([]string{fmt.Sprintf("no lasso is below the bound of %d states; this is the first one found", o.Bound)})
		}
	}
	return j.tellLasso(&report.Lasso{File: j.operands[0], Automaton: d, Found: found, Shortest: shortest}, &stats)
}

// tellLasso ends the command: the exit code tells whether there is a lasso.
func (j *job) tellLasso(l *report.Lasso, stats *buchi.Stats) error {
	transitions := 0
	if l.Found != nil {
		transitions = l.Found.Transitions()
	}
	j.tellStats(stats, transitions)
	err := j.print(func(w io.Writer) error { return j.report.Lasso(w, l) })
	if err == nil && l.Found != nil {
		err = errViolated
	}
	return err
}

func (j *job) readAutomaton(path string) (*buchi.Description, error) {
	if path == standardInput {
		return buchi.ReadHOA(j.ctx, aut.Stoppable(j.ctx, j.stdin), "<standard input>")
	}
	f, err := os.Open(path)
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
