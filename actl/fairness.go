package actl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/intern"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/required"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// AssumptionKind is a kind of assumption about infinite runs.
type AssumptionKind uint8

// The kinds of assumptions, see [property.Fairness].
const (
	FullFairness   AssumptionKind = iota + 1 // every transition enabled infinitely often is taken infinitely often
	WeakFairness                             // runs are weakly fair to the tasks
	StrongFairness                           // runs are strongly fair to the tasks
	Finitely                                 // the labels occur finitely often
	Just                                     // what is possible happens or is interfered with, see [property.Justness]
	Blocking                                 // labels of actions that may be refused forever under justness
)

var assumptionNames = [...]string{
	FullFairness:   "full",
	WeakFairness:   "weak",
	StrongFairness: "strong",
	Finitely:       "finitely",
	Just:           "just",
	Blocking:       "blocking",
}

func (k AssumptionKind) String() string { return assumptionNames[k] }

// MarshalText returns the name of the kind.
func (k AssumptionKind) MarshalText() ([]byte, error) { return []byte(assumptionNames[k]), nil }

// eachLabel is the word that makes a task of every label.
const eachLabel = "each"

// Assumption is an assumption about infinite runs. It comes from
// [ParseAssumption] and is immutable.
type Assumption struct {
	kind          AssumptionKind
	nonstuttering bool
	each          bool
	tasks         []Pattern
	// components returns the components that an action needs, for justness; nil
	// if they are not known.
	components func(label string) []string
	// written is the text in a specification, "" if the assumption was given as a
	// flag.
	written string
}

// Specified returns weak or strong fairness for sets of transitions. The sets have the names under
// which the labels of a model report them; written is the text of the assumption in a
// specification.
func Specified(written string, strong bool, sets ...string) *Assumption {
	a := &Assumption{kind: WeakFairness, written: written}
	if strong {
		a.kind = StrongFairness
	}
	for _, name := range sets {
		a.tasks = append(a.tasks, Reported(name, false))
	}
	return a
}

// Written returns the text in a specification; "" if the assumption was given as a flag. Cost O(1).
func (a *Assumption) Written() string { return a.written }

// ParseAssumption returns the assumption that text denotes: full, weak, strong or
// finitely and, after a colon, tasks. Tasks are each, the default for weak and
// strong, or patterns as in formulas, separated by commas: the labels of a
// pattern are one task; a regular expression with a group named task makes a task
// of each text that the group captures. weak! and strong! leave self-loops out of
// tasks. just takes no tasks: [Assumption.On] sets the components that actions
// need, and blocking, with patterns, the actions that may be refused. The error
// is one line; the error of a pattern is a [*SyntaxError].
func ParseAssumption(ctx context.Context, text string) (_ *Assumption, err error) {
	defer abort.Caught(&err)
	beforeColon, tasks, hasColon := strings.Cut(strings.TrimSpace(text), ":")
	tasks = strings.TrimSpace(tasks)
	name, nonstuttering := strings.CutSuffix(strings.TrimSpace(beforeColon), "!")
	kind := slices.Index(assumptionNames[:], name)
	if name == "" || kind < 0 {
		return nil, unknownAssumption(name, hasColon)
	}
	a := &Assumption{kind: AssumptionKind(kind), nonstuttering: nonstuttering}
	if err := a.checkTasks(name, tasks, hasColon); err != nil {
		return nil, err
	}
	hasTasks := a.kind != FullFairness && a.kind != Just
	a.each = hasTasks && (!hasColon || tasks == eachLabel)
	if hasTasks && !a.each {
		a.tasks = parseTasks(ctx, tasks)
	}
	return a, a.checkGroups()
}

// unknownAssumption returns the error of a name that no assumption has. The name may be misspelt or, if
// no tasks follow it, a label.
func unknownAssumption(name string, hasColon bool) error {
	for _, known := range assumptionNames {
		edits := levenshtein.ComputeDistance(strings.ToLower(name), known)
		if name != "" && edits <= len(known)/3 {
			return fmt.Errorf("there is no assumption %q; did you mean %s?", name, known)
		}
	}
	if joined := joinedAssumptions(name); len(joined) > 0 {
		return errorOfJoined(name, joined)
	}
	if strings.HasPrefix(name, "WF(") || strings.HasPrefix(name, "SF(") {
		return fmt.Errorf("there is no assumption %q; TLA+ writes %s_v(A), with v as in [Next]_v", name, name[:len("WF")])
	}
	choose := fmt.Sprintf("there is no assumption %q; choose full, weak, strong, just or finitely", name)
	if name == "" || hasColon {
		return errors.New(choose)
	}
	return fmt.Errorf("%s:%s", choose, name)
}

