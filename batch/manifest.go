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
	"github.com/inev-lts/inev/internal/formula/modal"
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

// givenProperty is a property as the manifest gives it, or a file that the manifest names.
type givenProperty struct {
	text  string
	where Position // in the manifest or in that file
	// name replaces the text of the property in names of jobs; "" if names have the text.
	name string
	// automaton is the file of the property, nil for a formula.
	automaton *File
	// isModal is [Job.Modal].
	isModal bool
	// refused is the error of a property that cannot be read, else "".
	refused string
	// digest covers all files of the TLA+ specification, for a graph that TLC has written.
	digest string
}

// propertiesOf returns the properties of an entry. A property that cannot be read is a mistake of its
// own jobs only.
func (r *reader) propertiesOf(e entry, job *Job) []givenProperty {
	if e.formula != nil {
		return []givenProperty{*e.formula}
	}
	names, areTexts := e.givenPropertyFields()
	if !areTexts {
		return nil
	}
	if specification, isSpecified := e.fields["tla"]; isSpecified {
		if specification.wrong || !r.checkGoesWithTLA(e, names) {
			return nil
		}
		return r.specifiedProperties(e, job)
	}
	switch {
	case len(names) == 0:
		r.add(e.where, "formula is missing; give formula, formula_file or hoa")
		return nil
	case len(names) > 1:
		r.add(e.fields[names[1]].where, "both %s and %s given; leave one of them out", names[0],
			names[1])
		return nil
	}
	f := e.fields[names[0]]
	file := propertyFile{name: f.text, path: r.pathOf(f.text), named: f.where}
	switch names[0] {
	case "formula_file":
		return r.formulasIn(file)
	case "hoa":
		return r.automatonIn(file)
	}
	return []givenProperty{r.parse(r.dir, f.where, f.text)}
}

// givenPropertyFields returns which of the propertyFields the entry has; areTexts is false if the value of
// one is no text, which has been reported.
func (e entry) givenPropertyFields() (names []string, areTexts bool) {
	for _, name := range propertyFields {
		f, isGiven := e.fields[name]
		if !isGiven {
			continue
		}
		if f.wrong {
			return nil, false
		}
		names = append(names, name)
	}
	return names, true
}

// checkGoesWithTLA reports whether an entry that names a TLA+ specification gives its property, if any, as a
// formula. It adds a mistake if not.
func (r *reader) checkGoesWithTLA(e entry, names []string) bool {
	if len(names) == 0 || names[0] == "formula" {
		return true
	}
	r.add(e.fields[names[0]].where,
		"%s does not go with tla, which takes a formula, or the properties of its configuration", names[0])
	return false
}

// specifiedProperties returns the properties of an entry that names a TLA+ specification: the formula that
// the entry gives, or all properties of the configuration. It sets the specification of the job.
func (r *reader) specifiedProperties(e entry, job *Job) []givenProperty {
	specification := e.fields["tla"]
	job.TLA = &File{File: specification.text, Path: r.pathOf(specification.text)}
	where := specification.where
	formula, hasFormula := e.fields["formula"]
	if hasFormula {
		where = formula.where
	}
	loaded, err := job.load(r.ctx)
	texts := []string{formula.text}
	if err == nil && !hasFormula {
		texts, err = loaded.Properties()
	}
	if err != nil {
		mistake := Mistake{Where: specification.where, Message: fmt.Sprintf("tla: %v", err)}
		return []givenProperty{{
			text:    cmp.Or(formula.text, specification.text),
			where:   where,
			refused: r.refuse(mistake),
		}}
	}
	var properties []givenProperty
	for _, text := range texts {
		properties = append(properties, r.specifiedProperty(job, where, text))
	}
	return properties
}

// specifiedProperty reads a property of the TLA+ specification of a job.
func (r *reader) specifiedProperty(job *Job, where Position, text string) givenProperty {
	var digest string
	err := r.inTime(func(ctx context.Context) error {
		s, err := job.load(ctx)
		if err != nil {
			return err
		}
		digest = s.Digest()
		_, err = s.Instances(ctx, text)
		return err
	})
	if err != nil && !isPanic(err) {
		return givenProperty{
			text:    text,
			where:   where,
			refused: r.refuse(mistakeOf(where, "formula", err)),
		}
	}
	return givenProperty{text: text, where: where, digest: digest}
}

