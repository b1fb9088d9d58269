//go:build !js

package main

import (
	"context"
	"fmt"
	"math"

	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/buchi"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// automatonFlags are the flags of commands that search an automaton; the flag
// algorithm chooses the algorithm.
func automatonFlags(algorithm cli.Flag) []cli.Flag {
	return []cli.Flag{
		algorithm,
		value(methodFlags, "bound", "find only counterexamples of fewer than `B` states (contrex, priority)"),
		toggle(methodFlags, "colour-first", "search by colours first, and skip what it has proved (contrex)"),
		toggle(methodFlags, "anytime", "report each shorter length at once and, if stopped, show the best (contrex)"),
	}
}

// automatonSearch is how to search an automaton.
type automatonSearch struct {
	buchi.FindOptions
	anytime bool
	// improved, if it is not nil, is called with the statistics of each lasso that is found.
	improved func(buchi.Stats)
}

// inModel returns the search in the product of a model and a property.
func (o *automatonSearch) inModel() *explain.AutomatonSearch {
	by := func(o buchi.FindOptions, improved func(buchi.Stats)) func(context.Context, *lts.LTS, *property.Property) (*counterexample.Trace, counterexample.Stats, error) {
		return func(ctx context.Context, m *lts.LTS, p *property.Property) (*counterexample.Trace, counterexample.Stats, error) {
			trace, stats, err := buchi.FindInModel(ctx, m, p, o, func(_ *counterexample.Trace, s buchi.Stats) bool {
				if improved != nil {
					improved(s)
				}
				return true
			})
			return trace, stats.Stats, err
		}
	}
	return &explain.AutomatonSearch{
		Find: by(o.FindOptions, o.improved), Bound: o.Bound, Unbounded: by(buchi.FindOptions{}, o.improved),
		Shortest: o.Algorithm != buchi.ByColour, Anytime: o.anytime,
	}
}

// readAlgorithm reads the flags of [automatonFlags]. onModel is no algorithm on
// automata: for it the search is nil.
func readAlgorithm(j *job) *automatonSearch {
	name := j.flag("algorithm")
	o := &automatonSearch{anytime: j.c.Bool("anytime")}
	if name != onModel {
		if err := o.Algorithm.Set(name); err != nil {
			j.refuse("--algorithm: %v", err)
		}
	}
	o.ColourFirst = j.c.Bool("colour-first")
	if o.Bound = j.whole("bound", 1, math.MaxInt, "is not a number above zero"); name == onModel {
		return nil
	}
	if o.anytime {
		o.improved = func(s buchi.Stats) {
			fmt.Fprintf(j.stderr, "inev: found length %d after %d states stored, %d matched\n", s.Length, s.Stored, s.Matched)
		}
	}
	return o
}

// tellStats reports what a search cost, if --stats is given.
func tellStats(j *job, s *counterexample.Stats, transitions int) {
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
