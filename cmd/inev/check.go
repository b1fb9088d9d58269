//go:build !js

package main

import (
	"io"
	"slices"
	"strconv"

	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/explain"
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
		Flags: slices.Concat(reporting(), ofRuns(), everyRun(), []cli.Flag{searchLimit()}, justFairness(), bothInput(), []cli.Flag{engine()},
			automatonFlags(choice(methodFlags, "algorithm", "search by `ALGORITHM`: ")),
			[]cli.Flag{value(alsoFlags, "product", "write the product of model and property as an automaton to `FILE`.hoa")}, modelRun()),
		Action: action(p, check),
	},
		`inev check m.aut 'Inev(REQ, ACK)'`,
		`inev check m.aut 'Inev(REQ)' --quiet`,
		`inev check m.aut 'Inev(REQ, ACK)' --all --limit 10`,
		`inev check m.aut 'Inev(REQ, ACK)' --algorithm priority`)
}

// everyRun are the flags that ask for all shortest counterexamples.
func everyRun() []cli.Flag {
	most := value(resultFlags, "limit", "list at most `N` of them")
	most.DefaultText = strconv.Itoa(defaultLimit)
	return []cli.Flag{
		toggle(resultFlags, "all", "count all shortest counterexamples, and list them"),
		most,
	}
}

// defaultLimit is how many counterexamples are listed: there can be more than
// anyone could read.
const defaultLimit = 20

// readLimit returns how many counterexamples are to be listed.
func (j *job) readLimit() (int, error) {
	text := j.flag("limit")
	if !j.c.Bool("all") {
		if text != "" {
			return 0, j.refuse("--limit goes with --all")
		}
		return 0, nil
	}
	if text == "" {
		return defaultLimit, nil
	}
	limit, err := strconv.Atoi(text)
	if err != nil || limit <= 0 {
		return 0, j.refuse("--limit %s is not a number above zero", text)
	}
	return limit, nil
}

func check(j *job) error {
	var err error
	if j.list, err = j.readLimit(); err != nil {
		return err
	}
	search, err := j.readAlgorithm()
	if err != nil {
		return err
	}
	if search != nil {
		j.automaton = search.inModel()
	}
	if j.automaton != nil && j.list > 0 {
		return j.refuse("--all goes with --algorithm %s", onModel)
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
	e, err := explain.Check(j.ctx, m, f, j.checking())
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
	j.tellStats(e.Stats, transitions)
	if j.exists != "" {
		return j.reportExistence(e)
	}
	if err := j.reportOn(e); err != nil {
		return err
	}
	if err := j.print(func(w io.Writer) error { return j.report.Explanation(w, e) }); err != nil {
		return err
	}
	return verdict(e)
}

// checking returns the options of a check.
func (j *job) checking() explain.Options {
	o := j.options
	o.List, o.InAutomaton = j.list, j.automaton
	return o
}
