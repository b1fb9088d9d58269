package main

import (
	"io"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/explain"
)

func (p *program) path() *cli.Command {
	return page(&cli.Command{
		Name:      "path",
		Usage:     "show shortest paths to where a property is decided, or lost",
		ArgsUsage: "MODEL FORMULA",
		Description: `A decision (in the literature: a neighbourhood) is a state in which it can be
settled whether the property holds: some runs that come to it satisfy the property
and others do not, and a correct transition (all runs through it satisfy the
property) or an incorrect one (none does) leaves it.

This command shows how to get there: the shortest path from the initial state to
the nearest decision, to each, or to the nearest of a kind, by the transitions that
leave it: correct (the property can be saved there), incorrect (it can be lost),
mixed-neutral or mixed (both). With --to lost it is the shortest path after which the
property is lost: whatever is done from there on, no run satisfies it.`,
		Flags: slices.Concat(reporting(), []cli.Flag{
			destination(),
			value(resultFlags, "pattern", "paths that do these `ACTIONS`, such as 'A, B', in this order"),
			inFull(),
		}, bothInput(), method(), []cli.Flag{fairness()}, modelRun()),
		Action: p.action(showPaths),
	},
		`inev path m.aut 'Inev(REQ, ACK)'`,
		`inev path m.aut 'Inev(REQ, ACK)' --to each --format tsv`,
		`inev path m.aut 'Inev(REQ, ACK)' --to lost`)
}

// destination is a flag with too many words for one line of help.
func destination() cli.Flag {
	f := value(resultFlags, "to", "paths to `WHERE`: nearest, each, the nearest of a kind, or lost")
	f.Value, f.DefaultText = "nearest", "nearest"
	return f
}

func showPaths(j *job) error {
	to, err := explain.ParseDestination(j.flag("to"))
	if err != nil {
		return j.refuse("--to: %v", err)
	}
	pattern, err := j.readPattern()
	if err != nil {
		return err
	}
	a, err := j.analyse()
	if err != nil {
		return err
	}
	paths, warnings, err := a.Paths(j.ctx, to, pattern)
	if err != nil {
		return err
	}
	j.warn(warnings)
	return j.print(func(w io.Writer) error { return j.report.Paths(w, a, to, paths) })
}
