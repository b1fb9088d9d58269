package batch

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/contained"
	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/internal/explain/specification"
	"github.com/inev-lts/inev/internal/format/frontend"
	"github.com/inev-lts/inev/internal/formula/hoa"
	"github.com/inev-lts/inev/internal/formula/liveness"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/options"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/required"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/internal/stoppable"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// Manifest has the jobs of a batch.
type Manifest struct {
	// File is the manifest, as the user named it.
	File string
	// Jobs are in the order of the manifest. The jobs of a glob are in the order of the file names,
	// those of a file with formulas in the order of its lines. The names of jobs are unique.
	Jobs []Job
}

// String returns the file and the names of the jobs, such as: nightly.yaml: 2 jobs: abp, mutex.
func (m *Manifest) String() string {
	text := m.File + ": " + printable.Quantity(len(m.Jobs), "job")
	if len(m.Jobs) == 0 {
		return text
	}
	shown := m.Jobs[:min(len(m.Jobs), mostPrinted)]
	names := make([]string, len(shown))
	for i, j := range shown {
		names[i] = printable.Text(j.Name)
	}
	if len(m.Jobs) > len(shown) {
		names = append(names, fmt.Sprintf("… (%d more)", len(m.Jobs)-len(shown)))
	}
	return text + ": " + strings.Join(names, ", ")
}

// AllowingUnmatched returns the manifest with all jobs allowed to have steps that no
// label of their model does. Cost O(number of jobs).
func (m *Manifest) AllowingUnmatched() *Manifest {
	return m.changed(func(j *Job) { j.Options.AllowUnmatched = true })
}

// changed returns a copy with a change in each job.
func (m *Manifest) changed(change func(*Job)) *Manifest {
	jobs := slices.Clone(m.Jobs)
	for i := range jobs {
		change(&jobs[i])
	}
	return &Manifest{m.File, jobs}
}

// CountingParts returns the manifest with jobs whose actions also match multi-actions that they are
// parts of, see [actl.WithParts]. Cost O(number of jobs).
func (m *Manifest) CountingParts() *Manifest {
	return m.changed(func(j *Job) { j.Options.Parts = true })
}

// Open reads a manifest and checks all that can be checked without reading models.
// By its suffix it is
//
//   - .yaml or .yml: a list jobs of entries, and an entry defaults, which holds for
//     all jobs where they say nothing else (tags add up);
//   - .csv or .tsv: a line for each entry, below one with the names of the fields;
//     lines that begin with # are comments;
//   - .svl: a script of CADP, whose verifications by evaluator are jobs, about files that exist or that
//     the script generates of such; shell commands are not run, and all else is refused;
//   - a folder: it and the folders in it are searched for models X.aut, which may be
//     compressed (X.aut.gz, .zst, .bz2), or else X.exp, X.lts or X.fsm, with
//     formulas in X.inev, or one in X.mcl or X.mcf, beside.
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
//	faults         the least number of some actions that a violation should take, such as
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
//	tla            the specification of a graph of TLC, relative to the manifest, as inev explain
//	               --tla takes it; without a formula there is a job for each property of its
//	               configuration
//	cfg            the configuration of TLC for a .tla file, relative to the manifest
//	hide_labels, rename, cut
//	               rules that change the labels of the model before all else: a file of CADP,
//	               relative to the manifest, or the rules, as inev explain --hide-labels takes them
//	front_end      who composes a network (.exp): inev, or cadp
//	front_end_option
//	               a list of options for what makes the model, such as -root; in tables between
//	               semicolons
//	neighbourhood, unfold, scc, search_limit, decisions, pattern, lenient,
//	allow_unmatched, parts
//	               as the flags of inev explain; also with - for _
//
// and makes a job for each pair of its models and formulas.
//
// A file that an entry names and that is missing or cannot be read, the model included, and a formula that cannot be
// read, are mistakes of its jobs alone, which fail: [Job].Refused says why. Everything else that is wrong is a mistake of
// the manifest. The error is a *[ManifestError] with every mistake, unless ctx is done. Cost O(size of the manifest and of the files with formulas), and a few system calls for each model.
func Open(ctx context.Context, path string) (*Manifest, error) {
	if err := required.Argument("ctx", ctx); err != nil {
		return nil, err
	}
	r := newReader(ctx, path)
	info, err := os.Stat(path)
	switch {
	case err != nil:
		r.unreadable(Position{File: path}, "", err)
	case info.IsDir():
		r.dir = path
		r.readFolder()
	default:
		r.readFile()
	}
	return r.manifest()
}

// Holding returns the manifest that m.File would be with this content, for an editor whose text is
// not stored yet. It reads no field of m but File. Errors and cost as for [Open].
func (m *Manifest) Holding(ctx context.Context, content []byte) (*Manifest, error) {
	r := newReader(ctx, m.File)
	r.content = &content
	r.readFile()
	return r.manifest()
}

func newReader(ctx context.Context, path string) *reader {
	return &reader{
		ctx:      ctx,
		file:     path,
		dir:      filepath.Dir(path),
		longest:  longestReading,
		formulas: map[string][]written{},
		sources:  map[string]*Source{},
	}
}

// manifest returns the manifest that was read, or its mistakes.
func (r *reader) manifest() (*Manifest, error) {
	if err := r.ctx.Err(); err != nil {
		return nil, err
	}
	if len(r.mistakes) > 0 {
		r.mistakes = append(r.mistakes, r.refused...)
	}
	if len(r.drafts) == 0 && len(r.mistakes) == 0 {
		remedy := "an entry names a model and a formula"
		if r.folder {
			remedy = "a job is a model X.aut with formulas, one a line, in X.inev beside it, or with one in X.mcl or X.mcf"
		}
		r.add(Position{File: r.file}, "holds no job; %s", remedy)
	}
	r.nameJobs()
	if len(r.mistakes) > 0 {
		r.sortMistakes()
		return nil, &ManifestError{r.mistakes}
	}
	m := &Manifest{File: r.file, Jobs: make([]Job, len(r.drafts))}
	for i, d := range r.drafts {
		m.Jobs[i] = d.Job
	}
	return m, nil
}

// nameJobs checks the names that the manifest gives. Jobs without a name are called by model and formula, with
// a number if that name is taken: names depend on the manifest alone.
func (r *reader) nameJobs() {
	taken := r.givenNames()
	last := map[string]int{} // the last number that was tried for a name
	for i := range r.drafts {
		d := &r.drafts[i]
		if d.given {
			continue
		}
		name := d.Name
		for n := max(2, last[d.Name]); ; n++ {
			_, isTaken := taken[name]
			if !isTaken {
				break
			}
			name = fmt.Sprintf("%s (%d)", d.Name, n)
			last[d.Name] = n
		}
		d.Name = name
		taken[name] = d.Where
	}
}

// givenNames returns the positions of the names that the manifest gives. A name that is given twice is a
// mistake.
func (r *reader) givenNames() map[string]Position {
	positions := map[string]Position{}
	for i := range r.drafts {
		d := &r.drafts[i]
		if !d.given {
			continue
		}
		first, isTaken := positions[d.Name]
		if isTaken {
			r.add(d.Where, "the name %q is taken by %s; names are unique in a batch", d.Name, first)
			continue
		}
		positions[d.Name] = d.Where
	}
	return positions
}

