package editor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/cmd/wording"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/format"
	"github.com/inev-lts/inev/internal/contained"
	"github.com/inev-lts/inev/internal/ctl/argument"
	"github.com/inev-lts/inev/internal/diagram/draw"
	"github.com/inev-lts/inev/internal/diagram/graphviz"
	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/internal/explain/specification"
	"github.com/inev-lts/inev/internal/footprint"
	"github.com/inev-lts/inev/internal/format/frontend"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/report/page"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
)

// An Analyst reads models and answers questions about them. Many goroutines may call its methods,
// which end when their contexts do. Questions and answers are plain data, which JSON carries
// without loss, so that an analyst may be another process.
type Analyst interface {
	// Facts returns the names that formulas about a model can use. The error is the reason why the model
	// cannot be read.
	Facts(ctx context.Context, q Question) (*Facts, error)
	// Answer answers a question. A failure is part of the result.
	Answer(ctx context.Context, q Question) (*Answer, error)
}

// Facts has the names that a formula about a model can use, and the size of the model.
type Facts struct {
	// Labels are in the order of the model.
	Labels      []string   `json:"labels"`
	Variables   []Variable `json:"variables,omitempty"`
	States      int        `json:"states"`
	Transitions int        `json:"transitions"`
}

// A Variable is a variable of the states of a model, with its first values.
type Variable struct {
	Name   string   `json:"name"`
	Values []string `json:"values"`
}

// A Question is a job, with the kinds of answers that are requested besides the verdict.
type Question struct {
	Job batch.Job `json:"job"`
	// Page requests the page, and Picture an SVG of the whole model; without a formula, the SVG
	// shows the model itself.
	Page    bool `json:"page,omitempty"`
	Picture bool `json:"picture,omitempty"`
	// TLA is the TLA+ specification whose property, or expression, is the formula of the job; ""
	// for none. The model of the job is the graph of the specification; without a formula, the
	// question is about all properties of its configuration.
	TLA string `json:"tla,omitempty"`
	// Trusted allows other programs to make the model of a specification.
	Trusted bool `json:"trusted,omitempty"`
}

// An Answer is the answer to a question.
type Answer struct {
	Result batch.Result `json:"result"`
	// Assumptions would make a violated property hold; the weakest notion of fairness comes first.
	Assumptions []string `json:"assumptions,omitempty"`
	// Remedies are sentences about what would make a violated property hold.
	Remedies []string `json:"remedies,omitempty"`
	Page     string   `json:"page,omitempty"`
	Picture  string   `json:"picture,omitempty"`
	// NotDrawn is the reason why there is no picture.
	NotDrawn string `json:"not_drawn,omitempty"`
	// Notes are remarks that the page does not have.
	Notes []string `json:"notes,omitempty"`
	// Files are the files of the specification. Places has the position in them of each action on
	// the run, nil for an action without a position.
	Files  []string            `json:"files,omitempty"`
	Places []*explain.Position `json:"places,omitempty"`
}

// Limits bound the work on each question.
type Limits struct {
	Timeout time.Duration
	Memory  resources.Limit // no limit if its Bytes are 0
	Version string
	// Transitions is the largest number of transitions of a model; 0 is no limit.
	Transitions int64
}

// Local is an analyst in this process. It keeps the most recently used models.
type Local struct {
	limits Limits
	engine *graphviz.Engine

	mu           sync.Mutex
	recentModels []*keptModel // in the order of use
}

// keptModel is a model as it was read from its file at some time.
type keptModel struct {
	path  string
	stamp string
	model *batch.Model
	// meaning is a warning if the format leaves open whether runs continue; "" for other formats.
	meaning string
}

// mostKeptTransitions is the largest number of transitions of all kept models together. The most recently
// used model is kept whatever its size.
const mostKeptTransitions = 10_000_000

// NewLocal returns an analyst, to be closed.
func NewLocal(l Limits) *Local {
	return &Local{limits: l, engine: graphviz.New(view.MaxStops, wording.CompiledFolder())}
}

// Close ends the use of the analyst.
func (a *Local) Close() { a.engine.Close() }

// stampOf returns the size and time of a file as a text, which differs after the file has changed,
// without reading the file; "" if the file does not exist.
func stampOf(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return fmt.Sprint(info.Size(), " ", info.ModTime().UnixNano())
}

// models are the models that the jobs of one question read.
type models struct {
	*Local
	trusted bool
	// isSpecified is set for a question with a specification, since the specification defines the
	// runs.
	isSpecified bool
}

