package house

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/testing/golden"
)

// outside is a program of another module, by the four packages that doc.go names first.
const outside = `package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/format"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/report"
)

func run() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	m, warnings, err := format.Open(ctx, os.Args[1], format.Options{})
	if err != nil {
		return err
	}
	f, err := formula.Parse(ctx, "Inev(PUT)")
	if err != nil {
		return err
	}
	e, err := explain.Explain(ctx, m.LTS, f, explain.Options{Source: explain.Source{File: "model.aut", Warnings: warnings}})
	if err != nil {
		return err
	}
	w, err := report.New("json", report.Options{})
	if err != nil {
		return err
	}
	if err := w.Explanation(os.Stderr, e); err != nil {
		return err
	}
	fmt.Print(e.Verdict, ", ", e.Counterexample.Length)
	return nil
}

func main() {
	if err := run(); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}
`

// TestProgramOfAnotherModule builds and runs a program that has this module as a dependency.
func TestProgramOfAnotherModule(t *testing.T) {
	if os.Getenv("CI") != "true" {
		t.Skip("links a program; CI=true runs it")
	}
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	own, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`(?m)^go .*$`).FindString(string(own))
	// In a workspace, what other tests have compiled is not compiled again for another main module.
	for name, text := range map[string]string{
		"main.go": outside, "round_test.go": outsideTest, "documents/documents_test.go": goInDocuments(t),
		"go.mod":  "module example.org/outside\n\n" + version + "\n",
		"go.work": version + "\n\nuse (\n\t.\n\t" + strconv.Quote(root) + "\n)\n",
	} {
		file := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	program := golden.Command(t, "go", "run", ".", filepath.Join(root, "examples", "abp", "abp.aut"))
	program.Dir = folder
	said, err := program.Output()
	if err != nil || string(said) != "violated, 5" {
		t.Errorf("it says %q: %v", said, err)
		if failed, is := err.(*exec.ExitError); is {
			t.Errorf("%s", failed.Stderr)
		}
	}
	test := runIn(golden.Command(t, "go", "test", "."), folder)
	test.Env = append(test.Environ(), "TMPDIR="+t.TempDir())
	said, err = test.CombinedOutput()
	const want = "the program violates Inev(tick): tick is possible in the only state of the"
	if err == nil || !strings.Contains(string(said), "--- FAIL: TestRound") || !strings.Contains(string(said), want) {
		t.Errorf("the test says %s: %v", said, err)
	}
	page := regexp.MustCompile(`The page to walk through it: (\S+)`).FindSubmatch(said)
	if page == nil {
		t.Fatalf("the test names no page: %s", said)
	}
	if _, err := os.Stat(string(page[1])); err != nil {
		t.Errorf("the page is gone when the test has ended: %v", err)
	}
	if vet, err := runIn(golden.Command(t, "go", "vet", "./..."), folder).CombinedOutput(); err != nil {
		t.Errorf("go vet: %v\n%s", err, vet)
	}
}

// goInDocuments returns a file with the Go of the documents: README's function, and the test of inevtest.
func goInDocuments(t *testing.T) string {
	t.Helper()
	part := func(file, pattern string) string {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		found := regexp.MustCompile(pattern).FindSubmatch(text)
		if found == nil {
			t.Fatalf("%s has no Go", file)
		}
		return string(found[1])
	}
	return `package documents

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/format"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/inevtest"
	"github.com/inev-lts/inev/report"
)

` + part("README.md", "(?s)```go\n(.*?)```") + "\n" +
		part(filepath.Join("inevtest", "README.md"), `(?m)^((?:    type client struct.*\n)(?:(?:    .*)?\n)+)`)
}

// runIn returns a command that runs in a folder.
func runIn(command *exec.Cmd, folder string) *exec.Cmd {
	command.Dir = folder
	return command
}

// outsideTest is a test of another module, of a model that it explores: it fails.
const outsideTest = `package main

import (
	"testing"

	"github.com/inev-lts/inev/inevtest"
)

func TestRound(t *testing.T) {
	m := inevtest.Explore(t, 0, func(n int) []inevtest.Step[int] {
		return []inevtest.Step[int]{inevtest.To("tick", (n+1)%3), inevtest.To("stop", n)}
	})
	inevtest.Holds(t, m, "Inev({tick, stop})")
	inevtest.Holds(t, m, "Inev(tick)")
}
`
