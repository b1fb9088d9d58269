//go:build !js

package main

import (
	"io"
	"math"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/cmd/wording"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/diagram/draw"
	"github.com/inev-lts/inev/internal/diagram/graphviz"
	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/internal/printable"
)

// diagramCommand returns inev diagram, which draws a model with what is known about a property.
func diagramCommand(p *program) *cli.Command {
	return page(&cli.Command{
		Usage:     "draw a model with its classes, decisions and counterexample",
		ArgsUsage: "MODEL FORMULA",
		Description: `The picture shows the states and transitions of the model, with the class of each
transition (correct: every maximal trace through it satisfies the property;
incorrect: none does; neutral: still open), the decisions, and the counterexample.

The format depends on the suffix of the file that -o names:

  .svg   a picture for browsers and documents, with tooltips
  .png   the same as an image
  .dot   a graph in the DOT language, for Graphviz

Without -o, DOT goes to standard output. For .svg and .png nothing has to be
installed: inev contains a Graphviz (--graphviz uses another one). It lays out a few
hundred states well; larger pictures are refused.

The views are whole, the reachable part of the model; excerpt, the counterexample, the
decisions on it and every better choice, in bold; neighbourhoods, these alone
and how they follow each other; quotient, the model with the labels hidden that the
property does not mention, and equivalent states merged; diff, the counterexample
beside the nearest run that satisfies the property, from where they part; and lanes, a
sequence chart. auto chooses by size, and a note on standard error names its choice.
With --all, all shortest counterexamples are shown in place of one.

With --view lanes the counterexample is a sequence chart: one column for each process,
time downwards. A model does not name its processes. --lanes does, by a regular
expression with one capture (the acting lane) or two (from and to), or by a table;
without it, a note names the guess that the labels allow. A
line of the table has, separated by tabs, a label (or its gate), the lane it comes
from, for a message the lane it goes to and, if receiving is a separate step, the label
of that step. Without -o, such a chart is written for Mermaid.`,
		Flags: slices.Concat(picture(), []cli.Flag{
			toggle(resultFlags, "advice", "cross out what to forbid to make the property hold"), lanes(),
			toggle(resultFlags, "all", "draw all shortest counterexamples at once"),
		}, whichRun(), bothInput(), method(), fairness(), modelRun()),
		Action: action(p, func(j *job) error {
			return (&drawing{job: j}).run()
		}),
	},
		`inev diagram m.aut 'Inev(REQ, ACK)' -o m.svg`,
		`inev diagram m.aut 'Inev(REQ, ACK)' --view neighbourhoods -o m.png`,
		`inev diagram m.aut 'Inev(REQ, ACK)' --view lanes --lanes '/(\w+)/' -o m.svg`,
		`inev diagram m.aut 'Inev(REQ, ACK)' --all`)
}

// drawing is a run of inev diagram.
type drawing struct {
	*job
	viewOptions view.Options
	drawOptions draw.Options
	// layoutProgram is the Graphviz program that --graphviz names, "" for the built-in one.
	layoutProgram string
	suffix        string // the suffix of the file that -o names, "" for standard output
}

// run carries out inev diagram: a sequence chart for --view lanes, and a graph for all other views.
func (j *drawing) run() error {
	if err := j.readFlags(); err != nil {
		return err
	}
	if err := j.checkFile(); err != nil {
		return err
	}
	if err := j.readActors(); err != nil {
		return err
	}
	e, err := j.explained()
	if err != nil {
		return err
	}
	if j.viewOptions.Kind == view.Sequence {
		return j.drawChart(e)
	}
	return j.drawGraph(e)
}

// readFlags reads what is drawn, and how.
func (j *drawing) readFlags() (err error) {
	j.viewOptions = view.Options{Full: j.c.Bool("full"), Advice: j.c.Bool("advice")}
	j.drawOptions = draw.Options{
		NoLegend: j.c.Bool("no-legend"),
		Layout:   j.flag("layout"),
		Software: "inev " + version(),
	}
	if err := j.viewOptions.Kind.Set(j.flag("view")); err != nil {
		return j.refuse("--view: %v", err)
	}
	j.viewOptions.MaxStates, err = j.wholeNumber("max-states", 1, math.MaxInt,
		"is not a number of states above zero")
	if err != nil {
		return err
	}
	if err := j.drawOptions.RankDir.Set(j.flag("rankdir")); err != nil {
		return j.refuse("--rankdir: %v", err)
	}
	j.drawOptions.FontSize, err = j.measure("font-size", 4, 100)
	if err != nil {
		return err
	}
	j.drawOptions.Scale, err = j.measure("scale", 0.05, 20)
	if err != nil {
		return err
	}
	if !slices.Contains(graphviz.Layouts(), j.drawOptions.Layout) {
		return j.refuse("--layout: there is no layout %q; choose %s", j.drawOptions.Layout,
			printable.List(graphviz.Layouts(), "or"))
	}
	return nil
}

