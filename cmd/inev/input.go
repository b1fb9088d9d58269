package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/format"
	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/internal/format/frontend"
	"github.com/inev-lts/inev/internal/format/relabel"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/property/values"
	"github.com/inev-lts/inev/internal/textlimit"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// standardInput is the name of a model that is read from standard input.
const standardInput = "-"

// reading is a call that reads models and formulas, and the options that it has read.
type reading struct {
	limited
	options explain.Options
	source  *format.Format // the format of the model, once it was read
	// constrains reports that a specification leaves out the states that TLC has marked as outside
	// of its constraints. outside has these states, once the model has been read.
	constrains bool
	outside    []lts.State
	// unanswered says which properties of a specification have no answer; "" if all have one.
	unanswered string
	// verdictSoFar returns what is known, for an error about a limit. While results are written,
	// these are the verdict and the files that are still missing; before that, it is the size of a
	// graph. It is nil if nothing is known.
	verdictSoFar func() string
	// carried is the file of the model, if a page is to contain it.
	carried []byte
	// aboutStates reports whether the formula is about values of states.
	aboutStates bool
	// exists is the given formula if it demands that some run exists; "" if it is about all runs.
	exists string
	// fromFile is the content of --formula; "" before it is read.
	fromFile string
	// specifiedFair is the fairness in TLA+ that is added to that of the specification.
	specifiedFair []string
	// behaviour is the given counterexample, if its states are described by values.
	behaviour *behaviour
	// maker makes models of specifications; nil until one is read.
	maker *frontend.Maker
	// tla is the specification that properties or predicates are taken from, nil if there is none.
	tla *specified
	// mistake is the error of reading the specification in TLA+ that the model is made of; nil if there
	// is none.
	mistake error
	// notTLA is the error of reading the formula in TLA+, if it may be meant so: it is an expression by its
	// syntax, or the specification cannot be read. It is nil otherwise.
	notTLA error
	// certified is the property of the certificate that is checked; "" if there is none.
	certified string
	hide      []actl.Pattern
	lanes     *view.Lanes // nil if none are named
	// relabelling has the rules that change the labels of each model that is read; changed
	// describes their effect on the last model, and is nil before a model is read.
	relabelling relabel.Changes
	changed     *relabel.Changed
}

// readBoth reads the arguments of most commands. The formula comes first, since reading it costs
// nothing, and most mistakes are in it. A step that matches no label of the model is an error,
// unless --allow-unmatched is given; then binding the formula adds a warning.
func (j *reading) readBoth() (*lts.LTS, property.Formula, error) {
	specified, err := j.loadTLA()
	if err != nil {
		return nil, nil, err
	}
	if specified != nil {
		return j.readTLA()
	}
	f, err := j.readFormula()
	if err != nil {
		return nil, nil, j.unlessTLA(err)
	}
	if len(j.specifiedFair) > 0 {
		return nil, nil, j.refuse("--fair %s: fairness in TLA+ is about properties of the specification, but the formula is about labels; give a formula in TLA+, or --fair weak:LABEL", j.specifiedFair[0])
	}
	j.aboutStates = len(values.AtomsOf(f)) > 0
	model, err := j.readModel()
	if err != nil {
		return nil, nil, err
	}
	m, err := j.modelFor(model, f)
	if err != nil {
		return nil, nil, j.unlessTLA(err)
	}
	j.takeMeaning()
	j.checkFolded(m)
	return m, f, j.noteOnReading(m, f)
}

// noteOnReading adds a note about how a formula is read: the size that it has when its quantifiers
// over data are written out for the model, or what it means if another one may have been meant.
func (j *reading) noteOnReading(m *lts.LTS, f property.Formula) error {
	noting, hasNote := f.(interface {
		Note(context.Context, *lts.Alphabet) (string, error)
	})
	if !hasNote {
		return nil
	}
	happening, err := m.Happening(j.ctx)
	if err != nil {
		return err
	}
	note, err := noting.Note(j.ctx, happening)
	if err != nil {
		return err
	}
	if note != "" {
		j.note(note)
	}
	return nil
}

