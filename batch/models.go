package batch

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/inev-lts/inev/format"
	"github.com/inev-lts/inev/format/frontend"
	"github.com/inev-lts/inev/format/states"
	"github.com/inev-lts/inev/internal/footprint"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/internal/stoppable"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property/values"
)

// Model is a model as it was read.
type Model struct {
	LTS *lts.LTS
	// States has the values of states, nil if the job does not ask about them.
	States   *states.Table
	Warnings []string
	// Digest is the SHA-256 of the bytes that the model was made of: of the file as it was read,
	// even if the file has changed since.
	Digest string
	// Took is the time that reading took; 0 for a job that shares a model which another job has
	// read.
	Took time.Duration
	// file describes the file at the time when it was read; nil if the model was not read from
	// a file.
	file fs.FileInfo
}

// Models gives jobs their models. Methods are called by many goroutines.
type Models interface {
	// Digest returns the SHA-256 of the model's file as it is now, see the function [Digest]. The
	// key of an answer contains the digest in [Model] instead, which is that of the bytes read.
	Digest(ctx context.Context, j Job) (string, error)
	// Model returns the model of a job. It fails if the model cannot be read, changes
	// while it is read, or is too large, and if ctx is done.
	Model(ctx context.Context, j Job) (*Model, error)
}

// files reads a model anew for each call.
type files struct {
	workers int
	maker   *frontend.Maker // nil if no models are made of specifications
}

// ReadingEach returns Models that read the model anew for each call, with this number of
// goroutines. A model that does not fit into the memory of the context, see [explain.WithMemory], is
// an error.
func ReadingEach(readers int) Models { return files{readers, nil} }

func (f files) Digest(ctx context.Context, j Job) (string, error) {
	if digest, made, err := j.specification().Digest(ctx); made {
		return digest, err
	}
	return Digest(ctx, j.Path)
}

// isMade reports whether a front end must make the model of a specification.
func (j Job) isMade() bool { return j.specification().Made() != "" }

func (f files) Model(ctx context.Context, j Job) (*Model, error) {
	start := time.Now()
	m := &Model{}
	if _, err := os.Stat(j.Path); err != nil {
		return nil, inputfile.FileError(j.Path, err) // the error has the path of the file
	}
	o := format.Options{Name: j.Model, Lenient: j.Options.Lenient, Workers: f.workers, Admit: admitted(ctx), Digest: true}
	if j.States != nil {
		o.Values = func(numStates int) (*states.Table, error) { return j.States.read(ctx, numStates) }
	} else {
		o.States = j.aboutStates()
	}
	read, warnings, err := f.maker.Open(ctx, j.specification(), o)
	if err != nil {
		return nil, err
	}
	m.LTS, m.States, m.Warnings, m.Digest, m.file = read.LTS, read.States, warnings, read.Digest, read.File
	if read.Format.Meaning != "" && j.TLA == nil {
		m.Warnings = append(m.Warnings, j.Model+": "+read.Format.Meaning)
	}
	m.Took = time.Since(start)
	return m, nil
}

// admitted returns a function that refuses a model that does not fit into the memory of a context.
func admitted(ctx context.Context) func(states, transitions int64) error {
	return func(states, transitions int64) error {
		return footprint.Fits(footprint.Explaining, states, transitions, resources.LimitOf(ctx))
	}
}

// modelKey identifies a model: a file, and the way in which it is read.
type modelKey struct {
	path    string
	lenient bool
	states  bool   // with the values of states
	table   string // the origin of the values, if it is not the model's file
	config  string // the configuration of TLC for the model, if it is named
	// specified reports that the property is one of a TLA+ specification, so that the model has the
	// runs of the specification.
	specified bool
}

