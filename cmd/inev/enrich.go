//go:build !js

package main

import (
	"io"
	"slices"

	"github.com/urfave/cli/v2"
)

func enrichCommand(p *program) *cli.Command {
	return page(&cli.Command{
		Name:      "enrich",
		Usage:     "list how much of a property is done before and after each state",
		ArgsUsage: "MODEL FORMULA",
		Description: `Lists for each reachable state how many steps of the property Inev(A, B, ...) are
done:

  mp  at most, on the runs from the initial state to it (maximal prefix)
  cp  on every such run (common prefix)
  ms  at most, counted from the last step, on the runs from it (maximal suffix)
  cs  on every such run (common suffix)

and its strongly connected component (scc), the set of states that it can reach and
that can reach it, with the depth of that below the initial one (depth).

Other properties have no steps. For these it lists the number of histories that the
property distinguishes and with which a run can reach the state (histories), after how
many of them some continuation satisfies the property (can_satisfy), and after how
many some violates it (can_violate). With --unfold each history is a state.`,
		Flags:  slices.Concat(reporting(), bothInput(), method(), justFairness(), modelRun()),
		Action: action(p, enrichStates),
	},
		`inev enrich m.aut 'Inev(REQ, ACK)' --format tsv`)
}

func enrichStates(j *job) {
	a := j.analyse()
	j.print(func(w io.Writer) error { return j.report.States(w, a) })
}
