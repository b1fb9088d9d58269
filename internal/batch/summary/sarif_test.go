package summary

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/internal/testing/golden"
	"github.com/inev-lts/inev/internal/testing/samplebatch"
	"github.com/inev-lts/inev/neighbourhood"
	"pgregory.net/rapid"
)

// publicSchema returns the JSON Schema of SARIF 2.1.0, as the module go-sarif has
// it. The module is no dependency of this one (it is for newer versions of Go): it
// is fetched through the cache of modules.
func publicSchema(t *testing.T) []byte {
	t.Helper()
	const module = "github.com/owenrumney/go-sarif/v3@v3.3.1"
	download := golden.Command(t, "go", "mod", "download", "-json", module)
	download.Dir = t.TempDir() // outside of any module
	download.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GO111MODULE=on")
	out, err := download.Output()
	var found struct{ Dir, Error string }
	if err == nil {
		err = json.Unmarshal(out, &found)
	}
	if err != nil || found.Error != "" {
		why := fmt.Sprintf("the schema of SARIF is not to be had here: %v %s", err, found.Error)
		if os.Getenv("CI") == "true" {
			t.Fatal(why)
		}
		t.Skip(why)
	}
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(found.Dir, "pkg", "report", "v210", "sarif", "schema.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var schema []byte
	ast.Inspect(file, func(n ast.Node) bool {
		if literal, is := n.(*ast.BasicLit); is && literal.Kind == token.STRING && len(literal.Value) > len(schema) {
			text, err := strconv.Unquote(literal.Value)
			if err != nil {
				t.Fatal(err)
			}
			schema = []byte(text)
		}
		return true
	})
	return schema
}

func TestSARIFSatisfiesThePublicSchema(t *testing.T) {
	s := compiled(t, "sarif-schema-2.1.0.json", publicSchema(t))
	alone := sample()
	alone.Differences, alone.Version = nil, "devel"
	for _, b := range []Batch{sample(), alone, {}, many(30)} {
		satisfies(t, s, written(t, sarifFile, b))
	}
	if s.Validate(map[string]any{"version": "2.1.0", "runs": []any{map[string]any{"results": []any{}}}}) == nil {
		t.Error("the schema takes a run without a tool")
	}
}

func sarif(t testing.TB, b Batch) sarifRun {
	t.Helper()
	var log sarifLog
	decoder := json.NewDecoder(bytes.NewReader([]byte(written(t, sarifFile, b))))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&log); err != nil {
		t.Fatal(err)
	}
	if log.Version != "2.1.0" || len(log.Runs) != 1 {
		t.Fatalf("version %s, %d runs", log.Version, len(log.Runs))
	}
	checkHostLimits(t, log.Runs[0])
	return log.Runs[0]
}

// checkHostLimits looks for what hosts of code refuse.
func checkHostLimits(t testing.TB, run sarifRun) {
	t.Helper()
	if len(run.Results) > 25_000 {
		t.Errorf("there are %d results", len(run.Results))
	}
	short := func(what, text string, n int) {
		if text == "" || utf8.RuneCountInString(text) > n {
			t.Errorf("the %s has %d characters", what, utf8.RuneCountInString(text))
		}
	}
	ids := map[string]bool{}
	for _, r := range run.Tool.Driver.Rules {
		short("identifier of a rule", r.ID, 255)
		short("name of a rule", r.Name, 255)
		short("short description", r.ShortDescription.Text, 1024)
		short("full description", r.FullDescription.Text, 1024)
		if ids[r.ID] {
			t.Errorf("there are two rules %s", r.ID)
		}
		ids[r.ID] = true
	}
	prints := map[string]bool{}
	for _, r := range run.Results {
		short("message", r.Message.Text, 1024)
		if run.Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID {
			t.Errorf("the rule %s of a result has another index", r.RuleID)
		}
		packed := strings.HasSuffix(r.Locations[0].Physical.Artifact.URI, ".gz")
		if region := r.Locations[0].Physical.Region; len(r.Locations) != 1 || (region == nil) != packed || region != nil && region.StartLine < 1 {
			t.Errorf("%s has no line, or one of a file that is no text", r.Properties.Job)
		}
		print := r.PartialFingerprints["primaryLocationLineHash"]
		if print == "" || prints[print] {
			t.Errorf("the fingerprint %q is that of two results, or none", print)
		}
		prints[print] = true
		checkURI(t, r.Locations[0])
		for _, flow := range r.CodeFlows {
			if n := len(flow.ThreadFlows[0].Locations); n > 1000 {
				t.Errorf("%s has a flow of %d steps", r.Properties.Job, n)
			}
			for _, step := range flow.ThreadFlows[0].Locations {
				if step.Location.Physical != nil {
					checkURI(t, step.Location)
				} else if step.Location.Message == nil {
					t.Errorf("%s has a step that says nothing", r.Properties.Job)
				}
			}
		}
	}
}

