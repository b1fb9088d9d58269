//go:build !js

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/counterexample/sequence"
	"github.com/inev-lts/inev/internal/formula/hoa"
	"github.com/inev-lts/inev/internal/formula/liveness"
	"github.com/inev-lts/inev/internal/formula/never"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// readHOA reads the automaton that is the property.
func readHOA(j *reading, path string) (property.Formula, error) {
	text, err := j.readSmall(path, "automaton", automatonLimit)
	if err != nil {
		return nil, err
	}
	return hoa.Read(j.ctx, bytes.NewReader(text), path)
}

// readClaim reads the claim of forbidden behaviour.
func readClaim(j *reading, path string) (property.Formula, error) {
	text, err := j.readSmall(path, "claim", automatonLimit)
	if err != nil {
		return nil, err
	}
	return never.Read(j.ctx, path, text)
}

// behaviour is a given counterexample whose states are described by their values.
type behaviour = sequence.Behaviour

// difference returns the meaning of a model that another tool has written as a diagnostic of how
// two models differ; "" for any other model.
func difference(labels *lts.Alphabet) string {
	if label := sequence.Difference(labels); label != "" {
		return sequence.MeaningOf(label)
	}
	return ""
}

// readRun reads the given counterexample.
func readRun(j *reading, path string) error {
	search := &j.options.Search
	given, warnings, err := sequence.Open(j.ctx, path)
	var valued *sequence.ValuesError
	if errors.As(err, &valued) {
		j.behaviour = valued.Behaviour
		search.File = path
		j.warn(warnings)
		return nil
	}
	if err != nil {
		return err
	}
	if len(given) > 1 {
		warnings = append(warnings,
			path+": holds several sequences; the first one is explained")
	}
	search.Given = given[0]
	search.File = path
	j.warn(warnings)
	return nil
}

// specified is a specification in TLA+ that a command is given.
type specified struct {
	*liveness.Specification
	// predicates are the definitions of the specification that a formula of another logic names.
	predicates []liveness.Parameter
}

func (s *specified) files() []string { return s.Files() }

// values returns the values of states in t, with the values of the predicates added.
func (s *specified) values(
	ctx context.Context,
	m *lts.LTS,
	t *lts.Values,
) (*lts.Values, error) {
	if s == nil || len(s.predicates) == 0 {
		return t, nil
	}
	return s.Values(ctx, m, t, s.predicates)
}

// specificationFile returns the file of the specification that properties are taken from: that of --tla,
// or the specification that the model is made of, if no formula is given; "" if there is none.
func (j *call) specificationFile() string {
	if path := j.flag(tlaFlag); path != "" {
		return path
	}
	isGiven := func(name string) bool { return j.flag(name) != "" }
	canTakeProperties := j.hasFlag(tlaFlag) && !slices.ContainsFunc(propertyFiles, isGiven)
	if !canTakeProperties || len(j.operands) == 0 {
		return ""
	}
	model := j.operands[0]
	if !strings.EqualFold(filepath.Ext(model), ".tla") {
		return ""
	}
	return model
}

// loadTLA reads the specification that properties are taken from; nil if there is none. The
// specification that the model is made of, which no flag names, is taken only if
// [reading.takesPropertiesOf] says so.
func (j *reading) loadTLA() (*specified, error) {
	path := j.specificationFile()
	if path == "" || j.tla != nil {
		return j.tla, nil
	}
	load := liveness.Load
	if len(j.operands) > 0 && isMade(j.operands[0]) {
		load = liveness.LoadMade
	}
	s, err := load(j.ctx, path, j.flag(configFlag),
		slices.Concat(j.c.StringSlice(libraryFlag), j.c.StringSlice(sourceFlag)))
	if j.flag(tlaFlag) == "" {
		isTaken, failure := j.takesPropertiesOf(s, err)
		if failure != nil || !isTaken {
			return nil, failure
		}
	}
	if err != nil {
		return nil, err
	}
	j.tla = &specified{Specification: s}
	return j.tla, nil
}

