// Command philosophers prints the LTS of n dining philosophers.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/lts"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("philosophers: ")
	var t table
	flag.IntVar(&t.philosophers, "n", 4, "number of philosophers")
	flag.BoolVar(&t.asymmetric, "asymmetric", false,
		"the last philosopher takes the right fork first")
	flag.Parse()
	m, err := generate(t)
	if err == nil {
		_, err = aut.Write(os.Stdout, m)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// maxPhilosophers makes the size of a state constant, so that states can be
// compared; ten philosophers already have close to a million states.
const maxPhilosophers = 10

// phase is the progress of a philosopher's meal.
type phase uint8

const (
	thinking phase = iota
	holdingOne
	holdingBoth
	fed
	droppedOne
)

type state struct {
	phase [maxPhilosophers]phase
	taken [maxPhilosophers]bool
}

// table is the table of the model.
type table struct {
	philosophers int
	asymmetric   bool // whether the last philosopher takes the right fork first
}

func generate(t table) (*lts.LTS, error) {
	n := t.philosophers
	if n < 2 || n > maxPhilosophers {
		return nil, fmt.Errorf("%d philosophers: the table seats 2 to %d", n, maxPhilosophers)
	}
	successors := func(s state, do func(string, state)) {
		for p := range n {
			// Fork p lies to the left of philosopher p.
			first := p
			second := (p + 1) % n
			if t.asymmetric && p == n-1 {
				first, second = second, first
			}
			step(s, p, first, second, do)
		}
	}
	m, _, err := lts.Explore(context.Background(), state{}, successors, 0)
	return m, err
}

// step calls do for the steps that philosopher p can take next, who takes the
// forks in the order of the parameters.
func step(s state, p, first, second int, do func(string, state)) {
	next := s
	next.phase[p]++
	switch s.phase[p] {
	case thinking:
		take(next, p, first, do)
	case holdingOne:
		take(next, p, second, do)
	case holdingBoth:
		do(fmt.Sprintf("EAT !%d", p), next)
	case fed:
		drop(next, p, first, do)
	case droppedOne:
		next.phase[p] = thinking
		drop(next, p, second, do)
	}
}

func take(next state, p, fork int, do func(string, state)) {
	if !next.taken[fork] {
		next.taken[fork] = true
		do(fmt.Sprintf("TAKE !%d !%d", p, fork), next)
	}
}

func drop(next state, p, fork int, do func(string, state)) {
	next.taken[fork] = false
	do(fmt.Sprintf("DROP !%d !%d", p, fork), next)
}