// checkFile checks, before a long run, that the picture can be laid out and written.
func (j *drawing) checkFile() error {
	path := j.flag("o")
	j.suffix = filepath.Ext(path)
	j.layoutProgram = j.flag("graphviz")
	if j.layoutProgram != "" {
		if j.suffix != ".svg" && j.suffix != ".png" {
			return j.refuse("--graphviz lays out .svg and .png; name such a file by -o")
		}
		if _, err := exec.LookPath(j.layoutProgram); err != nil {
			return j.refuse("--graphviz: %s is not a program that can be run; give the path of Graphviz' dot, or leave the flag out", j.layoutProgram)
		}
	}
	if path != "" {
		if err := checkOutput(path, ".dot", ".svg", ".png"); err != nil {
			return err
		}
	}
	return nil
}

// readActors reads the lanes of a sequence chart.
func (j *drawing) readActors() (err error) {
	j.lanes, err = j.readLanes()
	if err != nil {
		return err
	}
	isChart := j.viewOptions.Kind == view.Sequence
	isForCharts := j.suffix == "" || j.suffix == ".svg" || j.suffix == ".png"
	switch {
	case j.lanes != nil && !isChart && !j.isJust():
		return j.refuse("--lanes is for sequence charts; add --view lanes")
	case isChart && !isForCharts:
		return j.refuse("--view lanes is not a graph; write it to a .svg or a .png, or without -o for Mermaid")
	}
	return nil
}

// chooseLanes takes the lanes that are named or, without names, the components of a network, the
// processes, or lanes that are guessed from the labels. It fails if the labels allow no guess.
func (j *drawing) chooseLanes(e *explain.Explanation) error {
	j.takeNetworkLanes(e.LTS().Alphabet())
	if j.lanes == nil && j.options.Process != nil {
		j.lanes = view.ProcessLanes(labelsOf(e.LTS()), j.options.Process)
		if j.lanes != nil {
			j.note("each lane is a process, the first argument of its actions; name other lanes by --lanes")
		}
	}
	if j.lanes != nil {
		return nil
	}
	lanes, pattern := view.GuessLanes(labelsOf(e.LTS()))
	if lanes == nil {
		offer, _ := view.OfferLanes(labelsOf(e.LTS()))
		if offer != "" {
			offer = "; " + printable.Text(offer)
		}
		return j.refuse("--view lanes needs --lanes: '/regular expression with a (capture)/', or a .tsv of LABEL, FROM, TO%s", offer)
	}
	j.note("these lanes are a guess, by how labels are written; name the lanes by --lanes, as '" + printable.Text(pattern) + "' does here")
	j.lanes = lanes
	return nil
}

// drawChart draws the counterexample as a sequence chart.
func (j *drawing) drawChart(e *explain.Explanation) error {
	if err := j.chooseLanes(e); err != nil {
		return err
	}
	j.noteOnLanes(e)
	c, err := view.NewChart(e, j.lanes, view.ChartOptions{Full: j.c.Bool("full")})
	if err != nil {
		return err
	}
	for _, note := range c.Notes {
		j.note(note)
	}
	c = c.Diagnosed(diagnosis(e))
	return j.print(func(w io.Writer) error {
		switch j.suffix {
		case ".svg":
			return draw.SVG(j.ctx, nil, w, c, j.drawOptions)
		case ".png":
			return draw.PNG(j.ctx, nil, w, c, j.drawOptions)
		}
		return draw.Mermaid(w, c, "")
	})
}

// drawGraph draws a view of the model as a graph; with --all, all shortest counterexamples in it.
func (j *drawing) drawGraph(e *explain.Explanation) (err error) {
	if j.c.Bool("all") && e.Verdict != explain.Satisfied {
		j.viewOptions.All, err = e.AllShortest(j.ctx)
		if err != nil {
			return err
		}
		j.viewOptions.AllCount, err = j.viewOptions.All.Count(j.ctx)
		if err != nil {
			return err
		}
	}
	engine := graphviz.New(1, wording.CompiledFolder())
	if j.layoutProgram != "" {
		engine = graphviz.Installed(j.layoutProgram)
	}
	defer engine.Close()
	return j.print(func(w io.Writer) error {
		g, err := view.Of(j.ctx, e, j.viewOptions)
		if err != nil {
			return err
		}
		if err := j.write(w, engine, g.Diagnosed(diagnosis(e))); err != nil {
			return err // the notes are about what the picture omits, so a failed picture has none
		}
		for _, note := range g.Notes {
			j.note(note)
		}
		return nil
	})
}

// write writes a picture in the format of the output.
func (j *drawing) write(w io.Writer, engine *graphviz.Engine, g *view.Graph) error {
	switch j.suffix {
	case ".svg":
		return draw.SVG(j.ctx, engine, w, g, j.drawOptions)
	case ".png":
		return draw.PNG(j.ctx, engine, w, g, j.drawOptions)
	}
	return draw.DOT(w, g, j.drawOptions)
}

// measure reads a flag that is a number from least to most; 0 if it is not given.
func (j *job) measure(name string, least, most float64) (float64, error) {
	text := j.flag(name)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseFloat(text, 64)
	isInRange := least <= n && n <= most // not for NaN
	if err != nil || !isInRange {
		return 0, j.refuse("--%s %s is not a number from %v to %v", name, text, least, most)
	}
	return n, nil
}
