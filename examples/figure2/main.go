// Command figure2 prints the LTS of Figure 2 of Barbon, Leroy and Salaün,
// "Counterexample Simplification for Liveness Property Violation" (SEFM 2018).
package main

import (
	"context"
	"log"
	"os"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/lts"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("figure2: ")
	m, err := generate()
	if err == nil {
		_, err = aut.Write(os.Stdout, m)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// transitions are those of the figure. Explore finds the states in the order of
// their numbers, so that it keeps the numbers.
var transitions = []struct {
	from  int
	label string
	to    int
}{
	{0, "A", 1},
	{1, "X", 2},
	{2, "B", 3},
	{2, "Y", 4},
	{3, "C", 1},
	{3, "C", 5},
}

func generate() (*lts.LTS, error) {
	successors := func(s int, do func(string, int)) {
		for _, t := range transitions {
			if t.from == s {
				do(t.label, t.to)
			}
		}
	}
	m, _, err := lts.Explore(context.Background(), 0, successors, 0)
	return m, err
}
