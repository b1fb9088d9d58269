//go:build linux

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/oracle"
)

// has reports whether a command has a flag.
func (c *command) has(flag string) bool { return slices.Contains(c.args, flag) }

// value returns the value of a flag, "" where it is not there.
func (c *command) value(flag string) string {
	if at := slices.Index(c.args, flag); at >= 0 && at+1 < len(c.args) {
		return c.args[at+1]
	}
	return ""
}

// refusals are the errors of commands that are right to refuse.
var refusals = regexp.MustCompile(strings.Join([]string{
	"pattern .* matches no label of the model, so it never happens", "no counterexample does these steps in this order", "--all draws all shortest counterexamples",
}, "|"))

// judged runs a command, and holds what it says against brute force.
func (r *round) judged(c *command) error {
	d := c
	if r.oneIn(4) {
		d = r.limited(c)
	}
	e, err := r.execute(d)
	if err != nil {
		return err
	}
	if e.code == 2 {
		if d == c && !refusals.MatchString(e.stderr) {
			r.complain(d, e, "refused")
		}
		return nil
	}
	if e.code < 0 {
		return nil
	}
	result, format := e.stdout, c.value("--format")
	if file := c.value("-o"); file != "" {
		if result, err = r.read(file); err != nil {
			r.complain(d, e, "%v", err)
			return nil
		}
		format = map[string]string{".txt": "text", ".json": "json", ".tsv": "tsv", ".md": "markdown"}[filepath.Ext(file)]
	} else if d.stdout != "" {
		return nil
	}
	if wrong := r.check(c, e, result, format); wrong != nil {
		r.complain(d, e, "%v\n  in\n  %s", wrong, shortened(result))
	}
	if text, err := r.read("x.json"); err == nil && c.has("x.json") {
		if wrong := r.checkExplanation(c, text); wrong != nil {
			r.complain(d, e, "x.json: %v", wrong)
		}
	}
	return nil
}

// check holds the result of a command against brute force.
func (r *round) check(c *command, e *ended, result, format string) error {
	name := c.args[0]
	if name == "check" || name == "explain" {
		if (e.code == 0) != r.oracle.Satisfied() {
			return fmt.Errorf("exit code %d, the property is satisfied: %v", e.code, r.oracle.Satisfied())
		}
	} else if e.code != 0 {
		return fmt.Errorf("exit code %d", e.code)
	}
	if format == "json" {
		if err := r.validJSON(result); err != nil {
			return err
		}
	}
	switch {
	case (name == "check" || name == "explain") && format == "json":
		return r.checkExplanation(c, result)
	case (name == "check" || name == "explain") && format == "markdown":
		return r.checkMarkdown(c, result)
	case name == "enrich" && format == "tsv" && !c.has("--unfold"):
		return r.checkStates(result)
	case name == "classify" && format == "tsv" && !c.has("--unfold"):
		if c.has("--neighbourhoods") {
			return r.checkNeighbourhoods(c, result)
		}
		return r.checkTransitions(result)
	case name == "path" && format == "tsv" && !c.has("--unfold"):
		return r.checkPaths(c, result)
	case name == "labels" && format == "tsv" && !c.has("--gates"):
		return r.checkLabels(result)
	case name == "formula" && format == "json":
		return r.checkFormula(result)
	case name == "convert" && strings.HasPrefix(filepath.Ext(strings.TrimSuffix(strings.TrimSuffix(c.value("-o"), ".gz"), ".zst")), ".aut") && !strings.HasSuffix(c.value("-o"), "x"):
		return r.checkConverted(c.value("-o"))
	case name == "info" && format == "tsv":
		return r.checkInfo(result)
	}
	return nil
}

type step struct {
	From, To json.Number
	Label    string
}

// explanation is what is looked at of a document.
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
	Claims  []struct{ Kind, Text string }
}

func (r *round) checkExplanation(c *command, text string) error {
	if err := r.validJSON(text); err != nil {
		return err
	}
	unfolded := c.has("--unfold") // which gives states names of its own
	if unfolded {
		text = named.ReplaceAllString(text, `: 0`)
	}
	var x explanation
	if err := json.Unmarshal([]byte(text), &x); err != nil {
		return err
	}
	if (x.Verdict == "satisfied") != r.oracle.Satisfied() || (x.Counterexample == nil) != r.oracle.Satisfied() {
		return fmt.Errorf("verdict %s, the property is satisfied: %v", x.Verdict, r.oracle.Satisfied())
	}
	if x.Counterexample != nil && !unfolded {
		run, err := r.runOf(x.Counterexample.Steps, x.Counterexample.LoopStart)
		if err != nil {
			return err
		}
		if err := r.oracle.Check(run); err != nil {
			return err
		}
	}
	if ce := x.Counterexample; ce != nil {
		want, _ := r.oracle.ShortestLength()
		if ce.Length != len(ce.Steps) || ce.Length < want || ce.Length > want && (ce.Shortest || !r.mayBeLonger(c)) {
			return fmt.Errorf("length %d of %d steps (shortest: %v), want %d", ce.Length, len(ce.Steps), ce.Shortest, want)
		}
	}
	if x.All != nil && c.has("--limit") {
		if err := r.checkListed(c, &x); err != nil {
			return err
		}
	}
	if x.Classes == nil || unfolded {
		return nil
	}
	of, _ := r.oracle.Count()
	for _, class := range []oracle.Class{oracle.Correct, oracle.Incorrect, oracle.Neutral} {
		if x.Classes[class] != of[class] {
			return fmt.Errorf("classes %v, want %v", x.Classes, of)
		}
	}
	got := map[lts.State]oracle.Kind{}
	for _, n := range x.Neighbourhoods {
		got[lts.State(n.State)] = n.Kind
	}
	if want := r.oracle.Neighbourhoods(x.Reading); !maps.Equal(got, want) {
		return fmt.Errorf("neighbourhoods %v, want %v", got, want)
	}
	return nil
}

