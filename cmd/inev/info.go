package main

import (
	"io"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/explain"
)

func (p *program) info() *cli.Command {
	internal := &cli.StringSliceFlag{
		Name: "internal", Category: inputFlags, Value: cli.NewStringSlice("i", "tau"),
		Usage: "count `LABEL` as an internal action; may be repeated",
	}
	return page(&cli.Command{
		Name:      "info",
		Usage:     "describe a model: its size, deadlocks, components, non-determinism",
		ArgsUsage: "MODEL",
		Description: `MODEL is a labelled transition system (LTS) in the .aut format: numbered
states, and transitions that lead from one state to the next, each with a
label, the action that happens. A run starts in the initial state.

Of the model and of its reachable part, this command tells the size; the
deadlocks, which are states without a way on; the strongly connected
components (SCCs), sets of states that can all reach each other, which is
where a run can go round for ever; the states in which one label leads to
several states; and the divergences, cycles of internal actions only.`,
		Flags:  slices.Concat(reporting(), []cli.Flag{internal}, modelInput(), []cli.Flag{stateValues()}, []cli.Flag{engine()}, modelRun()),
		Action: p.action(info),
	},
		`inev info m.aut`,
		`inev info m.aut --internal DROP --format json`)
}

func info(j *job) error {
	m, err := j.readModel()
	if err != nil {
		return err
	}
	s, err := explain.Describe(j.ctx, m, j.c.StringSlice("internal"), j.options.Engine, j.options.Source())
	if err != nil {
		return err
	}
	j.account(s.Timings)
	j.warn(s.Warnings)
	return j.print(func(w io.Writer) error { return j.report.Statistics(w, s) })
}