// sortMistakes sorts mistakes by files and lines. Mistakes of the manifest itself come first.
func (r *reader) sortMistakes() {
	slices.SortStableFunc(r.mistakes, func(a, b Mistake) int {
		if a.Where.File != b.Where.File {
			switch r.file {
			case a.Where.File:
				return -1
			case b.Where.File:
				return 1
			}
		}
		return cmp.Or(strings.Compare(a.Where.File, b.Where.File),
			cmp.Compare(a.Where.Line, b.Where.Line))
	})
}

// reader reads one manifest.
type reader struct {
	mistakes []Mistake
	// refused are the mistakes of single jobs. They become mistakes of the manifest if the manifest has others.
	refused []Mistake
	// entryRefusals are the mistakes of all jobs of the entry that is being read.
	entryRefusals []string
	ctx           context.Context
	file          string        // the manifest
	content       *[]byte       // the content of the manifest, nil to read the file
	dir           string        // the folder to which names in the manifest are relative
	longest       time.Duration // how long a property may be read
	// folder reports whether the manifest is a folder.
	folder bool
	drafts []draft
	// formulas are the formulas of the files read so far, by their paths.
	formulas map[string][]written
	// sources are the specifications that have been read, by their paths.
	sources map[string]*Source
}

// draft is a job that may lack a name.
type draft struct {
	Job
	// given reports whether the manifest gives a name to this job alone: not to an entry with
	// several jobs.
	given bool
}

// readFile reads the manifest in the format that its name says.
func (r *reader) readFile() {
	var read func([]byte)
	switch strings.ToLower(filepath.Ext(r.file)) {
	case ".yaml", ".yml":
		read = r.readYAML
	case ".csv":
		read = func(text []byte) { r.readTable(text, ',') }
	case ".tsv":
		read = func(text []byte) { r.readTable(text, '\t') }
	case ".svl":
		read = r.readSVL
	default:
		r.add(Position{File: r.file},
			"is not a manifest; give a .yaml, .yml, .csv or .tsv file, a script .svl of CADP, or a folder")
		return
	}
	text, ok := r.readText(r.file)
	if ok {
		read(text)
	}
}

// textLimit bounds the size of a manifest, of a file with formulas and of one with an
// automaton.
var textLimit = inputfile.Limit{Bytes: 64 << 20, Remedy: "split it"}

// readText reads the manifest.
func (r *reader) readText(path string) (text []byte, ok bool) {
	text, wrong := r.textOf(Position{}, path)
	if wrong != nil {
		r.mistakes = append(r.mistakes, *wrong)
	}
	return text, wrong == nil
}

// textOf reads a file, which must be UTF-8, since its text gets into names and results. The
// position of a mistake is named, where the manifest names the file; if named is zero, it is the
// file itself.
func (r *reader) textOf(named Position, path string) (text []byte, wrong *Mistake) {
	var err error
	switch {
	case path != r.file:
		text, err = inputfile.ReadRegular(r.ctx, path, textLimit)
	case r.content != nil:
		text = *r.content
	default: // the manifest itself may come from a pipe
		text, err = inputfile.Read(r.ctx, path, textLimit)
	}
	if err != nil {
		return nil, unreadable(named, path, err)
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	for i, line := range bytes.Split(text, []byte("\n")) {
		if !utf8.Valid(line) {
			return nil, &Mistake{
				Where:   Position{path, i + 1},
				Message: "is not UTF-8; store the file in this encoding",
			}
		}
	}
	return text, nil
}

// refuse keeps a mistake of single jobs, and returns its text for [Job].Refused.
func (r *reader) refuse(m Mistake) string {
	r.refused = append(r.refused, m)
	return m.String()
}

// refuseEntry refuses all jobs of the entry that is being read.
func (r *reader) refuseEntry(m Mistake) { r.entryRefusals = append(r.entryRefusals, r.refuse(m)) }

// unreadable adds the mistake that the manifest cannot be read.
func (r *reader) unreadable(named Position, path string, err error) {
	r.mistakes = append(r.mistakes, *unreadable(named, path, err))
}

// unreadable returns the mistake that a file cannot be read, at named, the position in the manifest
// that names it.
func unreadable(named Position, path string, err error) *Mistake {
	message := inputfile.FileError(path, err).Error()
	var explained *inputfile.Error
	if errors.As(inputfile.FileError(path, err), &explained) {
		message = explained.Message
	}
	switch {
	case named.File == "":
		return &Mistake{Where: Position{File: path}, Message: message}
	case path == "":
		return &Mistake{Where: named, Message: message}
	default:
		return &Mistake{Where: named, Message: path + ": " + message}
	}
}

// pathOf returns the path of a file that the manifest names.
func (r *reader) pathOf(name string) string {
	name = filepath.FromSlash(name)
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(r.dir, name)
}

// models returns the paths of the models of an entry: one, or those that match its glob. If no
// model can be read, it refuses the jobs of the entry, and returns the name that the entry gives.
func (r *reader) models(f field) []string {
	_, err := os.Stat(r.pathOf(f.text))
	isGlob := errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(f.text, "*?[")
	if isGlob {
		return r.modelsMatching(f)
	}
	if unusable := r.unusableModel(f); unusable != nil {
		r.refuseEntry(*unusable)
	}
	return []string{filepath.ToSlash(f.text)}
}

// unusableModel returns why the model that an entry names cannot be read, nil if it can.
func (r *reader) unusableModel(f field) *Mistake {
	path := r.pathOf(f.text)
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return unreadable(f.where, "model "+f.text, err)
	case info.IsDir():
		folder := strings.TrimSuffix(filepath.ToSlash(f.text), "/")
		return &Mistake{Where: f.where, Message: fmt.Sprintf("model %s is a folder; name a file in it, or a glob such as %s/*.aut", f.text, folder)}
	case !info.Mode().IsRegular():
		return &Mistake{
			Where:   f.where,
			Message: fmt.Sprintf("model %s is not a regular file; a batch reads files, and may read one again", f.text),
		}
	}
	file, err := inputfile.OpenRegular(r.ctx, path)
	if err == nil {
		_ = file.Close()
		return nil
	}
	if r.ctx.Err() != nil {
		return nil
	}
	return unreadable(f.where, "model "+f.text, err)
}

