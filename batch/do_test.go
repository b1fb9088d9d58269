package batch

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/diagram/graphviz"
	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/internal/testing/compiledonce"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/neighbourhood"
)

func jobOn(folder, model, formula string) Job {
	return Job{Name: model + ": " + formula, Model: model, Path: filepath.Join(folder, model), Formula: formula}
}

// plain returns a result without what differs from run to run.
func plain(r Result) Result {
	r.Started, r.Milli, r.TimingsMS, r.Digests, r.Reused = "", 0, nil, nil, false
	return r
}

func TestDo(t *testing.T) {
	folder := tree(t, map[string]string{"m.aut": "\n" + model})
	out := filepath.Join(t.TempDir(), "new", "folder")
	j := jobOn(folder, "m.aut", "Inev(REQ, ACK)")
	j.Expect = "satisfied"
	w := Work{Folder: out, Wanted: outputKinds(), Version: "v1"}
	if !randomlts.Whole() { // without one, Graphviz is compiled
		engine := graphviz.New(view.MaxStops, compiledonce.Folder())
		defer engine.Close()
		w.Engine = engine
	}
	r := Do(context.Background(), j, w)
	if r.Started == "" || r.Milli <= 0 || r.TimingsMS["read"] <= 0 {
		t.Errorf("started %q, %v ms, %v", r.Started, r.Milli, r.TimingsMS)
	}
	digest, err := Digest(context.Background(), j.Path)
	if err != nil {
		t.Fatal(err)
	}
	at := folderOf(j.Name)
	var pointOfNoReturn explain.DecidingReason
	if err := pointOfNoReturn.UnmarshalText([]byte("point of no return")); err != nil {
		t.Fatal(err)
	}
	want := Result{
		Schema: ResultSchema, Job: j, Key: j.Key(digest, "v1"), Status: Violated, Unexpected: true,
		Model: &ModelSize{3, 3, 3}, Classes: &Classes{Correct: 1, Incorrect: 1, Neutral: 1}, Neighbourhoods: 1,
		Counterexample: &Counterexample{
			Kind: counterexample.Deadlock, Length: 2, Shortest: true, Labels: []string{"REQ", "DROP"}, LoopStart: -1,
			Lines: []int{3, 5}, Decisions: []Decision{{2, "1", neighbourhood.Mixed, "DROP", 5, nil}},
			Deciding:  &Deciding{Step: 2, From: "1", Label: "DROP", To: "2", Why: pointOfNoReturn, Line: 5},
			Diagnosis: "stops", Sentence: "The run stops in state 2 before ACK.",
		},
		Wanted: outputKinds(),
		Files: map[string]string{
			"explanation": at + "/explanation.json", "page": at + "/page.html", "svg": at + "/picture.svg",
			"dot": at + "/picture.dot", "trace": at + "/trace.seq",
		},
	}
	if got := plain(r); !reflect.DeepEqual(got, want) {
		t.Errorf("result\n%+v, want\n%+v", got, want)
	}
	for kind, begin := range map[string]string{"explanation": "{", "page": "<!DOCTYPE html>", "svg": "<svg", "dot": "digraph", "trace": ""} {
		text, err := os.ReadFile(filepath.Join(out, filepath.FromSlash(want.Files[kind])))
		if err != nil || !bytes.Contains(text[:min(len(text), 200)], []byte(begin)) || len(text) == 0 {
			t.Errorf("%s begins with %.40q (error %v)", kind, text, err)
		}
		if r.Digests[kind] != sum(text) {
			t.Errorf("%s: digest %s, want %s", kind, r.Digests[kind], sum(text))
		}
	}
	if entries, err := os.ReadDir(filepath.Join(out, "jobs")); err != nil || len(entries) != 1 {
		t.Errorf("folders %v (error %v)", entries, err)
	}
	// Both can be sent to another machine.
	var again Result
	text, err := json.Marshal(r)
	if err == nil {
		err = json.Unmarshal(text, &again)
	}
	if err != nil || !reflect.DeepEqual(again, r) {
		t.Errorf("JSON makes\n%+v (error %v) of\n%+v", again, err, r)
	}
}

