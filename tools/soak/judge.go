//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/internal/batch/summary"
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/assertions"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/report"
)

// hasFlag reports whether a command has a flag.
func (c *command) hasFlag(flag string) bool { return slices.Contains(c.args, flag) }

// flagValue returns the value of a flag, "" if the flag is not given.
func (c *command) flagValue(flag string) string {
	if at := slices.Index(c.args, flag); at >= 0 && at+1 < len(c.args) {
		return c.args[at+1]
	}
	return ""
}

// refusals match the errors of commands that rightly refuse.
var refusals = regexp.MustCompile(strings.Join([]string{
	"pattern .* matches no label of the model, so it never happens", "no counterexample does these steps in this order", "--all draws all shortest counterexamples",
}, "|"))

// runAndJudge runs a command, sometimes under a limit, and compares its result with brute force.
func (r *round) runAndJudge(c *command) error {
	limited := c
	if r.oneIn(4) {
		limited = r.withRandomLimit(c)
	}
	outcome, err := r.execute(limited)
	if err != nil {
		return err
	}
	isStopped := outcome.code < 0
	if isStopped {
		return nil
	}
	if outcome.code == 2 {
		isLimited := limited != c
		if !isLimited && !refusals.MatchString(outcome.stderr) {
			r.complain(limited, outcome, "refused")
		}
		return nil
	}
	result, format := outcome.stdout, c.flagValue("--format")
	if file := c.flagValue("-o"); file != "" {
		if result, err = r.read(file); err != nil {
			r.complain(limited, outcome, "%v", err)
			return nil
		}
		format = map[string]string{
			".txt":  "text",
			".json": "json",
			".tsv":  "tsv",
			".md":   "markdown",
		}[filepath.Ext(file)]
	} else if limited.stdout != "" {
		return nil
	}
	if wrong := r.check(c, outcome, result, format); wrong != nil {
		r.complain(limited, outcome, "%v\n  in\n  %s", wrong, shortened(result))
	}
	if text, err := r.read("x.json"); err == nil && c.hasFlag("x.json") {
		if wrong := r.checkExplanation(c, text); wrong != nil {
			r.complain(limited, outcome, "x.json: %v", wrong)
		}
	}
	return nil
}

// check compares the result of a command with brute force.
func (r *round) check(c *command, outcome *ended, result, format string) error {
	if err := r.checkExitCode(c, outcome); err != nil {
		return err
	}
	if format == "json" {
		if err := r.validJSON(result); err != nil {
			return err
		}
	}
	switch name := c.args[0]; {
	case givesVerdict(name):
		return r.checkReport(c, result, format)
	case name == "formula" && format == "json":
		return r.checkFormula(result)
	case name == "convert" && isAut(c.flagValue("-o")):
		return r.checkConverted(c.flagValue("-o"))
	case format == "tsv" && !c.hasFlag("--unfold"):
		return r.checkTable(c, result)
	}
	return nil
}

// givesVerdict reports whether the exit code of a command is its verdict on the property.
func givesVerdict(name string) bool { return name == "check" || name == "explain" }

// checkExitCode compares the exit code of a command with brute force.
func (r *round) checkExitCode(c *command, outcome *ended) error {
	if !givesVerdict(c.args[0]) {
		if outcome.code != 0 {
			return fmt.Errorf("exit code %d", outcome.code)
		}
		return nil
	}
	if (outcome.code == 0) != r.oracle.Satisfied() {
		return fmt.Errorf("exit code %d, the property is satisfied: %v", outcome.code,
			r.oracle.Satisfied())
	}
	return nil
}

// checkReport compares the report of inev check or inev explain with brute force.
func (r *round) checkReport(c *command, report, format string) error {
	switch format {
	case "json":
		return r.checkExplanation(c, report)
	case "markdown":
		return r.checkMarkdown(c, report)
	}
	return nil
}

// checkTable compares a table of the model itself with brute force.
func (r *round) checkTable(c *command, table string) error {
	switch c.args[0] {
	case "enrich":
		return r.checkStates(table)
	case "classify":
		if c.hasFlag("--neighbourhoods") {
			return r.checkNeighbourhoods(c, table)
		}
		return r.checkTransitions(table)
	case "path":
		return r.checkPaths(c, table)
	case "labels":
		if !c.hasFlag("--gates") {
			return r.checkLabels(table)
		}
	case "info":
		return r.checkInfo(table)
	}
	return nil
}