// modelsMatching returns the paths of the models that match the glob of an entry, with slashes.
func (r *reader) modelsMatching(f field) []string {
	if strings.Contains(f.text, "**") {
		r.add(f.where,
			"model %s: ** is not understood; write a glob for each level, or give a folder in place of the manifest", f.text)
		return nil
	}
	found, err := inputfile.Glob(r.ctx, r.pathOf(f.text))
	switch {
	case r.ctx.Err() != nil:
		return nil
	case errors.Is(err, filepath.ErrBadPattern):
		r.add(f.where,
			"model %s: the glob has an unclosed [; close it, or write a backslash before it", f.text)
		return nil
	case err != nil:
		r.add(f.where, "model %s: %v", f.text, err)
		return nil
	}
	isAbsolute := filepath.IsAbs(filepath.FromSlash(f.text))
	var names []string
	for _, file := range found {
		info, err := os.Stat(file)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		shown := file
		if relative, err := filepath.Rel(r.dir, file); err == nil && !isAbsolute {
			shown = relative
		}
		if !utf8.ValidString(shown) {
			r.add(f.where, "model %q: its name is not UTF-8; rename it", shown)
			continue
		}
		names = append(names, filepath.ToSlash(shown))
	}
	if len(names) == 0 {
		r.refuseEntry(Mistake{
			Where:   f.where,
			Message: fmt.Sprintf("model %s: no file matches; globs are relative to the folder of the manifest, %s", f.text, r.dir),
		})
		return []string{filepath.ToSlash(f.text)}
	}
	return names
}

// readStates reads the file with the values of states that an entry names.
func (r *reader) readStates(e entry, job *Job, models []string) {
	f, isGiven := e.fields["states"]
	if !isGiven || f.wrong {
		return
	}
	path := r.pathOf(f.text)
	digest, err := Digest(r.ctx, path)
	switch {
	case len(models) > 1:
		r.add(f.where,
			"states: %s has the values of one model, and the entry names %d; give each an entry of its own", f.text, len(models))
	case err != nil && r.ctx.Err() == nil:
		r.refuseEntry(*unreadable(f.where, "states "+f.text, errors.Unwrap(err)))
	default:
		job.States = &File{File: f.text, Path: path, Digest: digest}
	}
}

// readSource reads the specification that an entry names.
func (r *reader) readSource(e entry, job *Job) {
	f, isGiven := e.fields["source"]
	if !isGiven || f.wrong {
		return
	}
	var paths []string
	for _, name := range f.texts() {
		paths = append(paths, r.pathOf(strings.TrimSpace(name)))
	}
	key := strings.Join(paths, "\x00")
	if known, isKnown := r.sources[key]; isKnown {
		job.Source = known
		return
	}
	files, err := specification.Read(r.ctx, paths)
	if err != nil {
		if r.ctx.Err() == nil {
			r.refuseEntry(mistakeOf(f.where, "source", err))
		}
		return
	}
	job.Source = &Source{Paths: paths, Digest: files.Digest(), files: files}
	r.sources[key] = job.Source
}

// read returns the values of states in the file, for a model with numStates states. It fails if the
// file has changed since the manifest was read.
func (f *File) read(ctx context.Context, numStates int) (*lts.Values, error) {
	opened, err := inputfile.OpenRegular(ctx, f.Path)
	if err != nil {
		return nil, inputfile.FileError(f.Path, err)
	}
	defer opened.Close()
	sum := sha256.New()
	in := io.TeeReader(opened, sum)
	table, err := lts.ReadValues(ctx, in, f.File, numStates)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if _, err := io.Copy(io.Discard, stoppable.EachRead(ctx, in)); err != nil {
		return nil, inputfile.FileError(f.Path, err)
	}
	// The digest is that of the bytes that were read, and a changed digest is reported before any
	// mistake in the new content.
	if hex.EncodeToString(sum.Sum(nil)) != f.Digest {
		return nil, fmt.Errorf("%s: the values of states have changed since the manifest was read; run the batch again", f.File)
	}
	return table, err
}

// WithSource returns the manifest with these files and folders as the specification of jobs that
// name none. It fails if one of the files cannot be read.
func (m *Manifest) WithSource(ctx context.Context, paths []string) (*Manifest, error) {
	files, err := specification.Read(ctx, paths)
	if err != nil {
		return nil, err
	}
	source := &Source{Paths: paths, Digest: files.Digest(), files: files}
	return m.changed(func(j *Job) { j.Source = cmp.Or(j.Source, source) }), nil
}

// smallFile returns a small file that the manifest names at a position, nil if it cannot be read.
func (r *reader) smallFile(where Position, field, name string) *File {
	text, err := inputfile.ReadRegular(r.ctx, r.pathOf(name), textLimit)
	if err != nil {
		r.refuseEntry(*unreadable(where, field+" "+name, err))
		return nil
	}
	return &File{File: name, Path: r.pathOf(name), Digest: sum(text)}
}

// content returns the content of a small file. It fails if that has changed since the manifest was
// read. For the error, subject names the content, with its verb: "the lanes have".
func (f *File) content(ctx context.Context, subject string) ([]byte, error) {
	text, err := inputfile.ReadRegular(ctx, f.Path, textLimit)
	if err != nil {
		return nil, inputfile.FileError(f.Path, err)
	}
	if sum(text) != f.Digest {
		return nil, fmt.Errorf("%s: %s changed since the manifest was read; run the batch again", f.File, subject)
	}
	return text, nil
}

// readConfig reads the path of the configuration for the models of an entry.
func (r *reader) readConfig(e entry, job *Job, models []string) {
	name := job.Options.Config
	if name == "" {
		return
	}
	f := e.fields["cfg"]
	_, isSpecified := e.fields["tla"]
	for _, model := range models {
		if !isSpecified && !strings.EqualFold(filepath.Ext(model), ".tla") {
			r.add(f.where, "cfg is for specifications in TLA+, and %s is none", model)
			return
		}
	}
	job.Config = r.smallFile(f.where, "cfg", name)
}

// checkFrontEnd refuses options for a front end if a model of the entry is not made by one.
func (r *reader) checkFrontEnd(e entry, job *Job, models []string) {
	if len(job.Options.FrontEndOptions) == 0 {
		return
	}
	name := string(options.FrontEndOption)
	for _, model := range models {
		made := frontend.Specification{Path: r.pathOf(model)}
		if made.Made() == "" {
			r.add(e.fields[name].where, "%s: %s is a model already, and no front end makes it",
				name, model)
			return
		}
	}
}

// isJust reports whether justness is assumed.
func (o *Options) isJust() bool { return slices.Contains(o.Fair, actl.Just.String()) }

// readLanes reads the field lanes, and reports a mistake if justness is assumed without it.
func (r *reader) readLanes(e entry, job *Job, models []string) {
	if job.Options.isJust() && job.Options.Lanes == "" && !areNetworks(models, job.Options.FrontEnd) {
		r.add(e.fields["fair"].where,
			"fair: just needs lanes, the components that each action needs; add them")
	}
	if job.Options.Blocking != "" && !job.Options.isJust() {
		r.add(e.fields["blocking"].where,
			"blocking: just runs may stop before these actions; add fair: just")
	}
	f, isGiven := e.fields["lanes"]
	if !isGiven || f.wrong || job.Options.Lanes == "" {
		return
	}
	name := job.Options.Lanes
	if name == "auto" {
		r.add(f.where,
			"lanes: auto is a guess, to be read first; let inev explain write it to a file, and name that")
		return
	}
	if !view.IsLanesPattern(name) {
		job.Lanes = r.smallFile(f.where, "lanes", name)
		if job.Lanes == nil {
			return
		}
	}
	_, err := job.lanes(r.ctx)
	switch {
	case err == nil || r.ctx.Err() != nil:
	case job.Lanes != nil:
		r.refuseEntry(Mistake{Where: f.where, Message: fmt.Sprintf("lanes: %v", err)})
	default:
		r.add(f.where, "lanes: %v", err)
	}
}