// automatonIn returns the only property of a file: the automaton in it.
func (r *reader) automatonIn(file propertyFile) []givenProperty {
	return r.propertiesIn(file, func(text []byte) []givenProperty {
		return []givenProperty{r.parseAutomaton(file, text)}
	})
}

// parseAutomaton reads the automaton in the text of a file.
func (r *reader) parseAutomaton(file propertyFile, text []byte) givenProperty {
	var automaton property.Formula
	err := r.inTime(func(ctx context.Context) (err error) {
		automaton, err = hoa.Read(ctx, bytes.NewReader(text), file.name)
		return err
	})
	p := givenProperty{text: file.name, where: file.named}
	if err != nil && !isPanic(err) {
		p.refused = r.refuse(mistakeInAutomaton(file, err))
		return p
	}
	p.automaton = &File{File: file.name, Path: file.path, Digest: sum(text)}
	if err == nil {
		p.text = automaton.String()
	}
	return p
}

// mistakeInAutomaton converts the error of an automaton to a mistake: in the file of the automaton if the
// error has a line there, and else in the manifest.
func mistakeInAutomaton(file propertyFile, err error) Mistake {
	var inFile *hoa.Error
	if !errors.As(err, &inFile) {
		return mistakeOf(file.named, "hoa", err)
	}
	return Mistake{
		Where:   Position{file.path, inFile.Line},
		Message: inFile.Message,
		Caret:   inFile.Caret(),
	}
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
func (r *reader) parse(folder string, where Position, text string) givenProperty {
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
		return givenProperty{text: text, where: where}
	}
	isNameOfFile := formula.IsModal(text) && !strings.ContainsAny(text, " \t\n()<>[]{}\"'")
	if err != nil && isNameOfFile {
		err = fmt.Errorf("%s names a file; write formula_file in place of formula", text)
	}
	if err != nil {
		return givenProperty{
			text:    text,
			where:   where,
			refused: r.refuse(mistakeOf(where, "formula", err)),
		}
	}
	if isWholeFile || strings.Contains(text, "end_library") {
		text = f.String()
	}
	return givenProperty{text: text, where: where, isModal: f.isModal()}
}

// propertyFile is a file with properties.
type propertyFile struct {
	// name is the name of the file as the manifest has it, and path is the path by which it is
	// opened.
	name, path string
	// named is the position in the manifest that names the file.
	named Position
}

// propertiesIn returns the properties of a file, which parse finds in its text. If the file cannot
// be read, it returns one property that is refused. A file that several entries name is read once,
// so that its mistakes are reported once.
func (r *reader) propertiesIn(
	file propertyFile,
	parse func(text []byte) []givenProperty,
) []givenProperty {
	known, isKnown := r.properties[file.path]
	if isKnown {
		return known
	}
	text, mistake := r.textOf(file.named, file.path)
	if r.ctx.Err() != nil {
		return nil
	}
	var properties []givenProperty
	if mistake == nil {
		properties = parse(text)
	} else {
		properties = []givenProperty{{text: file.name, where: file.named, refused: r.refuse(*mistake)}}
	}
	r.properties[file.path] = properties
	return properties
}

