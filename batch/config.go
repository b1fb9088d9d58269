package batch

import (
	"path/filepath"
	"strings"

	"github.com/inev-lts/inev/format/frontend"
	"github.com/inev-lts/inev/internal/options"
	"github.com/inev-lts/inev/internal/smalltext"
)

// config is a configuration of TLC, relative to the manifest; without, it is the file next to the
// specification.
func config() option {
	const name = options.Config
	return option{
		name: name,
		read: func(r *reader, e entry, o *Options) {
			r.read(e, string(name), func(text string) error {
				o.Config = text
				return nil
			})
		},
		texts: func(o *Options) []string { return textsOf(o.Config) },
	}
}

// readConfig finds the configuration of the models of an entry.
func (r *reader) readConfig(e entry, job *Job, models []string) {
	name := job.Options.Config
	if name == "" {
		return
	}
	f := e.fields["cfg"]
	for _, model := range models {
		if !strings.EqualFold(filepath.Ext(model), ".tla") {
			r.add(f.where, "cfg is for specifications in TLA+, and %s is none", model)
			return
		}
	}
	text, err := smalltext.Read(r.ctx, r.pathOf(name), textLimit)
	if err != nil {
		r.unreadable(f.where, "cfg "+name, err)
		return
	}
	job.Config = &File{File: name, Path: r.pathOf(name), Digest: sum(text)}
}

// specification returns what the model is made of, if it has to be made.
func (j Job) specification() frontend.Specification {
	s := frontend.Specification{Path: j.Path}
	if j.Config != nil {
		s.Config = j.Config.Path
	}
	return s
}
