//go:build !js

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
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
func (j *job) addSince(d *batch.Differences, jd judge, results []batch.Result) error {
	folder := j.flag(baselineModels)
	kept := jd.keptModels()
	if folder == "" && len(kept) == 0 {
		return nil
	}
	byName := make(map[string]*batch.Result, len(results))
	for i := range results {
		byName[results[i].Job.Name] = &results[i]
	}
	compared := 0
	for i := range d.List {
		if !d.List[i].NewlyViolated() {
			continue
		}
		if compared++; compared > mostSince {
			j.warn([]string{fmt.Sprintf("only the first %d new violations are compared with the models of the baseline", mostSince)})
			return nil
		}
		r := byName[d.List[i].Name]
		old, err := oldModel(folder, kept, r)
		if old == "" && err == nil {
			continue
		}
		since := ""
		if err == nil {
			since, err = j.since(old, kept[r.Job.Name].digest, r)
		}
		if j.ctx.Err() != nil {
			return j.ctx.Err()
		}
		if err != nil {
			j.warn([]string{fmt.Sprintf("%s is not compared with the model of the baseline: %v", r.Job.Name, err)})
			continue
		}
		d.List[i].Since = since
	}
	return nil
}

var errOtherModel = errors.New("the model has changed since the batch was run")

// keptModel is a model that an earlier run has kept.
type keptModel struct{ path, digest string }

// keptModels returns the models that the baseline has kept, by the names of their jobs.
func (jd judge) keptModels() map[string]keptModel {
	folder := jd.baseline
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		folder = filepath.Dir(folder)
	}
	kept := make(map[string]keptModel)
	for _, r := range jd.old {
		if name := r.KeptModel(); name != "" {
			kept[r.Job.Name] = keptModel{filepath.Join(folder, filepath.FromSlash(name)), r.ModelDigest}
		}
	}
	return kept
}

// oldModel returns the file of a job's model in the baseline: its namesake in the folder that the user has
// named, or else the kept copy; "" if there is none.
func oldModel(folder string, kept map[string]keptModel, r *batch.Result) (string, error) {
	if folder == "" {
		return kept[r.Job.Name].path, nil
	}
	name := filepath.FromSlash(r.Job.Model)
	if !filepath.IsLocal(name) {
		return "", fmt.Errorf("the model %s lies outside the folder of the manifest", r.Job.Model)
	}
	return filepath.Join(folder, name), nil
}

// since compares the model of a job with an old one, which has a digest if it was kept.
func (j *job) since(old, digest string, r *batch.Result) (string, error) {
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
	for i, path := range []string{old, r.Job.Path} {
		m, _, err := j.models().Open(ctx, frontend.Specification{Path: path}, format.Options{Name: path, Lenient: r.Job.Options.Lenient, Admit: j.admit, Digest: i == 0 && digest != ""})
		if errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("%s is missing", path)
		}
		if err != nil {
			return "", err
		}
		if i == 0 && m.Digest != digest && digest != "" && j.flag(baselineModels) == "" {
			return "", fmt.Errorf("%s is not as it was written: its SHA-256 is another one", path)
		}
		versions[i] = compare.Version{LTS: m.LTS, Source: explain.Source{File: path}}
	}
	c := &compare.Comparison{OldFile: "the baseline", NewFile: r.Job.Model, Formula: r.Job.Property()}
	if c.Behaviour, err = compare.Models(ctx, versions[0].LTS, versions[1].LTS, compare.Options{NoStrange: true}); err != nil {
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