// formulasIn returns the formulas of a file: one a line or, in files of MCL and the mu-calculus, a single
// one.
func (r *reader) formulasIn(file propertyFile) []givenProperty {
	folder := filepath.Dir(file.path)
	return r.propertiesIn(file, func(text []byte) []givenProperty {
		if formula.IsModal(file.path) {
			f := r.parse(folder, Position{File: file.path}, string(text))
			f.name = nameInFile(f.text, file.name)
			return []givenProperty{f}
		}
		var formulas []givenProperty
		for i, line := range bytes.Split(text, []byte("\n")) {
			content := strings.TrimSpace(string(line))
			if content == "" || content[0] == '#' {
				continue
			}
			if r.ctx.Err() != nil {
				return nil
			}
			formulas = append(formulas, r.parse(folder, Position{file.path, i + 1}, content))
		}
		if len(formulas) > 0 {
			return formulas
		}
		mistake := Mistake{
			Where:   Position{File: file.path},
			Message: "holds no formula; write one a line, such as Inev(A, B)",
		}
		return []givenProperty{{text: file.name, where: mistake.Where, refused: r.refuse(mistake)}}
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
	// Unknown is the name of a field that is not known, and Nearest is the field that was probably
	// meant; "" if the mistake is another one, or if no field is similar.
	Unknown, Nearest string
}

// String returns "FILE:LINE: message".
func (m Mistake) String() string { return m.Where.String() + ": " + m.Message }

// ManifestError holds all mistakes of a manifest, in the order of its lines.
type ManifestError struct{ Mistakes []Mistake }

// Error returns a line for each mistake.
func (e *ManifestError) Error() string {
	if e == nil {
		return "<nil>"
	}
	lines := make([]string, len(e.Mistakes))
	for i, m := range e.Mistakes {
		lines[i] = m.String()
	}
	return strings.Join(lines, "\n")
}

// add adds a mistake.
func (r *reader) add(where Position, format string, args ...any) {
	r.mistakes = append(r.mistakes, Mistake{Where: where, Message: fmt.Sprintf(format, args...)})
}

// unknownName is the name of a field that does not exist, as the manifest has it.
type unknownName struct {
	where Position
	text  string
	// names are the names that could be meant, and normalised is the text in their spelling.
	normalised string
	names      []string
	// remedy is what to do if no name is similar.
	remedy string
}

// addUnknown adds the mistake that there is no field of this name, and proposes the most similar name. It
// returns that name, "" if none is similar.
func (r *reader) addUnknown(unknown unknownName) (meant string) {
	meant, isSimilar := options.Nearest(unknown.normalised, unknown.names)
	remedy := unknown.remedy
	if isSimilar {
		remedy = fmt.Sprintf("did you mean %s?", meant)
	}
	r.mistakes = append(r.mistakes, Mistake{
		Where:   unknown.where,
		Message: fmt.Sprintf("unknown field %q; %s", unknown.text, remedy),
		Unknown: unknown.text,
		Nearest: meant,
	})
	return meant
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
			r.addUnreadable(path, err)
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
		r.addUnreadable(r.dir, err)
	}
}

// pairedSuffixes are the suffixes of files with formulas about the model of the same name beside them.
// Only the first is inev's own: files with the others may be libraries, without a model.
var pairedSuffixes = []string{".inev", ".mcl", ".mcf"}

// readPair makes jobs of a file with formulas and the models of the same name beside it. X.inev without
// a model makes jobs about the missing X.aut, which fail.
func (r *reader) readPair(path string) {
	where := Position{File: path}
	formulaFile, err := filepath.Rel(r.dir, path)
	models := r.modelsBeside(path, ".aut", ".aut.gz", ".aut.zst", ".aut.bz2")
	if len(models) == 0 {
		models = r.modelsBeside(path, ".exp", ".lts", ".fsm")
	}
	for _, model := range models {
		r.addJobsOf(entry{
			where:  where,
			fields: map[string]field{"model": {text: model}, "formula_file": {text: formulaFile}},
		})
	}
	if len(models) > 0 || filepath.Ext(path) != pairedSuffixes[0] {
		return
	}
	if err != nil || !utf8.ValidString(formulaFile) {
		r.add(where, "its name is not UTF-8; rename it")
		return
	}
	missing := field{
		where: where,
		text:  strings.TrimSuffix(formulaFile, pairedSuffixes[0]) + ".aut",
	}
	r.addJobsOf(entry{
		where:  where,
		fields: map[string]field{"model": missing, "formula_file": {text: formulaFile}},
	})
}

// modelsBeside returns the names of the models beside a file that have its name and one of the suffixes. The
// names are relative to the folder that is the manifest.
func (r *reader) modelsBeside(path string, suffixes ...string) []string {
	stem := strings.TrimSuffix(path, filepath.Ext(path))
	var models []string
	for _, suffix := range suffixes {
		model := stem + suffix
		name, err := filepath.Rel(r.dir, model)
		if err != nil || !isRegular(model) {
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
				"has %s, where the first line names %d; put fields that hold the separator in double quotes",
				printable.Quantity(len(cells), "field"), len(columns))
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
			r.addUnknown(unknownName{
				where:      r.at(key),
				text:       name,
				normalised: name,
				names:      []string{"defaults", "jobs"},
				remedy:     "a manifest has the fields defaults and jobs",
			})
		}
	})
	for _, e := range entries {
		if r.ctx.Err() != nil {
			return
		}
		r.addJobsOf(e.withDefaults(defaults))
	}
}

