package main

import (
	"bytes"
	"flag"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/counterexample/buchi"
	"github.com/inev-lts/inev/internal/diagram/draw"
	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/internal/options"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood"
)

func emptyContext() *cli.Context {
	return cli.NewContext(cli.NewApp(), flag.NewFlagSet("", flag.ContinueOnError), nil)
}

// inModels calls test in a new folder that holds the model of the quick start and
// an automaton.
func inModels(t *testing.T) {
	t.Helper()
	models := os.DirFS(filepath.Join("testdata", "models"))
	folder := t.TempDir()
	if err := os.CopyFS(folder, models); err != nil {
		t.Fatal(err)
	}
	goTo(t, folder)
}

// goTo makes a folder that of the process, until the end of the test.
func goTo(t *testing.T, folder string) {
	t.Helper()
	before, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chdir(folder); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.Chdir(before); err != nil {
			t.Error(err)
		}
	})
}

// words divides a command line as a shell does that knows single quotes only.
func words(line string) []string {
	var found []string
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			found = append(found, part)
		} else {
			found = append(found, strings.Fields(part)...)
		}
	}
	return found
}

// examplesIn returns the command lines of a help page that begin with inev.
func examplesIn(page, heading string) []string {
	_, after, _ := strings.Cut(page, "\n"+heading)
	section, _, _ := strings.Cut(after, "\n\n")
	var examples []string
	for _, line := range strings.Split(section, "\n") {
		if line := strings.TrimSpace(line); strings.HasPrefix(line, "inev ") {
			examples = append(examples, line)
		}
	}
	return examples
}

func TestExamplesInHelpRun(t *testing.T) {
	pages := map[string][]string{}
	for _, command := range (&program{}).app().Commands {
		_, page, _ := called(nil, "help", "--all", command.Name)
		pages[command.Name] = examplesIn(page, "Examples")
		if len(pages[command.Name]) == 0 {
			t.Errorf("the help of %s has no example", command.Name)
		}
	}
	_, overview, _ := called(nil, "--help")
	pages["inev"] = examplesIn(overview, "Quick start")
	if len(pages["inev"]) != 2 {
		t.Errorf("the quick start has the calls %q", pages["inev"])
	}
	inModels(t)
	for _, shard := range []string{"1", "2"} {
		// What the examples of merge join; they write to the folder of those of batch.
		called(nil, "batch", "m.yaml", "-o", "shard"+shard, "--shard", shard+"/2")
	}
	for name, examples := range pages {
		for _, example := range examples {
			example, log, _ := strings.Cut(example, " < ")
			args := words(example)[1:]
			if name == "serve" { // nobody asks it
				args = append(args, "--idle=1ms", "--quiet")
			}
			if name != "inev" && args[0] != name {
				t.Errorf("example of %s: %s", name, example)
			}
			if name == "batch" || name == "merge" {
				args = append(args, "--quiet")
				if !slices.Contains(args, "--resume") {
					args = append(args, "--force")
				}
			}
			code, stdout, stderr := called(content(t, log), args...)
			// That of a batch is a folder.
			file := slices.Contains(args, "-o") && name != "batch" && name != "merge"
			if code > exitViolated || stderr != "" || (stdout == "") != file {
				t.Errorf("%s: code %d, output %q, errors %q", example, code, stdout, stderr)
			}
		}
	}
}

