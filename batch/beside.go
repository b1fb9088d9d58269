package batch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/inev-lts/inev/format/specification"
	"github.com/inev-lts/inev/format/states"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/remedy"
)

// readBeside reads what else an entry names: values of states, and the specification.
func (r *reader) readBeside(e entry, job *Job, models []string) {
	if f, said := e.fields["states"]; said && !f.wrong {
		path := r.pathOf(f.text)
		switch digest, err := Digest(r.ctx, path); {
		case len(models) > 1:
			r.add(f.where, "states: %s has the values of one model, and the entry names %d; give each an entry of its own", f.text, len(models))
		case err != nil && r.ctx.Err() == nil:
			r.unreadable(f.where, path, err)
		default:
			job.States = &File{File: f.text, Path: path, Digest: digest}
		}
	}
	f, said := e.fields["source"]
	if !said || f.wrong {
		return
	}
	names := f.list
	if names == nil {
		names = strings.Split(f.text, ";")
	}
	var paths []string
	for _, name := range names {
		paths = append(paths, r.pathOf(strings.TrimSpace(name)))
	}
	key := strings.Join(paths, "\x00")
	if known, is := r.sources[key]; is {
		job.Source = known
		return
	}
	files, err := specification.Read(r.ctx, paths)
	if err != nil {
		if r.ctx.Err() == nil {
			r.addError(f.where, "source", err)
		}
		r.sources[key] = nil
		return
	}
	job.Source = &Source{Paths: paths, Digest: files.Digest(), files: files}
	r.sources[key] = job.Source
}

// read returns the files of the specification. It fails if they are not what they were when the
// manifest was read.
func (s *Source) read(ctx context.Context) (*specification.Files, error) {
	switch {
	case s == nil:
		return nil, nil
	case s.files != nil:
		return s.files, nil
	}
	files, err := specification.Read(ctx, s.Paths)
	if err == nil && files.Digest() != s.Digest {
		err = remedy.New(nil, strings.Join(s.Paths, ", "), ": the specification has changed since the manifest was read; run the batch again")
	}
	return files, err
}

// sources returns the files of the specification. If the manifest names none, and the model has to
// be made, these are the files that it is made of.
func (t *task) sources(ctx context.Context) (*specification.Files, error) {
	if t.job.Source != nil || !t.job.isMade() {
		return t.job.Source.read(ctx)
	}
	all, err := t.job.specification().Inputs(ctx)
	if err != nil {
		return nil, err
	}
	own := slices.DeleteFunc(all, func(path string) bool { return !specification.Reads(path) })
	if len(own) == 0 {
		return nil, nil
	}
	return specification.Read(ctx, own)
}

// read returns the values of a model with so many states. It fails if the file is not what it
// was when the manifest was read.
func (t *File) read(ctx context.Context, numStates int) (*states.Table, error) {
	digest, err := Digest(ctx, t.Path)
	if err != nil {
		return nil, err
	}
	if digest != t.Digest {
		return nil, fmt.Errorf("%s: the values of states have changed since the manifest was read; run the batch again", t.File)
	}
	f, err := inputfile.Open(ctx, t.Path)
	if err != nil {
		return nil, inputfile.FileError(t.Path, err)
	}
	table, err := states.ReadTSV(ctx, f, t.File, numStates)
	return table, errors.Join(err, f.Close())
}

// WithSource returns the manifest with these files and folders as the specification of jobs that
// name none. Errors as for [specification.Read].
func (m *Manifest) WithSource(ctx context.Context, paths []string) (*Manifest, error) {
	files, err := specification.Read(ctx, paths)
	if err != nil {
		return nil, err
	}
	source := &Source{Paths: paths, Digest: files.Digest(), files: files}
	jobs := slices.Clone(m.Jobs)
	for i := range jobs {
		if jobs[i].Source == nil {
			jobs[i].Source = source
		}
	}
	return &Manifest{m.File, jobs}, nil
}