// Digest returns the SHA-256 of the file of a model.
func (m models) Digest(ctx context.Context, j batch.Job) (string, error) {
	return batch.Digest(ctx, j.Path)
}

// Model returns a model, with the values of its states, for a job.
func (m models) Model(ctx context.Context, j batch.Job) (*batch.Model, error) {
	if j.States != nil || j.Options.Lenient || j.Config != nil || j.ChangesLabels() != "" {
		return batch.ReadingEach(0).Model(ctx, j)
	}
	specification := frontend.Specification{
		Path:     j.Path,
		FrontEnd: j.Options.FrontEnd,
		Options:  j.Options.FrontEndOptions,
	}
	made := specification.Made() != ""
	stamp := stampOf(j.Path)
	if found := m.findKept(j.Path, stamp); found != nil && !made {
		return m.withWarnings(found), nil
	}
	read, err := m.read(ctx, j, specification)
	if err != nil {
		return nil, err
	}
	read.path, read.stamp = j.Path, stamp
	if !made { // the files that a specification includes do not change the stamp
		m.keepModel(read)
	}
	return m.withWarnings(read), nil
}

// withWarnings returns a model with the warnings that matter for the question.
func (m models) withWarnings(k *keptModel) *batch.Model {
	if k.meaning == "" || m.isSpecified {
		return k.model
	}
	unsettled := *k.model
	unsettled.Unsettled = k.meaning
	return &unsettled
}

// read reads a model; a program makes it first if it is a specification.
func (m models) read(
	ctx context.Context,
	j batch.Job,
	s frontend.Specification,
) (*keptModel, error) {
	start := time.Now()
	var maker *frontend.Maker
	needsProgram := s.Made() != "" && !s.IsComposed()
	if needsProgram {
		if !m.trusted {
			return nil, fmt.Errorf("%s: other programs make its model, and nothing allows that here: trust the workspace, or convert it by inev convert", j.Model)
		}
		maker = &frontend.Maker{}
		if folder := wording.CompiledFolder(); folder != "" {
			maker.Cache = filepath.Join(folder, "models")
		}
		defer maker.Close()
	}
	read, warnings, err := maker.Open(ctx, s, format.Options{
		Name:   j.Model,
		Digest: true,
		States: true,
		Admit: func(states, transitions int64) error {
			if err := m.limits.admit(j.Model, transitions); err != nil {
				return err
			}
			return footprint.Fits(footprint.Explaining, states, transitions,
				resources.LimitOf(ctx))
		},
	})
	if err != nil {
		if ctx.Err() == nil && runtime.GOOS == "js" && specification.Reads(j.Path) {
			err = fmt.Errorf("%s: other programs make its model, and the engine in the editor starts none: install inev-ls and trust the workspace, or convert it by inev convert", j.Model)
		}
		return nil, err
	}
	if err := m.limits.admit(j.Model, int64(read.LTS.NumTransitions())); err != nil {
		return nil, err // not all formats say how large they are
	}
	k := &keptModel{model: &batch.Model{
		LTS:      read.LTS,
		States:   read.States,
		Warnings: warnings,
		Digest:   read.Digest,
		Took:     time.Since(start),
	}}
	if read.Format.Meaning != "" {
		k.meaning = j.Model + ": " + read.Format.Meaning
	}
	return k, nil
}

// admit returns an error if a model is too large.
func (l Limits) admit(name string, transitions int64) error {
	if l.Transitions == 0 || transitions <= l.Transitions {
		return nil
	}
	return fmt.Errorf("%s: its %d transitions are more than the %d that the engine in the editor takes; install inev-ls", name, transitions, l.Transitions)
}

// findKept returns a kept model, nil if it is not kept, or its file has changed since.
func (a *Local) findKept(path, stamp string) *keptModel {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i, k := range a.recentModels {
		if k.path == path && k.stamp == stamp && stamp != "" {
			a.recentModels = append(slices.Delete(a.recentModels, i, i+1), k)
			return k
		}
	}
	return nil
}