// content is that of a file, as standard input; nil of none.
func content(t *testing.T, file string) io.Reader {
	t.Helper()
	if file == "" {
		return nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.NewReader(text)
}

// TestQuickStartMakesTheModel: the first line of the quick start writes the file
// that the examples read.
func TestQuickStartMakesTheModel(t *testing.T) {
	model, err := os.ReadFile("testdata/models/m.aut")
	if err != nil {
		t.Fatal(err)
	}
	_, overview, _ := called(nil, "--help")
	line := "  printf '" + strings.ReplaceAll(string(model), "\n", `\n`) + "' > m.aut\n"
	if !strings.Contains(overview, line) {
		t.Errorf("the quick start lacks %s", line)
	}
}

// TestHelpFitsTheScreen: and, with --all, says something about every flag.
func TestHelpFitsTheScreen(t *testing.T) {
	_, overview, _ := called(nil, "help")
	checkWidth(t, "inev", overview)
	for _, command := range (&program{}).app().Commands {
		_, page, _ := called(nil, "help", command.Name)
		checkWidth(t, command.Name, page)
		_, page, _ = called(nil, command.Name, "--help", "--all")
		checkWidth(t, command.Name, page)
		for _, f := range command.Flags {
			if !strings.Contains(page, "  "+dashed(f.Names()[0])) {
				t.Errorf("the help of %s does not list %s", command.Name, f.Names()[0])
			}
		}
	}
}

func checkWidth(t *testing.T, name, page string) {
	t.Helper()
	for _, line := range strings.Split(page, "\n") {
		if utf8.RuneCountInString(line) > helpWidth {
			t.Errorf("%s: more than %d columns: %s", name, helpWidth, line)
		}
	}
}

// TestFlagsMeanTheSameEverywhere: so that nobody has to think about the command; but
// the names of a batch's files are not for the user to choose, and the labels that inev
// repair counts are not those that inev generate makes.
func TestFlagsMeanTheSameEverywhere(t *testing.T) {
	takes := map[string]bool{}
	seen := map[string]bool{}
	for _, command := range (&program{}).app().Commands {
		for _, f := range command.Flags {
			name := f.Names()[0]
			if command.Name == "batch" && slices.Contains([]string{"html", "svg", "dot", "trace"}, name) {
				continue
			}
			if command.Name == "repair" && name == "labels" {
				continue
			}
			if seen[name] && takes[name] != takesValue(f) {
				t.Errorf("%s takes a value for some commands only", name)
			}
			seen[name], takes[name] = true, takesValue(f)
		}
	}
}

// TestChoicesAreTaken: what the help and the completion offer exists.
func TestChoicesAreTaken(t *testing.T) {
	parse := map[string]func(string) error{
		"format":        func(s string) error { _, err := render.New(s, render.Options{}); return err },
		"view":          func(s string) error { return new(view.Kind).Set(s) },
		"rankdir":       func(s string) error { return new(draw.RankDir).Set(s) },
		"neighbourhood": func(s string) error { return new(neighbourhood.Reading).UnmarshalText([]byte(s)) },
		"scc":           func(s string) error { return new(scc.Engine).Set(s) },
		"algorithm": func(s string) error {
			err := new(buchi.Algorithm).Set(s)
			if s == onModel {
				return nil
			}
			return err
		},
		"queue":   func(s string) error { return new(enrich.Queue).Set(s) },
		"fail-on": func(s string) error { return new(batch.Gate).Set(s) },
	}
	for name, parse := range parse {
		if len(choices(name)) < 2 {
			t.Errorf("--%s has the choices %q", name, choices(name))
		}
		for _, word := range choices(name) {
			if err := parse(word); err != nil {
				t.Errorf("--%s %s: %v", name, word, err)
			}
		}
	}
}

// TestMethodIsPassedOn: engines and queues give the same results, so that no
// output can tell.
func TestMethodIsPassedOn(t *testing.T) {
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	for name, value := range map[string]string{"scc": "iterative", "queue": "heap", "neighbourhood": "some"} {
		flags.String(name, value, "")
	}
	j := &reading{limited: limited{call: call{c: cli.NewContext(cli.NewApp(), flags, nil), operands: []string{"m.aut"}}}}
	if err := j.readMethod(); err != nil {
		t.Fatal(err)
	}
	want := explain.Options{Source: explain.Source{File: "m.aut"}, Engine: "iterative", Queue: "heap", Reading: neighbourhood.Some}
	if !reflect.DeepEqual(j.options, want) {
		t.Errorf("options %+v, want %+v", j.options, want)
	}
}

func TestClosest(t *testing.T) {
	names := []string{"o", "dot", "json", "format"}
	for written, want := range map[string]string{
		"": "", "x": "", "dit": "dot", "tod": "", "jsno": "json", "frobnicate": "", "jso": "json", "fromat": "format", "o": "o",
	} {
		if got, found := options.Nearest(written, names); got != want || found != (want != "") {
			t.Errorf("closest to %q is %q (%v), want %q", written, got, found, want)
		}
	}
}

func TestVersionLine(t *testing.T) {
	if got := versionLine("v1.2.3"); !strings.HasPrefix(got, "inev v1.2.3 (go") || !strings.HasSuffix(got, ")") {
		t.Error(got)
	}
	if version() == "" {
		t.Error("no version")
	}
}
