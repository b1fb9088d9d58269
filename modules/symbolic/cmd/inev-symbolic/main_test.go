package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func must(t *testing.T, code int, args ...string) string {
	t.Helper()
	var out, wrong bytes.Buffer
	if got := run(context.Background(), args, &out, &wrong); got != code {
		t.Fatalf("%v: exit code %d, want %d; %s", args, got, code, wrong.String())
	}
	return out.String() + wrong.String()
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
		"does not define": {"ctl", model, "AG nothing"}, "there is no justice property 0": {"justice", model, "0"}, "2 to 1000": {"arbiter", "x"},
	} {
		if text := must(t, 2, args...); !strings.Contains(text, want) {
			t.Errorf("%v: %s", args, text)
		}
	}
	if text := must(t, 0, "help"); text != usage {
		t.Error(text)
	}
}
