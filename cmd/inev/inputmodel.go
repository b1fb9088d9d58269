package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/cmd/wording"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/format"
	"github.com/inev-lts/inev/internal/footprint"
	"github.com/inev-lts/inev/internal/format/frontend"
	"github.com/inev-lts/inev/internal/formula/liveness"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/options"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/internal/stoppable"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

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
	case "info", "check", "explain", "repair", "ctl", "verify", "convert":
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
		return j.refuse("--%s is only for specifications in TLA+, but %s is not one", configFlag, model)
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
		return j.refuse("--%s %s: the model made of %s is kept in a file that ends with %s; inev convert writes other formats", keepModelFlag, keep, model, suffix)
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
