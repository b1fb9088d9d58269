package editor

import (
	"context"
	"slices"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/internal/memo"
	"github.com/inev-lts/inev/lts"
)

// model is the knowledge about a model, from the time when it was last read.
type model struct {
	stamp    string
	facts    *Facts
	alphabet *lts.Alphabet
	// patterns mean a label, or all labels of a gate; they are in alphabetical order.
	patterns []string
	wrong    string // the reason why the model cannot be read
	// memory keeps the candidates for "did you mean".
	memory memo.Memory
}

// verdict is the answer to a question; answer is nil while the question is being answered.
type verdict struct{ answer *Answer }

// verdictKey identifies a question about a model at a certain time.
func verdictKey(j batch.Job, stamp string) string { return stamp + "\x00" + keyOf(j) }

// verdictOf returns the verdict on a question, and whether the question is answered or being
// answered.
func (s *Server) verdictOf(j batch.Job) (v *verdict, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.known[j.Path]
	if m == nil {
		return nil, false
	}
	v, known = s.verdicts[verdictKey(j, m.stamp)]
	return v, known
}

// modelsOf returns the known models of a document.
func (s *Server) modelsOf(a *asking) []*model {
	paths := map[string]bool{}
	var all []*model
	add := func(path string) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if m := s.known[path]; !paths[path] && m != nil && m.facts != nil {
			all = append(all, m)
		}
		paths[path] = true
	}
	for _, q := range a.all {
		add(q.job.Path)
	}
	s.mu.Lock()
	o := s.open[a.doc.uri]
	var t *targets
	if o != nil {
		t = o.targets
	}
	s.mu.Unlock()
	if t != nil {
		for _, target := range t.paths {
			add(target.path)
		}
	}
	return all
}

// trusted reports whether inev may run other programs to make models.
func (s *Server) trusted() bool {
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
	if o.checking != nil {
		o.checking()
	}
	ctx, stop := context.WithCancel(s.ctx)
	o.checking = stop
	d := o.doc
	s.mu.Unlock()
	s.working.Go(func() {
		defer stop()
		_, _ = contained(func() (any, error) { s.checked(ctx, d); return nil, nil })
	})
}

func (s *Server) checked(ctx context.Context, d *document) {
	a := s.askingOf(ctx, d, true)
	models := map[string]string{}
	for _, q := range a.all {
		if _, is := models[q.job.Path]; !is {
			models[q.job.Path] = stampOf(q.job.Path)
		}
	}
	if a.file != nil { // the models that no formula is about yet
		for _, t := range s.targetsOf(ctx, a, false).paths {
			models[t.path] = stampOf(t.path)
		}
	}
	s.mu.Lock()
	for path, stamp := range models {
		if m := s.known[path]; m == nil || m.stamp != stamp || m.wrong != "" {
			s.known[path] = &model{stamp: stamp}
		}
	}
	s.mu.Unlock()
	s.diagnose(d.uri)
	for path := range models {
		s.learn(ctx, d.uri, path)
	}
	for _, q := range a.all {
		if ctx.Err() != nil {
			return
		}
		s.decide(ctx, d.uri, q.job)
	}
	s.forget()
	<-s.diagnose(d.uri)
	s.shows(d.uri)
}

// learn asks for the facts of a model.
func (s *Server) learn(ctx context.Context, uri, path string) {
	s.mu.Lock()
	m := s.known[path]
	if m == nil || m.facts != nil || m.wrong != "" {
		s.mu.Unlock()
		return
	}
	s.mu.Unlock()
	name := shownPath(uri, path)
	facts, err := s.analyst.Facts(ctx, Question{Job: batch.Job{Name: name, Model: name, Path: path}, Trusted: s.trusted()})
	if ctx.Err() != nil {
		return
	}
	learnt := &model{stamp: m.stamp, facts: facts}
	if err != nil {
		learnt.facts, learnt.wrong = nil, err.Error()
	} else {
		learnt.alphabet, err = lts.NewAlphabet(facts.Labels)
		if err != nil {
			learnt.facts, learnt.wrong = nil, err.Error()
		}
		learnt.patterns = patternsOf(facts.Labels)
	}
	s.mu.Lock()
	if s.known[path] == m {
		s.known[path] = learnt
	}
	s.mu.Unlock()
	s.diagnose(uri)
}

