package main

import (
	"slices"
	"strconv"

	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/buchi"
	"github.com/inev-lts/inev/diagram"
	"github.com/inev-lts/inev/diagram/graphviz"
	"github.com/inev-lts/inev/diagram/view"
	"github.com/inev-lts/inev/report"
)

// The groups in which the help lists flags.
const (
	resultFlags = "Result"
	alsoFlags   = "Files written in the same run"
	inputFlags  = "Model and property"
	runOfFlags  = "Which counterexample"
	methodFlags = "Method"
	runFlags    = "Run"

	generalFlags = "Flags"
)

// A word in backquotes stands for the value of a flag in the help.

func rootFlags() []cli.Flag {
	return []cli.Flag{
		toggle(generalFlags, "help", "show this help, or that of a command"),
		toggle(generalFlags, "version", "show the version"),
	}
}

// modelRun are the flags of every command that reads a model.
func modelRun() []cli.Flag {
	return append([]cli.Flag{
		costs(),
		value(runFlags, "memory", "take no more than a `SIZE` such as 6GB, or none: as much as it takes"),
	}, runControl()...)
}

func costs() cli.Flag {
	return toggle(runFlags, "stats", "tell on standard error, and in JSON, what the run cost: time and memory")
}

// runControl are the flags of every command that does any work.
func runControl() []cli.Flag {
	return []cli.Flag{
		value(runFlags, "timeout", "stop with exit code 2 after a `DURATION` such as 90s or 5m"),
		toggle(runFlags, "quiet", "show no warnings and no progress"),
		toggle(runFlags, "no-progress", "never show progress"),
		toggle(runFlags, "no-color", "show no colours; so does the environment variable NO_COLOR"),
		toggle(runFlags, "help", "show this help"),
	}
}

// reporting are the flags of commands that report in one of several formats.
func reporting() []cli.Flag {
	width := value(resultFlags, "width", "set text to `N` columns")
	width.DefaultText = "the terminal's, elsewhere " + strconv.Itoa(report.DefaultWidth)
	return []cli.Flag{
		choice(resultFlags, "format", "write the result as `FORMAT`: "),
		value(resultFlags, "o", "write the result to a `FILE`; .txt, .json, .tsv, .md choose the format"),
		width,
	}
}

// inFull is the flag of commands that show runs or labels.
func inFull() cli.Flag {
	return toggle(resultFlags, "full", "leave nothing out of long runs and labels")
}

// ofRuns are the flags of commands that show counterexamples step by step.
func ofRuns() []cli.Flag {
	return []cli.Flag{
		inFull(),
		value(resultFlags, "hide", "leave labels that match `PATTERNS`, such as 'tau, i', out of the steps; decisions stay"),
	}
}

// modelInput are the flags of commands that read a model.
func modelInput() []cli.Flag {
	return []cli.Flag{
		toggle(inputFlags, "lenient", "accept a model whose header does not fit it, with a warning"),
	}
}

// tableOfStates is the flag by which values of states are read from a file beside the model.
const tableOfStates = "states"

func stateValues() cli.Flag {
	return value(inputFlags, tableOfStates, "read values of states from a `FILE`.tsv: lines of STATE, a tab, and NAME=VALUE after a tab each")
}

// bothInput are the flags of commands that read a model and a formula.
func bothInput() []cli.Flag {
	return append([]cli.Flag{formulaFile(), automatonFile(), matching(inputFlags), parts(inputFlags)}, modelInput()...)
}

// allowUnmatched is the flag by which steps that match nothing are taken.
const allowUnmatched = "allow-unmatched"

func matching(group string) cli.Flag {
	return toggle(group, allowUnmatched, "take a step that no label of the model matches, with a warning")
}

// partsMatch is the flag by which single actions match multi-actions.
const partsMatch = "parts"

func parts(group string) cli.Flag {
	return toggle(group, partsMatch, "let an action match a multi-action of mCRL2 that it is a part of: a matches a|b(1)")
}

func formulaFile() cli.Flag {
	return value(inputFlags, "formula", "read the formula from a `FILE` (lines that begin with # are comments)")
}

// automatonFile is the flag of commands that take a property.
func automatonFile() cli.Flag {
	return value(inputFlags, "hoa", "in place of a formula take the deterministic automaton in a `FILE` (HOA, any acceptance condition)")
}

// engine is the flag of commands that look for strongly connected components.
func engine() cli.Flag {
	return choice(methodFlags, "scc", "components are found by `ENGINE`: ")
}

