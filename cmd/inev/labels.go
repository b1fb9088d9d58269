package main

import (
	"io"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/abort"
)

func labelsCommand(p *program) *cli.Command {
	return page(&cli.Command{
		Name:      "labels",
		Usage:     "list the labels of a model, to write formulas with",
		ArgsUsage: "MODEL",
		Description: `Every label of the model, with the number of its transitions and how many of
them can be reached: where that is 0, no run does the label. The gate (in mCRL2:
the action) is the bare name that takes the label in a formula, whatever its
offers or arguments: Inev(PUT) takes "PUT !1" and "PUT(d1)". A multi-action such
as a(1)|b(2) has none.`,
		Flags: slices.Concat(reporting(), []cli.Flag{
			toggle(resultFlags, "gates", "list the gates, the labels of each added up"),
			inFull(),
		}, modelInput(), modelRun()),
		Action: action(p, listLabels),
	},
		`inev labels m.aut`,
		`inev labels m.aut --gates --format tsv`)
}

func listLabels(j *job) {
	m := j.readModel()
	l := abort.Must(explain.ListLabels(j.ctx, m, j.options.Source))
	j.account(l.Timings)
	j.warn(l.Warnings)
	if j.c.Bool("gates") {
		l = l.ByGate()
	}
	j.print(func(w io.Writer) error { return j.report.Labels(w, l) })
}
