package main

import (
	"flag"
	"fmt"
	"strconv"

	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/compare"
	"github.com/inev-lts/inev/internal/counterexample/buchi"
	"github.com/inev-lts/inev/internal/diagram/draw"
	"github.com/inev-lts/inev/internal/diagram/graphviz"
	"github.com/inev-lts/inev/internal/options"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/report/render"
)

// flagGroup is the title of a group in which the help lists flags.
type flagGroup string

const (
	resultFlags flagGroup = "Result"
	alsoFlags   flagGroup = "Files written in the same run"
	inputFlags  flagGroup = "Model and property"
	runOfFlags  flagGroup = "Which counterexample"
	methodFlags flagGroup = "Method"
	runFlags    flagGroup = "Run"

	generalFlags flagGroup = "Flags"
)

// In the help, the word in backquotes is the name of the flag's value.

// modelRun are the flags of every command that reads a model.
func modelRun() []cli.Flag {
	return append([]cli.Flag{
		toggle(runFlags, "stats", "report time and memory on standard error and in JSON"),
		value(runFlags, "memory", "use at most `SIZE`, such as 6GB; none: no limit"),
	}, runControl()...)
}

// runControl are the flags of every command that does any work.
func runControl() []cli.Flag {
	return []cli.Flag{
		value(runFlags, "timeout",
			"stop after `DURATION`, such as 90s or 5m (exit code 2 without a verdict)"),
		toggle(runFlags, "quiet", "show no warnings, notes or progress"),
		toggle(runFlags, "no-progress", "show no progress"),
		toggle(runFlags, "no-color",
			"show no colours; NO_COLOR in the environment does the same"),
		toggle(runFlags, "help", "show this help"),
	}
}

// reporting are the flags of commands that report in one of several formats.
func reporting() []cli.Flag {
	return []cli.Flag{
		choice(resultFlags, "format", "`FORMAT` is "),
		value(resultFlags, "o", "write the result to `FILE`.txt, .json, .tsv or .md"),
		unset(value(resultFlags, "width", "wrap text at `N` columns"),
			"the terminal's, else "+strconv.Itoa(render.DefaultWidth)),
	}
}

// inFull is the flag of commands that show runs or labels.
func inFull() cli.Flag {
	return toggle(resultFlags, "full", "leave nothing out")
}

// ofRuns are the flags of commands that show counterexamples step by step.
func ofRuns() []cli.Flag {
	return []cli.Flag{
		inFull(),
		value(resultFlags, foldFlag,
			"show runs without the actions that match `PATTERNS`, such as 'tau, i', except decisions"),
		former(value(resultFlags, hideFlag, "the former name of --"+foldFlag)),
	}
}

// modelInput are the flags of commands that read a model.
func modelInput() []cli.Flag {
	return append([]cli.Flag{
		option(inputFlags, options.Lenient), option(inputFlags, options.Config),
		value(inputFlags, keepModelFlag,
			"write the model that is made of a specification to `FILE`"),
		toggle(inputFlags, noCacheFlag,
			"make the model of a specification again, and do not cache it"),
		option(inputFlags, options.FrontEnd), option(inputFlags, options.FrontEndOption),
	}, relabelling()...)
}

// playgroundFlag makes inev serve its own page, where the reader chooses the models.
const playgroundFlag = "playground"

// tableOfStates is the flag by which values of states are read from a file beside the model.
const tableOfStates = "states"

func stateValues() cli.Flag {
	return value(inputFlags, tableOfStates,
		"read values of states from `FILE`.tsv; each line is STATE and NAME=VALUE..., separated by tabs")
}

// bothInput are the flags of commands that read a model and a formula. Besides those of
// formulaInput, they have the flag for properties of a TLA+ specification.
func bothInput() []cli.Flag {
	return append(formulaInput(),
		value(inputFlags, tlaFlag,
			"take properties and fairness as TLC does from the specification in `FILE`.tla; FORMULA is one of its definitions, an expression, or left out"))
}

