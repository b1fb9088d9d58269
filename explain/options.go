package explain

import (
	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/format/states"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood"
)

// Options say how [Explain] goes about its work. The zero value is the default.
type Options struct {
	// File is the model's name in the results.
	File string
	// Engine finds the strongly connected components.
	Engine scc.Engine
	// Queue orders states in the passes for common prefixes and suffixes.
	Queue enrich.Queue
	// Reading says which incoming transitions make a neighbourhood.
	Reading neighbourhood.Reading
	// Unfold analyses the unfolded model (see package unfold): then the classes
	// are those for one history, not for all histories of a state.
	Unfold bool
	// Limit, where it is greater than 0, bounds the search for a shortest
	// counterexample, as [counterexample.Options] says.
	Limit int64
	// Search says which counterexample is explained.
	Search Search
	// Fair says which runs count; none says that all do. Search does not go with it.
	Fair []*actl.Assumption
	// NoFairness leaves out which assumptions about infinite runs would make a violated
	// property true.
	NoFairness bool
	// States has the values of the states of the model, nil where nothing is known of them.
	States *states.Table
	// NoAdvice leaves out what would have to be forbidden for the property to hold, and the
	// nearest correct run.
	NoAdvice bool
	// NoPaths leaves out shortest paths to neighbourhoods, which only lists of these tell:
	// their Distance is -1 then, and their ShortestPath is empty.
	NoPaths bool
	// Warnings are those met before, while the model was read.
	Warnings []string
	// Before are the phases that came before, such as the reading of the model.
	Before []Phase
	// Measure asks for what the process has taken once the result is complete.
	Measure bool
}

// AnalysisOptions say how [Analyse] goes about its work. They mean what they mean in
// [Options].
type AnalysisOptions struct {
	Engine   scc.Engine
	Queue    enrich.Queue
	Reading  neighbourhood.Reading
	Unfold   bool
	Fair     []*actl.Assumption
	Warnings []string
	Before   []Phase
}

// Analysis returns those of the options that concern the analysis.
func (o Options) Analysis() AnalysisOptions {
	return AnalysisOptions{o.Engine, o.Queue, o.Reading, o.Unfold, o.Fair, o.Warnings, o.Before}
}

// CheckOptions say how [Check] goes about its work. What has the name of one of [Options]
// means the same.
type CheckOptions struct {
	File   string
	Engine scc.Engine
	Limit  int64
	// List asks for the number of all shortest counterexamples, and for a list of up to
	// this many of them; 0 asks for none of it.
	List int
	// InAutomaton, where it is not nil, asks for a search in the product automaton of model
	// and property instead of the model itself. Then List does not count.
	InAutomaton *AutomatonSearch
	// Fair does not go with List and InAutomaton.
	Fair     []*actl.Assumption
	States   *states.Table
	Warnings []string
	Before   []Phase
	Measure  bool
}

// Checking returns those of the options that concern a check, which lists nothing.
func (o Options) Checking() CheckOptions {
	return CheckOptions{File: o.File, Engine: o.Engine, Limit: o.Limit, Fair: o.Fair, States: o.States, Warnings: o.Warnings, Before: o.Before, Measure: o.Measure}
}

// settings are what any of the options ask for.
type settings struct {
	Options
	List        int
	InAutomaton *AutomatonSearch
}

func (o Options) settings() settings { return settings{Options: o} }

func (o AnalysisOptions) settings() settings {
	return settings{Options: Options{
		Engine: o.Engine, Queue: o.Queue, Reading: o.Reading, Unfold: o.Unfold, Fair: o.Fair, Warnings: o.Warnings, Before: o.Before,
	}}
}

func (o CheckOptions) settings() settings {
	return settings{
		Options: Options{File: o.File, Engine: o.Engine, Limit: o.Limit, Fair: o.Fair, States: o.States, Warnings: o.Warnings, Before: o.Before, Measure: o.Measure},
		List:    o.List, InAutomaton: o.InAutomaton,
	}
}

// Source says where a model came from, and what is to be told of the way: all that a
// question about the model alone takes.
type Source struct {
	// File, States, Warnings, Before and Measure are as in [Options].
	File     string
	States   *states.Table
	Warnings []string
	Before   []Phase
	Measure  bool
}

// Source returns the options that are about the model alone.
func (o Options) Source() Source { return Source{o.File, o.States, o.Warnings, o.Before, o.Measure} }