// isAut reports whether a file is one of .aut, plain or compressed.
func isAut(path string) bool {
	plain := strings.TrimSuffix(strings.TrimSuffix(path, ".gz"), ".zst")
	return strings.HasPrefix(filepath.Ext(plain), ".aut") && !strings.HasSuffix(path, "x")
}

type step struct {
	From, To json.Number
	Label    string
}

// explanation has the members of a document that are checked.
type explanation struct {
	Verdict        string
	Property       struct{ Steps []struct{ Pattern string } }
	Counterexample *struct {
		Length    int
		Shortest  bool
		LoopStart *int `json:"loop_start"`
		Steps     []step
	}
	All *struct {
		Count  string
		Listed []struct {
			LoopStart *int `json:"loop_start"`
			Steps     []step
		}
	} `json:"all_shortest"`
	Classes        map[oracle.Class]int
	Neighbourhoods []struct {
		State int
		Kind  oracle.Kind
	}
	Reading oracle.Reading `json:"neighbourhood_reading"`
	Claims  []statement
}

// checkExplanation compares the JSON of a report with brute force.
func (r *round) checkExplanation(c *command, text string) error {
	if err := r.validJSON(text); err != nil {
		return err
	}
	unfolded := c.hasFlag("--unfold") // unfolding gives states names of its own
	if unfolded {
		text = unfoldedName.ReplaceAllString(text, `: 0`)
	}
	var x explanation
	if err := json.Unmarshal([]byte(text), &x); err != nil {
		return err
	}
	if (x.Verdict == "satisfied") != r.oracle.Satisfied() ||
		(x.Counterexample == nil) != r.oracle.Satisfied() {
		return fmt.Errorf("verdict %s, the property is satisfied: %v", x.Verdict,
			r.oracle.Satisfied())
	}
	if x.Counterexample != nil {
		if err := r.checkCounterexample(c, &x); err != nil {
			return err
		}
	}
	if x.All != nil && c.hasFlag("--limit") {
		if err := r.checkListed(c, &x); err != nil {
			return err
		}
	}
	if x.Classes == nil || unfolded {
		return nil
	}
	return r.checkClassification(&x)
}

// checkCounterexample checks that the counterexample violates the property and has the right length.
func (r *round) checkCounterexample(c *command, x *explanation) error {
	found := x.Counterexample
	if !c.hasFlag("--unfold") {
		run, err := r.runOf(found.Steps, found.LoopStart)
		if err != nil {
			return err
		}
		if err := r.oracle.Check(run); err != nil {
			return err
		}
	}
	shortest, _ := r.oracle.ShortestLength()
	isTooLong := found.Length > shortest && (found.Shortest || !r.mayBeLonger(c))
	if found.Length != len(found.Steps) || found.Length < shortest || isTooLong {
		return fmt.Errorf("length %d of %d steps (shortest: %v), want %d", found.Length,
			len(found.Steps), found.Shortest, shortest)
	}
	return nil
}

// checkClassification checks the numbers of transitions of each class, and the neighbourhoods.
func (r *round) checkClassification(x *explanation) error {
	want, _ := r.oracle.Count()
	for _, class := range []oracle.Class{oracle.Correct, oracle.Incorrect, oracle.Neutral} {
		if x.Classes[class] != want[class] {
			return fmt.Errorf("classes %v, want %v", x.Classes, want)
		}
	}
	neighbourhoods := map[lts.State]oracle.Kind{}
	for _, n := range x.Neighbourhoods {
		neighbourhoods[lts.State(n.State)] = n.Kind
	}
	if want := r.oracle.Neighbourhoods(x.Reading); !maps.Equal(neighbourhoods, want) {
		return fmt.Errorf("neighbourhoods %v, want %v", neighbourhoods, want)
	}
	return nil
}

// unfoldedName matches the name of a state with its progress.
var unfoldedName = regexp.MustCompile(`: "\d+·\d+"`)

// mayBeLonger reports whether the counterexample of a command may be longer than a shortest one.
func (r *round) mayBeLonger(c *command) bool {
	// In an unfolded model a loop consists of product states, and can be longer.
	return c.hasFlag("--pattern") || c.hasFlag("--search-limit") || c.hasFlag("--algorithm") ||
		c.hasFlag("--unfold")
}

// runOf returns the run that the steps of a report describe.
func (r *round) runOf(steps []step, loop *int) (oracle.Run, error) {
	run := oracle.Run{Loop: oracle.NoLoop}
	if loop != nil {
		run.Loop = *loop
	}
	for _, s := range steps {
		from, err := s.From.Int64()
		if err != nil {
			return run, err
		}
		to, err := s.To.Int64()
		if err != nil {
			return run, err
		}
		label, known := r.label(s.Label)
		if !known {
			return run, fmt.Errorf("no label %q", s.Label)
		}
		run.Transitions = append(run.Transitions, lts.Transition{
			From:  lts.State(from),
			Label: label,
			To:    lts.State(to),
		})
	}
	return run, nil
}

