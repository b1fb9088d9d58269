package cluster

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/inev-lts/inev/batch"
)

// writeNetwork writes a network of three files, of which one lies in a folder of its own, and returns its path.
func writeNetwork(t *testing.T, name, text string) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, "parts"), 0o755); err != nil {
		t.Fatal(err)
	}
	for file, content := range map[string]string{
		"left.aut":        "des (0,2,2)\n(0,PUT,1)\n(1,SEND,0)\n",
		"parts/right.aut": "des (0,2,2)\n(0,SEND,1)\n(1,GET,0)\n",
		"parts/inner.exp": "hide NOTHING in right end hide",
		name:              text,
	} {
		if err := os.WriteFile(filepath.Join(folder, filepath.FromSlash(file)), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(folder, name)
}

// TestNetwork: a worker composes a network of files that were sent to it, and finds what inev batch finds; all that is
// left of it is the cache.
func TestNetwork(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	f := newFixture(t)
	path := writeNetwork(t, "sys.exp", `par SEND in left || "parts/inner.exp" end par`)
	m := &batch.Manifest{File: "m.yaml", Jobs: []batch.Job{{Name: "network", Model: "sys.exp", Path: path, Formula: "Response(PUT; GET)"}}}
	f.work("w", nil)
	out, err := Run(t.Context(), f.connect(), m, f.settings(t.TempDir()))
	allSatisfied(t, m, out, err)
	here := batch.Do(t.Context(), m.Jobs[0], batch.Work{Folder: t.TempDir(), Version: "v1", Models: batch.ReadingEach(1)})
	if there := out.Results[0]; there.Key == "" || there.Status != here.Status {
		t.Errorf("on a worker: %+v, here: %+v", there, here)
	}
	if left, err := filepath.Glob(filepath.Join(temporary, "inev-network-*")); err != nil || len(left) > 0 {
		t.Errorf("left: %v %v", left, err)
	}
}

// TestNetworkFromElsewhere: a network with files outside of its folder is composed where the batch was begun.
func TestNetworkFromElsewhere(t *testing.T) {
	f := newFixture(t)
	path := writeNetwork(t, "sys.exp", "left")
	inner := filepath.Join(filepath.Dir(path), "parts", "up.exp")
	if err := os.WriteFile(inner, []byte(`"../left.aut"`), 0o644); err != nil {
		t.Fatal(err)
	}
	m := &batch.Manifest{File: "m.yaml", Jobs: []batch.Job{{Name: "network", Model: "up.exp", Path: inner, Formula: "Inev(PUT)"}}}
	f.work("w", func(s *WorkerSettings) {
		s.do = func(context.Context, batch.Job, batch.Work) batch.Result {
			t.Error("a worker has the job")
			return batch.Result{Status: batch.Canceled}
		}
	})
	out, err := Run(t.Context(), f.connect(), m, f.settings(t.TempDir()))
	allSatisfied(t, m, out, err)
}
