package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/internal/options"
	"github.com/inev-lts/inev/internal/printable"
)

// arrange puts the words of a command line into the order in which cli reads them: the command, its
// flags, and the operands after "--". Flags may stand anywhere before "--", even before the
// command. It returns an error for unknown commands and flags, and for flags whose value is missing
// or superfluous, so that cli never has one.
func arrange(app *cli.App, words []string) ([]string, error) {
	flags, operands := flagsAndOperands(app, words)
	isAnyGiven := func(names ...string) bool {
		return slices.ContainsFunc(flags, func(f flagWord) bool {
			return slices.Contains(names, f.name)
		})
	}
	switch {
	case isAnyGiven("version"):
		return []string{"--version"}, nil
	case len(operands) == 0 && (len(flags) == 0 || isAnyGiven("help", "h")):
		return nil, nil
	case len(operands) == 0:
		return nil, noCommand(app, flags[0])
	}
	command := app.Command(operands[0])
	switch {
	case command == nil:
		return nil, unknownCommand(app, operands[0])
	case isAnyGiven("help", "h") && isAnyGiven("all"):
		return []string{"help", "--all", command.Name}, nil
	case isAnyGiven("help", "h"):
		return []string{"help", command.Name}, nil
	}
	arranged := []string{command.Name}
	isBefore := map[string]bool{}
	for _, f := range flags {
		word, err := f.forCLI(app, command)
		if err != nil {
			return nil, err
		}
		if isBefore[f.name] && isRelabelling(f.name) {
			return nil, &usageError{command.Name, fmt.Sprintf("flag %s stands there twice; write all its rules in one, with commas between them, or in a file", f.written)}
		}
		isBefore[f.name] = true
		arranged = append(arranged, word)
	}
	return append(append(arranged, "--"), operands[1:]...), nil
}

// noCommand returns the error of a command line without operands; f is its first flag.
func noCommand(app *cli.App, f flagWord) error {
	hint := ""
	meant, ok := meantName(f.name, flagNames(app, nil))
	if ok {
		hint = fmt.Sprintf(" did you mean %s?", meant)
	}
	return &usageError{message: fmt.Sprintf(`no command given, only %s;%s "inev --help" lists the commands`, f.written, hint)}
}

// flagWord is a flag of a command line.
type flagWord struct {
	written string // the flag with its dashes, without its value
	name    string
	value   string
	// hasValue reports whether a value is given, which may be empty, as in --formula=.
	hasValue bool
	// next is the word after a flag whose value is missing.
	next string
}

// flagsAndOperands separates flags from operands. Whether a flag takes a value can depend on the command.
func flagsAndOperands(app *cli.App, words []string) (flags []flagWord, operands []string) {
	return separate(valueFlags(app, commandIn(app, words)), words)
}

// commandIn returns the command that a command line names, nil if it names none. Which words are
// values of flags can depend on the command, which is not known yet: so a flag is taken to have a
// value only if it has one in every command with this flag. The command is the first of the
// remaining words that is the name of a command.
func commandIn(app *cli.App, words []string) *cli.Command {
	alwaysHasValue := valueFlags(app, nil)
	for _, command := range app.Commands {
		for _, f := range command.Flags {
			if !takesValue(f) {
				delete(alwaysHasValue, f.Names()[0])
			}
		}
	}
	_, operands := separate(alwaysHasValue, words)
	for _, word := range operands {
		if command := app.Command(word); command != nil {
			return command
		}
	}
	return nil
}

// separate separates flags from operands. A flag named in takesNext takes the next word as its
// value, unless it has a value behind = already.
func separate(
	takesNext map[string]bool,
	words []string,
) (flags []flagWord, operands []string) {
	for i := 0; i < len(words); i++ {
		word := words[i]
		switch {
		case word == "--":
			return flags, append(operands, words[i+1:]...)
		case !isFlag(word):
			operands = append(operands, word)
		default:
			f := readFlag(word)
			hasNext := i+1 < len(words)
			if takesNext[f.name] && !f.hasValue && hasNext {
				f.next = words[i+1]
				if !isFlag(f.next) {
					f.value = f.next
					f.hasValue = true
					i++
				}
			}
			flags = append(flags, f)
		}
	}
	return flags, operands
}

