package editor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/resources"
)

// questionSet is the set of questions of a document.
type questionSet struct {
	// withoutGraph is the first property of a module of TLA+ whose graph TLC has to write first; nil if there is none.
	withoutGraph *namedProperty
	doc          *document
	file         *formulaFile // nil for a manifest
	targets      targets
	// mistakes are the mistakes in a manifest.
	mistakes  []batch.Mistake
	remarks   []remark
	questions []asked
}

// remark is the reason why a part of a document is not asked about.
type remark struct {
	start, end int
	message    string
}

// Bounds on a document. Parts of a document beyond these bounds get a remark instead of an answer.
const (
	mostText      = 4 << 20 // bytes
	mostFormulas  = 10_000
	mostModels    = 1000
	mostQuestions = 10_000
	// longestReading is how long the reading of a document, with the files that it names, may take.
	longestReading = 5 * time.Second
)

// addRemark adds a remark about a part of the document.
func (a *questionSet) addRemark(start, end int, format string, values ...any) {
	a.remarks = append(a.remarks, remark{start, end, fmt.Sprintf(format, values...)})
}

// asked is one question of a document: a formula, and a model.
type asked struct {
	formula    *writtenFormula // nil in a manifest
	start, end int             // the range of the question in the text
	line       int
	job        batch.Job
	// tla is the specification in TLA+ whose property the formula of the job is, "" for none; stamp
	// differs after its files have changed, and made reports whether TLC has to make the graph.
	tla, stamp string
	made       bool
}

// question returns what the analyst is asked.
func (q asked) question(trusted bool) Question {
	return Question{Job: q.job, TLA: q.tla, Trusted: trusted}
}

