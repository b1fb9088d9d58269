//go:build !js

// Package frontend makes models of specifications by the tools that are
// installed: mCRL2, TLC, CADP, and SpinS with LTSmin. It is the only package that
// runs programs.
//
// A tool gets a list of arguments and never a shell, works in a temporary folder
// of its own, and is ended, with all programs that it started, at the limit of
// time or memory. A model is kept in a cache, if there is one, under a key of
// everything that it was made from.
//
// When a call returns, no program that it started runs, and its temporary
// folder holds only models that were made.
package frontend

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/inev-lts/inev/format"
	"github.com/inev-lts/inev/internal/hint"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/stoppable"
	"github.com/inev-lts/inev/internal/wholefile"
)

// Maker makes models. A tool and the programs that it starts get at most the
// memory of the context: this is enforced on Linux only, but TLC obeys it on
// every system. Until [Maker.Close], a Maker makes each model only once. Its
// methods may be called by many goroutines; its fields must be set before. A nil
// Maker makes none.
type Maker struct {
	// Cache is the folder that keeps models between runs; "" for none.
	Cache string

	mu sync.Mutex
	// folder has the models that are in no cache; "" if there are none yet.
	folder string
	made   map[string]*stoppable.Once[string] // the paths of models by key
	closed bool
}

// cache returns where models are kept.
func (m *Maker) cache() cache {
	return cache{
		folder:    m.Cache,
		mostBytes: cacheLimit,
		now:       time.Now,
	}
}

// Close removes the models that are in no cache.
func (m *Maker) Close() error {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	if m.folder == "" {
		return nil
	}
	return removeFolder(m.folder)
}

// Open reads a model as [format.Open] does; if the file is a specification, it
// makes the model first. Then its digest is [Specification.Digest], and the
// values of states are those that the tool wrote.
//
// Errors are as for [format.Open]. If a tool fails, the error has a method Said()
// (lines []string, total int) with the output of the tool: at most 20 of total
// lines, the last one first. Cost: that of the tool.
func (m *Maker) Open(
	ctx context.Context,
	s Specification,
	o format.Options,
) (model *format.Model, warnings []string, err error) {
	o.Name = cmp.Or(o.Name, s.Path)
	f := toolFor(s.Path)
	switch {
	case f == nil:
		return format.Open(ctx, s.Path, o)
	case s.IsComposed():
		return s.compose(ctx, o)
	case m == nil:
		return nil, nil, inputfile.NewError(o.Name, 0,
			fmt.Errorf("this is %s; make a model of it first: %s", f.language,
				f.byHand(s.Path)))
	}
	w, err := newWork(ctx, f, s, o.Name)
	if err != nil {
		return nil, nil, err
	}
	const tries = 2 // another process may remove the model from the cache
	return m.openMade(ctx, w, o, tries)
}

// openMade makes the model if nobody has, and reads it. If the file of the model is gone, it tries again.
func (m *Maker) openMade(
	ctx context.Context,
	w *work,
	o format.Options,
	tries int,
) (*format.Model, []string, error) {
	entry, err := m.entryFor(w.key)
	if err != nil {
		return nil, nil, err
	}
	path, err := entry.Do(ctx, func() (string, error) { return m.produce(ctx, w) }, func(error) bool {
		return false
	})
	if err != nil {
		return nil, nil, err
	}
	model, warnings, err := w.readMade(ctx, path, o)
	switch {
	case errors.Is(err, fs.ErrNotExist) && tries > 1:
		m.forget(w.key, entry)
		return m.openMade(ctx, w, o, tries-1)
	case err == nil && w.spec.Keep != "":
		return model, warnings, copyFile(ctx, path, w.spec.Keep)
	}
	return model, warnings, err
}

// forget removes the entry of a key, so that its model is made anew.
func (m *Maker) forget(key string, entry *stoppable.Once[string]) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.made[key] == entry {
		delete(m.made, key)
	}
}

// readMade reads the model that was made. It returns just the errors of [format.Open].
func (w *work) readMade(
	ctx context.Context,
	path string,
	o format.Options,
) (*format.Model, []string, error) {
	digest := o.Digest
	o.Digest = false
	model, warnings, err := format.Open(ctx, path, o)
	if err != nil {
		return nil, nil, withoutLine(err)
	}
	model.Format = model.Format.Made()
	if err := w.checkUnchanged(); err != nil {
		return nil, nil, err
	}
	model.File = w.inputs.files[0].info
	if digest {
		model.Digest = w.inputs.digestOfAll
	}
	return model, warnings, nil
}

// withoutLine removes the line from an error about a made model: the error names the specification,
// but the line is one of the model, which users never see.
func withoutLine(err error) error {
	var inFile *inputfile.Error
	if errors.As(err, &inFile) {
		inFile.Line = 0
	}
	return err
}

// entryFor returns the place for the model of a key, which is empty until the model is made.
func (m *Maker) entryFor(key string) (*stoppable.Once[string], error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, errors.New("the maker of models is closed")
	}
	if m.made == nil {
		m.made = map[string]*stoppable.Once[string]{}
	}
	if m.made[key] == nil {
		m.made[key] = &stoppable.Once[string]{}
	}
	return m.made[key], nil
}

// produce makes a model, unless the cache has it, and returns its path.
func (m *Maker) produce(ctx context.Context, w *work) (path string, err error) {
	if path, found := m.cache().find(ctx, w.key, w.tool.made); found {
		return path, nil
	}
	folder, err := m.temporaryFolder()
	runFolder := ""
	if err == nil {
		runFolder, err = os.MkdirTemp(folder, "run-")
	}
	if err != nil {
		return "", inputfile.NewError(w.name, 0,
			hint.New(err, "no temporary folder to make a model in: "+err.Error()))
	}
	defer func() { err = errors.Join(err, removeFolder(runFolder)) }()
	written, err := w.make(ctx, runFolder)
	if err != nil {
		return "", err
	}
	// A tool may have read another version of a file that was not copied.
	readsOriginals := slices.ContainsFunc(w.inputs.files, func(f input) bool { return f.isOutside })
	if !readsOriginals {
		if kept := m.cache().store(ctx, w, written); kept != "" {
			return kept, nil
		}
	}
	path = filepath.Join(folder, w.key+w.tool.made)
	return path, os.Rename(written, path)
}

// temporaryFolder returns the folder for models that are in no cache.
func (m *Maker) temporaryFolder() (folder string, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.folder != "" {
		return m.folder, nil
	}
	temporary, err := filepath.Abs(os.TempDir())
	if err != nil {
		return "", err
	}
	m.folder, err = os.MkdirTemp(temporary, "inev-model-")
	return m.folder, err
}

func copyFile(ctx context.Context, from, to string) error {
	in, err := inputfile.OpenRegular(ctx, from)
	if err != nil {
		return err
	}
	defer in.Close()
	return wholefile.WriteContext(ctx, to, func(out io.Writer) error {
		_, err := io.Copy(out, stoppable.EachRead(ctx, in))
		return err
	})
}

// removeFolder removes a folder, with several attempts, because a program that was
// ended may still write its last bytes.
func removeFolder(folder string) (err error) {
	for range 20 {
		if err = os.RemoveAll(folder); err == nil {
			return nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	return err
}
