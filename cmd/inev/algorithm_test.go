package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// ladder is the number of layers of the automata below.
const ladder = 60

// writeLadder writes a model or an automaton of ladder layers of two states each,
// from both of which an edge leads to both of the next layer, and from the last
// layer to the initial state: all loops have one length, and there are too many of
// them for Contrex to look at.
func writeLadder(t *testing.T, suffix, head, state, edge, end string) string {
	t.Helper()
	var text strings.Builder
	text.WriteString(head)
	edges := func(from int, to ...int) {
		text.WriteString(strings.ReplaceAll(state, "FROM", fmt.Sprint(from)))
		for _, s := range to {
			text.WriteString(strings.NewReplacer("FROM", fmt.Sprint(from), "TO", fmt.Sprint(s)).Replace(edge))
		}
	}
	edges(0, 1, 2)
	for s := 1; s < 2*ladder-1; s += 2 {
		edges(s, s+2, s+3)
		edges(s+1, s+2, s+3)
	}
	edges(2*ladder-1, 0)
	edges(2*ladder, 0)
	text.WriteString(end)
	path := filepath.Join(t.TempDir(), "ladder"+suffix)
	if err := os.WriteFile(path, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// interrupter is standard error that interrupts the program when the first line is
// written to it.
type interrupter struct {
	strings.Builder
	t *testing.T
}

func (w *interrupter) Write(data []byte) (int, error) {
	if w.Len() == 0 {
		self, err := os.FindProcess(os.Getpid())
		if err == nil {
			err = self.Signal(os.Interrupt)
		}
		if err != nil {
			w.t.Error(err)
		}
	}
	return w.Builder.Write(data)
}

// TestAnytime: a search that would not end gives the best counterexample so far
// when it is interrupted.
func TestAnytime(t *testing.T) {
	model := writeLadder(t, ".aut", fmt.Sprintf("des (0,%d,%d)\n", 4*ladder, 2*ladder+1), "", "(FROM,\"X\",TO)\n", "")
	automaton := writeLadder(t, ".hoa", "HOA: v1\nStart: 0\nAcceptance: 1 Inf(0)\n--BODY--\n", "State: FROM {0}\n", "[t] TO\n", "--END--\n")
	for _, args := range [][]string{
		{"check", model, "Inev(A)", "--allow-unmatched", "--quiet"},
		{"lasso", automaton, "--quiet"},
	} {
		var stdout strings.Builder
		stderr := &interrupter{t: t}
		args = append(args, "--format", "json", "--algorithm", "contrex", "--anytime", "--stats")
		code := run(append([]string{"inev"}, args...), nil, &stdout, stderr)
		if code != exitViolated {
			t.Errorf("%s: code %d", args[0], code)
		}
		for _, want := range []string{`"shortest": false`, fmt.Sprintf(`"length": %d,`, ladder+1)} {
			if !strings.Contains(stdout.String(), want) {
				t.Errorf("%s: no %s in %s", args[0], want, &stdout)
			}
		}
		for _, want := range []string{fmt.Sprintf("inev: found length %d after ", ladder+2), "counterexamples found: 1\n"} {
			if !strings.Contains(stderr.String(), want) {
				t.Errorf("%s: no %q in %q", args[0], want, stderr.String())
			}
		}
	}
}
