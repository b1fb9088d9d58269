//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/oracle"
)

// given has a counterexample written for other tools, and the file explained.
func (r *round) given() error {
	if r.oracle.Satisfied() {
		return nil
	}
	write := &command{args: []string{"explain", r.model, r.formula, "--allow-unmatched", "--quiet", "--format", "json", "--trace", "t.seq"}, files: []string{"t.seq"}}
	e, err := r.execute(write)
	if err != nil {
		return err
	}
	read := &command{args: []string{"explain", r.model, r.formula, "--allow-unmatched", "--quiet", "--format", "json", "--counterexample", "t.seq"}}
	again, err := r.execute(read)
	if err != nil {
		return err
	}
	if e.code != 1 || again.code != 1 {
		r.complain(read, again, "exit codes %d and %d", e.code, again.code)
		return nil
	}
	var found, given explanation
	for text, to := range map[string]*explanation{e.stdout: &found, again.stdout: &given} {
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
		err = fmt.Errorf("the run does %v, want %v", labels, labelsOf(found.Counterexample.Steps))
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

// checkListed holds the list of all shortest counterexamples against the enumeration.
func (r *round) checkListed(c *command, x *explanation) error {
	all := r.oracle.ShortestCounterexamples()
	if x.All.Count != fmt.Sprint(len(all)) {
		return fmt.Errorf("%s shortest counterexamples, want %d", x.All.Count, len(all))
	}
	most := number(c.value("--limit"))
	if len(x.All.Listed) != min(len(all), most) {
		return fmt.Errorf("%d of %d are listed, want up to %d", len(x.All.Listed), len(all), most)
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

// checkPathToLoss follows the path after which the property is lost, and looks for a
// shorter one.
func (r *round) checkPathToLoss(c *command, text string) error {
	cells, column := rows(text)
	at, done := r.small.Model.Initial(), 0
	for _, row := range cells {
		from, to := lts.State(number(row[column["from"]])), lts.State(number(row[column["to"]]))
		l, _ := r.small.Model.Alphabet().Lookup(row[column["label"]])
		if from != at || row[column["kind"]] != "lost" || !slices.Contains(r.oracle.Out(from), lts.Transition{From: from, Label: l, To: to}) {
			return fmt.Errorf("no transition leads from %d on: %s", at, strings.Join(row, " "))
		}
		at, done = to, r.oracle.Advance(done, l)
	}
	length, some := r.oracle.ShortestLoss()
	switch {
	case c.has("--pattern") && len(cells) == 0:
		return nil
	case !some || length == 0:
		if len(cells) != 0 && !c.has("--pattern") {
			return fmt.Errorf("a path of %d steps, though the property is lost nowhere, or from the start", len(cells))
		}
		return nil
	case r.oracle.Free(at, done):
		return fmt.Errorf("the path to %d does not lose the property", at)
	case !c.has("--pattern") && len(cells) != length:
		return fmt.Errorf("a path of %d steps, want %d", len(cells), length)
	}
	return nil
}

// checkPaths follows each path, and compares lengths with distances.
func (r *round) checkPaths(c *command, text string) error {
	if c.value("--to") == "lost" {
		return r.checkPathToLoss(c, text)
	}
	cells, column := rows(text)
	reading := oracle.All
	if c.value("--neighbourhood") == "some" {
		reading = oracle.Some
	}
	kinds := r.oracle.Neighbourhoods(reading)
	at, length := map[lts.State]lts.State{}, map[lts.State]int{}
	for _, row := range cells {
		end, from, to := lts.State(number(row[column["state"]])), lts.State(number(row[column["from"]])), lts.State(number(row[column["to"]]))
		if kinds[end] != oracle.Kind(row[column["kind"]]) {
			return fmt.Errorf("state %d is %q, want %q", end, row[column["kind"]], kinds[end])
		}
		before, begun := at[end]
		if !begun {
			before = r.small.Model.Initial()
		}
		if from != before || !slices.ContainsFunc(r.oracle.Out(from), func(t lts.Transition) bool {
			return t.To == to && r.small.Model.Alphabet().Text(t.Label) == row[column["label"]]
		}) {
			return fmt.Errorf("no transition leads from %d on: %s", before, strings.Join(row, " "))
		}
		at[end] = to
		length[end]++
	}
	distance := r.distances()
	for end, state := range at {
		if state != end || !c.has("--pattern") && length[end] != distance[end] {
			return fmt.Errorf("the path to %d ends in %d after %d steps, want %d", end, state, length[end], distance[end])
		}
	}
	if c.value("--to") == "each" && !c.has("--pattern") {
		for state := range kinds {
			if _, is := at[state]; !is && distance[state] > 0 {
				return fmt.Errorf("there is no path to %d", state)
			}
		}
	}
	return nil
}

// distances returns how far states are from the initial one.
func (r *round) distances() map[lts.State]int {
	initial := r.small.Model.Initial()
	far := map[lts.State]int{initial: 0}
	for queue := []lts.State{initial}; len(queue) > 0; queue = queue[1:] {
		for _, t := range r.oracle.Out(queue[0]) {
			if _, is := far[t.To]; !is {
				far[t.To] = far[queue[0]] + 1
				queue = append(queue, t.To)
			}
		}
	}
	return far
}
