package filesystem_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/inev-lts/inev/internal/filesystem"
)

// TestCause: what remains of an error of the system does not name the file.
func TestCause(t *testing.T) {
	folder := t.TempDir()
	_, opened := os.Open(filepath.Join(folder, ".hidden"))
	renamed := os.Rename(filepath.Join(folder, ".hidden"), filepath.Join(folder, "shown"))
	other := errors.New("the disk sleeps")
	for _, c := range []struct {
		err      error
		want     error
		bySystem bool
	}{
		{opened, syscall.ENOENT, true},
		{renamed, syscall.ENOENT, true},
		{fmt.Errorf("while writing: %w", opened), syscall.ENOENT, true},
		{errors.Join(nil, renamed), syscall.ENOENT, true},
		{other, other, false},
		{fs.ErrExist, fs.ErrExist, false},
	} {
		if got, bySystem := filesystem.Cause(c.err); got != c.want || bySystem != c.bySystem {
			t.Errorf("%v: %v, %v; want %v, %v", c.err, got, bySystem, c.want, c.bySystem)
		}
	}
	if got, bySystem := filesystem.Cause(nil); got != nil || bySystem {
		t.Errorf("nil: %v", got)
	}
}
