package citest

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rhysd/actionlint"
	"go.yaml.in/yaml/v3"
)

// workflow is the part of a GitHub workflow that inev's make use of.
type workflow struct {
	Env  map[string]string
	Jobs map[string]workflowJob
}

type workflowJob struct {
	Needs    string
	If       string
	Strategy struct {
		Matrix map[string][]string
	}
	Steps []workflowStep
}

type workflowStep struct {
	ID, Name, If, Uses, Run string
	Shell                   string
	With, Env               map[string]string
}

// action is the part of the description of a composite action that inev's makes use
// of.
type action struct {
	Inputs map[string]struct{ Default string }
	Runs   struct {
		Using string
		Steps []workflowStep
	}
}

// github stands in for GitHub: it runs workflows and keeps what they hand to it.
type github struct {
	t         *testing.T
	runs      int
	caches    []githubCache // the last one is the newest
	artefacts map[string]fs.FS
	logs      map[string]string // by category
	summary   string
	said      string
}

type githubCache struct {
	key   string
	files fs.FS
}

// step is a step that is being run.
type step struct {
	*machine
	workflowStep
	context map[string]string
	failed  bool // a step before has failed
}

// run runs a workflow on a project and returns the names of the steps that failed.
func (g *github) run(file string, project fs.FS, ref string) (failed []string) {
	g.t.Helper()
	var w workflow
	if err := yaml.Unmarshal([]byte(read(g.t, file)), &w); err != nil {
		g.t.Fatal(err)
	}
	g.runs++
	g.artefacts, g.logs, g.summary, g.said = map[string]fs.FS{}, map[string]string{}, "", ""
	done := map[string]bool{}
	for len(done) < len(w.Jobs) {
		before := len(done)
		for name, job := range w.Jobs {
			if done[name] || job.Needs != "" && !done[job.Needs] {
				continue
			}
			done[name] = true
			for _, values := range choices(job.Strategy.Matrix) {
				values["github.ref"] = ref
				values["github.ref_name"] = strings.TrimPrefix(ref, "refs/heads/")
				values["github.event.repository.default_branch"] = "main"
				values["github.sha"] = fmt.Sprintf("%040d", g.runs)
				values["github.run_id"] = fmt.Sprint(g.runs)
				values["github.run_attempt"] = "1"
				failed = append(failed, g.runJob(job, project, w.Env, values)...)
			}
		}
		if len(done) == before {
			g.t.Fatalf("%s: the jobs wait for each other", file)
		}
	}
	return failed
}

// choices returns the contexts of the jobs that a matrix stands for.
func choices(matrix map[string][]string) []map[string]string {
	if len(matrix) == 0 {
		return []map[string]string{{}}
	}
	var all []map[string]string
	for name, values := range matrix {
		for _, value := range values {
			all = append(all, map[string]string{"matrix." + name: value})
		}
	}
	return all
}

func (g *github) runJob(job workflowJob, project fs.FS, env, context map[string]string) (failed []string) {
	m := newMachine(g.t)
	m.set(env)
	return g.runSteps(m, job.Steps, project, context)
}

// set sets variables for all that is run from now on.
func (m *machine) set(env map[string]string) {
	for name, value := range env {
		m.env = append(m.env, name+"="+value)
	}
}

// runSteps runs the steps of a job, or of an action, and returns the names of those
// that failed.
func (g *github) runSteps(m *machine, steps []workflowStep, project fs.FS, context map[string]string) (failed []string) {
	for _, described := range steps {
		s := &step{m, described, context, len(failed) > 0}
		if !s.isDue() {
			continue
		}
		ok := true
		switch {
		case s.Run != "":
			summary := path.Join(m.tools, "summary")
			env := []string{"GITHUB_STEP_SUMMARY=" + summary, "GITHUB_ACTION_PATH=/action"}
			for name, value := range s.Env {
				env = append(env, name+"="+s.expand(value))
			}
			out, code := m.run("-e", s.expand(s.Run), env...)
			g.said += out
			ok = code == 0
			if strings.Contains(s.Run, "GITHUB_STEP_SUMMARY") && ok {
				g.summary = read(g.t, summary)
			}
		case strings.HasPrefix(s.Uses, "inev-lts/inev@"):
			failed = append(failed, g.runAction(s, project)...)
		default:
			ok = g.use(s, project)
		}
		if !ok {
			failed = append(failed, s.Name+s.Uses)
		}
	}
	return failed
}

