package batch

import (
	"context"
	"fmt"
	"strconv"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/options"
)

// Options say how a job is done, in the words of the command line. The zero value
// is the default.
type Options struct {
	Neighbourhood string `json:"neighbourhood,omitempty"` // all or some
	Unfold        bool   `json:"unfold,omitempty"`
	SCC           string `json:"scc,omitempty"` // auto, gonum or iterative
	SearchLimit   int64  `json:"search_limit,omitempty"`
	Passing       string `json:"passing,omitempty"` // any, fewest or most
	Pattern       string `json:"pattern,omitempty"`
	Lenient       bool   `json:"lenient,omitempty"`
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
	AllowUnmatched bool `json:"allow_unmatched,omitempty"`
	// Config is the configuration of TLC, "" for the one next to the specification.
	Config string `json:"cfg,omitempty"`
	// Parts lets an action also match multi-actions that it is a part of, see [actl.WithParts].
	Parts bool `json:"parts,omitempty"`
}

// option is one of the [Options]: the field of this name in manifests, and the flag of inev
// explain. The zero value is the default, also where the default is given, so that jobs which are
// done in the same way are equal.
type option struct {
	name options.Name
	// read sets the option from the field of an entry.
	read func(r *reader, e entry, o *Options)
	// texts are the values of the flag; none if it is left out.
	texts func(o *Options) []string
	// apply sets the option of the analysis; nil if the analysis has none.
	apply func(ctx context.Context, text string, to *explain.Options) error
}

// flag returns the name of the flag, with dashes.
func (p option) flag() string { return "--" + p.name.Flag() }

// allOptions returns all options, in the order in which errors list the fields.
func allOptions() []option {
	return []option{
		setting(options.Neighbourhood, func(o *Options) *string { return &o.Neighbourhood }),
		settingSwitch(options.Unfold, func(o *Options) *bool { return &o.Unfold }),
		setting(options.SCC, func(o *Options) *string { return &o.SCC }),
		searchLimit(),
		setting(options.Passing, func(o *Options) *string { return &o.Passing }),
		pattern(),
		fairness(),
		blocking(),
		textual(options.Lanes, func(o *Options) *string { return &o.Lanes }, nil),
		textual(options.Config, func(o *Options) *string { return &o.Config }, nil),
		yesOrNo(options.Lenient, func(o *Options) *bool { return &o.Lenient }),
		yesOrNo(options.AllowUnmatched, func(o *Options) *bool { return &o.AllowUnmatched }),
		yesOrNo(options.Parts, func(o *Options) *bool { return &o.Parts }),
	}
}

// Flags returns the flags of inev explain that set these options, each followed by its value.
func (o Options) Flags() []string {
	var flags, switches []string
	for _, p := range allOptions() {
		for _, text := range p.texts(&o) {
			if p.name.Option().Switch {
				switches = append(switches, p.flag())
			} else {
				flags = append(flags, p.flag(), text)
			}
		}
	}
	return append(flags, switches...)
}

// explain returns the options for the analysis.
func (o Options) explain(ctx context.Context) (explain.Options, error) {
	var out explain.Options
	for _, p := range allOptions() {
		if p.apply == nil {
			continue
		}
		for _, text := range p.texts(&o) {
			if err := p.apply(ctx, text, &out); err != nil {
				return out, err
			}
		}
	}
	return out, nil
}

// textsOf returns the text as a list, which is empty if the text is empty.
func textsOf(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}

// settingOf returns the setter and the default of a setting of the analysis.
func settingOf(name options.Name) (set func(*explain.Options, string) error, byDefault string) {
	for _, s := range explain.Settings() {
		if s.Name == string(name) {
			if len(s.Words) > 0 {
				byDefault = s.Words[0]
			}
			return s.Set, byDefault
		}
	}
	return func(*explain.Options, string) error { return fmt.Errorf("there is no setting %s", name) }, ""
}

// applying adapts the setter of a setting to [option].apply.
func applying(name options.Name) func(context.Context, string, *explain.Options) error {
	set, _ := settingOf(name)
	return func(_ context.Context, text string, to *explain.Options) error { return set(to, text) }
}

