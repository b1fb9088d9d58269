package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/testing/golden"
	"github.com/inev-lts/inev/internal/testing/packages"
)

// copied returns a root with what the command reads, as it is in this project.
func copied(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for _, name := range []string{packages.File, "doc.go", "docs/architecture.md", ".ci/run", "go.mod"} {
		text, err := os.ReadFile(filepath.Join("..", "..", name))
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func read(t *testing.T, root, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestNewPackage(t *testing.T) {
	root := copied(t)
	var said strings.Builder
	arguments := []string{"-is", "models as lines, each a transition", "-keeps", "a line is a transition", "-imports", "aut lts lts/scc", "-races", "all", "format/edges"}
	if err := run(arguments, root, &said); err != nil {
		t.Fatal(err)
	}
	folders, err := packages.Parse([]byte(read(t, root, packages.File)))
	if err != nil {
		t.Fatal(err)
	}
	row, listed := packages.Find(folders, "format/edges")
	if !listed || row.Keeps != "a line is a transition" || row.Imports != "aut lts lts/scc" || row.Races != "all" {
		t.Errorf("the row is %+v", row)
	}
	for name, want := range map[string]string{
		"format/edges/edges.go":        "// Package edges: models as lines, each a transition.\n//\n// A line is a transition.\npackage edges\n",
		"format/edges/example_test.go": "func Example()",
		"doc.go":                       "format/edges]: models as lines, each a transition\n",
		"docs/architecture.md":         "`edges`",
		".ci/run":                      " ./format/edges",
		packages.File:                  "name: format\n      is: \"opens models",
	} {
		if text := read(t, root, name); !strings.Contains(text, want) {
			t.Errorf("%s has no %q:\n%s", name, want, text)
		}
	}
	if !strings.Contains(said.String(), "Write the example of format/edges") {
		t.Errorf("it says\n%s", &said)
	}
	for _, arguments := range [][]string{{"vet", "./format/edges"}, {"test", "./format/edges"}} {
		command := golden.Command(t, "go", arguments...)
		command.Dir = root
		if out, err := command.CombinedOutput(); err != nil {
			t.Errorf("go %v: %v\n%s", arguments, err, out)
		}
	}
}

func TestNewPackageRefuses(t *testing.T) {
	root := copied(t)
	if err := os.MkdirAll(filepath.Join(root, "format", "old"), 0o755); err != nil {
		t.Fatal(err)
	}
	known := []string{"-is", "x", "-keeps", "y"}
	for want, arguments := range map[string][]string{
		"give one package":    {},
		"small letters":       append(known, "format/Edges"),
		"give -is and -keeps": {"-is", "x", "format/edges"},
		"there already":       append(known, "format/old"),
		"has no folder edges": append(known, "edges"),
		"has no packages":     append(known, "tools/edges"),
		"report, which it imports, does not stand above it":      append(known, "-imports", "report", "format/edges"),
		"it needs a sentence":                                    {"-is", "x | y", "-keeps", "y", "format/edges"},
		"format/nowhere, which it imports, does not stand above": append(known, "-imports", "format/nowhere", "format/edges"),
	} {
		before := read(t, root, packages.File)
		if err := run(arguments, root, io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %s", arguments, err, want)
		}
		if _, err := os.Stat(filepath.Join(root, "format", "edges")); err == nil || read(t, root, packages.File) != before {
			t.Fatalf("%v: something was written", arguments)
		}
	}
}
