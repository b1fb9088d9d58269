package editor

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/inev-lts/inev/batch"
)

// asking is the set of questions of a document.
type asking struct {
	doc  *document
	file *formulaFile // nil for a manifest
	// mistakes are the mistakes in a manifest.
	mistakes []batch.Mistake
	all      []asked
}

// asked is one question of a document: a formula, and a model.
type asked struct {
	formula    *written // nil in a manifest
	start, end int      // the range of the question in the text
	line       int
	job        batch.Job
}

// targets are the models that the formulas of a file are about.
type targets struct {
	named string   // the name in the file
	paths []target // named models, otherwise those next to the file
	jobs  []batch.Job
}

type target struct {
	name, path string
	where      *directive // nil if no directive names the model
}

// manifestNames are the names of manifests, which are looked for in a folder and in all folders
// above it.
var manifestNames = []string{"inev.yaml", "inev.yml"}

// readManifest has the jobs of a manifest, as they were when it was last read.
type readManifest struct {
	stamp string
	jobs  []batch.Job
}

// askingOf reads a document. If fresh is set, it looks for models anew.
func (s *Server) askingOf(ctx context.Context, d *document, fresh bool) *asking {
	s.mu.Lock()
	o := s.open[d.uri]
	if o != nil && o.doc == d && o.kept != nil && !fresh {
		defer s.mu.Unlock()
		return o.kept
	}
	s.mu.Unlock()
	a := &asking{doc: d}
	if d.isManifest() {
		s.askManifest(ctx, a)
	} else {
		a.file = readFormulas(ctx, d)
		s.askFile(ctx, a, fresh)
	}
	if ctx.Err() == nil {
		s.mu.Lock()
		if o := s.open[d.uri]; o != nil && o.doc == d {
			o.kept = a
		}
		s.mu.Unlock()
	}
	return a
}

// askFile makes a question of each formula of a file and each of its models.
func (s *Server) askFile(ctx context.Context, a *asking, fresh bool) {
	t := s.targetsOf(ctx, a, fresh)
	for _, w := range a.file.formulas {
		if w.formula == nil {
			continue
		}
		taken := map[string]bool{}
		add := func(j batch.Job) {
			if key := keyOf(j); !taken[key] {
				taken[key] = true
				a.all = append(a.all, asked{formula: w, start: w.start, end: w.end, line: w.line, job: j})
			}
		}
		about := map[string]bool{}
		if len(a.file.models) == 0 {
			for _, j := range t.jobs {
				if j.Formula == w.text && j.Automaton == nil {
					about[j.Path] = true
					j.Options.Fair = append(slices.Clone(j.Options.Fair), w.assumptions()...)
					add(j)
				}
			}
		}
		for _, m := range t.paths {
			if about[m.path] {
				continue
			}
			j := batch.Job{Name: m.name + ": " + w.text, Model: m.name, Path: m.path, Formula: w.text}
			j.Options.Fair = w.assumptions()
			add(j)
		}
	}
}

// targetsOf finds the models of a file: the named ones, otherwise those next to the file, and the
// jobs of manifests.
func (s *Server) targetsOf(ctx context.Context, a *asking, fresh bool) *targets {
	var named []string
	for _, m := range a.file.models {
		named = append(named, m.text)
	}
	key := strings.Join(named, "\n")
	s.mu.Lock()
	if o := s.open[a.doc.uri]; o != nil && o.targets != nil && o.targets.named == key && !fresh {
		found := *o.targets
		s.mu.Unlock()
		for i := range found.paths { // the positions may have changed
			if found.paths[i].where != nil {
				return s.findTargets(ctx, a, key)
			}
		}
		return &found
	}
	s.mu.Unlock()
	found := s.findTargets(ctx, a, key)
	s.mu.Lock()
	if o := s.open[a.doc.uri]; o != nil {
		o.targets = found
	}
	s.mu.Unlock()
	return found
}

