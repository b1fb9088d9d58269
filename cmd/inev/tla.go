//go:build !js

package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/formula/liveness"
	"github.com/inev-lts/inev/formula/ltl"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// question is a property of a specification, over a model whose labels have the values that the
// property is about.
type question struct {
	m    *lts.LTS
	f    *ltl.Formula
	fair []*actl.Assumption
}

// readTLA reads a graph of TLC and its specification. Of several instances it takes the first
// violated one.
func (j *reading) readTLA() (*lts.LTS, property.Formula, error) {
	for _, name := range propertyFiles {
		if j.flag(name) != "" && name != "formula" {
			return nil, nil, j.refuse("--%s and --%s contradict each other; leave one of them out", tlaFlag, name)
		}
	}
	path, config := j.flag(tlaFlag), j.flag(configFlag)
	if beside := strings.TrimSuffix(path, ".tla") + ".cfg"; config == "" && isFile(beside) {
		config = beside
	}
	s, err := liveness.Load(j.ctx, path, config, slices.Concat(j.c.StringSlice(libraryFlag), j.c.StringSlice(sourceFlag)))
	if err != nil {
		return nil, nil, err
	}
	texts, err := j.tlaProperties()
	if err != nil {
		return nil, nil, err
	}
	instances, err := s.Instances(texts...)
	if err != nil {
		return nil, nil, err
	}
	j.aboutStates = true
	m, err := j.readModel()
	if err != nil {
		return nil, nil, err
	}
	g, err := s.On(j.ctx, m, j.options.States)
	if err != nil {
		return nil, nil, j.inModel(err)
	}
	asked, err := j.firstViolated(g, instances)
	if err != nil {
		return nil, nil, j.inModel(err)
	}
	for _, note := range g.Notes() {
		j.note(note)
	}
	if j.behaviour != nil {
		if j.options.Search.Given, err = j.behaviour.In(asked.m, j.options.States, g.Stuttering()); err != nil {
			return nil, nil, err
		}
	}
	if j.options.Search.Given == nil {
		j.options.Fair = slices.Concat(asked.fair, j.options.Fair)
	} else if len(asked.fair) > 0 {
		j.note("the fairness of Spec is not asked of the given counterexample, nor of other runs")
	}
	return asked.m, asked.f, nil
}

// inModel adds the name of the model to an error; the error of a place in the specification
// names that place itself.
func (j *reading) inModel(err error) error {
	if j.ctx.Err() != nil {
		return err
	}
	return fmt.Errorf("%s: %w", j.options.File, err)
}

// tlaProperties returns the properties of the command line; none means all properties of the
// configuration.
func (j *reading) tlaProperties() ([]string, error) {
	if path := j.flag("formula"); path != "" {
		text, err := j.formulaText(path)
		return []string{string(text)}, err
	}
	if at := slices.Index(j.usage(), "FORMULA"); at >= 0 && at < len(j.operands) {
		return []string{j.operands[at]}, nil
	}
	return nil, nil
}

// firstViolated returns the first violated instance, or the first one if all hold, and notes
// how many others are violated or hold.
func (j *reading) firstViolated(g *liveness.Graph, instances []liveness.Instance) (*question, error) {
	var found, first *question
	var foundBy, firstBy *explain.Explanation
	violated, hold := []string{}, 0
	for i, one := range instances {
		q := &question{}
		var err error
		q.m, q.f, q.fair, err = g.Ask(j.ctx, one)
		if err != nil {
			return nil, err
		}
		if len(instances) == 1 {
			return q, nil
		}
		o := j.options
		o.Fair = slices.Concat(q.fair, j.options.Fair)
		e, err := explain.Check(j.ctx, q.m, q.f, o)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", one.Name, err)
		}
		if first == nil {
			first, firstBy = q, e
		}
		switch {
		case e.Verdict != explain.Violated:
			hold++
		case found == nil:
			found, foundBy = q, e
		default:
			violated = append(violated, instances[i].Name)
		}
	}
	if found == nil {
		j.note(fmt.Sprintf("all %d properties of the specification hold; this is about the first", hold))
		j.checked = firstBy
		return first, nil
	}
	j.checked = foundBy
	text := fmt.Sprintf("others that hold: %d", hold)
	if n := len(violated); n > 0 {
		text += fmt.Sprintf("; others that are violated: %s", strings.Join(violated[:min(n, 5)], ", "))
		if n > 5 {
			text += fmt.Sprintf(" and %d more", n-5)
		}
	}
	j.note("of the properties of the specification, " + text)
	return found, nil
}