// joinedAssumptions returns the assumptions that a text lists, as in weak,strong or a list of JSON; nil if it has other
// words.
func joinedAssumptions(text string) []string {
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("[]\"', ", r) })
	isOther := func(word string) bool { return !slices.Contains(assumptionNames[1:], word) }
	if slices.ContainsFunc(words, isOther) {
		return nil
	}
	return words
}

// errorOfJoined returns the error of a text that lists assumptions.
func errorOfJoined(text string, assumptions []string) error {
	if len(assumptions) == 1 {
		return fmt.Errorf("there is no assumption %q; did you mean %s?", text, assumptions[0])
	}
	number := "two"
	if len(assumptions) > 2 {
		number = "several"
	}
	return fmt.Errorf("there is no assumption %q: %s are %s, so give each by itself", text,
		printable.List(assumptions, "and"), number)
}

// checkTasks returns an error if an assumption with this name cannot have these tasks, or cannot
// have a "!" after its name.
func (a *Assumption) checkTasks(name, tasks string, hasColon bool) error {
	namesNone := tasks == "" || tasks == eachLabel
	switch {
	case a.nonstuttering && a.kind != WeakFairness && a.kind != StrongFairness:
		return fmt.Errorf("%s takes no !, which leaves self-loops out of tasks", name)
	case a.kind == FullFairness && hasColon:
		return fmt.Errorf("full takes no tasks: it is about every transition")
	case a.kind == Just && hasColon:
		return fmt.Errorf("just takes no tasks: lanes say which components actions need")
	case a.kind == Blocking && namesNone:
		return fmt.Errorf("blocking needs the labels that may be refused forever, as in blocking:CONNECT")
	case a.kind == Finitely && namesNone:
		return fmt.Errorf("finitely needs the labels that are done finitely often, as in finitely:LOSS")
	case hasColon && tasks == "":
		return fmt.Errorf("%s: no task follows the colon; name labels, as in %[1]s:PUT", name)
	}
	return nil
}

// BeginsAssumption reports whether text begins with the name of a kind of
// assumption.
func BeginsAssumption(text string) bool {
	name := text
	end := strings.IndexAny(text, ":;")
	if end >= 0 {
		name = text[:end]
	}
	name = strings.TrimSuffix(strings.TrimSpace(name), "!")
	return slices.Contains(assumptionNames[FullFairness:], name)
}

// parseTasks reads the tasks of an assumption after its colon: patterns separated by commas.
func parseTasks(ctx context.Context, text string) []Pattern {
	p := parser{text: text, ctx: ctx}
	var tasks []Pattern
	precedingToken := ":"
	for {
		tasks = append(tasks, p.pattern(precedingToken, inList))
		p.blanks()
		if p.pos == len(p.text) {
			return tasks
		}
		if !p.take(',') {
			p.fail(p.pos, `"," or the end of the tasks`)
		}
		precedingToken = ","
	}
}

// taskGroup is the name of the group that captures the name of a task.
const taskGroup = "task"

// checkGroups refuses a regular expression that has named groups, but none for the task. It also
// refuses one with a group for the task inside a set, since the labels of a set are one task.
func (a *Assumption) checkGroups() error {
	for _, p := range a.tasks {
		for _, e := range p.elements {
			if e.kind != regex {
				continue
			}
			isNamed := func(group string) bool { return group != "" }
			groups := e.re.SubexpNames()
			firstNamed := slices.IndexFunc(groups, isNamed)
			capturesTask := slices.Contains(groups, taskGroup)
			isInSet := len(p.elements) > 1
			switch {
			case capturesTask && isInSet:
				return fmt.Errorf("the expression %s makes several tasks, but stands in a set, which is one; write it outside of braces", e.String())
			case !capturesTask && firstNamed >= 0:
				return fmt.Errorf("the expression %s has a group named %s; the one that captures a task is (?P<task>…)", e.String(), groups[firstNamed])
			}
		}
	}
	return nil
}

// Kind returns the kind of the assumption.
func (a *Assumption) Kind() AssumptionKind { return a.kind }

// Nonstuttering reports whether self-loops are left out of tasks.
func (a *Assumption) Nonstuttering() bool { return a.nonstuttering }

// Tasks returns the tasks as they were written; "" for full fairness.
func (a *Assumption) Tasks() string {
	if a.each {
		return eachLabel
	}
	texts := make([]string, len(a.tasks))
	for i, p := range a.tasks {
		texts[i] = p.String()
	}
	return strings.Join(texts, ", ")
}

// String returns the assumption in a form that [ParseAssumption] accepts.
func (a *Assumption) String() string {
	if a == nil {
		return "<nil>"
	}
	if a.written != "" {
		return a.written
	}
	text := a.kind.String()
	if a.nonstuttering {
		text += "!"
	}
	tasks := a.Tasks()
	if tasks != "" {
		text += ":" + tasks
	}
	return text
}