// aboutStates reports whether the formula of the job is about values of states.
func (j Job) aboutStates() bool {
	if j.TLA != nil {
		return true
	}
	if j.Automaton != nil || !strings.ContainsAny(j.Formula, `=<>#\`) {
		return false
	}
	f, err := j.formula(context.Background())
	return err == nil && len(values.AtomsOf(f)) > 0
}

func keyOf(j Job) modelKey {
	key := modelKey{path: j.Path, lenient: j.Options.Lenient, config: j.specification().Config, specified: j.TLA != nil}
	if key.states = j.States != nil || j.aboutStates(); j.States != nil {
		key.table = j.States.Path
	}
	return key
}

// shared reads each model once, and holds it until release is called.
type shared struct {
	files
	mu      sync.Mutex
	models  map[modelKey]*stoppable.Once[Model]
	digests map[string]*digested
	// read are the files that models were made of, by their paths.
	read map[string][]readFile
}

// readFile is the state of a file when a model was made of it.
type readFile struct {
	job    Job
	file   fs.FileInfo
	digest string
}

func newShared(f files) *shared {
	return &shared{files: f, models: map[modelKey]*stoppable.Once[Model]{}, digests: map[string]*digested{}, read: map[string][]readFile{}}
}

func (s *shared) Model(ctx context.Context, j Job) (*Model, error) {
	key := keyOf(j)
	s.mu.Lock()
	once := s.models[key]
	if once == nil {
		once = &stoppable.Once[Model]{}
		s.models[key] = once
	}
	s.mu.Unlock()
	var took time.Duration
	m, err := once.Do(ctx, func() (Model, error) {
		m, err := s.files.Model(ctx, j)
		if err != nil {
			return Model{}, err
		}
		took, m.Took = m.Took, 0
		if m.file != nil {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.read[j.Path] = append(s.read[j.Path], readFile{j, m.file, m.Digest})
		}
		return *m, nil
	}, func(error) bool { return ctx.Err() == nil })
	if err != nil {
		return nil, err
	}
	m.Took = took
	return &m, nil
}

// changed returns the names of the models whose files have changed since they were read, as the
// jobs name the models, sorted; an included file of a specification counts, too. Removed files
// are not among them.
func (s *shared) changed(ctx context.Context) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var names []string
	for path, all := range s.read {
		now, err := os.Stat(path)
		for _, r := range all {
			other := err == nil && !inputfile.Unchanged(r.file, now)
			if err == nil && !other {
				digest, made, wrong := r.job.specification().Digest(ctx)
				other = made && wrong == nil && digest != r.digest
			}
			if other {
				names = append(names, r.job.Model)
				break
			}
		}
	}
	slices.Sort(names)
	return names
}

// release drops a model from memory.
func (s *shared) release(key modelKey) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.models, key)
}

// digested is the digest of a file, with the state that the file had when it was hashed; nil
// before.
type digested struct {
	hashing sync.Mutex
	file    fs.FileInfo
	sum     string
}

// Digest hashes a file anew only when it has changed.
func (s *shared) Digest(ctx context.Context, j Job) (string, error) {
	if j.isMade() {
		return s.files.Digest(ctx, j)
	}
	s.mu.Lock()
	d := s.digests[j.Path]
	if d == nil {
		d = &digested{}
		s.digests[j.Path] = d
	}
	s.mu.Unlock()
	d.hashing.Lock()
	defer d.hashing.Unlock()
	now, err := os.Stat(j.Path)
	if err != nil {
		return "", inputfile.FileError(j.Path, err)
	}
	if d.file == nil || !inputfile.Unchanged(d.file, now) {
		sum, err := Digest(ctx, j.Path)
		if err != nil {
			return "", err
		}
		d.file, d.sum = now, sum
	}
	return d.sum, nil
}

// errMeasured stops the reader of a model once the header has been read.
var errMeasured = errors.New("the header is all that was wanted")

// measure returns the size in a model's header or, for other formats, an estimate from the length
// of the file; 0 for a file that cannot be read, whose error the job will report.
func measure(ctx context.Context, j Job) (states, transitions int64) {
	if j.isMade() {
		return 0, 0
	}
	if !format.Of(j.Path, nil).SaysSize() {
		info, err := os.Stat(j.Path)
		if err != nil {
			return 0, 0
		}
		const bytesATransition = 8
		transitions = info.Size() / bytesATransition
		return transitions / 2, transitions
	}
	// The progress of this reading is shown to nobody.
	_, _, _ = format.Open(progress.With(ctx, nil), j.Path, format.Options{Workers: 1, Admit: func(s, t int64) error {
		states, transitions = s, t
		return errMeasured
	}})
	return states, transitions
}
