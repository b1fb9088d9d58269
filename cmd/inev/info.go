package main

import (
	"io"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/explain"
)

// infoCommand returns inev info, which describes a model without any property.
func infoCommand(p *program) *cli.Command {
	internal := &cli.StringSliceFlag{
		Name:     "internal",
		Category: string(inputFlags),
		Value:    cli.NewStringSlice("i", "tau"),
		Usage:    "take `LABEL` as an internal action; repeatable",
	}
	return page(&cli.Command{
		Usage:     "describe a model: its size, deadlocks, components, non-determinism",
		ArgsUsage: "MODEL",
		Description: `MODEL is a labelled transition system (LTS): numbered states, and transitions
from state to state, each with a label, the action that happens. A run starts in
the initial state.

Shows the size of the model and of its reachable part; deadlocks, which are states
without outgoing transitions; strongly connected components (SCCs), which are sets of
states that can all reach each other, so that a run can stay in them forever;
non-deterministic states, in which one label leads to several states; and divergent
states, which are on a cycle of internal actions.`,
		Flags: slices.Concat(reporting(), []cli.Flag{internal}, modelInput(),
			[]cli.Flag{stateValues()}, []cli.Flag{engine()}, modelRun()),
		Action: action(p, info),
	},
		`inev info m.aut`,
		`inev info m.aut --internal DROP --format json`)
}

// info carries out inev info.
func info(j *job) error {
	m, err := j.readModel()
	if err != nil {
		return err
	}
	s, err := explain.Describe(j.ctx, m, j.c.StringSlice("internal"), j.options.Engine,
		j.options.Source)
	if err != nil {
		return err
	}
	j.account(s.Timings, s.Warnings)
	return j.print(func(w io.Writer) error { return j.report.Statistics(w, s) })
}

// labelsCommand returns inev labels, which lists the labels that formulas can name.
func labelsCommand(p *program) *cli.Command {
	return page(&cli.Command{
		Usage:     "list the labels of a model, to write formulas with",
		ArgsUsage: "MODEL",
		Description: `Every label of the model, with the number of its transitions and how many of
them can be reached: where that is 0, no run does the label. The gate (in mCRL2:
the action) is the bare name that takes the label in a formula, whatever its
offers or arguments: Inev(PUT) takes "PUT !1" and "PUT(d1)". A multi-action such
as a(1)|b(2) has none; --gates adds up those of the same actions, such as a|b.`,
		Flags: slices.Concat(reporting(), []cli.Flag{
			toggle(resultFlags, "gates", "list the gates, the labels of each added up"),
			inFull(),
		}, modelInput(), modelRun()),
		Action: action(p, listLabels),
	},
		`inev labels m.aut`,
		`inev labels m.aut --gates --format tsv`)
}

// listLabels prints the labels of a model or, with --gates, their gates.
func listLabels(j *job) error {
	m, err := j.readModel()
	if err != nil {
		return err
	}
	l, err := explain.ListLabels(j.ctx, m, j.options.Source)
	if err != nil {
		return err
	}
	j.account(l.Timings, l.Warnings)
	if j.c.Bool("gates") {
		l = l.ByGate()
	}
	return j.print(func(w io.Writer) error { return j.report.Labels(w, l) })
}
