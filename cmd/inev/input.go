package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/format"
	"github.com/inev-lts/inev/format/states"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/stoppable"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
	"github.com/inev-lts/inev/property/values"
)

// standardInput is how a model is named that is read from there.
const standardInput = "-"

// readBoth reads what most commands are about. The formula comes first: it costs
// nothing, and is where most mistakes are. A step that no label of the model does is
// refused, unless --allow-unmatched is given; then whatever binds the formula warns.
func (j *job) readBoth() (*lts.LTS, property.Formula, error) {
	if j.flag(tlaFlag) != "" {
		return j.readTLA()
	}
	f, err := j.readFormula()
	if err != nil {
		return nil, nil, err
	}
	j.aboutStates = len(values.AtomsOf(f)) > 0
	m, err := j.readModel()
	if err != nil {
		return nil, nil, err
	}
	if m, err = j.withValues(m, f); err != nil {
		return nil, nil, err
	}
	if err := j.checkMatched(m, f); err != nil {
		return nil, nil, err
	}
	if j.source.Meaning != "" {
		j.options.Warnings = append(j.options.Warnings, j.options.File+": "+j.source.Meaning)
	}
	j.checkHidden(m)
	return m, f, nil
}

// withValues returns the model whose labels tell what the formula asks about values of states.
// A value that no state has is refused as a label that none has.
func (j *job) withValues(m *lts.LTS, f property.Formula) (*lts.LTS, error) {
	before := len(j.options.Warnings)
	m, missing, err := explain.WithValues(j.ctx, m, f, &j.options.Source)
	var unknown *values.UnknownNameError
	if errors.As(err, &unknown) && len(unknown.Names) == 0 {
		err = fmt.Errorf("%w; --%s names such a table", err, tableOfStates)
	}
	if err != nil && j.ctx.Err() == nil {
		return nil, fmt.Errorf("%s: %w", j.options.File, err)
	}
	if err == nil && len(missing) > 0 && !j.c.Bool(allowUnmatched) {
		j.options.Warnings = j.options.Warnings[:before]
		return nil, fmt.Errorf("%s: %w (--%s takes it as %t everywhere; a label of this text is quoted)", j.options.File, missing[0], allowUnmatched, missing[0].IsTrue())
	}
	return m, err
}

// checkHidden warns where --hide hides nothing, because no label is meant by any of
// its patterns; that one of several has none is usual: 'tau, i'.
func (j *job) checkHidden(m *lts.LTS) {
	if len(j.hide) == 0 {
		return
	}
	for _, text := range m.Alphabet().All() {
		for _, pattern := range j.hide {
			if pattern.Matches(text) {
				return
			}
		}
	}
	j.warn([]string{fmt.Sprintf("--hide %s matches no label of the model; inev labels lists them", j.flag("hide"))})
}

// checkMatched refuses a formula with a step that no label of the model does.
func (j *job) checkMatched(m *lts.LTS, f property.Formula) error {
	if j.c.Bool(allowUnmatched) {
		return nil
	}
	err := f.Unmatched(j.ctx, m.Alphabet())
	for _, a := range j.options.Fair {
		if err == nil {
			err = a.Unmatched(j.ctx, m.Alphabet())
		}
	}
	return j.unmatched(err)
}

// unmatched says how a pattern without labels is taken all the same, unless it is.
func (j *job) unmatched(err error) error {
	var unmatched *actl.UnmatchedError
	if errors.As(err, &unmatched) && j.c.Bool(allowUnmatched) {
		return nil
	}
	if errors.As(err, &unmatched) {
		byParts := ""
		if unmatched.Whole != "" {
			byParts = "--" + partsMatch + " matches it; "
		}
		return fmt.Errorf("%s: %w (%s--%s takes it as %s that never happens)", j.options.File, err, byParts, allowUnmatched, unmatched.A())
	}
	return err
}

// readModel reads the model that the first operand names, and notes in the
// options what was met on the way.
func (j *job) readModel() (*lts.LTS, error) {
	start := time.Now()
	m, warnings, err := j.openModel(j.operands[0])
	if err != nil {
		return nil, err
	}
	j.source = m.Format
	j.options.Warnings = warnings
	if j.options.States, err = j.readStates(m); err != nil {
		return nil, err
	}
	if m.LTS, err = j.options.States.Marked(j.ctx, m.LTS); err != nil {
		return nil, err
	}
	if j.behaviour != nil && j.flag(tlaFlag) == "" {
		if j.options.Search.Given, err = j.behaviour.In(m.LTS, j.options.States, ""); err != nil {
			return nil, err
		}
	}
	j.options.Before = []explain.Phase{{Name: "read", Took: time.Since(start)}}
	j.accounts = accounts{m.LTS.NumTransitions(), j.options.Before}
	return m.LTS, nil
}

