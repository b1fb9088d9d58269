package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/cmd/wording"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/format"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/ctl/linear"
	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/internal/explain/setting"
	"github.com/inev-lts/inev/internal/explain/specification"
	"github.com/inev-lts/inev/internal/footprint"
	"github.com/inev-lts/inev/internal/format/frontend"
	"github.com/inev-lts/inev/internal/format/relabel"
	"github.com/inev-lts/inev/internal/formula/formulafile"
	"github.com/inev-lts/inev/internal/formula/liveness"
	"github.com/inev-lts/inev/internal/formula/modal"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/options"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/property/values"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/internal/stoppable"
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
		return nil, nil, err
	}
	if len(j.specifiedFair) > 0 {
		return nil, nil, j.refuse("--fair %s: fairness in TLA+ is about properties of the specification, and the formula is about labels; give a formula in TLA+, or --fair weak:LABEL", j.specifiedFair[0])
	}
	j.aboutStates = len(values.AtomsOf(f)) > 0
	model, err := j.readModel()
	if err != nil {
		return nil, nil, err
	}
	m, err := j.modelFor(model, f)
	if err != nil {
		return nil, nil, err
	}
	j.takeMeaning()
	j.checkFolded(m)
	return m, f, j.noteOnData(m, f)
}

// noteOnData adds a note about the size that a formula with data has when its quantifiers over data
// are written out for the model.
func (j *reading) noteOnData(m *lts.LTS, f property.Formula) error {
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
	j.note(note)
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

// modelFor returns the model that the formula can be bound to, see [explain.Matched]. Errors say which flag
// may help.
func (j *reading) modelFor(m *lts.LTS, f property.Formula) (*lts.LTS, error) {
	matched, err := explain.Matched(j.ctx, m, f, &j.options, j.c.Bool(allowUnmatched))
	if err := j.refuseUnmatched(j.withFlagForValues(err)); err != nil {
		j.warn(j.options.Warnings) // one of the warnings may say why a label does not happen
		return nil, err
	}
	return matched, nil
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

// checkFolded warns if none of the patterns of --fold matches a label. If only some of the patterns
// match, there is no warning: of 'tau, i', most models have only one label.
func (j *reading) checkFolded(m *lts.LTS) {
	hides := func(text string) bool {
		return slices.ContainsFunc(j.hide, func(p actl.Pattern) bool {
			return p.Matches(text)
		})
	}
	if len(j.hide) > 0 && !slices.ContainsFunc(labelsOf(m), hides) {
		j.warn([]string{fmt.Sprintf("--%s %s matches no label of the model; inev labels lists them", foldFlag, cmp.Or(j.flag(foldFlag), j.flag(hideFlag)))})
	}
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

// readModel reads the model of the first operand, and records its format, warnings and values
// in j.
func (j *reading) readModel() (*lts.LTS, error) {
	start := time.Now()
	m, warnings, err := j.openModel(j.operands[0])
	if err != nil {
		return nil, j.mistakeBehind(err)
	}
	j.source = m.Format
	j.outside = m.Outside
	j.options.Warnings = warnings
	j.options.States, err = j.tla.values(j.ctx, m.LTS, m.States)
	if err != nil {
		return nil, j.inModel(err)
	}
	if j.behaviour != nil && j.tla == nil {
		given, err := j.behaviour.In(m.LTS, j.options.States, "")
		if err != nil {
			return nil, err
		}
		j.options.Search.Given = given
	}
	j.options.Before = []explain.Phase{{Name: "read", Took: time.Since(start)}}
	j.accounts = accounts{m.LTS.NumTransitions(), j.options.Before}
	return m.LTS, nil
}

// mistakeBehind returns the error of reading the specification if a tool failed to make a model of it: this
// error names the line, which the tool often does not. It returns all other errors as they are.
func (j *reading) mistakeBehind(err error) error {
	var failed interface{ Said() ([]string, int) }
	hasToolFailed := errors.As(err, &failed)
	if hasToolFailed && j.mistake != nil {
		return j.mistake
	}
	return err
}

// takeMeaning handles the remark about what the format of the model leaves open. Commands that find
// a counterexample find out whether it matters; all other commands warn.
func (j *reading) takeMeaning() {
	if j.source.Meaning == "" {
		return
	}
	j.options.Process = liveness.Process
	meaning := j.options.File + ": " + j.source.Meaning
	if slices.Contains([]string{"check", "explain", "diagram", "serve"}, j.c.Command.Name) {
		j.options.Unsettled = meaning
		return
	}
	j.options.Warnings = append(j.options.Warnings, meaning)
}

// readStates returns the values of states in the file of --states.
func (j *reading) readStates(numStates int) (*lts.Values, error) {
	path := j.flag(tableOfStates)
	f, err := inputfile.Open(j.ctx, path)
	if err != nil {
		return nil, inputfile.FileError(path, err)
	}
	defer f.Close()
	return lts.ReadValues(j.ctx, f, path, numStates)
}

// openModel opens the model of a file, of standard input, or of a specification.
func (j *reading) openModel(path string) (m *format.Model, warnings []string, err error) {
	o := j.formatOptions(path)
	switch {
	case path == standardInput:
		o.Name = "<standard input>"
		m, warnings, err = format.Read(j.ctx, stoppable.Reader(j.ctx, j.stdin), o)
	case j.carriesFile(path):
		m, warnings, err = j.openCarried(path, o)
	default:
		m, warnings, err = j.models().Open(j.ctx, j.specificationOf(path), o)
	}
	if err == nil { // some formats show their size only when the whole model has been read
		err = tooLarge(j.program, j.options.File, int64(m.LTS.NumTransitions()))
	}
	if err != nil && j.ctx.Err() == nil {
		// The content counts more than the name: a file is taken for a source by its name only if
		// it cannot be read as a model.
		err = cmp.Or(checkSource(path), refuseRulesFile(path), err)
	}
	if err != nil {
		return nil, nil, err
	}
	if meaning := difference(m.LTS.Alphabet()); meaning != "" {
		j.note(path + ": " + meaning)
	}
	if j.readsTauAsI(m.LTS.Alphabet()) {
		j.note("tau of the formula is the label i of the model, as CADP's tools write it")
	}
	return m, warnings, nil
}

// formatOptions returns how the model in a file is read.
func (j *reading) formatOptions(path string) format.Options {
	o := format.Options{
		Name:        path,
		Lenient:     j.c.Bool("lenient"),
		Constrained: j.constrains,
		Admit:       j.admit,
	}
	if j.flag(tableOfStates) != "" {
		o.Values = j.readStates
	} else {
		o.States = j.needsValues()
	}
	if !j.relabelling.IsEmpty() {
		o.Changed = j.relabel
	}
	return o
}

// needsValues reports whether the command asks for values of states, shows them or keeps them.
func (j *reading) needsValues() bool {
	if j.behaviour != nil || j.aboutStates {
		return true
	}
	if j.writesModel() && isValued(j.flag("o")) {
		return true
	}
	switch j.c.Command.Name {
	case "info", "check", "explain", "ctl", "verify", "convert":
		return true
	}
	return false
}

// readsTauAsI reports whether the formula comes from a file of mCRL2 and names tau, but the
// model has only the label i.
func (j *reading) readsTauAsI(labels *lts.Alphabet) bool {
	path := j.flag("formula")
	isOfMCRL2 := strings.HasSuffix(strings.ToLower(path), ".mcf")
	_, hasI := labels.Lookup("i")
	_, hasTau := labels.Lookup("tau")
	if !isOfMCRL2 || !hasI || hasTau {
		return false
	}
	text, err := inputfile.ReadRegular(j.ctx, path, formulaLimit)
	if err != nil {
		return false // reading the formula tells why
	}
	return namesTau(string(text))
}

// namesTau reports whether tau is a word of a formula of mCRL2, outside its comments.
func namesTau(text string) bool {
	separatesWords := func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != '_'
	}
	for line := range strings.Lines(text) {
		formula, _, _ := strings.Cut(line, "%")
		if slices.Contains(strings.FieldsFunc(formula, separatesWords), "tau") {
			return true
		}
	}
	return false
}

// readFormula reads the formula, from its operand or from the file that --formula
// names.
func (j *reading) readFormula() (property.Formula, error) {
	if path := j.flag("hoa"); path != "" {
		return readHOA(j, path)
	}
	if path := j.flag("never"); path != "" {
		return readClaim(j, path)
	}
	text, path, err := j.formulaText()
	if err != nil {
		return nil, err
	}
	f, err := parseFormula(j.withLibraries(filepath.Dir(path)), path, text)
	if err == nil {
		return f, nil
	}
	if n := j.formulasIn(path, text); n > 1 {
		return nil, fmt.Errorf("%s: holds %d formulas, one a line, and inev %s takes one; inev batch takes all, by formula_file: %s in a manifest",
			path, n, j.c.Command.Name, path)
	}
	other, isAnswered, refused := j.readOtherwise(cmp.Or(path, text), err)
	if refused != nil {
		return nil, refused
	}
	if isAnswered {
		return other, nil
	}
	return nil, inOtherLogic(j.ctx, err)
}

// parseFormula reads a formula: the content of a file, or an operand if path is "".
func parseFormula(ctx context.Context, path, text string) (property.Formula, error) {
	if path == "" {
		return formula.Parse(ctx, text)
	}
	return formula.ParseFile(ctx, path, []byte(text))
}

// formulasIn returns the number of formulas in a file that has one on each line, as batches take them; 0 if a
// line is no formula.
func (j *reading) formulasIn(path, text string) int {
	if path == "" || formula.IsModal(path) {
		return 0
	}
	n := 0
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if _, err := formula.Parse(j.withLibraries(filepath.Dir(path)), line); err != nil {
			return 0
		}
		n++
	}
	return n
}

// formulaText returns the text of the formula, and the file of --formula, "" for an operand.
func (j *reading) formulaText() (text, path string, err error) {
	path = j.flag("formula")
	if path == "" {
		operand := slices.Index(j.expectedOperands(), "FORMULA")
		text = j.operands[operand]
		// The tools of CADP and mCRL2 take the file in this place.
		isNamedAsFormula := formula.IsModal(text) && !strings.ContainsAny(text, " \"'()[]<>{}")
		isOtherFile := filepath.Ext(text) != "" && isFile(text)
		if isNamedAsFormula || isOtherFile {
			return "", "", j.refuse("%s is the name of a file, and no formula; write --formula %s", text, text)
		}
		return text, "", nil
	}
	content, err := j.readSmall(path, "formula", formulaLimit)
	if err != nil {
		return "", "", err
	}
	j.fromFile = string(content)
	return j.fromFile, path, nil
}

// placed names the file of --formula in an error about its text.
func (j *reading) placed(err error) error {
	var syntax *actl.SyntaxError
	if !errors.As(err, &syntax) || j.fromFile == "" {
		return err
	}
	isAboutFile := syntax.Text == j.fromFile ||
		syntax.Text == formulafile.WithoutComments(j.fromFile)
	if !isAboutFile {
		return err
	}
	return formulafile.Placed(j.flag("formula"), err)
}

// tlaProperties returns the properties of the command line; none means all properties of the
// configuration.
func (j *reading) tlaProperties() ([]string, error) {
	expected := j.expectedOperands()
	isOperand := slices.Contains(expected, "FORMULA") && len(j.operands) == len(expected)
	if j.flag("formula") == "" && !isOperand {
		return nil, nil
	}
	text, _, err := j.formulaText()
	if err != nil {
		return nil, err
	}
	return []string{text}, nil
}

// withLibraries returns the context in which libraries of a formula are found: in the folder of
// the formula, in those of --library, and in CADP's; under --no-libraries there are none. Definitions
// of data are found in the specification of the model or, if there is none, beside the formula.
func (j *reading) withLibraries(folder string) context.Context {
	if j.c.Bool(noLibrariesFlag) {
		return j.ctx
	}
	folders := append([]string{folder}, j.c.StringSlice(libraryFlag)...)
	if cadp := os.Getenv("CADP"); cadp != "" {
		folders = append(folders, filepath.Join(cadp, "src", "xtl"))
	}
	ctx := formula.WithLibraries(j.ctx, folders...)
	path, content, isFound := j.specification()
	if !isFound {
		return ctx
	}
	return modal.WithSpecification(ctx, func() (name, text string) {
		return path, content
	})
}

// specification returns the specification of mCRL2 that the model is made of: MODEL itself, or
// X.mcrl2 beside a model X.lts or X.aut.
func (j *reading) specification() (path, content string, isFound bool) {
	const suffix = ".mcrl2"
	i := slices.Index(j.expectedOperands(), "MODEL")
	if i < 0 || i >= len(j.operands) {
		return "", "", false
	}
	model := j.operands[i]
	path = model
	if filepath.Ext(model) != suffix {
		path = model[:len(model)-len(filepath.Ext(model))] + suffix
	}
	text, err := inputfile.ReadRegular(j.ctx, path, formulaLimit)
	if err != nil {
		return "", "", false
	}
	return path, string(text), true
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

// task returns the kind of work of the command, by which its memory is estimated.
func (j *reading) task() footprint.Task {
	if j.options.Unfold {
		return footprint.Unfolding
	}
	switch j.c.Command.Name {
	case "convert":
		if !writesAutx(j.flag("o")) {
			return footprint.Loading
		}
	case "info":
		return footprint.Describing
	case "check":
		if j.c.Bool("all") {
			return footprint.Listing
		}
		return footprint.Checking
	case "explain", "diagram":
		return footprint.Explaining
	}
	return footprint.Analysing
}

// admit refuses a model that cannot fit into memory, as soon as its size is known.
func (j *reading) admit(states, transitions int64) error {
	if err := tooLarge(j.program, j.options.File, transitions); err != nil {
		return err
	}
	j.large = transitions > manyTransitions && os.Getenv("GOGC") == ""
	if j.large {
		debug.SetGCPercent(50)
	}
	return footprint.Fits(j.task(), states, transitions, resources.LimitOf(j.ctx))
}

// readMethod reads the flags about the method of the analysis.
func (j *reading) readMethod() error {
	if err := j.checkOwners(); err != nil {
		return err
	}
	wrongSetting := j.readSettings() // shown if nothing else is wrong
	if err := j.readRelabelling(); err != nil {
		return err
	}
	j.options.NoFairness = j.c.Bool("no-fairness")
	j.options.NoAdvice = j.c.Bool("no-advice")
	if err := j.readFairness(); err != nil {
		return err
	}
	if err := j.readComponents(); err != nil {
		return err
	}
	j.options.Measure = j.c.Bool("stats")
	if len(j.operands) > 0 {
		j.options.File = j.operands[0]
	}
	return wrongSetting
}

// readSettings reads the flags that are settings of explanations, and returns the error of the last wrong one.
func (j *reading) readSettings() error {
	var last error
	for _, s := range setting.All() {
		text := j.flag(s.Flag())
		if text == "" {
			continue
		}
		if wrong := s.Set(&j.options, text); wrong != nil {
			last = j.refuse("--%s: %v", s.Flag(), wrong)
		}
	}
	return last
}

// readFairness reads the assumptions about runs.
func (j *reading) readFairness() error {
	for _, text := range j.c.StringSlice("fair") {
		isTaken, err := j.takeFairness(text)
		if err != nil {
			return err
		}
		if isTaken {
			continue
		}
		assumption, err := actl.ParseAssumption(j.ctx, text)
		if err != nil {
			return j.refuse("--fair %s: %v", text, err)
		}
		j.options.Fair = append(j.options.Fair, assumption)
	}
	if text := j.flag(blockingFlag); text != "" {
		assumption, err := actl.ParseAssumption(j.ctx, actl.Blocking.String()+":"+text)
		if err != nil {
			return j.refuse("--%s %s: %v", blockingFlag, text, err)
		}
		j.options.Fair = append(j.options.Fair, assumption)
	}
	if j.c.IsSet(blockingFlag) && !j.isJust() {
		return j.refuse("--%s has no effect without --fair just; add it", blockingFlag)
	}
	if err := actl.Agree(j.options.Fair); err != nil {
		return j.refuse("--fair: %v", err)
	}
	return nil
}

// checkMade refuses flags that do not fit the kind of the model.
func (j *reading) checkMade() error {
	if len(j.operands) == 0 {
		return nil
	}
	model := j.operands[0]
	if j.c.Command.Name == "formula" {
		model = j.flag("model")
	}
	suffix := frontend.Specification{Path: model}.Made()
	if err := j.checkKeptModel(model, suffix); err != nil {
		return err
	}
	frontEnd := j.flag(frontEndFlag)
	known := options.FrontEnd.Option().Words
	if frontEnd != "" && !slices.Contains(known, frontEnd) {
		return j.refuse("--%s %s: a network can be composed by %s", frontEndFlag, frontEnd,
			printable.List(known, "or"))
	}
	isModel := suffix == ""
	if len(j.c.StringSlice(frontEndOptionFlag)) > 0 && isModel {
		return j.refuse("--%s: %s is a model already, and no front end makes it",
			frontEndOptionFlag, model)
	}
	isOfTLA := j.flag(tlaFlag) != "" || strings.EqualFold(filepath.Ext(model), ".tla")
	if j.flag(configFlag) != "" && !isOfTLA {
		return j.refuse("--%s is for specifications in TLA+, and %s is none", configFlag, model)
	}
	return nil
}

// checkKeptModel checks --keep-model, the file for the model that a front end makes. suffix is that of the
// file that the front end makes; "" if model is a model already.
func (j *reading) checkKeptModel(model, suffix string) error {
	keep := j.flag(keepModelFlag)
	switch {
	case keep == "":
		return nil
	case j.c.Command.Name == "compare":
		return j.refuse("--%s keeps one model, and compare reads two; keep each by inev convert", keepModelFlag)
	case suffix == "":
		return j.refuse("--%s: %s is a model already; inev convert writes it in other formats", keepModelFlag, model)
	case filepath.Ext(keep) != suffix:
		return j.refuse("--%s %s: the model that is made of %s is kept as it is, in a file that ends with %s; inev convert writes other formats", keepModelFlag, keep, model, suffix)
	}
	return checkPlace(keep)
}

// models returns the maker of models of specifications, which is closed when the job ends.
func (j *reading) models() *frontend.Maker {
	if j.maker == nil {
		j.maker = &frontend.Maker{}
		if folder := wording.CompiledFolder(); folder != "" && !j.c.Bool(noCacheFlag) {
			j.maker.Cache = filepath.Join(folder, "models")
		}
	}
	return j.maker
}

// closeModels removes the models that were made and are not to be kept.
func (j *reading) closeModels() {
	if err := j.maker.Close(); err != nil {
		j.warn([]string{"temporary files are left: " + err.Error()})
	}
}

// specificationOf returns the specification of a model: the file from which it is read or made.
func (j *reading) specificationOf(path string) frontend.Specification {
	s := frontend.Specification{
		Path:      path,
		Config:    j.flag(configFlag),
		Libraries: slices.Concat(j.c.StringSlice(libraryFlag), j.c.StringSlice(sourceFlag)),
		Keep:      j.flag(keepModelFlag),
		Options:   j.c.StringSlice(frontEndOptionFlag),
	}
	if j.flag(frontEndFlag) == frontend.CADP {
		s.FrontEnd = frontend.CADP
	}
	return s
}

// isMade reports whether a front end must make the model of a file.
func isMade(path string) bool { return frontend.Specification{Path: path}.Made() != "" }

// largestAsked is the largest size, in bytes, of a model that is read only to propose a
// formula.
const largestAsked = 64 << 20

// proposal returns a formula to begin with, quoted as one word of a command line: that the rarest
// label of the model happens. It is "" if there is no model.
func (j *reading) proposal() string {
	info, err := os.Stat(j.operands[0])
	isReadFast := err == nil && info.Mode().IsRegular() && info.Size() <= largestAsked &&
		!isMade(j.operands[0])
	if !isReadFast {
		return ""
	}
	m, _, err := j.openModel(j.operands[0])
	if err != nil {
		return ""
	}
	l, err := explain.ListLabels(j.ctx, m.LTS, explain.Source{})
	if err != nil {
		return ""
	}
	label, ok := rarestLabel(l)
	if !ok {
		return ""
	}
	text := "Inev(" + actl.PatternFor(label) + ")"
	if j.c.Command.Name == "ctl" {
		text = "AF <" + actl.Quoted(label) + "> true"
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// rarestLabel returns the label with the fewest reachable transitions, the first of several. Labels of
// internal actions, labels that no run does, and long ones do not count.
func rarestLabel(l *explain.Labels) (label string, ok bool) {
	var rarest *explain.LabelUse
	for i := range l.Uses {
		u := &l.Uses[i]
		isInternal := u.Text == "i" || u.Text == "tau" || u.Text == ""
		if isInternal || u.Reachable == 0 || len(u.Text) > 60 {
			continue
		}
		if rarest == nil || u.Reachable < rarest.Reachable {
			rarest = u
		}
	}
	if rarest == nil {
		return "", false
	}
	return rarest.Text, true
}

// readLanes returns the lanes that --lanes names, nil if it names none.
func (j *reading) readLanes() (*view.Lanes, error) {
	text := j.flag(lanesFlag)
	isUnfinishedPattern := strings.HasPrefix(text, "/") && filepath.Ext(text) == ""
	switch {
	case !j.c.IsSet(lanesFlag):
		return nil, nil
	case view.IsLanesPattern(text):
		lanes, err := view.ParseLanes(text)
		if err != nil {
			return nil, j.refuse("--lanes: %v", err)
		}
		return lanes, nil
	case isUnfinishedPattern, text == "":
		return nil, j.refuse("--lanes: %q is neither a /regular expression/ between two slashes nor the name of a .tsv", text)
	}
	content, err := inputfile.Read(j.ctx, text, lanesLimit)
	if err != nil {
		return nil, inputfile.FileError(text, err)
	}
	return view.ReadLanes(j.ctx, bytes.NewReader(content), text)
}

// isJust reports whether justness is assumed.
func (j *reading) isJust() bool {
	return slices.ContainsFunc(j.options.Fair, func(a *actl.Assumption) bool {
		return a.Kind() == actl.Just
	})
}

// checkOwners refuses flags that ask who can prevent a violation if it is not known who takes which
// action. Lanes say it, and so do the transitions of a network.
func (j *reading) checkOwners() error {
	if j.flag(lanesFlag) != "" || j.isNetwork() {
		return nil
	}
	for _, flag := range []string{byOwner, sharesFlag} {
		if j.c.Bool(flag) {
			return j.refuse("--%s%s", flag, needLanes)
		}
	}
	return nil
}

// isNetwork reports whether the model is a network that inev composes.
func (j *reading) isNetwork() bool {
	return len(j.operands) > 0 && j.specificationOf(j.operands[0]).IsComposed()
}

// takeNetworkLanes takes the components of a network as the lanes, unless others are named.
func (j *reading) takeNetworkLanes(a *lts.Alphabet) {
	if j.lanes != nil {
		return
	}
	if lanes, isNetwork := view.NetworkLanes(a); isNetwork {
		j.lanes = lanes
	}
}

// readComponents reads the lanes, if justness is assumed: they name the components that take part in an
// action.
func (j *reading) readComponents() error {
	isMethodFlag := func(flag string) bool {
		return slices.ContainsFunc(j.c.Command.Flags, func(f cli.Flag) bool {
			return f.Names()[0] == flag && f.(cli.CategorizableFlag).GetCategory() == string(methodFlags)
		})
	}
	areLanesForJustness := isMethodFlag(lanesFlag)
	switch {
	case j.flag(lanesFlag) == autoLanes:
		return nil // the lanes are only proposed
	case !isMethodFlag(blockingFlag):
		return nil // the command does not assume justness
	case !j.isJust() && areLanesForJustness && j.c.IsSet(lanesFlag):
		return j.refuse("--lanes names the components that take part in actions; add --fair just")
	case !j.isJust():
		return nil
	}
	lanes, err := j.readLanes()
	if err != nil {
		return err
	}
	j.lanes = lanes
	if j.lanes == nil && j.isNetwork() {
		return nil // the transitions of a network say who moves
	}
	if j.lanes == nil {
		return j.refuse("--fair just: add --lanes LANES, which names the components that take part in each action")
	}
	for i, a := range j.options.Fair {
		j.options.Fair[i] = a.On(j.lanes.Components)
	}
	return nil
}

// warnOfMisfit warns if justness is assumed but the components of the actions do not fit the
// model.
func (j *reading) warnOfMisfit(m *lts.LTS) error {
	if !j.isJust() {
		return nil
	}
	fair, _, err := actl.BindAssumptions(j.ctx, j.options.Fair, m.Alphabet())
	if err != nil {
		return err
	}
	misfit, err := fair.Misfit(j.ctx, m)
	if err != nil {
		return err
	}
	if misfit != "" {
		j.warn([]string{misfit})
	}
	return nil
}

// otherwise is the error of a formula that another property answers, see [modal.OtherwiseError].
type otherwise interface {
	error
	WhenFullyFair() property.Formula
	Dual() property.Formula
}

// readOtherwise handles the error of a formula of MCL or of the mu-calculus that is not about all
// runs. It returns the property that answers the formula, and records whether the answer assumes
// full fairness or is about the existence of a run. isAnswered is false if there is no such
// property.
func (j *reading) readOtherwise(
	text string,
	reading error,
) (f property.Formula, isAnswered bool, err error) {
	var other otherwise
	if !errors.As(reading, &other) {
		return nil, false, nil
	}
	if f := other.WhenFullyFair(); f != nil {
		isAssumed, err := j.assumeFullFairness(f)
		if !isAssumed || err != nil {
			return nil, false, err
		}
		return f, true, nil
	}
	searchesOtherwise := j.c.Bool("all") || j.flag("algorithm") != onModel
	switch {
	case other.Dual() == nil:
		return nil, false, nil
	case j.c.Command.Name != "check":
		return nil, false, answeredByCheck(reading)
	case j.format != "text":
		return nil, false, j.refuse("--format %s cannot show that a run exists; check %s, whose verdict is the opposite", j.format, other.Dual())
	case len(j.options.Fair) > 0 || searchesOtherwise:
		return nil, false, j.refuse("--fair, --all and --algorithm do not go with a formula that some run has to satisfy; check %s, whose verdict is the opposite", other.Dual())
	}
	j.exists = text
	return other.Dual(), true, nil
}

// answeredByCheck adds to the error of a formula that demands that some run exists which command answers it.
func answeredByCheck(err error) error {
	var syntax *actl.SyntaxError
	if !errors.As(err, &syntax) {
		return err
	}
	hinted := *syntax
	hinted.Hint += "; inev check answers the formula"
	return &hinted
}

// assumeFullFairness assumes full fairness, under which the property f answers the formula, and
// adds a note. The first result is false if the command cannot make assumptions.
func (j *reading) assumeFullFairness(f property.Formula) (bool, error) {
	if !j.hasFlag("fair") || j.options.NoFairness {
		return false, nil
	}
	for _, a := range j.options.Fair {
		if a.Kind() != actl.FullFairness {
			return false, j.refuse("--fair %s: the formula is about fully fair runs; leave this out, or check %s with --fair full", a, f)
		}
	}
	assumption, err := actl.ParseAssumption(j.ctx, actl.FullFairness.String())
	if err != nil {
		return false, err
	}
	j.options.Fair = []*actl.Assumption{assumption}
	j.note(fmt.Sprintf("the formula is read as %s on fully fair runs (--fair full), which means the same for finite models", f))
	return true, nil
}

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

func labelsOf(m *lts.LTS) []string {
	var labels []string
	for _, text := range m.Alphabet().All() {
		labels = append(labels, text)
	}
	return labels
}

// readPatterns returns the patterns that a flag names, written as the steps of a property
// are.
func (j *reading) readPatterns(flag string) ([]actl.Pattern, error) {
	text := j.flag(flag)
	if text == "" {
		return nil, nil
	}
	f, err := actl.Parse(j.ctx, "Inev("+text+")")
	if err == nil && len(f.StateAtoms()) > 0 {
		err = &actl.FactsError{Atom: f.StateAtoms()[0]}
	}
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", flag, err)
	}
	return f.Steps(), nil
}

// checkMatched refuses patterns of a flag that match no label of the model; under --allow-unmatched it
// warns of them.
func (j *reading) checkMatched(a *lts.Alphabet, flag string, patterns []actl.Pattern) error {
	err := actl.Unmatched(j.ctx, "pattern", patterns, a)
	var unmatched *actl.UnmatchedError
	if !errors.As(err, &unmatched) {
		return err
	}
	if j.c.Bool(allowUnmatched) {
		j.warn([]string{fmt.Sprintf("--%s: %v", flag, err)})
		return nil
	}
	return fmt.Errorf("%s: --%s: %w (--%s takes it)", j.options.File, flag, err, allowUnmatched)
}

// readSearch reads the flags that select the counterexample to explain.
func (j *reading) readSearch() error {
	pattern, err := j.readPattern()
	if err != nil {
		return err
	}
	j.options.Search.Pattern = pattern
	j.options.Search.MatchOptions.SkipInternal = j.c.Bool("skip-internal")
	if path := j.flag("counterexample"); path != "" {
		if err := readRun(j, path); err != nil {
			return err
		}
	}
	return nil
}

// readPattern returns the steps of --pattern, nil if it is not given, in the syntax of the
// steps of a property.
func (j *reading) readPattern() (*actl.Formula, error) {
	text := j.flag("pattern")
	if text == "" {
		return nil, nil
	}
	return actl.Parse(j.ctx, "Inev("+text+")")
}

// readSources reads the files of the specification; nil if there are none.
func (j *reading) readSources() (func(label string) *explain.Position, error) {
	paths := j.c.StringSlice(sourceFlag)
	switch {
	case len(paths) > 0:
		files, err := specification.Read(j.ctx, paths)
		if err != nil && j.ctx.Err() == nil {
			err = fmt.Errorf("--%s: %w", sourceFlag, err)
		}
		if err != nil {
			return nil, err
		}
		return files.Find, nil
	case j.tla != nil:
		return readAmong(j.ctx, j.tla.files())
	case len(j.operands) == 0 || !isMade(j.operands[0]):
		return nil, nil
	}
	ofModel, err := j.specificationOf(j.operands[0]).Inputs(j.ctx)
	if err != nil {
		return nil, err
	}
	return readAmong(j.ctx, ofModel)
}

// readAmong reads those of some files in which actions can be located; nil if there are none.
func readAmong(
	ctx context.Context,
	paths []string,
) (func(label string) *explain.Position, error) {
	files, err := specification.ReadAmong(ctx, paths)
	if files == nil || err != nil {
		return nil, err
	}
	return files.Find, nil
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

// patternList returns the pattern of the labels that --internal or --unlogged lists, as a list of one
// pattern; an empty list if the flag lists no labels.
func (j *reading) patternList(flag string) ([]actl.Pattern, error) {
	text := j.flag(flag)
	isNone := flag == "internal" && text == "none"
	if text == "" || isNone {
		return nil, nil
	}
	set := "{" + text + "}"
	p, end, err := actl.Text(set).Atom(j.ctx, 0)
	isReadWhole := err == nil && end == len(set)
	if !isReadWhole {
		return nil, j.refuse("--%s %s: not a list of patterns of labels, such as 'i, tau'",
			flag, text)
	}
	return []actl.Pattern{p}, nil
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

// carriesFile reports whether a page is to contain the model's file unchanged.
func (j *reading) carriesFile(path string) bool {
	if !j.c.Bool(engineFlag) || !j.relabelling.IsEmpty() {
		return false
	}
	info, err := os.Stat(path)
	isRegular := err == nil && info.Mode().IsRegular()
	isReadDirectly := !isMade(path) && !format.Of(path, nil).IsConverted()
	return isRegular && isReadDirectly
}

// openCarried reads the bytes of a model's file once, and the model from these: the page
// contains the same bytes.
func (j *reading) openCarried(path string, o format.Options) (*format.Model, []string, error) {
	content, err := inputfile.ReadRegular(j.ctx, path, inputfile.Limit{Bytes: math.MaxInt64})
	if err != nil && j.ctx.Err() != nil {
		return nil, nil, j.ctx.Err()
	}
	if err != nil {
		return nil, nil, inputfile.FileError(path, err)
	}
	j.carried = content
	return format.Read(j.ctx, bytes.NewReader(content), o)
}

// sources has, by the suffix of a language that inev does not read, the programs that make a model
// of such a file.
var sources = map[string]string{
	".svl": "a script of SVL, of CADP: run svl FILE, and give inev the .bcg or .aut file that it writes; inev batch FILE checks the formulas that it gives to evaluator",
	".smv": "a specification of NuSMV, which writes no models with labels; write it in mCRL2 or LNT, or its states in the .aut format",
}

// checkSource refuses a file from which a model would have to be made.
func checkSource(path string) error {
	suffix := filepath.Ext(path)
	description, isSource := sources[strings.ToLower(suffix)]
	if !isSource || !isFile(path) {
		return nil
	}
	return fmt.Errorf("%s: this is %s", path, strings.ReplaceAll(description, "FILE", path))
}

// otherLogics are hints for formulas of other logics, by the look of these.
var otherLogics = []struct {
	looks string // a regular expression
	hint  string
}{
	{`↝`, "a leads to b is written G (a -> F b), or Response(a; b)"},
	{`^[\s(]*<\s*[^>\s]`, "inev ctl reads <a> and [a] with AG, EF and the like"},
	{`^[\s(!]*([AE]\s*[GFX]\b|[AE]\s*\[.*\b[GFXUWRM]\b)|\b[AE][GFX]\b`, "this looks like computation tree logic, which inev ctl reads"},
}

// inOtherLogic adds a hint to an error about a formula that looks like one of another logic.
func inOtherLogic(ctx context.Context, err error) error {
	var syntax *actl.SyntaxError
	if !errors.As(err, &syntax) || syntax.File != "" {
		return err
	}
	var answered interface{ Branching() string }
	if errors.As(err, &answered) && answered.Branching() != "" { // the error names a formula for inev ctl already
		return err
	}
	for _, other := range otherLogics {
		if !regexp.MustCompile(other.looks).MatchString(syntax.Text) {
			continue
		}
		var hints []string
		if syntax.Hint != "" {
			hints = append(hints, syntax.Hint)
		}
		hints = append(hints, other.hint)
		if meant := linear.OfActions(ctx, syntax.Text); meant != "" {
			hints = append(hints, "about actions it is written "+meant)
		}
		hinted := *syntax
		hinted.Hint = strings.Join(hints, "; ")
		return &hinted
	}
	return err
}
