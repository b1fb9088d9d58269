package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/internal/explain/setting"
	"github.com/inev-lts/inev/internal/explain/specification"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/lts"
)

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
