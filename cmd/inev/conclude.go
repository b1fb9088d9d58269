//go:build !js

package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/batch/summary"
	"github.com/inev-lts/inev/cmd/wording"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/progress"
)

// judge decides which jobs fail, and what has changed.
type judge struct {
	gate     batch.Gate
	baseline string // "" if there is none
	old      []batch.Result
	// baseURL and noLinks are those of [summary.Batch].
	baseURL string
	noLinks bool
}

// readJudgement reads the flags of [judgement], and the results to compare with.
func (j *job) readJudgement() (jd judge, err error) {
	if err = jd.gate.Set(j.flag("fail-on")); err != nil {
		return jd, j.refuse("--fail-on: %v", err)
	}
	if jd.baseURL, jd.noLinks, err = j.readBaseURL(); err != nil {
		return jd, err
	}
	jd.baseline = j.flag("baseline")
	if jd.baseline == "" {
		if j.flag(baselineModels) != "" {
			return jd, j.refuse("--%s needs the results of these models; name them by --baseline", baselineModels)
		}
		if jd.gate.NeedsBaseline() {
			return jd, j.refuse("--fail-on new needs an earlier run to compare with; name it by --baseline")
		}
		return jd, nil
	}
	if _, err := os.Stat(jd.baseline); errors.Is(err, fs.ErrNotExist) {
		return jd, j.refuse("--baseline %s: there are no results; leave it out of a first run", jd.baseline)
	}
	if jd.old, err = batch.ReadResults(j.ctx, jd.baseline); err != nil {
		return jd, fmt.Errorf("--baseline: %w", err)
	}
	return jd, nil
}

// readBaseURL reads where the folder of results is served.
func (j *job) readBaseURL() (base string, none bool, err error) {
	text := j.flag("base-url")
	if text == "" || text == "none" {
		return "", text == "none", nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return "", false, j.refuse("--base-url %s is not the address of a folder, such as https://example.org/results, nor none", text)
	}
	return strings.TrimRight(u.String(), "/"), false, nil
}

// of returns the judge of a part of the jobs: what the earlier run has of others is
// not compared with.
func (jd judge) of(all, part []batch.Job) judge {
	if len(all) == len(part) {
		return jd
	}
	names := map[string]bool{}
	for _, job := range part {
		names[job.Name] = true
	}
	jd.old = slices.DeleteFunc(slices.Clone(jd.old), func(r batch.Result) bool { return !names[r.Job.Name] })
	return jd
}

// conclude writes the summaries of a batch, sums it up, and judges it. The flag again
// lets the same command write what is missing where it is interrupted.
func (j *job) conclude(out *batch.Outcome, folder string, jd judge, again string) error {
	jd = jd.of(out.Plan.Jobs, out.Jobs)
	b := summary.Batch{Manifest: out.Plan.Manifest, Version: version(), Results: out.Results, Folder: filepath.ToSlash(folder), BaseURL: jd.baseURL, NoLinks: jd.noLinks}
	if jd.baseline != "" {
		differences := batch.Compare(jd.old, out.Results)
		differences.Baseline = jd.baseline
		if err := j.addSince(&differences, jd, out.Results); err != nil {
			return err
		}
		b.Differences = &differences
	}
	progress.Start(j.ctx, "write summaries", progress.Nothing, 0)
	if err := b.Write(j.ctx, folder); err != nil {
		if lost := out.Check(j.ctx, folder); lost != nil && j.ctx.Err() == nil {
			return lost
		}
		return j.interrupted(err, fmt.Sprintf("all results are kept in %s, but not all of the summaries there (%s and the like) are written; the same with %s writes them",
			folder, summary.HTMLFile, again))
	}
	if err := out.Check(j.ctx, folder); err != nil {
		return err
	}
	failing := jd.gate.Failing(out.Results, jd.old)
	format, err := j.batchFormat()
	if err != nil {
		return err
	}
	j.unwatch()
	w := stoppableWriter{j.ctx, j.stdout}
	switch format {
	case "json":
		err = b.JSON(w)
	case "markdown":
		err = b.Markdown(w)
	default:
		_, err = io.WriteString(w, wording.Summary(out, b, failing, jd.gate, folder))
	}
	err = j.interrupted(err, fmt.Sprintf("all results are kept in %s with their summaries; standard output alone is not complete", folder))
	if err == nil && len(failing) > 0 {
		return errFailing
	}
	return err
}

// interrupted returns an error that says what is kept, where err comes of an
// interruption, and err elsewhere.
func (j *job) interrupted(err error, kept string) error {
	if err != nil && isDone(err) && j.ctx.Err() != nil {
		return &interruptedError{kept}
	}
	return err
}

// tellManifest shows all that is wrong with a manifest, and reports whether the error is about one.
func tellManifest(w io.Writer, err error) bool {
	var manifest *batch.ManifestError
	if !errors.As(err, &manifest) {
		return false
	}
	all := manifest.Mistakes
	for _, m := range all {
		fmt.Fprintf(w, "inev: %s\n", printable.Brief(m.String()))
		if m.Caret != "" {
			fmt.Fprintln(w, m.Caret)
		}
	}
	if len(all) > 1 {
		fmt.Fprintf(w, "inev: %d mistakes; nothing was run\n", len(all))
	}
	return true
}

// failingWords are what --fail-on takes.
func failingWords() []string { return batch.Gates() }
