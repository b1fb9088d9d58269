package batch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/smalltext"
)

// Manifest is what a batch is to do.
type Manifest struct {
	// File is the manifest, as the user named it.
	File string
	// Jobs are in the order of the manifest, of a glob in that of the names, of a
	// file with formulas in that of its lines. Their names are unique.
	Jobs []Job
}

// AllowingUnmatched returns the manifest with all jobs allowed to have steps that no
// label of their model does. Cost O(number of jobs).
func (m *Manifest) AllowingUnmatched() *Manifest {
	jobs := slices.Clone(m.Jobs)
	for i := range jobs {
		jobs[i].Options.AllowUnmatched = true
	}
	return &Manifest{m.File, jobs}
}

// CountingParts returns the manifest with actions of all jobs matching multi-actions that
// they are parts of, see [actl.WithParts]. Cost O(number of jobs).
func (m *Manifest) CountingParts() *Manifest {
	jobs := slices.Clone(m.Jobs)
	for i := range jobs {
		jobs[i].Options.Parts = true
	}
	return &Manifest{m.File, jobs}
}

// Open reads a manifest and checks all that can be checked without reading models.
// By its suffix it is
//
//   - .yaml or .yml: a list jobs of entries, and an entry defaults, which holds for
//     all jobs where they say nothing else (tags add up);
//   - .csv or .tsv: a line for each entry, below one with the names of the fields;
//     lines that begin with # are comments;
//   - a folder: it and the folders in it are searched for models X.aut, which may be
//     compressed (X.aut.gz, .zst, .bz2), with formulas in X.inev beside.
//
// An entry has the fields
//
//	model          a file, or a glob such as m/*.aut, relative to the manifest
//	formula        a formula, or instead
//	formula_file   a file with a formula on each line; # begins comments. FILE.mcl and FILE.mcf
//	               hold one formula, of CADP and of mCRL2
//	hoa            or a file with a deterministic automaton in the HOA format
//	name           what the job is called
//	expect         violated or satisfied
//	bound          the largest number of transitions that is expected of a property that holds
//	faults         how many of some actions a violation should take at least, such as
//	               {LOSS: 2}; in tables LOSS: 2, with semicolons between several
//	timeout        such as 90s or 5m
//	memory         such as 6GB
//	tags           words; in tables between blanks or semicolons
//	states         a table of values of states, as inev explain --states takes it
//	source         a list of files and folders of the specification; in tables
//	               between semicolons
//	fair           a list of assumptions under which runs count, such as full or
//	               finitely:LOSS; in tables between semicolons
//	lanes          who acts: a /regular expression/, or a table relative to the manifest, as
//	               inev explain --lanes takes it; fair: just needs them
//	blocking       with fair: just, labels that the environment may refuse
//	cfg            the configuration of TLC for a .tla file, relative to the manifest
//	neighbourhood, unfold, scc, search_limit, decisions, pattern, lenient,
//	allow_unmatched, parts
//	               as the flags of inev explain; also with - for _
//
// and stands for a job for each of its models and formulas.
//
// A formula that cannot be read is a mistake of its jobs alone, which fail; if no job has another one, or
// something else is wrong, it is one of the manifest. The error is a *[ManifestError] with every mistake, unless ctx is done. Cost
// O(size of the manifest and of the files with formulas), and a few system calls for
// each model.
func Open(ctx context.Context, path string) (*Manifest, error) {
	r := &reader{ctx: ctx, file: path, dir: filepath.Dir(path), formulas: map[string][]written{}, sources: map[string]*Source{}}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		r.unreadable(Place{File: path}, "", err)
	case info.IsDir():
		r.dir = path
		r.readFolder()
	default:
		r.readFile()
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(r.list) > 0 || !slices.ContainsFunc(r.drafts, func(d draft) bool { return d.Refused == "" }) {
		r.list = append(r.list, r.refused...)
	}
	if len(r.drafts) == 0 && len(r.list) == 0 {
		r.add(Place{File: path}, "holds no job; %s", r.remedy())
	}
	r.nameAll()
	if err := r.err(path); err != nil {
		return nil, err
	}
	m := &Manifest{File: path, Jobs: make([]Job, len(r.drafts))}
	for i, d := range r.drafts {
		m.Jobs[i] = d.Job
	}
	return m, nil
}

// reader reads one manifest.
type reader struct {
	mistakes
	// refused are the formulas that cannot be read.
	refused []Mistake
	ctx     context.Context
	file    string // the manifest
	dir     string // what names in it are relative to
	// folder tells that the manifest is one.
	folder bool
	drafts []draft
	// formulas are those of the files read until now.
	formulas map[string][]written
	// sources are the specifications that have been read, by their paths.
	sources map[string]*Source
}

// draft is a job that may lack a name.
type draft struct {
	Job
	// given reports whether the name was given for this very job.
	given bool
}

func (r *reader) remedy() string {
	if r.folder {
		return "a job is a model X.aut with formulas, one a line, in X.inev beside it"
	}
	return "an entry names a model and a formula"
}

