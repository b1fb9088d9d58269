package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/testing/golden"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
)

// root is the folder of the module, from here.
var root = filepath.Join("..", "..")

// TestDocumentsShowRealOutput runs the examples in the documents: in a block
// marked console, each line that begins with "$ " is run by a shell in a copy of
// the folder examples, and what follows it is its output. Without CI these are the
// documents that newcomers read.
func TestDocumentsShowRealOutput(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the examples are written for a POSIX shell")
	}
	goTo(t, root)
	documents, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	research, err := filepath.Glob("docs/research/*.md")
	if err != nil {
		t.Fatal(err)
	}
	documents = append(documents, research...)
	if !randomlts.Whole() {
		documents = []string{"docs/tour.md"}
	}
	run := 0
	for _, document := range append(documents, "README.md", "CONTRIBUTING.md") {
		text, err := os.ReadFile(document)
		if err != nil {
			t.Fatal(err)
		}
		examples := t.TempDir()
		if err := os.CopyFS(examples, modelFiles{os.DirFS("examples")}); err != nil {
			t.Fatal(err)
		}
		real := withRealOutput(t, string(text), func(command string) string {
			run++
			return output(t, examples, command)
		})
		golden.Check(t, document, []byte(real))
	}
	if run == 0 {
		t.Error("no document has an example")
	}
}

// TestFirstCommandOfReadme runs the main job as README gives it for a fresh clone.
func TestFirstCommandOfReadme(t *testing.T) {
	goTo(t, root)
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(readme), "\n") {
		if strings.HasPrefix(line, "go run ./cmd/inev explain ") {
			inev := strings.Replace(line, "go run ./cmd/inev", "inev", 1)
			if out := output(t, ".", inev); !strings.Contains(out, " violates ") || !strings.Contains(out, "\nDecision\n") {
				t.Errorf("%s\n%s", line, out)
			}
			return
		}
	}
	t.Error("README has no such command")
}

// modelFiles are the files of the examples that a user works on.
type modelFiles struct{ fs.FS }

func (f modelFiles) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(f.FS, name)
	var models []fs.DirEntry
	for _, e := range entries {
		if suffix := filepath.Ext(e.Name()); e.IsDir() || slices.Contains([]string{".aut", ".inev", ".mcl", ".pml", ".yaml", ".dot", ".json", ".tsv", ".tla", ".cfg"}, suffix) {
			models = append(models, e)
		}
	}
	return models, err
}

// output runs a command line and returns what it writes.
func output(t *testing.T, folder, command string) string {
	t.Helper()
	shell := golden.Command(t, "sh", "-c", command)
	shell.Dir = folder
	shell.Env = append(os.Environ(), "NO_COLOR=1")
	var out bytes.Buffer
	shell.Stdout, shell.Stderr = &out, &out
	err := shell.Run()
	if exit, is := err.(*exec.ExitError); err != nil && (!is || exit.ExitCode() > 1) {
		t.Errorf("%s: %v\n%s", command, err, out.String())
	}
	return out.String()
}

// withRealOutput returns a document in which the examples have the output that
// their commands have now.
func withRealOutput(t *testing.T, text string, run func(command string) string) string {
	t.Helper()
	var b strings.Builder
	inExample := false
	for _, line := range strings.SplitAfter(text, "\n") {
		command, is := strings.CutPrefix(strings.TrimRight(line, "\n"), "$ ")
		switch {
		case line == "```console\n":
			inExample = true
			b.WriteString(line)
		case inExample && line == "```\n":
			inExample = false
			b.WriteString(line)
		case inExample && is:
			fmt.Fprintf(&b, "$ %s\n%s", command, run(command))
		case !inExample:
			b.WriteString(line)
		}
	}
	if inExample {
		t.Error("an example is not closed")
	}
	return b.String()
}