// formulaInput are the flags of commands that read a model and a formula.
func formulaInput() []cli.Flag {
	return append([]cli.Flag{formulaFile(), libraries(), noLibraries(), automatonFile(), claimFile(), matching(inputFlags), parts(inputFlags), stateValues()}, modelInput()...)
}

// Options that the commands evaluate themselves.
var (
	allowUnmatched = options.AllowUnmatched.Flag() // accepts steps that match no label
	partsMatch     = options.Parts.Flag()          // single actions match multi-actions
	blockingFlag   = options.Blocking.Flag()       // permissions that the environment may not give
	lanesFlag      = options.Lanes.Flag()          // who acts
	configFlag     = options.Config.Flag()
	tlaFlag        = options.TLA.Flag() // the specification of a graph of TLC
)

func matching(group flagGroup) cli.Flag { return option(group, options.AllowUnmatched) }

func parts(group flagGroup) cli.Flag { return option(group, options.Parts) }

func formulaFile() cli.Flag {
	return value(inputFlags, "formula", "read the formula from `FILE` (# lines are comments)")
}

// libraryFlag names folders of libraries.
const libraryFlag = "library"

// libraries is the flag that names folders with libraries of macros and with modules.
func libraries() cli.Flag {
	return &cli.StringSliceFlag{
		Name:     libraryFlag,
		Category: string(inputFlags),
		Usage:    "look in `FOLDER` for libraries of MCL (library FILE end_library) and modules of TLA+, too",
	}
}

// noLibrariesFlag names a flag for formulas that others, such as agents, write.
const noLibrariesFlag = "no-libraries"

// noLibraries is the flag that keeps a formula from naming files.
func noLibraries() cli.Flag {
	return toggle(inputFlags, noLibrariesFlag,
		"refuse a formula that names files (library FILE end_library), for formulas of others")
}

// automatonFile is the flag of commands that take a property.
func automatonFile() cli.Flag {
	return value(inputFlags, "hoa",
		"the property is the deterministic automaton in `FILE` (HOA, any acceptance condition)")
}

// propertyFiles are the flags that name the file of a property.
var propertyFiles = []string{"formula", "hoa", "never"}

// claimFile is the flag of commands that read a claim of forbidden behaviour.
func claimFile() cli.Flag {
	return value(inputFlags, "never",
		"the property is that no run satisfies the never claim (SPIN) or Büchi automaton (HOA) in `FILE`")
}

// engine is the flag of commands that search for strongly connected components.
func engine() cli.Flag {
	return option(methodFlags, options.SCC)
}

// method are the flags of commands that analyse a property. Only the first of the flags
// changes results.
func method() []cli.Flag {
	return []cli.Flag{
		option(methodFlags, options.Neighbourhood),
		option(methodFlags, options.Unfold),
		engine(),
		option(methodFlags, options.Queue),
	}
}

// fairness are the flags of commands that can be about fair runs only.
func fairness() []cli.Flag {
	return []cli.Flag{option(methodFlags, options.Fair), option(methodFlags, options.Blocking)}
}

// justFairness is [fairness] with lanes, for commands that need lanes only for justness.
func justFairness() []cli.Flag {
	return append(fairness(), option(methodFlags, options.Lanes))
}

// anotherFlag is the number of further counterexamples.
const anotherFlag = "another"

// mostAnother is the largest number of further counterexamples.
const mostAnother = 100

func another() cli.Flag {
	return value(runOfFlags, anotherFlag,
		"also find `N` further runs, each without a step that decides an earlier one")
}

// searchLimit is the flag of commands that search for a shortest counterexample.
func searchLimit() cli.Flag {
	return option(runOfFlags, options.SearchLimit)
}

