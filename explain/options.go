package explain

import (
	"errors"
	"strconv"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/format/specification"
	"github.com/inev-lts/inev/format/states"
	"github.com/inev-lts/inev/internal/count"
	"github.com/inev-lts/inev/internal/options"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood"
)

// Options say how [Explain], [Check] and [Analyse] go about their work. The zero value is the
// default. What is for one of them does not count for the others.
type Options struct {
	Source
	// Engine finds the strongly connected components.
	Engine scc.Engine
	// Queue orders states in the passes for common prefixes and suffixes.
	Queue enrich.Queue
	// Fair says which runs count; none says that all do. Search, List and InAutomaton do not go
	// with it.
	Fair []*actl.Assumption
	// Limit, where it is greater than 0, bounds the search for a shortest
	// counterexample, as [counterexample.Options] says.
	Limit int64

	// Reading says which incoming transitions make a neighbourhood; for Explain and Analyse.
	Reading neighbourhood.Reading
	// Unfold analyses the unfolded model (see package product): then the classes
	// are those for one history, not for all histories of a state; for Explain and Analyse.
	Unfold bool

	// Search says which counterexample is explained; for Explain.
	Search Search
	// NoFairness leaves out which assumptions about infinite runs would make a violated
	// property true; for Explain.
	NoFairness bool
	// NoAdvice leaves out what would have to be forbidden for the property to hold, and the
	// nearest correct run; for Explain.
	NoAdvice bool
	// NoHolds leaves out why a property holds: bounds and all that [Holds] has; for Explain.
	NoHolds bool
	// RestsOnLabels asks for the labels, not the gates, on which a property rests that holds;
	// for Explain.
	RestsOnLabels bool
	// Faults, where there are any, are patterns of labels: how many of them does a violation
	// take? The counterexample is one with the fewest, unless Search or Fair says otherwise; for
	// Explain.
	Faults []actl.Pattern
	// Owners say who takes actions; nil if that is not known. Then decisions and steps have
	// owners, and of a violated property who could have prevented that and whether it holds on
	// just runs; for Explain.
	Owners *Owners
	// NoPaths leaves out shortest paths to neighbourhoods, which only lists of these tell:
	// their Distance is -1 then; for Explain.
	NoPaths bool

	// List asks for the number of all shortest counterexamples, and for a list of up to
	// this many of them; 0 asks for none of it; for Check.
	List int
	// InAutomaton, where it is not nil, asks for a search in the product automaton of model
	// and property instead of the model itself. Then List does not count; for Check.
	InAutomaton *AutomatonSearch

	// fairnessAhead asks an analysis to begin what [Explain] goes on with: the search for fairness
	// that would make the property hold.
	fairnessAhead bool
}

// Source says where a model came from, and what is to be told of the way: all that a
// question about the model alone takes.
type Source struct {
	// File is the model's name in the results.
	File string
	// States has the values of the states of the model, nil if nothing is known of them.
	States *states.Table
	// Specification has the files that the model was generated from, nil if they are not known:
	// decisions name the places of their actions there.
	Specification *specification.Files
	// Warnings are those met before, while the model was read.
	Warnings []string
	// Before are the phases that came before, such as the reading of the model.
	Before []Phase
	// Measure asks for what the process has taken once the result is complete.
	Measure bool
}

// Setting is one of the [Options] that say how to go about the work, by its name: flags of
// commands and fields of manifests are made from [Settings].
type Setting struct {
	// Name is its name in a manifest.
	Name string
	// Words are all that it takes, the first by default; none if it takes a number.
	Words []string
	// Switch reports whether it is true or false: its flag takes no text, and stands for true.
	Switch bool

	set func(o *Options, text string) error
}

// Flag returns the name of the flag, without dashes in front.
func (s Setting) Flag() string { return options.Name(s.Name).Flag() }

// Set sets the option by its text. The error says what it takes.
func (s Setting) Set(o *Options, text string) error { return s.set(o, text) }

// Settings returns all settings.
func Settings() []Setting {
	return []Setting{
		setting(options.Neighbourhood, func(o *Options, text string) error {
			return o.Reading.UnmarshalText([]byte(text))
		}),
		setting(options.Unfold, func(o *Options, text string) (err error) {
			o.Unfold, err = strconv.ParseBool(text)
			return err
		}),
		setting(options.SCC, func(o *Options, text string) error {
			return o.Engine.Set(text)
		}),
		setting(options.SearchLimit, func(o *Options, text string) (err error) {
			if o.Limit, err = count.Parse(text); err == nil && o.Limit < 1 {
				err = errors.New("the limit is at least 1")
			}
			return err
		}),
		setting(options.Passing, func(o *Options, text string) (err error) {
			o.Search.Prefer, err = parsePreference(text)
			return err
		}),
		setting(options.Queue, func(o *Options, text string) error {
			return o.Queue.Set(text)
		}),
	}
}

func setting(name options.Name, set func(o *Options, text string) error) Setting {
	o := name.Option()
	return Setting{Name: string(name), Words: o.Words, Switch: o.Switch, set: set}
}
