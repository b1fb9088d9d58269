package editor

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/internal/memoize"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/lts"
)

// model is the knowledge about a model, from the time when it was last read.
type model struct {
	stamp    string
	facts    *Facts
	alphabet *lts.Alphabet
	// patterns mean a label, or all labels of a gate; they are in alphabetical order.
	patterns  []string
	readError string // the reason why the model cannot be read
	// memory keeps the candidates for "did you mean".
	memory memoize.Memory
}

// verdict is the answer to a question; answer is nil while the question is being answered.
type verdict struct{ answer *Answer }

// verdictKey identifies a question about a model at a certain time.
func verdictKey(q asked, stamp string) string {
	return stamp + "\x00" + q.stamp + "\x00" + q.tla + "\x00" + keyOf(q.job)
}

// verdictOf returns the verdict on a question, and whether the question is answered or being
// answered.
func (s *Server) verdictOf(q asked) (v *verdict, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.models[q.job.Path]
	if m == nil {
		return nil, false
	}
	v, known = s.verdicts[verdictKey(q, m.stamp)]
	return v, known
}

// modelsOf returns the known models of a document.
func (s *Server) modelsOf(a *questionSet) []*model {
	paths := map[string]bool{}
	var all []*model
	add := func(path string) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if m := s.models[path]; !paths[path] && m != nil && m.facts != nil {
			all = append(all, m)
		}
		paths[path] = true
	}
	for _, q := range a.questions {
		add(q.job.Path)
	}
	for _, target := range a.targets.paths {
		add(target.path)
	}
	return all
}

// isTrusted reports whether inev may run other programs to make models.
func (s *Server) isTrusted() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.client.Options.Trusted
}

// check reads the models of a document, and answers its questions that have no answer yet.
func (s *Server) check(uri string) {
	s.mu.Lock()
	o := s.open[uri]
	if o == nil {
		s.mu.Unlock()
		return
	}
	if o.stopChecking != nil {
		o.stopChecking()
	}
	ctx, stop := context.WithCancel(s.ctx)
	o.stopChecking = stop
	d := o.doc
	s.mu.Unlock()
	s.globs.Forget()
	started := s.goroutines.Go(func() {
		defer stop()
		s.checkDocument(ctx, d)
	})
	if !started {
		stop()
	}
}

// checkDocument reads the models of a document, and answers its questions that have no answer yet.
func (s *Server) checkDocument(ctx context.Context, d *document) {
	a, err := s.questionsWhenRead(ctx, d, true)
	if err != nil {
		return
	}
	paths := a.modelPaths()
	s.renewModels(paths)
	s.diagnose(d.uri)
	for _, path := range paths {
		if !a.isMadeByTLC(path) {
			s.learnModel(ctx, d.uri, path)
		}
	}
	s.decideAll(ctx, a)
	if ctx.Err() != nil {
		return
	}
	s.forgetUnused()
	<-s.diagnose(d.uri)
	s.refreshVerdicts(d.uri)
}

