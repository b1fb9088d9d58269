// Package golden compares what tests make with files that are committed, and rewrites those where a
// test is run with the flag -update. Only tests import it. It also runs programs under a time
// limit.
//
//	.ci/update
//
// updates all golden files of the project; git diff shows then what has changed, and is to be
// looked at line by line.
//
// Without -update no file is touched.
package golden

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"
)

var update = flag.Bool("update", false,
	"rewrite the golden files, and remove those that nothing makes any more, instead of comparing with them")

// Updating reports whether the flag -update is set, for tests that compare and
// write files themselves.
func Updating() bool { return *update }

// Check compares what was made with the contents of a file, or writes it with -update. Texts with
// NUL bytes fail: git shows no differences of them, so nobody would look at them. Cost O(size of both).
func Check(t testing.TB, file string, made []byte) {
	t.Helper()
	at := bytes.IndexByte(made, 0)
	if at >= 0 && utf8.Valid(made) {
		t.Errorf("%s: line %d of what is made now has a NUL byte", file,
			1+bytes.Count(made[:at], []byte("\n")))
		return
	}
	if *update {
		if err := write(file, made); err != nil {
			t.Fatal(err)
		}
		return
	}
	stored, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		t.Errorf("%s is not there; run the test with -update and look at it", file)
	case err != nil:
		t.Fatal(err)
	case !bytes.Equal(made, stored):
		line, want, got := firstDifference(stored, made)
		t.Errorf("%s is not what is made now; run the test with -update and look at the difference. It begins in line %d, which was\n%s\nand is now\n%s", file, line, want, got)
	}
}

// write does not touch a file whose content is the same, so that the times of files show which are
// new.
func write(file string, made []byte) error {
	if stored, err := os.ReadFile(file); err == nil && bytes.Equal(stored, made) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, made, 0o644)
}

// firstDifference returns the number of the first line, from 1, in which two
// different texts differ, and this line of both texts; the line is empty if a
// text has ended before.
func firstDifference(a, b []byte) (number int, inA, inB string) {
	linesOfA := strings.Split(string(a), "\n")
	linesOfB := strings.Split(string(b), "\n")
	common := 0
	for common < min(len(linesOfA), len(linesOfB)) && linesOfA[common] == linesOfB[common] {
		common++
	}
	if common < len(linesOfA) {
		inA = linesOfA[common]
	}
	if common < len(linesOfB) {
		inB = linesOfB[common]
	}
	return common + 1, inA, inB
}

// Set is the set of golden files of a test: all that match its patterns.
type Set struct {
	patterns []string

	mu      sync.Mutex
	checked map[string]bool
}

// All returns the set of the files that match one of the patterns, as in [filepath.Match]. At the
// end of the test, files of the set that it did not check make it fail, or are removed with
// -update, because no test makes them any longer. This is skipped if only some subtests were run,
// or if the test failed or was skipped.
func All(t testing.TB, patterns ...string) *Set {
	t.Helper()
	s := &Set{patterns: patterns, checked: map[string]bool{}}
	t.Cleanup(func() {
		if t.Failed() || t.Skipped() || inPart() {
			return
		}
		for _, file := range s.stale(t) {
			if !*update {
				t.Errorf("nothing makes %s any more; run the test with -update, which removes it", file)
			} else if err := os.Remove(file); err != nil {
				t.Error(err)
			}
		}
	})
	return s
}

// inPart reports whether only some subtests run.
func inPart() bool {
	for _, name := range []string{"test.run", "test.skip"} {
		f := flag.Lookup(name)
		if f != nil && strings.Contains(f.Value.String(), "/") {
			return true
		}
	}
	return false
}

// Check is the function [Check], for a file of the set.
func (s *Set) Check(t testing.TB, file string, made []byte) {
	t.Helper()
	file = filepath.Clean(file)
	if !s.holds(t, file) {
		t.Errorf("%s matches none of %q: nobody would notice when it is no longer made", file,
			s.patterns)
	}
	s.mu.Lock()
	s.checked[file] = true
	s.mu.Unlock()
	Check(t, file, made)
}

func (s *Set) holds(t testing.TB, file string) bool {
	for _, pattern := range s.patterns {
		if match, err := filepath.Match(filepath.FromSlash(pattern), file); err != nil {
			t.Fatal(err)
		} else if match {
			return true
		}
	}
	return false
}

// stale returns the files of the set that were not checked.
func (s *Set) stale(t testing.TB) []string {
	var stale []string
	for _, pattern := range s.patterns {
		files, err := filepath.Glob(filepath.FromSlash(pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if !s.checked[filepath.Clean(file)] {
				stale = append(stale, file)
			}
		}
	}
	return stale
}

// patience is how long a program of a test may run: far longer than any of them runs, even on a
// busy machine.
const patience = 5 * time.Minute

// Test has the methods that [testing.TB], tests of scripts and drawn cases of
// package rapid have in common.
type Test interface {
	Errorf(format string, args ...any)
	Cleanup(func())
}

// Command is [exec.Command] for a test that must not wait forever. If the program runs too long,
// it is asked for the stacks of its goroutines and killed soon after, and the test fails with an
// error that names it.
func Command(t Test, name string, args ...string) *exec.Cmd {
	return CommandWithin(t, patience, name, args...)
}

// CommandWithin is [Command] for a program that may run for the time most.
func CommandWithin(t Test, most time.Duration, name string, args ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(context.Background(), most)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Cancel = func() error {
		if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return cmd.Process.Kill()
		}
		t.Errorf("%s %s has not ended after %v", name, strings.Join(args, " "), most)
		if err := cmd.Process.Signal(syscall.SIGQUIT); err == nil || errors.Is(err, os.ErrProcessDone) {
			return err
		}
		return cmd.Process.Kill()
	}
	cmd.WaitDelay = 10 * time.Second
	return cmd
}