// parseYAML returns the content of the first document; nil if there is none. A second document, and a text
// that is not YAML, are mistakes.
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
	return withoutAlias(document.Content[0])
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
		if e, ok := r.readEntry(withoutAlias(item)); ok {
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
	isInEntry := func(name string) bool {
		_, isGiven := e.fields[name]
		return isGiven
	}
	if slices.ContainsFunc(propertyFields, isInEntry) {
		for _, name := range propertyFields {
			if !isInEntry(name) {
				delete(merged, name)
			}
		}
	}
	return entry{where: e.where, fields: merged}
}

// addYAML adds an error of the parser of YAML as a mistake. The parser writes "yaml: line 3: …", or several
// such errors on lines of their own, of which the first is enough.
func (r *reader) addYAML(err error) {
	message := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 0
	_, noLine := fmt.Sscanf(message, "line %d:", &line)
	if noLine == nil {
		_, message, _ = strings.Cut(message, ": ")
	}
	message, _, _ = strings.Cut(message, "\n")
	r.add(Position{r.file, line},
		"this is not YAML: %s; quote texts that hold : # or begin with a special character", message)
}

func (r *reader) at(n *yaml.Node) Position { return Position{r.file, n.Line} }

// withoutAlias returns the node to which an alias refers, and any other node itself. The parser has
// refused an alias of an alias.
func withoutAlias(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		return n.Alias
	}
	return n
}

