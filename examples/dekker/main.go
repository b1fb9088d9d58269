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

// algorithm is Dekker's algorithm. If once is set, each process enters only once, and
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
	switch at := s.At[s.P]; {
	case at < insist:
		a.compete(s)
	case at < enter:
		a.resolveConflict(s)
	default:
		a.enterAndLeave(s)
	}
}

// compete makes the steps by which process s.P announces that it wants to enter,
// and finds out whether the other process wants to, too.
func (a algorithm) compete(s *exclusion.Step) {
	p := s.P
	other := s.Other
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
		case a.once:
			s.Move(insist, "READ_TURN !%d !%d", p, s.Turn)
		default:
			s.Move(testFlag, "READ_TURN !%d !%d", p, s.Turn)
		}
	}
}

// resolveConflict makes the steps of process s.P when both processes want to
// enter: the one whose turn it is insists, and the other one gives way.
func (a algorithm) resolveConflict(s *exclusion.Step) {
	p := s.P
	other := s.Other
	switch s.At[p] {
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
		} else if !a.once {
			s.Move(awaitTurn, "READ_TURN !%d !%d", p, s.Turn)
		}
	}
}

// enterAndLeave makes the steps through the critical section, and the steps that
// give up the right to be there.
func (a algorithm) enterAndLeave(s *exclusion.Step) {
	p := s.P
	other := s.Other
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
		if a.once {
			s.Move(halted, "WRITE_FLAG !%d !FALSE", p)
		} else {
			s.Move(noncritical, "WRITE_FLAG !%d !FALSE", p)
		}
	}
}
