package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A question is a call of a tool. Its fields are the tool's arguments.
type question interface {
	// command returns the run of inev that answers the question.
	command() command
}

// A command is a run of inev: its name, flags with their values, and operands.
type command struct {
	name    string
	flags   []string
	models  []string // in the client's words
	formula string
	// isText reports that the answer is a text alone, without JSON.
	isText bool
}

// withValue adds a flag, unless its value is empty.
func (c command) withValue(flag, value string) command {
	if value != "" {
		c.flags = append(c.flags, "--"+flag+"="+value)
	}
	return c
}

// withChecking adds the flags that say how a property is checked.
func (c command) withChecking(how checkingArguments) command {
	for _, assumption := range how.Fair {
		c = c.withValue("fair", assumption)
	}
	return c.withMatching(how.matchingArguments)
}

// withMatching adds the flags that say which labels a step matches.
func (c command) withMatching(how matchingArguments) command {
	return c.withFlag("allow-unmatched", how.AllowUnmatched).withFlag("parts", how.Parts)
}

// withFlag adds a flag without a value, if it is wanted.
func (c command) withFlag(flag string, wanted bool) command {
	if wanted {
		c.flags = append(c.flags, "--"+flag)
	}
	return c
}

// check refuses arguments that cannot be passed to a process.
func (c command) check() error {
	all := strings.Join(slices.Concat(c.flags, c.models, []string{c.formula}), " ")
	switch {
	case len(all) > mostArguments:
		return fmt.Errorf("the arguments have more than %d kB together: make them shorter",
			mostArguments>>10)
	case strings.ContainsRune(all, 0):
		return errors.New("an argument has a NUL in it: leave it out, or write . for it in a regular expression")
	}
	return nil
}

// commandOn returns a command on a model.
func commandOn(name string, model modelArgument) command {
	return command{name: name, models: []string{model.Model}}.withFlag("lenient", model.Lenient)
}

// commandAbout returns a command about a property of a model.
func commandAbout(name string, model modelArgument, formula string, how checkingArguments) command {
	c := commandOn(name, model).withChecking(how)
	c.formula = formula
	return c
}

// The arguments of several tools, each described once.
type (
	modelArgument struct {
		Model string `json:"model" jsonschema:"path of the model, below a root"`
		readingArgument
	}
	readingArgument struct {
		Lenient bool `json:"lenient,omitempty" jsonschema:"only warn if the header of a file does not fit what follows it"`
	}
	propertyArguments struct {
		modelArgument
		Formula string `json:"formula" jsonschema:"the property, such as Inev(REQ, ACK), Response(REQ; ACK) or G (REQ -> F ACK)"`
	}
	inevitabilityArguments struct {
		modelArgument
		Formula string `json:"formula" jsonschema:"the property, such as Inev(REQ, ACK)"`
	}
	checkingArguments struct {
		Fair stringList `json:"fair,omitempty" jsonschema:"count only runs that meet these: full, weak, strong, weak:A,B, just, finitely:LOSS"`
		matchingArguments
	}
	matchingArguments struct {
		AllowUnmatched bool `json:"allow_unmatched,omitempty" jsonschema:"take a step that no label of the model matches as one that never happens"`
		Parts          bool `json:"parts,omitempty" jsonschema:"let an action match a multi-action of mCRL2 that it is a part of: a matches a|b(1)"`
	}
)

// A stringList is a list of which a client may write a single member as a string.
type stringList []string

// UnmarshalJSON reads a string or a list of strings.
func (l *stringList) UnmarshalJSON(text []byte) error {
	var single string
	if json.Unmarshal(text, &single) == nil {
		*l = stringList{single}
		return nil
	}
	var list []string
	if err := json.Unmarshal(text, &list); err != nil {
		return fmt.Errorf("%s is neither a string nor a list of strings", text)
	}
	*l = list
	return nil
}

// joined returns the members as a flag takes them: inev reads lists of labels with commas.
func (l stringList) joined() string { return strings.Join(l, ", ") }

