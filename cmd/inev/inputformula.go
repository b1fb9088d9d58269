package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/ctl/linear"
	"github.com/inev-lts/inev/internal/formula/formulafile"
	"github.com/inev-lts/inev/internal/formula/modal"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/property"
)

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
		return nil, false, j.refuse("--fair, --all and --algorithm cannot be used with a formula that some run has to satisfy; check %s, whose verdict is the opposite", other.Dual())
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
