package main

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/testing/golden"
)

// TestElsewhereEndsWithTheCommandThatLeadsThere takes the command as a shell does,
// and runs it: it shows the way to every decision that is not on the run.
func TestElsewhereEndsWithTheCommandThatLeadsThere(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no shell")
	}
	// States 0 and 2 are decisions; the shortest counterexample passes the first.
	const model = `des (0, 7, 6)
(0, "STOP", 1)
(0, "it's $HOME", 2)
(2, "PUT !1", 3)
(2, "STOP", 4)
(3, "i", 3)
(4, "i", 4)
(0, "PUT !1", 5)
`
	inModels(t)
	for _, file := range []string{"new.aut", "it's a `model`.aut", "-o.aut"} {
		if err := os.WriteFile(file, []byte(model), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, more := range [][]string{nil, {"--unfold"}, {"--neighbourhood", "some"}, {"--format", "markdown"}} {
			args := append(append([]string{"explain", "--full"}, more...), "--", file, `Inev("PUT !1")`)
			code, out, stderr := called(nil, args...)
			if code != exitViolated || stderr != "" {
				t.Fatalf("%q: code %d, %s", args, code, stderr)
			}
			_, rest, found := strings.Cut(out, "How to get to each decision:")
			line := strings.Trim(strings.TrimSpace(rest), "`")
			if !found || strings.Contains(line, "\n") {
				t.Fatalf("%q: the last line is no command:\n%s", args, out)
			}
			words, err := golden.Command(t, shell, "-c", `printf '%s\0' `+line).Output()
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			command := strings.Split(strings.TrimSuffix(string(words), "\x00"), "\x00")
			for _, flag := range more {
				if strings.HasPrefix(flag, "--") && flag != "--format" && !slices.Contains(command, flag) {
					t.Errorf("%s lacks %s", line, flag)
				}
			}
			code, out, stderr = called(nil, command[1:]...)
			if code != exitDone || stderr != "" || !strings.Contains(out, "State 2") {
				t.Errorf("%s: code %d, %s%s", line, code, out, stderr)
			}
		}
	}
	// None where there is nothing, or no file to name.
	if _, out, _ := called(nil, "explain", "--full", "new.aut", `Inev(STOP)`); strings.Contains(out, "How to get") != strings.Contains(out, " other decision") {
		t.Errorf("a command, or none where there should be one:\n%s", out)
	}
	if _, out, _ := called(strings.NewReader(model), "explain", "--full", "-", `Inev("PUT !1")`); strings.Contains(out, "How to get") {
		t.Errorf("a command about standard input:\n%s", out)
	}
}