// valueFlags returns the names of the flags that have a value: the flags of the command, and those
// flags of other commands that the command lacks.
func valueFlags(app *cli.App, given *cli.Command) map[string]bool {
	hasValue := map[string]bool{}
	for _, command := range app.Commands {
		for _, f := range command.Flags {
			if takesValue(f) {
				hasValue[f.Names()[0]] = true
			}
		}
	}
	if given != nil {
		for _, f := range given.Flags {
			hasValue[f.Names()[0]] = takesValue(f)
		}
	}
	return hasValue
}

// isFlag reports whether a word is a flag. A single dash is none: it means standard input.
func isFlag(word string) bool { return len(word) > 1 && word[0] == '-' }

// readFlag reads a flag with the value that is written behind its =, if there is one.
func readFlag(word string) flagWord {
	written, value, hasValue := strings.Cut(word, "=")
	name := options.Today(strings.TrimPrefix(strings.TrimPrefix(written, "-"), "-"))
	return flagWord{
		written:  written,
		name:     name,
		value:    value,
		hasValue: hasValue,
	}
}

func takesValue(f cli.Flag) bool {
	documented, ok := f.(cli.DocGenerationFlag)
	return ok && documented.TakesValue()
}

// forCLI returns the flag as one word, with its value behind =, which cli reads in only one way. It
// fails if the command lacks the flag, and for a value that is missing or superfluous.
func (f flagWord) forCLI(app *cli.App, command *cli.Command) (string, error) {
	known := findFlag(command, f.name)
	refuse := func(format string, args ...any) (string, error) {
		return "", &usageError{command.Name, fmt.Sprintf(format, args...)}
	}
	switch {
	case known == nil:
		return refuse(`unknown flag %s%s "inev %s --help --all" lists the flags`, f.written,
			meantFlag(app, command, f.name), command.Name)
	case !takesValue(known) && f.hasValue:
		return refuse("flag %s takes no value, found %q", f.written, f.value)
	case !takesValue(known):
		return "--" + f.name, nil
	case !f.hasValue && f.next != "":
		return refuse("flag %s needs a value, found %s; if that is the value, write %s=%s",
			f.written, f.next, f.written, f.next)
	case f.value == "":
		return refuse("flag %s needs a value", f.written)
	}
	return "--" + f.name + "=" + f.value, nil
}

func findFlag(command *cli.Command, name string) cli.Flag {
	for _, f := range command.Flags {
		if slices.Contains(f.Names(), name) {
			return f
		}
	}
	return nil
}

func unknownCommand(app *cli.App, name string) error {
	isNamedLikeModel := slices.Contains([]string{".aut", ".exp", ".bcg", ".lts", ".fsm", ".autx", ".clts"}, filepath.Ext(name))
	if isFile(name) || isNamedLikeModel {
		return &usageError{message: fmt.Sprintf(`no command given, only the file %s; to explain it: inev explain %s FORMULA`, name, name)}
	}
	hint := ""
	if closest, ok := meantName(name, commandNames(app)); ok {
		hint = fmt.Sprintf(" did you mean %q?", closest)
	}
	return &usageError{message: fmt.Sprintf(`unknown command %q;%s "inev --help" lists the commands`, name, hint)}
}

// meantFlag returns the end of the error about an unknown flag: the few other commands that have it
// or, if none has, a flag with a similar name.
func meantFlag(app *cli.App, command *cli.Command, name string) string {
	const mostNamed = 4 // more commands would make the error too long
	var others []string
	for _, other := range app.Commands {
		if len(name) > 1 && findFlag(other, name) != nil {
			others = append(others, other.Name)
		}
	}
	isInOthers := len(others) > 0
	isOutput := name == "output" || name == "out"
	switch {
	case isInOthers && len(others) <= mostNamed:
		return fmt.Sprintf(", a flag of inev %s;", printable.List(others, "and"))
	case isInOthers && findFlag(app.Command("explain"), name) != nil:
		return ", a flag of inev explain and others;"
	case isOutput && findFlag(command, "o") != nil:
		return "; did you mean -o?"
	case name == "q" && findFlag(command, "quiet") != nil:
		return "; did you mean --quiet?"
	}
	if meant, ok := meantName(name, flagNames(app, []string{command.Name})); ok {
		return "; did you mean " + meant + "?"
	}
	return ";"
}