func checkURI(t testing.TB, l sarifLocation) {
	t.Helper()
	u, err := url.Parse(l.Physical.Artifact.URI)
	if err != nil || u.Scheme != "" && u.Scheme != "file" || u.Host != "" || u.RawQuery != "" || u.Fragment != "" || strings.HasPrefix(u.Path, "/") != (u.Scheme == "file") {
		t.Errorf("%q is neither a relative path nor that of a file (%v)", l.Physical.Artifact.URI, err)
	}
}

func TestSARIFSample(t *testing.T) {
	run := sarif(t, sample())
	byJob := map[string]sarifResult{}
	for _, r := range run.Results {
		byJob[r.Properties.Job] = r
	}
	for job, want := range map[string]string{
		"abp.aut: Inev(GET)": "error updated ci/models/abp.aut:7 0",
		"courier":            "note unchanged ci/models/courier.aut:14 1",
		"broken again":       "error new ci/models/courier.aut:14 0",
		"fixed at last":      "warning new ci/nightly.yaml:14 0",
		"nothing happens":    "error unchanged ci/models/empty.aut:1 0",
	} {
		r, is := byJob[job]
		if !is {
			t.Errorf("%s is no result", job)
			continue
		}
		at := r.Locations[0].Physical
		if got := fmt.Sprintf("%s %s %s:%d %d", r.Level, r.BaselineState, at.Artifact.URI, at.Region.StartLine, len(r.Suppressions)); got != want {
			t.Errorf("%s: %s, want %s", job, got, want)
		}
	}
	if len(run.Results) != 7 {
		t.Errorf("there are %d results, want 6 that are violated and one that is not", len(run.Results))
	}
	if r := byJob["broken again"]; !r.Properties.Unexpected || !r.Properties.New {
		t.Error("what is unexpected and new is not marked")
	}
	if i := run.Invocations[0]; i.ExecutionSuccessful || len(i.Notifications) != 5 {
		t.Errorf("the run is a success (%v), with %d notifications", i.ExecutionSuccessful, len(i.Notifications))
	}
	// The decision and the start of the loop are marked; each step has its line.
	steps := byJob["abp.aut: Inev(GET)"].CodeFlows[0].ThreadFlows[0].Locations
	var got []string
	for _, s := range steps {
		line := 0
		if s.Location.Physical != nil {
			line = s.Location.Physical.Region.StartLine
		}
		got = append(got, fmt.Sprintf("%d %s %d %s %v", s.ExecutionOrder, s.Importance, line, s.Location.Message.Text, s.Kinds))
	}
	want := []string{"1 important 4 step 1: SEND !0 []", "2 essential 7 step 2: LOSE (the loop begins) (decision in state 1) [loop]", "3 important 9 step 3: TIMEOUT []"}
	if !slices.Equal(got, want) {
		t.Errorf("the flow is %q, want %q", got, want)
	}
}

// TestSARIFFlows: hosts show a thousand steps; decisions are among them wherever they
// are. Steps of a file that is no text have no place.
func TestSARIFFlows(t *testing.T) {
	for _, c := range []struct{ length, decisions, want int }{{1000, 3, 1000}, {1000, 1000, 1000}, {5000, 4, 1000}, {5000, 900, 1000}} {
		run := samplebatch.LongRun(c.length)
		run.Labels = run.Labels[:1000]
		for i := range c.decisions {
			// The last steps of the run are decisions.
			run.Decisions = append(run.Decisions, batch.Decision{Step: c.length - c.decisions + i + 1, State: "7", Kind: neighbourhood.Mixed, Label: "D", Line: 5})
		}
		log := sarif(t, Batch{Results: []batch.Result{samplebatch.Result("a", "m.aut", "Inev(A)", samplebatch.Violated(run))}})
		steps := log.Results[0].CodeFlows[0].ThreadFlows[0].Locations
		essential := 0
		for i, s := range steps {
			if s.Importance == "essential" {
				essential++
			}
			if i > 0 && s.ExecutionOrder <= steps[i-1].ExecutionOrder {
				t.Errorf("step %d comes after step %d", s.ExecutionOrder, steps[i-1].ExecutionOrder)
			}
		}
		if len(steps) != c.want || essential < min(c.decisions, 500) {
			t.Errorf("%d steps with %d decisions give a flow of %d with %d", c.length, c.decisions, len(steps), essential)
		}
		if c.length == 5000 && c.decisions == 4 && steps[996].Location.Message.Text != "step 4997: D (4000 steps before are left out) (decision in state 7)" {
			t.Errorf("what is left out is not told: %s", steps[996].Location.Message.Text)
		}
	}
	packed := samplebatch.Result("a", "m.aut.gz", "Inev(A)", samplebatch.Violated(samplebatch.Lasso()), func(r *batch.Result) { r.Packed, r.Counterexample.Lines = true, nil })
	r := sarif(t, Batch{BaseURL: "https://example.org/results", Results: []batch.Result{packed}}).Results[0]
	if r.Locations[0].Physical.Region != nil || r.CodeFlows[0].ThreadFlows[0].Locations[0].Location.Physical != nil {
		t.Error("a compressed file has lines")
	}
	if want := "https://example.org/results/" + packed.Files["page"]; r.HostedViewerURI != want {
		t.Errorf("the page is at %s, want %s", r.HostedViewerURI, want)
	}
}

