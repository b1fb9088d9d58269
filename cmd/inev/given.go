//go:build !js

package main

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/counterexample/sequence"
	"github.com/inev-lts/inev/format/states"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/formula/hoa"
	"github.com/inev-lts/inev/formula/liveness"
	"github.com/inev-lts/inev/formula/ltl"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/values"
)

// readHOA reads the automaton that is the property.
func readHOA(j *reading, path string) property.Formula {
	text := j.small(path, "automaton", automatonLimit)
	return abort.Must(hoa.Read(j.ctx, bytes.NewReader(text), path))
}

// readClaim reads the claim of forbidden behaviour.
func readClaim(j *reading, path string) property.Formula {
	text := j.small(path, "claim", automatonLimit)
	return abort.Must(formula.ParseClaim(j.ctx, path, text))
}

// behaviour is a given counterexample whose states are described by their values.
type behaviour = sequence.Behaviour

// readRun reads the given counterexample.
func readRun(j *reading, path string) {
	search := &j.options.Search
	given, warnings, err := sequence.Open(j.ctx, path)
	var valued *sequence.ValuesError
	if errors.As(err, &valued) {
		j.behaviour, search.File = valued.Behaviour, path
		return
	}
	abort.On(err)
	if len(given) > 1 {
		warnings = append(warnings, path+": holds several sequences; the first one is explained")
	}
	search.Given, search.File = given[0], path
	j.warn(warnings)
}

// specified is a specification in TLA+ that a command is given.
type specified struct {
	*liveness.Specification
	// predicates are the definitions of the specification in a formula of
	// another logic.
	predicates []liveness.Parameter
}

func (s *specified) files() []string { return s.Files() }

// values returns the values of states, together with the values of the
// predicates.
func (s *specified) values(ctx context.Context, m *lts.LTS, t *states.Table) (*states.Table, error) {
	if s == nil || len(s.predicates) == 0 {
		return t, nil
	}
	return s.Values(ctx, m, t, s.predicates)
}

// specificationFile returns the file of the specification that properties are taken from: that of --tla, or the specification
// that the model is made of, if no formula is given; "" if there is none.
func (j *call) specificationFile() string {
	if path := j.flag(tlaFlag); path != "" {
		return path
	}
	other := slices.ContainsFunc(propertyFiles, func(name string) bool { return j.flag(name) != "" })
	if !j.hasFlag(tlaFlag) || other || len(j.operands) == 0 || !strings.EqualFold(filepath.Ext(j.operands[0]), ".tla") {
		return ""
	}
	return j.operands[0]
}

// loadTLA reads the specification, if there is one; nil if there is none. A specification that the model is made of is read
// for its properties only if no formula is given, or one that it understands.
func (j *reading) loadTLA() *specified {
	path := j.specificationFile()
	if path == "" || j.tla != nil {
		return j.tla
	}
	s, err := liveness.Load(j.ctx, path, j.flag(configFlag), slices.Concat(j.c.StringSlice(libraryFlag), j.c.StringSlice(sourceFlag)))
	if j.flag(tlaFlag) == "" {
		given := j.tlaProperties()
		if j.c.Command.Name == "ctl" {
			return nil
		}
		if len(given) > 0 {
			if err == nil {
				_, err = s.Instances(given...)
			}
			if err != nil {
				abort.On(j.ctx.Err())
				return nil // a formula of another logic
			}
		}
	}
	abort.On(err)
	j.tla = &specified{Specification: s}
	return j.tla
}

// readTLA reads a graph of TLC and its specification. Of several instances it takes the certified one or, if there is
// no certificate, the first violated one.
func (j *reading) readTLA() (*lts.LTS, property.Formula) {
	texts := j.tlaProperties()
	instances, err := j.tla.Instances(texts...)
	if err != nil {
		return j.readOverTLA(texts, err)
	}
	g := j.readGraph()
	asked, f, fair, others, err := g.First(j.ctx, instances, func(m *lts.LTS, f *ltl.Formula, fair []*actl.Assumption) (bool, error) {
		if j.certified != "" {
			return f.String() == j.certified, nil
		}
		return j.options.IsViolated(j.ctx, m, f, fair)
	})
	j.inModel(err)
	if j.certified != "" {
		others = ""
	}
	j.assume(g, asked, fair, others)
	return asked, f
}

// readOverTLA reads a formula of another logic: definitions of the specification are its atoms. It fails with
// wrong if the text is no such formula.
func (j *reading) readOverTLA(texts []string, wrong error) (*lts.LTS, property.Formula) {
	if len(texts) != 1 || j.tla.IsExpression(texts[0]) && !actl.Text(texts[0]).Begins() {
		abort.On(wrong)
	}
	text := ""
	text, j.tla.predicates = j.tla.Predicates(texts[0], false)
	f, err := formula.Parse(j.withLibraries("."), text)
	if err != nil {
		abort.On(wrong)
	}
	g := j.readGraph()
	m, fair, err := g.Take(j.ctx, values.AtomsOf(f), j.options.States)
	j.inModel(err)
	m = j.matched(m, f)
	j.assume(g, m, fair, "")
	return m, f
}

// readGraph reads the model as the specification means it.
func (j *reading) readGraph() *liveness.Graph {
	j.aboutStates = true
	m := j.readModel()
	g, err := j.tla.On(j.ctx, m, j.options.States, isMade(j.operands[0]))
	j.inModel(err)
	j.options.Idle = g.Stuttering()
	return g
}

// assume takes the fairness of Spec over, and finds the given counterexample in the model.
func (j *reading) assume(g *liveness.Graph, m *lts.LTS, fair []*actl.Assumption, others string) {
	for _, note := range append(g.Notes(), others) {
		if note != "" {
			j.note(note)
		}
	}
	if j.behaviour != nil {
		j.options.Search.Given = abort.Must(j.behaviour.In(m, j.options.States, g.Stuttering()))
	}
	if j.options.Search.Given == nil {
		j.options.Fair = slices.Concat(fair, j.options.Fair)
		return
	}
	if j.options.Search.Fair = fair; len(fair) > 0 {
		j.note("the given counterexample has to be fair as Spec says; all else is about all runs, fair or not")
	}
}

// withPredicates replaces definitions of the specification in a formula about the graph itself, so that [reading.readModel]
// computes the values of these definitions.
func (j *reading) withPredicates(text string) (replaced string) {
	s := j.loadTLA()
	if s == nil {
		return text
	}
	if !isMade(j.operands[0]) {
		j.inModel(s.Merging())
	}
	if s.predicates == nil {
		j.note("the formula is about the graph as it is: its runs do not stutter, and the fairness of Spec is not assumed")
	}
	replaced, s.predicates = s.Predicates(text, true)
	return replaced
}
