package citest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/inev-lts/inev/internal/testing/golden"
	buildcommand "github.com/inev-lts/inev/tools/build"
)

// top is the folder of the module.
const top = "../.."

// built is the folder with the program, as releases have it: its templates call no methods.
var built string

// host is the address that stands in for https://github.com, and has a release of inev.
var host string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		folder, err := os.MkdirTemp("", "citest")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(folder)
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
		defer cancel()
		overlay, err := buildcommand.Templates(ctx, folder)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		build := exec.CommandContext(ctx, "go", "build", "-overlay", overlay, "-o", filepath.Join(folder, "inev"), "./cmd/inev")
		build.Dir = top
		if out, err := build.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, out)
			return 1
		}
		built = folder
		if err := publish(ctx, filepath.Join(folder, "site")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		site := httptest.NewServer(http.FileServer(http.Dir(filepath.Join(folder, "site"))))
		defer site.Close()
		host = site.URL
		return m.Run()
	}())
}

// machine is what a job of a CI server runs on: it has a shell, Go, and nothing of
// inev until that is installed.
type machine struct {
	t *testing.T
	// work is the working copy of a project.
	work string
	// tools holds the stand-ins, installed what go install has put there.
	tools, installed string
	// added is a file with the folders that steps have added to PATH, a line each.
	added string
	env   []string
}

// newMachine returns a machine with nothing on it.
func newMachine(t *testing.T) *machine {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the workflows are for a POSIX shell")
	}
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash, which CI servers run commands by, is not installed")
	}
	m := &machine{t: t, work: t.TempDir(), tools: t.TempDir(), installed: t.TempDir()}
	scratch := t.TempDir()
	m.added = filepath.Join(scratch, "added")
	m.env = []string{"RUNNER_TEMP=" + scratch, "GITHUB_PATH=" + m.added}
	m.standIn("go", `case "$*" in
"-C inev install ./cmd/inev" | "-C /action install -ldflags -X main.release=v`+pretended+` ./cmd/inev") ;;
*) echo "go $*" >&2; exit 64 ;;
esac
cp "`+built+`/inev" "`+m.installed+`/inev"`)
	m.standIn("curl", download)
	return m
}

// download is a script in the place of curl, which asks the host that stands in for GitHub, and no other.
var download = `for word; do
	case $word in
	https://github.com/*) word=$CITEST_HOST/${word#https://github.com/} ;;
	http*) echo "curl: $word" >&2; exit 6 ;;
	esac
	set -- "$@" "$word"
	shift
done
PATH=$CITEST_PATH exec curl "$@"`

// install puts inev on the machine.
func (m *machine) install() {
	m.t.Helper()
	if out, code := m.run("-e", "go -C inev install ./cmd/inev"); code != 0 {
		m.t.Fatal(out)
	}
}

// standIn puts a shell script in the place of a tool.
func (m *machine) standIn(tool, script string) {
	m.t.Helper()
	if err := os.WriteFile(filepath.Join(m.tools, tool), []byte("#!/bin/sh\nset -e\n"+script+"\n"), 0o755); err != nil {
		m.t.Fatal(err)
	}
}

// run runs a script by bash, with options, and returns what it writes and its exit
// code.
func (m *machine) run(options, script string, env ...string) (output string, code int) {
	m.t.Helper()
	shell := golden.Command(m.t, "bash", "--noprofile", "--norc", options, "-c", script)
	shell.Dir = m.work
	shell.Env = append(os.Environ(), "PATH="+strings.Join(m.folders(), string(os.PathListSeparator)), "NO_COLOR=1",
		"CITEST_HOST="+host, "CITEST_PATH="+os.Getenv("PATH"))
	shell.Env = append(append(shell.Env, m.env...), env...)
	var out bytes.Buffer
	shell.Stdout, shell.Stderr = &out, &out
	err := shell.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		m.t.Fatal(err)
	}
	return out.String(), shell.ProcessState.ExitCode()
}

// folders returns the folders in which programs are looked for.
func (m *machine) folders() []string {
	m.t.Helper()
	added, err := os.ReadFile(m.added)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		m.t.Fatal(err)
	}
	return append(append([]string{m.tools}, strings.Fields(string(added))...), m.installed, os.Getenv("PATH"))
}

func (m *machine) path(name string) string { return filepath.Join(m.work, filepath.FromSlash(name)) }

// take returns a copy of a file or folder of the working copy, which keeps its path
// in it; nil if it is not there.
func (m *machine) take(name string) fs.FS {
	m.t.Helper()
	name = strings.TrimSuffix(name, "/")
	if _, err := os.Stat(m.path(name)); err != nil {
		return nil
	}
	folder := m.t.TempDir()
	copied := golden.Command(m.t, "cp", "-R", m.path(name), folder)
	if out, err := copied.CombinedOutput(); err != nil {
		m.t.Fatalf("%v\n%s", err, out)
	}
	return os.DirFS(folder)
}

// put copies files into a folder of the working copy.
func (m *machine) put(name string, files fs.FS) {
	m.t.Helper()
	if err := os.CopyFS(m.path(name), files); err != nil {
		m.t.Fatal(err)
	}
}

// examples is the project that the workflows are tried on: models, formulas and the
// manifest inev.yaml.
func examples() fs.FS { return project{os.DirFS(filepath.Join(top, "examples"))} }

type project struct{ fs.FS }

func (p project) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(p.FS, name)
	var kept []fs.DirEntry
	for _, e := range entries {
		switch filepath.Ext(e.Name()) {
		case ".aut", ".inev", ".yaml":
			kept = append(kept, e)
		default:
			if e.IsDir() {
				kept = append(kept, e)
			}
		}
	}
	return kept, err
}

// worse is the project after a change by which a property fails that held.
func worse(t *testing.T) fs.FS { return changed(t, `"RECEIVE !0 !2"`, `"START !2"`) }

// changed is the project after the first occurrence of a text in the manifest became
// another one.
func changed(t *testing.T, old, other string) fs.FS {
	t.Helper()
	folder := t.TempDir()
	if err := os.CopyFS(folder, examples()); err != nil {
		t.Fatal(err)
	}
	manifest := filepath.Join(folder, "inev.yaml")
	before := read(t, manifest)
	if !strings.Contains(before, old) {
		t.Fatalf("the manifest does not say %s", old)
	}
	if err := os.WriteFile(manifest, []byte(strings.Replace(before, old, other, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	return os.DirFS(folder)
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func readIn(t *testing.T, files fs.FS, name string) string {
	t.Helper()
	if files == nil {
		t.Fatalf("%s: there are no files", name)
	}
	text, err := fs.ReadFile(files, name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
