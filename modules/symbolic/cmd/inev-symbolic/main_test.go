package main

import (
	"bytes"
	"context"
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/testing/golden"
)

// home is the root of this module.
var home, _ = filepath.Abs(filepath.Join("..", ".."))

func must(t *testing.T, code int, args ...string) string {
	t.Helper()
	var out, wrong bytes.Buffer
	if got := run(context.Background(), args, &out, &wrong); got != code {
		t.Fatalf("%v: exit code %d, want %d; %s", args, got, code, wrong.String())
	}
	return out.String() + wrong.String()
}

// TestHelp: all ways to ask for help that people try give it.
func TestHelp(t *testing.T) {
	for _, args := range [][]string{nil, {"help"}, {"-h"}, {"-help"}, {"--help"}, {"ctl", "--help"}, {"justice", "-h"}} {
		if text := must(t, 0, args...); text != usage {
			t.Errorf("%v: %s", args, text)
		}
	}
}

// TestCommand goes from the arbiter to checked evidence, as users do.
func TestCommand(t *testing.T) {
	folder := t.TempDir()
	model, good, evidence := filepath.Join(folder, "m.aag"), filepath.Join(folder, "m.aig"), filepath.Join(folder, "e.json")
	for _, file := range []struct {
		path string
		args []string
	}{{model, []string{"arbiter", "5", "-buggy"}}, {good, []string{"arbiter", "-binary", "5"}}} {
		if err := os.WriteFile(file.path, []byte(must(t, 0, file.args...)), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if text := must(t, 1, "ctl", model, "AG exclusive", "-evidence", evidence); !strings.Contains(text, "AG exclusive does not hold") || !strings.Contains(text, "  2: ") {
		t.Error(text)
	}
	if text := must(t, 0, "verify", model, "AG exclusive", evidence); text != "evidence verified: the formula does not hold\n" {
		t.Error(text)
	}
	if text := must(t, 2, "verify", good, "AG exclusive", evidence); !strings.Contains(text, "shows nothing") && !strings.Contains(text, "follow") && !strings.Contains(text, "contrary") {
		t.Error(text)
	}
	must(t, 0, "ctl", good, "AG exclusive", "-evidence", evidence)
	if text := must(t, 0, "verify", good, "AG exclusive", evidence); text != "evidence verified: the formula holds\n" {
		t.Error(text)
	}
	must(t, 0, "ctl", good, "AG (request0 -> EF acknowledge0)")
	if text := must(t, 2, "ctl", good, "AG (request0 -> EF acknowledge0)", "-evidence", evidence); !strings.Contains(text, "one operator") {
		t.Error(text)
	}
	for want, args := range map[string][]string{
		"there is no command": {"x"}, "takes 2 operands": {"ctl"}, "no such file": {"ctl", "none.aag", "AG p"}, "formula: expected": {"ctl", model, "AG"},
		"does not define nothing": {"ctl", model, "AG nothing"}, "does not define ack; the closest names are": {"ctl", model, "AG (exclusive -> !ack)"},
		"does not define none": {"verify", model, "AG !none", evidence}, "there is no justice property 0": {"justice", model, "0"}, "2 to 1000": {"arbiter", "x"},
	} {
		if text := must(t, 2, args...); !strings.Contains(text, want) {
			t.Errorf("%v: %s", args, text)
		}
	}
	if text := must(t, 0, "help"); text != usage {
		t.Error(text)
	}
}

// TestPictureOfTheArbiter compares the evidence of the buggy arbiter, as text and as a picture, with
// what the gallery shows.
func TestPictureOfTheArbiter(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	if err := os.WriteFile("arbiter.aag", []byte(must(t, 0, "arbiter", "-buggy", "5")), 0o666); err != nil {
		t.Fatal(err)
	}
	text := must(t, 1, "ctl", "arbiter.aag", "AG exclusive", "-svg", "evidence.svg")
	drawn, err := os.ReadFile("evidence.svg")
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, filepath.Join(home, "arbiter", "evidence.txt"), []byte(text))
	golden.Check(t, filepath.Join(home, "arbiter", "evidence.svg"), drawn)
}

// TestPictures: a picture has a wave for each signal that is ever true, and names what it leaves out;
// without a run it has the layers alone.
func TestPictures(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct {
		cells, formula string
		code           int
		has, lacks     []string
	}{
		{"3", "AG exclusive", 0, []string{"arbiter.aag: AG exclusive holds", "states unfolded"}, []string{"polyline"}},
		{"3", "EF (waiting1 && !token0)", 0, []string{"states unfolded", "EF (waiting1 &amp;&amp; !token0) holds", "state of the run", "named-wave"}, nil},
		{"42", "AF false", 1, []string{"state of the run", "more steps are not shown", "the run goes on from state"}, nil},
	} {
		if err := os.WriteFile("arbiter.aag", []byte(must(t, 0, "arbiter", c.cells)), 0o666); err != nil {
			t.Fatal(err)
		}
		must(t, c.code, "ctl", "arbiter.aag", c.formula, "-svg", "e.svg")
		drawn, err := os.ReadFile("e.svg")
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range c.has {
			if !strings.Contains(string(drawn), text) {
				t.Errorf("%s of %s cells: no %q in %s", c.formula, c.cells, text, drawn)
			}
		}
		for _, text := range c.lacks {
			if strings.Contains(string(drawn), text) {
				t.Errorf("%s of %s cells: %q", c.formula, c.cells, text)
			}
		}
		if err := xml.Unmarshal(drawn, new(struct{})); err != nil {
			t.Error(err)
		}
	}
}
