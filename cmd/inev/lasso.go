//go:build !js

package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/counterexample/buchi"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/stoppable"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// lassoCommand returns inev lasso, which searches a Büchi automaton that other tools have written.
func lassoCommand(p *program) *cli.Command {
	return page(&cli.Command{
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
			toggle(methodFlags, "all",
				"list a smallest lasso for each accepting state that is on a loop"),
		}, automatonFlags(preset(value(methodFlags, "algorithm", "search by `ALGORITHM`: "+printable.List(buchi.Algorithms(), "or")), buchi.ByPriority.String())), modelRun()),
		Action: action(p, findLasso),
	},
		`inev lasso a.hoa`,
		`inev lasso a.hoa --algorithm contrex --bound 10 --format json`)
}

// findLasso carries out inev lasso. The command ends like one whose property is violated if some run is
// accepting, even if no lasso is below the bound.
func findLasso(j *job) error {
	o, err := readAlgorithm(j)
	if err != nil {
		return err
	}
	if o == nil {
		return j.refuse("--algorithm: %s searches models, not automata; choose %s", onModel,
			printable.List(buchi.Algorithms(), "or"))
	}
	d, err := readAutomaton(j, j.operands[0])
	if err != nil {
		return err
	}
	path := j.flag("dot")
	if path != "" {
		if err := drawColours(j, d, path); err != nil {
			return err
		}
	}
	if j.c.Bool("all") {
		return listLassos(j, d)
	}
	l, stats, err := searchLasso(j, d, o)
	if err != nil {
		return err
	}
	tellStats(j, stats, len(l.Steps))
	if err := j.print(func(w io.Writer) error { return j.report.Lasso(w, l) }); err != nil {
		return err
	}
	return violatedIf(!l.Empty())
}

// drawColours writes a picture of the colours after the colour search.
func drawColours(j *job, d *buchi.Description, path string) error {
	if err := checkOutput(path, ".dot"); err != nil {
		return err
	}
	c, err := d.Colour(j.ctx)
	if err != nil {
		return err
	}
	if err := j.save(path, func(w io.Writer) error { return c.WriteDOT(w, d) }); err != nil {
		return err
	}
	counts := c.Count()
	_, err = fmt.Fprintf(j.stderr,
		"inev: %s: %d states white (not visited), %d blue, %d red, %d black (no lasso passes them)\n",
		printable.Text(path), counts[0], counts[1], counts[2], counts[3])
	return err
}

// searchLasso searches for a lasso, and returns what a report shows of the lasso, and what the
// search cost. A search that is stopped has a result only if it is one that reports ever shorter
// lassos.
func searchLasso(
	j *job,
	d *buchi.Description,
	o *automatonSearch,
) (*render.Lasso, *counterexample.Stats, error) {
	tellImproved := func(_ buchi.Lasso, s buchi.Stats) bool {
		if o.improved != nil {
			o.improved(s)
		}
		return true
	}
	found, stats, err := d.Find(j.ctx, o.FindOptions, tellImproved)
	l := &render.Lasso{
		File:     j.operands[0],
		Name:     d.Name,
		States:   d.Automaton.NumStates(),
		Edges:    d.Automaton.NumEdges(),
		Shortest: o.Algorithm != buchi.ByColour,
	}
	isStopped := isDone(err)
	switch {
	case isStopped && o.anytime && found != nil:
		l.Shortest = false
		j.warn([]string{"the search was stopped before its end: there may be a shorter lasso"})
		j.outlive()
	case err != nil:
		return nil, nil, err
	case found == nil && o.Bound > 0: // there may still be a lasso that is at least as long as the bound
		longer, _, err := d.Find(j.ctx, buchi.FindOptions{Algorithm: buchi.ByColour}, nil)
		if err != nil {
			return nil, nil, err
		}
		if longer != nil {
			l.Beyond = o.Bound
		}
	}
	if found != nil {
		l.Steps = lassoSteps(d, found)
		l.LoopStart = found.LoopStart
	}
	return l, &stats.Stats, nil
}

// lassoSteps returns the steps of a lasso as they are reported.
func lassoSteps(d *buchi.Description, found *buchi.Lasso) (steps []render.LassoStep) {
	stateInFile := func(s buchi.State) int64 {
		if s == buchi.NoState {
			return -1
		}
		return int64(s)
	}
	for i, step := range d.Steps(*found) {
		steps = append(steps, render.LassoStep{
			From:      stateInFile(step.From),
			Name:      step.Name,
			Accepting: d.Automaton.Accepting(found.States[i]),
			Label:     step.Label,
			To:        stateInFile(step.To),
		})
	}
	return steps
}

func readAutomaton(j *job, path string) (*buchi.Description, error) {
	if path == standardInput {
		return buchi.ReadHOA(j.ctx, stoppable.Reader(j.ctx, j.stdin), "<standard input>")
	}
	f, err := inputfile.Open(j.ctx, path)
	if err != nil {
		return nil, unreadable(path, "automaton", err)
	}
	defer f.Close()
	return buchi.ReadHOA(j.ctx, f, path)
}