// method are the flags of commands that analyse a property; the results depend
// on the first only.
func method() []cli.Flag {
	queue := choice(methodFlags, "queue", "states are ordered by `QUEUE`: ")
	queue.Hidden = true
	return []cli.Flag{
		choice(methodFlags, "neighbourhood", "neutral entries a decision has, `WHICH`: "),
		toggle(methodFlags, "unfold", "tell states apart by the progress made on the way to them, as 67·1"),
		engine(),
		queue,
	}
}

// fairness is the flag of commands that can be asked about some runs only.
func fairness() cli.Flag {
	return &cli.StringSliceFlag{
		Name: "fair", Category: methodFlags,
		Usage: "count only runs that meet an `ASSUMPTION`: full, weak, strong (of each action, or as weak:A,B), finitely:LOSS; repeatable",
	}
}

// searchLimit is the flag of commands that search for a shortest counterexample.
func searchLimit() cli.Flag {
	return value(runOfFlags, "search-limit", "take the best one found within `N` visits to states, such as 50M")
}

// whichRun are the flags of commands that explain a counterexample.
func whichRun() []cli.Flag {
	return []cli.Flag{
		searchLimit(),
		choice(runOfFlags, "decisions", "decisions on a shortest one, `MANY`: "),
		value(runOfFlags, "pattern", "take a shortest one that does these `ACTIONS`, such as 'A, B', in this order"),
		value(runOfFlags, "counterexample", "explain the one in `FILE`: .seq, .aut, or a text of mCRL2"),
		toggle(runOfFlags, "skip-internal", "internal actions of the model may be missing in that file"),
	}
}

// picture are the flags of the command that draws.
func picture() []cli.Flag {
	most := value(resultFlags, "max-states", "auto draws models of up to `N` reachable states whole")
	most.DefaultText = strconv.Itoa(view.DefaultMaxStates)
	size := value(resultFlags, "font-size", "write labels in `POINTS`, all else in proportion")
	size.DefaultText = strconv.Itoa(diagram.DefaultFontSize)
	scale := value(resultFlags, "scale", "draw a .png with `N` pixels a point, 72 points an inch")
	scale.DefaultText = strconv.Itoa(diagram.DefaultScale)
	return []cli.Flag{
		value(resultFlags, "o", "write the picture to a `FILE`.svg, .png or .dot"),
		choice(resultFlags, "view", "draw `VIEW`: "),
		choice(resultFlags, "rankdir", "draw in `DIRECTION`, as Graphviz names it: "),
		choice(resultFlags, "layout", "lay out by `LAYOUT`: "),
		most, size, scale,
		toggle(resultFlags, "no-legend", "leave out the legend"),
		toggle(resultFlags, "full", "leave nothing out for want of room: all labels, all beside the steps"),
		value(resultFlags, "graphviz", "lay out by the Graphviz whose dot is at `PATH`"),
	}
}

func toggle(group, name, usage string) *cli.BoolFlag {
	f := &cli.BoolFlag{Name: name, Category: group, Usage: usage, DisableDefaultText: true}
	if name == "help" {
		f.Aliases = []string{"h"}
	}
	return f
}

func value(group, name, usage string) *cli.StringFlag {
	return &cli.StringFlag{Name: name, Category: group, Usage: usage}
}

// choice returns a flag that takes one of a few words, the first by default.
func choice(group, name, usage string) *cli.StringFlag {
	words := choices(name)
	f := value(group, name, usage+alternatives(words))
	f.Value, f.DefaultText = words[0], words[0]
	return f
}

// choices returns the words that a flag takes, nil where any will do. The
// packages that the words are for refuse all others.
func choices(name string) []string {
	switch name {
	case "format":
		return report.Formats()
	case "view":
		return []string{"auto", "whole", "excerpt", "decisions", "quotient", "diff", "lanes"}
	case "layout":
		return graphviz.Layouts()
	case "rankdir":
		return []string{"auto", "TB", "LR"}
	case "neighbourhood":
		return []string{"all", "some"}
	case "scc":
		return []string{"auto", "gonum", "iterative"}
	case "algorithm":
		return append([]string{onModel}, buchi.Algorithms()...)
	case "decisions":
		return []string{"any", "fewest", "most"}
	case "to":
		return []string{"nearest", "each", "correct", "incorrect", "mixed-neutral", "mixed", "lost"}
	case "queue":
		return []string{"buckets", "heap"}
	case "fail-on":
		return batch.Gates()
	}
	return nil
}

// visibleFlags returns the flags that are documented.
func visibleFlags(command *cli.Command) []cli.Flag {
	return slices.DeleteFunc(slices.Clone(command.Flags), func(f cli.Flag) bool {
		visible, ok := f.(cli.VisibleFlag)
		return ok && !visible.IsVisible()
	})
}