// takesPropertiesOf reports whether properties are taken from s, the specification that the model is made
// of. They are not for CTL, and not if the given formula is one of another logic. loadErr is the error of
// reading the specification, nil if there was none. The error is that of reading the given formula, or of
// a context that is done.
func (j *reading) takesPropertiesOf(s *liveness.Specification, loadErr error) (bool, error) {
	given, err := j.tlaProperties()
	if err != nil {
		return false, err
	}
	if j.c.Command.Name == "ctl" {
		return false, nil
	}
	if len(given) == 0 {
		return true, nil
	}
	if loadErr != nil {
		j.recordMistake(loadErr)
		j.notTLA = loadErr
		return false, j.ctx.Err()
	}
	if slices.ContainsFunc(given, s.Defines) {
		return true, nil // even if the definition is wrong: the user means it
	}
	_, err = s.Instances(j.ctx, given...)
	isOfOtherLogic := err != nil
	if isOfOtherLogic {
		j.recordMistake(err)
		if err := j.ctx.Err(); err != nil {
			return false, err
		}
		if s.IsMeantAsTLA(given[0]) {
			j.notTLA = err
		}
		f, _, isOver := s.ParseOver(j.withLibraries("."), given[0], formula.Parse)
		if len(given) > 1 || !isOver {
			return false, nil
		}
		if note := s.EndNote(); note != "" && liveness.IsAboutEnds(f) {
			j.note(note)
		}
		return liveness.IsAboutBehaviours(f), nil
	}
	return true, nil
}

// recordMistake records an error of reading the specification that the model is made of, if the error is
// about a place in its files. An error about the given formula may only mean that the formula is one of
// another logic.
func (j *reading) recordMistake(err error) {
	if liveness.IsInFile(err) {
		j.mistake = err
	}
}

// readTLA reads a graph of TLC and its specification. Of several instances it takes the certified one
// or, if there is no certificate, the first violated one.
func (j *reading) readTLA() (*lts.LTS, property.Formula, error) {
	texts, err := j.tlaProperties()
	if err != nil {
		return nil, nil, err
	}
	instances, err := j.tla.Instances(j.ctx, texts...)
	if err != nil {
		return j.readOverTLA(texts, err)
	}
	g, err := j.readGraph()
	if err != nil {
		return nil, nil, err
	}
	chosen, err := j.chooseInstance(g, instances)
	if err != nil {
		return nil, nil, err
	}
	if chosen.Vacuous != "" {
		j.options.NoReasons = true // reasons would be about what Spec assumes, which no run satisfies
		j.options.Warnings = append(j.options.Warnings, chosen.Vacuous)
	}
	j.options.Warnings = append(j.options.Warnings, chosen.Unasked...)
	j.unanswered = chosen.Unanswered
	if err := j.findLacking(g, chosen); err != nil {
		return nil, nil, err
	}
	question := chosen.Question
	j.options.Behaviours = question.Behaviours
	if err := j.assume(g, question.Model, question.Fair, chosen.Others); err != nil {
		return nil, nil, err
	}
	return question.Model, question.Formula, nil
}

// chooseInstance returns the certified one of several instances or, if there is no certificate, the first
// violated one. What else is known of the instances does not matter to a certificate.
func (j *reading) chooseInstance(
	g *liveness.Graph,
	instances []liveness.Instance,
) (liveness.Chosen, error) {
	if j.certified == "" {
		isViolated := func(ctx context.Context, q liveness.Question) (bool, error) {
			return j.options.IsViolated(ctx, q.Model, q.Formula, q.Fair)
		}
		chosen, err := g.First(j.ctx, instances, isViolated, j.givenViolates(g))
		return chosen, j.inModel(err)
	}
	isCertified := func(_ context.Context, q liveness.Question) (bool, error) {
		return q.Formula.String() == j.certified, nil
	}
	chosen, err := g.First(j.ctx, instances, isCertified, j.givenViolates(g))
	return liveness.Chosen{Question: chosen.Question}, j.inModel(err)
}

// givenViolates returns a function that reports whether the given counterexample violates the
// property of a question. It returns nil if no counterexample is given.
func (j *reading) givenViolates(
	g *liveness.Graph,
) func(context.Context, liveness.Question) (bool, error) {
	if j.behaviour == nil && j.options.Search.Given == nil {
		return nil
	}
	return func(ctx context.Context, q liveness.Question) (bool, error) {
		search := j.options.Search
		search.Fair = q.Fair
		if j.behaviour != nil {
			var err error
			search.Given, err = j.behaviour.In(q.Model, j.options.States, g.Stuttering())
			if err != nil {
				return false, err
			}
		}
		return j.options.GivenViolates(ctx, q.Model, q.Formula, search)
	}
}

