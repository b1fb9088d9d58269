// Package liveness turns the properties of a specification in TLA+, and the fairness of its Spec, into
// formulas over atoms and sets of transitions. So the properties that TLC checks can be checked on the
// graph that TLC has written.
//
// A behaviour of Spec is a run of the graph that may stutter forever after any step, restricted by WF
// and SF. So [Specification.On] adds a self-loop to each state, evaluates predicates of states and
// steps by their values, and records the results in labels, see [lts.Telling]. All later work on the
// model is independent of TLA+. A step of an action is a transition whose values satisfy the action,
// and ENABLED <<A>>_v holds if some values of the next state satisfy A, even if constraints exclude
// that step.
//
// A state or step has exactly the atoms that the specification implies.
package liveness

import (
	"strings"
)

// stuttering is the label of the steps that change nothing.
const stuttering = "stuttering"

// Stuttering returns the label of the steps that change nothing.
func (g *Graph) Stuttering() string { return stuttering }

// Process returns the process that takes the steps with a label that TLC wrote, if the label shows it:
// the first argument of the action, such as p1 in Put(p1, 2). It returns "" for an action without
// arguments.
func Process(label string) string {
	action, arguments, hasArguments := strings.Cut(label, "(")
	if !hasArguments || strings.Contains(action, " ") { // such as "Tick to (x = 1)", whose end says what holds after the step
		return ""
	}
	depth := 0
	isQuoted := false
	for i := 0; i < len(arguments); i++ {
		c := arguments[i]
		switch {
		case c == '"':
			isQuoted = !isQuoted
		case isQuoted:
		case depth == 0 && (c == ',' || c == ')'):
			return strings.TrimSpace(arguments[:i])
		case strings.HasPrefix(arguments[i:], "<<"):
			depth++
			i++
		case strings.HasPrefix(arguments[i:], ">>"):
			depth--
			i++
		case c == '(', c == '[', c == '{':
			depth++
		case c == ')', c == ']', c == '}':
			depth--
		}
	}
	return ""
}

// Process returns the process that takes the steps with a label. If only one process of a translated
// PlusCal algorithm has the label, it is this process; otherwise it is the result of the function
// [Process].
func (g *Graph) Process(label string) string {
	argument := Process(label)
	if argument != "" {
		return argument
	}
	action, _, _ := strings.Cut(label, " to ")
	return g.processes[action]
}