func TestSARIFPlaces(t *testing.T) {
	for _, c := range []struct{ model, path, want string }{
		{"a.aut", "ci/a.aut", "ci/a.aut"},
		{"../a.aut", "ci/../a.aut", "a.aut"},
		{"../a.aut", "../a.aut", "../a.aut"},
		{"/m/a b.aut", "/m/a b.aut", "file:///m/a%20b.aut"},
		{"a.aut", "/home/somebody/ci/a.aut", "a.aut"},
		{"c:d?.aut", "c:d?.aut", "c%3Ad%3F.aut"},
	} {
		if runtime.GOOS == "windows" && strings.HasPrefix(c.path, "/") {
			continue // such a path is not absolute there
		}
		f := finding{Result: &batch.Result{Job: batch.Job{Model: c.model, Path: c.path}}}
		if got := modelAt(f, 0).Physical.Artifact.URI; got != c.want {
			t.Errorf("%s, found at %s, gives %s, want %s", c.model, c.path, got, c.want)
		}
	}
}

// TestSARIFStaysTheSame: a result is known again though its run, its place and the
// jobs around it are others; another formula, model or option makes another result.
func TestSARIFStaysTheSame(t *testing.T) {
	print := func(b Batch) string {
		return sarif(t, b).Results[len(sarif(t, b).Results)-1].PartialFingerprints["primaryLocationLineHash"]
	}
	base := samplebatch.Result("a", "m.aut", "Inev(A)", samplebatch.Violated(samplebatch.Deadlock()))
	want := print(Batch{Results: []batch.Result{base}})
	moved := samplebatch.Result("renamed", "m.aut", "Inev(A)", samplebatch.Violated(samplebatch.Lasso()))
	if got := print(Batch{Version: "2.0.0", Results: []batch.Result{samplebatch.Result("x", "x.aut", "Inev(A)", samplebatch.Violated(samplebatch.Deadlock())), moved}}); got != want {
		t.Errorf("the result has another fingerprint after it moved: %s, before %s", got, want)
	}
	for _, other := range []batch.Result{
		samplebatch.Result("a", "m.aut", "Inev(B)", samplebatch.Violated(samplebatch.Deadlock())),
		samplebatch.Result("a", "n.aut", "Inev(A)", samplebatch.Violated(samplebatch.Deadlock())),
		samplebatch.Result("a", "m.aut", "Inev(A)", samplebatch.Violated(samplebatch.Deadlock()), func(r *batch.Result) { r.Job.Options.Unfold = true }),
	} {
		if print(Batch{Results: []batch.Result{other}}) == want {
			t.Errorf("%s of %s has the same fingerprint", other.Job.Formula, other.Job.Model)
		}
	}
}

// TestSARIFKeepsWhatMatters: where there are too many results, those that somebody
// has to look at stay.
func TestSARIFKeepsWhatMatters(t *testing.T) {
	var b Batch
	for i := range mostResults + 150 {
		r := batch.Result{Job: batch.Job{Name: fmt.Sprint(i), Model: "m.aut", Formula: "Inev(A)", Expect: "violated"}, Status: batch.Violated}
		if i%100 == 99 {
			r.Job.Expect, r.Unexpected = "satisfied", true
		}
		b.Results = append(b.Results, r)
	}
	run := sarif(t, b)
	unexpected := 0
	for _, r := range run.Results {
		if r.Properties.Unexpected {
			unexpected++
		}
	}
	if len(run.Results) != mostResults || unexpected != (mostResults+150)/100 {
		t.Errorf("%d results, %d of them unexpected", len(run.Results), unexpected)
	}
	if n := run.Invocations[0].Notifications; len(n) != 1 || !strings.HasPrefix(n[0].Message.Text, "150 more results") {
		t.Errorf("notifications: %v", n)
	}
}

func TestSARIFTakesAnyText(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.String().Draw(rt, "name") + string(rapid.SliceOf(rapid.Byte()).Draw(rt, "bytes")) + "x"
		r := samplebatch.Result(name, name, name, samplebatch.Violated(&batch.Counterexample{Kind: counterexample.Deadlock, Length: 1, Labels: []string{name}, LoopStart: -1, Sentence: name}), samplebatch.Tagged(name, name))
		r.Job.Path = "m/" + name
		run := sarif(t, Batch{Manifest: name, Version: name, Results: []batch.Result{r}})
		if text := run.Results[0].Message.Text; strings.ContainsAny(text, "\x00\n\r\x1b\u202e") || strings.Contains(text, "](") {
			rt.Fatalf("%q has the message %q", name, text)
		}
	})
}