type infoQuestion struct{ modelArgument }

func (q infoQuestion) command() command {
	return commandOn("info", q.modelArgument)
}

type labelsQuestion struct {
	modelArgument
	Gates  bool   `json:"gates,omitempty" jsonschema:"add up the labels of each gate (action without its offers or arguments)"`
	Match  string `json:"match,omitempty" jsonschema:"only labels that this regular expression (RE2) matches somewhere, such as ACK"`
	Offset int    `json:"offset,omitempty" jsonschema:"skip this many labels, to continue where a text was cut"`
}

func (q labelsQuestion) command() command {
	return commandOn("labels", q.modelArgument).withFlag("gates", q.Gates)
}

type checkQuestion struct {
	propertyArguments
	checkingArguments
}

func (q checkQuestion) command() command {
	return commandAbout("check", q.modelArgument, q.Formula, q.checkingArguments)
}

type explainQuestion struct {
	propertyArguments
	checkingArguments
	Faults  stringList `json:"faults,omitempty" jsonschema:"labels that are faults, such as LOSS, TIMEOUT: shows a run with the fewest"`
	Another int        `json:"another,omitempty" jsonschema:"the number of further runs to show, each without a step that decides an earlier one"`
	Unfold  bool       `json:"unfold,omitempty" jsonschema:"split states by the progress made on the way, where the right choice depends on the past"`
	Full    bool       `json:"full,omitempty" jsonschema:"leave nothing out: what each choice led to, deciding states off the run"`
	Step    int        `json:"step,omitempty" jsonschema:"only what is known about this step of the run, from 1"`
}

func (q explainQuestion) command() command {
	c := commandAbout("explain", q.modelArgument, q.Formula, q.checkingArguments)
	c = c.withValue("faults", q.Faults.joined())
	if q.Another != 0 {
		c = c.withValue("another", strconv.Itoa(q.Another))
	}
	c = c.withFlag("unfold", q.Unfold)
	c = c.withFlag("full", q.Full)
	return c
}

type ctlQuestion struct {
	modelArgument
	Formula string `json:"formula" jsonschema:"a formula of CTL such as AG EF <ACK> true, or of the mu-calculus such as nu X . mu Y . (<A> X || <!A> Y)"`
	checkingArguments
}

func (q ctlQuestion) command() command {
	return commandAbout("ctl", q.modelArgument, q.Formula, q.checkingArguments)
}

type replayQuestion struct {
	modelArgument
	Log       string `json:"log" jsonschema:"path of the log, below a root: lines, CSV, JSON lines, OTLP or XES"`
	Formula   string `json:"formula,omitempty" jsonschema:"is this property sure, lost or open after the log?"`
	Field     string `json:"field,omitempty" jsonschema:"the field or column of the events"`
	CaseField string `json:"case_field,omitempty" jsonschema:"the field or column of the case of an event"`
	Case      string `json:"case,omitempty" jsonschema:"the case whose run is shown, where the log has several"`
	matchingArguments
}

func (q replayQuestion) command() command {
	c := commandOn("replay", q.modelArgument).withMatching(q.matchingArguments)
	c.models = append(c.models, q.Log)
	c.formula = q.Formula
	return c.withValue("field", q.Field).withValue("case-field", q.CaseField).withValue("case", q.Case)
}

type whyQuestion struct {
	modelArgument
	Formula string     `json:"formula" jsonschema:"the property that is violated"`
	Not     stringList `json:"not,omitempty" jsonschema:"the actions that did not happen, such as ACK or ACK, /NAK.*/ (default: what the property awaits; if the counterexample does what is forbidden, the answer says what led to that)"`
	Step    int        `json:"step,omitempty" jsonschema:"ask about the state that this step of the counterexample leaves"`
	checkingArguments
}

func (q whyQuestion) command() command {
	c := commandAbout("why", q.modelArgument, q.Formula, q.checkingArguments).withValue("not", q.Not.joined())
	if q.Step != 0 {
		c = c.withValue("step", strconv.Itoa(q.Step))
	}
	return c
}

