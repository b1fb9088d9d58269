package main

import (
	"io"
	"slices"

	"github.com/urfave/cli/v2"
)

func (p *program) classify() *cli.Command {
	neighbourhoods := toggle(resultFlags, "neighbourhoods", "list the decisions instead of the transitions")
	return page(&cli.Command{
		Name:      "classify",
		Usage:     "say which transitions are correct, incorrect or neutral",
		ArgsUsage: "MODEL FORMULA",
		Description: `A transition is correct if every maximal trace through it (a run that goes on
for ever, or ends where nothing can follow) satisfies the property, incorrect if
none does, and neutral if that is still open. This command lists the class of
every reachable transition.

A decision (in the literature: a neighbourhood) is a state in which the question
can be settled: neutral transitions enter it, and a correct or an incorrect one
leaves it. With --neighbourhoods, the command lists these states and their kinds
instead.`,
		Flags:  slices.Concat(reporting(), []cli.Flag{neighbourhoods}, bothInput(), method(), []cli.Flag{fairness()}, modelRun()),
		Action: p.action(classifyTransitions),
	},
		`inev classify m.aut 'Inev(REQ, ACK)' --format tsv`,
		`inev classify m.aut 'Inev(REQ, ACK)' --neighbourhoods`)
}

func classifyTransitions(j *job) error {
	a, err := j.analyse()
	if err != nil {
		return err
	}
	if !j.c.Bool("neighbourhoods") {
		return j.print(func(w io.Writer) error { return j.report.Transitions(w, a) })
	}
	found, err := a.Neighbourhoods(j.ctx)
	if err != nil {
		return err
	}
	return j.print(func(w io.Writer) error { return j.report.Neighbourhoods(w, a, found) })
}
