package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// A flagRule names a flag and others that it needs or excludes. Each of these texts is the name of
// a flag that must be given, or has the form flag=value. A command keeps all rules about flags
// that it does not have.
type flagRule struct {
	command string // the only command with this rule; "" for all
	flag    string
	// needs are flags of which one must be given, too.
	needs []string
	// excludes are flags of which none may be given, too.
	excludes []string
	// refused is the message; $ stands for the excluded flag that was given.
	refused string
}

// flagRules are the rules about flags that need or contradict others by their names and values
// alone. What depends on files, or on how a value is read, is checked where it is read.
var flagRules = []flagRule{
	// What is asked about.
	{flag: "formula", excludes: []string{"hoa", "never"}, refused: "both --formula and --$ given; leave one of them out"},
	{flag: "hoa", excludes: []string{"never"}, refused: "both --hoa and --$ given; leave one of them out"},
	{flag: tlaFlag, excludes: []string{"hoa", "never"}, refused: "--" + tlaFlag + " and --$ contradict each other; leave one of them out"},
	{flag: "no-fairness", excludes: []string{"fair"}, refused: "--$ and --no-fairness contradict each other"},
	{command: "why", flag: "step", excludes: []string{"state"}, refused: "--step and --$ each name the place; give one of them"},
	{command: "formula", flag: allowUnmatched, needs: []string{"model"}, refused: "--" + allowUnmatched + " goes with --model"},
	{command: "formula", flag: "steps-out", needs: []string{"model"}, refused: "--steps-out goes with --model"},

	// Which counterexample.
	{flag: "passing=fewest", excludes: []string{"pattern", "counterexample"}, refused: oneCounterexample},
	{flag: "passing=most", excludes: []string{"pattern", "counterexample"}, refused: oneCounterexample},
	{flag: "pattern", excludes: []string{"counterexample"}, refused: oneCounterexample},
	{flag: "skip-internal", needs: []string{"counterexample"}, refused: "--skip-internal goes with --counterexample"},
	{flag: "colour-first", needs: []string{"algorithm=contrex"}, refused: "--colour-first goes with --algorithm contrex"},
	{flag: "anytime", needs: []string{"algorithm=contrex"}, refused: "--anytime goes with --algorithm contrex"},
	{flag: "bound", needs: []string{"algorithm=contrex", "algorithm=priority"}, refused: "--bound goes with --algorithm contrex or priority"},
	{command: "check", flag: "all", needs: []string{"algorithm=" + onModel}, refused: "--all goes with --algorithm " + onModel},
	{command: "check", flag: "limit", needs: []string{"all"}, refused: "--limit goes with --all"},

	// Who acts, and what is found out about it.
	{command: "explain", flag: sharesFlag, needs: []string{lanesFlag}, refused: "--" + sharesFlag + needLanes},
	{command: "repair", flag: byOwner, needs: []string{lanesFlag}, refused: "--" + byOwner + needLanes},
	{command: "repair", flag: sharesFlag, needs: []string{lanesFlag}, refused: "--" + sharesFlag + needLanes},
	{flag: "rests-on", excludes: []string{"no-holds"}, refused: "--$ and --rests-on contradict each other"},

	// Pages and pictures.
	{flag: engineFolderFlag, needs: []string{engineFlag}, refused: "--" + engineFolderFlag + " is for --" + engineFlag},
	{flag: engineFlag, needs: []string{"html"}, refused: "--" + engineFlag + " puts inev into a page: name the page by --html FILE.html"},
	{flag: engineFlag, excludes: []string{tlaFlag}, refused: noEngine},
	{command: "diagram", flag: "all", excludes: []string{"passing", "pattern", "counterexample", "unfold"},
		refused: "--all draws all shortest counterexamples of the model itself; leave out --$"},
	{command: "diagram", flag: "all", excludes: []string{"view=neighbourhoods", "view=decisions", "view=quotient", "view=lanes"},
		refused: "--all draws all shortest counterexamples, --$ one; choose auto, whole or excerpt"},
	{flag: "advice", excludes: []string{"unfold", "view=neighbourhoods", "view=quotient", "view=lanes"},
		refused: "--advice crosses out transitions of the model itself; choose the view auto, whole, excerpt or diff, and leave out --unfold"},
	{flag: "view=lanes", excludes: []string{"rankdir", "layout", "max-states", "graphviz"},
		refused: "--$ is about graphs, and a sequence chart is none; leave it out"},

	// Batches.
	{flag: "resume", excludes: []string{"force"}, refused: "--resume goes on with the results in the folder, --$ removes them; give one of them"},
	{flag: baselineModels, needs: []string{"baseline"}, refused: "--" + baselineModels + " needs the results of these models; name them by --baseline"},
}

// baselineModels is the flag that names the models of the baseline.
const baselineModels = "baseline-models"

// The messages that several rules share.
var (
	oneCounterexample = "--passing, --pattern and --counterexample each choose the counterexample; give one of them"
	needLanes         = " needs --lanes LANES, which says who takes each action"
	noEngine          = "--" + engineFlag + " answers questions about the graph alone, and not about its specification; leave it out, or --" + tlaFlag
)

// checkFlags refuses the first flag that breaks one of [flagRules].
func (j *call) checkFlags() {
	for _, r := range flagRules {
		if r.command != "" && r.command != j.c.Command.Name || !j.isGiven(r.flag) {
			continue
		}
		if len(r.needs) > 0 && j.hasFlag(r.needs[0]) && !slices.ContainsFunc(r.needs, j.isGiven) {
			j.refuse("%s", r.refused)
		}
		if i := slices.IndexFunc(r.excludes, j.isGiven); i >= 0 {
			j.refuse("%s", strings.ReplaceAll(r.refused, "$", strings.Replace(r.excludes[i], "=", " ", 1)))
		}
	}
}

// isGiven reports whether a flag is given with a value that is not empty, or has the value after =.
func (j *call) isGiven(flag string) bool {
	name, value, exact := strings.Cut(flag, "=")
	switch {
	case exact:
		return j.flag(name) == value
	case !j.c.IsSet(name):
		return false
	}
	text := fmt.Sprint(j.c.Value(name))
	return text != "" && text != "false"
}

// hasFlag reports whether the command has the flag of a condition.
func (j *call) hasFlag(flag string) bool {
	name, _, _ := strings.Cut(flag, "=")
	return slices.ContainsFunc(j.c.Command.Flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), name) })
}
