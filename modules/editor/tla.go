package editor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/format/frontend"
	"github.com/inev-lts/inev/internal/formula/liveness"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// graphOf returns the graph that TLC has written next to a specification or, if there is no such
// graph, the specification itself, from which TLC makes the graph.
func graphOf(tla string) string {
	stem := strings.TrimSuffix(tla, filepath.Ext(tla))
	newest := tla
	var written time.Time
	for _, suffix := range []string{".dot", ".dump", ".dot.gz", ".dot.zst"} {
		info, err := os.Stat(stem + suffix)
		if err == nil && info.Mode().IsRegular() && info.ModTime().After(written) {
			newest, written = stem+suffix, info.ModTime()
		}
	}
	return newest
}

// configOf returns the text of a configuration; "" if there is none that can be read.
func configOf(path string) string {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > mostText {
		return ""
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return string(text)
}

// toleratedAge is how much older a graph may be than its specification: a clone writes both, in no particular order.
const toleratedAge = time.Minute

// warningIfStale returns a warning if a graph is older than the specification beside it; "" if it is not.
func warningIfStale(graph, tla string) string {
	g, err := os.Stat(graph)
	if err != nil || graph == tla {
		return ""
	}
	m, err := os.Stat(tla)
	if err != nil || !m.ModTime().After(g.ModTime().Add(toleratedAge)) {
		return ""
	}
	return fmt.Sprintf("the graph is older than %s: write it again by TLC's -dump dot,actionlabels", filepath.Base(tla))
}

// answerSpecification answers a question about properties of TLA+, under the fairness in the specification.
// If there are several properties, as in a configuration, it explains the first one that is
// violated. A failure is part of the result.
func (a *Local) answerSpecification(ctx context.Context, q Question) (*Answer, error) {
	answer := &Answer{Result: batch.Result{Schema: batch.ResultSchema, Job: q.Job}}
	limited, stop := a.withLimits(ctx)
	defer stop()
	limited, leave := resources.Join(limited)
	defer leave()
	e, err := a.explainSpecification(limited, q, answer)
	if err == nil {
		err = a.addParts(limited, q, e, answer)
	}
	r := &answer.Result
	switch {
	case ctx.Err() != nil:
		return answer, ctx.Err()
	case err == nil:
		r.Status = batch.Satisfied
		if warning := warningIfStale(q.Job.Path, q.TLA); warning != "" {
			r.Warnings = append(r.Warnings, warning)
		}
		if e.Verdict == explain.Violated {
			r.Status = batch.Violated
			r.Unexpected = true
			r.Counterexample = &batch.Counterexample{
				Kind:      e.Counterexample.Kind,
				Length:    e.Counterexample.Length,
				Sentence:  render.NewSentences(e, printable.Text).Diagnosis(),
				Labels:    labelsOf(e),
				LoopStart: int(e.Counterexample.LoopStart),
			}
		}
	case errors.Is(limited.Err(), context.DeadlineExceeded):
		r.Status = batch.TimedOut
		r.Error = fmt.Sprintf("stopped after %v; allow it more time by -timeout of inev-ls", a.limits.Timeout)
	default:
		r.Status = batch.Failed
		r.Error = printable.Text(resources.Because(limited, err).Error())
	}
	return answer, nil
}

// labelsOf returns the labels of a violating run, as texts that can be shown.
func labelsOf(e *explain.Explanation) []string {
	var labels []string
	for _, step := range e.Counterexample.Steps[:min(len(e.Counterexample.Steps), mostSteps)] {
		labels = append(labels, printable.Text(step.Label))
	}
	return labels
}

// explainSpecification reads a specification and its graph, and explains a property.
func (a *Local) explainSpecification(
	ctx context.Context,
	q Question,
	to *Answer,
) (*explain.Explanation, error) {
	config := strings.TrimSuffix(q.TLA, filepath.Ext(q.TLA)) + ".cfg"
	if _, err := os.Stat(config); err != nil {
		config = ""
	}
	isMade := (frontend.Specification{Path: q.Job.Path}).Made() != ""
	load := liveness.Load
	if isMade {
		load = liveness.LoadMade
	}
	s, err := load(ctx, q.TLA, config, nil)
	if err != nil {
		return nil, err
	}
	var texts []string
	if q.Job.Formula != "" {
		texts = []string{q.Job.Formula}
	}
	instances, notTLA := s.Instances(ctx, texts...)
	f, predicates, isOver := s.ParseOver(ctx, q.Job.Formula, formula.Parse)
	if notTLA != nil && !isOver {
		return nil, notTLA
	}
	m, err := models{Local: a, trusted: q.Trusted, isSpecified: true}.Model(ctx, q.Job)
	if err != nil {
		return nil, err
	}
	g, err := s.On(ctx, m.LTS, m.States, isMade, m.Outside...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", q.Job.Model, err)
	}
	var assumed []*actl.Assumption
	for _, text := range q.Job.Options.Fair {
		one, err := actl.ParseAssumption(ctx, text)
		if err != nil {
			return nil, err
		}
		assumed = append(assumed, one)
	}
	o := explain.Options{Fair: assumed}
	o.File = q.Job.Model
	o.States = m.States
	o.Warnings = m.Warnings
	o.Idle = g.Stuttering()
	o.Process = g.Process
	to.Files = slices.DeleteFunc(slices.Clone(s.Files()), func(path string) bool {
		return filepath.Ext(path) != ".tla"
	})
	if notTLA != nil {
		to.Notes = slices.Concat(to.Notes, g.Notes())
		if len(predicates) > 0 {
			o.States, err = s.Values(ctx, m.LTS, m.States, predicates)
			if err != nil {
				return nil, err
			}
		}
		return explainOver(ctx, g, f, o)
	}
	shown, err := explainInstances(ctx, g, instances, q.Job.Formula != "", o)
	if err != nil {
		return nil, err
	}
	to.Result.Job.Formula = shown.name
	to.Notes = slices.Concat(to.Notes, g.Notes(), shown.notes)
	return shown.explanation, nil
}

// explainOver explains a formula of another logic, such as Response(Ask; Get), about the behaviours of a
// specification.
func explainOver(
	ctx context.Context,
	g *liveness.Graph,
	f property.Formula,
	o explain.Options,
) (*explain.Explanation, error) {
	q, err := g.Take(ctx, f, o.States)
	if err != nil {
		return nil, err
	}
	q.Model, err = explain.Matched(ctx, q.Model, f, &o, false)
	if err != nil {
		return nil, err
	}
	o.Behaviours = func(context.Context) (*lts.LTS, property.Formula, []*actl.Assumption, error) {
		return q.Model, f, q.Fair, nil
	}
	o.Fair = slices.Concat(q.Fair, o.Fair)
	return explain.Explain(ctx, q.Model, f, o)
}

// shownInstance is the instance of a property that is explained, with notes about the others.
type shownInstance struct {
	name        string
	explanation *explain.Explanation
	notes       []string
}

// describeInstances returns a sentence about how many instances of properties hold, and which are violated.
func describeInstances(all, hold int, violated []string) string {
	switch {
	case len(violated) == 0 && hold < all:
		return fmt.Sprintf("%d of %d properties hold; this is about the last of them", hold,
			all)
	case len(violated) == 0:
		return fmt.Sprintf("all %d properties hold; this is about the last", hold)
	}
	verb := "are"
	if len(violated) == 1 {
		verb = "is"
	}
	note := fmt.Sprintf("%d of %d properties %s violated", len(violated), all, verb)
	if len(violated) > 1 {
		note += ", also " + strings.Join(violated[1:], ", ")
	}
	return note
}

// explainInstances checks all instances and explains the first that is violated, or the last if all hold. Instances that cannot be
// evaluated are noted; it fails if none can. If all belong to one property, it also finds the fairness that the property lacks.
func explainInstances(
	ctx context.Context,
	g *liveness.Graph,
	instances []liveness.Instance,
	isOneProperty bool,
	o explain.Options,
) (shownInstance, error) {
	checked, err := checkInstances(ctx, g, instances, o)
	if err != nil {
		return shownInstance{}, err
	}
	shown := shownInstance{name: checked.shownName, notes: checked.notes}
	if shown.name == "" {
		return shown, checked.refused
	}
	if len(instances) > 1 {
		shown.notes = append(shown.notes, describeInstances(len(instances), checked.hold, checked.violated))
	}
	if len(checked.violated) > 0 && isOneProperty {
		o.Lacking, err = lackingFairness(ctx, g, checked.answered, o)
		if err != nil {
			return shown, err
		}
	}
	question := checked.shownQuestion
	o.Behaviours = question.Behaviours
	o.Fair = slices.Concat(question.Fair, o.Fair)
	shown.explanation, err = explain.Explain(ctx, question.Model, question.Formula, o)
	return shown, err
}

// checkedInstances are the verdicts on the instances of properties.
type checkedInstances struct {
	shownName     string // "" if no instance can be evaluated
	shownQuestion liveness.Question
	answered      []liveness.Instance
	violated      []string // the names of those that are violated
	hold          int      // how many hold
	notes         []string // about those that cannot be evaluated
	refused       error    // why the first of them cannot be evaluated
}

// checkInstances checks all instances. The instance to be shown is the first that is violated, or the last if all hold.
func checkInstances(
	ctx context.Context,
	g *liveness.Graph,
	instances []liveness.Instance,
	o explain.Options,
) (checked checkedInstances, err error) {
	assumed := o.Fair
	for _, one := range instances {
		question, err := g.Ask(ctx, one)
		if ctx.Err() != nil {
			return checked, ctx.Err()
		}
		if err != nil {
			checked.refused = cmp.Or(checked.refused, err)
			checked.notes = append(checked.notes,
				fmt.Sprintf("%s cannot be evaluated: %v", one.Name, err))
			continue
		}
		o.Fair = slices.Concat(question.Fair, assumed)
		e, err := explain.Check(ctx, question.Model, question.Formula, o)
		if err != nil {
			return checked, err
		}
		checked.answered = append(checked.answered, one)
		hasViolated := len(checked.violated) > 0 // before this instance
		if !hasViolated {
			checked.shownName = one.Name
			checked.shownQuestion = question
		}
		if e.Verdict == explain.Violated {
			checked.violated = append(checked.violated, one.Name)
		} else {
			checked.hold++
		}
	}
	return checked, nil
}

// longestAdvice bounds the search for the fairness that a specification lacks: the verdict does not wait for it any longer.
const longestAdvice = 5 * time.Second

// lackingFairness returns the fairness that a specification lacks for all instances of a property, of which one is violated; nil
// if it is not found soon.
func lackingFairness(
	ctx context.Context,
	g *liveness.Graph,
	instances []liveness.Instance,
	o explain.Options,
) (*explain.LackingFairness, error) {
	limited, stop := context.WithTimeout(ctx, 2*longestAdvice) // of which the search takes half
	defer stop()
	advice, err := g.Lacking(limited, instances, func(ctx context.Context, q liveness.Question) ([]lts.Transition, bool, error) {
		return o.ViolatingLoop(ctx, q.Model, q.Formula, q.Fair)
	})
	switch {
	case ctx.Err() == nil && limited.Err() != nil:
		return nil, nil
	case err != nil:
		return nil, err
	case !advice.IsKnown():
		return nil, nil
	}
	lacking := explain.LackingFairness(*advice)
	return &lacking, nil
}