func (r *round) label(text string) (lts.Label, bool) {
	for l := range r.small.Model.Alphabet().Len() {
		if r.small.Model.Alphabet().Text(lts.Label(l)) == text {
			return lts.Label(l), true
		}
	}
	return 0, false
}

// readTable returns the cells of a table, and the index of the column of each name.
func readTable(text string) (cells [][]string, column map[string]int) {
	column = map[string]int{}
	head, body, hasBody := strings.Cut(strings.TrimSuffix(text, "\n"), "\n")
	for i, name := range strings.Split(head, "\t") {
		column[name] = i
	}
	if !hasBody {
		return nil, column
	}
	for _, line := range strings.Split(body, "\n") {
		cells = append(cells, strings.Split(line, "\t"))
	}
	return cells, column
}

func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return -1
	}
	return n
}

// checkStates compares a table of prefixes and suffixes with brute force.
func (r *round) checkStates(text string) error {
	cells, column := readTable(text)
	reachable := 0
	for s := range r.small.Model.NumStates() {
		if r.oracle.Reachable(lts.State(s)) {
			reachable++
		}
	}
	if len(cells) != reachable {
		return fmt.Errorf("%d rows for %d states", len(cells), reachable)
	}
	for _, row := range cells {
		s := lts.State(number(row[column["state"]]))
		for name, want := range map[string]int{
			"mp": r.oracle.MP(s),
			"cp": r.oracle.CP(s),
			"ms": r.oracle.MS(s),
			"cs": r.oracle.CS(s),
		} {
			if got := number(row[column[name]]); got != want {
				return fmt.Errorf("state %d: %s is %d, want %d", s, name, got, want)
			}
		}
	}
	return nil
}

// checkTransitions compares a table of classes with brute force.
func (r *round) checkTransitions(text string) error {
	cells, column := readTable(text)
	got := map[string]int{}
	for _, row := range cells {
		got[strings.Join([]string{row[column["from"]], row[column["label"]], row[column["to"]], row[column["class"]]}, " ")]++
	}
	want := map[string]int{}
	for t := range r.small.Model.Transitions() {
		if r.oracle.Reachable(t.From) {
			want[fmt.Sprintf("%d %s %d %s", t.From, r.small.Model.Alphabet().Text(t.Label),
				t.To, r.oracle.Class(t))]++
		}
	}
	if !maps.Equal(got, want) {
		return fmt.Errorf("transitions %v, want %v", got, want)
	}
	return nil
}

// checkNeighbourhoods compares a table of neighbourhoods with brute force.
func (r *round) checkNeighbourhoods(c *command, text string) error {
	cells, column := readTable(text)
	reading := oracle.All
	if c.flagValue("--neighbourhood") == "some" {
		reading = oracle.Some
	}
	got := map[lts.State]oracle.Kind{}
	for _, row := range cells {
		got[lts.State(number(row[column["state"]]))] = oracle.Kind(row[column["kind"]])
	}
	if want := r.oracle.Neighbourhoods(reading); !maps.Equal(got, want) {
		return fmt.Errorf("neighbourhoods %v, want %v", got, want)
	}
	return nil
}

// checkLabels compares a table of labels with counts of the transitions of the model.
func (r *round) checkLabels(text string) error {
	cells, column := readTable(text)
	all, reachable := map[string]int{}, map[string]int{}
	for t := range r.small.Model.Transitions() {
		name := r.small.Model.Alphabet().Text(t.Label)
		all[name]++
		if r.oracle.Reachable(t.From) {
			reachable[name]++
		}
	}
	if len(cells) != len(all) {
		return fmt.Errorf("%d labels, want %d", len(cells), len(all))
	}
	for _, row := range cells {
		name := row[column["label"]]
		if number(row[column["transitions"]]) != all[name] ||
			number(row[column["reachable"]]) != reachable[name] {
			return fmt.Errorf("%v, want %d and %d", row, all[name], reachable[name])
		}
	}
	return nil
}

