package batch

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/internal/explain/specification"
	"github.com/inev-lts/inev/internal/format/frontend"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/options"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/required"
	"github.com/inev-lts/inev/internal/stoppable"
	"github.com/inev-lts/inev/lts"
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
	if m == nil {
		return "<nil>"
	}
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

// Open reads a manifest and checks all that can be checked without reading models. The suffix of
// its name decides how it is read:
//
//   - .yaml or .yml: a list jobs of entries, and an entry defaults, which holds for
//     all jobs where they say nothing else (tags add up);
//   - .csv or .tsv: a line for each entry, below one with the names of the fields;
//     lines that begin with # are comments;
//   - .svl: a script of CADP. Each verification by evaluator becomes a job, if its model exists or the
//     script generates it from files that exist. Shell commands are not run; other statements are refused;
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
// A file that an entry names and that is missing or cannot be read, the model included, and a formula
// that cannot be read, are mistakes of its jobs alone, which fail: [Job].Refused says why. Everything
// else that is wrong is a mistake of the manifest. The error is a *[ManifestError] with every mistake,
// unless ctx is done. Cost O(size of the manifest and of the files with formulas), and a few system
// calls for each model.
func Open(ctx context.Context, path string) (*Manifest, error) {
	if err := required.Argument("ctx", ctx); err != nil {
		return nil, err
	}
	r := newReader(ctx, path)
	info, err := os.Stat(path)
	switch {
	case err != nil:
		r.mistakes = append(r.mistakes, *unreadable(Position{File: path}, "", err))
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
		ctx:        ctx,
		file:       path,
		dir:        filepath.Dir(path),
		longest:    longestReading,
		properties: map[string][]givenProperty{},
		sources:    map[string]*Source{},
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
		switch {
		case strings.EqualFold(filepath.Ext(r.file), ".svl"):
			remedy = "inev checks what evaluator verifies, property P is \"MODEL\" |= FORMULA; expected TRUE end property"
		case r.folder:
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
		if d.hasOwnName {
			continue
		}
		name := d.Name
		for n := max(2, last[d.Name]); ; n++ {
			_, isTaken := taken[name]
			if !isTaken {
				break
			}
			last[d.Name] = n
			name = fmt.Sprintf("%s (%d)", d.Name, n)
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
		if !d.hasOwnName {
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
	ctx     context.Context
	file    string        // the manifest
	content *[]byte       // the content of the manifest, nil to read the file
	dir     string        // the folder to which names in the manifest are relative
	longest time.Duration // how long a property may be read
	// folder reports whether the manifest is a folder.
	folder bool

	drafts   []draft
	mistakes []Mistake
	// refused are the mistakes of single jobs. They become mistakes of the manifest if the manifest has others.
	refused []Mistake
	// entryRefusals are the mistakes of all jobs of the entry that is being read.
	entryRefusals []string
	// properties are the properties of the files read so far, by their paths.
	properties map[string][]givenProperty
	// sources are the specifications that have been read, by their paths.
	sources map[string]*Source
}

// draft is a job that may lack a name.
type draft struct {
	Job
	// hasOwnName reports whether the manifest gives a name to this job alone: not to an entry with
	// several jobs.
	hasOwnName bool
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
	text, mistake := r.textOf(Position{}, r.file)
	if mistake != nil {
		r.mistakes = append(r.mistakes, *mistake)
		return
	}
	read(text)
}

// textLimit bounds the size of a manifest, of a file with formulas and of one with an
// automaton.
var textLimit = inputfile.Limit{Bytes: 64 << 20, Remedy: "split it"}

// textOf reads a file, which must be UTF-8, since its text gets into names and results. named is
// the position in the manifest that names the file; it is zero for the manifest itself. A mistake
// about a file that cannot be read has this position.
func (r *reader) textOf(named Position, path string) (text []byte, mistake *Mistake) {
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

// addUnreadable adds the mistake that the manifest, or a file in a folder that is the manifest, cannot be
// read.
func (r *reader) addUnreadable(path string, err error) {
	r.mistakes = append(r.mistakes, *unreadable(Position{}, path, err))
}

// unreadable returns the mistake that a file cannot be read. The mistake has the position named, at
// which the manifest names the file. If named is zero, it has the file itself as its position.
func unreadable(named Position, path string, err error) *Mistake {
	fileErr := inputfile.FileError(path, err)
	message := fileErr.Error()
	var explained *inputfile.Error
	if errors.As(fileErr, &explained) {
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
	unusable := r.unusableModel(f)
	if unusable != nil {
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

// content returns the content of a small file. It fails if the content has changed since the manifest was
// read. subject begins the error, as in "the lanes have", to which "changed since …" is added.
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
			r.add(f.where, "cfg is only for specifications in TLA+, but %s is not one", model)
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