// meantName returns the name that the user may have meant; the name of a flag has its dashes. It is
// the closest name or, if none is close, the only one that begins with the written name or is the
// beginning of it.
func meantName(written string, names []string) (string, bool) {
	withDashes := map[string]string{}
	var bareNames, similar []string
	for _, name := range names {
		bare := strings.TrimLeft(name, "-")
		withDashes[bare] = name
		bareNames = append(bareNames, bare)
		isContinued := written != "" && strings.HasPrefix(bare, strings.ToLower(written))
		isExceeded := len(bare) > 3 && strings.HasPrefix(written, bare)
		if isContinued || isExceeded {
			similar = append(similar, name)
		}
	}
	if bare, ok := options.Nearest(written, bareNames); ok {
		return withDashes[bare], true
	}
	if len(similar) == 1 {
		return similar[0], true
	}
	return "", false
}

// dashed writes a flag as the help does.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

func commandNames(app *cli.App) []string {
	var names []string
	for _, command := range app.Commands {
		names = append(names, command.Name)
	}
	return names
}

// flagNames returns the flags of the command that the operands name, or of inev itself if they
// name none.
func flagNames(app *cli.App, operands []string) []string {
	flags := app.Flags
	if len(operands) > 0 {
		command := app.Command(operands[0])
		if command != nil {
			flags = command.Flags
		}
	}
	var names []string
	for _, f := range flags {
		names = append(names, dashed(f.Names()[0]))
	}
	return names
}

// A flagRule names a flag and other flags that it needs or excludes. Each of these texts is the name of
// a flag, or has the form flag=value. A command that lacks the flag obeys the rule.
type flagRule struct {
	command string // the only command with this rule; "" for all
	flag    string
	// needs are flags of which at least one must be given together with this one.
	needs []string
	// excludes are flags of which none may be given together with this one.
	excludes []string
	// refused is the message; $ is replaced by the excluded flag that was given.
	refused string
}

// flagRules are the rules about flags that need or contradict others by their names and values
// alone. Rules that depend on the content of files, or on the meaning of a value, are checked where
// the file or value is read.
var flagRules = []flagRule{
	// What is asked about.
	{
		flag:     "formula",
		excludes: []string{"hoa", "never"},
		refused:  "both --formula and --$ given; leave one of them out",
	},
	{
		flag:     "hoa",
		excludes: []string{"never"},
		refused:  "both --hoa and --$ given; leave one of them out",
	},
	{
		flag:     tlaFlag,
		excludes: []string{"hoa", "never"},
		refused:  "--" + tlaFlag + " and --$ contradict each other; leave one of them out",
	},
	{
		flag:     noLibrariesFlag,
		excludes: []string{libraryFlag},
		refused: "--$ and --" + noLibrariesFlag +
			" contradict each other; leave one of them out",
	},
	{
		flag:     "no-fairness",
		excludes: []string{"fair"},
		refused:  "--$ and --no-fairness contradict each other",
	},
	{
		command:  "why",
		flag:     "step",
		excludes: []string{"state"},
		refused:  "--step and --$ each name the place; give one of them",
	},
	{
		command: "formula",
		flag:    allowUnmatched,
		needs:   []string{"model"},
		refused: "--" + allowUnmatched + " needs --model",
	},
	{
		command: "formula",
		flag:    "steps-out",
		needs:   []string{"model"},
		refused: "--steps-out needs --model",
	},

	// Which counterexample.
	{
		flag:     "passing=fewest",
		excludes: []string{"pattern", "counterexample"},
		refused:  oneCounterexample,
	},
	{
		flag:     "passing=most",
		excludes: []string{"pattern", "counterexample"},
		refused:  oneCounterexample,
	},
	{flag: "pattern", excludes: []string{"counterexample"}, refused: oneCounterexample},
	{
		flag:     "fair",
		excludes: []string{"passing=fewest", "passing=most", "pattern", "counterexample"},
		refused:  "under fairness there is one counterexample, and --$ chooses among several; leave --$ or --fair out",
	},
	{
		flag:     anotherFlag,
		excludes: []string{"counterexample", "unfold"},
		refused:  "further counterexamples are those of a search in the model itself; leave --$ or --" + anotherFlag + " out",
	},
	{
		flag:    "skip-internal",
		needs:   []string{"counterexample"},
		refused: "--skip-internal needs --counterexample",
	},
	{
		flag:    "colour-first",
		needs:   []string{"algorithm=contrex"},
		refused: "--colour-first needs --algorithm contrex",
	},
	{
		flag:    "anytime",
		needs:   []string{"algorithm=contrex"},
		refused: "--anytime needs --algorithm contrex",
	},
	{
		flag:    "bound",
		needs:   []string{"algorithm=contrex", "algorithm=priority"},
		refused: "--bound needs --algorithm contrex or priority",
	},
	{
		command: "check",
		flag:    "all",
		needs:   []string{"algorithm=" + onModel},
		refused: "--all needs --algorithm " + onModel,
	},
	{command: "check", flag: "limit", needs: []string{"all"}, refused: "--limit needs --all"},

	// These rules are about who acts, and who could have prevented a violation.
	{
		command:  "repair",
		flag:     applyFlag,
		excludes: []string{"format", "width", "uncontrollable", "controllable", "may-forbid-triggers", "by", "fewest", "labels", byOwner, sharesFlag, lanesFlag, tlaFlag},
		refused: "--" + applyFlag +
			" applies a remedy of inev explain as it is, and shows it in words; leave --$ out",
	},
	{
		flag:     "rests-on",
		excludes: []string{"no-holds"},
		refused:  "--$ and --rests-on contradict each other",
	},

	// Pages and pictures.
	{
		flag:    engineFolderFlag,
		needs:   []string{engineFlag},
		refused: "--" + engineFolderFlag + " is for --" + engineFlag,
	},
	{
		flag:  engineFlag,
		needs: []string{"html"},
		refused: "--" + engineFlag +
			" puts inev into a page: name the page by --html FILE.html",
	},
	{flag: engineFlag, excludes: []string{tlaFlag}, refused: noEngine},
	{
		command:  "diagram",
		flag:     "all",
		excludes: []string{"passing", "pattern", "counterexample", "unfold"},
		refused:  "--all draws all shortest counterexamples of the model itself; leave out --$",
	},
	{
		command:  "diagram",
		flag:     "all",
		excludes: []string{"view=neighbourhoods", "view=decisions", "view=quotient", "view=lanes"},
		refused:  "--all draws all shortest counterexamples, --$ one; choose auto, whole or excerpt",
	},
	{
		flag:     "advice",
		excludes: []string{"unfold", "view=neighbourhoods", "view=quotient", "view=lanes"},
		refused:  "--advice crosses out transitions of the model itself; choose the view auto, whole, excerpt or diff, and leave out --unfold",
	},
	{
		flag:     "view=lanes",
		excludes: []string{"rankdir", "layout", "max-states", "graphviz"},
		refused:  "--$ applies to graphs, not to sequence charts; leave it out",
	},

	// Batches.
	{
		flag:     "resume",
		excludes: []string{"force"},
		refused:  "--resume goes on with the results in the folder, --$ removes them; give one of them",
	},
	{
		flag:  baselineModels,
		needs: []string{"baseline"},
		refused: "--" + baselineModels +
			" needs the results of these models; name them by --baseline",
	},
}

