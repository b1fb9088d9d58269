// Package exclusion explores algorithms for the mutual exclusion of two processes: what hyman,
// peterson and dekker have in common, so that their programs show the algorithm alone.
//
// The invariant that holds inside: every access to a shared variable is a step of its own, as
// it is on a machine.
package exclusion

import (
	"context"
	"fmt"

	"github.com/inev-lts/inev/lts"
)

// Point is where in its program a process is; 0 is the beginning.
type Point uint8

// State is where both processes are, with the variables that they share.
type State struct {
	At   [2]Point
	Flag [2]bool
	Turn int
	over bool
}

// Algorithm is a program that both processes run.
type Algorithm struct {
	// Critical is the point inside, Halted the end.
	Critical, Halted Point
	// Step does what a process can do next.
	Step func(*Step)
}

// Step is a step of process P in a state: it changes Next, and then moves.
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

// Explore returns the LTS of an algorithm. What a process does inside is no longer defined once
// both are: CRASH is the end of such a run, DONE the end of a good one.
func Explore(a Algorithm) (*lts.LTS, error) {
	successors := func(s State, do func(string, State)) {
		switch over := (State{over: true}); {
		case s.over:
		case s.At == [2]Point{a.Critical, a.Critical}:
			do("CRASH", over)
		case s.At == [2]Point{a.Halted, a.Halted}:
			do("DONE", over)
		default:
			a.Step(&Step{s, s, 0, 1, do})
			a.Step(&Step{s, s, 1, 0, do})
		}
	}
	m, _, err := lts.Explore(context.Background(), State{}, successors, 0)
	return m, err
}