// areNetworks reports whether there are models, and all are composed of components.
func areNetworks(models []string, frontEnd string) bool {
	for _, model := range models {
		s := frontend.Specification{Path: model, FrontEnd: frontEnd}
		if !s.IsComposed() {
			return false
		}
	}
	return len(models) > 0
}

// specification returns the specification that a front end makes the model of.
func (j Job) specification() frontend.Specification {
	s := frontend.Specification{
		Path:     j.Path,
		FrontEnd: j.Options.FrontEnd,
		Options:  j.Options.FrontEndOptions,
	}
	if j.Config != nil {
		s.Config = j.Config.Path
	}
	return s
}

// written is a property as the text of the manifest or of a file, with its position.
type written struct {
	text  string
	where Position
	// automaton is the file of the property, nil for a formula.
	automaton *File
	// isModal is [Job.Modal].
	isModal bool
	// refused is the error of a formula that cannot be read, else "".
	refused string
	// digest covers all files of the TLA+ specification, for a graph that TLC has written.
	digest string
}

// formulasOf returns the formulas of an entry. A formula that cannot be read is a mistake of its
// own jobs only.
func (r *reader) formulasOf(e entry, job *Job) []written {
	if e.formula != nil {
		return []written{*e.formula}
	}
	var given []string // the fields of the entry that give a property
	for _, name := range propertyFields {
		f, isGiven := e.fields[name]
		if !isGiven {
			continue
		}
		if f.wrong {
			return nil
		}
		given = append(given, name)
	}
	specification, isSpecified := e.fields["tla"]
	switch {
	case isSpecified && specification.wrong:
		return nil
	case isSpecified && len(given) > 0 && given[0] != "formula":
		r.add(e.fields[given[0]].where,
			"%s does not go with tla, which takes a formula, or the properties of its configuration", given[0])
		return nil
	case isSpecified:
		return r.specifiedFormulas(e, job)
	case len(given) == 0:
		r.add(e.where, "formula is missing; give formula, formula_file or hoa")
		return nil
	case len(given) > 1:
		r.add(e.fields[given[1]].where, "both %s and %s given; leave one of them out", given[0],
			given[1])
		return nil
	}
	f := e.fields[given[0]]
	switch given[0] {
	case "formula_file":
		return r.formulasIn(f.where, f.text, r.pathOf(f.text))
	case "hoa":
		return r.automatonIn(f)
	}
	return []written{r.parse(r.dir, f.where, f.text)}
}

// specifiedFormulas returns the formulas of an entry that names a TLA+ specification, which is set in the
// job: the formula that the entry gives, or all properties of the configuration.
func (r *reader) specifiedFormulas(e entry, job *Job) []written {
	f := e.fields["tla"]
	job.TLA = &File{File: f.text, Path: r.pathOf(f.text)}
	formula, isGiven := e.fields["formula"]
	where := f.where
	if isGiven {
		where = formula.where
	}
	texts := []string{formula.text}
	s, err := job.load(r.ctx)
	if err == nil && !isGiven {
		texts, err = s.Properties()
	}
	if err != nil {
		refused := r.refuse(Mistake{Where: f.where, Message: fmt.Sprintf("tla: %v", err)})
		return []written{{text: cmp.Or(formula.text, f.text), where: where, refused: refused}}
	}
	var all []written
	for _, text := range texts {
		all = append(all, r.specifiedFormula(job, where, text))
	}
	return all
}

// specifiedFormula reads a property of a TLA+ specification.
func (r *reader) specifiedFormula(job *Job, where Position, text string) written {
	var digest string
	err := r.inTime(func(ctx context.Context) error {
		s, err := job.load(ctx)
		if err != nil {
			return err
		}
		digest = s.Digest()
		_, err = s.Instances(text)
		return err
	})
	if err != nil && !isPanic(err) {
		return written{
			text:    text,
			where:   where,
			refused: r.refuse(mistakeOf(where, "formula", err)),
		}
	}
	return written{text: text, where: where, digest: digest}
}

// automatonIn returns the property that the automaton of a file is.
func (r *reader) automatonIn(f field) []written {
	path := r.pathOf(f.text)
	return r.propertiesIn(f.where, f.text, path, func(text []byte) []written {
		var automaton property.Formula
		err := r.inTime(func(ctx context.Context) (err error) {
			automaton, err = hoa.Read(ctx, bytes.NewReader(text), f.text)
			return err
		})
		file := &File{File: f.text, Path: path, Digest: sum(text)}
		if err == nil {
			return []written{{text: automaton.String(), where: f.where, automaton: file}}
		}
		if isPanic(err) {
			return []written{{text: f.text, where: f.where, automaton: file}}
		}
		mistake := mistakeOf(f.where, "hoa", err)
		var wrong *hoa.Error
		if errors.As(err, &wrong) {
			mistake = Mistake{
				Where:   Position{path, wrong.Line},
				Message: wrong.Message,
				Caret:   wrong.Caret(),
			}
		}
		return []written{{text: f.text, where: f.where, refused: r.refuse(mistake)}}
	})
}

// longestReading is how long a property of a manifest may be read: a short text can ask for work without
// end, and the other jobs wait meanwhile.
const longestReading = 10 * time.Second

// inTime calls read, which reads a property, with a context that ends after r.longest. It returns a panic
// in read as an error.
func (r *reader) inTime(read func(context.Context) error) error {
	ctx, stop := context.WithTimeout(r.ctx, r.longest)
	defer stop()
	err := contained.Call(func() error { return read(ctx) })
	if errors.Is(err, context.DeadlineExceeded) && r.ctx.Err() == nil {
		return fmt.Errorf("reading it takes longer than %v; simplify it", r.longest)
	}
	return err
}

// isPanic reports whether reading a property ended by a panic. The job then reads its property
// again and panics again, so that its result has the panic, and its log the stack.
func isPanic(err error) bool {
	var p *contained.Panic
	return errors.As(err, &p)
}

// parse reads a formula at a position: the whole text if its file holds one formula. It replaces the
// name of a library of macros by the text of the library.
func (r *reader) parse(folder string, where Position, text string) written {
	var f asked
	isWholeFile := formula.IsModal(where.File)
	err := r.inTime(func(ctx context.Context) (err error) {
		ctx = formula.WithLibraries(ctx, folder)
		if isWholeFile {
			f, err = readAskedFile(ctx, where.File, text)
		} else {
			f, err = readAsked(ctx, text, false)
		}
		return err
	})
	if isWholeFile {
		text = strings.Join(strings.Fields(text), " ")
	}
	if isPanic(err) {
		return written{text: text, where: where}
	}
	if err != nil {
		return written{
			text:    text,
			where:   where,
			refused: r.refuse(mistakeOf(where, "formula", err)),
		}
	}
	if isWholeFile || strings.Contains(text, "end_library") {
		text = f.String()
	}
	return written{text: text, where: where, isModal: f.isModal()}
}

