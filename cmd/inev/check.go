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

	"github.com/inev-lts/inev/buchi"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

func checkCommand(p *program) *cli.Command {
	return page(&cli.Command{
		Name:      "check",
		Usage:     "check a property, with a shortest counterexample if it fails",
		ArgsUsage: "MODEL FORMULA",
		Description: `Shows the verdict and, if the property is violated, a shortest counterexample: a run
into a deadlock, into a loop, or to a step that must not happen. To know why, use
inev explain. Exit code: 0 if it holds, 1 if it is violated.

Inev(A, B) holds if A happens and later B on every maximal run: one that goes on
for ever, or ends in a deadlock, a state without outgoing transitions.

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
		Action: action(p, func(j *job) error { return (&checking{job: j}).run() }),
	},
		`inev check m.aut 'Inev(REQ, ACK)'`,
		`inev check m.aut 'Inev(REQ)' --quiet`,
		`inev check m.aut 'Inev(REQ, ACK)' --all --limit 10`,
		`inev check m.aut 'Inev(REQ, ACK)' --algorithm priority`)
}

// defaultLimit is the number of counterexamples that are listed by default: there can be far
// more.
const defaultLimit = 20

// readLimit returns how many counterexamples are to be listed.
func (j *checking) readLimit() (int, error) {
	if !j.c.Bool("all") {
		return 0, nil
	}
	limit, err := j.whole("limit", 1, math.MaxInt, "is not a number above zero")
	return cmp.Or(limit, defaultLimit), err
}

// checking is a run of inev check.
type checking struct {
	*job
	list      int // how many shortest counterexamples are listed
	automaton *explain.AutomatonSearch
}

func (j *checking) run() error {
	var err error
	if j.list, err = j.readLimit(); err != nil {
		return err
	}
	search, err := readAlgorithm(j.job)
	if err != nil {
		return err
	}
	if search != nil {
		j.automaton = search.inModel()
	}
	m, f, err := j.readBoth()
	if err != nil {
		return err
	}
	if path := j.flag("product"); path != "" {
		if err := j.writeProduct(m, f, path); err != nil {
			return err
		}
	}
	o := j.options
	o.List, o.InAutomaton = j.list, j.automaton
	e, err := explain.Check(j.ctx, m, f, o)
	if err != nil {
		if e, err = j.known(e, err); err != nil {
			return err
		}
	}
	j.account(e.Timings)
	j.warn(e.Warnings)
	if j.c.Bool("anytime") {
		j.outlive()
	}
	transitions := 0
	if t := e.Trace(); t != nil {
		transitions = t.Len()
	}
	tellStats(j.job, e.Stats, transitions)
	if j.exists != "" {
		return j.reportExistence(e)
	}
	if err := j.reportOn(e, nil); err != nil {
		return err
	}
	if err := j.print(func(w io.Writer) error { return j.report.Explanation(w, e) }); err != nil {
		return err
	}
	return verdict(e)
}

// mostProduct bounds the number of states of a product that is written.
const mostProduct = 1 << 22

// writeProduct writes the reachable part of the product of a model and a property.
func (j *checking) writeProduct(m *lts.LTS, f property.Formula, path string) error {
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
	d, err := g.Describe(j.ctx, mostProduct)
	if err != nil {
		return err
	}
	return j.save(path, d.Write)
}

// reportExistence reports on a formula that says that some run exists. Its negation was
// checked: a counterexample is such a run.
func (j *checking) reportExistence(e *explain.Explanation) error {
	exists := e.Verdict == explain.Violated
	err := j.print(func(w io.Writer) error {
		b := bufio.NewWriter(w)
		model, text := printable.Text(j.options.File), printable.Text(j.exists)
		t := e.Trace()
		switch {
		case !exists:
			fmt.Fprintf(b, "%s violates %s: no run begins so.\n", model, text)
		case t == nil || t.Len() == 0:
			fmt.Fprintf(b, "%s satisfies %s: the empty run does.\n", model, text)
		default:
			fmt.Fprintf(b, "%s satisfies %s: a run begins so.\n\n   step  state  action\n", model, text)
			labels, last := e.LTS().Alphabet(), e.LTS().Initial()
			for i, step := range t.Steps() {
				fmt.Fprintf(b, "%7d %6d  %s\n", i+1, step.From, printable.Text(labels.Text(step.Label)))
				last = step.To
			}
			if start, loops := t.LoopStart(); loops {
				fmt.Fprintf(b, "%7s %6d  (back to step %d)\n", "", last, start+1)
			} else {
				fmt.Fprintf(b, "%7s %6d\n", "", last)
			}
		}
		return b.Flush()
	})
	if err == nil && !exists {
		err = errViolated
	}
	return err
}
