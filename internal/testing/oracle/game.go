package oracle

import "github.com/inev-lts/inev/lts"

// mostWays is the largest number of strategies of the opponent for which a game
// is played.
const mostWays = 500

// Wins decides a game: a supervisor forbids transitions, except those whose
// labels belong to others, and leaves at least one in each state; it wins from a
// pair if all remaining runs are accepted. wins is for pairs that are reached. A
// supervisor with unlimited memory wins iff for every positional strategy of the
// others, one choice for each pair, some run is accepted. That is true if
// rejection is a Rabin condition, such as that one of several colours occurs
// finitely often (Klarlund: Progress measures, immediate determinacy, and a
// subset construction for tree automata, 1994). few is false if there are too
// many strategies.
func (g *General) Wins(others func(lts.Label) bool) (wins func(s lts.State, q int) bool, few bool) {
	lost := map[pair]bool{}
	var theirs []pair
	ways := 1
	choices := map[pair][]pairEdge{}
	for p, out := range g.out {
		for _, e := range out {
			if others(e.t.Label) {
				choices[p] = append(choices[p], e)
			}
		}
		if n := len(choices[p]); n > 0 {
			theirs = append(theirs, p)
			if ways *= n; ways > mostWays {
				return nil, false
			}
		}
	}
	for way := range ways {
		played := &General{
			m:       g.m,
			a:       g.a,
			out:     map[pair][]pairEdge{},
			accepts: map[pair]bool{},
			rejects: map[pair]bool{},
		}
		for p, out := range g.out {
			played.out[p] = out
		}
		for _, p := range theirs {
			n := len(choices[p])
			played.out[p] = choices[p][way%n : way%n+1]
			way /= n
		}
		played.judge()
		for p := range g.out {
			lost[p] = lost[p] || !played.accepts[p]
		}
	}
	return func(s lts.State, q int) bool { return !lost[pair{s, q}] }, true
}
