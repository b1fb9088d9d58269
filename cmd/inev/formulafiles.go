//go:build !js

package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/diagram"
	"github.com/inev-lts/inev/diagram/graphviz"
	"github.com/inev-lts/inev/diagram/view"
	"github.com/inev-lts/inev/formula/hoa"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/neighbourhood/monitor"
	"github.com/inev-lts/inev/property"
)

// automatonOutputs are those that write the automaton of a property.
func automatonOutputs() []cli.Flag {
	return []cli.Flag{
		value(alsoFlags, "hoa-out", "write the property as a deterministic automaton to `FILE`.hoa"),
		value(alsoFlags, "steps-out", "write which labels of the model do which steps to `FILE`.tsv, for inev-proof"),
		value(alsoFlags, "dot", "write a picture of the automaton to `FILE`.dot"),
		value(alsoFlags, "svg", "write a picture of the automaton to `FILE`.svg"),
		value(alsoFlags, "png", "write a picture of the automaton to `FILE`.png"),
	}
}

// automatonWriter is a file that shows the automaton of a property.
type automatonWriter struct {
	flag, suffix string
	write        func(io.Writer) error
}

// writeAutomaton writes the automaton of a property to the files that are asked for.
func (j *job) writeAutomaton(f property.Formula) error {
	var p *property.Property
	var steps []property.Step
	picture := func() (*view.Graph, *graphviz.Engine) {
		return view.Automaton(p, steps), graphviz.New(1, compiledFolder())
	}
	all := []automatonWriter{
		{"hoa-out", ".hoa", func(w io.Writer) error { return hoa.Write(w, p, steps) }},
		{"dot", ".dot", func(w io.Writer) error {
			return diagram.DOT(w, view.Automaton(p, steps), diagram.Options{})
		}},
		{"svg", ".svg", func(w io.Writer) error {
			g, engine := picture()
			defer engine.Close()
			return diagram.SVG(j.ctx, engine, w, g, diagram.Options{})
		}},
		{"png", ".png", func(w io.Writer) error {
			g, engine := picture()
			defer engine.Close()
			return diagram.PNG(j.ctx, engine, w, g, diagram.Options{})
		}},
	}
	for _, a := range all {
		path := j.flag(a.flag)
		if path == "" {
			continue
		}
		if err := checkOutput(path, a.suffix); err != nil {
			return err
		}
		if p == nil {
			var err error
			if p, steps, err = j.overLetters(f); err != nil {
				return err
			}
		}
		if err := j.save(path, a.write); err != nil {
			return fmt.Errorf("--%s: %w", a.flag, err)
		}
	}
	return nil
}

// writeSteps writes which labels of a model do which steps of f, which is bound to it as p, if
// a file is named for that.
func (j *job) writeSteps(f property.Formula, p *property.Property) error {
	path := j.flag("steps-out")
	if path == "" {
		return nil
	}
	if err := checkOutput(path, ".tsv"); err != nil {
		return err
	}
	chain, is := p.Chain()
	switch {
	case !is:
		return errors.New("--steps-out: only inevitability, such as Inev(A, B), has steps")
	case j.aboutStates:
		return errors.New("--steps-out: steps that ask for values of states are no sets of labels")
	}
	return j.save(path, func(w io.Writer) error { return stepTable(w, f, chain) })
}

// stepTable writes the formula and the number of its steps, then each label and the numbers of
// the steps that it does, with commas. A tab is between the two.
func stepTable(w io.Writer, f property.Formula, chain *property.Chain) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "%s\t%d\n", printable.Cell(f.String()), chain.Len())
	for l, text := range chain.Alphabet().All() {
		var done []string
		for i := 1; i <= chain.Len(); i++ {
			if chain.Does(l, i) {
				done = append(done, strconv.Itoa(i))
			}
		}
		fmt.Fprintf(out, "%s\t%s\n", printable.Cell(text), strings.Join(done, ","))
	}
	return out.Flush()
}

// overLetters returns a property without a model.
func (j *job) overLetters(f property.Formula) (*property.Property, []property.Step, error) {
	g, is := f.(monitor.Formula)
	if !is {
		return nil, nil, fmt.Errorf("%s has no automaton without a model", f)
	}
	p, letters, err := g.BindLetters(j.ctx)
	if err != nil {
		return nil, nil, err
	}
	return p, letters.Steps(), nil
}
