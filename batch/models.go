package batch

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/inev-lts/inev/format"
	"github.com/inev-lts/inev/internal/contained"
	"github.com/inev-lts/inev/internal/footprint"
	"github.com/inev-lts/inev/internal/format/frontend"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/internal/property/values"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/internal/stoppable"
	"github.com/inev-lts/inev/lts"
)

// Model is a model as it was read.
type Model struct {
	LTS *lts.LTS
	// States has the values of states, nil if the job does not ask about them.
	States   *lts.Values
	Warnings []string
	// Unsettled is a remark about a question that the format of the model leaves open, see
	// [explain.Source].
	Unsettled string
	// Digest is the SHA-256 of the bytes that the model was made of: of the file as it was read,
	// even if the file has changed since.
	Digest string
	// Took is the time that reading took; 0 for a job that shares a model which another job has
	// read.
	Took time.Duration
	// Outside are the states that TLC has marked as outside of its constraints.
	Outside []lts.State
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
	// while it is read, or is too large, or if ctx is done.
	Model(ctx context.Context, j Job) (*Model, error)
}

// files reads a model anew for each call.
type files struct {
	workers int
	// open is nil if no models are made of specifications.
	open func(ctx context.Context, j *Job, o format.Options) (*format.Model, []string, error)
}

// ReadingEach returns Models that read the model anew for each call, with this number of
// goroutines. A model that does not fit into the memory of the context, see [explain.WithMemory], is
// an error.
func ReadingEach(readers int) Models { return files{workers: readers} }

func (f files) Digest(ctx context.Context, j Job) (string, error) {
	if digest, made, err := j.specification().Digest(ctx); made {
		return digest, err
	}
	return Digest(ctx, j.Path)
}

// isMade reports whether a front end must make the model of a specification.
func (j Job) isMade() bool { return j.specification().Made() != "" }

// openUnmade reads a model, and refuses specifications.
func openUnmade(
	ctx context.Context,
	j *Job,
	o format.Options,
) (*format.Model, []string, error) {
	var none *frontend.Maker
	return none.Open(ctx, j.specification(), o)
}

// Model reads the model of a job from its file.
func (f files) Model(ctx context.Context, j Job) (*Model, error) {
	start := time.Now()
	if _, err := os.Stat(j.Path); err != nil {
		return nil, inputfile.FileError(j.Path, err) // the error has the path of the file
	}
	open := f.open
	if open == nil {
		open = openUnmade
	}
	read, warnings, err := open(ctx, &j, f.options(ctx, j))
	if err != nil {
		return nil, err
	}
	m := &Model{
		LTS:      read.LTS,
		States:   read.States,
		Warnings: warnings,
		Digest:   read.Digest,
		Outside:  read.Outside,
		file:     read.File,
	}
	if read.Format.Meaning != "" && j.TLA == nil {
		m.Unsettled = j.Model + ": " + read.Format.Meaning
	}
	m.Took = time.Since(start)
	return m, nil
}

// options returns how the model of a job is read.
func (f files) options(ctx context.Context, j Job) format.Options {
	o := format.Options{
		Name:    j.Model,
		Lenient: j.Options.Lenient,
		// TLC also writes states outside of the constraints of the specification; they are left out.
		Constrained: j.TLA != nil,
		Workers:     f.workers,
		Digest:      true,
		Admit: func(states, transitions int64) error {
			return footprint.Fits(footprint.Explaining, states, transitions,
				resources.LimitOf(ctx))
		},
	}
	if j.ChangesLabels() != "" {
		o.Changed = j.ChangedModel
	}
	if j.States == nil {
		o.States = j.aboutStates()
		return o
	}
	o.Values = func(numStates int) (*lts.Values, error) {
		return j.States.read(ctx, numStates)
	}
	return o
}

