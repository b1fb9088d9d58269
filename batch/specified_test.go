package batch

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPropertiesOfASpecification: an entry with a specification asks for each property of its configuration, under the fairness of
// Spec, and knows a specification that has changed.
func TestPropertiesOfASpecification(t *testing.T) {
	texts := map[string]string{}
	for _, name := range []string{"Lock.tla", "Lock.cfg", "Lock.dot"} {
		text, err := os.ReadFile(filepath.Join("..", "examples", "tla", name))
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = string(text)
	}
	texts["m.yaml"] = `defaults: {model: Lock.dot, tla: Lock.tla}
jobs:
  - {name: all}
  - {name: own, formula: '\A c \in Clients : []<>~Holds(c)'}
  - {name: unfair, formula: '\A c \in Clients : []<>~Holds(c)', cfg: Unfair.cfg}
  - {name: wrong, formula: Servd}
`
	texts["Unfair.cfg"] = "CONSTANT Clients = {c1, c2}\nINIT Init\nNEXT Next\n"
	folder, ctx := tree(t, texts), context.Background()
	m, err := Open(ctx, filepath.Join(folder, "m.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"all: Free": "satisfied", "all: Served": "violated: ", "all: []Exclusion": "satisfied", "own": "satisfied", "unfair": "violated: ", "wrong": "error: Servd is not defined",
	}
	if len(m.Jobs) != len(want) {
		t.Errorf("%d jobs", len(m.Jobs))
	}
	for _, j := range m.Jobs {
		r := Do(ctx, j, Work{})
		got := string(r.Status) + ": " + r.Error
		if r.Status == Satisfied {
			got = string(r.Status)
		}
		if status, part, _ := strings.Cut(want[j.Name], ": "); !strings.HasPrefix(got, status) || !strings.Contains(got, part) || want[j.Name] == "" {
			t.Errorf("%s: %s, want %s", j.Name, got, want[j.Name])
		}
	}
	if err := os.WriteFile(filepath.Join(folder, "Lock.tla"), []byte(texts["Lock.tla"]+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := Do(ctx, m.Jobs[0], Work{}); r.Status != Failed || !strings.Contains(r.Error, "Lock.tla: the specification has changed since the manifest was read") {
		t.Errorf("%s: %s", r.Status, r.Error)
	}
}