type pathQuestion struct {
	inevitabilityArguments
	To      string `json:"to,omitempty" jsonschema:"nearest (the default), each, correct, incorrect, mixed-neutral or mixed (the nearest neighbourhood of this kind), lost (where the property is lost), or the number of a state"`
	Pattern string `json:"pattern,omitempty" jsonschema:"only paths with these actions, such as A, B, in order"`
	checkingArguments
}

func (q pathQuestion) command() command {
	return commandAbout("path", q.modelArgument, q.Formula, q.checkingArguments).withValue("to", q.To).withValue("pattern",
		q.Pattern)
}

type repairQuestion struct {
	modelArgument
	Formula        string     `json:"formula" jsonschema:"the property that should hold, such as Inev(REQ, ACK)"`
	Uncontrollable stringList `json:"uncontrollable,omitempty" jsonschema:"labels that cannot be forbidden, such as LOSS, TIMEOUT"`
	Fewest         bool       `json:"fewest,omitempty" jsonschema:"also find the fewest transitions to forbid"`
	MayForbid      bool       `json:"may_forbid_triggers,omitempty" jsonschema:"also forbid the labels that trigger the property, such as REQ of Response(REQ; ACK)"`
	Apply          int        `json:"apply,omitempty" jsonschema:"apply the remedy of this number, one of those that explain numbers from 1: shows the verdict, and what the model loses"`
	checkingArguments
}

func (q repairQuestion) command() command {
	c := commandAbout("repair", q.modelArgument, q.Formula, q.checkingArguments).withValue("uncontrollable",
		q.Uncontrollable.joined())
	c = c.withFlag("fewest", q.Fewest).withFlag("may-forbid-triggers", q.MayForbid)
	if q.Apply != 0 {
		c = c.withValue("apply", strconv.Itoa(q.Apply))
		c.isText = true
	}
	return c
}

type formulaQuestion struct {
	Formula string `json:"formula,omitempty" jsonschema:"the property, such as Inev(REQ, ACK), Response(REQ; ACK) or G (REQ -> F ACK); without it, the answer is how properties are written"`
	Model   string `json:"model,omitempty" jsonschema:"path of a model: lists the labels that match each step"`
	readingArgument
	matchingArguments
}

// The model of a formula is the value of a flag: see [Server.argumentsFor].
func (q formulaQuestion) command() command {
	c := command{name: "formula", formula: q.Formula}
	if q.Model == "" {
		return c
	}
	c.models = []string{q.Model}
	return c.withFlag("lenient", q.Lenient).withMatching(q.matchingArguments)
}

type compareQuestion struct {
	Old     string `json:"old" jsonschema:"path of the old version of the model, below a root"`
	New     string `json:"new" jsonschema:"path of the new version of the model, below a root"`
	Formula string `json:"formula,omitempty" jsonschema:"which change brought the violation of this property?"`
	By      string `json:"by,omitempty" jsonschema:"the equivalence: strong (the default) or branching"`
	readingArgument
	checkingArguments
}

func (q compareQuestion) command() command {
	return command{
		name:    "compare",
		models:  []string{q.Old, q.New},
		formula: q.Formula,
	}.withValue("by", q.By).withFlag("lenient", q.Lenient).withChecking(q.checkingArguments)
}

type diagramQuestion struct {
	inevitabilityArguments
	Format string `json:"format,omitempty" jsonschema:"png (the default) or svg"`
	View   string `json:"view,omitempty" jsonschema:"what is drawn; auto (the default) draws a small model whole, and of a larger one the part that shows the violation"`
	checkingArguments
}

func (q diagramQuestion) command() command {
	return commandAbout("diagram", q.modelArgument, q.Formula, q.checkingArguments).withValue("view", q.View)
}

// suffix returns the suffix of the name of the picture's file.
func (q diagramQuestion) suffix() string {
	if strings.EqualFold(q.Format, "svg") {
		return ".svg"
	}
	return ".png"
}
