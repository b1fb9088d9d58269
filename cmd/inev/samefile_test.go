package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

// TestFileFlagsAreKnown: of every flag and operand that is a file, it is known whether
// it is read or written, so that nothing is written over.
func TestFileFlagsAreKnown(t *testing.T) {
	p := &program{stdout: newResults(context.Background(), &strings.Builder{})}
	others := []string{"FORMULA", "KIND", "MANIFEST", "DIR...", "COMMAND", "bash|zsh|fish|powershell"}
	for _, command := range p.app().Commands {
		for _, word := range strings.Fields(command.ArgsUsage) {
			if word = strings.Trim(word, "[]"); !slices.Contains(readOperands, word) && !slices.Contains(others, word) {
				t.Errorf("inev %s: is %s a file that is read? Say so in samefile.go", command.Name, word)
			}
		}
		for _, f := range command.Flags {
			documented, is := f.(cli.DocGenerationFlag)
			if !is || !strings.Contains(documented.GetUsage(), "`FILE`") {
				continue
			}
			name := f.Names()[0]
			want, other := readFlags, writtenFlags
			if strings.HasPrefix(documented.GetUsage(), "write") {
				want, other = other, want
			}
			if !slices.Contains(want, name) || slices.Contains(other, name) {
				t.Errorf("inev %s --%s: it is not said in samefile.go what is done with the file", command.Name, name)
			}
		}
	}
}

// TestNothingIsWrittenOver gives what is read, and what is written already, other
// names.
func TestNothingIsWrittenOver(t *testing.T) {
	folder := t.TempDir()
	goTo(t, folder)
	files := map[string]string{
		"m.aut": "des (0,2,2)\n(0,REQ,1)\n(1,DROP,1)\n", "f.txt": "Inev(REQ, ACK)\n", "c.seq": "\"REQ\"\n\"DROP\"\n",
		"x.hoa": "HOA: v1\nStates: 1\nStart: 0\nAP: 0\nAcceptance: 1 Inf(0)\n--BODY--\nState: 0 {0}\n[t] 0\n--END--\n",
	}
	for name, text := range files {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	err := errors.Join(os.Mkdir("in", 0o755), os.Symlink(filepath.Join(folder), "here"),
		os.Symlink("../m.aut", "in/model.json"), os.Link("m.aut", "hard.json"), os.Symlink("c.seq", "c2.seq"), os.Symlink("f.txt", "f.md"), os.Symlink("m.aut", "pic.dot"))
	if err != nil {
		t.Skip(err)
	}
	const formula = "Inev(REQ, ACK)"
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"explain", "m.aut", formula, "--json", "in/model.json"}, "--json would overwrite the model, m.aut; choose another name"},
		{[]string{"explain", "in/../m.aut", formula, "--json", "hard.json"}, "--json would overwrite the model, in/../m.aut; choose another name"},
		{[]string{"check", "here/m.aut", formula, "-o", "m.aut", "--format", "json"}, "-o would overwrite the model, here/m.aut; choose another name"},
		{[]string{"check", "m.aut", "--formula", "f.txt", "-o", "./f.txt"}, "-o would overwrite --formula, f.txt; choose another name"},
		{[]string{"formula", "--formula", "f.txt", "-o", "here/f.md"}, "-o would overwrite --formula, f.txt; choose another name"},
		{[]string{"explain", "m.aut", formula, "--counterexample", "c.seq", "--trace", "c2.seq"}, "--trace would overwrite --counterexample, c.seq; choose another name"},
		{[]string{"convert", "m.aut", "-o", "./m.aut"}, "-o would overwrite the model, m.aut; choose another name"},
		{[]string{"diagram", "m.aut", formula, "-o", "pic.dot"}, "-o would overwrite the model, m.aut; choose another name"},
		{[]string{"lasso", "x.hoa", "-o", "here/x.hoa", "--format", "text"}, "-o would overwrite the file, x.hoa; choose another name"},
		{[]string{"explain", "m.aut", formula, "--trace", "s.seq", "--abstracted", "./s.seq"}, "--trace and --abstracted name the same file, s.seq and ./s.seq"},
		{[]string{"explain", "m.aut", formula, "--trace", "s.seq", "--abstracted", "here/in/../s.seq"}, "--trace and --abstracted name the same file, s.seq and here/in/../s.seq"},
		{[]string{"explain", "m.aut", formula, "--json", "x.json", "--certificate", filepath.Join(folder, "x.json")}, "--json and --certificate name the same file, x.json and " + filepath.Join(folder, "x.json")},
		{[]string{"explain", "m.aut", formula, "-o", "x.json", "--json", "x.json"}, "-o and --json name the same file, x.json"},
	} {
		var stdout, stderr strings.Builder
		code := run(append([]string{"inev"}, c.args...), strings.NewReader(""), &stdout, &stderr)
		if code != exitFailed || stdout.Len() > 0 || !strings.Contains(stderr.String(), c.want) || strings.Count(stderr.String(), "\n") != 1 {
			t.Errorf("%v: code %d, output %q, errors %q, want %s", c.args, code, stdout.String(), stderr.String(), c.want)
		}
	}
	input, err := os.Open("m.aut")
	if err != nil {
		t.Fatal(err)
	}
	defer input.Close()
	var stdout, stderr strings.Builder
	if code := run([]string{"inev", "convert", "-", "-o", "m.aut"}, input, &stdout, &stderr); code != exitFailed ||
		stderr.String() != "inev: convert: -o would overwrite the model, standard input; choose another name\n" {
		t.Errorf("code %d, errors %q", code, stderr.String())
	}
	for name, text := range files {
		if now, err := os.ReadFile(name); err != nil || string(now) != text {
			t.Errorf("%s is %q (error %v)", name, now, err)
		}
	}
	if entries, err := os.ReadDir("."); err != nil || len(entries) != len(files)+6 {
		t.Errorf("there are %v (error %v)", entries, err)
	}
}
