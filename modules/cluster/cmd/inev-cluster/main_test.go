package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/cmd/wording"
	"github.com/inev-lts/inev/internal/testing/golden"
)

func TestMain(m *testing.M) {
	testscript.Main(tidying{m}, map[string]func(){"inev-cluster": main, "inev-cluster-next": next, "jetstream": serve})
}

// next is the program of a release that does not exist.
func next() {
	release = "v99.0.0"
	main()
}

// tidying removes what all tests share, once they have run.
type tidying struct{ *testing.M }

func (t tidying) Run() int {
	compiled, err := os.MkdirTemp("", "inev-compiled-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	os.Setenv(wording.CacheVariable, compiled)
	code := t.M.Run()
	for _, folder := range []string{compiled, built} {
		if folder != "" {
			_ = os.RemoveAll(folder)
		}
	}
	return code
}

// built is the folder with inev, once it is built.
var built string

// inev returns the path of inev as users have it, built once.
var inev = sync.OnceValues(func() (string, error) {
	folder, err := os.MkdirTemp("", "inev-")
	if err != nil {
		return "", err
	}
	built = folder
	path := filepath.Join(folder, "inev")
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	// Tests are built without a commit, and results tell the version of the program.
	build := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-o", path, "./cmd/inev")
	build.Dir = filepath.Join("..", "..", "..", "..")
	if text, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w: %s", err, text)
	}
	return path, nil
})

// batchOf runs inev batch, and returns what it has left.
func batchOf(t *testing.T, folder string, args ...string) map[string]string {
	t.Helper()
	program, err := inev()
	if err != nil {
		t.Fatal(err)
	}
	// Summaries name the folder.
	cmd := golden.Command(t, program, append([]string{"batch", "m.yaml", "-o", "results", "--quiet", "--fail-on", "none", "--force"}, args...)...)
	cmd.Dir = folder
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("inev batch: %v: %s", err, text)
	}
	defer os.RemoveAll(filepath.Join(folder, "results"))
	return contents(t, filepath.Join(folder, "results"))
}

// times are what a folder of results holds that differs from run to run.
var times = regexp.MustCompile(`(?s)"started":"[^"]*","ms":[0-9.e+-]+(,"timings_ms":\{[^}]*\})?(,"reused":true)?` +
	`|"(ms|reused)": [^,\n]*|"timings_ms": ?\{[^}]*\}|"seconds":[0-9.e+-]+|The jobs took .* in all\.|id="timings">\[[^\]]*\]| (time|timestamp)="[^"]*"`)

// contents returns what the files of a folder of results hold, less times, the journal in
// the order of the manifest. Each job must be in the journal once, with the digests of its
// files.
func contents(t *testing.T, folder string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(folder, path)
		all[filepath.ToSlash(name)] = times.ReplaceAllString(string(text), "")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	all["summary.csv"] = regexp.MustCompile(`(?m),[0-9.e-]+\r?$`).ReplaceAllString(all["summary.csv"], "")
	results, err := batch.ReadResults(context.Background(), folder)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := batch.ReadResults(context.Background(), filepath.Join(folder, "results.jsonl"))
	if err != nil || len(lines) != len(results) {
		t.Fatalf("%d lines for %d results (error %v)", len(lines), len(results), err)
	}
	var text strings.Builder
	for _, r := range results {
		for kind, name := range r.Files {
			if digest, err := batch.Digest(t.Context(), filepath.Join(folder, name)); err != nil || digest != r.Digests[kind] {
				t.Errorf("%s is %s, want %s (error %v)", name, digest, r.Digests[kind], err)
			}
		}
		r.Started, r.Milli, r.TimingsMS, r.Digests = "", 0, nil, nil
		line, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&text, "%s\n", line)
	}
	all["results.jsonl"] = text.String()
	return all
}

// sameContents demands that two folders hold the same.
func sameContents(t *testing.T, got, want map[string]string) {
	t.Helper()
	for name := range got {
		if _, is := want[name]; !is {
			t.Errorf("left over: %s", name)
		}
	}
	for name, text := range want {
		if got[name] == text {
			continue
		}
		a, b := strings.Split(got[name], "\n"), strings.Split(text, "\n")
		for i := range min(len(a), len(b)) {
			if a[i] != b[i] {
				t.Errorf("%s, line %d:\n%.1500s\nwant\n%.1500s", name, i+1, a[i], b[i])
				break
			}
		}
		t.Errorf("%s differs: %d lines, want %d", name, len(a), len(b))
	}
}

// clusterIn runs the program in a folder until it ends by itself.
func clusterIn(t *testing.T, folder string, code int, args ...string) (stdout, stderr string) {
	t.Helper()
	cmd := golden.Command(t, "inev-cluster", args...)
	var out, errs strings.Builder
	cmd.Dir, cmd.Stdout, cmd.Stderr = folder, &out, &errs
	_ = cmd.Run()
	if got := cmd.ProcessState.ExitCode(); got != code {
		t.Fatalf("inev-cluster %s: code %d, want %d; errors:\n%s", strings.Join(args, " "), got, code, errs.String())
	}
	return out.String(), errs.String()
}