// checkInfo compares the numbers about a model with brute force.
func (r *round) checkInfo(text string) error {
	cells, _ := readTable(text)
	got := map[string]int{}
	for _, row := range cells {
		got[row[0]] = number(row[1])
	}
	want := map[string]int{
		"states":      r.small.Model.NumStates(),
		"transitions": r.small.Model.NumTransitions(),
	}
	for s := range r.small.Model.NumStates() {
		if r.oracle.Reachable(lts.State(s)) {
			want["reachable_states"]++
			if r.small.Model.IsDeadlock(lts.State(s)) {
				want["deadlocks"]++
			}
		}
	}
	for name, n := range want {
		if got[name] != n {
			return fmt.Errorf("%s: %d, want %d", name, got[name], n)
		}
	}
	return nil
}

// checkFormula reads the formula back as ACTL.
func (r *round) checkFormula(text string) error {
	var x struct{ Text, ACTL string }
	if err := json.Unmarshal([]byte(text), &x); err != nil {
		return err
	}
	formulas := []string{x.Text}
	matchesNothing := func(step map[lts.Label]bool) bool { return len(step) == 0 }
	hasFalse := strings.Contains(x.ACTL, "{false}") || slices.ContainsFunc(r.small.Steps, matchesNothing)
	if !hasFalse { // in other tools' syntax, a pattern that matches nothing is false
		formulas = append(formulas, x.ACTL)
	}
	for _, formula := range formulas {
		if err := r.checkSteps(formula); err != nil {
			return err
		}
	}
	return nil
}

// checkSteps checks that the labels of the model's transitions do the same steps of a formula as of the
// property.
func (r *round) checkSteps(formula string) error {
	f, err := actl.Parse(context.Background(), formula)
	if err != nil {
		return fmt.Errorf("%s: %w", formula, err)
	}
	bound, _, _ := f.Bind(context.Background(), r.small.Model.Alphabet())
	p, _ := bound.Chain()
	for t := range r.small.Model.Transitions() { // the file lacks the other labels
		for i, step := range r.small.Steps {
			does := p.Advance(i, t.Label) == i+1
			if does != step[t.Label] {
				return fmt.Errorf("%s: %s does step %d: %v", formula,
					r.small.Model.Alphabet().Text(t.Label), i+1, does)
			}
		}
	}
	return nil
}

// checkConverted reads the converted model back.
func (r *round) checkConverted(name string) error {
	m, _, err := aut.Open(context.Background(), filepath.Join(r.folder, name), aut.Options{})
	if err != nil {
		return err
	}
	texts := func(m *lts.LTS) []string {
		all := []string{fmt.Sprint(m.Initial(), m.NumStates())}
		for t := range m.Transitions() {
			all = append(all, fmt.Sprint(t.From, m.Alphabet().Text(t.Label), t.To))
		}
		slices.Sort(all)
		return all
	}
	if got, want := texts(m), texts(r.small.Model); !slices.Equal(got, want) {
		return fmt.Errorf("the model is %v, want %v", got, want)
	}
	return nil
}

// checkMarkdown reads the sentences of a report in Markdown, and compares them with those that the
// JSON of the same command implies.
func (r *round) checkMarkdown(c *command, text string) error {
	if !isReadBack(c) {
		return nil
	}
	x, err := r.explanationOf(c)
	if err != nil {
		return err
	}
	checker, err := r.checkerOf(c, x)
	if err != nil {
		return err
	}
	lines := proseOf(text)
	for _, claim := range x.Claims {
		if claim.Kind == "note" {
			continue
		}
		if claim.Kind == "verdict" && c.stdin != "" {
			claim.Text = "-" + strings.TrimPrefix(claim.Text, r.model)
		}
		sentence, said := takeSentence(lines, claim.Text)
		if !said && isCounted(claim) {
			return nil
		}
		if !said && saidOtherwise[claim.Kind] {
			continue
		}
		if !said {
			return fmt.Errorf("the Markdown does not say %q", claim.Text)
		}
		if comparedElsewhere[claim.Kind] {
			continue
		}
		if err := checker.Sentence(sentence); err != nil {
			return err
		}
		r.tally.sentences++
	}
	if !c.hasFlag("--no-fairness") {
		if err := checker.WhenComplete(); err != nil {
			return err
		}
	}
	return checkNothingLeft(lines)
}

// isReadBack reports whether the report of a command has the sentences that the JSON implies; with other
// flags it has other sentences, or fewer.
func isReadBack(c *command) bool {
	if c.args[0] != "explain" || !c.hasFlag("--full") {
		return false
	}
	return !slices.ContainsFunc([]string{"--unfold", "--fold", "--search-limit", "--pattern", "--algorithm", "--all"}, c.hasFlag)
}