// checkOperands compares the operands with those in the usage of the command: MODEL, FORMULA,
// both, or more. If FORMULA is missing, the error proposes one.
func (j *reading) checkOperands() error {
	if strings.HasSuffix(j.c.Command.ArgsUsage, "...") {
		return nil // any number
	}
	want, err := j.wantedOperands()
	if err != nil {
		return err
	}
	found := len(j.operands)
	isModelEmpty := slices.Contains(want, "MODEL") && found > 0 && j.operands[0] == ""
	switch {
	case j.hasFormulaForVersion(want):
		return j.refuse("a formula stands where a model should; the command is used as: inev %s %s", j.c.Command.Name, j.c.Command.ArgsUsage)
	case j.areSwapped(want):
		return j.refuse("%s stands where the model should, and %s where the formula should; exchange them: inev %s %s",
			j.operands[0], j.operands[1], j.c.Command.Name, j.c.Command.ArgsUsage)
	case found > len(want):
		hint := ""
		if slices.Contains(want, "FORMULA") {
			hint = "; a formula is one argument, put it in quotes: 'Inev(A, B)'"
		}
		return j.refuse("expected %s, found %d arguments%s", operandNames(want), found, hint)
	case found < len(want):
		return j.refuse("%s; the command is used as: inev %s %s", j.missingOperands(want),
			j.c.Command.Name, j.c.Command.ArgsUsage)
	case isModelEmpty:
		return j.refuse("the name of the model is empty; give a file, or - for standard input")
	}
	return nil
}

// wantedOperands returns the operands of the command as it is called: without FORMULA if a file has
// the property. It fails if there are both.
func (j *reading) wantedOperands() ([]string, error) {
	want := j.expectedOperands()
	found := len(j.operands)
	for _, name := range propertyFiles {
		if j.flag(name) == "" {
			continue
		}
		if found == len(want) && slices.Contains(want, "FORMULA") {
			return nil, j.refuse("both FORMULA and --%s given; leave one of them out", name)
		}
		want = without(want, "FORMULA")
	}
	configurationHasFormulas := j.c.Command.Name != "ctl" && j.specificationFile() != ""
	if configurationHasFormulas && found == len(want)-1 {
		want = without(want, "FORMULA")
	}
	return want, nil
}

// hasFormulaForVersion reports whether an operand of a command that compares two versions of a model
// looks like a formula, and is no file.
func (j *reading) hasFormulaForVersion(want []string) bool {
	if len(want) == 0 || want[0] != "OLD" {
		return false
	}
	for _, operand := range j.operands[:min(len(j.operands), 2)] {
		if looksLikeFormula(operand) && !isFile(operand) {
			return true
		}
	}
	return false
}

// missingOperands says which operands are missing; for a missing formula, it proposes one.
func (j *reading) missingOperands(want []string) string {
	found := len(j.operands)
	missing := operandNames(want[found:]) + " missing"
	isFormulaMissing := found == 1 && beginWithModelAndFormula(want)
	if !isFormulaMissing {
		return missing
	}
	switch {
	case !isFile(j.operands[0]) && looksLikeFormula(j.operands[0]):
		return "MODEL missing, which stands before the formula"
	case !isFile(j.operands[0]), len(want) > 2:
		return missing
	}
	if formula := j.proposal(); formula != "" {
		missing += ", such as " + formula
	}
	return missing
}

// beginWithModelAndFormula reports whether the first operands of a command are MODEL and FORMULA.
func beginWithModelAndFormula(want []string) bool {
	return len(want) >= 2 && want[0] == "MODEL" && want[1] == "FORMULA"
}

// areSwapped reports whether the first two operands, MODEL and FORMULA, seem to be exchanged:
// the first looks like a formula and is no file, the second is a file or is named like one.
func (j *reading) areSwapped(want []string) bool {
	if !beginWithModelAndFormula(want) || len(j.operands) < 2 {
		return false
	}
	first := j.operands[0]
	second := j.operands[1]
	if !looksLikeFormula(first) || isFile(first) {
		return false
	}
	isNamedLikeFile := !looksLikeFormula(second) && filepath.Ext(second) != ""
	return isFile(second) || second == standardInput || isNamedLikeFile
}

// inModel adds the name of the model to an error, unless the error begins with it or the work was
// stopped.
func (j *reading) inModel(err error) error {
	isStopped := j.ctx.Err() != nil
	if err == nil || isStopped || strings.HasPrefix(err.Error(), j.options.File+":") {
		return err
	}
	var located *inputfile.Error
	isAboutGiven := errors.As(err, &located) && j.behaviour != nil && located.File == j.options.Search.File
	if isAboutGiven {
		return located
	}
	return fmt.Errorf("%s: %w", j.options.File, err)
}

