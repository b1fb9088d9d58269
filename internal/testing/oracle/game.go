package oracle

import (
	"maps"

	"github.com/inev-lts/inev/lts"
)

// mostStrategies is the largest number of strategies of the opponent for which a game
// is played.
const mostStrategies = 500

// Wins decides a game: a supervisor forbids transitions, except those whose
// labels belong to others, and leaves at least one in each state; it wins from a
// pair if all remaining runs are accepted. wins is for pairs that are reached. A
// supervisor with unlimited memory wins if and only if, for every positional strategy of the
// others, one choice for each pair, some run is accepted. That is true if
// rejection is a Rabin condition, such as that one of several colours occurs
// finitely often (Klarlund: Progress measures, immediate determinacy, and a
// subset construction for tree automata, 1994). few is false if there are too
// many strategies.
func (g *General) Wins(others func(lts.Label) bool) (wins func(s lts.State, q int) bool, few bool) {
	choices := map[pair][]pairEdge{} // of the others
	for p, out := range g.out {
		for _, e := range out {
			if others(e.t.Label) {
				choices[p] = append(choices[p], e)
			}
		}
	}
	strategies := 1
	var choosing []pair
	for p, edges := range choices {
		choosing = append(choosing, p)
		strategies *= len(edges)
		if strategies > mostStrategies {
			return nil, false
		}
	}
	isLost := map[pair]bool{}
	for strategy := range strategies {
		played := g.undecided()
		digits := strategy // a digit for each choice, whose base is the number of edges to choose from
		for _, p := range choosing {
			n := len(choices[p])
			chosen := digits % n
			digits /= n
			played.out[p] = choices[p][chosen : chosen+1]
		}
		played.decide()
		for p := range g.out {
			isLost[p] = isLost[p] || !played.accepts[p]
		}
	}
	return func(s lts.State, q int) bool { return !isLost[pair{s, q}] }, true
}

// undecided returns the oracle of the same pairs and edges, before anything is decided.
func (g *General) undecided() *General {
	return &General{
		model:     g.model,
		automaton: g.automaton,
		out:       maps.Clone(g.out),
		accepts:   map[pair]bool{},
		rejects:   map[pair]bool{},
	}
}