// baselineModels is the flag that names the models of the baseline.
const baselineModels = "baseline-models"

// The messages that several rules share.
var (
	oneCounterexample = "--passing, --pattern and --counterexample each choose the counterexample; give one of them"
	needLanes         = " needs --lanes LANES, which says who takes each action"
	noEngine          = "--" + engineFlag +
		" answers questions about the graph alone, and not about its specification; leave it out, or --" + tlaFlag
)

// checkFlags refuses the first flag that breaks one of [flagRules].
func (j *call) checkFlags() error {
	for _, r := range flagRules {
		isForOther := r.command != "" && r.command != j.c.Command.Name
		if isForOther || !j.isGiven(r.flag) {
			continue
		}
		canMeetNeeds := len(r.needs) > 0 && j.hasFlag(r.needs[0])
		if canMeetNeeds && !slices.ContainsFunc(r.needs, j.isGiven) {
			return j.refuse("%s", r.refused)
		}
		i := slices.IndexFunc(r.excludes, j.isGiven)
		if i >= 0 {
			excluded := strings.Replace(r.excludes[i], "=", " ", 1)
			return j.refuse("%s", strings.ReplaceAll(r.refused, "$", excluded))
		}
	}
	return nil
}

// isGiven reports whether a flag of a rule is given with a value that is not empty or, if the rule
// names a value behind =, with this value.
func (j *call) isGiven(flag string) bool {
	name, value, hasValue := strings.Cut(flag, "=")
	switch {
	case hasValue:
		return j.flag(name) == value
	case !j.c.IsSet(name):
		return false
	}
	text := fmt.Sprint(j.c.Value(name))
	return text != "" && text != "false"
}

// hasFlag reports whether the command has a flag, which may be written with a value behind =.
func (j *call) hasFlag(flag string) bool {
	name, _, _ := strings.Cut(flag, "=")
	return slices.ContainsFunc(j.c.Command.Flags, func(f cli.Flag) bool {
		return slices.Contains(f.Names(), name)
	})
}
