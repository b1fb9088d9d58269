//go:build !js

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
	"sync"
	"time"

	"github.com/inev-lts/inev/format"
	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/remedy"
	"github.com/inev-lts/inev/internal/stoppable"
	"github.com/inev-lts/inev/internal/wholefile"
)

// Specification is the input from which a tool makes a model.
type Specification struct {
	// Path is the file of the specification, and Config the configuration of TLC;
	// "" means the file with the same name that ends in .cfg.
	Path, Config string
	// Keep is a path for a copy of the model as the tool wrote it; "" for none.
	Keep string
}

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
	made   map[string]*stoppable.Once[made] // by key
	closed bool
}

// made is a model that was made.
type made struct {
	path     string
	warnings []string
}

// cache returns where models are kept.
func (m *Maker) cache() cache { return cache{folder: m.Cache, most: cacheLimit, now: time.Now} }

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
	return remove(m.folder)
}

// Open reads a model as [format.Open] does; if the file is a specification, it
// makes the model first. Then its digest is [Specification.Digest], and the
// values of states are those that the tool wrote.
//
// Errors are as for [format.Open]. If a tool fails, the error has a method Said()
// (lines []string, total int) with the output of the tool: at most 20 of total
// lines, the last one first. Cost: that of the tool.
func (m *Maker) Open(ctx context.Context, s Specification, o format.Options) (model *format.Model, warnings []string, err error) {
	defer abort.Caught(&err)
	o.Name = cmp.Or(o.Name, s.Path)
	f := of(s.Path)
	switch {
	case f == nil:
		return format.Open(ctx, s.Path, o)
	case m == nil:
		return nil, nil, inputfile.NewError(o.Name, 0, fmt.Errorf("this is %s; make a model of it first: %s", f.language, f.byHand(word(s.Path), stemOf(s.Path))))
	}
	w := newWork(ctx, f, s, o.Name)
	const tries = 2 // another process may remove the entry from the cache
	for range tries {
		entry := m.entry(w.key)
		of := abort.Must(entry.Do(ctx, func() (made, error) { return m.produce(ctx, w) }, func(error) bool { return false }))
		model, warnings, err = w.read(ctx, of.path, of.warnings, o)
		if err == nil && s.Keep != "" {
			return model, warnings, copyFile(ctx, of.path, s.Keep)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			break
		}
		m.forget(w.key, entry)
	}
	return model, warnings, err
}

// read reads the model that was made. It returns just the errors of [format.Open].
func (w *work) read(ctx context.Context, path string, warnings []string, o format.Options) (*format.Model, []string, error) {
	digest := o.Digest
	o.Digest = false
	model, more, err := format.Open(ctx, path, o)
	if err != nil {
		return nil, nil, err
	}
	model.Format = model.Format.Made()
	w.unchanged()
	model.File = w.inputs.files[0].info
	if digest {
		model.Digest = w.inputs.digest
	}
	return model, append(warnings, more...), nil
}

// entry returns the model for a key, or the place for it.
func (m *Maker) entry(key string) *stoppable.Once[made] {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		abort.On(errors.New("the maker of models is closed"))
	}
	if m.made == nil {
		m.made = map[string]*stoppable.Once[made]{}
	}
	if m.made[key] == nil {
		m.made[key] = &stoppable.Once[made]{}
	}
	return m.made[key]
}

// forget makes the next call of entry return a new place, unless one did already.
func (m *Maker) forget(key string, entry *stoppable.Once[made]) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.made[key] == entry {
		delete(m.made, key)
	}
}

// produce makes a model, unless the cache has it.
func (m *Maker) produce(ctx context.Context, w *work) (of made, err error) {
	if path, warnings, found := m.cache().find(ctx, w.key, w.tool.made); found {
		return made{path, warnings}, nil
	}
	folder, err := m.room()
	own := ""
	if err == nil {
		own, err = os.MkdirTemp(folder, "run-")
	}
	if err != nil {
		return made{}, inputfile.NewError(w.name, 0, remedy.New(err, "no temporary folder to make a model in: "+err.Error()))
	}
	defer func() { err = errors.Join(err, remove(own)) }()
	defer abort.Caught(&err) // before the folder is removed, which may fail, too
	wrote, warnings := w.make(ctx, own)
	if !w.inputs.stay() { // a tool may have read another version of a file that was not copied
		if kept := m.cache().put(ctx, w, wrote, warnings); kept != "" {
			return made{kept, warnings}, nil
		}
	}
	path := filepath.Join(folder, w.key+w.tool.made)
	return made{path, warnings}, os.Rename(wrote, path)
}

// room returns the folder for models that are in no cache.
func (m *Maker) room() (folder string, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.folder == "" {
		var folder string
		if folder, err = filepath.Abs(os.TempDir()); err == nil {
			m.folder, err = os.MkdirTemp(folder, "inev-model-")
		}
	}
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

// remove removes a folder, with several attempts, because a program that was
// ended may still write its last bytes.
func remove(folder string) (err error) {
	for range 20 {
		if err = os.RemoveAll(folder); err == nil {
			return nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	return err
}
