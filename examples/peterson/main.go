// Command peterson prints the LTS of Peterson's mutual exclusion algorithm for
// two processes.
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
	log.SetPrefix("peterson: ")
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

// A point is where in its program a process is.
type point uint8

const (
	noncritical point = iota
	raiseFlag
	giveTurn
	testFlag
	testTurn
	enter
	critical
	lowerFlag
	halted
)

type state struct {
	at   [2]point
	flag [2]bool
	turn int
	over bool
}

func generate(once bool) (*lts.LTS, error) {
	successors := func(s state, do func(string, state)) {
		// What a process does inside is no longer defined once both are: CRASH
		// is the end of such a run, DONE the end of a good one.
		switch over := (state{over: true}); {
		case s.over:
		case s.at == [2]point{critical, critical}:
			do("CRASH", over)
		case s.at == [2]point{halted, halted}:
			do("DONE", over)
		default:
			step(s, 0, once, do)
			step(s, 1, once, do)
		}
	}
	m, _, err := lts.Explore(context.Background(), state{}, successors, 0)
	return m, err
}

// step does what process p can do next. Every access to a shared variable is a
// step of its own, as it is on a machine.
func step(s state, p int, once bool, do func(string, state)) {
	other := 1 - p
	next := s
	move := func(to point, format string, offers ...any) {
		next.at[p] = to
		do(fmt.Sprintf(format, offers...), next)
	}
	switch s.at[p] {
	case noncritical:
		move(raiseFlag, "NCS !%d", p)
	case raiseFlag:
		next.flag[p] = true
		move(giveTurn, "WRITE_FLAG !%d !TRUE", p)
	case giveTurn:
		next.turn = other
		move(testFlag, "WRITE_TURN !%d", other)
	case testFlag:
		switch {
		case once:
			// The two tests become one guard: a process that waited for one of
			// the conditions alone could miss the other.
			if !s.flag[other] || s.turn == p {
				move(critical, "ENTER !%d", p)
			}
		case s.flag[other]:
			move(testTurn, "READ_FLAG !%d !TRUE", other)
		default:
			move(enter, "READ_FLAG !%d !FALSE", other)
		}
	case testTurn:
		if s.turn == p {
			move(enter, "READ_TURN !%d !%d", p, s.turn)
		} else {
			move(testFlag, "READ_TURN !%d !%d", p, s.turn)
		}
	case enter:
		move(critical, "ENTER !%d", p)
	case critical:
		move(lowerFlag, "LEAVE !%d", p)
	case lowerFlag:
		next.flag[p] = false
		if once {
			move(halted, "WRITE_FLAG !%d !FALSE", p)
		} else {
			move(noncritical, "WRITE_FLAG !%d !FALSE", p)
		}
	}
}
