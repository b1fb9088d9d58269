package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/testing/golden"
)

// TestDocumentIsReproducible makes the document anew, with the rows about SPIN that
// it has.
func TestDocumentIsReproducible(t *testing.T) {
	if testing.Short() {
		t.Skip("runs all experiments")
	}
	root := filepath.Join("..", "..")
	path := filepath.Join(root, "docs", "research", "experiments.md")
	committed, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var made bytes.Buffer
	kept := func(opening string) func() (string, error) {
		return func() (string, error) { return tableBelow(string(committed), opening), nil }
	}
	err = writeDocument(context.Background(), &made, root, sources{
		spin:   func(s subject) (spinRows, error) { return rowsIn(string(committed), s.name), nil },
		agency: func() (string, error) { return rowBeginning(string(committed), publishedRow), nil },
		clear:  kept(clearOpening), heap: kept(heapOpening),
		times:        func() (string, error) { return timesIn(string(committed)), nil },
		distribution: func() (string, error) { return string(rowsIn(string(committed), distributed)), nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, path, made.Bytes())
}

// TestDocumentHasSPINsRows: what the other test leaves out is there.
func TestDocumentHasSPINsRows(t *testing.T) {
	committed, err := os.ReadFile(filepath.Join("..", "..", "docs", "research", "experiments.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range subjects() {
		if rows := rowsIn(string(committed), s.name); rows == "" || rows == notInstalled {
			t.Errorf("%s: no figures of SPIN", s.name)
		}
	}
}

func TestTrailLength(t *testing.T) {
	for _, c := range []struct{ trail, states, transitions string }{
		{"-2:2:-2\n-4:-4:-4\n-1:-1:-1\n1:0:42\n2:2:21\n3:0:42\n4:1:22\n", "5", "2"},
		{"-2:2:-2\n1:0:42\n2:2:21\n", "no cycle", ""},
		{"", "no cycle", ""},
	} {
		if states, transitions := trailLength(c.trail); states != c.states || transitions != c.transitions {
			t.Errorf("%q: %s states, %s transitions", c.trail, states, transitions)
		}
	}
}

// TestPromelaIsTheModel: SPIN comes to as many states, by as many transitions, as
// the LTS has.
func TestPromelaIsTheModel(t *testing.T) {
	for _, program := range []string{"spin", "gcc"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed", program)
		}
	}
	// The LTS of Hyman's algorithm has one transition, CRASH, to an end where both
	// processes are inside; in Promela both can leave.
	// SPIN counts a transition into the initial state.
	want := map[string][2]string{"Peterson": {"68", "137"}, "Dekker": {"144", "289"}, "Dijkstra": {"3543", "9712"}, "Hyman": {"96", "193"}}
	for _, s := range subjects() {
		text, err := promela.ReadFile("promela/" + s.promela)
		if err != nil {
			t.Fatal(err)
		}
		// Without the property, and the variable that is only there for it.
		before, _, _ := strings.Cut(string(text), "\nltl ")
		bare := strings.ReplaceAll(before, "entered = true", "STEP")
		v := verifier{context.Background(), t.TempDir(), s.promela, false}
		if err := os.WriteFile(filepath.Join(v.folder, s.promela), []byte(bare), 0o644); err != nil {
			t.Fatal(err)
		}
		var out string
		for _, command := range [][]string{
			{"spin", "-o3", "-a", s.promela},
			{"gcc", "-w", "-DNOREDUCE", "-o", "pan", "pan.c"},
			{"./pan", "-m100000"},
		} {
			if out, err = v.command(command[0], command[1:]...); err != nil {
				t.Fatal(err)
			}
		}
		for i, pattern := range []string{`(\d+) states, stored`, `(\d+) transitions`} {
			if got := regexp.MustCompile(pattern).FindStringSubmatch(out); got == nil || got[1] != want[s.name][i] {
				t.Errorf("%s: %v, want %s: %s", s.name, got, want[s.name][i], out)
			}
		}
	}
}
