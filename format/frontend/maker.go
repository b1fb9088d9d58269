//go:build !js

package frontend

import (
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
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/remedy"
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
	made   map[string]*made
	closed bool
}

// made is a model that exists, or is being made.
type made struct {
	path     string
	warnings []string
	// making is closed when the goroutine that makes the model is done; nil if no
	// goroutine makes it.
	making chan struct{}
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
func (m *Maker) Open(ctx context.Context, s Specification, o format.Options) (*format.Model, []string, error) {
	if o.Name == "" {
		o.Name = s.Path
	}
	f := of(s.Path)
	switch {
	case f == nil:
		return format.Open(ctx, s.Path, o)
	case m == nil:
		return nil, nil, inputfile.NewError(o.Name, 0, fmt.Errorf("this is %s; make a model of it first: %s", f.language, f.byHand(word(s.Path), stemOf(s.Path))))
	}
	w, err := newWork(ctx, f, s, o.Name)
	if err != nil {
		return nil, nil, err
	}
	const tries = 2 // another process may remove the entry from the cache
	for range tries {
		var path string
		var warnings []string
		if path, warnings, err = m.model(ctx, w); err != nil {
			return nil, nil, err
		}
		var model *format.Model
		if model, warnings, err = w.read(ctx, path, warnings, o); err == nil {
			return model, warnings, w.keep(ctx, path)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			break
		}
		m.forget(w.key)
	}
	return nil, nil, err
}

// read reads the model that was made.
func (w *work) read(ctx context.Context, path string, warnings []string, o format.Options) (*format.Model, []string, error) {
	digest := o.Digest
	o.Digest = false
	model, more, err := format.Open(ctx, path, o)
	if err != nil {
		return nil, nil, err
	}
	model.Format = model.Format.Made()
	if err := w.unchanged(); err != nil {
		return nil, nil, err
	}
	model.File = w.inputs.files[0].info
	if digest {
		model.Digest = w.inputs.digest
	}
	return model, append(warnings, more...), nil
}

// model returns the path of the model of a specification.
func (m *Maker) model(ctx context.Context, w *work) (path string, warnings []string, err error) {
	for {
		m.mu.Lock()
		if m.closed {
			m.mu.Unlock()
			return "", nil, errors.New("the maker of models is closed")
		}
		if m.made == nil {
			m.made = map[string]*made{}
		}
		entry := m.made[w.key]
		if entry == nil {
			entry = &made{}
			m.made[w.key] = entry
		}
		if entry.path != "" {
			m.mu.Unlock()
			return entry.path, entry.warnings, nil
		}
		if entry.making == nil {
			entry.making = make(chan struct{})
			m.mu.Unlock()
			return m.fill(ctx, w, entry)
		}
		others := entry.making
		m.mu.Unlock()
		select {
		case <-others: // who may have failed, or given up
		case <-ctx.Done():
			return "", nil, ctx.Err()
		}
	}
}

// fill makes a model for all callers that wait for it.
func (m *Maker) fill(ctx context.Context, w *work, entry *made) (path string, warnings []string, err error) {
	defer func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		close(entry.making)
		entry.making = nil
		if err == nil {
			entry.path, entry.warnings = path, warnings
		}
	}()
	if path, warnings, found := m.cache().find(ctx, w.key, w.tool.made); found {
		return path, warnings, nil
	}
	folder, err := m.room()
	if err != nil {
		return "", nil, inputfile.NewError(w.name, 0, remedy.New(err, "no temporary folder to make a model in: "+err.Error()))
	}
	own, err := os.MkdirTemp(folder, "run-")
	if err != nil {
		return "", nil, inputfile.NewError(w.name, 0, remedy.New(err, "no temporary folder to make a model in: "+err.Error()))
	}
	defer func() { err = errors.Join(err, remove(own)) }()
	wrote, warnings, err := w.make(ctx, own)
	if err != nil {
		return "", nil, err
	}
	if !w.inputs.stay() { // a tool may have read another version of a file that was not copied
		if kept := m.cache().put(ctx, w, wrote, warnings); kept != "" {
			return kept, warnings, nil
		}
	}
	path = filepath.Join(folder, w.key+w.tool.made)
	return path, warnings, os.Rename(wrote, path)
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

func (m *Maker) forget(key string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if entry := m.made[key]; entry != nil && entry.making == nil {
		delete(m.made, key)
	}
}

// keep copies the model to the path that the user named.
func (w *work) keep(ctx context.Context, path string) error {
	if w.spec.Keep == "" {
		return nil
	}
	return copyFile(ctx, path, w.spec.Keep)
}

func copyFile(ctx context.Context, from, to string) error {
	in, err := inputfile.OpenRegular(ctx, from)
	if err != nil {
		return err
	}
	defer in.Close()
	return wholefile.WriteContext(ctx, to, func(out io.Writer) error {
		_, err := io.Copy(out, stoppableReader{ctx, in})
		return err
	})
}

// stoppableReader fails once its context is done.
type stoppableReader struct {
	ctx context.Context
	in  io.Reader
}

func (r stoppableReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.in.Read(p)
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