func (r *reader) readFile() {
	read, known := map[string]func([]byte){
		".yaml": r.readYAML, ".yml": r.readYAML,
		".csv": func(text []byte) { r.readTable(text, ',') },
		".tsv": func(text []byte) { r.readTable(text, '\t') },
	}[strings.ToLower(filepath.Ext(r.file))]
	if !known {
		r.add(Place{File: r.file}, "is no manifest by its name; give a .yaml, .yml, .csv or .tsv file, or a folder")
		return
	}
	text, ok := r.readText(Place{}, r.file)
	if ok {
		read(text)
	}
}

// textLimit is how much a manifest, a file with formulas or one with an automaton may hold.
var textLimit = smalltext.Limit{Bytes: 64 << 20, Remedy: "split it"}

// readText reads a file that must be UTF-8, as all must be that gets into names and
// results. Where it cannot be read, the mistake is at the place that names it, or in
// the file itself where that is none.
func (r *reader) readText(named Place, path string) (text []byte, ok bool) {
	text, err := smalltext.Read(r.ctx, path, textLimit)
	if err != nil {
		r.unreadable(named, path, err)
		return nil, false
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	for i, line := range bytes.Split(text, []byte("\n")) {
		if !utf8.Valid(line) {
			r.add(Place{path, i + 1}, "is not UTF-8; store the file in this encoding")
			return nil, false
		}
	}
	return text, true
}

// unreadable notes that a file cannot be read, at the place that names it.
func (r *reader) unreadable(named Place, path string, err error) {
	message := inputfile.FileError(path, err).Error()
	var explained *aut.Error
	if errors.As(inputfile.FileError(path, err), &explained) {
		message = explained.Message
	}
	switch {
	case named.File == "":
		r.add(Place{File: path}, "%s", message)
	case path == "":
		r.add(named, "%s", message)
	default:
		r.add(named, "%s: %s", path, message)
	}
}

// pathOf returns where a file is that the manifest names.
func (r *reader) pathOf(name string) string {
	name = filepath.FromSlash(name)
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(r.dir, name)
}

// models returns the names of the models that an entry means.
func (r *reader) models(f field) []string {
	name := filepath.ToSlash(f.text)
	path := r.pathOf(f.text)
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		r.add(f.where, "model %s is a folder; name a file in it, or a glob such as %s/*.aut", f.text, strings.TrimSuffix(name, "/"))
		return nil
	case err == nil && !info.Mode().IsRegular():
		r.add(f.where, "model %s is no regular file; a batch reads files, and may read one again", f.text)
		return nil
	case err == nil:
		return []string{name}
	case !errors.Is(err, fs.ErrNotExist) || !strings.ContainsAny(f.text, "*?["):
		r.unreadable(f.where, "model "+f.text, err)
		return nil
	case strings.Contains(f.text, "**"):
		r.add(f.where, "model %s: ** is not understood; write a glob for each level, or give a folder in place of the manifest", f.text)
		return nil
	}
	return r.glob(f, name, path)
}

func (r *reader) glob(f field, name, path string) []string {
	found, err := globFiles(r.ctx, path)
	if r.ctx.Err() != nil {
		return nil
	}
	if err != nil {
		r.add(f.where, "model %s: the glob has an unclosed [; close it, or write a backslash before it", f.text)
		return nil
	}
	var names []string
	for _, file := range found {
		if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
			continue
		}
		shown := file
		if !filepath.IsAbs(filepath.FromSlash(name)) {
			if shown, err = filepath.Rel(r.dir, file); err != nil {
				shown = file
			}
		}
		if !utf8.ValidString(shown) {
			r.add(f.where, "model %q: its name is not UTF-8; rename it", shown)
			continue
		}
		names = append(names, filepath.ToSlash(shown))
	}
	if len(names) == 0 {
		r.add(f.where, "model %s: no file matches; globs are relative to the folder of the manifest, %s", f.text, r.dir)
	}
	return names
}

// nameAll gives names to jobs that have none: the model and the formula, and a number
// where that is taken. It depends on nothing but the manifest.
func (r *reader) nameAll() {
	taken := map[string]Place{}
	for i := range r.drafts {
		d := &r.drafts[i]
		if !d.given {
			continue
		}
		if first, is := taken[d.Name]; is {
			r.add(d.Where, "the name %q is taken by %s; names are unique in a batch", d.Name, first)
			continue
		}
		taken[d.Name] = d.Where
	}
	last := map[string]int{}
	for i := range r.drafts {
		d := &r.drafts[i]
		if d.given {
			continue
		}
		name := d.Name
		for n := max(2, last[d.Name]); ; n++ {
			if _, is := taken[name]; !is {
				break
			}
			name = fmt.Sprintf("%s (%d)", d.Name, n)
			last[d.Name] = n
		}
		d.Name = name
		taken[name] = d.Where
	}
}