// named matches the name of a state that tells its progress.
var named = regexp.MustCompile(`: "\d+·\d+"`)

// mayBeLonger reports whether a command may find a counterexample that is no shortest one.
func (r *round) mayBeLonger(c *command) bool {
	// Unfolded, a loop is one of states with their progress, which can be longer.
	return c.has("--pattern") || c.has("--search-limit") || c.has("--algorithm") || c.has("--unfold")
}

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
		run.Transitions = append(run.Transitions, lts.Transition{From: lts.State(from), Label: label, To: lts.State(to)})
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

// rows returns the cells of a table, and the columns by their names.
func rows(text string) (cells [][]string, column map[string]int) {
	column = map[string]int{}
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if row := strings.Split(line, "\t"); i > 0 {
			cells = append(cells, row)
		} else {
			for j, name := range row {
				column[name] = j
			}
		}
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

func (r *round) checkStates(text string) error {
	cells, column := rows(text)
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
		for name, want := range map[string]int{"mp": r.oracle.MP(s), "cp": r.oracle.CP(s), "ms": r.oracle.MS(s), "cs": r.oracle.CS(s)} {
			if got := number(row[column[name]]); got != want {
				return fmt.Errorf("state %d: %s is %d, want %d", s, name, got, want)
			}
		}
	}
	return nil
}

func (r *round) checkTransitions(text string) error {
	cells, column := rows(text)
	got := map[string]int{}
	for _, row := range cells {
		got[strings.Join([]string{row[column["from"]], row[column["label"]], row[column["to"]], row[column["class"]]}, " ")]++
	}
	want := map[string]int{}
	for t := range r.small.Model.Transitions() {
		if r.oracle.Reachable(t.From) {
			want[fmt.Sprintf("%d %s %d %s", t.From, r.small.Model.Alphabet().Text(t.Label), t.To, r.oracle.Class(t))]++
		}
	}
	if !maps.Equal(got, want) {
		return fmt.Errorf("transitions %v, want %v", got, want)
	}
	return nil
}

func (r *round) checkNeighbourhoods(c *command, text string) error {
	cells, column := rows(text)
	reading := oracle.All
	if c.value("--neighbourhood") == "some" {
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

func (r *round) checkLabels(text string) error {
	cells, column := rows(text)
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
		if number(row[column["transitions"]]) != all[name] || number(row[column["reachable"]]) != reachable[name] {
			return fmt.Errorf("%v, want %d and %d", row, all[name], reachable[name])
		}
	}
	return nil
}

func (r *round) checkInfo(text string) error {
	cells, _ := rows(text)
	got := map[string]int{}
	for _, row := range cells {
		got[row[0]] = number(row[1])
	}
	want := map[string]int{"states": r.small.Model.NumStates(), "transitions": r.small.Model.NumTransitions()}
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

// checkFormula reads the formula in ACTL back.
func (r *round) checkFormula(text string) error {
	var x struct{ Text, ACTL string }
	if err := json.Unmarshal([]byte(text), &x); err != nil {
		return err
	}
	texts := []string{x.Text, x.ACTL}
	if slices.ContainsFunc(r.small.Steps, func(step map[lts.Label]bool) bool { return len(step) == 0 }) || strings.Contains(x.ACTL, "{false}") {
		texts = texts[:1] // what nothing does is told to other tools as false
	}
	for _, formula := range texts {
		f, err := actl.Parse(context.Background(), formula)
		if err != nil {
			return fmt.Errorf("%s: %w", formula, err)
		}
		bound, _, _ := f.Bind(context.Background(), r.small.Model.Alphabet())
		p, _ := bound.Chain()
		for t := range r.small.Model.Transitions() { // other labels are not in its file
			for i, step := range r.small.Steps {
				if advances := p.Advance(i, t.Label) == i+1; advances != step[t.Label] {
					return fmt.Errorf("%s: %s does step %d: %v", formula, r.small.Model.Alphabet().Text(t.Label), i+1, advances)
				}
			}
		}
	}
	return nil
}

// checkConverted reads the model back.
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