// whichRun are the flags that select the counterexample to explain.
func whichRun() []cli.Flag {
	return []cli.Flag{
		searchLimit(),
		option(runOfFlags, options.Passing),
		option(runOfFlags, options.Pattern),
		value(runOfFlags, "counterexample",
			"explain the run in `FILE`: .seq, .aut, mCRL2, TLC"),
		toggle(runOfFlags, "skip-internal",
			"the run of --counterexample may leave out internal actions of the model"),
	}
}

// picture are the flags of the command that draws.
func picture() []cli.Flag {
	return []cli.Flag{
		value(resultFlags, "o", "write the picture to `FILE`.svg, .png or .dot"),
		choice(resultFlags, "view", "`VIEW` is "),
		choice(resultFlags, "rankdir", "`DIRECTION` is "),
		choice(resultFlags, "layout", "lay out by `LAYOUT`: "),
		unset(value(resultFlags, "max-states", "auto draws up to `N` reachable states whole"),
			"as many as can be read"),
		unset(value(resultFlags, "font-size", "size of labels in `POINTS`, all else in proportion"), fmt.Sprint(draw.Options{}.WithDefaults().FontSize)),
		unset(value(resultFlags, "scale", "pixels of a .png: `N` a point, 72 points an inch"),
			fmt.Sprint(draw.Options{}.WithDefaults().Scale)),
		toggle(resultFlags, "no-legend", "draw no legend"),
		toggle(resultFlags, "full", "leave nothing out, however long"),
		value(resultFlags, "graphviz", "lay out by this Graphviz: `PATH` of its dot"),
	}
}

// toggle returns a flag without a value. usage is its line in the help, and group the group there.
func toggle(group flagGroup, name, usage string) *cli.BoolFlag {
	f := &cli.BoolFlag{
		Name:               name,
		Category:           string(group),
		Usage:              usage,
		DisableDefaultText: true,
	}
	if name == "help" {
		f.Aliases = []string{"h"}
	}
	return f
}

// value returns a flag with a value. usage is its line in the help, which has the name of the value in
// backquotes.
func value(group flagGroup, name, usage string) *cli.StringFlag {
	return &cli.StringFlag{Name: name, Category: string(group), Usage: usage}
}

// former returns a flag that still works but is not shown in the help any more.
func former(f *cli.StringFlag) *cli.StringFlag {
	f.Hidden = true
	return f
}

// unset returns a flag whose help shows the behaviour without the flag.
func unset(f *cli.StringFlag, shown string) *cli.StringFlag {
	f.DefaultText = shown
	return f
}

// preset returns a flag that has a value if it is not given.
func preset(f *cli.StringFlag, word string) *cli.StringFlag {
	f.Value = word
	return unset(f, word)
}

// namedFlag is a flag of a command, with its names. A flag of cli computes its names by a regular
// expression each time that they are needed. For each flag that is not given, cli needs the names
// of all flags of the command.
type namedFlag struct {
	flagOfCLI
	names []string
}

// flagOfCLI is a flag as cli has it.
type flagOfCLI interface {
	cli.DocGenerationFlag
	cli.CategorizableFlag
}

func (f namedFlag) Names() []string { return f.names }

// inHelp returns the flag and its text, separated by a tab.
func (f namedFlag) inHelp() string { return f.flagOfCLI.String() }

// String returns the first name: cli distinguishes flags by it.
func (f namedFlag) String() string { return f.names[0] }

// Apply adds the flag to those that are read from the command line.
func (f namedFlag) Apply(set *flag.FlagSet) error {
	switch of := f.flagOfCLI.(type) {
	case *cli.StringFlag:
		set.String(of.Name, of.Value, of.Usage)
		return nil
	case *cli.BoolFlag:
		if len(of.Aliases) == 0 {
			set.Bool(of.Name, of.Value, of.Usage)
			return nil
		}
	}
	return f.flagOfCLI.Apply(set)
}

// repeatedFlag is a flag that may be given several times, with its names. The library cli takes commas
// as part of its values, since this type embeds a [cli.StringSliceFlag].
type repeatedFlag struct {
	*cli.StringSliceFlag
	names []string
}

