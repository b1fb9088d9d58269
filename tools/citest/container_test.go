package citest

import (
	"bytes"
	"debug/elf"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/testing/golden"
)

// instruction is one of a Dockerfile.
type instruction struct{ name, arguments string }

// dockerfile reads the instructions of the Dockerfile.
func dockerfile(t *testing.T) []instruction {
	t.Helper()
	var all []instruction
	text := regexp.MustCompile(`(?m)^#.*\n`).ReplaceAllString(read(t, top+"/Dockerfile"), "")
	text = regexp.MustCompile(`\\\n\s*`).ReplaceAllString(text, "")
	for _, line := range strings.Split(text, "\n") {
		if line == "" {
			continue
		}
		name, arguments, _ := strings.Cut(line, " ")
		all = append(all, instruction{name, arguments})
	}
	return all
}

// TestDockerfile: what is built is small, of fixed versions, and runs as nobody.
func TestDockerfile(t *testing.T) {
	known := []string{"FROM", "WORKDIR", "COPY", "RUN", "ARG", "LABEL", "USER", "ENTRYPOINT", "CMD"}
	var stages []map[string][]string
	for _, i := range dockerfile(t) {
		if !slices.Contains(known, i.name) {
			t.Fatalf("unknown instruction %s %s", i.name, i.arguments)
		}
		if i.name == "FROM" {
			stages = append(stages, map[string][]string{})
		}
		if len(stages) == 0 {
			t.Fatalf("%s stands before FROM", i.name)
		}
		stage := stages[len(stages)-1]
		stage[i.name] = append(stage[i.name], i.arguments)
	}
	if len(stages) != 2 {
		t.Fatalf("%d stages", len(stages))
	}
	build, image := stages[0], stages[1]
	from := regexp.MustCompile(`^--platform=\$BUILDPLATFORM golang:1\.([0-9]+)\.[0-9]+@sha256:[0-9a-f]{64} AS build$`).FindStringSubmatch(build["FROM"][0])
	asked := regexp.MustCompile(`(?m)^go 1\.([0-9]+)`).FindStringSubmatch(read(t, top+"/go.mod"))
	if from == nil || from[1] < asked[1] {
		t.Errorf("built by %s, go.mod asks for Go %s", build["FROM"], asked)
	}
	for name, want := range map[string]string{
		"FROM": "scratch", "WORKDIR": "/work", "ENTRYPOINT": `["/usr/local/bin/inev"]`, "CMD": `["--help"]`, "ARG": "VERSION",
	} {
		if !slices.Equal(image[name], []string{want}) {
			t.Errorf("%s is %q, want %q", name, image[name], want)
		}
	}
	if user := image["USER"]; len(user) != 1 || !regexp.MustCompile(`^[1-9][0-9]*:[1-9][0-9]*$`).MatchString(user[0]) {
		t.Errorf("runs as %q", user)
	}
	for _, i := range []string{"ENTRYPOINT", "CMD"} {
		if err := json.Unmarshal([]byte(image[i][0]), new([]string)); err != nil {
			t.Errorf("%s needs a shell: %v", i, err)
		}
	}
	for _, label := range []string{"title", "description", "source", "documentation", "licenses", "version"} {
		if !strings.Contains(strings.Join(image["LABEL"], " "), "org.opencontainers.image."+label+"=") {
			t.Errorf("there is no label %s", label)
		}
	}
}

// TestImage builds as the Dockerfile says, from what Docker would see, and runs the
// program where there is nothing else.
func TestImage(t *testing.T) {
	if os.Getenv("CI") != "true" {
		t.Skip("builds inev anew, which .ci/run asks for")
	}
	context, out := t.TempDir(), t.TempDir()
	copyContext(t, context)
	for _, i := range dockerfile(t) {
		if i.name == "RUN" && strings.Contains(i.arguments, "go build") {
			command := strings.ReplaceAll(i.arguments, "/out/inev", filepath.Join(out, "inev"))
			build := golden.Command(t, "sh", "-c", command)
			build.Dir = context
			build.Env = append(os.Environ(), "TARGETOS="+runtime.GOOS, "TARGETARCH="+runtime.GOARCH, "VERSION=v1.2.3-test")
			if said, err := build.CombinedOutput(); err != nil {
				t.Fatalf("%s: %v\n%s", command, err, said)
			}
		}
		if source, is := strings.CutPrefix(i.arguments, "--from=build /src/"); is {
			for _, file := range strings.Fields(source)[:strings.Count(source, " ")] {
				if _, err := os.Stat(filepath.Join(context, strings.TrimPrefix(file, "/src/"))); err != nil {
					t.Errorf("the image is to have %s: %v", file, err)
				}
			}
		}
	}
	if runtime.GOOS == "linux" {
		if program, err := elf.Open(filepath.Join(out, "inev")); err != nil {
			t.Error(err)
		} else if libraries, err := program.ImportedLibraries(); err != nil || len(libraries) > 0 || program.Section(".interp") != nil {
			t.Errorf("the program needs %q of the system: %v", libraries, err)
		}
	}
	model := strings.NewReader(read(t, top+"/examples/figure2/figure2.aut"))
	for _, call := range []struct {
		args  []string
		input io.Reader
		want  string
	}{
		{[]string{"--version"}, nil, "inev v1.2.3-test (go"},
		{[]string{"info", "-"}, model, "states"},
	} {
		run := alone(t, out, call.args)
		run.Stdin = call.input
		said, err := run.CombinedOutput()
		if err != nil || !strings.Contains(string(said), call.want) {
			t.Errorf("%q: %v\n%s", call.args, err, said)
		}
	}
}

// copyContext copies what .dockerignore leaves of the module's files.
func copyContext(t *testing.T, to string) {
	t.Helper()
	ignored := dockerignore(t)
	err := filepath.WalkDir(top, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(top, file)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		switch {
		case name == ".":
			return nil
		case entry.IsDir() && ignored(name):
			return fs.SkipDir
		case entry.IsDir():
			return os.MkdirAll(filepath.Join(to, name), 0o755)
		case ignored(name) || !entry.Type().IsRegular():
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, name), text, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// dockerignore tells which files are ignored, by the few kinds of patterns that are
// in use: a path, a name in any folder, and an exception.
func dockerignore(t *testing.T) func(name string) bool {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(read(t, top+"/.dockerignore")), "\n")
	return func(name string) bool {
		ignored := false
		for _, line := range lines {
			pattern, exception := strings.CutPrefix(line, "!")
			subject := name
			if rest, anywhere := strings.CutPrefix(pattern, "**/"); anywhere {
				pattern, subject = rest, path.Base(name)
			}
			fits, err := path.Match(pattern, subject)
			if err != nil {
				t.Error(err)
			}
			if fits {
				ignored = !exception
			}
		}
		return ignored
	}
}

// TestContextIsSmall: what nobody builds from is left out.
func TestContextIsSmall(t *testing.T) {
	context := t.TempDir()
	copyContext(t, context)
	var unneeded bytes.Buffer
	err := fs.WalkDir(os.DirFS(context), ".", func(name string, entry fs.DirEntry, err error) error {
		if strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, ".git/") || path.Base(name) == "testdata" {
			unneeded.WriteString(name + "\n")
		}
		return err
	})
	if err != nil || unneeded.Len() > 0 {
		t.Errorf("%v\n%s", err, unneeded.String())
	}
}
