package explain

import (
	"context"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood"
	"github.com/inev-lts/inev/property"
)

// Options say how [Explain], [Check] and [Analyse] work. The zero value is the default. Each
// function ignores the options that are only for the others.
type Options struct {
	Source
	// Engine finds the strongly connected components.
	Engine scc.Engine
	// Queue orders states in the passes for common prefixes and suffixes.
	Queue enrich.Queue
	// Fair are the assumptions that runs must satisfy to count. If there are none, all runs count.
	// Fair excludes Search, List and InAutomaton.
	Fair []*actl.Assumption
	// Limit, if it is positive, limits the search for a shortest counterexample, as in
	// [counterexample.Options].
	Limit int64

	// Reading is the condition under which incoming transitions make a state a neighbourhood. Only
	// Explain and Analyse use it.
	Reading neighbourhood.Reading
	// Unfold asks for the analysis of the unfolded model (see package product). There, a class
	// depends on the history of the run, while in the model itself it covers all histories of a
	// state. Only Explain and Analyse use Unfold.
	Unfold bool

	// Search chooses the counterexample that Explain explains.
	Search Search
	// NoFairness asks Explain to skip the search for assumptions about infinite runs that would
	// make a violated property true.
	NoFairness bool
	// Lacking is the fairness that the specification of the model lacks. Explain copies it to the
	// result.
	Lacking *LackingFairness
	// Behaviours returns what a specification asks of the runs to which the nearest correct run should
	// belong: fairness excuses no state and no step, but a run that is not fair is no run of the
	// specification. m has the states and steps of the model, f asks for all that a correct run must meet
	// besides fair; a nil m means all runs that count. Explain calls it only if that matters.
	Behaviours func(context.Context) (m *lts.LTS, f property.Formula, fair []*actl.Assumption, err error)
	// NoAdvice asks Explain to skip the search for a repair and for the nearest correct run.
	NoAdvice bool
	// NoReasons asks Explain to skip the search for the reasons why a property holds, see
	// [Reasons].
	NoReasons bool
	// RestsOnLabels asks Explain to examine each label instead of each gate, for [Reasons.RestsOn].
	RestsOnLabels bool
	// Faults are patterns of labels that Explain counts as faults. If there are any, the result has
	// the smallest number of faults with which a violation is possible, and the counterexample is
	// one with so few faults, unless Search or Fair excludes that.
	Faults []actl.Pattern
	// Owners are the owners of actions; nil if they are not known. With them, Explain gives
	// decisions and steps an owner. For a violated property, it also reports who could have
	// prevented the violation, and the verdict on just runs.
	Owners *Owners
	// Another is the number of further counterexamples that Explain searches for, see [Other]. It
	// excludes Search.Given and Unfold.
	Another int
	// NoPaths asks Explain to skip the shortest paths to neighbourhoods, which only lists of
	// neighbourhoods show. [Neighbourhood.Distance] is then -1.
	NoPaths bool

	// List asks Check to count all shortest counterexamples, and to return at most this many of
	// them. If it is 0, Check does neither.
	List int
	// InAutomaton, unless it is nil, asks Check to search in the product automaton of model and
	// property instead of in the model itself. Check then ignores List.
	InAutomaton *AutomatonSearch

	// judged is the analysis that [Options.IsViolated] keeps; nil if it was not called.
	judged *judged
	// fairnessAhead asks an analysis to begin the search for fairness, which [Explain] then
	// completes.
	fairnessAhead bool
}

// Source describes the origin of a model and what happened while it was read: the options of all
// questions about a model.
type Source struct {
	// File is the model's name in the results.
	File string
	// States has the values of the states of the model; nil if they have none.
	States *lts.Values
	// Shown, unless it is nil, has the values of states that outputs show instead of those of
	// States.
	Shown *lts.Values
	// Specification returns the position of the action of a label in the text from which the model
	// was generated, or nil if the action has no position there. Specification is nil if the text
	// is not known. With it, decisions have the positions of their actions.
	Specification func(label string) *Position
	// Idle is the label of stuttering steps, which change nothing; "" if there is none. Nobody can
	// choose or forbid these steps.
	Idle string
	// Process, unless it is nil, returns the process that takes the steps with a label, or "" if
	// that is not known. Among runs that differ only in the order of independent steps, Explain
	// then prefers a run in which a process continues as long as it can.
	Process func(label string) string
	// Unsettled, unless it is "", is the warning that the model leaves open whether runs may
	// forever take steps that change nothing: steps from a state to itself. Explain then prefers
	// runs without such steps, and gives the warning only if the result depends on what is left
	// open.
	Unsettled string
	// Warnings are earlier warnings, such as those about reading the model.
	Warnings []string
	// Before are earlier phases, such as reading the model.
	Before []Phase
	// Measure asks for the [Cost] of the process, at the end.
	Measure bool
}
