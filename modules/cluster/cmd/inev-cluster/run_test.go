package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestRunIsLikeBatch: one command, with its server and its workers in one process, leaves
// what inev batch leaves, file by file.
func TestRunIsLikeBatch(t *testing.T) {
	folder := manifestWith(t, 2)
	files := []string{"--html", "--dot", "--trace"}
	want := batchOf(t, folder, files...)
	clusterIn(t, folder, 0, append([]string{"run", "m.yaml", "-o", "results", "--quiet", "--fail-on", "none"}, files...)...)
	sameContents(t, contents(t, filepath.Join(folder, "results")), want)
}

// TestGate: the exit code is that of inev batch, and so is what is said.
func TestGate(t *testing.T) {
	folder := manifestWith(t, 1)
	out, _ := clusterIn(t, folder, exitFailed, "run", "--quiet", "m.yaml", "-o", "results")
	if !strings.Contains(out, "Failing (--fail-on unexpected):") || !strings.Contains(out, "More in results/index.html") {
		t.Error(out)
	}
	_, stderr := clusterIn(t, folder, exitFailed, "run", "--quiet", "m.yaml", "-o", "results")
	if want := "inev-cluster: results: holds results already; go on with them by --resume"; !strings.HasPrefix(stderr, want) {
		t.Errorf("%q, want %q", stderr, want)
	}
	out, stderr = clusterIn(t, folder, 0, "run", "m.yaml", "-o", "results", "--resume", "--fail-on", "none")
	if !strings.Contains(out, "of them as in an earlier run") || !strings.Contains(stderr, "others on this machine can join: inev-cluster work --nats nats://") {
		t.Errorf("%s\n%s", out, stderr)
	}
}

// TestDocumentNamesRealFlags: the commands of modules/cluster/README.md are such as the program takes.
func TestDocumentNamesRealFlags(t *testing.T) {
	text := document(t)
	known := map[string]bool{"--shard": true} // of inev batch
	for _, command := range (&program{}).app().Commands {
		for _, f := range command.Flags {
			known["-"+f.Names()[0]], known["--"+f.Names()[0]] = true, true
		}
	}
	looked := 0
	for _, line := range strings.Split(text, "\n") {
		if strings.Contains(line, "openssl") || strings.Contains(line, "kubectl") || strings.HasPrefix(line, "  -") {
			continue
		}
		for _, flag := range regexp.MustCompile(`--[a-z][a-z-]*`).FindAllString(line, -1) {
			looked++
			if !known[flag] {
				t.Errorf("inev-cluster has no %s: %s", flag, line)
			}
		}
	}
	if looked < 20 {
		t.Errorf("%d flags only", looked)
	}
}

// document returns what modules/cluster/README.md says.
func document(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "modules", "cluster", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