// Agree returns nil if assumptions are compatible; otherwise an error, of one
// line, which names an assumption that occurs twice, or that another assumption
// includes. Cost O(size of the texts).
func Agree(all []*Assumption) error {
	seen := map[string]bool{}
	full := has(all, FullFairness)
	for _, a := range all {
		text := a.String()
		isFairToTasks := a.kind == WeakFairness || a.kind == StrongFairness
		switch {
		case seen[text]:
			return fmt.Errorf("%s is given twice; leave one of them out", text)
		case full && a.kind == Just:
			return fmt.Errorf("just cannot be combined with full; leave one of them out")
		case a.kind == Blocking && !has(all, Just):
			return fmt.Errorf("%s is about just runs; add just", text)
		case full && isFairToTasks:
			return fmt.Errorf("%s adds nothing to full, which is fair to everything; leave one of them out", text)
		default:
			seen[text] = true
		}
	}
	return nil
}

// Among returns the assumptions with these texts, in the order of the texts. same reports whether the texts
// are those of all the assumptions, and of no others. Cost O(assumptions · texts).
func Among(all []*Assumption, texts []string) (found []*Assumption, same bool) {
	for _, text := range texts {
		i := slices.IndexFunc(all, func(a *Assumption) bool {
			return a.String() == text
		})
		if i < 0 {
			return nil, false
		}
		found = append(found, all[i])
	}
	lacksText := func(a *Assumption) bool { return !slices.Contains(texts, a.String()) }
	return found, !slices.ContainsFunc(all, lacksText)
}

func has(all []*Assumption, kind AssumptionKind) bool {
	return slices.ContainsFunc(all, func(a *Assumption) bool {
		return a.kind == kind
	})
}

// taskNoun is the noun for patterns of assumptions.
const taskNoun = "task"

// Unmatched returns nil if all tasks have labels in alphabet, and otherwise an
// error that is an *[UnmatchedError], as [Formula.Unmatched].
func (a *Assumption) Unmatched(ctx context.Context, alphabet *lts.Alphabet) error {
	if err := Unmatched(ctx, taskNoun, a.tasks, alphabet); err != nil {
		return fmt.Errorf("%s: %w", a.kind, err)
	}
	return nil
}

// BindAssumptions returns the conjunction of these assumptions for models with
// alphabet a, nil if there are none, and a warning for each pattern that matches
// none of the labels: a task without labels demands nothing. It fails if ctx is
// done. Cost as for [Formula.Bind].
func BindAssumptions(
	ctx context.Context,
	all []*Assumption,
	a *lts.Alphabet,
) (_ *property.Fairness, _ []string, err error) {
	if err := cmp.Or(
		required.Argument("ctx", ctx),
		required.Argument("a", a),
	); err != nil {
		return nil, nil, err
	}
	defer abort.Caught(&err)
	if len(all) == 0 {
		return nil, nil, nil
	}
	var patterns []Pattern
	for _, assumption := range all {
		patterns = append(patterns, assumption.tasks...)
	}
	atoms := StateAtoms(patterns)
	if len(atoms) > 0 {
		abort.On(&FactsError{atoms[0]})
	}
	b := newBinder(ctx, patterns, a)
	var tasks []property.Task
	var finitely, blocking []lts.Label
	var warnings []string
	var just *Assumption
	for _, assumption := range all {
		if assumption.kind == Just {
			just = assumption
			continue
		}
		warnings = append(warnings, assumption.warnings(ctx, a, b)...)
		bound := assumption.bind(a, b)
		switch assumption.kind {
		case Finitely:
			finitely = append(finitely, labelsOfTasks(bound)...)
		case Blocking:
			blocking = append(blocking, labelsOfTasks(bound)...)
		default:
			tasks = append(tasks, bound...)
		}
	}
	abort.On(ctx.Err())
	if just != nil {
		return just.bindJust(a, tasks, finitely, blocking), warnings, nil
	}
	return abort.Must(property.NewFairness(a, has(all, FullFairness), tasks,
		finitely)), warnings, nil
}

// warnings returns a warning for each pattern of the assumption that matches no label; the binder b has found
// their labels.
func (a *Assumption) warnings(ctx context.Context, alphabet *lts.Alphabet, b *binder) []string {
	w := newWarner(ctx, alphabet, taskNoun)
	for i, p := range a.tasks {
		w.warn(i+1, p, b)
	}
	var texts []string
	for _, text := range w.warnings() {
		texts = append(texts, a.kind.String()+": "+text)
	}
	return texts
}

