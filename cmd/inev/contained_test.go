package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/testing/faults"
)

// TestPanicIsOneError: a panic, in the command or in a goroutine that it waits for, has exit code 2, a line that says what to do,
// and below it what to report.
func TestPanicIsOneError(t *testing.T) {
	file := filepath.Join(t.TempDir(), "m.aut")
	if err := os.WriteFile(file, []byte("des (0,2,2)\n(0,\"A\",1)\n(0,\"B\",0)\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{"inev.runWithin", "lts.within", "format.Open"} {
		struck := faults.Once(t, at)
		var out, said strings.Builder
		code := run([]string{"inev", "explain", file, "Inev(A)"}, strings.NewReader(""), &out, &said)
		first, rest, _ := strings.Cut(said.String(), "\n")
		if code != exitFailed || out.String() != "" || first != "inev: panic: "+faults.Message+"; this is a mistake in inev: report it with the lines below" {
			t.Errorf("%s: exit code %d, %q, %q", at, code, first, out.String())
		}
		if !struck() || !strings.Contains(rest, "faults.Once") || !strings.HasPrefix(rest, "  inev ") {
			t.Errorf("%s: the lines below are %q", at, rest)
		}
	}
}
