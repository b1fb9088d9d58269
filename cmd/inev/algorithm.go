//go:build !js

package main

import (
	"fmt"
	"strconv"

	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/buchi"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain"
)

// automatonFlags are the flags of commands that search an automaton; algorithm is
// the one that says how.
func automatonFlags(algorithm cli.Flag) []cli.Flag {
	return []cli.Flag{
		algorithm,
		value(methodFlags, "bound", "find only counterexamples of fewer than `B` states (contrex, priority)"),
		toggle(methodFlags, "colour-first", "search by colours first, and skip what it has proved (contrex)"),
		toggle(methodFlags, "anytime", "report each shorter length at once and, if stopped, show the best (contrex)"),
	}
}

// readAlgorithm reads the flags of [automatonFlags]. onModel is no algorithm on
// automata: for it the options are nil.
func (j *job) readAlgorithm() (*explain.AutomatonSearch, error) {
	name, bound := j.flag("algorithm"), j.flag("bound")
	o := &explain.AutomatonSearch{Anytime: j.c.Bool("anytime")}
	if name != onModel {
		var err error
		if err = o.Algorithm.Set(name); err != nil {
			return nil, j.refuse("--algorithm: %v", err)
		}
	}
	if o.ColourFirst = j.c.Bool("colour-first"); o.ColourFirst && (name == onModel || o.Algorithm != buchi.ByContrex) {
		return nil, j.refuse("--colour-first goes with --algorithm contrex")
	}
	if o.Anytime && (name == onModel || o.Algorithm != buchi.ByContrex) {
		return nil, j.refuse("--anytime goes with --algorithm contrex")
	}
	if bound != "" {
		var err error
		if o.Bound, err = strconv.Atoi(bound); err != nil || o.Bound <= 0 {
			return nil, j.refuse("--bound %s is not a number above zero", bound)
		}
		if name == onModel || o.Algorithm == buchi.ByColour {
			return nil, j.refuse("--bound goes with --algorithm contrex or priority")
		}
	}
	if name == onModel {
		return nil, nil
	}
	if o.Anytime {
		o.Improved = j.tellImproved
	}
	return o, nil
}

// tellImproved tells of a counterexample that is shorter than those before it.
func (j *job) tellImproved(s buchi.Stats) {
	fmt.Fprintf(j.stderr, "inev: found length %d after %d states stored, %d matched\n", s.Length, s.Stored, s.Matched)
}

// tellStats tells what a search cost, where --stats asks for it.
func (j *job) tellStats(s *counterexample.Stats, transitions int) {
	if !j.c.Bool("stats") {
		return
	}
	for _, line := range []struct {
		name  string
		value any
	}{
		{"algorithm", j.flag("algorithm")},
		{"states stored", s.Stored},
		{"states matched", s.Matched},
		{"counterexamples found", s.Found},
		{"length in states", s.Length},
		{"length in transitions", transitions},
	} {
		fmt.Fprintf(j.stderr, "%s: %v\n", line.name, line.value)
	}
}
