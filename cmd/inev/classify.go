//go:build !js

package main

import (
	"io"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/internal/abort"
)

func classifyCommand(p *program) *cli.Command {
	neighbourhoods := toggle(resultFlags, "neighbourhoods", "list the neighbourhoods instead of the transitions")
	return page(&cli.Command{
		Name:      "classify",
		Usage:     "list which transitions are correct, incorrect or neutral",
		ArgsUsage: "MODEL FORMULA",
		Description: `Lists the class of every reachable transition: correct if every maximal run through it
(one that goes on for ever, or ends in a deadlock) satisfies the property, incorrect
if none does, and otherwise neutral.

With --neighbourhoods, lists the neighbourhoods and their kinds instead: the states
that neutral transitions enter and a correct or an incorrect one leaves.`,
		Flags:  slices.Concat(reporting(), []cli.Flag{neighbourhoods}, bothInput(), method(), justFairness(), modelRun()),
		Action: action(p, classifyTransitions),
	},
		`inev classify m.aut 'Inev(REQ, ACK)' --format tsv`,
		`inev classify m.aut 'Inev(REQ, ACK)' --neighbourhoods`)
}

func classifyTransitions(j *job) {
	a := j.analyse()
	if !j.c.Bool("neighbourhoods") {
		j.print(func(w io.Writer) error { return j.report.Transitions(w, a) })
		return
	}
	found := abort.Must(a.Neighbourhoods(j.ctx))
	j.print(func(w io.Writer) error { return j.report.Neighbourhoods(w, a, found) })
}
