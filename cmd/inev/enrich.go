package main

import (
	"io"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/explain"
)

func (p *program) enrich() *cli.Command {
	return page(&cli.Command{
		Name:      "enrich",
		Usage:     "list how much of a property lies before and behind each state",
		ArgsUsage: "MODEL FORMULA",
		Description: `For each reachable state, this command lists how many of the steps of the
property Inev(A, B, ...) are done

  mp  at most, on the ways from the initial state to here (maximal prefix)
  cp  on every such way (common prefix)
  ms  at most, counted from the last step, on what can follow (maximal suffix)
  cs  on everything that can follow (common suffix)

and in which strongly connected component (scc) the state lies, a set of states
that can all reach each other, and how deep below the initial one (depth).

For other properties, which have no steps, it lists with how many histories a run
can come to the state, as far as they matter to the property (histories), after
how many of them some run that goes on satisfies it (can_satisfy), and after how
many some violates it (can_violate). With --unfold each history is a state.`,
		Flags:  slices.Concat(reporting(), bothInput(), method(), []cli.Flag{fairness()}, modelRun()),
		Action: p.action(enrichStates),
	},
		`inev enrich m.aut 'Inev(REQ, ACK)' --format tsv`)
}

func enrichStates(j *job) error {
	a, err := j.analyse()
	if err != nil {
		return err
	}
	return j.print(func(w io.Writer) error { return j.report.States(w, a) })
}

// analyse reads model and formula and computes all that needs no
// counterexample.
func (j *job) analyse() (*explain.Analysis, error) {
	m, f, err := j.readBoth()
	if err != nil {
		return nil, err
	}
	a, err := explain.Analyse(j.ctx, m, f, j.options.Analysis())
	if err != nil {
		return nil, err
	}
	j.account(a.Phases)
	j.warn(a.Warnings)
	return a, nil
}
