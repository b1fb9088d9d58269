// Command pipeline prints the LTS of a production line with any number of stages,
// so that the model can be made as large as needed.
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
	log.SetPrefix("pipeline: ")
	var l line
	flag.IntVar(&l.stages, "stages", 4, "number of stages, the inspection included")
	flag.IntVar(&l.order, "order", 2, "the line is done after so many good parts")
	flag.IntVar(&l.rejects, "rejects", 2, "the line halts after so many rejected parts")
	flag.Parse()
	m, err := generate(l)
	if err == nil {
		_, err = aut.Write(os.Stdout, m)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// A line is the size of the model.
type line struct{ stages, order, rejects int }

const (
	// maxStages makes the size of a state constant, so that states can be
	// compared.
	maxStages = 16
	maxParts  = 100
)

// A part is the content of one stage of the line.
type part uint8

const (
	none part = iota
	good
	damaged
)

type state struct {
	stages              [maxStages]part
	delivered, rejected uint8
	over                bool
}

func generate(l line) (*lts.LTS, error) {
	if l.stages < 2 || l.stages > maxStages {
		return nil, fmt.Errorf("%d stages: the line has 2 to %d", l.stages, maxStages)
	}
	if l.order < 1 || l.order > maxParts || l.rejects < 1 || l.rejects > maxParts {
		return nil, fmt.Errorf("%d good and %d rejected parts: both are 1 to %d", l.order,
			l.rejects, maxParts)
	}
	m, _, err := lts.Explore(context.Background(), state{}, l.successors, 0)
	return m, err
}

// successors calls do for each action that is possible in a state.
func (l line) successors(s state, do func(label string, next state)) {
	// The content of the line after it has stopped does not matter.
	stopped := state{over: true}
	switch {
	case s.over:
	case int(s.delivered) == l.order:
		do("DONE", stopped)
	case int(s.rejected) == l.rejects:
		do("HALT", stopped)
	default:
		enter(s, do)
		work(s, l.stages-1, do)
		inspect(s, l.stages-1, do)
	}
}

// enter calls do if a new part can enter the first stage.
func enter(s state, do func(string, state)) {
	if s.stages[0] == none {
		s.stages[0] = good
		do("IN", s)
	}
}

// work calls do for the actions of the stages before the inspection: each passes
// its part to the next stage, unchanged or damaged.
func work(s state, inspection int, do func(string, state)) {
	for i := range inspection {
		if s.stages[i] == none || s.stages[i+1] != none {
			continue
		}
		next := s
		next.stages[i], next.stages[i+1] = none, s.stages[i]
		do(fmt.Sprintf("MOVE !%d", i+1), next)
		if s.stages[i] == good {
			next.stages[i+1] = damaged
			do(fmt.Sprintf("DAMAGE !%d", i+1), next)
		}
	}
}

// inspect calls do for the actions of the last stage, which removes a part. A
// damaged part may return to the first stage whenever that is free, any number of
// times.
func inspect(s state, inspection int, do func(string, state)) {
	found := s.stages[inspection]
	s.stages[inspection] = none
	switch found {
	case good:
		s.delivered++
		do("OUT", s)
	case damaged:
		if s.stages[0] == none {
			again := s
			again.stages[0] = good
			do("REWORK", again)
		}
		s.rejected++
		do("REJECT", s)
	}
}