func TestDoSatisfied(t *testing.T) {
	folder := tree(t, map[string]string{"m.aut": model})
	out := t.TempDir()
	r := Do(context.Background(), jobOn(folder, "m.aut", "Inev(REQ)"), Work{Folder: out, Wanted: []string{"trace"}})
	if r.Status != Satisfied || r.Counterexample != nil || len(r.Files) != 0 || r.Error != "" {
		t.Errorf("%+v", r)
	}
	if left, _ := filepath.Glob(filepath.Join(out, "jobs", "*")); len(left) > 0 {
		t.Errorf("there is %v for a job without files", left)
	}
}

func TestDoWithoutAnswer(t *testing.T) {
	folder := tree(t, map[string]string{"m.aut": model, "short.aut": "des (0,2,2)\n(0,A,1)\n"})
	out := t.TempDir()
	tight := jobOn(folder, "m.aut", "Inev(REQ)")
	tight.Memory = 1 << 20
	hurried := jobOn(folder, "m.aut", "Inev(REQ)")
	hurried.Timeout = time.Nanosecond
	for _, c := range []struct {
		job    Job
		work   Work
		status Status
		error  string
	}{
		{jobOn(folder, "short.aut", "Inev(A)"), Work{}, Failed, "short.aut:2: declared 2 transitions, found 1: the file looks truncated; fetch it again, or read it leniently"},
		{jobOn(folder, "none.aut", "Inev(A)"), Work{}, Failed, folder + "/none.aut: there is no such file: check its name"},
		{jobOn(folder, "m.aut", "Inev(A"), Work{}, Failed, `formula: expected "," or ")", found end of formula (column 7)`},
		{tight, Work{}, Failed, "m.aut: needs about 29 MB for 3 transitions and 3 states, 1.0 MB are allowed by the job's own limit (memory): use a larger machine, " +
			"or reduce the model first (as ltsconvert -edpbranching-bisim of mCRL2 or bcg_min -divbranching of CADP do), or allow more memory"},
		{hurried, Work{Timeout: time.Hour}, TimedOut, "stopped after 1ns; allow it more time by its timeout"},
		{jobOn(folder, "m.aut", "Inev(A)"), Work{Timeout: time.Nanosecond}, TimedOut, "stopped after 1ns; allow it more time by its timeout"},
	} {
		c.work.Folder, c.work.Wanted = out, outputKinds()
		r := Do(context.Background(), c.job, c.work)
		if r.Status != c.status || r.Error != c.error || len(r.Files) > 0 || r.Counterexample != nil || r.Key == "" {
			t.Errorf("%s: %+v\nerror %s\nwant  %s", c.job.Name, r, r.Error, c.error)
		}
	}
	little := resources.NewBudget(resources.Limit{Bytes: 1e6, By: "free"}, nil).With(context.Background())
	if _, err := ReadingEach(1).Model(little, jobOn(folder, "m.aut", "Inev(A)")); err == nil || !strings.HasPrefix(err.Error(), "m.aut: needs about 29 MB for 3 transitions and 3 states, 1.0 MB are free: ") {
		t.Errorf("error %v", err)
	}
	stopped, cancel := context.WithCancel(context.Background())
	cancel()
	if r := Do(stopped, jobOn(folder, "m.aut", "Inev(A)"), Work{}); r.Status != Canceled {
		t.Errorf("%+v", r)
	}
	if entries, err := os.ReadDir(out); err != nil || len(entries) > 0 {
		t.Errorf("files %v (error %v)", entries, err)
	}
}

// explosive models panic when they are read.
type explosive struct{ Models }

func (e explosive) Model(ctx context.Context, j Job) (*Model, error) {
	if j.Model == "bang.aut" {
		panic("bang\x1b")
	}
	return e.Models.Model(ctx, j)
}

