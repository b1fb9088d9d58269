package explain

import (
	"errors"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/internal/count"
)

// Setting is one of the [Options] that say how to go about the work, by its name: flags of
// commands, keys of manifests and documents are made from [Settings].
type Setting struct {
	// Name is that in a manifest.
	Name string
	// Words are all that it takes, the first by default; none if it takes a number.
	Words []string
	// Switch reports whether it is true or false: its flag takes no text, and stands for true.
	Switch bool

	set func(o *Options, text string) error
}

// Flag returns the name of the flag, without dashes in front.
func (s Setting) Flag() string { return strings.ReplaceAll(s.Name, "_", "-") }

// Set sets the option by its text. The error says what it takes.
func (s Setting) Set(o *Options, text string) error { return s.set(o, text) }

// Settings returns all settings.
func Settings() []Setting {
	return []Setting{
		{"neighbourhood", []string{"all", "some"}, false, func(o *Options, text string) error {
			return o.Reading.UnmarshalText([]byte(text))
		}},
		{"unfold", []string{"false", "true"}, true, func(o *Options, text string) (err error) {
			o.Unfold, err = strconv.ParseBool(text)
			return err
		}},
		{"scc", []string{"auto", "gonum", "iterative"}, false, func(o *Options, text string) error {
			return o.Engine.Set(text)
		}},
		{"search_limit", nil, false, func(o *Options, text string) (err error) {
			if o.Limit, err = count.Parse(text); err == nil && o.Limit < 1 {
				err = errors.New("the limit is at least 1")
			}
			return err
		}},
		{"decisions", []string{"any", "fewest", "most"}, false, func(o *Options, text string) (err error) {
			o.Search.Prefer, err = parsePreference(text)
			return err
		}},
		{"queue", []string{"buckets", "heap"}, false, func(o *Options, text string) error {
			return o.Queue.Set(text)
		}},
	}
}
