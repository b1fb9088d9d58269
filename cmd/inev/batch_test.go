package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/internal/lts/generate"
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/internal/testing/golden"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
)

// manyJobs writes a manifest m.yaml for so many small models, with three jobs each,
// into a new folder.
func manyJobs(t *testing.T, models int) (folder string) {
	t.Helper()
	folder = t.TempDir()
	for i := range models {
		f, err := os.Create(filepath.Join(folder, fmt.Sprintf("%d.aut", i)))
		if err == nil {
			err = generate.Write(context.Background(), f, generate.Spec{Kind: "scc", States: 20, Degree: 2, Labels: 5, Locality: 10, Seed: uint64(i)})
		}
		if err == nil {
			err = f.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{
		// Jobs without an answer are done again when a run is resumed.
		"bad.aut": "des (0,1,1)\n",
		"f.inev":  "Inev(ACTION)\nInev(\"ACTION !1\", \"ACTION !2\")\nInev(\"ACTION !0\")\n",
		"m.yaml":  "defaults:\n  formula_file: f.inev\n  expect: violated\njobs:\n  - model: '*.aut'\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// untimed is what the summaries hold that differs from run to run.
var untimed = map[string]*regexp.Regexp{
	"summary.json": regexp.MustCompile(`"started":"[^"]*","ms":[0-9.e-]+(,"timings_ms":\{[^}]*\})?(,"reused":true)?|"(ms|reused)": [^,]*`),
	"summary.csv":  regexp.MustCompile(`(?m),[0-9.e-]+\r?$`),
	"summary.md":   regexp.MustCompile(`The jobs took .* in all\.`),
	"index.html":   regexp.MustCompile(`id="timings">\[[^\]]*\]`),
	"junit.xml":    regexp.MustCompile(` (time|timestamp)="[^"]*"`),
	"report.sarif": nil,
	"results":      nil,
}

// summaries returns what a folder of results says, less times: the summaries, and the
// journal in the order of the manifest. Every job must be in the journal once.
func summaries(t *testing.T, folder string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for name, times := range untimed {
		if name == "results" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		if times != nil {
			text = times.ReplaceAll(text, nil)
		}
		all[name] = string(text)
	}
	journal := filepath.Join(folder, "results.jsonl")
	results, err := batch.ReadResults(context.Background(), folder)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := batch.ReadResults(context.Background(), journal)
	if err != nil || len(lines) != len(results) {
		t.Fatalf("%d lines for %d results (error %v)", len(lines), len(results), err)
	}
	var text strings.Builder
	for _, r := range results {
		for kind, name := range r.Files {
			digest, err := batch.Digest(context.Background(), filepath.Join(folder, name))
			if err != nil || digest != r.Digests[kind] {
				t.Errorf("%s is %s, want %s (error %v)", name, digest, r.Digests[kind], err)
			}
		}
		r.Started, r.Milli, r.TimingsMS, r.Digests = "", 0, nil, nil
		line, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&text, "%s\n", line)
	}
	all["results"] = text.String()
	return all
}

func sameSummaries(t *testing.T, got, want map[string]string) {
	t.Helper()
	for name := range untimed {
		if got[name] == want[name] {
			continue
		}
		a, b := strings.Split(got[name], "\n"), strings.Split(want[name], "\n")
		for i := range min(len(a), len(b)) {
			if a[i] != b[i] {
				t.Errorf("%s, line %d:\n%.2000s\nwant\n%.2000s", name, i+1, a[i], b[i])
				break
			}
		}
		t.Errorf("%s differs: %d lines, want %d", name, len(a), len(b))
	}
}

// oneOrTwo stands for the codes of a batch that fails: 2 if a job among its jobs has no verdict.
const oneOrTwo = -1

// inevIn runs the program in a folder until it ends by itself.
func inevIn(t *testing.T, folder string, code int, args ...string) (stdout, stderr string) {
	t.Helper()
	cmd := golden.Command(t, "inev", args...)
	var out, errs strings.Builder
	cmd.Dir, cmd.Stdout, cmd.Stderr = folder, &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if got := cmd.ProcessState.ExitCode(); got != code && !(code == oneOrTwo && (got == 1 || got == 2)) {
		t.Fatalf("inev %s: code %d, want %d; errors:\n%s", strings.Join(args, " "), got, code, errs.String())
	}
	return out.String(), errs.String()
}

// TestShardsMerge: three shards, and one that was killed and resumed, give what one
// run gives.
func TestShardsMerge(t *testing.T) {
	models := 20
	if !randomlts.Whole() {
		models = 6
	}
	folder := manyJobs(t, models)
	inevIn(t, folder, 2, "batch", "m.yaml", "-o", "results", "--quiet")
	want := summaries(t, filepath.Join(folder, "results"))
	dirs := []string{"merge"}
	for i := 1; i <= 3; i++ {
		dir := fmt.Sprintf("shard%d", i)
		inevIn(t, folder, oneOrTwo, "batch", "m.yaml", "-o", dir, "--quiet", "--shard", fmt.Sprintf("%d/3", i))
		dirs = append(dirs, dir)
	}
	// The summaries name the folder.
	inevIn(t, folder, 2, append(dirs, "-o", "results", "--force", "--quiet")...)
	sameSummaries(t, summaries(t, filepath.Join(folder, "results")), want)

	_, stderr := inevIn(t, folder, oneOrTwo, "merge", "shard1", "shard3", "-o", "part", "--fail-on", "any")
	if !strings.Contains(stderr, "without a result in any of the folders") {
		t.Error(stderr)
	}
	inevIn(t, folder, 0, "merge", "shard1", "shard3", "-o", "part", "--fail-on", "none", "--force")
}

// TestInterruptedBatch: what is finished is kept, and the user is told how to go on.
func TestInterruptedBatch(t *testing.T) {
	folder := manyJobs(t, 3)
	results := filepath.Join(folder, "results")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	// A job has begun, and reads its model.
	ctx = progress.With(ctx, func(m *progress.Meter) {
		if m.Phase == "batch" {
			cancel()
		}
	})
	var stderr strings.Builder
	p := &program{stdout: newResults(context.Background(), io.Discard), stderr: &stderr}
	code := p.exitCode(ctx, p.run(ctx, []string{"inev", "batch", filepath.Join(folder, "m.yaml"), "-o", results}))
	want := "inev: interrupted: 0 of 12 jobs are finished and kept in " + results + "; run the same command with --resume to continue\n"
	if code != exitInterrupted || stderr.String() != want {
		t.Errorf("code %d, errors %q, want %q", code, stderr.String(), want)
	}
	if _, err := os.Stat(filepath.Join(results, "summary.json")); err == nil {
		t.Error("there is a summary of a part")
	}
	inevIn(t, folder, 2, "batch", "m.yaml", "-o", "results", "--resume", "--quiet")
}

// TestInterruptedSummaries: all jobs are done, so that only the summaries are missing;
// the user is told so, and how to get them.
func TestInterruptedSummaries(t *testing.T) {
	folder := manyJobs(t, 1)
	results := filepath.Join(folder, "results")
	interrupted := func(args ...string) string {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		ctx = progress.With(ctx, func(m *progress.Meter) {
			if m.Phase == "write summaries" {
				cancel()
			}
		})
		var stderr strings.Builder
		p := &program{stdout: newResults(context.Background(), io.Discard), stderr: &stderr}
		if code := p.exitCode(ctx, p.run(ctx, append([]string{"inev"}, args...))); code != exitInterrupted {
			t.Errorf("code %d, errors %q", code, stderr.String())
		}
		return stderr.String()
	}
	const missing = "inev: interrupted: all results are kept in %s, but not all of the summaries there (index.html and the like) are written; run the same command with %s to write them\n"
	told := interrupted("batch", filepath.Join(folder, "m.yaml"), "-o", results, "--quiet")
	if want := fmt.Sprintf(missing, results, "--resume"); told != want {
		t.Errorf("errors %q, want %q", told, want)
	}
	if _, err := os.Stat(filepath.Join(results, "index.html")); err == nil {
		t.Error("the summaries are there")
	}
	stdout, _ := inevIn(t, folder, 2, "batch", "m.yaml", "-o", "results", "--resume", "--quiet")
	if _, err := os.Stat(filepath.Join(results, "index.html")); err != nil || !strings.Contains(stdout, " of them as in an earlier run") {
		t.Errorf("%v, %s", err, stdout)
	}
	joined := filepath.Join(folder, "joined")
	told = interrupted("merge", results, "-o", joined, "--quiet")
	if want := fmt.Sprintf(missing, joined, "--force"); told != want {
		t.Errorf("errors %q, want %q", told, want)
	}
	inevIn(t, folder, 2, "merge", "results", "-o", "joined", "--force", "--quiet")
}