// takeFairness records an assumption if its text is fairness in TLA+, and reports whether it is.
func (j *reading) takeFairness(text string) (isTaken bool, err error) {
	if !liveness.IsFairness(text) {
		return false, nil
	}
	if j.c.Command.Name == "ctl" || j.specificationFile() == "" {
		return false, j.refuse("--fair %s: fairness in TLA+ is about the actions of a specification, but none is given; name it by --%s", text, tlaFlag)
	}
	j.specifiedFair = append(j.specifiedFair, text)
	return true, nil
}

// findLacking finds, for inev explain and inev repair, the fairness that the specification lacks for a violated
// property.
func (j *reading) findLacking(g *liveness.Graph, chosen liveness.Chosen) error {
	if !j.wantsLacking() {
		return nil
	}
	isViolated := chosen.IsViolated
	isUnchecked := len(chosen.Property) == 1 && !isViolated // see [liveness.Graph.First]
	if isUnchecked {
		var err error
		q := chosen.Question
		isViolated, err = j.options.IsViolated(j.ctx, q.Model, q.Formula, q.Fair)
		if err != nil {
			return err
		}
	}
	if !isViolated {
		return nil
	}
	j.tellViolated(chosen.Question)
	advice, err := g.Lacking(j.ctx, chosen.Property, j.violatingLoop)
	if err != nil {
		return err
	}
	j.takeLacking(advice)
	return nil
}

// findLackingFor is [reading.findLacking] for the question about a formula of another logic.
func (j *reading) findLackingFor(g *liveness.Graph, q liveness.Question) error {
	if !j.wantsLacking() {
		return nil
	}
	isViolated, err := j.options.IsViolated(j.ctx, q.Model, q.Formula, q.Fair)
	if err != nil || !isViolated {
		return err
	}
	j.tellViolated(q)
	advice, err := g.LackingFor(j.ctx, q.Formula, j.options.States, func(
		ctx context.Context,
		q liveness.Question,
	) (loop []lts.Transition, isViolated bool, err error) {
		ofModel := j.options // without the warnings about this model
		q.Model, err = explain.Matched(ctx, q.Model, q.Formula, &ofModel, j.c.Bool(allowUnmatched))
		if err != nil {
			return nil, false, err
		}
		return j.violatingLoop(ctx, q)
	})
	if err != nil {
		return err
	}
	j.takeLacking(advice)
	return nil
}

// wantsLacking reports whether the command tells the fairness that a specification lacks.
func (j *reading) wantsLacking() bool {
	return slices.Contains([]string{"explain", "repair"}, j.c.Command.Name) && !j.options.NoFairness
}

// tellViolated makes the verdict known while the search for advice goes on.
func (j *reading) tellViolated(q liveness.Question) {
	if known := j.verdictSoFar; known != nil {
		j.verdictSoFar = func() string { return q.Formula.String() + " is violated; " + known() }
	}
}

// violatingLoop is the [liveness.Violation] of the options of the command.
func (j *reading) violatingLoop(
	ctx context.Context,
	q liveness.Question,
) (loop []lts.Transition, isViolated bool, err error) {
	return j.options.ViolatingLoop(ctx, q.Model, q.Formula, q.Fair)
}

// takeLacking puts advice, if there is any, into the options of the command.
func (j *reading) takeLacking(advice *liveness.Advice) {
	if advice.IsKnown() {
		lacking := explain.LackingFairness(*advice)
		j.options.Lacking = &lacking
	}
}