func (s *Server) findTargets(ctx context.Context, a *asking, key string) *targets {
	t := &targets{named: key}
	folder := filepath.Dir(a.doc.path)
	for i := range a.file.models {
		m := &a.file.models[i]
		path := filepath.FromSlash(m.text)
		if !filepath.IsAbs(path) {
			path = filepath.Join(folder, path)
		}
		if found, err := filepath.Glob(path); err == nil && len(found) > 0 && strings.ContainsAny(m.text, "*?[") {
			for _, path := range found {
				name, err := filepath.Rel(folder, path)
				if err != nil {
					name = path
				}
				t.paths = append(t.paths, target{filepath.ToSlash(name), path, m})
			}
			continue
		}
		t.paths = append(t.paths, target{m.text, path, m})
	}
	if len(a.file.models) > 0 {
		return t
	}
	base := strings.TrimSuffix(a.doc.path, filepath.Ext(a.doc.path))
	for _, suffix := range []string{".aut", ".aut.gz", ".aut.zst", ".aut.bz2"} { // as a batch of a folder finds them
		if info, err := os.Stat(base + suffix); err == nil && info.Mode().IsRegular() {
			t.paths = append(t.paths, target{filepath.Base(base + suffix), base + suffix, nil})
		}
	}
	for at := folder; ; at = filepath.Dir(at) {
		for _, name := range manifestNames {
			t.jobs = append(t.jobs, s.jobsIn(ctx, filepath.Join(at, name))...)
		}
		if at == filepath.Dir(at) || !s.isInside(filepath.Dir(at)) {
			break
		}
	}
	return t
}

// isInside reports whether a folder is a folder of the workspace, or lies in one.
func (s *Server) isInside(folder string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.roots, func(root string) bool {
		rel, err := filepath.Rel(root, folder)
		return root != "" && err == nil && filepath.IsLocal(rel)
	})
}

// jobsIn returns the jobs of a manifest; none if there is no manifest, or if it has mistakes, which
// its own document shows.
func (s *Server) jobsIn(ctx context.Context, path string) []batch.Job {
	stamp := stampOf(path)
	if stamp == "" {
		return nil
	}
	s.mu.Lock()
	known := s.read[path]
	s.mu.Unlock()
	if known != nil && known.stamp == stamp {
		return known.jobs
	}
	read := &readManifest{stamp: stamp}
	if m, err := batch.Open(ctx, path); err == nil {
		read.jobs = m.Jobs
	}
	if ctx.Err() == nil {
		s.mu.Lock()
		s.read[path] = read
		s.mu.Unlock()
	}
	return read.jobs
}

// askManifest makes the questions of a manifest.
func (s *Server) askManifest(ctx context.Context, a *asking) {
	m, err := (&batch.Manifest{File: a.doc.path}).Holding(ctx, []byte(a.doc.text))
	if err != nil {
		var wrong *batch.ManifestError
		if errors.As(err, &wrong) {
			a.mistakes = wrong.Mistakes
		}
		return
	}
	for _, j := range m.Jobs {
		line := max(0, j.Where.Line-1)
		text, start := a.doc.line(line)
		q := asked{line: line, start: start + len(text) - len(strings.TrimLeft(text, " \t-")), end: start + len(text), job: j}
		if at := strings.Index(a.doc.text[start:], j.Formula); at >= 0 && j.Automaton == nil && a.doc.position(start+at).Line-line < 12 {
			q.start, q.end = start+at, start+at+len(j.Formula)
		}
		a.all = append(a.all, q)
	}
}

// keyOf returns a text that differs between jobs, whatever their names and positions are.
func keyOf(j batch.Job) string {
	j.Name, j.Where, j.Tags, j.Priority = "", batch.Position{}, nil, 0
	text, err := json.Marshal(j)
	if err != nil {
		panic(err) // texts, numbers and truth values can be written always
	}
	return string(text)
}
