package batch

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
)

// TestPriority: jobs with a larger priority are begun first, here and elsewhere, whatever
// they cost; those with the same keep their order.
func TestPriority(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"a.aut", "b.aut"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("des (0,2,2)\n(0,\"A\",1)\n(1,\"B\",0)\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(folder, "m.yaml")
	text := `jobs:
  - {name: low, model: a.aut, formula: Inev(A), priority: -1}
  - {name: none, model: b.aut, formula: Inev(A)}
  - {name: high, model: a.aut, formula: Inev(B), priority: 7}
  - {name: also, model: b.aut, formula: Inev(B), priority: 7}
`
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	m, err := Open(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"high", "also", "none", "low"}
	w := &noting{}
	if _, err := Run(context.Background(), m, Settings{Folder: filepath.Join(folder, "r"), Parallel: 1, Worker: w}); err != nil || !slices.Equal(w.began, want) {
		t.Errorf("elsewhere %q, want %q (error %v)", w.began, want, err)
	}
	// Here, the jobs of one model stay together.
	s := newSchedule(m.Jobs, 0, func(modelKey) {})
	var began []string
	for turn, more := s.next(context.Background()); more; turn, more = s.next(context.Background()) {
		began = append(began, turn.job.Name)
		s.done(turn)
	}
	if want := []string{"high", "low", "also", "none"}; !slices.Equal(began, want) {
		t.Errorf("here %q, want %q", began, want)
	}
}

// noting notes in which order it is asked.
type noting struct {
	mu    sync.Mutex
	began []string
}

func (n *noting) Do(ctx context.Context, j Job) Result {
	n.mu.Lock()
	n.began = append(n.began, j.Name)
	n.mu.Unlock()
	return Do(ctx, j, Work{})
}