// runAction runs the action of this repository.
func (g *github) runAction(s *step, project fs.FS) (failed []string) {
	g.t.Helper()
	a := readAction(g.t)
	context := maps.Clone(s.context)
	_, context["github.action_ref"], _ = strings.Cut(s.Uses, "@")
	for name, input := range a.Inputs {
		context["inputs."+name] = input.Default
	}
	for name, value := range s.With {
		if _, known := a.Inputs[name]; !known {
			g.t.Errorf("the action has no input %s", name)
		}
		context["inputs."+name] = s.expand(value)
	}
	return g.runSteps(s.machine, a.Runs.Steps, project, context)
}

func readAction(t *testing.T) (a action) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(read(t, actionFile)), &a); err != nil {
		t.Fatal(err)
	}
	return a
}

// use does what an action does.
func (g *github) use(s *step, project fs.FS) bool {
	g.t.Helper()
	with := func(name string) string { return s.expand(s.With[name]) }
	switch action, _, _ := strings.Cut(s.Uses, "@"); action {
	case "actions/checkout":
		s.put(".", project)
	case "actions/setup-go":
	case "actions/upload-artifact":
		files := s.take(with("path"))
		if files == nil {
			return false
		}
		sub, err := fs.Sub(files, path.Base(with("path")))
		if err != nil {
			g.t.Fatal(err)
		}
		g.artefacts[with("name")] = sub
		if s.ID != "" {
			s.context["steps."+s.ID+".outputs.artifact-url"] = "https://example.org/artifacts/1"
		}
	case "actions/download-artifact":
		for name, files := range g.artefacts {
			if fits, err := path.Match(with("pattern"), name); err == nil && fits {
				s.put(path.Join(with("path"), name), files)
			}
		}
	case "actions/cache/restore":
		g.restore(s, append([]string{with("key")}, strings.Fields(with("restore-keys"))...))
	case "actions/cache/save":
		if files := s.take(with("path")); files != nil {
			g.caches = append(g.caches, githubCache{with("key"), files})
		}
	case "github/codeql-action/upload-sarif":
		g.logs[with("category")] = read(g.t, s.path(with("sarif_file")))
	default:
		g.t.Fatalf("the test does not know %s", s.Uses)
	}
	return true
}

// restore finds the newest cache the key of which begins with one of the keys.
func (g *github) restore(s *step, keys []string) {
	for _, key := range keys {
		for _, c := range slices.Backward(g.caches) {
			if strings.HasPrefix(c.key, key) {
				s.put(".", c.files)
				return
			}
		}
	}
}

var expression = regexp.MustCompile(`\$\{\{ (.*?) \}\}`)

// expand puts values in the place of expressions.
func (s *step) expand(text string) string {
	return expression.ReplaceAllStringFunc(text, func(found string) string {
		name := expression.FindStringSubmatch(found)[1]
		value, known := s.context[name]
		if !known {
			s.t.Errorf("nothing is known of %s", name)
		}
		return value
	})
}

// isDue evaluates the condition of a step.
func (s *step) isDue() bool {
	condition := "success()"
	if found := expression.FindStringSubmatch(s.If); found != nil {
		condition = found[1]
	}
	for _, term := range strings.Split(condition, " && ") {
		name, value, compares := strings.Cut(term, " == ")
		expected, known := s.context[value]
		if !known {
			expected = strings.Trim(value, "'")
		}
		switch {
		case compares && s.context[name] == expected, term == "always()", term == "!cancelled()", term == "success()" && !s.failed:
		case compares, term == "success()":
			return false
		default:
			s.t.Errorf("the test does not know the condition %s", term)
		}
	}
	return true
}

const (
	actionFile  = top + "/action.yml"
	shortFile   = top + "/docs/ci/github-action.yml"
	githubFile  = top + "/docs/ci/github.yml"
	nightlyFile = top + "/docs/ci/github-nightly.yml"
)