// targets are the models that the formulas of a file are about.
type targets struct {
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

// mostManifests is the largest number of manifests whose jobs are kept.
const mostManifests = 50

// manifestJobs has the jobs of a manifest, as they were when it was last read.
type manifestJobs struct {
	stamp string
	jobs  []batch.Job
}

// reading is the reading of one text of a document. All who need the questions of this text wait for it.
type reading struct {
	doc  *document
	stop context.CancelFunc
	done chan struct{}
	// questions holds the questions. It is set before done is closed; nil then means that the reading was stopped.
	questions *questionSet
}

// errChanged is the error of a question about a text that is not the newest.
var errChanged = &jsonrpc2.Error{Code: codeContentChanged, Message: "the text has changed"}

// questionsWhenRead returns the questions of a document. If fresh is set, it looks for models anew. The error
// is the context's, or errChanged.
func (s *Server) questionsWhenRead(ctx context.Context, d *document, fresh bool) (*questionSet, error) {
	for {
		kept, r := s.questionsOrStartReading(d, fresh)
		switch {
		case kept != nil:
			return kept, nil
		case r == nil:
			return nil, errChanged
		}
		select {
		case <-r.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if r.questions != nil {
			return r.questions, nil
		}
	}
}

// questionsOrStartReading returns the questions of a document or, if they are not known, the reading that will find
// them, which it starts if there is none; neither if d is not the newest text. If fresh is set, what is known does
// not count.
func (s *Server) questionsOrStartReading(d *document, fresh bool) (*questionSet, *reading) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.open[d.uri]
	switch {
	case o == nil || o.doc != d:
		return nil, nil
	case o.questions != nil && !fresh:
		return o.questions, nil
	case o.reading != nil && o.reading.doc == d && !fresh:
		return nil, o.reading
	case o.reading != nil:
		o.reading.stop()
	}
	ctx, stop := context.WithCancel(s.ctx)
	r := &reading{doc: d, stop: stop, done: make(chan struct{})}
	if !s.goroutines.Go(func() { s.readDocument(ctx, r) }) {
		stop()
		return nil, nil
	}
	o.reading = r
	return nil, r
}

// readDocument reads a document.
func (s *Server) readDocument(ctx context.Context, r *reading) {
	defer close(r.done)
	defer r.stop()
	ctx, leave := s.withMemory(inputfile.Untrusted(ctx, &s.globs))
	defer leave()
	made, err := through(ctx, s.textGate, func(ctx context.Context) (*questionSet, error) {
		made := s.questionsOf(ctx, r.doc)
		return made, ctx.Err()
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.open[r.doc.uri]
	newest := o != nil && o.reading == r
	if newest {
		o.reading = nil
	}
	var late *patienceError
	err = resources.Because(ctx, err)
	switch {
	case err == nil:
		r.questions = made
	case errors.Is(err, context.Canceled) || !newest:
		return
	case errors.As(err, &late) || errors.Is(err, context.DeadlineExceeded):
		r.questions = unread(r.doc,
			fmt.Sprintf("this text, with the files that it names, is not read within %v",
				longestReading))
	default:
		r.questions = unread(r.doc, err.Error())
	}
	if newest && o.doc == r.doc {
		o.questions = r.questions
	}
}

// withMemory returns a context that is done when too much memory is taken.
func (s *Server) withMemory(ctx context.Context) (limited context.Context, leave func()) {
	if s.options.Memory.Bytes == 0 {
		return ctx, func() {}
	}
	return resources.Join(resources.NewBudget(s.options.Memory, nil).With(ctx))
}

// unread returns no questions for a document that cannot be read, and a remark that says why.
func unread(d *document, why string) *questionSet {
	a := &questionSet{doc: d}
	if d.asksText() {
		a.file = &formulaFile{}
	}
	text, start := d.line(0)
	a.addRemark(start, start+len(text), "%s", why)
	return a
}

// questionsOf reads a document.
func (s *Server) questionsOf(ctx context.Context, d *document) *questionSet {
	if len(d.text) > mostText {
		return unread(d,
			fmt.Sprintf("this text has more than %d MiB, and is not read in an editor",
				mostText>>20))
	}
	a := &questionSet{doc: d}
	switch {
	case d.isManifest():
		s.askManifest(ctx, a)
		return a
	case d.isSpecification():
		s.askSpecification(a)
		return a
	case d.isModel():
		return a
	}
	a.file = readFormulas(ctx, d)
	if more := a.file.firstUnread; more != nil {
		a.addRemark(more.start, more.end,
			"only the first %d formulas of this text are read in an editor", mostFormulas)
	}
	s.findTargets(ctx, a)
	s.askFile(a)
	return a
}

// askFile makes a question of each formula of a file and each of its models.
func (s *Server) askFile(a *questionSet) {
	for _, w := range a.file.formulas {
		if !w.isRead() {
			continue
		}
		if len(a.questions) >= mostQuestions {
			a.addRemark(w.start, w.end,
				"this formula and those below it are not checked in an editor, which has %d checks of this text already", len(a.questions))
			return
		}
		a.askFormula(w)
	}
}

// askFormula makes a question of a formula for each of its models. First come the jobs of manifests
// with the same formula, whose settings the questions get; then come the other models.
func (a *questionSet) askFormula(w *writtenFormula) {
	isAsked := map[string]bool{}
	add := func(j batch.Job) {
		key := keyOf(j)
		if isAsked[key] {
			return
		}
		isAsked[key] = true
		a.questions = append(a.questions, asked{
			formula: w,
			start:   w.start,
			end:     w.end,
			line:    w.line,
			job:     j,
		})
	}
	hasJob := map[string]bool{} // by the path of the model
	namesModels := len(a.file.models) > 0
	for _, j := range a.targets.jobs {
		if namesModels || j.Formula != w.text || j.Automaton != nil {
			continue
		}
		hasJob[j.Path] = true
		j.Options.Fair = append(slices.Clone(j.Options.Fair), w.assumptions()...)
		if w.expect != nil {
			j.Expect = w.expected()
		}
		add(j)
	}
	for _, m := range a.targets.paths {
		if hasJob[m.path] {
			continue
		}
		j := batch.Job{
			Name:    m.name + ": " + w.text,
			Model:   m.name,
			Path:    m.path,
			Formula: w.text,
			Expect:  w.expected(),
		}
		j.Options.Fair = w.assumptions()
		add(j)
	}
}

// findTargets finds the models of a file: the named ones, otherwise those next to the file, and the
// jobs of manifests. A document that is no file has none.
func (s *Server) findTargets(ctx context.Context, a *questionSet) {
	switch {
	case a.doc.path == "":
	case len(a.file.models) > 0:
		a.findNamedModels(ctx)
	default:
		s.findModelsBeside(ctx, a)
	}
}

// findNamedModels finds the models that a file names.
func (a *questionSet) findNamedModels(ctx context.Context) {
	for i := range a.file.models {
		m := &a.file.models[i]
		named, err := modelsNamed(ctx, filepath.Dir(a.doc.path), m)
		if err != nil {
			a.addRemark(m.start, m.end, "%s: %v", m.text, err)
			continue
		}
		found := append(a.targets.paths, named...)
		if len(found) > mostModels {
			a.addRemark(m.start, m.end,
				"only the first %d models of this text are read in an editor", mostModels)
			found = found[:mostModels]
		}
		a.targets.paths = found
		if len(found) == mostModels {
			return
		}
	}
}

// modelsNamed returns the models that a directive names: the files that match a pattern or, if there are none, the
// file of this name, whether or not it exists.
func modelsNamed(ctx context.Context, folder string, m *directive) ([]target, error) {
	path := filepath.FromSlash(m.text)
	if !filepath.IsAbs(path) {
		path = filepath.Join(folder, path)
	}
	var matching []string
	if strings.ContainsAny(m.text, "*?[") {
		var err error
		matching, err = inputfile.Glob(ctx, path)
		if err != nil && !errors.Is(err, filepath.ErrBadPattern) {
			return nil, err
		}
	}
	if len(matching) == 0 {
		return []target{{m.text, path, m}}, nil
	}
	var all []target
	for _, path := range matching {
		name, err := filepath.Rel(folder, path)
		if err != nil {
			name = path
		}
		all = append(all, target{filepath.ToSlash(name), path, m})
	}
	return all, nil
}

// findModelsBeside finds the models next to a file, as a batch of a folder does, and the jobs of manifests
// in its folder and those above it.
func (s *Server) findModelsBeside(ctx context.Context, a *questionSet) {
	base := strings.TrimSuffix(a.doc.path, filepath.Ext(a.doc.path))
	for _, suffixes := range [][]string{
		{".aut", ".aut.gz", ".aut.zst", ".aut.bz2"},
		{".exp", ".lts", ".fsm"},
	} {
		for _, suffix := range suffixes {
			if info, err := os.Stat(base + suffix); err == nil && info.Mode().IsRegular() {
				a.targets.paths = append(a.targets.paths, target{
					filepath.Base(base + suffix),
					base + suffix,
					nil,
				})
			}
		}
		if len(a.targets.paths) > 0 {
			break
		}
	}
	for at := filepath.Dir(a.doc.path); ; at = filepath.Dir(at) {
		for _, name := range manifestNames {
			a.targets.jobs = append(a.targets.jobs, s.jobsOfManifest(ctx, filepath.Join(at, name))...)
		}
		if at == filepath.Dir(at) || !s.isInside(filepath.Dir(at)) {
			return
		}
	}
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

// jobsOfManifest returns the jobs of a manifest; none if there is no manifest, or if it has mistakes, which
// its own document shows.
func (s *Server) jobsOfManifest(ctx context.Context, path string) []batch.Job {
	stamp := stampOf(path)
	if stamp == "" {
		return nil
	}
	s.mu.Lock()
	known := s.manifests[path]
	s.mu.Unlock()
	if known != nil && known.stamp == stamp {
		return known.jobs
	}
	read := &manifestJobs{stamp: stamp}
	if m, err := batch.Open(ctx, path); err == nil {
		read.jobs = m.Jobs
	}
	if ctx.Err() == nil {
		s.mu.Lock()
		if len(s.manifests) >= mostManifests {
			clear(s.manifests)
		}
		s.manifests[path] = read
		s.mu.Unlock()
	}
	return read.jobs
}

// mostMistakes is the number of jobs with mistakes that are left out of a manifest, so that the others are asked about.
const mostMistakes = 20

// askManifest makes the questions of a manifest: of all jobs but those with a mistake.
func (s *Server) askManifest(ctx context.Context, a *questionSet) {
	m := a.readManifest(ctx)
	if m == nil {
		return
	}
	for _, j := range m.Jobs {
		if len(a.questions) >= mostQuestions {
			a.addRemark(a.questions[0].start, a.questions[0].end,
				"only the first %d of the %d jobs are checked in an editor", mostQuestions, len(m.Jobs))
			return
		}
		a.questions = append(a.questions, a.questionOf(j))
	}
}

// readManifest reads the manifest without the jobs that have mistakes, and records these mistakes.
// It returns nil if the rest cannot be read.
func (a *questionSet) readManifest(ctx context.Context) *batch.Manifest {
	text := a.doc.text
	for range mostMistakes {
		m, err := (&batch.Manifest{File: a.doc.path}).Holding(ctx, []byte(text))
		if err == nil {
			return m
		}
		var wrong *batch.ManifestError
		if !errors.As(err, &wrong) {
			return nil
		}
		if a.mistakes == nil {
			a.mistakes = wrong.Mistakes
		}
		rest := a.withoutJobs(text, wrong.Mistakes)
		if rest == text {
			return nil
		}
		text = rest
	}
	return nil
}

// farthestFormula is the number of lines below the beginning of a job within which its formula is
// looked for.
const farthestFormula = 12

// questionOf returns the question of a job: at its formula, if the job's lines have it, else at the
// line where the job begins.
func (a *questionSet) questionOf(j batch.Job) asked {
	line := max(0, j.Where.Line-1)
	text, start := a.doc.line(line)
	q := asked{
		line:  line,
		start: start + len(text) - len(strings.TrimLeft(text, " \t-")),
		end:   start + len(text),
		job:   j,
	}
	if j.Automaton != nil {
		return q
	}
	distance := strings.Index(a.doc.text[start:], j.Formula)
	if distance < 0 {
		return q
	}
	formula := start + distance
	if a.doc.position(formula).Line-line < farthestFormula {
		q.start = formula
		q.end = formula + len(j.Formula)
	}
	return q
}

// withoutJobs returns the text of a manifest with blank lines in place of the jobs that have these mistakes, so that the
// others keep their places.
func (a *questionSet) withoutJobs(text string, mistakes []batch.Mistake) string {
	lines := strings.SplitAfter(text, "\n")
	for _, mistake := range mistakes {
		line := mistake.Where.Line - 1
		if mistake.Where.File != a.doc.path || line < 0 || line >= len(lines) {
			continue
		}
		if first, found := firstLineOfItem(lines, line); found {
			blankItem(lines, first)
		}
	}
	return strings.Join(lines, "")
}

// firstLineOfItem returns the first line of the list item that a line belongs to: the line itself, or the
// last one before it that begins an item and is indented less.
func firstLineOfItem(lines []string, line int) (first int, found bool) {
	if isItem(lines[line]) {
		return line, true
	}
	inside := indentOf(lines[line])
	for first := line - 1; first >= 0; first-- {
		if isItem(lines[first]) && indentOf(lines[first]) < inside {
			return first, true
		}
	}
	// The first line of the text may begin an item, however far it is indented.
	return 0, isItem(lines[0])
}

// blankItem makes the lines of a list item blank: those from its first line to the next line that is
// indented no more.
func blankItem(lines []string, first int) {
	indent := indentOf(lines[first])
	for i := first; i < len(lines); i++ {
		isBlank := strings.TrimSpace(lines[i]) == ""
		if i > first && !isBlank && indentOf(lines[i]) <= indent {
			return
		}
		lines[i] = strings.Repeat("\n", strings.Count(lines[i], "\n"))
	}
}

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// isItem reports whether a line begins an item of a list.
func isItem(line string) bool { return strings.HasPrefix(strings.TrimLeft(line, " "), "- ") }

// keyOf returns a text that two jobs share if they differ only in names, positions, tags and
// priorities.
func keyOf(j batch.Job) string {
	j.Name, j.Where, j.Tags, j.Priority = "", batch.Position{}, nil, 0
	text, err := json.Marshal(j)
	if err != nil {
		panic(err) // texts, numbers and truth values can always be encoded
	}
	return string(text)
}
