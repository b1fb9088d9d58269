package batch

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// TestClearResults: what runs have written goes, all jobs of many; what else is in the folder
// stays, and what a link in the place of the jobs leads to.
func TestClearResults(t *testing.T) {
	for _, linked := range []bool{false, true} {
		folder := t.TempDir()
		jobs := filepath.Join(folder, jobsName)
		if linked {
			jobs = t.TempDir()
			if err := os.Symlink(jobs, filepath.Join(folder, jobsName)); err != nil {
				t.Skip(err)
			}
		}
		var files []string
		for i := range 100 {
			files = append(files, filepath.Join(jobs, fmt.Sprint("job", i), "explanation.json"))
		}
		for _, file := range append([]string{filepath.Join(folder, journalName), filepath.Join(folder, "notes.txt")}, files...) {
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte("x"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if err := clearResults(folderAt(t, folder)); err != nil {
			t.Fatal(err)
		}
		left, err := os.ReadDir(folder)
		if err != nil || len(left) != 1 || left[0].Name() != "notes.txt" {
			t.Errorf("%v are left (error %v)", left, err)
		}
		for _, file := range files {
			if _, err := os.Stat(file); (err == nil) != linked {
				t.Errorf("%s behind a link: %t: %v", file, linked, err)
			}
		}
	}
}