// keepModel keeps a model as the most recently used one, and forgets the least recently used ones as long as all
// together have too many transitions.
func (a *Local) keepModel(k *keptModel) {
	a.mu.Lock()
	defer a.mu.Unlock()
	isOlder := func(other *keptModel) bool { return other.path == k.path }
	a.recentModels = append(slices.DeleteFunc(a.recentModels, isOlder), k)
	newest := len(a.recentModels) - 1
	forgotten := 0
	transitions := 0
	for i, m := range slices.Backward(a.recentModels) {
		transitions += m.model.LTS.NumTransitions()
		if transitions > mostKeptTransitions && i < newest {
			forgotten = i + 1
			break
		}
	}
	a.recentModels = slices.Delete(a.recentModels, 0, forgotten)
}

// shownValues is how many values of a variable are offered.
const shownValues = 50

// Facts implements [Analyst].
func (a *Local) Facts(ctx context.Context, q Question) (*Facts, error) {
	ctx, stop := a.withLimits(inputfile.Untrusted(ctx, nil))
	defer stop()
	m, err := models{Local: a, trusted: q.Trusted}.Model(ctx, q.Job)
	if err != nil {
		return nil, err
	}
	f := &Facts{States: m.LTS.NumStates(), Transitions: m.LTS.NumTransitions()}
	seen := map[string]bool{}
	for _, text := range m.LTS.Alphabet().All() {
		if !seen[text] {
			seen[text] = true
			f.Labels = append(f.Labels, text)
		}
	}
	for p := range numParameters(m) {
		v := Variable{Name: m.States.Parameter(p).Name}
		for value := range min(shownValues, m.States.NumValues(p)) {
			v.Values = append(v.Values, m.States.Text(p, lts.Value(value)))
		}
		f.Variables = append(f.Variables, v)
	}
	return f, nil
}

func numParameters(m *batch.Model) int {
	if m.States == nil {
		return 0
	}
	return m.States.NumParameters()
}

// withLimits returns the context of a question, with the question's limits.
func (a *Local) withLimits(ctx context.Context) (context.Context, context.CancelFunc) {
	if a.limits.Memory.Bytes != 0 {
		ctx = resources.NewBudget(a.limits.Memory, nil).With(ctx)
	}
	if a.limits.Timeout == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, a.limits.Timeout)
}

// Answer implements [Analyst].
func (a *Local) Answer(ctx context.Context, q Question) (*Answer, error) {
	ctx = inputfile.Untrusted(ctx, nil)
	if q.TLA != "" {
		return a.answerSpecification(ctx, q)
	}
	if q.Picture && q.Job.Formula == "" {
		return a.draw(ctx, q)
	}
	if a.limits.Memory.Bytes != 0 {
		ctx = resources.NewBudget(a.limits.Memory, nil).With(ctx)
	}
	answer := &Answer{}
	if j := q.Job; j.Source != nil {
		answer.Files = j.Source.Paths
	} else if specification.Reads(j.Path) {
		answer.Files = []string{j.Path}
	}
	var panicked *contained.Panic
	answer.Result = batch.Do(ctx, q.Job, batch.Work{
		Failed:  func(err error) { errors.As(err, &panicked) },
		Version: a.limits.Version,
		Timeout: a.limits.Timeout,
		Models:  models{Local: a, trusted: q.Trusted},
		Engine:  a.engine,
		Text:    wording.Text,
		Explained: func(ctx context.Context, e *explain.Explanation) error {
			return a.addParts(ctx, q, e, answer)
		},
	})
	if q.Page && answer.Result.Argument != "" {
		if err := answer.addArgumentPage(); err != nil {
			return nil, err
		}
	}
	if panicked != nil { // whoever asked logs its stack
		return nil, panicked
	}
	return answer, ctx.Err()
}

// addArgumentPage makes the page of a job about states. The page shows the verdict, and the
// sentence that says why.
func (a *Answer) addArgumentPage() error {
	r := &a.Result
	holds := r.Status == batch.Satisfied
	verdict := "does not hold"
	if holds {
		verdict = "holds"
	}
	because := &argument.Argument{
		Formula: r.Job.Formula,
		Holds:   holds,
		Text:    r.Argument,
	}
	page := argument.Page{
		Model:   r.Job.Model,
		Formula: r.Job.Formula,
		Verdict: verdict,
		Holds:   holds,
		// The sentence names the state.
		WithoutStates: true,
	}
	var text strings.Builder
	err := page.WriteHTML(&text, nil, []*argument.Argument{because})
	a.Page = text.String()
	return err
}

