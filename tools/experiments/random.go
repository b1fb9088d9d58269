package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/inev-lts/inev/buchi"
)

// The parameters of the random graphs, which the paper does not give.
const (
	graphs         = 100
	edgesPerState  = 2
	statesPerFinal = 20 // one state in so many is accepting
)

// randomRow is a row of the table about random graphs of one size: averages.
type randomRow struct {
	search                 string
	length, matched, found string
}

func (r randomRow) String() string {
	return fmt.Sprintf("| %s | %s | %s | %s |\n", r.search, r.length, r.matched, r.found)
}

// randomGraphs returns the first so many random automata of this size that have a
// counterexample, in the order of their seeds, and the number of seeds that took.
func randomGraphs(ctx context.Context, states int) ([]*buchi.Automaton, uint64, error) {
	var found []*buchi.Automaton
	seed := uint64(0)
	for len(found) < graphs {
		seed++
		g, err := buchi.Random(states, states*edgesPerState, states/statesPerFinal, seed)
		if err != nil {
			return nil, 0, err
		}
		lasso, _, err := buchi.Find(ctx, g, buchi.FindOptions{Algorithm: buchi.ByColour}, nil)
		if err != nil {
			return nil, 0, err
		}
		if lasso != nil {
			found = append(found, g)
		}
	}
	return found, seed, nil
}

// compareRandom returns the averages of all searches over random graphs of this
// size, and the number of seeds tried.
func compareRandom(ctx context.Context, states int) ([]randomRow, uint64, error) {
	automata, seeds, err := randomGraphs(ctx, states)
	if err != nil {
		return nil, 0, err
	}
	var rows []randomRow
	for _, search := range searches() {
		var length, matched, found int
		for _, g := range automata {
			_, stats, err := search.run(ctx, g)
			if err != nil {
				return nil, 0, err
			}
			length += stats.Length
			matched += int(stats.Matched)
			found += stats.Found
		}
		rows = append(rows, randomRow{search.name, average(length), average(matched), average(found)})
	}
	return rows, seeds, nil
}

func average(sum int) string { return strconv.FormatFloat(float64(sum)/graphs, 'f', 1, 64) }
