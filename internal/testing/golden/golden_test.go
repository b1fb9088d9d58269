package golden

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// recorder is a test that tells what would have become of it.
type recorder struct {
	testing.TB
	errors []string
	ending []func()
}

func (r *recorder) Helper()           {}
func (r *recorder) Failed() bool      { return len(r.errors) > 0 }
func (r *recorder) Skipped() bool     { return false }
func (r *recorder) Cleanup(f func())  { r.ending = append(r.ending, f) }
func (r *recorder) Error(args ...any) { r.errors = append(r.errors, fmt.Sprint(args...)) }
func (r *recorder) Errorf(f string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(f, args...))
}

// run lets a test check files by their names, with the set of *.txt.
func run(t *testing.T, updating bool, folder string, files map[string]string) (errors string) {
	t.Helper()
	before := *update
	*update = updating
	defer func() { *update = before }()
	r := &recorder{TB: t}
	s := All(r, filepath.Join(folder, "*.txt"))
	for name, text := range files {
		s.Check(r, filepath.Join(folder, name), []byte(text))
	}
	for _, f := range r.ending {
		f()
	}
	return strings.ReplaceAll(strings.Join(r.errors, "\n"), folder+string(filepath.Separator), "")
}

func contents(t *testing.T, folder string) map[string]string {
	t.Helper()
	found := map[string]string{}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		found[e.Name()] = string(text)
	}
	return found
}

func TestSet(t *testing.T) {
	folder := t.TempDir()
	first := map[string]string{"a.txt": "1\n2\n3\n", "b.txt": "x"}
	if got := run(t, false, folder, first); strings.Count(got, "is not there; run the test with -update") != 2 || len(contents(t, folder)) != 0 {
		t.Errorf("files that are not there: %s", got)
	}
	if got := run(t, true, folder, first); got != "" || fmt.Sprint(contents(t, folder)) != fmt.Sprint(first) {
		t.Errorf("updated: %s, %v", got, contents(t, folder))
	}
	if got := run(t, false, folder, first); got != "" {
		t.Errorf("the same again: %s", got)
	}
	for text, want := range map[string]string{
		"1\n2b\n3\n": "line 2, which was\n2\nand is now\n2b", "1\n2\n3\n4\n": "line 4, which was\n\nand is now\n4",
		"1\n": "line 2, which was\n2\nand is now\n", "1\n2\n3": "line 4, which was\n\nand is now\n",
	} {
		if got := run(t, false, folder, map[string]string{"a.txt": text, "b.txt": "x"}); !strings.HasSuffix(got, "begins in "+want) {
			t.Errorf("%q differs: %s", text, got)
		}
	}
	fewer := map[string]string{"a.txt": "1\n2\n3\n"}
	if got := run(t, false, folder, fewer); got != "nothing makes b.txt any more; run the test with -update, which removes it" {
		t.Errorf("stale: %s", got)
	}
	if got := run(t, true, folder, fewer); got != "" || fmt.Sprint(contents(t, folder)) != fmt.Sprint(fewer) {
		t.Errorf("stale, updated: %s, %v", got, contents(t, folder))
	}
	if got := run(t, false, folder, map[string]string{"a.txt": "1\n2\n3\n", "c.csv": ""}); !strings.Contains(got, "nobody would notice") {
		t.Errorf("a file outside of the set: %s", got)
	}
}

// TestNUL: a text with a NUL byte is neither taken nor written; a picture, which is no text, is.
func TestNUL(t *testing.T) {
	folder := t.TempDir()
	for _, updating := range []bool{false, true} {
		if got := run(t, updating, folder, map[string]string{"a.txt": "1\n2\x00\n"}); got != "a.txt: line 2 of what is made now has a NUL byte" || len(contents(t, folder)) > 0 {
			t.Errorf("%q", got)
		}
	}
	if got := run(t, true, folder, map[string]string{"a.txt": "\x89PNG\x00"}); got != "" {
		t.Errorf("%q", got)
	}
}

// TestUnchangedFilesStay: what is the same is not written.
func TestUnchangedFilesStay(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "a.txt")
	if err := os.WriteFile(file, []byte("same"), 0o400); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := write(file, []byte("same")); err != nil {
		t.Fatal(err)
	}
	if after, err := os.Stat(file); err != nil || after.ModTime() != before.ModTime() {
		t.Errorf("written again at %v, error %v", after.ModTime(), err)
	}
}
