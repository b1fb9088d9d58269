package main

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/internal/testing/golden"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
)

// TestFolderMoved: a batch whose folder, or journal, is renamed or removed while it goes on
// ends with the exit code of an error, and says where the answers are.
func TestFolderMoved(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("what is open cannot be renamed there")
	}
	models := 60
	if !randomlts.Whole() {
		models = 20
	}
	for name, change := range map[string]func(results string) error{
		"renamed":         func(results string) error { return os.Rename(results, results+"-old") },
		"removed":         removeAll,
		"journal removed": func(results string) error { return os.Remove(filepath.Join(results, "results.jsonl")) },
	} {
		folder := manyJobs(t, models)
		cmd := golden.Command(t, "inev", "batch", "m.yaml", "-o", "results", "--jobs", "1", "--fail-on", "none")
		cmd.Dir = folder
		stderr, err := cmd.StderrPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		scanner, last := bufio.NewScanner(stderr), ""
		for lines := 0; scanner.Scan(); lines++ {
			if last = scanner.Text(); lines > 0 {
				continue
			}
			if err := change(filepath.Join(folder, "results")); err != nil {
				t.Error(err)
			}
		}
		err = cmd.Wait()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 2 || !strings.Contains(last, "results-answers-until-now.jsonl") {
			t.Errorf("%s: %v: %s", name, err, last)
		}
		if kept, err := batch.ReadResults(context.Background(), filepath.Join(folder, "results-answers-until-now.jsonl")); err != nil || len(kept) == 0 {
			t.Errorf("%s: %d are kept (error %v)", name, len(kept), err)
		}
	}
}

// removeAll removes a folder into which somebody still writes.
func removeAll(folder string) (err error) {
	for range 100 {
		if err = os.RemoveAll(folder); err == nil {
			break
		}
	}
	return err
}
