package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/compare"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/format"
	"github.com/inev-lts/inev/format/frontend"
	"github.com/inev-lts/inev/report"
)

// baselineModels is the flag that names the models of the baseline.
const baselineModels = "baseline-models"

// mostSince is how many new violations are compared with the model of the baseline.
const mostSince = 100

// addSince adds to new violations what has changed in their models since the baseline. What
// cannot be compared is left as it is, with a warning.
func (j *job) addSince(d *batch.Differences, results []batch.Result) error {
	folder := j.flag(baselineModels)
	if folder == "" {
		return nil
	}
	byName := make(map[string]*batch.Result, len(results))
	for i := range results {
		byName[results[i].Job.Name] = &results[i]
	}
	compared := 0
	for i := range d.List {
		if d.List[i].Change != batch.NewlyViolated {
			continue
		}
		if compared++; compared > mostSince {
			j.warn([]string{fmt.Sprintf("--%s: only the first %d new violations are compared with the models of the baseline", baselineModels, mostSince)})
			return nil
		}
		r := byName[d.List[i].Name]
		since, err := j.since(folder, r)
		if j.ctx.Err() != nil {
			return j.ctx.Err()
		}
		if err != nil {
			j.warn([]string{fmt.Sprintf("--%s: %s: %v", baselineModels, r.Job.Name, err)})
			continue
		}
		d.List[i].Since = since
	}
	return nil
}

var errOtherModel = errors.New("the model has changed since the batch was run")

// since compares the model of a job with its namesake in a folder.
func (j *job) since(folder string, r *batch.Result) (string, error) {
	name := filepath.FromSlash(r.Job.Model)
	if !filepath.IsLocal(name) {
		return "", fmt.Errorf("the model %s lies outside the folder of the manifest", r.Job.Model)
	}
	ctx := j.ctx
	if r.Job.Timeout > 0 {
		limited, stop := context.WithTimeout(ctx, r.Job.Timeout)
		defer stop()
		ctx = limited
	}
	f, o, err := r.Job.Question(ctx)
	if err != nil {
		return "", err
	}
	var versions [2]compare.Version
	for i, path := range []string{filepath.Join(folder, name), r.Job.Path} {
		m, _, err := j.models().Open(ctx, frontend.Specification{Path: path}, format.Options{Name: path, Lenient: r.Job.Options.Lenient, Admit: j.admit})
		if errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("%s is missing", path)
		}
		if err != nil {
			return "", err
		}
		versions[i] = compare.Version{LTS: m.LTS, Source: explain.Source{File: path}}
	}
	c := &compare.Comparison{OldFile: "the baseline", NewFile: r.Job.Model, Formula: r.Job.Property()}
	if c.Behaviour, err = compare.Models(ctx, versions[0].LTS, versions[1].LTS, compare.Options{}); err != nil {
		return "", err
	}
	if c.Versions, err = compare.Property(ctx, versions[0], versions[1], f, o, compare.Options{}); err != nil {
		return "", err
	}
	if c.Versions.New.Verdict != explain.Violated || r.Counterexample != nil && c.Versions.New.Counterexample.Length != r.Counterexample.Length {
		return "", errOtherModel
	}
	if c.Versions.Old.Verdict == explain.Violated {
		return "the model of the baseline violates it, too", nil
	}
	return report.Since(c), nil
}