// propertiesIn returns the properties that read finds in a file, or one property that is refused if
// the file cannot be read. Mistakes of a file are reported once, however many entries name it.
func (r *reader) propertiesIn(
	named Position,
	name, path string,
	read func(text []byte) []written,
) []written {
	if known, isKnown := r.formulas[path]; isKnown {
		return known
	}
	text, wrong := r.textOf(named, path)
	if wrong == nil {
		r.formulas[path] = read(text)
	} else if r.ctx.Err() == nil {
		r.formulas[path] = []written{{text: name, where: named, refused: r.refuse(*wrong)}}
	}
	return r.formulas[path]
}

// formulasIn returns the formulas of a file, one a line.
func (r *reader) formulasIn(named Position, name, path string) []written {
	return r.propertiesIn(named, name, path, func(text []byte) (all []written) {
		if formula.IsModal(path) {
			return []written{r.parse(filepath.Dir(path), Position{File: path}, string(text))}
		}
		for i, line := range bytes.Split(text, []byte("\n")) {
			content := strings.TrimSpace(string(line))
			if content == "" || content[0] == '#' {
				continue
			}
			if r.ctx.Err() != nil {
				return nil
			}
			all = append(all, r.parse(filepath.Dir(path), Position{path, i + 1}, content))
		}
		if len(all) == 0 {
			refused := r.refuse(Mistake{
				Where:   Position{File: path},
				Message: "holds no formula; write one a line, such as Inev(A, B)",
			})
			all = []written{{text: name, where: Position{File: path}, refused: refused}}
		}
		return all
	})
}

// String returns "FILE:LINE", without the line if it is 0.
func (p Position) String() string {
	if p.Line == 0 {
		return p.File
	}
	return p.File + ":" + strconv.Itoa(p.Line)
}

// Mistake is something in a manifest that has to be mended.
type Mistake struct {
	Where Position
	// Message is one line: what is wrong, and what to do about it.
	Message string
	// Caret is "", or two lines that show the position of a mistake within a formula.
	Caret string
	// Unknown is the name of a field that is not known, and Nearest the field that was probably meant; "" if the mistake is
	// another one, and if no field is similar.
	Unknown, Nearest string
}

// String returns "FILE:LINE: message".
func (m Mistake) String() string { return m.Where.String() + ": " + m.Message }

// ManifestError holds all mistakes of a manifest, in the order of its lines.
type ManifestError struct{ Mistakes []Mistake }

// Error returns a line for each mistake.
func (e *ManifestError) Error() string {
	lines := make([]string, len(e.Mistakes))
	for i, m := range e.Mistakes {
		lines[i] = m.String()
	}
	return strings.Join(lines, "\n")
}

func (r *reader) add(where Position, format string, args ...any) {
	r.mistakes = append(r.mistakes, Mistake{Where: where, Message: fmt.Sprintf(format, args...)})
}

// unknown adds the mistake that there is no field with the name that was written. The message
// proposes the name most similar to like or, if no name is similar, gives the hint. unknown returns
// the most similar name, "" if there is none.
func (r *reader) unknown(
	where Position,
	written, like string,
	names []string,
	hint string,
) string {
	best, similar := options.Nearest(like, names)
	if similar {
		hint = fmt.Sprintf("did you mean %s?", best)
	}
	message := fmt.Sprintf("unknown field %q; %s", written, hint)
	r.mistakes = append(r.mistakes, Mistake{
		Where:   where,
		Message: message,
		Unknown: written,
		Nearest: best,
	})
	return best
}

// readFolder makes jobs of the models X.aut that have formulas in X.inev, X.mcl or X.mcf beside them. Names
// that begin with a dot are skipped.
func (r *reader) readFolder() {
	r.folder = true
	// The trailing separator makes WalkDir enter a folder that is itself a link; links inside
	// are not followed, for they may lead back.
	root := r.dir + string(filepath.Separator)
	err := inputfile.Walk(r.ctx, root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			r.unreadable(Position{}, path, err)
		case path != root && strings.HasPrefix(entry.Name(), "."):
			if entry.IsDir() {
				return fs.SkipDir
			}
		case !entry.IsDir() && slices.Contains(pairedSuffixes, filepath.Ext(path)):
			r.readPair(path)
		}
		return nil
	})
	if err != nil && r.ctx.Err() == nil {
		r.unreadable(Position{}, r.dir, err)
	}
}

// pairedSuffixes are the suffixes of files with formulas about the model of the same name beside them. Only the first is
// inev's own: files with the others may be libraries, without a model.
var pairedSuffixes = []string{".inev", ".mcl", ".mcf"}

// readPair makes jobs of a file with formulas and the models of the same name beside it. X.inev without
// a model makes jobs about the missing X.aut, which fail.
func (r *reader) readPair(path string) {
	formulas, wrong := filepath.Rel(r.dir, path)
	base := strings.TrimSuffix(path, filepath.Ext(path))
	models := r.modelsOf(path, base, ".aut", ".aut.gz", ".aut.zst", ".aut.bz2")
	if len(models) == 0 {
		models = r.modelsOf(path, base, ".exp", ".lts", ".fsm")
	}
	for _, model := range models {
		r.addJobsOf(entry{
			where:  Position{File: path},
			fields: map[string]field{"model": {text: model}, "formula_file": {text: formulas}},
		})
	}
	if len(models) > 0 || filepath.Ext(path) != pairedSuffixes[0] {
		return
	}
	if wrong != nil || !utf8.ValidString(formulas) {
		r.add(Position{File: path}, "its name is not UTF-8; rename it")
		return
	}
	model := field{
		where: Position{File: path},
		text:  strings.TrimSuffix(formulas, pairedSuffixes[0]) + ".aut",
	}
	r.addJobsOf(entry{
		where:  Position{File: path},
		fields: map[string]field{"model": model, "formula_file": {text: formulas}},
	})
}

// modelsOf returns the models of this name with some suffixes, relative to the folder; path has the formulas.
func (r *reader) modelsOf(path, base string, suffixes ...string) (models []string) {
	for _, suffix := range suffixes {
		name, err := filepath.Rel(r.dir, base+suffix)
		info, missing := os.Stat(base + suffix)
		if err != nil || missing != nil || !info.Mode().IsRegular() {
			continue
		}
		if !utf8.ValidString(name) {
			r.add(Position{File: path}, "model %q: its name is not UTF-8; rename it", name)
			continue
		}
		models = append(models, name)
	}
	return models
}

// readTable reads a manifest of lines with the same fields. Between tabs, quotes are ordinary
// characters, as formulas need them; between commas, RFC 4180 holds.
func (r *reader) readTable(text []byte, comma rune) {
	rows := csv.NewReader(bytes.NewReader(text))
	rows.Comma = comma
	rows.Comment = '#'
	rows.FieldsPerRecord = -1
	rows.LazyQuotes = comma == '\t'
	var columns []string
	for r.ctx.Err() == nil {
		cells, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			r.addRowError(err)
			return
		}
		where := func(i int) Position {
			line, _ := rows.FieldPos(i)
			return Position{r.file, line}
		}
		switch {
		case columns == nil:
			columns = r.readColumns(where(0), cells)
		case len(cells) != len(columns):
			r.add(where(0),
				"has %d fields, where the first line names %d; put fields that hold the separator in double quotes", len(cells), len(columns))
		default:
			r.addJobsOf(entryOfRow(columns, cells, where))
		}
	}
}

