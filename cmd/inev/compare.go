//go:build !js

package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/cmd/wording"
	"github.com/inev-lts/inev/compare"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/diagram/draw"
	"github.com/inev-lts/inev/internal/diagram/graphviz"
	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/internal/formula/liveness"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/property/values"
	webpage "github.com/inev-lts/inev/internal/report/page"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/property"
)

// compareCommand returns inev compare, which shows how two versions of a model differ in behaviour.
func compareCommand(p *program) *cli.Command {
	return page(&cli.Command{
		Usage:     "show what changed between two versions of a model",
		ArgsUsage: "OLD NEW [FORMULA]",
		Description: `Shows what was changed, and a shortest run of both versions after which one of them
can do what the other cannot. With a formula, shows where the counterexample of NEW
leaves the behaviour of OLD: the change that caused the violation.
Exit code without a formula: 0 if the versions behave the same, else 1. With one: 1 if
NEW violates it by a run that OLD does not have, else 0.

The versions share no names of states, so they are compared by their behaviour: by
strong bisimilarity, or by divergence-preserving branching bisimilarity, which hides
internal labels. The changes are one of many ways to get NEW from OLD; states have the
numbers of NEW.`,
		Flags: slices.Concat(reporting(), []cli.Flag{inFull(),
			value(alsoFlags, "html",
				"write a page with the runs of both versions to `FILE`.html"),
			value(alsoFlags, "svg", "write a picture to `FILE`.svg: where the versions diverge"),
			formulaFile(), libraries(), noLibraries(), automatonFile(), matching(inputFlags), parts(inputFlags)}, modelInput(), []cli.Flag{
			choice(methodFlags, "by", "compare by `EQUIVALENCE`: "),
			preset(value(methodFlags, "internal", "labels that --by branching hides: `PATTERNS` or none"), internalLabels),
		}, justFairness(), modelRun()),
		Action: action(p, func(j *job) error {
			return (&comparing{job: j}).run()
		}),
	},
		`inev compare old.aut new.aut`,
		`inev compare old.aut new.aut 'Inev(REQ, ACK)'`,
		`inev compare old.aut new.aut --by branching --internal 'i, tau, LOG.*'`)
}

// comparing is a run of inev compare.
type comparing struct {
	*job
	versions [2]compare.Version
	f        property.Formula // nil if there is none
}

// run carries out inev compare. The command ends like one whose property is violated if the difference
// matters, see [compare.Comparison.Matters].
func (j *comparing) run() error {
	if err := j.readQuestion(); err != nil {
		return err
	}
	o, err := j.equivalence()
	if err != nil {
		return err
	}
	o.NoStrange = j.f != nil && j.format != "json" // only the JSON shows what NoStrange leaves out
	if err := j.checkArtefacts([]artefact{{flag: "html", suffix: ".html"}, {flag: "svg", suffix: ".svg"}}); err != nil {
		return err
	}
	for i := range j.versions {
		j.versions[i], err = j.readVersion(i)
		if err != nil {
			return err
		}
	}
	warnings, err := j.checkLabels()
	if err != nil {
		return j.unlessTLA(err)
	}
	c, err := j.compare(o)
	if err != nil {
		return err
	}
	c.Warnings = append(warnings, c.Warnings...)
	j.account(c.Timings, c.Warnings)
	if err := j.savePageAndPicture(c); err != nil {
		return err
	}
	if err := j.print(func(w io.Writer) error {
		return j.report.Comparison(w, c)
	}); err != nil {
		return err
	}
	return violatedIf(c.Matters())
}

// readQuestion reads the formula, if there is one.
func (j *comparing) readQuestion() (err error) {
	if !slices.Contains(j.expectedOperands(), "FORMULA") && j.flag("formula") == "" &&
		j.flag("hoa") == "" {
		if len(j.options.Fair) > 0 {
			return j.refuse("--fair is about a formula; add one")
		}
		return nil
	}
	if err := j.refuseTLA(); err != nil {
		return err
	}
	j.f, err = j.readFormula()
	if err != nil {
		return j.unlessTLA(err)
	}
	if len(values.AtomsOf(j.f)) > 0 {
		return j.refuse("inev compare takes properties of labels, not of values of states")
	}
	return nil
}

// refuseTLA refuses a formula in TLA+ about versions that are specifications in TLA+, and records the error of
// reading any other formula so. It notes that fairness is not assumed.
func (j *comparing) refuseTLA() error {
	given := j.formulaGiven()
	isVersion := func(path string) bool { return strings.EqualFold(filepath.Ext(path), ".tla") }
	i := slices.IndexFunc(j.operands[:2], isVersion)
	if given == "" || i < 0 {
		return j.ctx.Err()
	}
	s, err := liveness.LoadMade(j.ctx, j.operands[i], j.flag(configFlag),
		slices.Concat(j.c.StringSlice(libraryFlag), j.c.StringSlice(sourceFlag)))
	if err == nil {
		_, err = s.Instances(j.ctx, given)
		if err == nil || s.Defines(given) {
			return j.refuse("%s is a property in TLA+, and inev compare takes properties of labels; inev check answers it for each version", given)
		}
		if s.IsMeantAsTLA(given) {
			j.notTLA = err
		}
	}
	j.note("the formula is about the graphs as they are: the fairness of a specification is not assumed")
	return j.ctx.Err()
}