// modelKey identifies a model: a file, and the way in which it is read.
type modelKey struct {
	path    string
	lenient bool
	states  bool   // with the values of states
	table   string // the origin of the values, if it is not the model's file
	config  string // the configuration of TLC for the model, if it is named
	changes string // the rules that change its labels
	maker   string // the front end that makes the model, and its options
	// specified reports that the property is one of a TLA+ specification, so that the model has the
	// runs of the specification.
	specified bool
}

// mentionsStates matches formulas that compare a value, and formulas with a quantifier over runs, in
// which a bare name may be a value. It matches every formula about values of states, and few others.
var mentionsStates = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[=<>#\\]|\b[AE]\s*(\[|\(|[FGX]\b)`)
})

// aboutStates reports whether the formula of the job is about values of states.
func (j Job) aboutStates() bool {
	if j.TLA != nil {
		return true
	}
	if j.Automaton != nil || j.Modal || !mentionsStates().MatchString(j.Formula) {
		return false
	}
	f, err := j.readable()
	switch {
	case err != nil:
		return false
	case f.ofStates != nil:
		return f.ofStates.HasPredicates()
	}
	return len(values.AtomsOf(f.ofRuns)) > 0
}

// keyOf returns the key of a job's model. Jobs with equal keys can share one model in memory, since it is
// read for all of them in the same way.
func keyOf(j Job) modelKey {
	maker := append([]string{j.Options.FrontEnd}, j.Options.FrontEndOptions...)
	key := modelKey{
		path:      j.Path,
		lenient:   j.Options.Lenient,
		states:    j.States != nil || j.aboutStates(),
		config:    j.specification().Config,
		changes:   j.ChangesLabels(),
		maker:     strings.Join(maker, "\x00"),
		specified: j.TLA != nil,
	}
	if j.States != nil {
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
	return &shared{
		files:   f,
		models:  map[modelKey]*stoppable.Once[Model]{},
		digests: map[string]*digested{},
		read:    map[string][]readFile{},
	}
}

// Model returns the model of a job. Jobs with the same key share one model, which the first of them reads
// while the others wait.
func (s *shared) Model(ctx context.Context, j Job) (*Model, error) {
	key := keyOf(j)
	s.mu.Lock()
	once := s.models[key]
	if once == nil {
		once = &stoppable.Once[Model]{}
		s.models[key] = once
	}
	s.mu.Unlock()
	var took time.Duration // stays 0 if another job reads the model
	m, err := once.Do(ctx, func() (Model, error) {
		m, err := s.files.Model(ctx, j)
		if err != nil {
			return Model{}, err
		}
		took = m.Took
		m.Took = 0
		if m.file != nil {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.read[j.Path] = append(s.read[j.Path], readFile{job: j, file: m.file, digest: m.Digest})
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
	for path, readings := range s.read {
		now, err := os.Stat(path)
		isRemoved := err != nil
		if isRemoved {
			continue
		}
		changed := slices.IndexFunc(readings, func(r readFile) bool {
			return !inputfile.Unchanged(r.file, now) || r.hasOtherSpecification(ctx)
		})
		if changed >= 0 {
			names = append(names, readings[changed].job.Model)
		}
	}
	slices.Sort(names)
	return names
}

// hasOtherSpecification reports whether the specification that the model was made of has changed.
func (r *readFile) hasOtherSpecification(ctx context.Context) bool {
	var digest string
	var isMade bool
	err := contained.Call(func() (err error) {
		digest, isMade, err = r.job.specification().Digest(ctx)
		return err
	})
	return isMade && err == nil && digest != r.digest
}

// release drops a model from memory.
func (s *shared) release(key modelKey) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.models, key)
}

// digested is the digest of a file, with the result of Stat before the file was hashed. The field
// file is nil until then.
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
		d.file = now
		d.sum = sum
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
	_, _, _ = format.Open(progress.With(ctx, nil), j.Path, format.Options{
		Workers: 1,
		Admit: func(s, t int64) error {
			states = s
			transitions = t
			return errMeasured
		},
	})
	return states, transitions
}