// addRowError reports a line of a table that cannot be read.
func (r *reader) addRowError(err error) {
	var parse *csv.ParseError
	if errors.As(err, &parse) {
		r.add(Position{r.file, parse.Line},
			"%v (column %d); put a field that contains quotes in quotes, and double the quotes inside: \"Inev(\"\"A !1\"\")\"", parse.Err, parse.Column)
		return
	}
	r.add(Position{File: r.file}, "cannot be read: %v", err)
}

// entryOfRow returns the entry of a line of a table. An empty cell leaves its field out.
func entryOfRow(columns, cells []string, where func(column int) Position) entry {
	e := entry{where: where(0), fields: map[string]field{}}
	for i, name := range columns {
		text := strings.TrimSpace(cells[i])
		if name != "" && text != "" {
			e.fields[name] = field{where: where(i), text: text}
		}
	}
	return e
}

// readColumns reads the names of the fields; the result has "" for unknown ones.
func (r *reader) readColumns(where Position, cells []string) []string {
	columns := make([]string, len(cells))
	seen := map[string]bool{}
	for i, cell := range cells {
		name, known := fieldOf(cell)
		switch {
		case !known:
			r.unknownField(where, cell)
		case seen[name]:
			r.add(where, "field %s is named twice; leave one out", name)
		default:
			columns[i] = name
		}
		seen[name] = true
	}
	if !seen["model"] {
		r.add(where,
			"no field is named model; the first line names the fields, such as model and formula")
	}
	return columns
}

// readYAML reads a manifest in YAML. It walks the nodes, which know their lines: a decoder
// would stop at the first mistake.
func (r *reader) readYAML(text []byte) {
	root := r.parseYAML(text)
	if root == nil {
		return
	}
	if root.Kind != yaml.MappingNode {
		r.add(r.at(root),
			"expected the fields defaults and jobs, found %s; write jobs: before the list", described(root))
		return
	}
	defaults := map[string]field{}
	var entries []entry
	r.eachField(root, func(name string, key, item *yaml.Node) {
		switch name {
		case "defaults":
			if e, ok := r.readEntry(item); ok {
				defaults = r.asDefaults(e)
			}
		case "jobs":
			entries = append(entries, r.readJobs(item)...)
		default:
			r.unknown(r.at(key), name, name, []string{"defaults", "jobs"},
				"a manifest has the fields defaults and jobs")
		}
	})
	for _, e := range entries {
		if r.ctx.Err() != nil {
			return
		}
		r.addJobsOf(e.withDefaults(defaults))
	}
}

// parseYAML returns the node of the only document; nil if there is none, or more than one, or no YAML.
func (r *reader) parseYAML(text []byte) *yaml.Node {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var document yaml.Node
	err := decoder.Decode(&document)
	if errors.Is(err, io.EOF) {
		return nil // no job
	}
	if err != nil {
		r.addYAML(err)
		return nil
	}
	var second yaml.Node
	err = decoder.Decode(&second)
	switch {
	case err == nil:
		r.add(r.at(&second), "a second document begins here; a manifest is one")
	case !errors.Is(err, io.EOF):
		r.addYAML(err)
		return nil
	}
	return value(document.Content[0])
}

// asDefaults returns the fields of an entry that are defaults. It refuses a name, since the names of
// jobs are unique.
func (r *reader) asDefaults(e entry) map[string]field {
	if f, isGiven := e.fields["name"]; isGiven {
		r.add(f.where, "name cannot be a default, because names are unique; leave it out")
		delete(e.fields, "name")
	}
	return e.fields
}

// readJobs reads the list of entries.
func (r *reader) readJobs(list *yaml.Node) []entry {
	if list.Kind != yaml.SequenceNode {
		r.add(r.at(list), "jobs: expected a list, found %s; begin each job with a dash",
			described(list))
		return nil
	}
	var entries []entry
	for _, item := range list.Content {
		if e, ok := r.readEntry(value(item)); ok {
			e.where = r.at(item)
			entries = append(entries, e)
		}
	}
	return entries
}

// withDefaults returns the entry with the defaults for fields that it lacks.
func (e entry) withDefaults(defaults map[string]field) entry {
	merged := map[string]field{}
	maps.Copy(merged, defaults)
	for name, f := range e.fields {
		if name == "tags" {
			f.list = slices.Concat(words(merged[name]), words(f))
		}
		merged[name] = f
	}
	// An entry that gives the property by one field overrides a default that gives it by another.
	isSaid := func(way string) bool {
		_, isGiven := e.fields[way]
		return isGiven
	}
	if slices.ContainsFunc(propertyFields, isSaid) {
		for _, way := range propertyFields {
			if !isSaid(way) {
				delete(merged, way)
			}
		}
	}
	return entry{where: e.where, fields: merged}
}

// addYAML adds the errors of the parser as mistakes.
func (r *reader) addYAML(err error) {
	message := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 0
	if _, err := fmt.Sscanf(message, "line %d:", &line); err == nil {
		_, message, _ = strings.Cut(message, ": ")
	}
	message, _, _ = strings.Cut(message, "\n")
	r.add(Position{r.file, line},
		"this is not YAML: %s; quote texts that hold : # or begin with a special character", message)
}

func (r *reader) at(n *yaml.Node) Position { return Position{r.file, n.Line} }

// value returns the node that an alias means. The parser has refused an alias of an alias.
func value(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		return n.Alias
	}
	return n
}

func described(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "fields"
	case yaml.SequenceNode:
		return "a list"
	}
	if n.ShortTag() == "!!null" {
		return "nothing"
	}
	return fmt.Sprintf("%q", n.Value)
}

// eachField calls do for each field of a mapping, and adds a mistake for a repeated one.
func (r *reader) eachField(mapping *yaml.Node, do func(name string, key, item *yaml.Node)) {
	lines := map[string]int{}
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		key := mapping.Content[i]
		item := value(mapping.Content[i+1])
		name := key.Value
		if key.Kind != yaml.ScalarNode {
			r.add(r.at(key), "expected the name of a field, found %s", described(value(key)))
			continue
		}
		if first, twice := lines[name]; twice {
			r.add(r.at(key), "field %s is given twice, on line %d first; leave one out", name,
				first)
			continue
		}
		lines[name] = key.Line
		do(name, key, item)
	}
}

// readEntry reads the fields of an entry; ok is false if the node is no mapping.
func (r *reader) readEntry(n *yaml.Node) (e entry, ok bool) {
	if n.Kind != yaml.MappingNode {
		r.add(r.at(n), "expected fields such as model and formula, found %s", described(n))
		return entry{}, false
	}
	e = entry{where: r.at(n), fields: map[string]field{}}
	r.eachField(n, func(written string, key, item *yaml.Node) {
		name, known := fieldOf(written)
		if !known {
			meant := r.unknownField(r.at(key), written)
			_, isGiven := e.fields[meant]
			isRequired := meant == "model" || slices.Contains(propertyFields, meant)
			if isRequired && !isGiven {
				// The field is misspelt, but not missing.
				e.fields[meant] = field{where: r.at(key), wrong: true}
			}
			return
		}
		e.fields[name] = r.readField(name, key, item)
	})
	return e, true
}

