package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/inev-lts/inev/aut"
)

// natsPatience is how long a question to servers that are being killed may wait.
const natsPatience = 2 * time.Second

// killsVariable is the environment variable that asks for more than CI has time for.
const killsVariable = "INEV_CLUSTER_KILLS"

// killsAsked is how many processes are killed: more with INEV_CLUSTER_KILLS=50, which takes
// minutes.
func killsAsked() int {
	if n, err := strconv.Atoi(os.Getenv(killsVariable)); err == nil {
		return n
	}
	return 5
}

// TestKilled: three servers, four workers, and a runner, of which one after the other is
// killed while they work; in the end there is what inev batch leaves, each job once. Where
// so many are to be killed that the batch is done before, another one follows.
func TestKilled(t *testing.T) {
	kills := killsAsked()
	folder := manifestOf(t, min(25*(1+kills/10), 125))
	want := batchOf(t, folder)
	f := newFleet(t, 3, 4)
	for killed := 0; killed < kills; {
		killed += f.killSome(folder, killed, kills)
		sameContents(t, contents(t, filepath.Join(folder, "results")), want)
		if t.Failed() {
			return
		}
	}
}

// killSome runs a batch and kills who works on it, until it is done. It returns how many
// it has killed.
func (f *fleet) killSome(folder string, before, kills int) (killed int) {
	t := f.t
	t.Helper()
	r := f.run(folder, "--force")
	draw := rand.New(rand.NewPCG(uint64(before), 2))
	told := map[string]int{}
	for i := before; i < kills && r.after(1+draw.IntN(2)); i++ {
		killed++
		var what string
		switch i % 7 {
		case 0, 4, 6:
			p := f.workers[draw.IntN(len(f.workers))]
			what = p.name
			p.restart()
		case 1, 5:
			p := f.leader(t.Context())
			what = p.name + ", the leader"
			p.restart()
		case 3:
			p := f.servers[draw.IntN(len(f.servers))]
			what = p.name
			p.restart()
		case 2:
			what = "the runner"
			_ = r.cmd.Process.Kill()
			r.drain()
			count(told, r)
			r = f.run(folder, "--resume")
		}
		t.Logf("kill %d: %s", i+1, what)
	}
	r.drain()
	count(told, r)
	if code := r.cmd.ProcessState.ExitCode(); code != 0 {
		t.Fatalf("code %d: %s", code, r.log)
	}
	for job, times := range told {
		if times > 1 && !strings.HasPrefix(job, "error") {
			t.Errorf("told %d times: %s", times, job)
		}
	}
	return killed
}

// count counts of which jobs a runner has told.
func count(told map[string]int, r *runner) {
	for _, line := range strings.Split(r.log.String(), "\n") {
		if _, job, is := strings.Cut(line, "] "); is && strings.HasPrefix(line, "[") {
			job, _, _ = strings.Cut(job, "  (")
			told[job]++
		}
	}
}

// TestPaused: servers and workers that are cut off for a while, as by a network that is
// down, lose nothing, and do nothing twice: by default one worker and the leader, and one
// process after the other with INEV_CLUSTER_KILLS.
func TestPaused(t *testing.T) {
	const between = 3 // jobs
	folder := manifestOf(t, between*(1+min(max(2, killsAsked()/2), 20)))
	want := batchOf(t, folder)
	f := newFleet(t, 3, 3)
	r := f.run(folder)
	var paused *process
	for i := 0; r.after(between); i++ {
		if paused != nil {
			paused.signal(syscall.SIGCONT)
		}
		switch i % 3 {
		case 0:
			paused = f.workers[i%len(f.workers)]
		case 1:
			paused = f.leader(t.Context())
		default:
			paused = f.servers[i%len(f.servers)]
		}
		paused.signal(syscall.SIGSTOP)
	}
	if paused != nil {
		paused.signal(syscall.SIGCONT)
	}
	r.drain()
	sameContents(t, contents(t, filepath.Join(folder, "results")), want)
}

// manifestOf writes m.yaml into a new folder, with so many jobs on models of the examples
// and of the collection, where that is there.
func manifestOf(t *testing.T, jobs int) (folder string) {
	t.Helper()
	folder = t.TempDir()
	paths, err := filepath.Glob(filepath.Join("..", "..", "..", "..", "examples", "*", "*.aut"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d examples (error %v)", len(paths), err)
	}
	others, err := filepath.Glob(filepath.Join("..", "..", "..", "..", "..", "shared", "lts", "*.aut"))
	if err != nil {
		t.Fatal(err)
	}
	paths = append(paths, others...)
	labels := make([][]string, len(paths))
	for i, path := range paths {
		if paths[i], err = filepath.Abs(path); err != nil {
			t.Fatal(err)
		}
		m, _, err := aut.Open(t.Context(), path, aut.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range m.Alphabet().All() {
			labels[i] = append(labels[i], text)
		}
	}
	var text strings.Builder
	text.WriteString("jobs:\n")
	for n := range jobs {
		i := n % len(paths)
		a, b := labels[i][n%len(labels[i])], labels[i][(n/2)%len(labels[i])]
		fmt.Fprintf(&text, "  - {name: job %d, model: %q, formula: %q}\n", n, paths[i], fmt.Sprintf("Inev(%q, %q)", a, b))
	}
	if err := os.WriteFile(filepath.Join(folder, "m.yaml"), []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return folder
}
