package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDrawIsAFunctionOfTheSeed: each comment is drawn at most once, tests have none, and another
// seed gives another order.
func TestDrawIsAFunctionOfTheSeed(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"a.go":      "// Package a is one.\npackage a\n\n// f is two,\n// over two lines.\nfunc f() {} // three\n",
		"a_test.go": "// Package a is tested.\npackage a\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	drawn := func(seed uint64, number int) string {
		var b strings.Builder
		if err := draw(&b, folder, seed, number); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	all := drawn(1, 60)
	for _, want := range []string{"a.go:1\n\tPackage a is one.\n", "a.go:4\n\tf is two, over two lines.\n", "a.go:6\n\tthree\n"} {
		if strings.Count(all, want) != 1 {
			t.Errorf("%q is not once in\n%s", want, all)
		}
	}
	if strings.Contains(all, "tested") {
		t.Errorf("comments of tests are drawn:\n%s", all)
	}
	if again := drawn(1, 60); again != all {
		t.Errorf("drawn again:\n%s\nfirst:\n%s", again, all)
	}
	others := 0
	for seed := range uint64(8) {
		if drawn(seed, 60) != all {
			others++
		}
	}
	if others == 0 {
		t.Error("no seed gives another order")
	}
	if first := drawn(1, 1); !strings.HasPrefix(all, first) {
		t.Errorf("the first comment is\n%s of\n%s", first, all)
	}
}
