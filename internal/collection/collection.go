// Package collection finds the models that tests run on: those of the project, and
// those by others that may lie in the folder shared/lts beside it. Only tests import it.
//
// The invariant that holds inside: only what lies beside the project may be missing.
package collection

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// beside is where models by others lie, from the root of the project.
const beside = "../shared/lts"

// Own returns the path of a file of the project, which is named from its root. The
// test fails if it is not there.
func Own(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join(root(t), filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		t.Fatal(err)
	}
	return path
}

// Foreign returns the path of a file of the models by others, and reports whether it
// is there.
func Foreign(t testing.TB, name string) (path string, there bool) {
	t.Helper()
	path = filepath.Join(root(t), filepath.FromSlash(beside), filepath.FromSlash(name))
	_, err := os.Stat(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return path, err == nil
}

// Find returns the path of a file: Own of those in the folder examples or in a folder
// testdata, Foreign of others.
func Find(t testing.TB, name string) (path string, there bool) {
	t.Helper()
	if strings.HasPrefix(name, "examples/") || strings.Contains(name, "/testdata/") {
		return Own(t, name), true
	}
	return Foreign(t, name)
}

// root returns the folder that has the go.mod of the project.
func root(t testing.TB) string {
	t.Helper()
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			t.Fatal("the tests run outside of the project")
		}
		folder = parent
	}
}
