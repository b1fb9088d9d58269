package batch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestTheClockDecidesNothing: what is done again depends on what is in the files, whatever
// the times that they bear: clocks are set back, and archives bring times of their own.
func TestTheClockDecidesNothing(t *testing.T) {
	m := someJobs(t)
	folder := filepath.Dir(m.File)
	s := Settings{Folder: filepath.Join(t.TempDir(), "results"), Begin: Resume, Wanted: []string{"explanation"}}
	first := run(t, m, s)
	for _, at := range []time.Time{time.Unix(0, 0), time.Now().AddDate(70, 0, 0)} {
		err := filepath.WalkDir(s.Folder, func(path string, _ os.DirEntry, err error) error {
			if err != nil {
				return err
			}
			return os.Chtimes(path, at, at)
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"a.aut", "b.aut", "bad.aut"} {
			if err := os.Chtimes(filepath.Join(folder, name), at, at); err != nil {
				t.Fatal(err)
			}
		}
		again := run(t, m, s)
		sameResults(t, again.Results, first.Results)
		for _, r := range again.Results {
			if r.Reused != r.Status.Answered() {
				t.Errorf("files of %s: %s was taken over: %v", at, r.Job.Name, r.Reused)
			}
		}
	}

	// Another model of the same size and the same time.
	path := filepath.Join(folder, "b.aut")
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(model, "DROP", "LATE")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	for _, r := range run(t, m, s).Results {
		if want := r.Status.Answered() && r.Job.Model != "b.aut"; r.Reused != want {
			t.Errorf("%s was taken over: %v, want %v", r.Job.Name, r.Reused, want)
		}
	}
}
