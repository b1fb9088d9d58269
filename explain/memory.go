package explain

import (
	"github.com/inev-lts/inev/lts/scc"
)

// Task is what is done with a model, as far as the memory for it depends on that.
type Task int

// The tasks.
const (
	Loading    Task = iota // nothing but to read it, and to write it again
	Describing             // [Describe]
	Checking               // [Check]
	Analysing              // [Analyse]
	Explaining             // [Explain]
	Listing                // [Check] with all shortest counterexamples
	Unfolding              // [Analyse] or [Explain], of the unfolded model
)

// Need is an estimate of the memory that a process takes, in bytes.
type Need struct {
	// Least is what it takes at least: with less, it cannot end.
	Least int64
	// Usual is what it takes at most on ordinary models, with the time that Go's
	// garbage collector takes by default.
	Usual int64
}

// needs are bytes for each state and each transition.
type needs struct{ perState, perTransition int64 }

// The least are the rows of the model, with labels of a byte, and the arrays with an element for each
// state that the task cannot do without.
var least = [...]needs{
	Loading:    {4, 5},
	Describing: {8, 5},
	Checking:   {4, 5},
	Analysing:  {12, 5},
	Explaining: {12, 5},
	Listing:    {20, 5}, // rows, components, and four tables of the search
	Unfolding:  {20, 8}, // what explaining takes, and two numbers for the unfolded model
}

// The usual were measured on random and layered models, components and chains of
// 10⁶ states, with sources that ascend and in random order, and rounded up (a test
// of cmd/inev compares both tables with what processes take).
var usual = [...]needs{
	Loading:    {16, 24},
	Describing: {64, 24},
	Checking:   {64, 24},
	Analysing:  {64, 32},
	Explaining: {160, 40},
	Listing:    {300, 90},
	Unfolding:  {480, 130},
}

// What a process takes that does nothing.
const (
	leastOfAll = 4 << 20
	usualOfAll = 28 << 20
)

// What a state takes where gonum's algorithm finds the components: see
// [scc.GonumStates].
const usualOfGonum = 512

// What advice takes for each state and transition of the model unfolded by a property: see
// [MostForAdvice]. Most properties have up to unfoldedForAdvice states.
const (
	usualOfAdvice     = 32
	unfoldedForAdvice = 3
)

// MemoryFor estimates the memory for a task on a model of this size. Labels are
// not counted, which is right as long as most transitions share theirs, nor are
// the steps of a counterexample, of which there can be as many as states. Cost
// O(1).
func MemoryFor(t Task, states, transitions int64) Need {
	of := func(n needs) int64 { return n.perState*states + n.perTransition*transitions }
	need := Need{leastOfAll + of(least[t]), usualOfAll + of(usual[t])}
	if t != Loading && states <= scc.GonumStates {
		need.Usual += usualOfGonum * states
	}
	if t == Explaining || t == Unfolding {
		need.Usual += usualOfAdvice * min(mostForAdvice, unfoldedForAdvice*(states+transitions))
	}
	return need
}
