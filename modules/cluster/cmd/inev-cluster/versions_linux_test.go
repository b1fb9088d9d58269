package main

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestVersions: a worker of another version than the runner ends at once, does nothing, and
// says why, as the runner does; one of the same version does the jobs.
func TestVersions(t *testing.T) {
	folder := manifestWith(t, 1)
	want := batchOf(t, folder)
	f := newFleet(t, 1, 1)
	f.workers[0].signal(syscall.SIGSTOP) // so that there are jobs when the other one comes
	r := f.run(folder)
	other := f.process("other", append([]string{"inev-cluster-next", "work", "--name", "other", "--cache", filepath.Join(f.folder, "other")}, f.flags()...)...)
	_ = other.wait()
	said := other.log.String()
	if code := other.cmd.ProcessState.ExitCode(); code != exitFailed || !strings.Contains(said, "this worker is inev v99.0.0, but the batch") || !strings.Contains(said, version()) {
		t.Errorf("code %d: %s", code, said)
	}
	f.workers[0].signal(syscall.SIGCONT)
	r.drain()
	if code := r.cmd.ProcessState.ExitCode(); code != 0 || !strings.Contains(r.log.String(), "the worker other as inev takes no part: this worker is inev v99.0.0") {
		t.Errorf("code %d: %s", code, r.log)
	}
	sameContents(t, contents(t, filepath.Join(folder, "results")), want)
}
