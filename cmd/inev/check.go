//go:build !js

package main

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/counterexample/buchi"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// checkCommand returns inev check, which decides a property and shows one counterexample or, with --all, all
// shortest ones.
func checkCommand(p *program) *cli.Command {
	return page(&cli.Command{
		Usage:     "check a property, with a shortest counterexample if it fails",
		ArgsUsage: "MODEL FORMULA",
		Description: `Shows the verdict and, if the property is violated, a shortest counterexample: a run
into a deadlock, into a loop, or to a step that must not happen. To know why, use
inev explain. Exit code: 0 if it holds, 1 if it is violated.

Inev(A, B) holds if A happens and later B on every maximal run: one that goes on
forever, or ends in a deadlock, a state without outgoing transitions.

The other algorithms search the product of the model and a Büchi automaton, as
model checkers for linear time do. colour finds some counterexample, contrex ever
shorter ones, and priority a shortest one of the product, which may be longer than
a shortest one of the model. The property may be of any kind. Bounds and lengths count states; the state that closes
the loop counts twice.`,
		Flags: slices.Concat(reporting(), ofRuns(), []cli.Flag{
			toggle(resultFlags, "all", "count all shortest counterexamples, and list them"),
			unset(value(resultFlags, "limit", "list at most `N` of them"), strconv.Itoa(defaultLimit)), searchLimit(),
		}, justFairness(), bothInput(), []cli.Flag{engine()},
			automatonFlags(choice(methodFlags, "algorithm", "search by `ALGORITHM`: ")),
			[]cli.Flag{value(alsoFlags, "product", "write the product of model and property as an automaton to `FILE`.hoa")}, modelRun()),
		Action: action(p, checkProperty),
	},
		`inev check m.aut 'Inev(REQ, ACK)'`,
		`inev check m.aut 'Inev(REQ)' --quiet`,
		`inev check m.aut 'Inev(REQ, ACK)' --all --limit 10`,
		`inev check m.aut 'Inev(REQ, ACK)' --algorithm priority`)
}

// defaultLimit is the number of counterexamples that are listed by default: there can be far
// more.
const defaultLimit = 20

// checkProperty carries out inev check. A formula of the mu-calculus that demands that some run exists is
// answered by the opposite verdict on its negation, see [reading.readOtherwise].
func checkProperty(j *job) error {
	list, err := readListed(j)
	if err != nil {
		return err
	}
	search, err := readAlgorithm(j)
	if err != nil {
		return err
	}
	m, f, err := j.readBoth()
	if err != nil {
		return err
	}
	path := j.flag("product")
	if path != "" {
		if err := saveProduct(j, m, f, path); err != nil {
			return err
		}
	}
	o := j.options
	o.List = list
	if search != nil {
		o.InAutomaton = search.inModel()
	}
	e, err := explain.Check(j.ctx, m, f, o)
	e, err = j.keepVerdict(e, err)
	if err != nil {
		return err
	}
	j.account(e.Timings, e.Warnings)
	if j.c.Bool("anytime") {
		j.outlive()
	}
	transitions := 0
	t := e.Trace()
	if t != nil {
		transitions = t.Len()
	}
	tellStats(j, e.Stats, transitions)
	if j.exists != "" {
		return reportExistence(j, e)
	}
	if err := j.reportOn(e, nil); err != nil {
		return err
	}
	if err := j.print(func(w io.Writer) error {
		return j.report.Explanation(w, e)
	}); err != nil {
		return err
	}
	return violatedIf(e.Verdict == explain.Violated)
}

// readListed returns how many shortest counterexamples are listed, 0 without --all.
func readListed(j *job) (int, error) {
	if !j.c.Bool("all") {
		return 0, nil
	}
	limit, err := j.wholeNumber("limit", 1, math.MaxInt, "is not a number above zero")
	if err != nil {
		return 0, err
	}
	return cmp.Or(limit, defaultLimit), nil
}

// saveProduct writes the product of the model and the property as an automaton.
func saveProduct(j *job, m *lts.LTS, f property.Formula, path string) error {
	if err := checkOutput(path, ".hoa"); err != nil {
		return err
	}
	p, _, err := f.Bind(j.ctx, m.Alphabet())
	if err != nil {
		return err
	}
	g, err := buchi.NewProduct(j.ctx, m, p)
	if err != nil {
		return err
	}
	described, err := g.Describe(j.ctx, mostProduct)
	if err != nil {
		return err
	}
	return j.save(path, described.Write)
}

// mostProduct bounds the number of states of a product that is written.
const mostProduct = 1 << 22

// reportExistence reports on a formula that demands that some run exists. Its negation was
// checked: a counterexample is such a run.
func reportExistence(j *job, e *explain.Explanation) error {
	if err := j.print(func(w io.Writer) error { return writeExistence(w, j, e) }); err != nil {
		return err
	}
	exists := e.Verdict == explain.Violated
	return violatedIf(!exists)
}

// writeExistence writes whether a run exists that satisfies the formula, and the run.
func writeExistence(w io.Writer, j *job, e *explain.Explanation) error {
	b := bufio.NewWriter(w)
	model := printable.Text(j.options.File)
	formula := printable.Text(j.exists)
	exists := e.Verdict == explain.Violated
	witness := e.Trace()
	switch {
	case !exists:
		fmt.Fprintf(b, "%s violates %s: no run shows it.\n", model, formula)
		return b.Flush()
	case witness == nil || witness.Len() == 0:
		fmt.Fprintf(b, "%s satisfies %s: the empty run shows it.\n", model, formula)
		return b.Flush()
	}
	fmt.Fprintf(b,
		"%s satisfies %s: a run that begins like this shows it.\n\n   step  state  action\n", model, formula)
	labels := e.LTS().Alphabet()
	last := e.LTS().Initial()
	for i, step := range witness.Steps() {
		fmt.Fprintf(b, "%7d %6d  %s\n", i+1, step.From,
			printable.Text(labels.Text(step.Label)))
		last = step.To
	}
	start, loops := witness.LoopStart()
	if loops {
		fmt.Fprintf(b, "%7s %6d  (back to step %d)\n", "", last, start+1)
	} else {
		fmt.Fprintf(b, "%7s %6d\n", "", last)
	}
	return b.Flush()
}
