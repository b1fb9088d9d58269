package batch

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/diagram/view"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/options"
	"github.com/inev-lts/inev/internal/smalltext"
	"github.com/inev-lts/inev/lts"
)

// lanes is a regular expression, or the name of a table relative to the manifest.
func lanes() option {
	return option{
		name: options.Lanes,
		read: func(r *reader, e entry, o *Options) {
			r.read(e, string(options.Lanes), func(text string) error {
				o.Lanes = text
				return nil
			})
		},
		texts: func(o *Options) []string { return textsOf(o.Lanes) },
	}
}

// blocking are the labels that the environment may refuse on just runs.
func blocking() option {
	const name = options.Blocking
	parse := func(ctx context.Context, text string) (*actl.Assumption, error) {
		return actl.ParseAssumption(ctx, actl.Blocking.String()+":"+text)
	}
	return option{
		name: name,
		read: func(r *reader, e entry, o *Options) {
			r.read(e, string(name), func(text string) error {
				a, err := parse(r.ctx, text)
				if err == nil {
					o.Blocking = a.Tasks()
				}
				return err
			})
		},
		texts: func(o *Options) []string { return textsOf(o.Blocking) },
		apply: func(ctx context.Context, text string, to *explain.Options) error {
			a, err := parse(ctx, text)
			if err != nil {
				return fmt.Errorf("%s: %s: %w", name, text, err)
			}
			to.Fair = append(to.Fair, a)
			return nil
		},
	}
}

// isJust reports whether only just runs are asked about.
func (o *Options) isJust() bool { return slices.Contains(o.Fair, actl.Just.String()) }

// readLanes reads who acts, and refuses just runs without.
func (r *reader) readLanes(e entry, job *Job) {
	if job.Options.isJust() && job.Options.Lanes == "" {
		r.add(e.fields["fair"].where, "fair: just needs lanes, the components that each action needs; add them")
	}
	if job.Options.Blocking != "" && !job.Options.isJust() {
		r.add(e.fields["blocking"].where, "blocking: just runs may stop before these actions; add fair: just")
	}
	f, said := e.fields["lanes"]
	if !said || f.wrong || job.Options.Lanes == "" {
		return
	}
	if name := job.Options.Lanes; !view.IsLanesPattern(name) {
		if name == "auto" {
			r.add(f.where, "lanes: auto is a guess, to be read first; let inev explain write it to a file, and name that")
			return
		}
		text, err := smalltext.Read(r.ctx, r.pathOf(name), textLimit)
		if err != nil {
			r.unreadable(f.where, "lanes "+name, err)
			return
		}
		job.Lanes = &File{File: name, Path: r.pathOf(name), Digest: sum(text)}
	}
	if _, err := job.lanes(r.ctx); err != nil && r.ctx.Err() == nil {
		r.add(f.where, "lanes: %v", err)
	}
}

// lanes returns who acts, nil if that is not named. It fails if the table is not what it was
// when the manifest was read.
func (j *Job) lanes(ctx context.Context) (*view.Lanes, error) {
	switch {
	case j.Lanes != nil:
		text, err := smalltext.Read(ctx, j.Lanes.Path, textLimit)
		if err != nil {
			return nil, inputfile.FileError(j.Lanes.Path, err)
		}
		if sum(text) != j.Lanes.Digest {
			return nil, fmt.Errorf("%s: the lanes have changed since the manifest was read; run the batch again", j.Lanes.File)
		}
		return view.ReadLanes(ctx, bytes.NewReader(text), j.Lanes.File)
	case j.Options.Lanes != "":
		return view.ParseLanes(j.Options.Lanes)
	}
	return nil, nil
}

// explain returns the options of the analysis, and who acts, nil if that is not named.
func (j *Job) explain(ctx context.Context) (explain.Options, *view.Lanes, error) {
	o, err := j.Options.explain(ctx)
	if err != nil {
		return o, nil, err
	}
	named, err := j.lanes(ctx)
	if err != nil || named == nil {
		return o, nil, err
	}
	for i, a := range o.Fair {
		o.Fair[i] = a.On(named.Components)
	}
	return o, named, nil
}

// Flags returns the flags of inev explain that ask for the same, with paths where files are
// found.
func (j *Job) Flags() []string {
	o := j.Options
	if j.Lanes != nil {
		o.Lanes = j.Lanes.Path
	}
	if j.Config != nil {
		o.Config = j.Config.Path
	}
	return o.Flags()
}

// owners returns who owns the labels of a model.
func owners(m *lts.LTS, named *view.Lanes) *explain.Owners {
	return &explain.Owners{Names: named.Owners(textsIn(m)), Of: named.Owner, Components: named.Components}
}

func textsIn(m *lts.LTS) []string {
	var texts []string
	for _, text := range m.Alphabet().All() {
		texts = append(texts, text)
	}
	return texts
}

// tour returns the stops of a page, with a sequence chart if it is known who acts.
func (t *task) tour(ctx context.Context, e *explain.Explanation) (*view.Tour, error) {
	tour, err := view.NewTour(ctx, e, 0)
	if err != nil || t.lanes == nil || e.Counterexample == nil {
		return tour, err
	}
	c, err := view.NewChart(e, t.lanes, view.ChartOptions{})
	if err != nil {
		return tour, nil
	}
	return tour.WithChart(c), nil
}
