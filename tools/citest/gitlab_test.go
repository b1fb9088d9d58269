package citest

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

const gitlabFile = top + "/docs/ci/gitlab.yml"

// pipeline is the part of a GitLab pipeline that inev's makes use of.
type pipeline struct {
	stages    []string
	variables map[string]string
	jobs      map[string]pipelineJob
}

type pipelineJob struct {
	Extends      string   `yaml:"extends"`
	Stage        string   `yaml:"stage"`
	Image        string   `yaml:"image"`
	Parallel     int      `yaml:"parallel"`
	Needs        []string `yaml:"needs"`
	BeforeScript []string `yaml:"before_script"`
	Script       []string `yaml:"script"`
	Cache        struct {
		Key   string   `yaml:"key"`
		Paths []string `yaml:"paths"`
		When  string   `yaml:"when"`
	} `yaml:"cache"`
	Artifacts struct {
		When     string            `yaml:"when"`
		ExposeAs string            `yaml:"expose_as"`
		Paths    []string          `yaml:"paths"`
		Reports  map[string]string `yaml:"reports"`
	} `yaml:"artifacts"`
	Rules []struct {
		If string `yaml:"if"`
	} `yaml:"rules"`
}

// readPipeline reads a pipeline; a job has what it extends.
func readPipeline(t *testing.T) pipeline {
	t.Helper()
	var nodes map[string]yaml.Node
	if err := yaml.Unmarshal([]byte(read(t, gitlabFile)), &nodes); err != nil {
		t.Fatal(err)
	}
	p := pipeline{jobs: map[string]pipelineJob{}}
	all := map[string]pipelineJob{}
	for name, node := range nodes {
		if settings := map[string]any{"stages": &p.stages, "variables": &p.variables}[name]; settings != nil {
			if err := node.Decode(settings); err != nil {
				t.Fatal(err)
			}
			continue
		}
		var job pipelineJob
		text, err := yaml.Marshal(&node)
		if err != nil {
			t.Fatal(err)
		}
		// A key that this test does not know is a slip, or is to be thought of here.
		decoder := yaml.NewDecoder(strings.NewReader(string(text)))
		decoder.KnownFields(true)
		if err := decoder.Decode(&job); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all[name] = job
	}
	for name, job := range all {
		if strings.HasPrefix(name, ".") {
			continue
		}
		if base, known := all[job.Extends]; known {
			job.Image, job.BeforeScript = base.Image, base.BeforeScript
		} else if job.Extends != "" {
			t.Errorf("%s extends %s, which is not there", name, job.Extends)
		}
		p.jobs[name] = job
	}
	return p
}

func TestGitLabPipelineIsWellFormed(t *testing.T) {
	p := readPipeline(t)
	reports := 0
	for name, job := range p.jobs {
		if !slices.Contains(p.stages, job.Stage) || len(job.Script) == 0 || len(job.Artifacts.Paths) == 0 {
			t.Errorf("%s has stage %q, script %q and artefacts %q", name, job.Stage, job.Script, job.Artifacts.Paths)
		}
		if _, tag, pinned := strings.Cut(job.Image, ":"); !pinned || tag == "latest" {
			t.Errorf("%s runs in %q, which is of no fixed version", name, job.Image)
		}
		for _, needed := range job.Needs {
			if slices.Index(p.stages, p.jobs[needed].Stage) >= slices.Index(p.stages, job.Stage) {
				t.Errorf("%s needs %s, which is not before it", name, needed)
			}
		}
		if job.Artifacts.Reports["junit"] != "" {
			reports++
		}
	}
	if reports != 1 {
		t.Errorf("%d jobs report to the merge request", reports)
	}
}

// gitlab stands in for GitLab: it runs a pipeline and keeps what it hands over.
type gitlab struct {
	t      *testing.T
	caches map[string]fs.FS
	// kept are the artefacts of the last pipeline of main that succeeded.
	kept []fs.FS
	said string
}