// TestGitHubWorkflowsAreValid: with all inputs of the actions that they use.
func TestGitHubWorkflowsAreValid(t *testing.T) {
	linter, err := actionlint.NewLinter(io.Discard, &actionlint.LinterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{shortFile, githubFile, nightlyFile, commentFile, top + "/.github/workflows/release.yml", top + "/.github/workflows/ci.yml"} {
		text := read(t, file)
		mistakes, err := linter.Lint(file, []byte(text), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range mistakes {
			t.Error(m)
		}
		for _, used := range regexp.MustCompile(`uses: (.*)`).FindAllStringSubmatch(text, -1) {
			if !regexp.MustCompile(`^([a-z-]+(/[a-z-]+)+@[0-9a-f]{40} # v[0-9.]+|inev-lts/inev@v[0-9]+(\.[0-9]+){2})$`).MatchString(used[1]) {
				t.Errorf("%s: %s is not named by its commit", file, used[1])
			}
		}
	}
	if mistakes, err := linter.Lint("x.yml", []byte("on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v4\n        with: {colour: red}\n"), nil); err != nil || len(mistakes) == 0 {
		t.Errorf("the linter finds nothing wrong with what is wrong: %v", err)
	}
}

// TestActionIsValid: its steps use what is declared, nothing that somebody else can
// write gets into a script, and actions are of a fixed version.
func TestActionIsValid(t *testing.T) {
	a := readAction(t)
	if a.Runs.Using != "composite" || len(a.Inputs) == 0 {
		t.Fatalf("%+v", a)
	}
	for _, s := range a.Runs.Steps {
		if strings.Contains(s.Run, "${{") {
			t.Errorf("%s: an expression becomes a part of the script: %s", s.Name, s.Run)
		}
		if s.Run != "" && s.Shell != "bash" {
			t.Errorf("%s: a step of an action names its shell", s.Name)
		}
		if s.Uses != "" && !regexp.MustCompile(`^[a-z-]+(/[a-z-]+)+@[0-9a-f]{40}$`).MatchString(s.Uses) {
			t.Errorf("%s is of no fixed version", s.Uses)
		}
	}
	for _, used := range regexp.MustCompile(`inputs\.([a-z-]+)`).FindAllStringSubmatch(read(t, actionFile), -1) {
		if _, known := a.Inputs[used[1]]; !known {
			t.Errorf("there is no input %s", used[1])
		}
	}
}

// TestGitHubWorkflow: on main, then on pull requests; step by step, and by the action.
func TestGitHubWorkflow(t *testing.T) {
	for _, file := range []string{githubFile, shortFile} {
		t.Run(path.Base(file), func(t *testing.T) { tryWorkflow(t, file) })
	}
}

func tryWorkflow(t *testing.T, githubFile string) {
	g := &github{t: t}
	const main, change = "refs/heads/main", "refs/pull/1/merge"
	if failed := g.run(githubFile, examples(), main); failed != nil {
		t.Fatalf("the first run fails in %q\n%s", failed, g.said)
	}
	if len(g.caches) != 1 || !strings.Contains(g.summary, "|") {
		t.Errorf("%d baselines are kept; summary\n%s", len(g.caches), g.summary)
	}
	checkFolder(t, g.artefacts["inev"])
	checkSARIF(t, g.logs["inev"], "")

	if failed := g.run(githubFile, examples(), change); failed != nil {
		t.Errorf("a change of nothing fails in %q\n%s", failed, g.said)
	}
	if failed := g.run(githubFile, worse(t), change); !slices.Equal(failed, []string{"Explain"}) {
		t.Errorf("the change for the worse fails in %q\n%s", failed, g.said)
	}
	checkFolder(t, g.artefacts["inev"])
	checkSARIF(t, g.logs["inev"], "station 2 is elected")
	if strings.Contains(g.summary, "](jobs/") || !strings.Contains(g.summary, "1 violated unexpectedly") {
		t.Errorf("the summary has links that lead nowhere, or not what is wrong:\n%s", g.summary)
	}
	// What has been mended and is expected to be violated fails, though nothing is new.
	if failed := g.run(githubFile, changed(t, "expect: satisfied", "expect: violated"), change); !slices.Equal(failed, []string{"Explain"}) {
		t.Errorf("a stale expectation fails in %q\n%s", failed, g.said)
	}
	// So does a slip in a label, also in the first run.
	fresh := &github{t: t}
	if failed := fresh.run(githubFile, changed(t, "ENTER !1", "ENTR !1"), main); !slices.Equal(failed, []string{"Explain"}) || len(fresh.caches) > 0 {
		t.Errorf("a slip fails in %q, and %d baselines are kept\n%s", failed, len(fresh.caches), fresh.said)
	}
	if failed := g.run(githubFile, worse(t), main); !slices.Equal(failed, []string{"Explain"}) || len(g.caches) != 1 {
		t.Errorf("main fails in %q, and %d baselines are kept", failed, len(g.caches))
	}
}

// TestNightlyWorkflow: three machines give what one gives, and the next night takes
// it over.
func TestNightlyWorkflow(t *testing.T) {
	g := &github{t: t}
	var before string
	for night := 1; night <= 2; night++ {
		if failed := g.run(nightlyFile, examples(), "refs/heads/main"); failed != nil {
			t.Fatalf("night %d fails in %q\n%s", night, failed, g.said)
		}
		checkFolder(t, g.artefacts["inev"])
		checkSARIF(t, g.logs["inev-nightly"], "")
		// A result says when it was made.
		results := readIn(t, g.artefacts["inev"], "results.jsonl")
		if night > 1 && results != before {
			t.Errorf("night %d has other results:\n%sthan the one before:\n%s", night, results, before)
		}
		before = results
	}
}

// checkFolder checks that a folder of results has all jobs of the manifest once,
// and what people look at.
func checkFolder(t *testing.T, results fs.FS) {
	t.Helper()
	names := jobsOf(t, results)
	m := newMachine(t)
	m.put(".", examples())
	m.install()
	listed, code := m.run("-e", "inev batch inev.yaml --dry-run")
	if code != 0 || len(names) < 5 {
		t.Fatalf("%d jobs; a dry run says\n%s", len(names), listed)
	}
	for name, times := range names {
		if times != 1 {
			t.Errorf("%d results of %s", times, name)
		}
	}
	for _, file := range []string{"index.html", "junit.xml", "summary.md", "summary.csv", "summary.json"} {
		if readIn(t, results, file) == "" {
			t.Errorf("%s is empty", file)
		}
	}
	pages, err := fs.Glob(results, "jobs/*/*.html")
	if err != nil || len(pages) == 0 {
		t.Errorf("there are no pages: %v", err)
	}
}

// jobsOf counts the results of each job.
func jobsOf(t *testing.T, results fs.FS) map[string]int {
	t.Helper()
	names := map[string]int{}
	for _, line := range strings.Split(strings.TrimSpace(readIn(t, results, "results.jsonl")), "\n") {
		var result struct {
			Schema string
			Job    struct{ Name string }
		}
		if err := json.Unmarshal([]byte(line), &result); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if strings.HasPrefix(result.Schema, "inev.commit/") {
			continue // it closes the journal
		}
		names[result.Job.Name]++
	}
	return names
}

// checkSARIF checks the parts of a log by which GitHub annotates; the job that is
// new in it is named, if there is one.
func checkSARIF(t *testing.T, text, isNew string) {
	t.Helper()
	var log struct {
		Version string
		Runs    []struct {
			Results []struct {
				BaselineState string
				Properties    struct{ Job string }
				Locations     []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine int }
					}
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(text), &log); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if log.Version != "2.1.0" || len(log.Runs) != 1 || len(log.Runs[0].Results) == 0 {
		t.Fatalf("version %s, %d runs", log.Version, len(log.Runs))
	}
	for _, r := range log.Runs[0].Results {
		if r.Locations == nil {
			t.Fatalf("%s has no place", r.Properties.Job)
		}
		at := r.Locations[0].PhysicalLocation
		if _, err := fs.Stat(examples(), at.ArtifactLocation.URI); err != nil || at.Region.StartLine < 1 {
			t.Errorf("%s is no place in the project: %+v", r.Properties.Job, at)
		}
		if (r.BaselineState == "new") != (r.Properties.Job == isNew) {
			t.Errorf("%s is %q", r.Properties.Job, r.BaselineState)
		}
	}
}
