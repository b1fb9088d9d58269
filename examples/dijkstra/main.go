// Command dijkstra prints the LTS of Dijkstra's mutual exclusion algorithm of
// 1965 for n processes.
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
	log.SetPrefix("dijkstra: ")
	n := flag.Int("n", 3, "number of processes")
	flag.Parse()
	m, err := generate(*n)
	if err == nil {
		_, err = aut.Write(os.Stdout, m)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// maxProcesses makes the size of a state constant, so that states can be
// compared.
const maxProcesses = 5

// A point is the position of a process in its program.
type point uint8

const (
	noncritical point = iota
	testK
	unclaim
	testOwner
	takeK
	claim
	testOthers
	enter
	critical
	release
	rest
)

// b and c are Dijkstra's, negated so that the zero state is the initial one: b is
// false while its process wants to enter, c while it claims to be about to enter.
type state struct {
	at     [maxProcesses]point
	wants  [maxProcesses]bool
	claims [maxProcesses]bool
	// tested[p] is the number of processes that p has seen without a claim.
	tested [maxProcesses]int8
	k      int8
}

// generate returns the model of n processes.
func generate(n int) (*lts.LTS, error) {
	if n < 2 || n > maxProcesses {
		return nil, fmt.Errorf("%d processes: the program takes 2 to %d", n, maxProcesses)
	}
	successors := func(s state, do func(string, state)) {
		for p := range n {
			step(s, p, n, do)
		}
	}
	m, _, err := lts.Explore(context.Background(), state{}, successors, 0)
	return m, err
}

// step calls do for the steps that process p of n can take next. Every access to
// a shared variable is a step of its own, and a process that would only read the
// same value again waits instead.
func step(s state, p, n int, do func(string, state)) {
	next := s
	move := func(to point, format string, offers ...any) {
		next.at[p] = to
		do(fmt.Sprintf(format, offers...), next)
	}
	switch s.at[p] {
	case noncritical:
		next.wants[p] = true
		move(testK, "WRITE_B !%d !FALSE", p)
	case testK, unclaim, testOwner, takeK:
		takeTurn(s, p, move, &next)
	case claim, testOthers:
		testOtherClaims(s, p, n, move, &next)
	case enter:
		move(critical, "ENTER !%d", p)
	case critical:
		move(release, "LEAVE !%d", p)
	case release:
		next.claims[p] = false
		move(rest, "WRITE_C !%d !TRUE", p)
	case rest:
		next.wants[p] = false
		move(noncritical, "WRITE_B !%d !TRUE", p)
	}
}

// mover does the step of a process to a point of its program, with a label.
type mover func(to point, format string, offers ...any)

// takeTurn does the steps in which process p waits until k names no process that wants to enter, and then
// puts itself there.
func takeTurn(s state, p int, move mover, next *state) {
	switch s.at[p] {
	case testK:
		if int(s.k) == p {
			move(claim, "READ_K !%d !%d", p, s.k)
		} else {
			move(unclaim, "READ_K !%d !%d", p, s.k)
		}
	case unclaim:
		next.claims[p] = false
		move(testOwner, "WRITE_C !%d !TRUE", p)
	case testOwner:
		if !s.wants[s.k] {
			move(takeK, "READ_B !%d !%d !TRUE", p, s.k)
		}
	case takeK:
		next.k = int8(p)
		move(testK, "WRITE_K !%d", p)
	}
}

// testOtherClaims does the steps in which process p claims the critical section, and enters it if no other
// process claims it.
func testOtherClaims(s state, p, n int, move mover, next *state) {
	switch s.at[p] {
	case claim:
		next.claims[p] = true
		move(testOthers, "WRITE_C !%d !FALSE", p)
	case testOthers:
		other := (p + 1 + int(s.tested[p])) % n
		switch {
		case !s.claims[other]:
			next.tested[p]++
			if int(next.tested[p]) == n-1 {
				next.tested[p] = 0
				move(enter, "READ_C !%d !%d !TRUE", p, other)
			} else {
				move(testOthers, "READ_C !%d !%d !TRUE", p, other)
			}
		case int(s.k) != p:
			next.tested[p] = 0
			move(unclaim, "READ_K !%d !%d", p, s.k)
		}
	}
}
