package batch

import (
	"context"
	"fmt"
	"strconv"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/options"
)

// Options say how a job is done, in the words of the command line. The zero value
// is the default.
type Options struct {
	Neighbourhood string `json:"neighbourhood,omitempty"` // all or some
	Unfold        bool   `json:"unfold,omitzero"`
	SCC           string `json:"scc,omitempty"` // auto, gonum or iterative
	SearchLimit   int64  `json:"search_limit,omitzero"`
	Passing       string `json:"passing,omitempty"` // any, fewest or most
	Pattern       string `json:"pattern,omitempty"`
	Lenient       bool   `json:"lenient,omitzero"`
	// Fair are the assumptions under which runs count, in the syntax of [actl.Assumption].
	Fair []string `json:"fair,omitempty"`
	// Lanes is a regular expression, or the name of a table, that says who does which action: see
	// [view.Lanes]; Blocking are the actions that the environment may refuse on just runs.
	Lanes    string `json:"lanes,omitempty"`
	Blocking string `json:"blocking,omitempty"`
	// Faults are patterns of actions. For each pattern, the least number of such actions in a
	// violation is computed.
	Faults []string `json:"faults,omitempty"`
	// AllowUnmatched accepts steps that no label of the model does, with a warning.
	AllowUnmatched bool `json:"allow_unmatched,omitzero"`
	// Config is the configuration of TLC, "" for the one next to the specification.
	Config string `json:"cfg,omitempty"`
	// Parts lets an action also match multi-actions that it is a part of, see [actl.WithParts].
	Parts bool `json:"parts,omitzero"`
}

// option is one of the [Options]: the field of this name in manifests, and the flag of inev
// explain. The zero value is the default, also where the default is given, so that jobs which are
// done in the same way are equal.
type option struct {
	name options.Name
	// at returns where the option is: a *bool, *int64, *string or, if it may be given several times, *[]string.
	at func(o *Options) any
	// apply sets the option of the analysis, and returns the text that is kept of the option.
	apply func(ctx context.Context, text string, to *explain.Options) (kept string, err error)
}

// allOptions returns all options, in the order in which errors list the fields.
func allOptions() []option {
	return []option{
		{options.Neighbourhood, func(o *Options) any { return &o.Neighbourhood }, setting(options.Neighbourhood)},
		{options.Unfold, func(o *Options) any { return &o.Unfold }, setting(options.Unfold)},
		{options.SCC, func(o *Options) any { return &o.SCC }, setting(options.SCC)},
		{options.SearchLimit, func(o *Options) any { return &o.SearchLimit }, setting(options.SearchLimit)},
		{options.Passing, func(o *Options) any { return &o.Passing }, setting(options.Passing)},
		{options.Pattern, func(o *Options) any { return &o.Pattern }, pattern},
		{options.Fair, func(o *Options) any { return &o.Fair }, assumption("")},
		{options.Blocking, func(o *Options) any { return &o.Blocking }, assumption(actl.Blocking.String() + ":")},
		{options.Lanes, func(o *Options) any { return &o.Lanes }, unapplied},
		{options.Config, func(o *Options) any { return &o.Config }, unapplied},
		{options.Lenient, func(o *Options) any { return &o.Lenient }, unapplied},
		{options.AllowUnmatched, func(o *Options) any { return &o.AllowUnmatched }, unapplied},
		{options.Parts, func(o *Options) any { return &o.Parts }, unapplied},
	}
}

// read sets the option from the field of an entry. Applying it to an analysis that is not made checks it.
func (p option) read(r *reader, e entry, o *Options) {
	switch to := p.at(o).(type) {
	case *bool:
		r.readYesOrNo(e, string(p.name), to)
	case *[]string:
		r.readFair(e, o)
	default:
		r.read(e, string(p.name), func(text string) error {
			var parsed explain.Options
			kept, err := p.apply(r.ctx, text, &parsed)
			if to, is := to.(*string); is {
				*to = kept
			} else {
				o.SearchLimit = parsed.Limit // the only number
			}
			return err
		})
	}
}

// texts returns the values of the flag; none if it is left out.
func (p option) texts(o *Options) []string {
	text := ""
	switch value := p.at(o).(type) {
	case *[]string:
		return *value
	case *bool:
		if *value {
			text = "true"
		}
	case *int64:
		if *value > 0 {
			text = strconv.FormatInt(*value, 10)
		}
	case *string:
		text = *value
	}
	if text == "" {
		return nil
	}
	return []string{text}
}

// Flags returns the flags of inev explain that set these options, each followed by its value.
func (o Options) Flags() []string {
	var flags, switches []string
	for _, p := range allOptions() {
		for _, text := range p.texts(&o) {
			if flag := "--" + p.name.Flag(); p.name.Option().Switch {
				switches = append(switches, flag)
			} else {
				flags = append(flags, flag, text)
			}
		}
	}
	return append(flags, switches...)
}

// explain returns the options for the analysis.
func (o Options) explain(ctx context.Context) (out explain.Options) {
	for _, p := range allOptions() {
		for _, text := range p.texts(&o) {
			if _, err := p.apply(ctx, text, &out); err != nil {
				abort.On(fmt.Errorf("%s: %s: %w", p.name, text, err))
			}
		}
	}
	return out
}

// setting applies one of [explain.Settings].
func setting(name options.Name) func(context.Context, string, *explain.Options) (string, error) {
	return func(_ context.Context, text string, to *explain.Options) (kept string, err error) {
		for _, s := range explain.Settings() {
			if s.Name != string(name) {
				continue
			}
			err = s.Set(to, text)
			if len(s.Words) > 0 && text == s.Words[0] {
				text = ""
			}
		}
		return text, err
	}
}

// pattern applies the steps that a counterexample must do, see [parsePattern].
func pattern(ctx context.Context, text string, to *explain.Options) (kept string, err error) {
	to.Search.Pattern, err = parsePattern(ctx, text)
	return text, err
}

// assumption applies an assumption under which runs count, whose text begins with a prefix.
func assumption(prefix string) func(context.Context, string, *explain.Options) (string, error) {
	return func(ctx context.Context, text string, to *explain.Options) (kept string, err error) {
		a, err := actl.ParseAssumption(ctx, prefix+text)
		if err != nil {
			return "", err
		}
		to.Fair = append(to.Fair, a)
		return a.Tasks(), nil
	}
}

// unapplied applies nothing: what reads the files of a job reads the option.
func unapplied(_ context.Context, text string, _ *explain.Options) (kept string, err error) {
	return text, nil
}

// readYesOrNo reads a field that is true or false.
func (r *reader) readYesOrNo(e entry, name string, to *bool) {
	r.read(e, name, func(text string) error {
		*to = text == "true"
		if text != "true" && text != "false" {
			return fmt.Errorf("%q is neither true nor false", text)
		}
		return nil
	})
}
