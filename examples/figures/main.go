// Command figures prints LTSs for the figures of Barbon, Leroy and Salaün, "Counterexample
// Simplification for Liveness Property Violation" (SEFM 2018), as far as their text describes
// them: -figure 1 (which is Figure 4, too), 3 or 5. Figure 2 is an example of its own, and Figure
// 8 the alternating bit protocol.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/lts"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("figures: ")
	figure := flag.Int("figure", 1, "the `NUMBER` of the figure: 1, 3 or 5")
	flag.Parse()
	m, err := generate(*figure)
	if err == nil {
		_, err = aut.Write(os.Stdout, m)
	}
	if err != nil {
		log.Fatal(err)
	}
}

type transition struct {
	from  lts.State
	label string
	to    lts.State
}

// figure1 satisfies what the text says about Figure 1: k = A·Y, the states 4, 5,
// 6, 8, 9, 12 are a loop, the common prefix of state 8 is A, its common suffix
// empty and its max suffix A·Y, which is only reached from 9 by C to 10. By the
// text about Figure 4, state 9 can be left for a good outcome, and 1, 6 and 8 for
// a bad one. The other labels and numbers are ours.
var figure1 = []transition{
	{0, "A", 1},
	{1, "B", 2}, {2, "D", 3},
	{1, "C", 4}, {4, "B", 5}, {5, "C", 6}, {6, "D", 7}, {6, "B", 8},
	{8, "B", 9}, {9, "C", 10}, {10, "A", 11}, {9, "D", 12}, {12, "B", 4},
	{8, "D", 13}, {11, "Y", 14},
}

// Figure 3 has the four types of neighbourhoods: states 1 to 4.
var figure3 = []transition{
	{0, "W", 1}, {0, "X", 2}, {0, "Y", 3}, {0, "Z", 4},
	{1, "A", 5}, {1, "AGAIN", 0},
	{2, "STOP", 6}, {2, "AGAIN", 0},
	{3, "A", 5}, {3, "STOP", 6},
	{4, "A", 5}, {4, "STOP", 6}, {4, "AGAIN", 0},
}

// figure5 shows a counterexample of six transitions with two neighbourhoods,
// here 2 and 5; the simplification keeps four of the transitions.
var figure5 = []transition{
	{0, "A", 1}, {1, "B", 2}, {2, "C", 3}, {2, "GOAL", 7},
	{3, "D", 4}, {4, "E", 5}, {5, "F", 6}, {5, "GOAL", 7},
}

// generate returns the model of a figure, by its number.
func generate(figure int) (*lts.LTS, error) {
	all := map[int][]transition{1: figure1, 3: figure3, 5: figure5}[figure]
	if all == nil {
		return nil, fmt.Errorf("there is no figure %d here; choose 1, 3 or 5", figure)
	}
	var b lts.Builder
	states := 0
	for _, t := range all {
		b.Add(t.from, b.Label(t.label), t.to)
		states = max(states, int(t.from)+1, int(t.to)+1)
	}
	return b.Build(0, states)
}
