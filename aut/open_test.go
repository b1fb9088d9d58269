package aut

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/inputfile"
)

func write(t *testing.T, path, text string, mode fs.FileMode) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestOpen(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "m.aut"), twoStepsText, 0o600)
	m, warnings, err := Open(context.Background(), path, Options{})
	if err != nil || len(warnings) > 0 || describe(m) != twoSteps {
		t.Error(m, warnings, err)
	}
	wrong := write(t, filepath.Join(t.TempDir(), "m.aut"), "des (0, 1, 1)\n", 0o600)
	for name, want := range map[string]string{"": wrong, "as given": "as given"} {
		_, _, err := Open(context.Background(), wrong, Options{Name: name})
		var e *inputfile.Error
		if !errors.As(err, &e) || e.File != want || e.Line != 1 {
			t.Errorf("name %q: error %v", name, err)
		}
	}
}

func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	missing := filepath.Join(dir, "no.aut")
	_, _, err := Open(context.Background(), missing, Options{})
	if want := missing + ": there is no such file: check its name"; err == nil || err.Error() != want || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v, want %s", err, want)
	}
	_, _, err = Open(context.Background(), dir, Options{})
	if want := dir + ": this is a directory: name an .aut file in it"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	_, _, err = Open(context.Background(), "nul\x00.aut", Options{})
	if want := "nul\x00.aut: cannot be read: "; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestOpenErrorWithoutPermission(t *testing.T) {
	err := inputfile.FileError("m.aut", &fs.PathError{Op: "open", Path: "m.aut", Err: fs.ErrPermission})
	if want := "m.aut: permission denied: make the file readable"; err.Error() != want || !errors.Is(err, fs.ErrPermission) {
		t.Errorf("error %v, want %s", err, want)
	}
}
