// Command dekker prints the LTS of Dekker's mutual exclusion algorithm for two
// processes.
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
	log.SetPrefix("dekker: ")
	once := flag.Bool("once", false, "each process enters once, and waits without spinning")
	flag.Parse()
	m, err := generate(*once)
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
	testFlag
	testTurn
	insist
	giveWay
	awaitTurn
	enter
	critical
	passTurn
	lowerFlag
	halted
)

// generate explores the algorithm. If the argument is true, each process enters
// only once, and waits without spinning; otherwise each process enters again
// and again.
func generate(once bool) (*lts.LTS, error) {
	return exclusion.Explore(exclusion.Algorithm{
		Critical: critical, Halted: halted, Step: func(s *exclusion.Step) {
			step(s, s.P,
				s.Other, once)
		},
	})
}

// step makes the steps that process p can take next. Every access to a shared
// variable is a step of its own, as it is on a machine.
func step(s *exclusion.Step, p, other int, once bool) {
	if s.At[p] < enter {
		compete(s, p, other, once)
	} else {
		enterAndLeave(s, p, other, once)
	}
}

// compete makes the steps by which process p gets the right to enter.
func compete(s *exclusion.Step, p, other int, once bool) {
	switch s.At[p] {
	case noncritical:
		s.Move(raiseFlag, "NCS !%d", p)
	case raiseFlag:
		s.Next.Flag[p] = true
		s.Move(testFlag, "WRITE_FLAG !%d !TRUE", p)
	case testFlag:
		if s.Flag[other] {
			s.Move(testTurn, "READ_FLAG !%d !TRUE", other)
		} else {
			s.Move(enter, "READ_FLAG !%d !FALSE", other)
		}
	case testTurn:
		switch {
		case s.Turn == other:
			s.Move(giveWay, "READ_TURN !%d !%d", p, s.Turn)
		case once:
			s.Move(insist, "READ_TURN !%d !%d", p, s.Turn)
		default:
			s.Move(testFlag, "READ_TURN !%d !%d", p, s.Turn)
		}
	case insist:
		// The turn stays with this process until the process gives it away, so
		// that the flag alone decides here.
		if !s.Flag[other] {
			s.Move(enter, "READ_FLAG !%d !FALSE", other)
		}
	case giveWay:
		s.Next.Flag[p] = false
		s.Move(awaitTurn, "WRITE_FLAG !%d !FALSE", p)
	case awaitTurn:
		if s.Turn == p {
			s.Move(raiseFlag, "READ_TURN !%d !%d", p, s.Turn)
		} else if !once {
			s.Move(awaitTurn, "READ_TURN !%d !%d", p, s.Turn)
		}
	}
}

// enterAndLeave makes the steps through the critical section, and the steps that
// give up the right to be there.
func enterAndLeave(s *exclusion.Step, p, other int, once bool) {
	switch s.At[p] {
	case enter:
		s.Move(critical, "ENTER !%d", p)
	case critical:
		s.Move(passTurn, "LEAVE !%d", p)
	case passTurn:
		s.Next.Turn = other
		s.Move(lowerFlag, "WRITE_TURN !%d", other)
	case lowerFlag:
		s.Next.Flag[p] = false
		if once {
			s.Move(halted, "WRITE_FLAG !%d !FALSE", p)
		} else {
			s.Move(noncritical, "WRITE_FLAG !%d !FALSE", p)
		}
	}
}
