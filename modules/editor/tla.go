package editor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/format/frontend"
	"github.com/inev-lts/inev/internal/formula/liveness"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/resources"
)

// graphOf returns the graph that TLC has written next to a specification or, if there is no such
// graph, the specification itself, from which TLC makes the graph.
func graphOf(tla string) string {
	stem := strings.TrimSuffix(tla, filepath.Ext(tla))
	for _, suffix := range []string{".dot", ".dump", ".dot.gz", ".dot.zst"} {
		if info, err := os.Stat(stem + suffix); err == nil && info.Mode().IsRegular() {
			return stem + suffix
		}
	}
	return tla
}

// specified answers a question about properties of TLA+, under the fairness in the specification.
// If there are several properties, as in a configuration, it explains the first one that is
// violated. A failure is part of the result.
func (a *Local) specified(ctx context.Context, q Question) (*Answer, error) {
	answer := &Answer{Result: batch.Result{Schema: batch.ResultSchema, Job: q.Job}}
	limited, stop := a.within(ctx)
	defer stop()
	limited, leave := resources.Join(limited)
	defer leave()
	e, err := a.specification(limited, q, answer)
	if err == nil {
		err = a.show(limited, q, e, answer)
	}
	r := &answer.Result
	switch {
	case ctx.Err() != nil:
		return answer, ctx.Err()
	case err == nil:
		r.Status = batch.Satisfied
		if e.Verdict == explain.Violated {
			r.Status, r.Unexpected = batch.Violated, true
			r.Counterexample = &batch.Counterexample{Kind: e.Counterexample.Kind, Length: e.Counterexample.Length, Sentence: render.NewSentences(e, printable.Text).Diagnosis()}
		}
	case errors.Is(limited.Err(), context.DeadlineExceeded):
		r.Status, r.Error = batch.TimedOut, fmt.Sprintf("stopped after %v, its limit of time", a.limits.Timeout)
	default:
		r.Status, r.Error = batch.Failed, printable.Text(resources.Because(limited, err).Error())
	}
	return answer, nil
}

// specification reads a specification and its graph, and explains a property.
func (a *Local) specification(ctx context.Context, q Question, to *Answer) (*explain.Explanation, error) {
	config := strings.TrimSuffix(q.TLA, filepath.Ext(q.TLA)) + ".cfg"
	if _, err := os.Stat(config); err != nil {
		config = ""
	}
	s, err := liveness.Load(ctx, q.TLA, config, nil)
	if err != nil {
		return nil, err
	}
	var texts []string
	if q.Job.Formula != "" {
		texts = []string{q.Job.Formula}
	}
	instances, err := s.Instances(texts...)
	if err != nil {
		return nil, err
	}
	m, err := models{Local: a, trusted: q.Trusted, specified: true}.Model(ctx, q.Job)
	if err != nil {
		return nil, err
	}
	isMade := (frontend.Specification{Path: q.Job.Path}).Made() != ""
	g, err := s.On(ctx, m.LTS, m.States, isMade)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", q.Job.Model, err)
	}
	to.Notes = append(to.Notes, g.Notes()...)
	var assumed []*actl.Assumption
	for _, text := range q.Job.Options.Fair {
		one, err := actl.ParseAssumption(ctx, text)
		if err != nil {
			return nil, err
		}
		assumed = append(assumed, one)
	}
	var explained *explain.Explanation
	var violated []string
	for i, one := range instances {
		question, err := g.Ask(ctx, one)
		if err != nil {
			return nil, err
		}
		o := explain.Options{Fair: slices.Concat(question.Fair, assumed)}
		o.File, o.States, o.Warnings, o.Idle = q.Job.Model, m.States, m.Warnings, g.Stuttering()
		e, err := explain.Check(ctx, question.Model, question.Formula, o)
		if err != nil {
			return nil, err
		}
		if e.Verdict == explain.Violated {
			violated = append(violated, one.Name)
		}
		if first := e.Verdict == explain.Violated && len(violated) == 1; !first && (i < len(instances)-1 || explained != nil) {
			continue
		}
		if explained, err = explain.Explain(ctx, question.Model, question.Formula, o); err != nil {
			return nil, err
		}
		to.Result.Job.Formula = one.Name
	}
	to.Files = slices.DeleteFunc(slices.Clone(s.Files()), func(path string) bool { return filepath.Ext(path) != ".tla" })
	switch hold := len(instances) - len(violated); {
	case len(instances) == 1:
	case len(violated) == 0:
		to.Notes = append(to.Notes, fmt.Sprintf("all %d properties hold; this is about the last", hold))
	default:
		note := fmt.Sprintf("%d of %d properties are violated", len(violated), len(instances))
		if len(violated) > 1 {
			note += ", also " + strings.Join(violated[1:], ", ")
		}
		to.Notes = append(to.Notes, note)
	}
	return explained, nil
}