// listLassos writes a smallest lasso for each accepting state on a cycle, one on each line.
func listLassos(j *job, d *buchi.Description) error {
	if j.format != "text" && j.format != "" {
		return j.refuse("--all: lassos of all accepting states are text; leave --format out")
	}
	var lines []string
	if err := d.Each(j.ctx, func(_ buchi.State, l buchi.Lasso) bool {
		lines = append(lines, lassoLine(d, l))
		return true
	}); err != nil {
		return err
	}
	if err := j.print(func(w io.Writer) error {
		b := bufio.NewWriter(w)
		fmt.Fprintf(b, "%s: %s on a loop\n", printable.Text(j.operands[0]),
			printable.Quantity(len(lines), "accepting state"))
		for _, line := range lines {
			fmt.Fprintf(b, "  %s\n", line)
		}
		return b.Flush()
	}); err != nil {
		return err
	}
	return violatedIf(len(lines) > 0)
}

// lassoLine returns a lasso on one line: its length and its states. ↻ stands before the loop, and
// accepting states stand in brackets.
func lassoLine(d *buchi.Description, l buchi.Lasso) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:", printable.Quantity(l.Transitions(), "transition"))
	for i, step := range d.Steps(l) {
		if i == l.LoopStart {
			b.WriteString(" ↻")
		}
		state := "(start)"
		if step.From != buchi.NoState {
			state = fmt.Sprint(step.From)
		}
		if d.Automaton.Accepting(l.States[i]) {
			state = "[" + state + "]"
		}
		b.WriteString(" " + state)
	}
	return b.String()
}

// automatonFlags are the flags of commands that search an automaton; the flag
// algorithm chooses the algorithm.
func automatonFlags(algorithm cli.Flag) []cli.Flag {
	return []cli.Flag{
		algorithm,
		value(methodFlags, "bound",
			"find only counterexamples with fewer than `B` states of the product of model and automaton (contrex, priority)"),
		toggle(methodFlags, "colour-first",
			"make a first search by colours, and skip states from which it proves that there is no counterexample (contrex)"),
		toggle(methodFlags, "anytime",
			"report each shorter length at once and, if stopped, show the best (contrex)"),
	}
}

// automatonSearch is how to search an automaton.
type automatonSearch struct {
	buchi.FindOptions
	anytime bool
	// improved, if it is not nil, is called with the statistics of each lasso that is found.
	improved func(buchi.Stats)
}

// readAlgorithm reads the flags of [automatonFlags]. The search is nil for onModel, which is not an
// algorithm on automata.
func readAlgorithm(j *job) (*automatonSearch, error) {
	name := j.flag("algorithm")
	bound, err := j.wholeNumber("bound", 1, math.MaxInt, "is not a number above zero")
	if name == onModel {
		return nil, err
	}
	o := &automatonSearch{anytime: j.c.Bool("anytime")}
	o.ColourFirst = j.c.Bool("colour-first")
	o.Bound = bound
	wrong := o.Algorithm.Set(name)
	if wrong != nil {
		return nil, j.refuse("--algorithm: %v", wrong)
	}
	if err != nil {
		return nil, err
	}
	if o.anytime {
		o.improved = func(s buchi.Stats) {
			fmt.Fprintf(j.stderr, "inev: found length %d after %d states stored, %d matched\n",
				s.Length, s.Stored, s.Matched)
		}
	}
	return o, nil
}

// tellStats reports what a search cost, if --stats is given. s is nil if there was no search: that
// a property holds can be known without one.
func tellStats(j *job, s *counterexample.Stats, transitions int) {
	if s == nil || !j.c.Bool("stats") {
		return
	}
	for _, line := range []struct {
		name  string
		value any
	}{
		{"algorithm", j.flag("algorithm")},
		{"states stored", s.Stored},
		{"states matched", s.Matched},
		{"counterexamples found", s.Found},
		{"length in states", s.Length},
		{"length in transitions", transitions},
	} {
		fmt.Fprintf(j.stderr, "%s: %v\n", line.name, line.value)
	}
}

// inModel returns the search in the product of a model and a property.
func (o *automatonSearch) inModel() *explain.AutomatonSearch {
	return &explain.AutomatonSearch{
		Find:      findInModel(o.FindOptions, o.improved),
		Bound:     o.Bound,
		Unbounded: findInModel(buchi.FindOptions{}, o.improved),
		Shortest:  o.Algorithm != buchi.ByColour,
		Anytime:   o.anytime,
	}
}

// findInModel returns a search for a counterexample in a model; improved, if it is not nil, is called for
// each better one.
func findInModel(
	o buchi.FindOptions,
	improved func(buchi.Stats),
) func(context.Context, *lts.LTS, *property.Property) (*counterexample.Trace, counterexample.Stats, error) {
	tellImproved := func(_ *counterexample.Trace, s buchi.Stats) bool {
		if improved != nil {
			improved(s)
		}
		return true
	}
	return func(ctx context.Context, m *lts.LTS, p *property.Property) (*counterexample.Trace, counterexample.Stats, error) {
		trace, stats, err := buchi.FindInModel(ctx, m, p, o, tellImproved)
		return trace, stats.Stats, err
	}
}
