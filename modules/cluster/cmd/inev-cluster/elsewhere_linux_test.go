package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/inev-lts/inev/modules/cluster"
)

// TestWorkersElsewhere: workers in other processes, with models of their own, leave what
// inev batch leaves, file by file; status tells of them, and they end when they are told to.
func TestWorkersElsewhere(t *testing.T) {
	folder := manifestWith(t, 2)
	files := []string{"--html", "--dot", "--trace"}
	want := batchOf(t, folder, files...)
	f := newFleet(t, 1, 2)
	r := f.run(folder, files...)
	r.drain()
	if code := r.cmd.ProcessState.ExitCode(); code != 0 {
		t.Fatalf("code %d: %s", code, r.log)
	}
	sameContents(t, contents(t, filepath.Join(folder, "results")), want)

	out, _ := clusterIn(t, folder, 0, append([]string{"status", "--format", "json"}, f.flags()...)...)
	var s cluster.Status
	if err := json.Unmarshal([]byte(out), &s); err != nil || len(s.Batches) != 0 || len(s.Workers) != 2 || s.Workers[0].Name != "w1 as inev" {
		t.Errorf("%s (error %v)", out, err)
	}
	if out, _ = clusterIn(t, folder, 0, append([]string{"status"}, f.flags()...)...); !strings.Contains(out, "w2 as inev  devel") {
		t.Error(out)
	}
	for _, w := range f.workers {
		w.signal(os.Interrupt)
		if err := w.wait(); err != nil {
			t.Errorf("%s: %v: %s", w.name, err, w.log)
		}
	}
	if left, err := os.ReadDir(filepath.Join(f.folder, "w1", "1", "jobs")); err == nil {
		t.Errorf("left over: %v", left)
	}
}

// TestRefused: what cannot work is refused in one line.
func TestRefused(t *testing.T) {
	folder := manifestWith(t, 1)
	f := newFleet(t, 1, 0)
	wrong := f.write("wrong", "inev:guess\n")
	for _, c := range []struct{ args, want string }{
		{"", ""},
		{"bench", `there is no command "bench"; choose run, work, status or cancel`},
		{"run", "run: expected a manifest, found 0 operands"},
		{"run m.yaml --fail-on never", `--fail-on: there is no "never"`},
		{"run m.yaml --fail-on new", "--fail-on new needs an earlier run"},
		{"run m.yaml --resume --force", "give one of them"},
		{"run m.yaml --speed 3", "flag provided but not defined: -speed"},
		{"run gone.yaml", "gone.yaml: there is no such file"},
		{"run m.yaml --memory much", "--memory"},
		{"run m.yaml --nats " + f.urls[0] + " --workers 3", "cannot be used with --nats"},
		{"run m.yaml --nats nats://192.0.2.1:4222", "nobody works without credentials; give --credentials FILE"},
		{"run m.yaml --nats nats://192.0.2.1:4222 --credentials " + f.credentials, "nobody connects without TLS; give an address tls://"},
		{"run m.yaml --nats " + f.urls[0] + " --credentials " + f.credentials + " --name a.b", `"a.b" is not a name for a batch`},
		{"work", "--nats URL is missing"},
		{"work --nats " + f.urls[0] + " --credentials " + wrong, "Authorization Violation; look at --credentials"},
		{"work --nats " + f.urls[0], "Authorization Violation; look at --credentials"},
		{"work --nats " + f.urls[0] + " --jobs 0", "--jobs 0 is not a number above zero"},
		{"work --nats " + f.urls[0] + " --cache-size big", "--cache-size"},
		{"work --nats " + f.urls[0] + " --tls-cert x", "--tls-cert and --tls-key need each other"},
		{"run m.yaml --stall 0s", "--stall 0s is not a duration above zero"},
		{"run m.yaml --max-models much", "--max-models"},
		{"run m.yaml --metrics nowhere", "--metrics: listen tcp: address nowhere: missing port in address; give an address such as"},
		{"cancel", "cancel: expected the name of a batch, found 0 operands"},
		{"cancel nightly", "--nats URL is missing"},
		{"cancel nightly --nats " + f.urls[0] + " --credentials " + f.credentials, "there is no batch nightly; inev-cluster status lists"},
		{"status --format xml --nats " + f.urls[0], `there is no format "xml"`},
		{"status more", "status takes no operands"},
	} {
		code := exitFailed
		if c.want == "" {
			code = 0
		}
		_, stderr := clusterIn(t, folder, code, strings.Fields(c.args)...)
		if !strings.Contains(stderr, c.want) || strings.Count(stderr, "\n") > 1 {
			t.Errorf("inev-cluster %s: %q, want %q", c.args, stderr, c.want)
		}
		if _, err := os.Stat(filepath.Join(folder, "inev-results")); err == nil {
			t.Fatalf("inev-cluster %s has left a folder", c.args)
		}
	}
}

// TestSecondRunnerAndCancel: the second runner of a name is refused, status shows who holds
// it, and cancel ends the first, which keeps what it has.
func TestSecondRunnerAndCancel(t *testing.T) {
	// The worker must not be done before it is stopped.
	folder, another := manifestWith(t, 30), manifestWith(t, 1)
	f := newFleet(t, 1, 0)
	w := f.worker("slow")
	r := f.run(folder, "--name", "night", "--stall", "1s")
	r.after(1)
	w.signal(syscall.SIGSTOP)
	_, stderr := clusterIn(t, another, exitFailed, append([]string{"run", "m.yaml", "--name", "night", "--quiet"}, f.flags()...)...)
	if !strings.Contains(stderr, "the batch night is being run on ") || !strings.Contains(stderr, "wait for it with --wait, give another --name, or end it: inev-cluster cancel night") {
		t.Error(stderr)
	}
	out, _ := clusterIn(t, folder, 0, append([]string{"status"}, f.flags()...)...)
	if !strings.Contains(out, "for results, since ") || !strings.Contains(out, "heard of ") {
		t.Error(out)
	}
	if out, _ = clusterIn(t, folder, 0, append([]string{"cancel", "night"}, f.flags()...)...); out != "canceled night\n" {
		t.Error(out)
	}
	r.drain()
	if code := r.cmd.ProcessState.ExitCode(); code != exitFailed || !regexp.MustCompile(`the batch night was canceled from .*; \d+ of \d+ jobs are finished and kept in results`).MatchString(r.log.String()) {
		t.Errorf("code %d: %s", code, r.log)
	}
	w.signal(syscall.SIGCONT)
	r = f.run(folder, "--name", "night", "--resume")
	r.drain()
	if code := r.cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("code %d: %s", code, r.log)
	}
}
