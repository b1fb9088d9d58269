package wholefile

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
)

// hiddenName is what files are called that are being written.
var hiddenName = regexp.MustCompile(`^\.inev-[0-9a-f]{8}\.tmp$`)

func newHiddenName() string { return fmt.Sprintf(".inev-%08x.tmp", rand.Uint32()) }

// IsLeftover reports whether a file of this name, without its folder, is one that is
// being written, or that a run which was killed has left.
func IsLeftover(name string) bool { return hiddenName.MatchString(name) }

// RemoveLeftovers removes the files in a folder that runs which were killed have left.
// Those that somebody is writing are locked, and stay.
func RemoveLeftovers(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !IsLeftover(e.Name()) || !e.Type().IsRegular() {
			continue
		}
		if err := removeLeftover(filepath.Join(folder, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func removeLeftover(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	if !Lock(f) {
		return f.Close()
	}
	err = os.Remove(path) // while it is locked, where an open file can be removed
	_ = f.Close()
	if err != nil {
		err = os.Remove(path)
	}
	return err
}

// createBeside creates a file with a hidden name that nothing else has, in the folder
// of the target, and locks it until release is called. os.CreateTemp is not used, for
// its files have the mode 0600, and the umask cannot be asked for without a change to
// it.
func createBeside(target string, mode fs.FileMode) (f *os.File, release func(), err error) {
	const attempts = 100
	err = fs.ErrExist
	for range attempts {
		hidden := filepath.Join(filepath.Dir(target), newHiddenName())
		f, err = os.OpenFile(hidden, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		release, locked := hold(f)
		// Who removes leftovers may have come between.
		if _, err := os.Lstat(hidden); locked && err == nil {
			return f, release, nil
		}
		release()
		_ = f.Close()
		err = fs.ErrExist
	}
	return nil, nil, err
}