// compare compares the behaviours of the versions and, with a formula, its verdicts.
func (j *comparing) compare(o compare.Options) (c *compare.Comparison, err error) {
	old := j.versions[0]
	latest := j.versions[1]
	c = &compare.Comparison{OldFile: j.operands[0], NewFile: j.operands[1]}
	c.Warnings = slices.Concat(old.Source.Warnings, latest.Source.Warnings)
	start := time.Now()
	c.Behaviour, err = compare.Models(j.ctx, old.LTS, latest.LTS, o)
	if err != nil {
		return nil, err
	}
	c.Timings = slices.Concat(old.Source.Before, latest.Source.Before, explain.Phases{{
		Name: "compare",
		Took: time.Since(start),
	}})
	if j.f == nil {
		return c, nil
	}
	c.Versions, err = compare.Property(j.ctx, old, latest, j.f, j.options, o)
	if err != nil {
		return nil, err
	}
	c.Formula = c.Versions.New.Property.Text
	c.Warnings = j.warningsOf(c.Versions.Old, c.Versions.New)
	return c, nil
}

// warningsOf returns the warnings about both versions; each begins with the file of the version that it
// is about.
func (j *comparing) warningsOf(old, latest *explain.Explanation) (warnings []string) {
	for i, e := range []*explain.Explanation{old, latest} {
		for _, text := range e.Warnings {
			if !strings.HasPrefix(text, j.operands[i]+":") {
				text = j.operands[i] + ": " + text
			}
			warnings = append(warnings, text)
		}
	}
	return warnings
}

// savePageAndPicture writes the page of --html and the picture of --svg.
func (j *comparing) savePageAndPicture(c *compare.Comparison) error {
	engine := graphviz.New(1, wording.CompiledFolder())
	defer engine.Close()
	writePage := func(w io.Writer) error {
		return webpage.Comparison(j.ctx, engine, w, c, webpage.Options{
			Command: j.line,
			Version: version(),
		})
	}
	all := []artefact{{flag: "html", suffix: ".html", write: writePage}}
	if j.flag("svg") == "" {
		return j.saveArtefacts(all)
	}
	g := view.OfComparison(c)
	if g == nil {
		j.warn([]string{"--svg: no run distinguishes the versions, so there is no picture"})
		return j.saveArtefacts(all)
	}
	writePicture := func(w io.Writer) error {
		first := render.ComparisonSentences(c, printable.Text).First
		return draw.SVG(j.ctx, engine, w, g.Diagnosed(first), draw.Options{NoLegend: true})
	}
	all = append(all, artefact{flag: "svg", suffix: ".svg", write: writePicture})
	return j.saveArtefacts(all)
}

// equivalence reads the equivalence by which the models are compared.
func (j *comparing) equivalence() (compare.Options, error) {
	by := compare.By(j.flag("by"))
	switch {
	case by == compare.Strong:
		return compare.Options{}, nil
	case by != compare.Branching:
		return compare.Options{}, j.refuse("--by %s: choose %s or %s", by, compare.Strong, compare.Branching)
	}
	var o compare.Options
	listed, err := j.patternList("internal")
	if err != nil {
		return compare.Options{}, err
	}
	if len(listed) > 0 {
		o.Hides = listed[0].Matches
	}
	return o, nil
}

// readVersion reads one of the two models.
func (j *comparing) readVersion(i int) (compare.Version, error) {
	start := time.Now()
	path := j.operands[i]
	if i == 1 && path == j.operands[0] {
		return compare.Version{}, j.refuse("OLD and NEW are both %s; name two models", path)
	}
	m, warnings, err := j.openModel(path)
	if err != nil {
		return compare.Version{}, err
	}
	return compare.Version{
		LTS: m.LTS,
		Source: explain.Source{
			File:     path,
			Warnings: warnings,
			Before:   []explain.Phase{{Name: "read", Took: time.Since(start)}},
		},
	}, nil
}

// checkLabels refuses a formula about labels that only one version has, and returns a warning if the versions
// have no label in common.
func (j *comparing) checkLabels() (warnings []string, err error) {
	old := j.versions[0].LTS
	latest := j.versions[1].LTS
	isShared := func(text string) bool {
		_, found := latest.Alphabet().Lookup(text)
		return found
	}
	bothHaveLabels := old.Alphabet().Len() > 0 && latest.Alphabet().Len() > 0
	if bothHaveLabels && !slices.ContainsFunc(labelsOf(old), isShared) {
		warnings = []string{fmt.Sprintf("%s and %s have no label in common; are they versions of one model?", j.operands[0], j.operands[1])}
	}
	if j.f == nil || j.c.Bool(allowUnmatched) {
		return warnings, nil
	}
	var failures [2]error // of binding the formula to each version
	for i, v := range j.versions {
		_, failures[i] = explain.Matched(j.ctx, v.LTS, j.f, &j.options, false)
	}
	for i, err := range failures {
		if err == nil {
			continue
		}
		j.warn(warnings)
		other := 1 - i
		var unmatched *actl.UnmatchedError
		if !errors.As(err, &unmatched) || failures[other] != nil {
			return nil, fmt.Errorf("%s: %w", j.operands[i], err)
		}
		return nil, fmt.Errorf("%s matches no label of %s, only labels of %s; --%s compares them nevertheless", unmatched.Pattern, j.operands[i], j.operands[other], allowUnmatched)
	}
	return warnings, nil
}