// textual is an option that is a text. The function check returns the text that is kept; nil keeps
// any.
func textual(name options.Name, at func(*Options) *string, check func(ctx context.Context, text string) (string, error)) option {
	return option{
		name: name,
		read: func(r *reader, e entry, o *Options) {
			r.read(e, string(name), func(text string) (err error) {
				if check != nil {
					text, err = check(r.ctx, text)
				}
				*at(o) = text
				return err
			})
		},
		texts: func(o *Options) []string { return textsOf(*at(o)) },
	}
}

// setting is an option for one of [explain.Settings] that takes a word.
func setting(name options.Name, at func(*Options) *string) option {
	set, byDefault := settingOf(name)
	p := textual(name, at, func(_ context.Context, text string) (string, error) {
		err := set(&explain.Options{}, text)
		if text == byDefault {
			text = ""
		}
		return text, err
	})
	p.apply = applying(name)
	return p
}

// blocking is the option for the labels that the environment may refuse on just runs.
func blocking() option {
	parse := func(ctx context.Context, text string) (*actl.Assumption, error) {
		return actl.ParseAssumption(ctx, actl.Blocking.String()+":"+text)
	}
	p := textual(options.Blocking, func(o *Options) *string { return &o.Blocking }, func(ctx context.Context, text string) (string, error) {
		a, err := parse(ctx, text)
		if err != nil {
			return "", err
		}
		return a.Tasks(), nil
	})
	p.apply = func(ctx context.Context, text string, to *explain.Options) error {
		a, err := parse(ctx, text)
		if err != nil {
			return fmt.Errorf("%s: %s: %w", p.name, text, err)
		}
		to.Fair = append(to.Fair, a)
		return nil
	}
	return p
}

// searchLimit is the only setting that is a number.
func searchLimit() option {
	const name = options.SearchLimit
	set, _ := settingOf(name)
	return option{
		name: name,
		read: func(r *reader, e entry, o *Options) {
			r.read(e, string(name), func(text string) error {
				var parsed explain.Options
				err := set(&parsed, text)
				o.SearchLimit = parsed.Limit
				return err
			})
		},
		texts: func(o *Options) []string {
			if o.SearchLimit <= 0 {
				return nil
			}
			return []string{strconv.FormatInt(o.SearchLimit, 10)}
		},
		apply: applying(name),
	}
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

// yesOrNo is an option that is true or false.
func yesOrNo(name options.Name, at func(*Options) *bool) option {
	return option{
		name: name,
		read: func(r *reader, e entry, o *Options) { r.readYesOrNo(e, string(name), at(o)) },
		texts: func(o *Options) []string {
			if *at(o) {
				return []string{"true"}
			}
			return nil
		},
	}
}

// settingSwitch is an option for one of [explain.Settings] that is true or false.
func settingSwitch(name options.Name, at func(*Options) *bool) option {
	p := yesOrNo(name, at)
	p.apply = applying(name)
	return p
}

// pattern is the option for the steps that a counterexample must do, see [parsePattern].
func pattern() option {
	p := textual(options.Pattern, func(o *Options) *string { return &o.Pattern }, func(ctx context.Context, text string) (string, error) {
		_, err := parsePattern(ctx, text)
		return text, err
	})
	p.apply = func(ctx context.Context, text string, to *explain.Options) (err error) {
		to.Search.Pattern, err = parsePattern(ctx, text)
		return err
	}
	return p
}

// fairness is the option for the assumptions under which runs count.
func fairness() option {
	return option{
		name:  options.Fair,
		read:  (*reader).readFair,
		texts: func(o *Options) []string { return o.Fair },
		apply: func(ctx context.Context, text string, to *explain.Options) error {
			a, err := actl.ParseAssumption(ctx, text)
			if err != nil {
				return fmt.Errorf("fair: %s: %w", text, err)
			}
			to.Fair = append(to.Fair, a)
			return nil
		},
	}
}
