package batch

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// replacing models replace a file before the first thing that a job other than the first
// asks for.
type replacing struct {
	Models
	path, by string
	once     *sync.Once
	first    string
}

func (r replacing) before(j Job) {
	if j.Name == r.first {
		return
	}
	r.once.Do(func() {
		if err := os.Rename(r.by, r.path); err != nil {
			panic(err)
		}
	})
}

func (r replacing) Digest(ctx context.Context, j Job) (string, error) {
	r.before(j)
	return r.Models.Digest(ctx, j)
}

func (r replacing) Model(ctx context.Context, j Job) (*Model, error) {
	r.before(j)
	return r.Models.Model(ctx, j)
}

// TestModelReplacedBetweenJobs: jobs that share a model are about what was read, and their
// keys say so, though the file is another one since; a run that is resumed does them again.
func TestModelReplacedBetweenJobs(t *testing.T) {
	const good = "des (0,2,2)\n(0,\"REQ\",1)\n(1,\"ACK\",0)\n"
	const bad = "des (0,2,2)\n(0,\"REQ\",1)\n(1,\"NAK\",0)\n"
	folder := tree(t, map[string]string{
		"a.aut": good, "other": bad,
		"m.yaml": "defaults: {allow_unmatched: true}\njobs:\n  - {model: a.aut, formula: Inev(ACK), name: one}\n  - {model: a.aut, formula: Inev(ACK), name: two}\n",
	})
	m := opened(t, folder, "m.yaml")
	path, results := filepath.Join(folder, "a.aut"), t.TempDir()
	old, err := Digest(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	var warnings []string
	s := Settings{Folder: results, Parallel: 1, Version: "v1", Warn: func(text string) { warnings = append(warnings, text) }}
	shared := newShared(files{})
	s.models = replacing{shared, path, filepath.Join(folder, "other"), &sync.Once{}, "one"}
	out := run(t, m, s)
	for _, r := range out.Results {
		if r.Status != Satisfied || r.Key != r.Job.Key(old, "v1") {
			t.Errorf("%s: %s, key %s: want the verdict and the key of the file that was read", r.Job.Name, r.Status, r.Key)
		}
	}
	if names := shared.changed(context.Background()); len(names) != 1 || names[0] != "a.aut" {
		t.Errorf("changed: %v", names)
	}
	s.models, s.Begin = nil, Resume
	out = run(t, m, s)
	if out.Reused != 0 || statuses(out.Results) != "violated violated" {
		t.Errorf("%d taken over: %s", out.Reused, statuses(out.Results))
	}
	if out = run(t, m, s); out.Reused != 2 {
		t.Errorf("%d taken over", out.Reused)
	}
	if len(warnings) > 0 {
		t.Errorf("%q", warnings)
	}
}

// TestModelReplacedDuringTheRun: a run says which models were replaced meanwhile.
func TestModelReplacedDuringTheRun(t *testing.T) {
	m := someJobs(t)
	var warnings []string
	s := Settings{Folder: t.TempDir(), Parallel: 1, Warn: func(text string) { warnings = append(warnings, text) }}
	done := 0
	s.Finished = func(p Progress) {
		if done++; done < 9 {
			return
		}
		if err := os.WriteFile(m.Jobs[0].Path, []byte(model+" "), 0o644); err != nil {
			t.Error(err)
		}
	}
	run(t, m, s)
	if len(warnings) != 1 || !strings.HasPrefix(warnings[0], "a.aut: has changed since it was read; ") {
		t.Errorf("%q", warnings)
	}
}

// TestIncludedReplaced: a specification has changed if a file that it includes has.
func TestIncludedReplaced(t *testing.T) {
	folder := tree(t, map[string]string{"Whole.tla": "EXTENDS Parts", "Whole.cfg": "", "Parts.tla": "", "other": "Parts"})
	j, ctx := Job{Model: "Whole.tla", Path: filepath.Join(folder, "Whole.tla")}, context.Background()
	digest, err := files{}.Digest(ctx, j)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(j.Path)
	if err != nil {
		t.Fatal(err)
	}
	shared := newShared(files{})
	shared.read[j.Path] = []readFile{{j, info, digest}}
	if names := shared.changed(ctx); len(names) > 0 {
		t.Errorf("changed: %v", names)
	}
	if err := os.Rename(filepath.Join(folder, "other"), filepath.Join(folder, "Parts.tla")); err != nil {
		t.Fatal(err)
	}
	if names := shared.changed(ctx); len(names) != 1 || names[0] != "Whole.tla" {
		t.Errorf("changed: %v", names)
	}
}

// TestValuesBelongToTheBytesRead: whoever exchanges the values of states while they are read, what is returned has
// the digest that the manifest had.
func TestValuesBelongToTheBytesRead(t *testing.T) {
	const ours, others = "0\tx=1\n1\tx=2\n", "0\tx=3\n1\tx=4\n"
	folder := tree(t, map[string]string{"v.tsv": ours})
	f := &File{File: "v.tsv", Path: filepath.Join(folder, "v.tsv"), Digest: sum([]byte(ours))}
	done, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for i := 0; ; i++ {
			select {
			case <-done:
				return
			default:
			}
			next := filepath.Join(folder, "next")
			if os.WriteFile(next, []byte([]string{others, ours}[i%2]), 0o644) != nil || os.Rename(next, f.Path) != nil {
				return
			}
		}
	}()
	read := 0
	for range 3_000 {
		table, err := f.read(context.Background(), 2)
		if err != nil {
			continue
		}
		if read++; table.Text(0, table.Value(0, 0)) != "1" {
			t.Error("the values of another file")
			break
		}
	}
	close(done)
	<-stopped
	if read == 0 {
		t.Error("never read")
	}
}
