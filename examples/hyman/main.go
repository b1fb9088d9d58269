// Command hyman prints the LTS of Hyman's mutual exclusion algorithm for two
// processes, which is wrong.
package main

import (
	"flag"
	"log"
	"os"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/examples/exclusion"
	"github.com/inev-lts/inev/lts"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("hyman: ")
	var a algorithm
	flag.BoolVar(&a.once, "once", false, "each process enters once, and waits without spinning")
	flag.Parse()
	m, err := generate(a)
	if err == nil {
		_, err = aut.Write(os.Stdout, m)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// The points of the program, in its order.
const (
	noncritical exclusion.Point = iota
	raiseFlag
	testTurn
	testFlag
	takeTurn
	enter
	critical
	lowerFlag
	halted
)

// algorithm is Hyman's algorithm. If once is set, each process enters only once, and
// waits without spinning; otherwise each process enters again and again.
type algorithm struct{ once bool }

// generate returns the model of the algorithm.
func generate(a algorithm) (*lts.LTS, error) {
	return exclusion.Explore(exclusion.Algorithm{
		Critical: critical,
		Halted:   halted,
		Step:     a.step,
	})
}

// step makes the steps that process s.P can take next. Every access to a shared
// variable is a step of its own, as it is on a machine.
func (a algorithm) step(s *exclusion.Step) {
	p := s.P
	other := s.Other
	switch s.At[p] {
	case noncritical:
		s.Move(raiseFlag, "NCS !%d", p)
	case raiseFlag:
		s.Next.Flag[p] = true
		s.Move(testTurn, "WRITE_FLAG !%d !TRUE", p)
	case testTurn:
		if s.Turn == p {
			s.Move(enter, "READ_TURN !%d !%d", p, s.Turn)
		} else {
			s.Move(testFlag, "READ_TURN !%d !%d", p, s.Turn)
		}
	case testFlag:
		if !s.Flag[other] {
			s.Move(takeTurn, "READ_FLAG !%d !FALSE", other)
		} else if !a.once {
			s.Move(testFlag, "READ_FLAG !%d !TRUE", other)
		}
	case takeTurn:
		// The bug: the flag may have been raised since it was read.
		s.Next.Turn = p
		s.Move(testTurn, "WRITE_TURN !%d", p)
	case enter:
		s.Move(critical, "ENTER !%d", p)
	case critical:
		s.Move(lowerFlag, "LEAVE !%d", p)
	case lowerFlag:
		s.Next.Flag[p] = false
		if a.once {
			s.Move(halted, "WRITE_FLAG !%d !FALSE", p)
		} else {
			s.Move(noncritical, "WRITE_FLAG !%d !FALSE", p)
		}
	}
}