func TestPanicIsContained(t *testing.T) {
	folder := tree(t, map[string]string{"bang.aut": model})
	out := t.TempDir()
	j := jobOn(folder, "bang.aut", "Inev(A)")
	r := Do(context.Background(), j, Work{Folder: out, Wanted: outputKinds(), Version: "v1", Models: explosive{files{}}})
	log := r.Files["log"]
	if r.Status != Crashed || r.Error != `panic: bang\x1b; this is a mistake in inev: report it with `+log || log == "" {
		t.Fatalf("%+v", r)
	}
	text, err := os.ReadFile(filepath.Join(out, filepath.FromSlash(log)))
	if err != nil || !strings.Contains(string(text), "explosive.Model") || !strings.Contains(string(text), "inev v1\nbang.aut\nInev(A)\n") {
		t.Errorf("log %s (error %v)", text, err)
	}
}

// TestDecidingLine: the line that a result names is that of the deciding transition,
// in random models with blank lines and transitions that come twice.
func TestDecidingLine(t *testing.T) {
	folder := t.TempDir()
	decided := 0
	rapid.Check(t, func(t *rapid.T) {
		c := randomlts.Generator(randomlts.Small()).Draw(t, "case")
		var lines []string
		for _, line := range strings.Split(c.String(), "\n") {
			for range rapid.SampledFrom([]int{0, 0, 1, 2}).Draw(t, "blank") {
				lines = append(lines, "")
			}
			lines = append(lines, strings.TrimSpace(line))
		}
		lines = lines[:len(lines)-1] // the formula
		if err := os.WriteFile(filepath.Join(folder, "m.aut"), []byte(strings.Join(lines, "\r\n")), 0o644); err != nil {
			t.Fatal(err)
		}
		j := jobOn(folder, "m.aut", c.Formula)
		j.Options.Unfold, j.Options.AllowUnmatched = rapid.Bool().Draw(t, "unfold"), true
		r := Do(context.Background(), j, Work{})
		if !r.Status.Answered() {
			t.Fatal(r.Error)
		}
		if r.Counterexample == nil || r.Counterexample.Deciding == nil {
			return
		}
		decided++
		d := r.Counterexample.Deciding
		from, _, _ := strings.Cut(d.From, "·")
		to, _, _ := strings.Cut(d.To, "·")
		want := slices.Index(lines, fmt.Sprintf("(%s,%q,%s)", from, d.Label, to)) + 1
		if d.Line != want || want == 0 {
			t.Fatalf("%+v is on line %d", d, want)
		}
		for i, label := range r.Counterexample.Labels {
			if line := lines[r.Counterexample.Lines[i]-1]; !strings.Contains(line, fmt.Sprintf(",%q,", label)) {
				t.Fatalf("step %d, %s, is said to be on the line %s", i+1, label, line)
			}
		}
		for _, d := range r.Counterexample.Decisions {
			state, _, _ := strings.Cut(d.State, "·")
			if line := lines[d.Line-1]; !strings.HasPrefix(line, fmt.Sprintf("(%s,%q,", state, d.Label)) {
				t.Fatalf("decision %+v is said to be on the line %s", d, line)
			}
		}
	})
	if decided == 0 {
		t.Error("no model violates its property")
	}
}

// TestDecidingLineOfOtherFiles: also where the file is no plain text; and none where
// the lines are not those of .aut.
func TestDecidingLineOfOtherFiles(t *testing.T) {
	var packed bytes.Buffer
	w, err := aut.Compress(&packed, "m.aut.zst")
	if err == nil {
		_, err = w.Write([]byte("\n\n" + model))
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	folder := tree(t, map[string]string{"m.aut.zst": packed.String(), "m.autx": "des (0,3,3)\n(0,\"REQ\":BLACK,1)\n(1,\"ACK\":GREEN,2)\n(1,\"DROP\":RED,2)\n"})
	for name, want := range map[string]int{"m.aut.zst": 6, "m.autx": 0} {
		r := Do(context.Background(), jobOn(folder, name, "Inev(REQ, ACK)"), Work{})
		if r.Status != Violated || r.Counterexample.Deciding.Line != want || r.Packed != (want > 0) || r.Counterexample.Lines != nil {
			t.Errorf("%s: %+v", name, r)
		}
	}
}