// isCounted reports whether a claim in JSON may count what the full report lists in words.
func isCounted(claim statement) bool {
	return strings.Contains(claim.Text, " other transition") ||
		strings.Contains(claim.Text, "what is to be forbidden in")
}

// explanationOf returns the explanation in JSON of a command that writes Markdown.
func (r *round) explanationOf(c *command) (*explanation, error) {
	inJSON := &command{args: []string{
		c.args[0],
		r.model,
		r.formula,
		"--allow-unmatched",
		"--format",
		"json",
	}}
	if c.hasFlag("--no-fairness") {
		inJSON.args = append(inJSON.args, "--no-fairness")
	}
	for _, flag := range []string{"--neighbourhood", "--passing"} {
		value := c.flagValue(flag)
		if value != "" {
			inJSON.args = append(inJSON.args, flag, value)
		}
	}
	e, err := r.execute(inJSON)
	if err != nil {
		return nil, err
	}
	var x explanation
	if err := json.Unmarshal([]byte(e.stdout), &x); err != nil {
		return nil, err
	}
	return &x, nil
}

// checkerOf returns the checker of the sentences of an explanation.
func (r *round) checkerOf(c *command, x *explanation) (*assertions.Checker, error) {
	s := assertions.Subject{
		Model:    r.small.Model,
		Steps:    r.stepsInFile(),
		Violated: x.Verdict == "violated",
		Reading:  oracle.All,
	}
	if c.flagValue("--neighbourhood") == "some" {
		s.Reading = oracle.Some
	}
	for _, step := range x.Property.Steps {
		s.Patterns = append(s.Patterns, step.Pattern)
	}
	if x.Counterexample != nil {
		var err error
		s.Run, err = r.runOf(x.Counterexample.Steps, x.Counterexample.LoopStart)
		if err != nil {
			return nil, err
		}
	}
	return assertions.New(s)
}

// stepsInFile returns the labels of each step that the file of the model has: those of some transition.
func (r *round) stepsInFile() []map[lts.Label]bool {
	happens := map[lts.Label]bool{}
	for t := range r.small.Model.Transitions() {
		happens[t.Label] = true
	}
	var steps []map[lts.Label]bool
	for _, step := range r.small.Steps {
		labels := map[lts.Label]bool{}
		for l := range step {
			if happens[l] {
				labels[l] = true
			}
		}
		steps = append(steps, labels)
	}
	return steps
}

// checkNothingLeft fails if the report has a sentence that no claim has taken.
func checkNothingLeft(lines []string) error {
	for _, line := range lines {
		rest := strings.TrimSpace(line)
		if rest != "" && !noClaim.MatchString(rest) {
			return fmt.Errorf("nothing but Markdown says %q", rest)
		}
	}
	return nil
}

// saidOtherwise are the kinds of claims that a full report words differently, or joins to others.
// The verdict includes the diagnosis; the table of steps includes the shape of the run and what the
// run lacks; decisions include the better transitions.
var saidOtherwise = map[string]bool{
	"diagnosis":   true,
	"shape":       true,
	"missing":     true,
	"unmet":       true,
	"better":      true,
	"within":      true,
	"slowest_run": true,
}

// statement is a sentence of an explanation, with its kind.
type statement struct{ Kind, Text string }

// comparedElsewhere are the kinds of claims about a property that holds whose check needs other
// models and formulas: tests of package report check them.
var comparedElsewhere = map[string]bool{
	"rests_on":      true,
	"nothing_asked": true,
	"more_holds":    true,
	"not_looked":    true,
	"unbounded":     true,
	"faults":        true,
}

// flagInSentence matches a flag or a command in a sentence. Where sentences are for people, words replace
// it.
var flagInSentence = regexp.MustCompile(" \\(`(?:--fair '?(weak|strong|full|finitely)([^`]*)|inev repair[^`]*)`\\)")

// inWords returns the words that replace a flag.
func inWords(flag string) string {
	m := flagInSentence.FindStringSubmatch(flag)
	notion, actions := m[1], m[2]
	switch {
	case notion == "full":
		return " (full fairness)"
	case notion != "weak" && notion != "strong":
		return ""
	case actions == "":
		return " (" + notion + " fairness of each action)"
	case strings.Contains(actions, ","):
		return " (" + notion + " fairness of these actions)"
	}
	return " (" + notion + " fairness of this action)"
}

// noClaim matches lines of a report that are no claims: explanations of its picture, warnings,
// and commands.
var noClaim = regexp.MustCompile("^(Warning: |Thick: the counterexample|(?:[A-Z][^`.]*): ?`inev |There is no picture here: |!\\[)")

