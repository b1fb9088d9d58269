// Package exclusion explores algorithms for the mutual exclusion of two processes. It has the code
// that hyman, peterson and dekker share, so that their programs show only the algorithm. Every
// access to a shared variable is a step of its own, as it is on a machine.
package exclusion

import (
	"context"
	"fmt"

	"github.com/inev-lts/inev/lts"
)

// Point is the position of a process in its program; 0 is the beginning.
type Point uint8

// State has the points of both processes, and the variables that they share.
type State struct {
	At   [2]Point
	Flag [2]bool
	Turn int
	over bool
}

// Algorithm is a program that both processes run.
type Algorithm struct {
	// Critical is the point in the critical section, Halted the end.
	Critical, Halted Point
	// Step makes the steps that a process can take next.
	Step func(*Step)
}

// Step is a step of process P in a state: the algorithm changes Next, and then
// calls Move.
type Step struct {
	State
	Next     State
	P, Other int

	do func(string, State)
}

// Move ends the step at another point of the program, with this label.
func (s *Step) Move(to Point, format string, offers ...any) {
	s.Next.At[s.P] = to
	s.do(fmt.Sprintf(format, offers...), s.Next)
}

// Explore returns the LTS of an algorithm. Once both processes are in the
// critical section, the behaviour is undefined: such a run ends with CRASH, and a
// good one with DONE.
func Explore(a Algorithm) (*lts.LTS, error) {
	successors := func(s State, do func(string, State)) {
		over := State{over: true}
		switch {
		case s.over:
		case s.At == [2]Point{a.Critical, a.Critical}:
			do("CRASH", over)
		case s.At == [2]Point{a.Halted, a.Halted}:
			do("DONE", over)
		default:
			a.Step(&Step{
				State: s,
				Next:  s,
				P:     0,
				Other: 1,
				do:    do,
			})
			a.Step(&Step{
				State: s,
				Next:  s,
				P:     1,
				Other: 0,
				do:    do,
			})
		}
	}
	m, _, err := lts.Explore(context.Background(), State{}, successors, 0)
	return m, err
}
