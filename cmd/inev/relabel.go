package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/format/relabel"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/options"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/lts"
)

// The flags that leave steps out of what is shown; the model stays as it is.
const (
	foldFlag = "fold"
	hideFlag = "hide" // the former name of --fold, before labels could be hidden in the model
)

// relabelling are the flags that change the labels of the model.
func relabelling() []cli.Flag {
	return []cli.Flag{
		option(inputFlags, options.HideLabels),
		option(inputFlags, options.Rename),
		option(inputFlags, options.Cut),
	}
}

// relabellingFlag returns the flag for rules of a kind.
func relabellingFlag(kind relabel.Kind) string {
	switch kind {
	case relabel.Cut:
		return options.Cut.Flag()
	case relabel.Hide:
		return options.HideLabels.Flag()
	default:
		return options.Rename.Flag()
	}
}

// rulesLimit bounds a file with rules.
var rulesLimit = inputfile.Limit{
	Bytes:  64 << 20,
	Remedy: "name many labels by a regular expression",
}

// readFolded reads the patterns of the steps that are left out.
func (j *reading) readFolded() (flag string, patterns []actl.Pattern, err error) {
	flag = foldFlag
	if j.flag(hideFlag) != "" {
		if j.flag(foldFlag) != "" {
			return "", nil, j.refuse("--%s and --%s are one flag; leave --%s out", foldFlag,
				hideFlag, hideFlag)
		}
		flag = hideFlag
		j.note(fmt.Sprintf("--%s leaves lines out, and is now called --%s; --%s hides in the model", hideFlag, foldFlag, options.HideLabels.Flag()))
	}
	patterns, err = j.readPatterns(flag)
	return flag, patterns, err
}

// isRelabelling reports whether a flag has rules that change the labels of the model.
func isRelabelling(flag string) bool {
	return slices.ContainsFunc(relabel.Kinds(), func(kind relabel.Kind) bool { return relabellingFlag(kind) == flag })
}

// readRelabelling reads the rules that change the labels of the model.
func (j *reading) readRelabelling() error {
	for _, kind := range relabel.Kinds() {
		flag := relabellingFlag(kind)
		text := j.flag(flag)
		if text == "" {
			if j.c.IsSet(flag) && j.hasFlag(flag) {
				return j.refuse("--%s is empty; give it patterns, or the name of a file", flag)
			}
			continue
		}
		rules, err := j.rulesOf(kind, text)
		if err != nil {
			return fmt.Errorf("--%s: %w", flag, err)
		}
		j.relabelling.Set(rules)
	}
	return nil
}

func (j *reading) rulesOf(kind relabel.Kind, text string) (*relabel.Rules, error) {
	argument := kind.Split(text, isFile)
	if argument.File == "" {
		return relabel.ParseText(j.ctx, kind, argument.Text)
	}
	content, err := inputfile.Read(j.ctx, argument.File, rulesLimit)
	if err != nil {
		return nil, inputfile.FileError(argument.File, err)
	}
	return relabel.ParseFile(kind, argument.File, content, argument.How)
}

// relabel changes the labels of a model that was read.
func (j *reading) relabel(
	ctx context.Context,
	m *lts.LTS,
	isMCRL2 bool,
) (*lts.LTS, []string, error) {
	changed, err := j.relabelling.Apply(ctx, m, relabel.HiddenLabel(m.Alphabet(), isMCRL2))
	if err != nil {
		return nil, nil, err
	}
	j.changed = changed
	note := changed.Note()
	if note != "" {
		j.note("--" + options.Cut.Flag() + ": " + note)
	}
	var warnings []string
	for _, u := range changed.Unmatched {
		text := "--" + relabellingFlag(u.Kind) + ": " + u.Sentence()
		if u.All {
			text += "; inev labels lists them"
		}
		warnings = append(warnings, text)
	}
	return changed.LTS, warnings, nil
}

// lostLabel returns what became of the labels that an unmatched pattern matched before the
// model's labels were changed; "" if there are none.
func (j *reading) lostLabel(err *actl.UnmatchedError) string {
	if j.changed == nil {
		return ""
	}
	fate, lost := j.changed.Lost(err.Pattern.Matches)
	if !lost {
		return ""
	}
	flag := relabellingFlag(fate.By)
	text := printable.Cut(fate.Before, 60)
	switch fate.By {
	case relabel.Cut:
		return fmt.Sprintf("--%s removes %s from the model; ", flag, text)
	case relabel.Hide:
		return fmt.Sprintf("--%s hides %s in the model; ", flag, text)
	default:
		return fmt.Sprintf("--%s calls %s %s; ", flag, text, printable.Cut(fate.Now, 60))
	}
}

// refuseRulesFile returns the error of a file with rules that is given as a model; nil for any other file.
func refuseRulesFile(path string) error {
	kind, isKnown := relabel.KindOf(path)
	if !isKnown || !isFile(path) {
		return nil
	}
	return fmt.Errorf("%s: this file changes the labels of a model, and is no model: name it by --%s %s beside the model",
		path, relabellingFlag(kind), printable.ShellWord(path))
}