// modelPaths returns the paths of the models that a document names, also of those that no formula is
// about yet.
func (a *questionSet) modelPaths() []string {
	var paths []string
	for _, q := range a.questions {
		paths = append(paths, q.job.Path)
	}
	for _, t := range a.targets.paths {
		paths = append(paths, t.path)
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// renewModels forgets what is known about models that have changed or could not be read.
func (s *Server) renewModels(paths []string) {
	stamps := make([]string, len(paths))
	for i, path := range paths {
		stamps[i] = stampOf(path)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, path := range paths {
		if m := s.models[path]; m == nil || m.stamp != stamps[i] || m.readError != "" {
			s.models[path] = &model{stamp: stamps[i]}
		}
	}
}

// isMadeByTLC reports whether TLC has to make a graph for a question of a document.
func (a *questionSet) isMadeByTLC(path string) bool {
	return slices.ContainsFunc(a.questions, func(q asked) bool {
		return q.made && q.job.Path == path
	})
}

// decideAll answers the questions of a document that have no answer yet, and shows what is new
// meanwhile.
func (s *Server) decideAll(ctx context.Context, a *questionSet) {
	n := &news{uri: a.doc.uri, more: make(chan struct{}, 1)}
	shown := make(chan struct{})
	if !s.goroutines.Go(func() { defer close(shown); s.showNews(ctx, n) }) {
		return
	}
	s.mu.Lock()
	o := s.open[a.doc.uri]
	saved := o != nil && o.isSaved
	s.mu.Unlock()
	for _, q := range a.questions {
		if ctx.Err() != nil {
			break
		}
		if q.made && !saved {
			continue // TLC may take long, and runs when somebody saves
		}
		s.decide(ctx, q, n)
	}
	close(n.more)
	<-shown
}

// news are new verdicts on a document that are not shown yet.
type news struct {
	uri string
	// more has an element if there are new verdicts.
	more chan struct{}
	// showing is locked while verdicts are shown, during which there are no newer ones, so that
	// diagnoses and verdicts agree.
	showing sync.Mutex
}

// change changes verdicts.
func (n *news) change(change func()) {
	n.showing.Lock()
	change()
	n.showing.Unlock()
	select {
	case n.more <- struct{}{}:
	default:
	}
}

// showNews shows the verdicts on a document whenever there are new ones. Afterwards it pauses for a
// multiple of the time that this took, since a document may have thousands of verdicts.
func (s *Server) showNews(ctx context.Context, n *news) {
	const pauses = 5
	for range n.more {
		begun := time.Now()
		s.showAll(ctx, n)
		select {
		case <-time.After(pauses * time.Since(begun)):
		case <-ctx.Done():
			return
		}
	}
}

func (s *Server) showAll(ctx context.Context, n *news) {
	n.showing.Lock()
	defer n.showing.Unlock()
	select {
	case <-s.diagnose(n.uri):
		s.refreshVerdicts(n.uri)
	case <-ctx.Done():
	}
}

// learnModel asks for the facts of a model.
func (s *Server) learnModel(ctx context.Context, uri, path string) {
	s.mu.Lock()
	m := s.models[path]
	s.mu.Unlock()
	if m == nil || m.facts != nil || m.readError != "" {
		return
	}
	name := shownPath(uri, path)
	facts, err := s.factsOf(ctx, Question{
		Job:     batch.Job{Name: name, Model: name, Path: path},
		Trusted: s.isTrusted(),
	})
	if ctx.Err() != nil {
		return
	}
	learnt := newModel(m.stamp, facts, err)
	s.mu.Lock()
	if s.models[path] == m {
		s.models[path] = learnt
	}
	s.mu.Unlock()
	s.diagnose(uri)
}

// newModel returns a model with its facts, or with the error with which they were asked for.
func newModel(stamp string, facts *Facts, err error) *model {
	if err != nil {
		return &model{stamp: stamp, readError: err.Error()}
	}
	patterns := patternsOf(facts.Labels)
	alphabet, err := lts.NewAlphabet(facts.Labels)
	if err != nil {
		return &model{stamp: stamp, readError: err.Error(), patterns: patterns}
	}
	return &model{stamp: stamp, facts: facts, alphabet: alphabet, patterns: patterns}
}

// patternsOf returns the patterns for a label, or for all labels of a gate.
func patternsOf(labels []string) []string {
	var all []string
	for _, label := range labels {
		if label == "" {
			continue
		}
		all = append(all, actl.PatternFor(label))
		if gate, hasGate := actl.GateOf(label); hasGate {
			all = append(all, gate)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// decide finds the answer to a question that has none yet. Meanwhile it shows that the question is being
// answered.
func (s *Server) decide(ctx context.Context, q asked, n *news) {
	key, open := s.keyOf(q)
	if !open {
		return
	}
	beingAnswered := &verdict{}
	n.change(func() { s.setVerdict(key, beingAnswered) })
	answer, err := s.answerOf(ctx, q.question(s.isTrusted()))
	switch {
	case ctx.Err() != nil || err == nil && answer.Result.Status == batch.Canceled:
		n.change(func() { s.forgetPending(key) })
		return
	case err != nil:
		answer = &Answer{Result: batch.Result{
			Job:    q.job,
			Status: batch.Failed,
			Error:  printable.Text(err.Error()),
		}}
	}
	n.change(func() { s.setVerdict(key, &verdict{answer: answer}) })
}

// keyOf returns the key of a question, and whether it has no answer yet.
func (s *Server) keyOf(q asked) (key string, open bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.models[q.job.Path]
	if m == nil {
		return "", false
	}
	key = verdictKey(q, m.stamp)
	v := s.verdicts[key]
	return key, v == nil || v.answer == nil
}

func (s *Server) setVerdict(key string, v *verdict) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.verdicts[key] = v
}

// forgetPending forgets that a question is being answered. Another goroutine may be answering it, and
// will report the answer.
func (s *Server) forgetPending(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if v := s.verdicts[key]; v != nil && v.answer == nil {
		delete(s.verdicts, key)
	}
}

// factsOf asks the analyst for the facts of a model.
func (s *Server) factsOf(ctx context.Context, q Question) (*Facts, error) {
	return through(ctx, s.factsGate, func(ctx context.Context) (*Facts, error) {
		return s.analyst.Facts(ctx, q)
	})
}

// answerOf asks the analyst a question of a document.
func (s *Server) answerOf(ctx context.Context, q Question) (*Answer, error) {
	return through(ctx, s.checkGate, func(ctx context.Context) (*Answer, error) {
		return s.analyst.Answer(ctx, q)
	})
}

// mostVerdicts is the number of kept verdicts above which the server forgets verdicts on questions
// that are in no text any more.
const mostVerdicts = 1000

// mostKnown is the number of known models above which the server forgets those that no open document names.
const mostKnown = 20

// forgetUnused forgets verdicts and models that no open document asks about, if there are many.
func (s *Server) forgetUnused() {
	s.mu.Lock()
	defer s.mu.Unlock()
	hasMany := len(s.verdicts) >= mostVerdicts
	usedVerdicts := map[string]bool{}
	usedModels := map[string]bool{}
	for _, o := range s.open {
		if o.questions == nil {
			return // the questions of this document are not known yet: it may need any verdict
		}
		for _, t := range o.questions.targets.paths {
			usedModels[t.path] = true
		}
		for _, q := range o.questions.questions {
			usedModels[q.job.Path] = true
			if m := s.models[q.job.Path]; m != nil && hasMany {
				usedVerdicts[verdictKey(q, m.stamp)] = true
			}
		}
	}
	if hasMany {
		maps.DeleteFunc(s.verdicts, func(key string, v *verdict) bool {
			return !usedVerdicts[key] && v.answer != nil
		})
	}
	if len(s.models) >= mostKnown {
		maps.DeleteFunc(s.models, func(path string, _ *model) bool {
			return !usedModels[path]
		})
	}
}

// shownPath returns a model's path as the document names it.
func shownPath(uri, path string) string {
	folder := pathOf(uri)
	if i := strings.LastIndexAny(folder, `/\`); i >= 0 {
		if rest, isInFolder := strings.CutPrefix(path, folder[:i+1]); isInFolder {
			return rest
		}
	}
	return path
}

// shownVerdicts are the verdicts on the questions of a document, for the extension for VS Code.
type shownVerdicts struct {
	URI     string         `json:"uri"`
	Version int            `json:"version"`
	Items   []shownVerdict `json:"items"`
}

type shownVerdict struct {
	Formula string `json:"formula"`
	Model   string `json:"model"`
	Path    string `json:"path"`
	Line    int    `json:"line"`
	Range   span   `json:"range"`
	// Status is the status of a result, "pending" or "unknown".
	Status string `json:"status"`
	// Passes reports whether the verdict is as expected.
	Passes  bool    `json:"passes"`
	Message string  `json:"message,omitempty"`
	Milli   float64 `json:"ms,omitempty"`
	// Output is the violating run, as the output of a test.
	Output string `json:"output,omitempty"`
}

// refreshVerdicts tells the client the verdicts on a document, and asks it to fetch the texts next to
// the lines again.
func (s *Server) refreshVerdicts(uri string) {
	s.mu.Lock()
	client := s.client
	o := s.open[uri]
	if o == nil {
		s.mu.Unlock()
		return
	}
	d := o.doc
	s.mu.Unlock()
	if client.Options.Shows {
		a, err := s.questionsWhenRead(s.ctx, d, false)
		if err != nil {
			return
		}
		shown := shownVerdicts{
			URI:     uri,
			Version: d.version,
			Items:   []shownVerdict{},
		}
		for _, q := range a.questions {
			shown.Items = append(shown.Items, s.shownVerdictOf(a, q))
		}
		s.notify("inev/verdicts", shown)
	}
	if client.Capabilities.Workspace.CodeLens.RefreshSupport {
		s.call("workspace/codeLens/refresh", nil)
	}
}

// shownVerdictOf returns what the client shows about a question.
func (s *Server) shownVerdictOf(a *questionSet, q asked) shownVerdict {
	item := shownVerdict{
		Formula: q.job.Property(),
		Model:   q.job.Model,
		Path:    q.job.Path,
		Line:    q.line,
		Range:   a.doc.span(q.start, q.end),
		Status:  "unknown",
	}
	v, known := s.verdictOf(q)
	switch {
	case !known:
	case v.answer == nil:
		item.Status = "pending"
	default:
		r := &v.answer.Result
		item.Status, item.Milli, item.Message = string(r.Status), r.Milli, sentenceAbout(r)
		item.Output = outputOf(r)
		item.Passes = r.Status.Answered() && !r.Unexpected && len(r.Exceeds) == 0
	}
	return item
}

// mostSteps limits the steps of a run that are shown as the output of a test.
const mostSteps = 200

// outputOf returns the steps of a violating run, each on a line with its number; "" if there is none.
func outputOf(r *batch.Result) string {
	c := r.Counterexample
	if c == nil || len(c.Labels) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n%s\n", r.Job.Model, r.Job.Property(), c.Sentence)
	for i, label := range c.Labels[:min(len(c.Labels), mostSteps)] {
		mark := " "
		if c.LoopStart >= 0 && i >= c.LoopStart {
			mark = "⟲"
		}
		fmt.Fprintf(&b, "%s %3d  %s\n", mark, i+1, label)
	}
	if more := c.Length - mostSteps; more > 0 {
		fmt.Fprintf(&b, "  … (%d more)\n", more)
	}
	return b.String()
}

// sentenceAbout returns a sentence about a result.
func sentenceAbout(r *batch.Result) string {
	switch {
	case r.Status == batch.Violated && r.Counterexample != nil:
		return r.Counterexample.Sentence
	case r.Status == batch.Violated:
		return r.Argument
	case r.Status == batch.Satisfied && r.Stale():
		return "holds, and is expected to be violated"
	case r.Status == batch.Satisfied && len(r.Exceeds) > 0:
		return strings.Join(r.Exceeds, "; ")
	case r.Status == batch.Satisfied:
		if most, words := r.MostOf(); most > 0 {
			return "holds, within " + words
		}
		return "holds"
	}
	return r.Error
}
