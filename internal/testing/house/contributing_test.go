package house

import (
	"bytes"
	"encoding/json"
	"go/format"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/testing/golden"
	"github.com/inev-lts/inev/internal/testing/packages"
)

// piece is a block of code in CONTRIBUTING.md.
type piece struct{ language, text string }

func pieces(t *testing.T) []piece {
	t.Helper()
	text, err := os.ReadFile("CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	var all []piece
	for _, block := range regexp.MustCompile("(?ms)^```([a-z]+)\n(.*?)^```$").FindAllStringSubmatch(string(text), -1) {
		all = append(all, piece{block[1], block[2]})
	}
	return all
}

// worked returns the files of the project as the worked changes leave them, as far as
// these change or add them, by their names.
func worked(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, p := range pieces(t) {
		first, rest, _ := strings.Cut(p.text, "\n")
		switch p.language {
		case "go":
			work(t, files, strings.TrimPrefix(first, "// "), rest)
		case "diff":
			patch(t, files, strings.TrimPrefix(first, "--- "), rest)
		}
	}
	return files
}

// work takes in a piece of Go: an excerpt of a file, or a new one.
func work(t *testing.T, files map[string]string, name, code string) {
	t.Helper()
	source, err := os.ReadFile(name)
	switch {
	case err != nil:
		formatted, err := format.Source([]byte(code))
		if err != nil || string(formatted) != code {
			t.Errorf("%s is not as gofmt has it (%v)", name, err)
		}
		files[name] = code
	case !strings.Contains(string(source), code):
		t.Errorf("%s does not have, or has no more,\n%s", name, code)
	}
}

// patch takes in a difference: lines that are in a file, once, and what becomes of them.
// Whoever makes the change in the sources has them there already.
func patch(t *testing.T, files map[string]string, name, difference string) {
	t.Helper()
	if files[name] == "" {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(source)
	}
	var before, after []string
	for _, line := range strings.Split(strings.TrimSuffix(difference, "\n"), "\n") {
		if line[0] != '+' {
			before = append(before, line[1:])
		}
		if line[0] != '-' {
			after = append(after, line[1:])
		}
	}
	lines := strings.Split(files[name], "\n")
	if len(found(lines, after)) == 1 {
		return
	}
	at := found(lines, before)
	if len(at) != 1 {
		t.Errorf("%s has %d times, not once,\n%s", name, len(at), strings.Join(before, "\n"))
		return
	}
	files[name] = strings.Join(slices.Replace(lines, at[0], at[0]+len(before), after...), "\n")
}

// found returns where some lines stand among others, whatever blanks they are aligned with.
func found(lines, wanted []string) (at []int) {
	same := func(a, b string) bool { return slices.Equal(strings.Fields(a), strings.Fields(b)) }
	for i := range max(0, len(lines)-len(wanted)+1) {
		if slices.EqualFunc(lines[i:i+len(wanted)], wanted, same) {
			at = append(at, i)
		}
	}
	return at
}

// inFolder finds the folder in which a go command works.
var inFolder = regexp.MustCompile(`go -C (\S+)`)

// TestContributingIsTrue: the excerpts are in the sources, the differences fit them, and
// what the commands name is there.
func TestContributingIsTrue(t *testing.T) {
	if _, err := packages.Parse([]byte(worked(t)[packages.File])); err != nil {
		t.Error(err)
	}
	for _, p := range pieces(t) {
		if p.language != "sh" {
			continue
		}
		for _, line := range strings.Split(p.text, "\n") {
			folder := "."
			if elsewhere := inFolder.FindStringSubmatch(line); elsewhere != nil {
				folder = elsewhere[1]
			}
			for _, word := range strings.Fields(line) {
				name := filepath.Join(folder, strings.TrimSuffix(word, "/..."))
				if _, err := os.Stat(name); err != nil && (strings.HasPrefix(word, "./") || strings.HasPrefix(word, ".ci/")) {
					t.Errorf("%s: %v", word, err)
				}
			}
		}
	}
}

// TestWorkedChangesNameEveryList: as the worked changes leave the project, each list has what
// they add.
func TestWorkedChangesNameEveryList(t *testing.T) {
	files := tree(worked(t))
	files.checkSchemas(t)
	files.checkPatterns(t)
}

// TestWorkedChangesWork makes the changes of CONTRIBUTING.md, beside the sources, and runs
// their tests. It links the packages anew.
func TestWorkedChangesWork(t *testing.T) {
	if os.Getenv("CI") != "true" {
		t.Skip("links packages anew; CI=true runs it")
	}
	root, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for name, text := range worked(t) {
		written := filepath.Join(folder, strings.ReplaceAll(name, "/", "_"))
		if err := os.WriteFile(written, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		overlay.Replace[filepath.Join(root, filepath.FromSlash(name))] = written
	}
	list, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(folder, "overlay.json")
	if err := os.WriteFile(file, list, 0o666); err != nil {
		t.Fatal(err)
	}
	build := func(command string, arguments ...string) {
		t.Helper()
		// Nobody debugs these programs, and half the time of the linker is spent for debuggers.
		arguments = append([]string{command, "-ldflags=-s -w", "-overlay", file}, arguments...)
		if out, err := golden.Command(t, "go", arguments...).CombinedOutput(); err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(arguments, " "), err, out)
		}
	}
	for name, tests := range map[string][]string{
		"internal/diagram/draw": {"ExampleEdges"}, "format/internal/edges": {"ExampleRead"}, "property": {"TestPersists", "TestEveryPatternHasRoles"},
		"batch": {"TestDistinctLabels"}, "actl": {"TestPatternsPrintAndParse", "TestPatternsAreTheirModalFormulas"}, "internal/formula/ltl": {"TestPatternsAreTheirLTL"},
	} {
		binary := filepath.Join(folder, path.Base(name)+".test")
		build("test", "-c", "-vet", "off", "-o", binary, "./"+name)
		for _, test := range tests {
			run := golden.Command(t, binary, "-test.v", "-test.short", "-test.run", "^"+test+"$")
			if out, err := run.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: "+test) {
				t.Errorf("%s: %v\n%s", test, err, out)
			}
		}
	}
	build("build", "-o", filepath.Join(folder, "inev"), "./cmd/inev")
	model := filepath.Join(folder, "service")
	if err := os.WriteFile(model, []byte("# edges\n0 REQ 1\n1 ACK 2\n1 DROP 3\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	got := output(t, folder, folder, "inev diagram service 'Inev(REQ, ACK)' -o out.csv >/dev/null && cat out.csv")
	if want := "0,REQ,1,neutral,0\n1,ACK,2,correct,0\n1,DROP,3,incorrect,0\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	got = output(t, folder, folder, "inev check service 'Persists(REQ)'")
	if !strings.Contains(got, "satisfies Persists(REQ)") {
		t.Errorf("got\n%s", got)
	}
}

// output runs a command line and returns what it writes.
func output(t *testing.T, bin, folder, command string) string {
	t.Helper()
	shell := golden.Command(t, "sh", "-c", command)
	shell.Dir = folder
	shell.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "NO_COLOR=1")
	var out bytes.Buffer
	shell.Stdout, shell.Stderr = &out, &out
	err := shell.Run()
	if exit, is := err.(*exec.ExitError); err != nil && (!is || exit.ExitCode() > 1) {
		t.Errorf("%s: %v\n%s", command, err, out.String())
	}
	return out.String()
}
