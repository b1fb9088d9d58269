package explain

import (
	"errors"
	"strconv"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/format/specification"
	"github.com/inev-lts/inev/format/states"
	"github.com/inev-lts/inev/internal/options"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood"
)

// Options say how [Explain], [Check] and [Analyse] work. The zero value is the default. A function
// ignores the options of the others.
type Options struct {
	Source
	// Engine finds the strongly connected components.
	Engine scc.Engine
	// Queue orders states in the passes for common prefixes and suffixes.
	Queue enrich.Queue
	// Fair are the assumptions that runs must satisfy to count; all runs count if it is empty. It
	// excludes Search, List and InAutomaton.
	Fair []*actl.Assumption
	// Limit, if it is positive, limits the search for a shortest counterexample, as in
	// [counterexample.Options].
	Limit int64

	// Reading is the condition under which incoming transitions make a state a neighbourhood; for
	// Explain and Analyse.
	Reading neighbourhood.Reading
	// Unfold analyses the unfolded model (see package product), so that classes depend on the
	// history of a run, instead of all histories of a state; for Explain and Analyse.
	Unfold bool

	// Search chooses the counterexample that is explained; for Explain.
	Search Search
	// NoFairness skips the search for assumptions about infinite runs that would make a violated
	// property true; for Explain.
	NoFairness bool
	// NoAdvice skips the search for a repair and for the nearest correct run; for Explain.
	NoAdvice bool
	// NoReasons skips the search for the reasons why a property holds, see [Reasons]; for Explain.
	NoReasons bool
	// RestsOnLabels examines each label instead of each gate, for [Reasons.RestsOn]; for Explain.
	RestsOnLabels bool
	// Faults are patterns of labels that count as faults; if there are any, the result has the
	// number of faults that a violation takes. The counterexample is one with the fewest faults,
	// unless Search or Fair excludes that; for Explain.
	Faults []actl.Pattern
	// Owners are the owners of actions; nil if they are not known. With owners, decisions and steps
	// have an owner, and for a violated property the result has who could have prevented the
	// violation, and the verdict on just runs; for Explain.
	Owners *Owners
	// NoPaths skips the shortest paths to neighbourhoods, which only lists of neighbourhoods show:
	// then [Neighbourhood.Distance] is -1; for Explain.
	NoPaths bool

	// List makes Check count all shortest counterexamples, and return at most this many of them;
	// with 0 it does neither.
	List int
	// InAutomaton, unless it is nil, makes Check search in the product automaton of model and
	// property instead of the model itself, and ignore List.
	InAutomaton *AutomatonSearch

	// judged is what [Options.IsViolated] has found; nil if it was not called.
	judged *judged
	// fairnessAhead makes an analysis begin the search for fairness that [Explain] completes.
	fairnessAhead bool
}

// Source describes the origin of a model and what happened while it was read: the options of all
// questions about a model.
type Source struct {
	// File is the model's name in the results.
	File string
	// States has the values of the states of the model, nil if they have none.
	States *states.Table
	// Specification has the files that the model was generated from, nil if they are not known.
	// With them, decisions have the positions of their actions.
	Specification *specification.Files
	// Idle is the label of steps that change nothing, and that nobody chooses or can forbid: stuttering; "" for none.
	Idle string
	// Warnings are earlier warnings, such as those about reading the model.
	Warnings []string
	// Before are earlier phases, such as reading the model.
	Before []Phase
	// Measure asks for the [Cost] of the process, at the end.
	Measure bool
}

// Setting is a field of [Options] with its name and values. Flags of commands and members of
// manifests are made from [Settings].
type Setting struct {
	// Name is the name in a manifest.
	Name string
	// Words are all values, the first of them the default; none if the value is a number.
	Words []string
	// Switch reports whether the setting is a Boolean: its flag has no value, and stands for true.
	Switch bool

	set func(o *Options, text string) error
}

// Flag returns the name of the flag, without dashes.
func (s Setting) Flag() string { return options.Name(s.Name).Flag() }

// Set sets the field by the text of its value. The error lists the values.
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
			if o.Limit, err = options.Count(text); err == nil && o.Limit < 1 {
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