// readStates returns the values of states: those in the file that --states names, else
// those that the model's own file has.
func (j *job) readStates(m *format.Model) (*states.Table, error) {
	path := j.flag(tableOfStates)
	if path == "" {
		return m.States, nil
	}
	f, err := inputfile.Open(j.ctx, path)
	if err != nil {
		return nil, inputfile.FileError(path, err)
	}
	defer f.Close()
	return states.ReadTSV(j.ctx, f, path, m.LTS.NumStates())
}

// showsValues reports whether the command shows or keeps values of states.
func (j *job) showsValues() bool {
	if j.behaviour != nil {
		return true
	}
	if j.aboutStates && j.flag(tableOfStates) == "" {
		return true
	}
	switch j.c.Command.Name {
	case "info", "check", "explain", "ctl", "verify":
		return j.flag(tableOfStates) == ""
	case "convert":
		return true
	}
	return false
}

func (j *job) openModel(path string) (*format.Model, []string, error) {
	o := format.Options{Name: path, Lenient: j.c.Bool("lenient"), Admit: j.admit, States: j.showsValues()}
	if path == standardInput {
		o.Name = "<standard input>"
		return format.Read(j.ctx, stoppable.Reader(j.ctx, j.stdin), o)
	}
	read := func() (*format.Model, []string, error) { return j.models().Open(j.ctx, j.specificationOf(path), o) }
	if j.carriesFile(path) {
		read = func() (*format.Model, []string, error) { return j.openCarried(path, o) }
	}
	m, warnings, err := read()
	if err == nil { // not all formats say how large they are before they are read
		err = j.tooLarge(int64(m.LTS.NumTransitions()))
	}
	if err != nil && j.ctx.Err() == nil {
		// Content comes before names: only what cannot be read is taken for a source.
		err = cmp.Or(checkSource(path), err)
	}
	return m, warnings, err
}

// readFormula reads the formula, from its operand or from the file that --formula
// names.
func (j *job) readFormula() (property.Formula, error) {
	if path := j.flag("hoa"); path != "" {
		return j.readHOA(path)
	}
	if path := j.flag("never"); path != "" {
		return j.readClaim(path)
	}
	path := j.flag("formula")
	if path == "" {
		text := j.operands[slices.Index(j.usage(), "FORMULA")]
		f, err := formula.Parse(j.withLibraries("."), text)
		if f, is, wrong := j.readOtherwise(text, err); is {
			return f, wrong
		}
		return f, inOtherLogic(err)
	}
	text, err := j.formulaText(path)
	if err != nil {
		return nil, err
	}
	f, err := formula.ParseFile(j.withLibraries(filepath.Dir(path)), path, text)
	if f, is, wrong := j.readOtherwise(path, err); is {
		return f, wrong
	}
	return f, err
}

// withLibraries returns the context of a formula whose libraries are in a folder, in those that --library
// names, or come with CADP.
func (j *job) withLibraries(folder string) context.Context {
	folders := append([]string{folder}, j.c.StringSlice(libraryFlag)...)
	if cadp := os.Getenv("CADP"); cadp != "" {
		folders = append(folders, filepath.Join(cadp, "src", "xtl"))
	}
	return formula.WithLibraries(j.ctx, folders...)
}

// What small files may hold.
var (
	formulaLimit   = inputfile.Limit{Bytes: actl.MaxText, Remedy: "name many labels by a glob or a regular expression"}
	automatonLimit = inputfile.Limit{Bytes: 64 << 20, Remedy: "minimise the automaton (autfilt --small of Spot does)"}
	evidenceLimit  = inputfile.Limit{Bytes: 1 << 30}
	lanesLimit     = inputfile.Limit{Bytes: 64 << 20, Remedy: "name the lanes by a /regular expression/"}
)

// formulaText reads the file of a formula.
func (j *job) formulaText(path string) ([]byte, error) { return j.small(path, "formula", formulaLimit) }

// small reads a small file, which may be a pipe; noun says what it holds.
func (j *job) small(path, noun string, limit inputfile.Limit) ([]byte, error) {
	text, err := inputfile.Read(j.ctx, path, limit)
	var inPath *fs.PathError
	if errors.As(err, &inPath) {
		err = inPath.Err
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: there is no such file: check its name", path)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: the %s cannot be read: %w", path, noun, err)
	}
	return text, nil
}