// readField reads the value of a field, which is a text; the values of some fields may also be lists of texts, or
// patterns with numbers.
func (r *reader) readField(name string, key, item *yaml.Node) field {
	f := field{where: r.at(key)}
	ofItem, mayBeList := listFields[name]
	switch {
	case item.Kind == yaml.SequenceNode && mayBeList:
		f.list = []string{}
		for _, text := range item.Content {
			text = value(text)
			if text.Kind != yaml.ScalarNode {
				r.add(r.at(text), "%s: expected %s, found %s", name, ofItem, described(text))
				continue
			}
			f.list = append(f.list, text.Value)
			f.places = append(f.places, r.at(text))
		}
	case item.Kind == yaml.MappingNode && name == "faults":
		f.list = []string{}
		r.eachField(item, func(pattern string, key, number *yaml.Node) {
			f.list = append(f.list, pattern+": "+number.Value)
			f.places = append(f.places, r.at(key))
		})
	case item.Kind != yaml.ScalarNode:
		r.add(f.where, "%s: expected a text, found %s", name, described(item))
		f.wrong = true
	case item.Value == "" || item.ShortTag() == "!!null":
		r.add(f.where, "%s is empty; give it a value, or leave it out", name)
		f.wrong = true
	default:
		f.text = item.Value
	}
	return f
}

// listFields are the fields that may be lists, with the noun for an item.
var listFields = map[string]string{
	"tags":                         "a word",
	"fair":                         "an assumption",
	"source":                       "a file or folder",
	string(options.FrontEndOption): "an option",
}

// field is the value of one field of an entry.
type field struct {
	where Position
	text  string
	// list has the items if the manifest has a list, and places the position of each.
	list   []string
	places []Position
	// wrong reports that the value is not a text, which has been reported as a mistake.
	wrong bool
}

// texts returns the items: those of the list, or the pieces of the text between semicolons.
func (f field) texts() []string {
	if f.list != nil {
		return f.list
	}
	return strings.Split(f.text, ";")
}

// at returns the position of item i.
func (f field) at(i int) Position {
	if i < len(f.places) {
		return f.places[i]
	}
	return f.where
}

// entry is one entry of a manifest. It makes a job for each pair of its models and formulas.
type entry struct {
	where  Position
	fields map[string]field
	// formula is the property if it was read from no field, else nil.
	formula *written
}

// fieldNames are the fields of an entry.
func fieldNames() []string {
	names := []string{
		"model",
		"formula",
		"formula_file",
		"hoa",
		"name",
		"expect",
		"bound",
		"faults",
		"timeout",
		"memory",
		"priority",
		"tags",
		"states",
		"source",
		"tla",
		"keep_models",
	}
	for _, p := range allOptions() {
		names = append(names, string(p.name))
	}
	return names
}

// propertyFields are the fields that give the property. An entry has exactly one of them.
var propertyFields = []string{"formula", "formula_file", "hoa"}

// fieldOf returns the field of this name, which may be spelled like a flag.
func fieldOf(written string) (name string, known bool) {
	name = options.Today(strings.ReplaceAll(strings.ToLower(strings.TrimSpace(written)), "-",
		"_"))
	return name, slices.Contains(fieldNames(), name)
}

// unknownField adds the mistake of an unknown field of an entry, and returns the field that was probably meant; "" if none is similar.
func (r *reader) unknownField(where Position, written string) (meant string) {
	return r.unknown(where, written, strings.ReplaceAll(written, "-", "_"), fieldNames(),
		"the fields are "+strings.Join(fieldNames(), ", "))
}

// words returns the items of a list, or the words of a text.
func words(f field) []string {
	if f.list != nil {
		return f.list
	}
	return strings.FieldsFunc(f.text, func(c rune) bool {
		return c == ';' || unicode.IsSpace(c)
	})
}

// addJobsOf adds the jobs of an entry.
func (r *reader) addJobsOf(e entry) {
	job := Job{Where: e.where}
	r.entryRefusals = nil
	r.readLimits(e, &job)
	o := &job.Options
	for _, p := range allOptions() {
		p.read(r, e, o)
	}
	if len(o.Fair) > 0 && (o.Pattern != "" || o.Passing != "") {
		r.add(e.fields["fair"].where,
			"fair does not go with pattern and passing: under fairness there is one counterexample")
	}
	if o.Pattern != "" && o.Passing != "" {
		r.add(e.fields["pattern"].where,
			"pattern and passing each choose the counterexample; give one of them")
	}
	r.readYesOrNo(e, "keep_models", &job.KeepModel)
	var models []string
	model, isGiven := e.fields["model"]
	switch {
	case !isGiven:
		r.add(e.where, "model is missing; name the file that is checked")
	case !model.wrong:
		models = r.models(model)
	}
	r.readStates(e, &job, models)
	r.readSource(e, &job)
	r.readLanes(e, &job, models)
	r.readRelabelling(e, &job)
	r.readConfig(e, &job, models)
	r.checkFrontEnd(e, &job, models)
	formulas := r.formulasOf(e, &job)
	r.addDrafts(e, job, models, formulas)
}

// addDrafts adds a job for each of the models and formulas of an entry.
func (r *reader) addDrafts(e entry, job Job, models []string, formulas []written) {
	if inputfile.IsUntrusted(r.ctx) &&
		len(r.drafts)+len(models)*len(formulas) > mostUntrustedJobs {
		r.add(e.where,
			"with this entry there are more than %d jobs, the most that are read here; use the command inev", mostUntrustedJobs)
		return
	}
	for _, model := range models {
		for _, f := range formulas {
			d := draft{Job: job}
			d.Model = model
			d.Path = r.pathOf(model)
			d.Formula = f.text
			d.Modal = f.isModal
			d.Automaton = f.automaton
			d.Refused = f.refused
			if len(r.entryRefusals) > 0 { // one mistake is enough; the next one is found when the first is mended
				d.Refused = r.entryRefusals[0]
			}
			if job.TLA != nil {
				d.TLA = &File{
					File:   job.TLA.File,
					Path:   job.TLA.Path,
					Digest: f.digest,
				}
			}
			d.Tags = slices.Clone(job.Tags)
			if r.folder {
				d.Where = f.where
			}
			d.given = job.Name != "" && len(models)*len(formulas) == 1
			d.Name = nameOf(&d.Job, len(models), len(formulas))
			r.drafts = append(r.drafts, d)
		}
	}
}

// nameOf returns the name of a job whose entry has these numbers of models and formulas. j.Name is
// still the name of the entry.
func nameOf(j *Job, models, formulas int) string {
	formula := shownFormula(j.Property())
	switch {
	case j.Name == "":
		return j.Model + ": " + formula
	case models*formulas <= 1:
		return j.Name
	case models == 1:
		return j.Name + ": " + formula
	case formulas == 1:
		return j.Name + ": " + j.Model
	default:
		return j.Name + ": " + j.Model + ": " + formula
	}
}

