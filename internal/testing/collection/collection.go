// Package collection finds the models that tests use: those of the project, and those of others,
// which may be in the folder shared/lts beside it. Only tests import it. Only files beside the
// project may be missing.
package collection

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// beside is the folder of models by others, relative to the root of the project.
const beside = "../shared/lts"

// Own returns the path of a file of the project, which is named relative to the root of the
// project. The test fails if the file does not exist.
func Own(t testing.TB, name string) string {
	t.Helper()
	path := filepath.Join(root(t), filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		t.Fatal(err)
	}
	return path
}

// Foreign returns the path of a model by others, and reports whether it exists. In a worktree of
// git it also looks next to the repository.
func Foreign(t testing.TB, name string) (path string, there bool) {
	t.Helper()
	folder := root(t)
	path = filepath.Join(folder, filepath.FromSlash(beside), filepath.FromSlash(name))
	_, err := os.Stat(path)
	if pointer, wrong := os.ReadFile(filepath.Join(folder, ".git")); wrong == nil && errors.Is(err, fs.ErrNotExist) {
		git, _, is := strings.Cut(strings.TrimPrefix(string(pointer), "gitdir: "),
			"/.git/worktrees/")
		if other := filepath.Join(git, filepath.FromSlash(beside),
			filepath.FromSlash(name)); is {
			if _, err = os.Stat(other); err == nil {
				path = other
			}
		}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return path, err == nil
}

// Find returns the path of a file: Own for files in the folder examples or in a
// folder testdata, Foreign for others.
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