// addParts adds the requested parts of an explanation to an answer.
func (a *Local) addParts(
	ctx context.Context,
	q Question,
	e *explain.Explanation,
	to *Answer,
) error {
	to.Assumptions = assumptionsOf(e)
	to.Remedies = remediesOf(e)
	if q.Page {
		if err := a.addPage(ctx, q, e, to); err != nil {
			return err
		}
		if err := to.findPlaces(ctx, e); err != nil {
			return err
		}
	}
	if q.Picture {
		return a.addPicture(ctx, e, to)
	}
	return nil
}

// findPlaces finds the positions in the specification of the actions on the run.
func (a *Answer) findPlaces(ctx context.Context, e *explain.Explanation) error {
	if len(a.Files) == 0 || e.Counterexample == nil {
		return nil
	}
	files, err := specification.Read(ctx, a.Files)
	if err != nil {
		return err
	}
	for _, step := range e.Counterexample.Steps {
		a.Places = append(a.Places, files.Find(step.Label))
	}
	return nil
}

// addPage makes the page of an explanation.
func (a *Local) addPage(
	ctx context.Context,
	q Question,
	e *explain.Explanation,
	to *Answer,
) error {
	tour, err := view.NewTour(ctx, e, 0)
	if err != nil {
		return err
	}
	p, err := page.New(ctx, a.engine, e, tour, page.Options{
		Command: commandOf(q),
		Version: a.limits.Version,
	})
	if err != nil {
		return err
	}
	var text strings.Builder
	err = p.Write(ctx, &text)
	to.Page = text.String()
	return err
}

// addPicture draws the model as inev explain --svg does.
func (a *Local) addPicture(ctx context.Context, e *explain.Explanation, to *Answer) error {
	g, err := view.Of(ctx, e, view.Options{Advice: true})
	if err != nil {
		return err
	}
	var text strings.Builder
	if err := draw.SVG(ctx, a.engine, &text, g.Diagnosed(render.NewSentences(e, printable.Text).Title()), draw.Options{}); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		to.NotDrawn = err.Error()
		return nil
	}
	to.Picture = text.String()
	return nil
}

// draw draws a model, about which nothing is asked. A failure is part of the answer.
func (a *Local) draw(ctx context.Context, q Question) (*Answer, error) {
	answer := &Answer{Result: batch.Result{
		Schema: batch.ResultSchema,
		Job:    q.Job,
		Status: batch.Canceled,
	}}
	limited, stop := a.withLimits(ctx)
	defer stop()
	text, err := a.drawn(limited, q)
	answer.Picture = text
	switch {
	case ctx.Err() != nil:
		return answer, ctx.Err()
	case err != nil:
		answer.NotDrawn = printable.Text(resources.Because(limited, err).Error())
	}
	return answer, nil
}

// drawn returns the picture of a model.
func (a *Local) drawn(ctx context.Context, q Question) (string, error) {
	m, err := models{Local: a, trusted: q.Trusted}.Model(ctx, q.Job)
	if err != nil {
		return "", err
	}
	g, err := view.OfModel(m.LTS, q.Job.Model, view.Options{})
	if err != nil {
		return "", err
	}
	var text strings.Builder
	err = draw.SVG(ctx, a.engine, &text, g, draw.Options{})
	return text.String(), err
}

// mostRemedies is the number of sentences that [remediesOf] returns.
const mostRemedies = 3

// remediesOf returns sentences about what would make a violated property hold, as a brief report has them.
func remediesOf(e *explain.Explanation) []string {
	if e.Verdict != explain.Violated {
		return nil
	}
	sentences := render.NewSentences(e, printable.Text).InBrief()
	all := sentences.Hold()
	return all[:min(mostRemedies, len(all))]
}

// assumptionsOf returns assumptions that would make the property hold: a smallest assumption for
// each notion of fairness. The notion under which more runs count comes first.
func assumptionsOf(e *explain.Explanation) []string {
	if e.Fairness == nil || e.Verdict != explain.Violated {
		return nil
	}
	var all []string
	for _, kind := range []explain.AssumptionKind{
		explain.Weak,
		explain.Strong,
		explain.Finitely,
	} {
		for _, found := range e.Fairness.Assumptions {
			if found.Kind != kind || len(found.Labels) == 0 {
				continue
			}
			patterns := make([]string, len(found.Labels))
			for i, label := range found.Labels {
				patterns[i] = actl.PatternFor(label)
			}
			text := kind.String() + ":" + strings.Join(patterns, ",")
			if printable.Text(text) == text {
				all = append(all, text)
			}
			break
		}
	}
	return all
}
