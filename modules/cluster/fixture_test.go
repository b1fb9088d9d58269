package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/internal/resources"
)

// fixture is a server with workers, all in this process.
type fixture struct {
	t *testing.T
	*Embedded
	workers sync.WaitGroup
	// memory bounds the workers that are started; 0 for no bound.
	memory int64

	mu       sync.Mutex
	warnings []string
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	e, err := Embed()
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{t: t, Embedded: e}
	t.Cleanup(func() { f.workers.Wait(); e.Close() })
	return f
}

func (f *fixture) connect() *nats.Conn {
	f.t.Helper()
	nc, err := f.Connect()
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(nc.Close)
	return nc
}

// queue returns what the server keeps.
func (f *fixture) queue() *queue {
	f.t.Helper()
	q, err := openQueue(f.t.Context(), f.connect(), 0)
	if err != nil {
		f.t.Fatal(err)
	}
	return q
}

// lease returns that of a batch, which is empty if nobody has it.
func (f *fixture) lease(name string) tenure {
	f.t.Helper()
	found, err := f.queue().tenureOf(f.t.Context(), name)
	if err != nil {
		f.t.Error(err)
	}
	return found.tenure
}

// work starts a worker; change may change how it works. It ends when stop is called, and at
// the end of the test.
func (f *fixture) work(name string, change func(*WorkerSettings)) (stop func(), ended <-chan error) {
	f.t.Helper()
	cache, err := NewFolderStore(filepath.Join(f.t.TempDir(), "models"), 0)
	if err != nil {
		f.t.Fatal(err)
	}
	s := WorkerSettings{Name: name, Version: "v1", Jobs: 1, Cache: cache, Folder: f.t.TempDir()}
	if change != nil {
		change(&s)
	}
	nc := f.connect()
	ctx := context.Background()
	if f.memory > 0 {
		ctx = resources.NewBudget(resources.Limit{Bytes: f.memory, By: "allowed"}, nil).With(ctx)
	}
	ctx, stop = context.WithCancel(ctx)
	end := make(chan error, 1)
	f.workers.Add(1)
	go func() {
		defer f.workers.Done()
		end <- Work(ctx, nc, s)
	}()
	f.t.Cleanup(stop)
	return stop, end
}

// settings are those of a run into a folder.
func (f *fixture) settings(folder string) Settings {
	return Settings{Name: "test", Batch: batch.Settings{
		Folder: folder, Version: "v1", Wanted: []string{"explanation"},
		Warn: func(text string) {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.warnings = append(f.warnings, text)
		},
	}}
}

// warned reports whether the runner has warned of something.
func (f *fixture) warned(text string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.ContainsFunc(f.warnings, func(w string) bool { return strings.Contains(w, text) })
}

// ring returns a manifest with so many jobs on models of their own: rings of 3 and more
// states.
func ring(t *testing.T, jobs int) *batch.Manifest {
	t.Helper()
	folder := t.TempDir()
	m := &batch.Manifest{File: "m.yaml"}
	for i := range jobs {
		var text strings.Builder
		states := 3 + i
		fmt.Fprintf(&text, "des (0,%d,%d)\n", states, states)
		for s := range states {
			fmt.Fprintf(&text, "(%d,\"L%d\",%d)\n", s, s, (s+1)%states)
		}
		name := fmt.Sprintf("ring%d.aut", i)
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		m.Jobs = append(m.Jobs, batch.Job{Name: fmt.Sprintf("job %d", i), Model: name, Path: path, Formula: "Inev(L0, L2)"})
	}
	return m
}

// allSatisfied demands a verdict of each job.
func allSatisfied(t *testing.T, m *batch.Manifest, out *batch.Outcome, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Results) != len(m.Jobs) {
		t.Errorf("%d results, want %d", len(out.Results), len(m.Jobs))
	}
	for _, r := range out.Results {
		if r.Status != batch.Satisfied {
			t.Errorf("%s: %s %s", r.Job.Name, r.Status, r.Error)
		}
	}
}

const gib = 1 << 30

// otherVersion lets a worker of another version seem to be there.
func (f *fixture) otherVersion(name string) {
	f.t.Helper()
	text, err := json.Marshal(presence{Version: "v0", Jobs: 1})
	if err == nil {
		_, err = f.queue().js.Publish(f.t.Context(), presenceSubject(name, name), text)
	}
	if err != nil {
		f.t.Fatal(err)
	}
}