// mostUntrustedJobs bounds the jobs of a manifest that nobody has asked to run, see
// [inputfile.Untrusted]: the number of jobs is the product of the files that a glob matches and the
// formulas in a file.
const mostUntrustedJobs = 20_000

// shownFormula shortens a formula for the name of a job.
func shownFormula(text string) string {
	const most = 100
	text = strings.Join(strings.Fields(text), " ")
	if utf8.RuneCountInString(text) > most {
		text = string([]rune(text)[:most-1]) + "…"
	}
	return text
}

// readLimits reads the fields of an entry that are about the job itself, not about the
// analysis.
func (r *reader) readLimits(e entry, job *Job) {
	r.read(e, "name", func(text string) error {
		if strings.ContainsFunc(text, unicode.IsControl) {
			return errors.New("has control characters or line breaks; leave them out")
		}
		job.Name = text
		return nil
	})
	r.read(e, "expect", func(text string) error {
		switch Status(text) {
		case Violated, Satisfied:
			job.Expect = text
			return nil
		}
		return fmt.Errorf("%q is not a verdict; write violated or satisfied", text)
	})
	r.readMargin(e, job)
	r.read(e, "timeout", func(text string) error {
		d, err := time.ParseDuration(text)
		if err != nil || d <= 0 {
			return fmt.Errorf("%s is not a duration above zero, such as 90s, 5m or 1h30m", text)
		}
		job.Timeout = d
		return nil
	})
	r.read(e, "memory", func(text string) (err error) {
		job.Memory, err = resources.ParseSize(text)
		return err
	})
	r.read(e, "priority", func(text string) (err error) {
		if job.Priority, err = strconv.Atoi(text); err != nil {
			return fmt.Errorf("%s is not a whole number; jobs with a larger one come first, and 0 is the default", text)
		}
		return nil
	})
	seen := map[string]bool{}
	for _, tag := range words(e.fields["tags"]) {
		if strings.ContainsFunc(tag, unicode.IsSpace) || tag == "" {
			r.add(e.fields["tags"].where, "tags: %q is not one word", tag)
		} else if !seen[tag] {
			seen[tag] = true
			job.Tags = append(job.Tags, tag)
		}
	}
}

// readMargin reads the expectations about bounds and faults.
func (r *reader) readMargin(e entry, job *Job) {
	r.read(e, "bound", func(text string) error {
		bound, err := strconv.Atoi(text)
		job.Bound = bound
		if err != nil || bound < 1 {
			return fmt.Errorf("%q is not a number above 0; write the largest number of transitions that is expected", text)
		}
		return nil
	})
	f, isGiven := e.fields["faults"]
	if !isGiven || f.wrong {
		return
	}
	for i, text := range f.texts() {
		r.readFault(f.at(i), text, job)
	}
}

// readFault reads the least number of some fault actions that a violation should take: LOSS: 2.
func (r *reader) readFault(where Position, text string, job *Job) {
	separator := strings.LastIndexAny(text, ":=")
	least := -1
	if separator >= 0 {
		n, err := strconv.Atoi(strings.TrimSpace(text[separator+1:]))
		if err == nil {
			least = n
		}
	}
	if least < 0 {
		r.add(where,
			"faults: %q is not a pattern with a number, such as LOSS: 2; the number is the least that a violation should take, and 0 allows any", strings.TrimSpace(text))
		return
	}
	patterns := strings.TrimSpace(text[:separator])
	if _, err := parsePattern(r.ctx, patterns); err != nil {
		r.addError(where, "faults", err)
		return
	}
	if slices.Contains(job.Options.Faults, patterns) {
		r.add(where, "faults: %s is given twice; leave one out", patterns)
		return
	}
	job.Options.Faults = append(job.Options.Faults, patterns)
	job.LeastFaults = append(job.LeastFaults, least)
}

// readFair reads the assumptions under which runs count.
func (r *reader) readFair(e entry, o *Options) {
	f, isGiven := e.fields["fair"]
	if !isGiven || f.wrong {
		return
	}
	texts := f.list
	if texts == nil {
		texts = assumptions(f.text)
	}
	var all []*actl.Assumption
	_, isSpecified := e.fields["tla"]
	isSpecified = isSpecified || strings.EqualFold(filepath.Ext(e.fields["model"].text), ".tla")
	for i, text := range texts {
		if isSpecified && liveness.IsFairness(text) {
			o.Fair = append(o.Fair, strings.TrimSpace(text))
			continue
		}
		a, err := actl.ParseAssumption(r.ctx, text)
		if err != nil {
			r.addError(f.at(i), "fair: "+text, err)
			continue
		}
		all = append(all, a)
		o.Fair = append(o.Fair, a.String())
	}
	if err := actl.Agree(all); err != nil {
		r.addError(f.where, "fair", err)
	}
}

// assumptions splits a text at semicolons that are followed by an assumption: other semicolons
// belong to patterns.
func assumptions(text string) []string {
	var all []string
	begin := 0
	for i, c := range text {
		if c != ';' {
			continue
		}
		next := strings.TrimSpace(text[i+1:])
		if actl.BeginsAssumption(next) {
			all = append(all, strings.TrimSpace(text[begin:i]))
			begin = i + 1
		}
	}
	return append(all, strings.TrimSpace(text[begin:]))
}

// read calls parse with the text of the field of this name if the entry has it, and adds an error of
// parse as a mistake.
func (r *reader) read(e entry, name string, parse func(text string) error) {
	f, isGiven := e.fields[name]
	if !isGiven || f.wrong {
		return
	}
	if err := parse(f.text); err != nil {
		r.addError(f.where, name, err)
	}
}

// addError adds a mistake about a field, with a caret if it is a syntax error.
func (r *reader) addError(where Position, name string, err error) {
	r.mistakes = append(r.mistakes, mistakeOf(where, name, err))
}

// mistakeOf converts an error about a field to a mistake.
func mistakeOf(where Position, name string, err error) Mistake {
	m := Mistake{
		Where:   where,
		Message: name + ": " + strings.TrimPrefix(err.Error(), name+", "),
	} // as in formula, column 3
	var syntax *actl.SyntaxError
	if errors.As(err, &syntax) {
		m.Message = name + ": " + syntax.Problem()
		m.Caret = syntax.Caret()
		if syntax.File != "" { // the file may be a library
			m.Where = Position{syntax.File, syntax.Line}
		}
	}
	return m
}

// parsePattern reads the steps that a counterexample must do, in the syntax of the steps of a
// property.
func parsePattern(ctx context.Context, text string) (*actl.Formula, error) {
	return actl.Parse(ctx, "Inev("+text+")")
}

// load reads the specification of a job.
func (j *Job) load(ctx context.Context) (*liveness.Specification, error) {
	load := liveness.Load
	if j.isMade() {
		load = liveness.LoadMade
	}
	return load(ctx, j.TLA.Path, j.specification().Config, nil)
}
