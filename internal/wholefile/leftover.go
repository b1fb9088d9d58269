package wholefile

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path"
	"regexp"
	"sync"

	"github.com/inev-lts/inev/internal/filesystem"
)

// hiddenName matches the names of files that are being written.
var hiddenName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\.inev-[0-9a-f]{8}\.tmp$`) })

func newHiddenName() string { return fmt.Sprintf(".inev-%08x.tmp", rand.Uint32()) }

// IsLeftover reports whether a name, without its folder, is that of a file that
// is being written, or that a killed run has left.
func IsLeftover(name string) bool { return hiddenName().MatchString(name) }

// RemoveLeftovers removes the files in a folder that killed runs have left. Files
// that are being written are locked, and stay.
func RemoveLeftovers(folder filesystem.Folder) error {
	entries, err := folder.ReadDir(".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !IsLeftover(e.Name()) || !e.Type().IsRegular() {
			continue
		}
		if err := removeLeftover(folder, e.Name()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func removeLeftover(folder filesystem.Folder, name string) error {
	f, err := folder.Open(name)
	if err != nil {
		return err
	}
	if !filesystem.Lock(f) {
		return f.Close()
	}
	err = folder.Remove(name) // while the file is locked, on systems that can remove an open file
	_ = f.Close()
	if err != nil {
		err = folder.Remove(name)
	}
	return err
}

// createBeside creates a file with a new hidden name in the folder of the target, and locks it
// until release is called. It does not use os.CreateTemp, whose files have the mode 0600: the mode
// that the umask allows cannot be computed, because reading the umask changes it.
func createBeside(folder filesystem.Folder, target string, mode fs.FileMode) (f filesystem.File, hidden string, release func(), err error) {
	const attempts = 100
	err = fs.ErrExist
	for range attempts {
		hidden = path.Join(path.Dir(target), newHiddenName())
		f, err = folder.Create(hidden, mode)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, "", nil, err
		}
		release, locked := f.Hold()
		// Another process may have removed the file, as a leftover, before it was locked.
		if _, err := folder.Lstat(hidden); locked && err == nil {
			return f, hidden, release, nil
		}
		release()
		_ = f.Close()
		err = fs.ErrExist
	}
	return nil, "", nil, err
}