// described returns what a node is, for messages.
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
		item := withoutAlias(mapping.Content[i+1])
		name := key.Value
		if key.Kind != yaml.ScalarNode {
			r.add(r.at(key), "expected the name of a field, found %s", described(withoutAlias(key)))
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

// readField reads the value of a field, which is a text; the values of some fields may also be lists of
// texts, or patterns with numbers.
func (r *reader) readField(name string, key, item *yaml.Node) field {
	f := field{where: r.at(key)}
	ofItem, mayBeList := listFields[name]
	switch {
	case item.Kind == yaml.SequenceNode && mayBeList:
		f.list = []string{}
		for _, text := range item.Content {
			text = withoutAlias(text)
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
	// list has the items if the manifest has a list, and places has the position of each.
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
	// formula is the formula if a script has it, nil if a field of the entry gives it.
	formula *givenProperty
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

// unknownField adds the mistake of an unknown field of an entry. It returns the field that was probably
// meant, "" if none is similar.
func (r *reader) unknownField(where Position, written string) (meant string) {
	names := fieldNames()
	return r.addUnknown(unknownName{
		where:      where,
		text:       written,
		normalised: strings.ReplaceAll(written, "-", "_"),
		names:      names,
		remedy:     "the fields are " + strings.Join(names, ", "),
	})
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
	properties := r.propertiesOf(e, &job)
	r.addDrafts(e, job, models, properties)
}

// addDrafts adds a job for each pair of the models and properties of an entry; job has what these jobs
// share.
func (r *reader) addDrafts(e entry, job Job, models []string, properties []givenProperty) {
	numJobs := len(models) * len(properties)
	if inputfile.IsUntrusted(r.ctx) && len(r.drafts)+numJobs > mostUntrustedJobs {
		r.add(e.where,
			"with this entry there are more than %d jobs, the most that are read here; use the command inev", mostUntrustedJobs)
		return
	}
	for _, model := range models {
		for _, p := range properties {
			d := draft{Job: r.jobAbout(job, model, p)}
			d.hasOwnName = job.Name != "" && numJobs == 1
			d.Name = nameOf(&d.Job, p, len(models), len(properties))
			r.drafts = append(r.drafts, d)
		}
	}
}

// jobAbout returns the job of an entry about one model and one property.
func (r *reader) jobAbout(job Job, model string, p givenProperty) Job {
	job.Model = model
	job.Path = r.pathOf(model)
	job.Formula = p.text
	job.Modal = p.isModal
	job.Automaton = p.automaton
	job.Refused = p.refused
	if len(r.entryRefusals) > 0 { // one mistake is enough; the next one is found when the first is mended
		job.Refused = r.entryRefusals[0]
	}
	if job.TLA != nil {
		job.TLA = &File{
			File:   job.TLA.File,
			Path:   job.TLA.Path,
			Digest: p.digest,
		}
	}
	job.Tags = slices.Clone(job.Tags)
	if r.folder {
		job.Where = p.where
	}
	return job
}

// nameInFile returns the text by which names of jobs mention the formula of a file: the name of the
// file if the text is long or begins with definitions. It returns "" if names are to have the text
// itself.
func nameInFile(text, file string) string {
	isLong := utf8.RuneCountInString(text) > mostShown
	if isLong || modal.BeginsWithDefinitions(text) {
		return file
	}
	return ""
}

// nameOf returns the name of a job about a property, whose entry has these numbers of models and
// formulas. j.Name is still the name of the entry.
func nameOf(j *Job, p givenProperty, models, formulas int) string {
	formula := shownFormula(j.propertyBy(cmp.Or(p.name, j.Formula)))
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

// mostShown is the largest length of a formula in the name of a job.
const mostShown = 100

// shownFormula shortens a formula for the name of a job.
func shownFormula(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if utf8.RuneCountInString(text) > mostShown {
		text = string([]rune(text)[:mostShown-1]) + "…"
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
	r.read(e, "priority", func(text string) error {
		priority, err := strconv.Atoi(text)
		job.Priority = priority
		if err != nil {
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
	patterns, least, isFault := splitFault(text)
	if !isFault {
		r.add(where,
			"faults: %q is not a pattern with a number, such as LOSS: 2; the number is the least that a violation should take, and 0 allows any", strings.TrimSpace(text))
		return
	}
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

// splitFault splits "LOSS: 2" into the patterns and the number after the last colon or equals sign; isFault
// is false if there is no such number, or a negative one.
func splitFault(text string) (patterns string, least int, isFault bool) {
	separator := strings.LastIndexAny(text, ":=")
	if separator < 0 {
		return "", 0, false
	}
	least, err := strconv.Atoi(strings.TrimSpace(text[separator+1:]))
	if err != nil || least < 0 {
		return "", 0, false
	}
	return strings.TrimSpace(text[:separator]), least, true
}

// readFair reads the assumptions under which runs count. An assumption in TLA+, such as
// WF_vars(Next), is kept as text, since only the reader of the specification knows its actions.
func (r *reader) readFair(e entry, o *Options) {
	f, isGiven := e.fields["fair"]
	if !isGiven || f.wrong {
		return
	}
	texts := f.list
	if texts == nil {
		texts = assumptions(f.text)
	}
	_, namesSpecification := e.fields["tla"]
	isSpecification := strings.EqualFold(filepath.Ext(e.fields["model"].text), ".tla")
	var parsed []*actl.Assumption
	for i, text := range texts {
		if (namesSpecification || isSpecification) && liveness.IsFairness(text) {
			o.Fair = append(o.Fair, strings.TrimSpace(text))
			continue
		}
		a, err := actl.ParseAssumption(r.ctx, text)
		if err != nil {
			r.addError(f.at(i), "fair: "+text, err)
			continue
		}
		parsed = append(parsed, a)
		o.Fair = append(o.Fair, a.String())
	}
	if err := actl.Agree(parsed); err != nil {
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
	// Some errors begin with the name of the field, as in "formula, column 3: …".
	withoutName := strings.TrimPrefix(err.Error(), name+", ")
	m := Mistake{Where: where, Message: name + ": " + withoutName}
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
