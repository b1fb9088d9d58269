// Package setting has the settings of explanations: fields of [explain.Options]
// that flags of commands and members of manifests set by their texts.
package setting

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/options"
)

// Setting is a field of [explain.Options] with its name and values.
type Setting struct {
	// Name is the name in a manifest.
	Name string
	// Words are all values, the first of them the default; none if the value is a number.
	Words []string
	// Switch reports whether the setting is a Boolean: its flag has no value, and sets it to true.
	Switch bool

	set func(o *explain.Options, text string) error
}

// Flag returns the name of the flag, without dashes.
func (s Setting) Flag() string { return options.Name(s.Name).Flag() }

// Set sets the field by the text of its value. The error lists the values.
func (s Setting) Set(o *explain.Options, text string) error { return s.set(o, text) }

// All returns all settings.
func All() []Setting {
	return []Setting{
		newSetting(options.Neighbourhood, func(o *explain.Options, text string) error {
			return o.Reading.UnmarshalText([]byte(text))
		}),
		newSetting(options.Unfold, func(o *explain.Options, text string) (err error) {
			o.Unfold, err = strconv.ParseBool(text)
			return err
		}),
		newSetting(options.SCC, func(o *explain.Options, text string) error {
			return o.Engine.Set(text)
		}),
		newSetting(options.SearchLimit, func(o *explain.Options, text string) (err error) {
			if o.Limit, err = options.Count(text); err == nil && o.Limit < 1 {
				err = errors.New("the limit is at least 1")
			}
			return err
		}),
		newSetting(options.Passing, setPreference),
		newSetting(options.Queue, func(o *explain.Options, text string) error {
			return o.Queue.Set(text)
		}),
	}
}

func newSetting(name options.Name, set func(o *explain.Options, text string) error) Setting {
	o := name.Option()
	return Setting{
		Name:   string(name),
		Words:  o.Words,
		Switch: o.Switch,
		set:    set,
	}
}

// setPreference sets which of all shortest counterexamples is shown.
func setPreference(o *explain.Options, text string) error {
	switch text {
	case "any":
		o.Search.Prefer = ""
	case "fewest":
		o.Search.Prefer = "fewest"
	case "most":
		o.Search.Prefer = "most"
	default:
		return fmt.Errorf("there is no choice %q; choose any, fewest or most", text)
	}
	return nil
}