// labelsOfTasks returns the labels of some tasks.
func labelsOfTasks(tasks []property.Task) []lts.Label {
	var labels []lts.Label
	for _, t := range tasks {
		labels = append(labels, t.Labels...)
	}
	return labels
}

// bind returns the tasks of an assumption that have labels.
func (a *Assumption) bind(alphabet *lts.Alphabet, b *binder) []property.Task {
	var tasks []property.Task
	if a.each {
		for l, text := range alphabet.All() {
			if alphabet.Plain(l) == l {
				tasks = append(tasks, property.Task{Name: text, Labels: alphabet.Variants(text)})
			}
		}
	}
	for _, p := range a.tasks {
		labels := b.labelsOf(p)
		if p.capturesTasks() {
			tasks = append(tasks, capturedTasks(p.elements[0].re, labels, alphabet)...)
		} else {
			tasks = append(tasks, property.Task{Name: p.String(), Labels: labels})
		}
	}
	tasks = slices.DeleteFunc(tasks, func(t property.Task) bool {
		return len(t.Labels) == 0
	})
	for i := range tasks {
		tasks[i].Strong = a.kind == StrongFairness
		tasks[i].Nonstuttering = a.nonstuttering
	}
	return tasks
}

// capturesTasks reports whether a pattern is a regular expression with a group that captures names of tasks.
func (p Pattern) capturesTasks() bool {
	return len(p.elements) == 1 && p.elements[0].kind == regex &&
		p.elements[0].re.SubexpIndex(taskGroup) >= 0
}

// capturedTasks returns a task for each text that the group of tasks captures in labels.
func capturedTasks(re *regexp.Regexp, labels []lts.Label, alphabet *lts.Alphabet) []property.Task {
	group := re.SubexpIndex(taskGroup)
	var captured intern.List[string, property.Task]
	for _, l := range labels {
		text := alphabet.Text(l)
		bounds := re.FindStringSubmatchIndex(text)
		start := bounds[2*group]
		end := bounds[2*group+1]
		if start < 0 {
			continue // the group matched nothing
		}
		name := text[start:end]
		i := captured.Index(name, property.Task{Name: name})
		captured.All[i].Labels = append(captured.All[i].Labels, l)
	}
	return captured.All
}

// errNoComponents is the error of justness if the components of actions are not
// known.
var errNoComponents = errors.New("justness depends on the components that each action needs, but they are not known here: name them by lanes")

// On gives justness the components that actions need. The function needs returns the names of the
// components of the action with a label, such as a process and a register; none for an action that
// interferes only with itself. For any other kind of assumption, On returns the assumption
// unchanged. Cost O(1).
func (a *Assumption) On(needs func(label string) []string) *Assumption {
	if a.kind != Just {
		return a
	}
	on := *a
	on.components = needs
	return &on
}

// bindNetwork returns justness for a network: a transition needs the components that move.
func (a *Assumption) bindNetwork(
	alphabet *lts.Alphabet,
	tasks []property.Task,
	finitely, blocking []lts.Label,
) *property.Fairness {
	j := &property.Justness{
		Names:      alphabet.Components(),
		Components: make([][]uint32, alphabet.Len()),
		Blocking:   blocking,
	}
	for l := range alphabet.All() {
		j.Components[l] = alphabet.Movers(l)
	}
	return abort.Must(j.Fairness(alphabet, tasks, finitely))
}

// bindJust returns justness with tasks, and with labels that occur finitely often
// or may be refused. It fails if the components of actions are not known.
func (a *Assumption) bindJust(
	alphabet *lts.Alphabet,
	tasks []property.Task,
	finitely, blocking []lts.Label,
) *property.Fairness {
	if a.components == nil && alphabet.Components() != nil {
		return a.bindNetwork(alphabet, tasks, finitely, blocking)
	}
	if a.components == nil {
		abort.On(errNoComponents)
	}
	j := &property.Justness{Components: make([][]uint32, alphabet.Len()), Blocking: blocking}
	// An action that needs no component gets a component of its own. A zero byte in front
	// distinguishes its key from names of components.
	var names intern.List[string, string]
	for l, text := range alphabet.All() {
		if alphabet.Plain(l) != l {
			continue
		}
		var needs []uint32
		for _, name := range a.components(text) {
			needs = append(needs, uint32(names.Index(name, name)))
		}
		labels := alphabet.Variants(text)
		if len(needs) == 0 && len(labels) > 1 {
			// Labels that differ only in facts about states are one action, which
			// interferes with itself.
			needs = append(needs, uint32(names.Index("\x00"+text, text)))
		}
		slices.Sort(needs)
		for _, l := range labels {
			j.Components[l] = slices.Compact(needs)
		}
	}
	j.Names = names.All
	return abort.Must(j.Fairness(alphabet, tasks, finitely))
}