// run runs the pipeline on a project and returns the jobs that failed, and the
// artefacts.
func (g *gitlab) run(project fs.FS, branch string) (failed []string, artefacts []fs.FS) {
	g.t.Helper()
	p := readPipeline(g.t)
	g.said = ""
	for _, stage := range p.stages {
		if len(failed) > 0 {
			break
		}
		handed := slices.Clone(artefacts)
		for _, name := range slices.Sorted(maps.Keys(p.jobs)) {
			job := p.jobs[name]
			if job.Stage != stage || !isDue(g.t, job, branch) {
				continue
			}
			for i := range max(job.Parallel, 1) {
				ok, made := g.runJob(job, project, handed, p.variables, []string{
					"CI_COMMIT_REF_SLUG=" + branch, "CI_COMMIT_BRANCH=" + branch, "CI_DEFAULT_BRANCH=main",
					fmt.Sprintf("CI_NODE_INDEX=%d", i+1), fmt.Sprintf("CI_NODE_TOTAL=%d", max(job.Parallel, 1)),
					"CI_JOB_TOKEN=secret", "CI_PROJECT_ID=7", "CI_API_V4_URL=https://gitlab.example/api/v4",
				})
				if !ok {
					failed = append(failed, name)
				}
				artefacts = append(artefacts, made...)
			}
		}
	}
	if failed == nil && branch == "main" {
		g.kept = artefacts
	}
	return failed, artefacts
}

// isDue evaluates the rules of a job: none, or that the branch is the main one.
func isDue(t *testing.T, job pipelineJob, branch string) bool {
	t.Helper()
	if len(job.Rules) == 0 {
		return true
	}
	if len(job.Rules) > 1 || job.Rules[0].If != "$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH" {
		t.Errorf("the test does not know the rules %v", job.Rules)
	}
	return branch == "main"
}

func (g *gitlab) runJob(job pipelineJob, project fs.FS, handed []fs.FS, variables map[string]string, env []string) (ok bool, made []fs.FS) {
	g.t.Helper()
	m := newMachine(g.t)
	m.set(variables)
	m.put(".", project)
	for _, files := range handed {
		m.put(".", files)
	}
	m.standIn("curl", "case \"$*\" in *https://gitlab.example/*)\n"+g.download(m)+"\nexit ;; esac\n"+download)
	key, _ := m.run("-e", `printf %s "`+job.Cache.Key+`"`, env...)
	if files := g.caches[key]; files != nil && key != "" {
		m.put(".", files)
	}
	out, code := m.run("-e", "set -o pipefail\n"+strings.Join(append(job.BeforeScript, job.Script...), "\n"), env...)
	g.said += out
	if key != "" && (code == 0 || job.Cache.When == "always") {
		g.caches[key] = m.take(job.Cache.Paths[0])
	}
	if code == 0 || job.Artifacts.When == "always" {
		for _, path := range append(job.Artifacts.Paths, slices.Collect(maps.Values(job.Artifacts.Reports))...) {
			files := m.take(path)
			if files == nil {
				g.t.Errorf("there is no artefact %s\n%s", path, out)
			} else if strings.HasSuffix(path, "/") {
				made = append(made, files)
			}
		}
	}
	return code == 0, made
}

// download returns a script in the place of curl, which fetches the results of
// main, if there are any.
func (g *gitlab) download(m *machine) string {
	for _, files := range g.kept {
		if _, err := fs.Stat(files, "results/results.jsonl"); err == nil {
			m.put(".kept", files)
			return `for word; do
	[ "$before" != --output ] || file=$word
	before=$word
done
[ "$word" = "https://gitlab.example/api/v4/projects/7/jobs/artifacts/main/raw/results/results.jsonl?job=report" ] || exit 3
cp .kept/results/results.jsonl "$file"`
		}
	}
	return `echo "curl: (22) The requested URL returned error: 404" >&2; exit 22`
}

// TestGitLabPipeline: on main, then in merge requests.
func TestGitLabPipeline(t *testing.T) {
	g := &gitlab{t: t, caches: map[string]fs.FS{}}
	for _, branch := range []string{"main", "change"} {
		failed, artefacts := g.run(examples(), branch)
		if failed != nil {
			t.Fatalf("%s fails in %q\n%s", branch, failed, g.said)
		}
		checkFolder(t, named(t, artefacts, "results"))
		if pages := named(t, artefacts, "public"); (pages != nil) != (branch == "main") {
			t.Errorf("%s: pages %v", branch, pages)
		}
	}
	failed, artefacts := g.run(worse(t), "change")
	if !slices.Equal(failed, []string{"report"}) {
		t.Errorf("the change for the worse fails in %q\n%s", failed, g.said)
	}
	if junit := readIn(t, named(t, artefacts, "results"), "junit.xml"); !strings.Contains(junit, "<failure") {
		t.Errorf("the merge request shows no failure:\n%s", junit)
	}
}

// named returns the folder of that name in the newest artefact that has it.
func named(t *testing.T, artefacts []fs.FS, name string) fs.FS {
	t.Helper()
	for _, files := range slices.Backward(artefacts) {
		if _, err := fs.Stat(files, name); err == nil {
			sub, err := fs.Sub(files, name)
			if err != nil {
				t.Fatal(err)
			}
			return sub
		}
	}
	return nil
}
