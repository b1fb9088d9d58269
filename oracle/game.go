package oracle

import "github.com/inev-lts/inev/lts"

// mostWays is the number of ways for others to choose above which a game is not played.
const mostWays = 500

// Wins reports whether somebody who can forbid transitions but those with some labels, and
// leaves a way on, can make runs from a state with a state of the automaton be accepted; it
// is about pairs that are reached. Who may remember everything wins iff for every way of the
// others to choose, once for each pair, some run is accepted: that holds where what is not
// accepted is a condition of Rabin's, such as that one of several colours occurs finitely
// often (Klarlund: Progress measures, immediate determinacy, and a subset construction for
// tree automata, 1994). It returns false if there are too many ways.
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
		played := &General{m: g.m, a: g.a, out: map[pair][]pairEdge{}, accepts: map[pair]bool{}, rejects: map[pair]bool{}}
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
