package wholefile_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/inev-lts/inev/internal/filesystem"
	"github.com/inev-lts/inev/internal/wholefile"
)

func namesIn(t *testing.T, folder string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// TestRemoveLeftovers: what nobody is writing any more goes; what somebody is writing,
// and what has another name, stays.
func TestRemoveLeftovers(t *testing.T) {
	folder := t.TempDir()
	others := []string{".inev-0123abcd.tmpx", ".inev-xyz.tmp", "a.json"}
	for _, name := range append([]string{".inev-0123abcd.tmp"}, others...) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(folder, ".inev-ffffffff.tmp"), 0o755); err != nil {
		t.Fatal(err)
	}
	target := filepath.Join(folder, "b.json")
	err := wholefile.Write(target, func(w io.Writer) error {
		open, err := filesystem.OS{}.Open(folder)
		if err != nil {
			return err
		}
		defer open.Close()
		err = wholefile.RemoveLeftovers(open)
		if runtime.GOOS == "windows" {
			err = nil // it cannot be removed there
		}
		_, written := io.WriteString(w, "whole")
		return errors.Join(err, written)
	})
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(target); err != nil || string(text) != "whole" {
		t.Errorf("%s (error %v)", text, err)
	}
	want := append(append([]string{}, others...), ".inev-ffffffff.tmp", "b.json")
	slices.Sort(want)
	if got := namesIn(t, folder); !slices.Equal(got, want) {
		t.Errorf("there are %v, want %v", got, want)
	}
}
