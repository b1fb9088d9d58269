package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLogsAreWalks: without deviations each event is one that the model can do next; with some, as many
// events are missing or wrong as is told.
func TestLogsAreWalks(t *testing.T) {
	folder := t.TempDir()
	model, log := filepath.Join(folder, "m.aut"), filepath.Join(folder, "m.log")
	lines := func(path string) []string {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSpace(string(text)), "\n")
	}
	walk := loggedWalk{states: 30, transitions: 100, labels: 10, events: 500}
	if n, err := writeLogged(model, log, walk); err != nil || n != 0 {
		t.Fatal(n, err)
	}
	if m := lines(model); len(m) != 101 || m[0] != "des (0, 100, 30)" {
		t.Errorf("%d lines, first %q", len(m), m[0])
	}
	next := map[string]string{}
	for _, line := range lines(model)[1:] {
		parts := strings.Split(strings.Trim(line, "()"), ", ")
		next[parts[0]+strings.Trim(parts[1], `"`)] = parts[2]
	}
	at := "0"
	for i, event := range lines(log) {
		if at = next[at+event]; at == "" {
			t.Fatalf("event %d, %s, is not possible", i+1, event)
		}
	}
	walk.share = 0.1
	if n, err := writeLogged(model, log, walk); err != nil || n < 20 || n > 100 || len(lines(log)) != 500 {
		t.Errorf("%d deviations, %v", n, err)
	}
	for text, want := range map[string]aligned{
		"case\tevents\tfits\tskipped\tmissing\n\t5\tfalse\t2\t3\n": {2, 3}, "case\tskipped\n": {}, "skipped\nx\n": {},
	} {
		if a, err := readAligned([]byte(text)); (want == aligned{}) == (err == nil) || a != want {
			t.Errorf("%q: %v, %v", text, a, err)
		}
	}
}
