package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/inev-lts/inev/internal/counterexample/buchi"
)

// graphs is the number of random graphs over which the averages are taken.
const graphs = 100

// randomRow has the averages over random graphs of one size.
type randomRow struct {
	search                 string
	length, matched, found string
}

func (r randomRow) String() string {
	return fmt.Sprintf("| %s | %s | %s | %s |\n", r.search, r.length, r.matched, r.found)
}

// randomGraphs returns the wanted number of random automata with these parameters that have a
// counterexample, in the order of their seeds, and the number of seeds tried. It fails after a
// hundred times as many seeds as wanted automata.
func randomGraphs(
	ctx context.Context,
	p parameters,
	count int,
) ([]*buchi.Automaton, uint64, error) {
	var found []*buchi.Automaton
	seed := uint64(0)
	for len(found) < count {
		seed++
		if seed > uint64(100*count) {
			return nil, 0, fmt.Errorf("hardly any graph of %s has a counterexample", p)
		}
		g, err := buchi.Random(p.states, p.edges, p.accepting, seed)
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

// tableSearches are the searches of Table 2, in its order; the searches of this project alone come
// before them.
func tableSearches() (others, ofTable []search) {
	for _, s := range searches() {
		switch s.name {
		case spinLeastName, contrexAfterColours:
		default:
			others = append(others, s)
		}
	}
	return others, []search{
		{spinLeastName, spinLeast}, {"Contrex after nested DFS", contrexAfterNested}, searchNamed(contrexAfterColours),
	}
}

// searchNamed returns the search with a name; the zero search if there is none.
func searchNamed(name string) search {
	for _, s := range searches() {
		if s.name == name {
			return s
		}
	}
	return search{}
}

// searchVisits is the number of visits, in thousands, of a search on a graph of a candidate.
const searchVisits = 200

// compareRandom returns the averages of each search over random graphs, and the number of seeds
// tried. The searches of Table 2 come last; if alone is set, there are no other searches.
func compareRandom(
	ctx context.Context,
	p parameters,
	count int,
	alone bool,
) ([]randomRow, uint64, error) {
	automata, seeds, err := randomGraphs(ctx, p, count)
	if err != nil {
		return nil, 0, err
	}
	others, all := tableSearches()
	if !alone {
		all = append(others, all...)
	}
	var rows []randomRow
	for _, search := range all {
		var length, matched, found int
		for _, g := range automata {
			watched := ctx
			if alone {
				watched = &limited{ctx, searchVisits * 1000 / 4096}
			}
			_, stats, err := search.run(watched, g)
			if err != nil {
				return nil, 0, err
			}
			length += stats.Length
			matched += int(stats.Matched)
			found += stats.Found
		}
		rows = append(rows, randomRow{
			search:  search.name,
			length:  average(length, count),
			matched: average(matched, count),
			found:   average(found, count),
		})
	}
	return rows, seeds, nil
}

func average(sum, count int) string {
	return strconv.FormatFloat(float64(sum)/float64(count), 'f', 1, 64)
}