// patternsOf returns the patterns for a label, or for all labels of a gate.
func patternsOf(labels []string) []string {
	var all []string
	for _, label := range labels {
		if label == "" {
			continue
		}
		all = append(all, actl.PatternFor(label))
		if gate, has := actl.GateOf(label); has {
			all = append(all, gate)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// decide answers a question, unless it is answered.
func (s *Server) decide(ctx context.Context, uri string, j batch.Job) {
	s.mu.Lock()
	m := s.known[j.Path]
	if m == nil {
		s.mu.Unlock()
		return
	}
	key := verdictKey(j, m.stamp)
	if v := s.verdicts[key]; v != nil && v.answer != nil {
		s.mu.Unlock()
		return
	}
	s.verdicts[key] = &verdict{}
	s.mu.Unlock()
	s.shows(uri)
	var answer *Answer
	var err error
	select {
	case s.checks <- struct{}{}:
		answer, err = s.analyst.Answer(ctx, Question{Job: j, Trusted: s.trusted()})
		<-s.checks
	case <-ctx.Done():
		err = ctx.Err()
	}
	s.mu.Lock()
	switch {
	case ctx.Err() != nil || err == nil && answer.Result.Status == batch.Canceled:
		if v := s.verdicts[key]; v != nil && v.answer == nil {
			delete(s.verdicts, key) // another goroutine may be answering it, and will report the answer
		}
	case err != nil:
		answer = &Answer{Result: batch.Result{Job: j, Status: batch.Failed, Error: err.Error()}}
		fallthrough
	default:
		s.verdicts[key] = &verdict{answer}
	}
	s.mu.Unlock()
	if ctx.Err() == nil {
		<-s.diagnose(uri)
		s.shows(uri)
	}
}

// mostVerdicts is the number of kept verdicts above which the server forgets verdicts on questions
// that are in no text any more.
const mostVerdicts = 1000

// forget forgets verdicts on questions that no open document has, if there are many.
func (s *Server) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.verdicts) < mostVerdicts {
		return
	}
	needed := map[string]bool{}
	for _, o := range s.open {
		if o.kept == nil {
			continue
		}
		for _, q := range o.kept.all {
			if m := s.known[q.job.Path]; m != nil {
				needed[verdictKey(q.job, m.stamp)] = true
			}
		}
	}
	for key, v := range s.verdicts {
		if !needed[key] && v.answer != nil {
			delete(s.verdicts, key)
		}
	}
}

// shownPath returns a model's path as the document names it.
func shownPath(uri, path string) string {
	folder := pathOf(uri)
	if i := strings.LastIndexAny(folder, `/\`); i >= 0 {
		if rest, is := strings.CutPrefix(path, folder[:i+1]); is {
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
}

// shows asks the client to fetch the texts next to the lines again.
func (s *Server) shows(uri string) {
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
		a := s.askingOf(s.ctx, d, false)
		news := shownVerdicts{URI: uri, Version: d.version, Items: []shownVerdict{}}
		for _, q := range a.all {
			news.Items = append(news.Items, s.shown(a, q))
		}
		s.notify("inev/verdicts", news)
	}
	if client.Capabilities.Workspace.CodeLens.RefreshSupport {
		s.call("workspace/codeLens/refresh", nil)
	}
}

func (s *Server) shown(a *asking, q asked) shownVerdict {
	item := shownVerdict{
		Formula: q.job.Property(), Model: q.job.Model, Path: q.job.Path, Line: q.line, Range: a.doc.span(q.start, q.end), Status: "unknown",
	}
	v, known := s.verdictOf(q.job)
	switch {
	case !known:
	case v.answer == nil:
		item.Status = "pending"
	default:
		r := &v.answer.Result
		item.Status, item.Milli, item.Message = string(r.Status), r.Milli, said(r)
		item.Passes = r.Status.Answered() && !r.Unexpected && len(r.Exceeds) == 0
	}
	return item
}

// said returns a sentence about a result.
func said(r *batch.Result) string {
	switch {
	case r.Status == batch.Violated && r.Counterexample != nil:
		return r.Counterexample.Sentence
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
