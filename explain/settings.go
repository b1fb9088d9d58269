package explain

import (
	"errors"
	"strconv"

	"github.com/inev-lts/inev/internal/count"
	"github.com/inev-lts/inev/internal/options"
)

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
		setting(options.Decisions, func(o *Options, text string) (err error) {
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
