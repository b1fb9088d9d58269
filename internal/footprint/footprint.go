// Package footprint estimates the memory that tasks on a model take, and refuses tasks that cannot
// be completed within a limit. Nothing is guessed; each number was measured, or follows from the
// sizes of arrays.
package footprint

import (
	"fmt"

	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/internal/resources"
)

// Task is a task on a model, as far as its memory depends on it.
type Task int

// The tasks.
const (
	Loading    Task = iota // reading the model, and writing it again
	Describing             // describing a model
	Checking               // the verdict
	Analysing              // the classes
	Explaining             // a complete explanation
	Listing                // the verdict with all shortest counterexamples
	Unfolding              // classes, or a complete explanation, of the unfolded model
)

// Need is an estimate of the memory that a process takes, in bytes.
type Need struct {
	// Least is a lower bound: with less memory, the process cannot complete the task.
	Least int64
	// Usual is an upper bound for ordinary models; with this memory, Go's garbage collector takes
	// no more time than by default.
	Usual int64
}

// needs are bytes: for each state, and for each transition.
type needs struct{ perState, perTransition int64 }

// least has the bytes of the rows of the model, with one byte for each label, and of the task's arrays with
// one element for each state.
var least = [...]needs{
	Loading:    {4, 5},
	Describing: {8, 5},
	Checking:   {4, 5},
	Analysing:  {12, 5},
	Explaining: {12, 5},
	Listing:    {20, 5}, // rows, components, and four tables of the search
	Unfolding:  {20, 8}, // what explaining takes, and two numbers for the unfolded model
}

// usual was measured on random and layered models, components and chains of 10⁶
// states, with sources that ascend and in random order, and rounded up (a test of
// cmd/inev compares both tables with the memory of processes).
var usual = [...]needs{
	Loading:    {16, 24},
	Describing: {64, 24},
	Checking:   {64, 24},
	Analysing:  {64, 32},
	Explaining: {224, 48},
	Listing:    {300, 90},
	Unfolding:  {480, 130},
}

// These are the bytes of a process without a model.
const (
	leastOfAll = 4 << 20
	usualOfAll = 28 << 20
)

// GonumStates and GonumTransitions are the largest numbers of states and transitions of a model for
// which the plain algorithms are the default: gonum's algorithm, which takes usualOfGonum bytes a
// state, finds the components, and those of SEFM'18, as printed there, find the common prefixes and
// suffixes. For larger models other algorithms take less time and memory.
const (
	GonumStates      = 1 << 13
	GonumTransitions = 8 * GonumStates
	usualOfGonum     = 512
)

// MostForAdvice is the largest number of states and transitions of a model
// unfolded by a property for which advice is computed.
const MostForAdvice = 2_000_000

// These are the bytes that advice takes for each state and transition of the model unfolded by a
// property: see [MostForAdvice]. The automata of most properties have up to unfoldedForAdvice
// states.
const (
	usualOfAdvice     = 32
	unfoldedForAdvice = 3
)

// Of estimates the memory for a task on a model of this size. It does not count
// labels, because usually most transitions share theirs, nor the steps of a
// counterexample, which can be as many as states. Cost O(1).
func Of(t Task, states, transitions int64) Need {
	of := func(n needs) int64 {
		return n.perState*states + n.perTransition*transitions
	}
	need := Need{leastOfAll + of(least[t]), usualOfAll + of(usual[t])}
	if t != Loading && states <= GonumStates {
		need.Usual += usualOfGonum * states
	}
	if t == Explaining || t == Unfolding {
		need.Usual += usualOfAdvice * min(MostForAdvice, unfoldedForAdvice*(states+transitions))
	}
	return need
}

// TooLargeError reports that a model does not fit into memory. Readers of models
// put the model's name before it.
type TooLargeError struct {
	States, Transitions int64
	// Need is the usual need of the task.
	Need  int64
	Limit resources.Limit
}

func (e *TooLargeError) Error() string { return e.Unwrap().Error() }

// Unwrap returns an error with the same text that has the remedies as values, a [*hint.Error].
func (e *TooLargeError) Unwrap() error {
	return resources.Refuse(fmt.Sprintf("needs about %s for %s transitions and %s states, %s are %s",
		progress.Bytes.Format(e.Need), progress.Transitions.Format(e.Transitions), progress.States.Format(e.States),
		progress.Bytes.Format(e.Limit.Bytes), e.Limit.By))
}

// Fits refuses a task whose least need for a model of this size exceeds a limit,
// unless the Bytes of the limit are 0. The error is a *TooLargeError. Cost O(1).
func Fits(t Task, states, transitions int64, limit resources.Limit) error {
	need := Of(t, states, transitions)
	if limit.Bytes != 0 && need.Least > limit.Bytes {
		return &TooLargeError{
			States:      states,
			Transitions: transitions,
			Need:        need.Usual,
			Limit:       limit,
		}
	}
	return nil
}
