//go:build !js

package main

import (
	"fmt"
	"slices"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/formula/liveness"
	"github.com/inev-lts/inev/formula/ltl"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// readTLA reads a graph of TLC and its specification. If there are several instances, it returns
// the first violated one.
func (j *reading) readTLA() (*lts.LTS, property.Formula, error) {
	for _, name := range propertyFiles {
		if j.flag(name) != "" && name != "formula" {
			return nil, nil, j.refuse("--%s and --%s contradict each other; leave one of them out", tlaFlag, name)
		}
	}
	s, err := liveness.Load(j.ctx, j.flag(tlaFlag), j.flag(configFlag), slices.Concat(j.c.StringSlice(libraryFlag), j.c.StringSlice(sourceFlag)))
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
	asked, f, fair, others, err := g.First(j.ctx, instances, func(m *lts.LTS, f *ltl.Formula, fair []*actl.Assumption) (bool, error) {
		o := j.options
		o.Fair = slices.Concat(fair, o.Fair)
		e, err := explain.Check(j.ctx, m, f, o)
		if err != nil {
			return false, err
		}
		is := e.Verdict == explain.Violated
		if j.checked == nil || is && j.checked.Verdict != explain.Violated {
			j.checked = e
		}
		return is, nil
	})
	if err != nil {
		return nil, nil, j.inModel(err)
	}
	for _, note := range append(g.Notes(), others) {
		if note != "" {
			j.note(note)
		}
	}
	if j.behaviour != nil {
		if j.options.Search.Given, err = j.behaviour.In(asked, j.options.States, g.Stuttering()); err != nil {
			return nil, nil, err
		}
	}
	if j.options.Search.Given == nil {
		j.options.Fair = slices.Concat(fair, j.options.Fair)
	} else if len(fair) > 0 {
		j.note("the fairness of Spec is not asked of the given counterexample, nor of other runs")
	}
	return asked, f, nil
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