// listMark matches the mark of a title or of a list item at the beginning of a line.
var listMark = regexp.MustCompile(`^(## |\d+\. |- )`)

// proseOf returns the lines of a text in Markdown that have sentences. It leaves out code, tables and
// titles of the third level, removes the marks of list items and other titles, and writes flags as words.
func proseOf(text string) []string {
	var lines []string
	fenced := false
	for _, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
			continue
		}
		isTable := strings.HasPrefix(line, "|")
		isTitle := strings.HasPrefix(line, "### ")
		if fenced || isTable || isTitle {
			continue
		}
		unmarked := listMark.ReplaceAllString(line, "")
		lines = append(lines, flagInSentence.ReplaceAllStringFunc(unmarked, inWords))
	}
	return lines
}

// takeSentence finds the line that begins with a text, in Markdown, and removes the sentence from
// it.
func takeSentence(lines []string, text string) (sentence string, said bool) {
	for i, line := range lines {
		if n := lengthOfPrefix(line, text); n > 0 {
			sentence, lines[i] = line[:n], strings.TrimSpace(line[n:])
			return sentence, true
		}
	}
	return "", false
}

// lengthOfPrefix returns the number of bytes at the beginning of a line that are a text, not counting
// marks of code.
func lengthOfPrefix(line, text string) int {
	at := 0
	for i := 0; i < len(line); i++ {
		if at == len(text) {
			return i
		}
		switch {
		case line[i] == text[at]:
			at++
		case line[i] != '`':
			return 0
		}
	}
	if at == len(text) {
		return len(line)
	}
	return 0
}

// explainGivenRun makes inev write a counterexample for other tools, and then explain the written file.
func (r *round) explainGivenRun() error {
	if r.oracle.Satisfied() {
		return nil
	}
	write := &command{
		args: []string{
			"explain",
			r.model,
			r.formula,
			"--allow-unmatched",
			"--quiet",
			"--format",
			"json",
			"--trace",
			"t.seq",
		},
		files: []string{"t.seq"},
	}
	written, err := r.execute(write)
	if err != nil {
		return err
	}
	read := &command{args: []string{
		"explain",
		r.model,
		r.formula,
		"--allow-unmatched",
		"--quiet",
		"--format",
		"json",
		"--counterexample",
		"t.seq",
	}}
	again, err := r.execute(read)
	if err != nil {
		return err
	}
	if written.code != 1 || again.code != 1 {
		r.complain(read, again, "exit codes %d and %d", written.code, again.code)
		return nil
	}
	var found, given explanation
	for text, to := range map[string]*explanation{written.stdout: &found, again.stdout: &given} {
		if err := json.Unmarshal([]byte(text), to); err != nil {
			r.complain(read, again, "%v", err)
			return nil
		}
	}
	run, err := r.runOf(given.Counterexample.Steps, given.Counterexample.LoopStart)
	if err == nil {
		err = r.oracle.Check(run)
	}
	if labels := labelsOf(given.Counterexample.Steps); err == nil && !slices.Equal(labels, labelsOf(found.Counterexample.Steps)) {
		err = fmt.Errorf("the run does %v, want %v", labels,
			labelsOf(found.Counterexample.Steps))
	}
	if err != nil {
		r.complain(read, again, "%v", err)
	}
	return nil
}

func labelsOf(steps []step) []string {
	var all []string
	for _, s := range steps {
		all = append(all, s.Label)
	}
	return all
}

// checkListed compares the list of all shortest counterexamples with brute force.
func (r *round) checkListed(c *command, x *explanation) error {
	all := r.oracle.ShortestCounterexamples()
	if x.All.Count != fmt.Sprint(len(all)) {
		return fmt.Errorf("%s shortest counterexamples, want %d", x.All.Count, len(all))
	}
	most := number(c.flagValue("--limit"))
	if len(x.All.Listed) != min(len(all), most) {
		return fmt.Errorf("%d of %d are listed, want up to %d", len(x.All.Listed), len(all),
			most)
	}
	want, got := map[string]bool{}, map[string]bool{}
	for _, run := range all {
		want[fmt.Sprint(run)] = true
	}
	for _, listed := range x.All.Listed {
		run, err := r.runOf(listed.Steps, listed.LoopStart)
		if err != nil {
			return err
		}
		if text := fmt.Sprint(run); !want[text] || got[text] {
			return fmt.Errorf("%v is no shortest counterexample, or is listed twice", run)
		}
		got[fmt.Sprint(run)] = true
	}
	return nil
}

