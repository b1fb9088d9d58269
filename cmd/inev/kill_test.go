package main

import (
	"bufio"
	"errors"
	"flag"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/testing/golden"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/internal/wholefile"
)

// How often, and when, processes are killed: CI=true go test ./cmd/inev -run Killed -kills 200
// -seed 7 takes minutes.
var (
	kills = flag.Int("kills", 8, "so many processes are killed while they work")
	seed  = flag.Uint64("seed", 1, "when they are killed")
)

// killed is how many processes are killed: few without CI.
func killed() int {
	if !randomlts.Whole() {
		return min(*kills, 3)
	}
	return *kills
}

// TestKilledAtRandomMoments: whatever the moments at which the process is killed,
// nothing that was told is done again, and in the end there is what an undisturbed run
// gives, and nothing else.
func TestKilledAtRandomMoments(t *testing.T) {
	times, models := killed(), 60
	if !randomlts.Whole() {
		models = 6
	}
	folder := manyJobs(t, models+6*times)
	for _, name := range []string{"calm", "killed"} {
		if err := os.Mkdir(filepath.Join(folder, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	calm, disturbed := filepath.Join(folder, "calm"), filepath.Join(folder, "killed")
	inevIn(t, calm, 2, "batch", "../m.yaml", "-o", "results", "--quiet", "--trace")
	args := []string{"batch", "../m.yaml", "-o", "results", "--resume", "--trace", "--jobs", "2"}
	told := map[string]bool{}
	interrupted := 0
	for i := range times {
		r := rand.New(rand.NewPCG(uint64(i), *seed))
		ended, lines := killAfter(t, disturbed, r.IntN(8), r.IntN(2000), args)
		for _, line := range lines {
			_, job, _ := strings.Cut(line, "] ")
			job, _, _ = strings.Cut(job, "  (")
			if told[job] && !strings.HasPrefix(job, "error") {
				t.Fatalf("kill %d: told twice: %s", i, line)
			}
			told[job] = true
		}
		if !ended {
			interrupted++
		}
	}
	t.Logf("%d of %d runs were killed, which had told of %d jobs", interrupted, times, len(told))
	if interrupted < times/2 {
		t.Errorf("killed only %d times: there are too few jobs", interrupted)
	}
	inevIn(t, disturbed, 2, append(args, "--quiet")...)
	sameSummaries(t, summaries(t, filepath.Join(disturbed, "results")), summaries(t, filepath.Join(calm, "results")))
	nothingLeft(t, filepath.Join(disturbed, "results"), filepath.Join(calm, "results"))
	if len(told) < times {
		t.Errorf("only %d jobs were told of", len(told))
	}
}

// killAfter starts the program and kills it some time after it has told of so many
// jobs. It returns the lines that it wrote until then, and whether it ended by itself.
func killAfter(t *testing.T, folder string, jobs, delay int, args []string) (ended bool, lines []string) {
	t.Helper()
	cmd := golden.Command(t, "inev", args...)
	cmd.Dir = folder
	stderr, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	scanner := bufio.NewScanner(stderr)
	for len(lines) < jobs && scanner.Scan() {
		lines = append(lines, scanner.Text())
	}
	for range delay {
		runtime.Gosched()
	}
	_ = cmd.Process.Kill()
	for scanner.Scan() {
		lines = append(lines, scanner.Text())
	}
	err = cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == -1 {
		return false, lines
	}
	if err != nil && exit.ExitCode() != exitViolated {
		t.Fatalf("%v: %s", err, strings.Join(lines, "\n"))
	}
	return true, lines
}

// namesIn returns the names of all files and folders in a folder.
func namesIn(t *testing.T, folder string) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	err := fs.WalkDir(os.DirFS(folder), ".", func(path string, _ fs.DirEntry, err error) error {
		names[path] = true
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// nothingLeft looks whether a folder has the files of another one, and no other.
func nothingLeft(t *testing.T, folder, want string) {
	t.Helper()
	wanted := namesIn(t, want)
	for name := range namesIn(t, folder) {
		if !wanted[name] {
			t.Errorf("left over: %s", name)
		}
		delete(wanted, name)
	}
	for name := range wanted {
		t.Errorf("missing: %s", name)
	}
}

// TestKilledEarly: a run that is killed while it makes its folder is no obstacle for
// the next one.
func TestKilledEarly(t *testing.T) {
	folder := manyJobs(t, 0)
	if err := os.WriteFile(filepath.Join(folder, "m.yaml"), []byte("jobs:\n  - {model: m.aut, formula: Inev(A)}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "m.aut"), []byte("des (0,1,1)\n(0,A,0)\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	calm := filepath.Join(folder, "calm")
	inevIn(t, folder, 0, "batch", "m.yaml", "-o", "calm", "--quiet")
	seen := map[string]int{}
	for i := range killed() {
		r := rand.New(rand.NewPCG(uint64(i), *seed))
		results := filepath.Join(folder, "results")
		seen[killWhenThere(t, folder, results, r.IntN(400), []string{"batch", "m.yaml", "-o", "results", "--quiet"})]++
		begin := []string{"--resume", "--resume", "--force"}[i%3]
		inevIn(t, folder, 0, "batch", "m.yaml", "-o", "results", "--quiet", begin)
		nothingLeft(t, results, calm)
		if err := os.RemoveAll(results); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("killed where there were: %v", seen)
}

// killWhenThere starts the program and kills it some time after its folder is there. It
// returns what is in the folder then.
func killWhenThere(t *testing.T, folder, results string, delay int, args []string) string {
	t.Helper()
	cmd := golden.Command(t, "inev", args...)
	cmd.Dir = folder
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for range 10_000_000 {
		if _, err := os.Stat(results); err == nil {
			break
		}
	}
	for range delay {
		_, _ = os.Stat(results) // takes about a microsecond
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	entries, err := os.ReadDir(results)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if wholefile.IsLeftover(e.Name()) {
			names = append(names, "a leftover")
			continue
		}
		names = append(names, e.Name())
	}
	return strings.Join(names, ", ")
}