func (f repeatedFlag) Names() []string { return f.names }

// String returns the first name: cli distinguishes flags by it.
func (f repeatedFlag) String() string { return f.names[0] }

// inHelp returns the flag and its text, separated by a tab.
func (f repeatedFlag) inHelp() string { return f.StringSliceFlag.String() }

// withNames returns the flags of a command with their names.
func withNames(flags []cli.Flag) []cli.Flag {
	named := make([]cli.Flag, len(flags))
	for i, f := range flags {
		switch of := f.(type) {
		case *cli.StringFlag:
			named[i] = namedFlag{flagOfCLI: of, names: []string{of.Name}}
		case *cli.BoolFlag:
			named[i] = namedFlag{flagOfCLI: of, names: append([]string{of.Name}, of.Aliases...)}
		case *cli.StringSliceFlag:
			named[i] = repeatedFlag{StringSliceFlag: of, names: []string{of.Name}}
		default:
			named[i] = f
		}
	}
	return named
}

// option returns the flag of an option of package options.
func option(group flagGroup, name options.Name) cli.Flag {
	o := name.Option()
	switch {
	case o.Switch:
		return toggle(group, name.Flag(), o.Usage)
	case o.Repeats:
		return &cli.StringSliceFlag{
			Name:     name.Flag(),
			Category: string(group),
			Usage:    o.Usage,
		}
	case o.Words != nil:
		return oneOf(group, name.Flag(), o.Usage, o.Words)
	default:
		return value(group, name.Flag(), o.Usage)
	}
}

// choice returns a flag whose value is one of a few words; the first is the default.
func choice(group flagGroup, name, usage string) *cli.StringFlag {
	return oneOf(group, name, usage, choices(name))
}

func oneOf(group flagGroup, name, usage string, words []string) *cli.StringFlag {
	return preset(value(group, name, usage+printable.List(words, "or")), words[0])
}

// choices returns the words that a flag takes, nil if it takes any text. The package that owns
// the words checks the value.
func choices(name string) []string {
	switch name {
	case "format":
		return render.Formats()
	case "view":
		return []string{
			"auto",
			"whole",
			"excerpt",
			"neighbourhoods",
			"quotient",
			"diff",
			"lanes",
		}
	case "by":
		return []string{string(compare.Strong), string(compare.Branching)}
	case "layout":
		return graphviz.Layouts()
	case "rankdir":
		return []string{"auto", "TB", "LR"}
	case "algorithm":
		return append([]string{onModel}, buchi.Algorithms()...)
	case "to":
		return []string{
			"nearest",
			"each",
			"correct",
			"incorrect",
			"mixed-neutral",
			"mixed",
			"lost",
		}
	case "fail-on":
		return failingWords()
	}
	for _, o := range options.All() {
		if o.Name.Flag() == name && !o.Switch {
			return o.Words
		}
	}
	return nil
}

// onModel is the algorithm that searches the model without an automaton.
const onModel = "inev"

func lanes() cli.Flag {
	return value(resultFlags, lanesFlag,
		"the lanes of sequence charts: `LANES` is a /regexp/ that captures the lane, or from and to; or a .tsv of LABEL, FROM, TO")
}

// autoLanes is the value of --lanes that asks for proposed lanes.
const autoLanes = "auto"

// sourceFlag names the files that a model was generated from.
const sourceFlag = "source"

func specificationFlag() cli.Flag {
	return &cli.StringSliceFlag{
		Name:     sourceFlag,
		Category: string(resultFlags),
		Usage:    "name lines of the specification in `FILE` or a folder (.tla .mcrl2 .lnt .lotos .pml .fsp .go); repeatable",
	}
}

// The flags for models that are made of specifications.
const (
	keepModelFlag = "keep-model"
	noCacheFlag   = "no-cache"
)

// The flags about what makes the model.
var (
	frontEndFlag       = options.FrontEnd.Flag()
	frontEndOptionFlag = options.FrontEndOption.Flag()
)