// checkPathToLoss follows the path after which the property is lost, and looks for a shorter one.
func (r *round) checkPathToLoss(c *command, text string) error {
	cells, column := readTable(text)
	at, progress := r.small.Model.Initial(), 0
	for _, row := range cells {
		from, to := lts.State(number(row[column["from"]])), lts.State(number(row[column["to"]]))
		l, _ := r.small.Model.Alphabet().Lookup(row[column["label"]])
		taken := lts.Transition{From: from, Label: l, To: to}
		isInModel := slices.Contains(r.oracle.Out(from), taken)
		if from != at || row[column["kind"]] != "lost" || !isInModel {
			return fmt.Errorf("no transition leads from %d on: %s", at, strings.Join(row, " "))
		}
		at = to
		progress = r.oracle.Advance(progress, l)
	}
	shortest, canBeLost := r.oracle.ShortestLoss()
	mustHavePath := canBeLost && shortest > 0
	mayBeOther := c.hasFlag("--pattern") // then a path must match the pattern, too
	switch {
	case mayBeOther && len(cells) == 0:
		return nil
	case !mustHavePath:
		if len(cells) != 0 && !mayBeOther {
			return fmt.Errorf("a path of %d steps, though the property is lost nowhere, or from the start", len(cells))
		}
		return nil
	case r.oracle.Free(at, progress):
		return fmt.Errorf("the path to %d does not lose the property", at)
	case !mayBeOther && len(cells) != shortest:
		return fmt.Errorf("a path of %d steps, want %d", len(cells), shortest)
	}
	return nil
}

// hasTransition reports whether the model has a transition.
func (r *round) hasTransition(from lts.State, label string, to lts.State) bool {
	return slices.ContainsFunc(r.oracle.Out(from), func(t lts.Transition) bool {
		return t.To == to && r.small.Model.Alphabet().Text(t.Label) == label
	})
}

// checkPaths follows each path, and compares lengths with distances.
func (r *round) checkPaths(c *command, text string) error {
	if c.flagValue("--to") == "lost" {
		return r.checkPathToLoss(c, text)
	}
	cells, column := readTable(text)
	reading := oracle.All
	if c.flagValue("--neighbourhood") == "some" {
		reading = oracle.Some
	}
	kinds := r.oracle.Neighbourhoods(reading)
	// The keys are the states to which paths are to lead. reached has the state that a path has
	// reached, and length its number of steps so far.
	reached := map[lts.State]lts.State{}
	length := map[lts.State]int{}
	for _, row := range cells {
		end := lts.State(number(row[column["state"]]))
		from := lts.State(number(row[column["from"]]))
		to := lts.State(number(row[column["to"]]))
		if kinds[end] != oracle.Kind(row[column["kind"]]) {
			return fmt.Errorf("state %d is %q, want %q", end, row[column["kind"]], kinds[end])
		}
		before, hasBegun := reached[end]
		if !hasBegun {
			before = r.small.Model.Initial()
		}
		if from != before || !r.hasTransition(from, row[column["label"]], to) {
			return fmt.Errorf("no transition leads from %d on: %s", before,
				strings.Join(row, " "))
		}
		reached[end] = to
		length[end]++
	}
	return r.checkPathEnds(c, kinds, reached, length)
}

// checkPathEnds checks that each path has reached its state, by a shortest way unless a pattern is
// given, and that there is one to each neighbourhood if all are asked for.
func (r *round) checkPathEnds(
	c *command,
	kinds map[lts.State]oracle.Kind,
	reached map[lts.State]lts.State,
	length map[lts.State]int,
) error {
	distance := r.distances()
	hasPattern := c.hasFlag("--pattern")
	for end, state := range reached {
		hasLength := hasPattern || length[end] == distance[end]
		if state != end || !hasLength {
			return fmt.Errorf("the path to %d ends in %d after %d steps, want %d", end, state,
				length[end], distance[end])
		}
	}
	if c.flagValue("--to") != "each" || hasPattern {
		return nil
	}
	for state := range kinds {
		_, hasPath := reached[state]
		if !hasPath && distance[state] > 0 {
			return fmt.Errorf("there is no path to %d", state)
		}
	}
	return nil
}

// distances returns the distances of states from the initial one.
func (r *round) distances() map[lts.State]int {
	initial := r.small.Model.Initial()
	distance := map[lts.State]int{initial: 0}
	for queue := []lts.State{initial}; len(queue) > 0; queue = queue[1:] {
		for _, t := range r.oracle.Out(queue[0]) {
			if _, is := distance[t.To]; !is {
				distance[t.To] = distance[queue[0]] + 1
				queue = append(queue, t.To)
			}
		}
	}
	return distance
}

