//go:build !js

package main

import (
	"io"
	"slices"
	"strconv"

	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
)

func pathCommand(p *program) *cli.Command {
	return page(&cli.Command{
		Name:      "path",
		Usage:     "show shortest paths to where a property is decided or lost",
		ArgsUsage: "MODEL FORMULA",
		Description: `Shows the shortest path from the initial state to the nearest neighbourhood, a state
in which it can be decided whether the property holds. With --to: the paths to each,
to the nearest of a kind, to where the property is lost, or to a state by its number.
With --through: those that go through a state.

A neighbourhood is a state that is entered while the outcome is open, and that a
correct transition (all runs through it satisfy the property) or an incorrect one
(none does) leaves. The kinds are correct (the property can be saved there),
incorrect (it can be lost), and mixed and mixed-neutral (both). With --to lost, the
path is the shortest after which no run satisfies the property.`,
		Flags: slices.Concat(reporting(), []cli.Flag{
			preset(value(resultFlags, "to", "`WHERE` is nearest, each, a kind (the nearest of it), lost or a state"), "nearest"),
			value(resultFlags, "through", "only paths through the state `N`, or to it"),
			value(resultFlags, "pattern", "only paths with `ACTIONS` such as 'A, B', in order"),
			inFull(),
		}, bothInput(), method(), justFairness(), modelRun()),
		Action: action(p, showPaths),
	},
		`inev path m.aut 'Inev(REQ, ACK)'`,
		`inev path m.aut 'Inev(REQ, ACK)' --to each --format tsv`,
		`inev path m.aut 'Inev(REQ, ACK)' --to lost`,
		`inev path m.aut 'Inev(REQ, ACK)' --to 2 --through 1`)
}

func showPaths(j *job) {
	var to explain.Destination
	if err := to.Set(j.flag("to")); err != nil {
		j.refuse("--to: %v", err)
	}
	if text := j.flag("through"); text != "" {
		n, err := strconv.ParseUint(text, 10, 32)
		if err != nil {
			j.refuse("--through %s: states are numbers, such as 3", text)
		}
		s := lts.State(n)
		to.Through = &s
	}
	pattern := j.readPattern()
	a := j.analyse()
	paths, warnings, err := a.Paths(j.ctx, to, pattern)
	abort.On(err)
	j.warn(warnings)
	j.print(func(w io.Writer) error { return j.report.Paths(w, a, to, paths) })
}
