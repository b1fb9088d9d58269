package main

import (
	"io"
	"slices"
	"strconv"

	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/diagram"
	"github.com/inev-lts/inev/explain"
)

func (p *program) diagram() *cli.Command {
	return page(&cli.Command{
		Name:      "diagram",
		Usage:     "draw a model with its classes, neighbourhoods and counterexample",
		ArgsUsage: "MODEL FORMULA",
		Description: `The picture is a graph in the DOT language of Graphviz, written to standard
output or to a file: the states and transitions of the model, with the class of
each transition (correct: every maximal trace through it satisfies the property;
incorrect: none does; neutral: still open), the neighbourhoods, which are the
states at which that is settled, and the counterexample.

The view is the whole reachable part of a small model, and of a large one an
excerpt: the counterexample and the decisions on it. With --all, all shortest
counterexamples take the place of the one.`,
		Flags:  slices.Concat(picture(), []cli.Flag{allAtOnce()}, whichRun(), bothInput(), method(), runControl()),
		Action: p.action(drawDiagram),
	},
		`inev diagram m.aut 'Inev(REQ, ACK)' -o m.dot`,
		`inev diagram m.aut 'Inev(REQ, ACK)' --view excerpt`,
		`inev diagram m.aut 'Inev(REQ, ACK)' --all`)
}

func allAtOnce() cli.Flag {
	return toggle(resultFlags, "all", "draw all shortest counterexamples at once")
}

func drawDiagram(j *job) error {
	o, err := j.pictureOptions()
	if err != nil {
		return err
	}
	if path := j.flag("o"); path != "" {
		if err := checkOutput(path, ".dot"); err != nil {
			return err
		}
	}
	if err := j.checkAll(); err != nil {
		return err
	}
	e, err := j.explained()
	if err != nil {
		return err
	}
	if err := j.findAll(e, &o); err != nil {
		return err
	}
	return j.print(func(w io.Writer) error { return diagram.DOT(w, e, o) })
}

// checkAll refuses what --all does not go with: flags that ask for one
// counterexample, or for another model.
func (j *job) checkAll() error {
	if !j.c.Bool("all") {
		return nil
	}
	for _, name := range []string{"decisions", "pattern", "counterexample", "unfold"} {
		if j.c.IsSet(name) {
			return j.refuse("--all draws all shortest counterexamples of the model itself; leave out --%s", name)
		}
	}
	return nil
}

// findAll finds and counts all shortest counterexamples where they are asked for.
func (j *job) findAll(e *explain.Explanation, o *diagram.Options) (err error) {
	if !j.c.Bool("all") || e.Verdict == explain.Satisfied {
		return nil
	}
	enriched := e.Map().Enriched()
	o.All, err = counterexample.AllShortest(j.ctx, enriched.Components(), enriched.Property())
	if err != nil {
		return err
	}
	o.AllCount, err = o.All.Count(j.ctx)
	return err
}

func (j *job) pictureOptions() (o diagram.Options, err error) {
	if o.View, err = diagram.ParseView(j.flag("view")); err != nil {
		return o, j.refuse("--view: %v", err)
	}
	if o.RankDir, err = diagram.ParseRankDir(j.flag("rankdir")); err != nil {
		return o, j.refuse("--rankdir: %v", err)
	}
	if text := j.flag("max-states"); text != "" {
		if o.MaxStates, err = strconv.Atoi(text); err != nil || o.MaxStates <= 0 {
			return o, j.refuse("--max-states %s is not a number of states above zero", text)
		}
	}
	return o, nil
}