// filesInFolder returns the names of the files in the folder, and the content of those of moderate
// size.
func (r *round) filesInFolder() (map[string][]byte, error) {
	all := map[string][]byte{}
	err := filepath.WalkDir(r.folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == r.folder {
			return err
		}
		name, _ := filepath.Rel(r.folder, path)
		all[name] = nil
		if d.Type().IsRegular() && !strings.HasPrefix(name, "large") {
			all[name], err = os.ReadFile(path)
		}
		return err
	})
	return all, err
}

// checkComplete reports an error if a written file is not complete, as far as its format shows that.
func checkComplete(path string, text []byte) error {
	switch filepath.Ext(path) {
	case ".json", ".sarif":
		var any any
		return json.Unmarshal(text, &any)
	case ".jsonl":
		return checkJSONLines(text)
	case ".png":
		_, err := png.Decode(bytes.NewReader(text))
		return err
	case ".gz":
		z, err := gzip.NewReader(bytes.NewReader(text))
		if err != nil {
			return err
		}
		return checkCompleteModel(z)
	case ".zst":
		z, err := zstd.NewReader(bytes.NewReader(text))
		if err != nil {
			return err
		}
		defer z.Close()
		return checkCompleteModel(z)
	case ".aut":
		return checkCompleteModel(bytes.NewReader(text))
	case ".html":
		return checkEndsWith(text, "</html>")
	case ".dot":
		return checkEndsWith(text, "}")
	case ".svg":
		return errors.Join(checkEndsWith(text, "</svg>"), checkXML(text))
	case ".xml":
		return checkXML(text)
	}
	return nil
}

// checkEndsWith returns an error unless a text ends with the given end, apart from blanks.
func checkEndsWith(text []byte, end string) error {
	if !strings.HasSuffix(strings.TrimSpace(string(text)), end) {
		return fmt.Errorf("does not end with %s", end)
	}
	return nil
}

// checkJSONLines returns an error unless each line that is not empty is JSON.
func checkJSONLines(text []byte) error {
	for _, line := range bytes.Split(text, []byte("\n")) {
		var any any
		if err := json.Unmarshal(line, &any); err != nil && len(line) > 0 {
			return err
		}
	}
	return nil
}

// checkXML returns an error unless a text is well-formed XML.
func checkXML(text []byte) error {
	d := xml.NewDecoder(bytes.NewReader(text))
	for {
		_, err := d.Token()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// checkCompleteModel compares the header with the number of lines.
func checkCompleteModel(r io.Reader) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	var initial, transitions, states int
	if _, err := fmt.Sscanf(string(text[:min(len(text), 80)]), "des (%d,%d,%d)", &initial, &transitions, &states); err != nil {
		return fmt.Errorf("no header: %w", err)
	}
	if lines := bytes.Count(text, []byte("\n")) - 1; lines != transitions {
		return fmt.Errorf("%d lines for %d transitions", lines, transitions)
	}
	return nil
}

var times = regexp.MustCompile(`(?s)"timings_ms":\s*\{[^}]*\}|"started":"[^"]*"|"ms":[0-9.]+|"timings": \{.*|"stats":\s*\{.*|<code id="command">.*?</code>`)

// untimed returns a text without the parts that differ from run to run, and without the command
// that a page shows.
func untimed(text []byte) string { return string(times.ReplaceAll(text, nil)) }

// compileSchemas returns the JSON Schemas of inev, by the name in a document.
func compileSchemas() (map[string]*jsonschema.Schema, error) {
	all := map[string]*jsonschema.Schema{}
	texts := report.Schemas()
	texts["inev.summary/1"] = summary.JSONSchema()
	for name, text := range texts {
		document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			return nil, err
		}
		c := jsonschema.NewCompiler()
		if err := c.AddResource("schema.json", document); err != nil {
			return nil, err
		}
		if all[name], err = c.Compile("schema.json"); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// validJSON validates a document by the schema that it names.
func (r *round) validJSON(text string) error {
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return err
	}
	fields, is := document.(map[string]any)
	if !is {
		return errors.New("the document is no object")
	}
	name, _ := fields["schema"].(string)
	if !strings.HasPrefix(name, "inev.") {
		return fmt.Errorf("the document names the schema %q", name)
	}
	if schema := r.schemas[name]; schema != nil {
		return schema.Validate(document)
	}
	return nil
}