// readOverTLA reads the model, and a formula of another logic whose atoms are definitions of the
// specification. If the text is no such formula either, it fails with notTLA: the error of reading the
// text as a formula in TLA+.
func (j *reading) readOverTLA(
	texts []string,
	notTLA error,
) (*lts.LTS, property.Formula, error) {
	if len(texts) != 1 {
		return nil, nil, notTLA
	}
	f, predicates, isOver := j.tla.ParseOver(j.withLibraries("."), texts[0], formula.Parse)
	if !isOver {
		return nil, nil, notTLA
	}
	j.tla.predicates = predicates
	g, err := j.readGraph()
	if err != nil {
		return nil, nil, err
	}
	q, err := g.Take(j.ctx, f, j.options.States)
	if err := j.inModel(err); err != nil {
		return nil, nil, err
	}
	q.Model, err = j.modelFor(q.Model, f)
	if err != nil {
		return nil, nil, err
	}
	if err := j.findLackingFor(g, q); err != nil {
		return nil, nil, err
	}
	j.options.Behaviours = func(context.Context) (*lts.LTS, property.Formula, []*actl.Assumption, error) {
		return q.Model, f, q.Fair, nil
	}
	if err := j.assume(g, q.Model, q.Fair, ""); err != nil {
		return nil, nil, err
	}
	return q.Model, f, nil
}

// unlessTLA returns the error of a formula that is none of labels either: the error of reading it in TLA+, if it
// may be meant so.
func (j *reading) unlessTLA(err error) error {
	var unmatched *actl.UnmatchedError
	isAboutLabels := errors.As(err, &unmatched)
	switch {
	case err == nil || j.notTLA == nil || j.ctx.Err() != nil:
		return err
	case !isAboutLabels:
		return j.notTLA
	case token.IsIdentifier(strings.TrimSpace(j.formulaGiven())):
		return fmt.Errorf("%w; no label matches it either", j.notTLA)
	}
	return fmt.Errorf("%w; in TLA+, %w", err, j.notTLA)
}

// formulaGiven returns the text of the formula; "" if there is none.
func (j *reading) formulaGiven() string {
	given, err := j.tlaProperties() // the file of --formula, if there is one, was read before
	if err != nil || len(given) == 0 {
		return ""
	}
	return given[0]
}

// readGraph reads the model as the specification means it.
func (j *reading) readGraph() (*liveness.Graph, error) {
	j.aboutStates = true
	j.constrains = true
	m, err := j.readModel()
	if err != nil {
		return nil, err
	}
	isMade := isMade(j.operands[0])
	if size := j.tla.SizeNote(m.NumStates()); isMade && size != "" {
		j.verdictSoFar = func() string { return size }
	}
	g, err := j.tla.On(j.ctx, m, j.options.States, isMade, j.outside...)
	if err := j.inModel(err); err != nil {
		return nil, err
	}
	if err := j.inModel(g.Assume(j.ctx, j.specifiedFair...)); err != nil {
		return nil, err
	}
	j.options.Idle = g.Stuttering()
	j.options.Process = g.Process
	return g, nil
}

// assume makes the fairness of Spec an assumption of the analysis, and finds the given
// counterexample in the model.
func (j *reading) assume(
	g *liveness.Graph,
	m *lts.LTS,
	fair []*actl.Assumption,
	others string,
) error {
	for _, note := range append([]string{others}, g.Notes()...) {
		if note != "" {
			j.note(note)
		}
	}
	if j.behaviour != nil {
		given, err := j.behaviour.In(m, j.options.States, g.Stuttering())
		if err != nil {
			return err
		}
		j.options.Search.Given = given
	}
	if j.options.Search.Given == nil {
		j.options.Fair = slices.Concat(fair, j.options.Fair)
		return nil
	}
	j.options.Search.Fair = fair
	if len(fair) > 0 {
		j.note("the given counterexample has to be fair as Spec says, and advice counts only such runs; all else is about all runs, fair or not")
	}
	return nil
}

// withPredicates returns a formula about the graph itself in which predicates replace the definitions of the
// specification. It records the predicates, so that [reading.readModel] computes their values.
func (j *reading) withPredicates(text string) (replaced string, err error) {
	s, err := j.loadTLA()
	if err != nil {
		return "", err
	}
	if s == nil {
		return text, nil
	}
	if !isMade(j.operands[0]) {
		if err := j.inModel(s.Merging()); err != nil {
			return "", err
		}
	}
	if s.predicates == nil {
		j.note("the formula is about the graph as it is: its runs do not stutter, and the fairness of Spec is not assumed")
	}
	replaced, s.predicates = s.Predicates(text, true)
	return replaced, nil
}