// withFlagForValues adds, to an error about values of states that the model lacks, the flag that may help.
// It returns any other error as it is.
func (j *reading) withFlagForValues(err error) error {
	var unknown *values.UnknownNameError
	var missing *values.NoValueError
	switch {
	case errors.As(err, &unknown) && len(unknown.Names) == 0:
		return fmt.Errorf("%w; --%s names such a table", err, tableOfStates)
	case errors.As(err, &missing):
		return fmt.Errorf("%s: %w (--%s takes it as %t everywhere; put a label with this text in quotes)", j.options.File, err, allowUnmatched, missing.IsTrue())
	}
	return err
}

// refuseUnmatched adds a hint to the error about a pattern that matches no label: how to accept the
// pattern. It returns nil if --allow-unmatched accepts the pattern already.
func (j *reading) refuseUnmatched(err error) error {
	var unmatched *actl.UnmatchedError
	switch {
	case !errors.As(err, &unmatched):
		return err
	case j.c.Bool(allowUnmatched):
		return nil
	}
	byParts := ""
	if unmatched.Whole != "" {
		byParts = "--" + partsMatch + " matches it; "
	}
	return fmt.Errorf("%s: %w (%s%s--%s takes it as %s that never happens)", j.options.File,
		err, j.lostLabel(unmatched), byParts, allowUnmatched, unmatched.A())
}

// Limits of small files.
var (
	formulaLimit = inputfile.Limit{
		Bytes:  textlimit.MaxRead,
		Remedy: "name many labels by a glob or a regular expression",
	}
	automatonLimit = inputfile.Limit{
		Bytes:  64 << 20,
		Remedy: "minimise the automaton (autfilt --small of Spot does)",
	}
	evidenceLimit = inputfile.Limit{Bytes: 1 << 30}
	lanesLimit    = inputfile.Limit{
		Bytes:  64 << 20,
		Remedy: "name the lanes by a /regular expression/",
	}
)

// analyse reads model and formula, and computes what needs no counterexample.
func (j *reading) analyse() (*explain.Analysis, error) {
	m, f, err := j.readBoth()
	if err != nil {
		return nil, err
	}
	a, err := explain.Analyse(j.ctx, m, f, j.options)
	if err != nil {
		return nil, err
	}
	j.account(a.Phases, a.Warnings)
	return a, nil
}

// ownersOf returns the owners of the labels of a model by the named lanes.
func (j *reading) ownersOf(m *lts.LTS) *explain.Owners {
	if j.lanes.IsNetwork() {
		return &explain.Owners{
			Names:      m.Alphabet().Components(),
			Of:         j.lanes.Owner,
			Components: j.lanes.Components,
			Moving:     true,
			Shares:     j.c.Bool(sharesFlag),
		}
	}
	return &explain.Owners{
		Names:      j.lanes.Owners(labelsOf(m)),
		Of:         j.lanes.Owner,
		Components: j.lanes.Components,
		Shares:     j.c.Bool(sharesFlag),
	}
}

// warnIfUnlocated warns if no decision can be located in the files of the specification.
func (j *reading) warnIfUnlocated(e *explain.Explanation) *explain.Explanation {
	isAnyLocated := slices.ContainsFunc(e.Decisions, func(d explain.Decision) bool {
		return d.Source != nil
	})
	areFilesGiven := j.options.Specification != nil && len(j.c.StringSlice(sourceFlag)) > 0
	if !areFilesGiven || len(e.Decisions) == 0 || isAnyLocated {
		return e
	}
	return e.Warned(fmt.Sprintf("--%s: these files name none of the deciding actions, such as %s, outside of comments and strings", sourceFlag, e.Decisions[0].Chosen.Label))
}

// explained reads model and formula, and explains the property. It returns the error of [explain.Explain].
func (j *reading) explained() (*explain.Explanation, error) {
	if err := j.readSearch(); err != nil {
		return nil, err
	}
	m, f, err := j.readBoth()
	if err != nil {
		return nil, err
	}
	if err := j.checkMatched(m.Alphabet(), "faults", j.options.Faults); err != nil {
		return nil, err
	}
	if err := j.showValues(m); err != nil {
		return nil, err
	}
	specification, err := j.readSources()
	if err != nil {
		return nil, err
	}
	j.options.Specification = specification
	j.takeNetworkLanes(m.Alphabet())
	if j.lanes != nil {
		j.options.Owners = j.ownersOf(m)
	}
	e, err := explain.Explain(j.ctx, m, f, j.options)
	if err != nil {
		return e, err
	}
	e = j.warnIfUnlocated(e)
	j.account(e.Timings, e.Warnings)
	return e, nil
}
