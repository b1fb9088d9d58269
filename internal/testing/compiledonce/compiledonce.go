// Package compiledonce keeps the Graphviz that tests compile for the tests of other packages, and
// for the next run, because compiling it takes a second of one core. Only tests import it. The
// folder belongs to the user, and no other part of a test writes to it.
package compiledonce

import (
	"os"
	"path/filepath"
)

// Folder returns the folder of the compiled files, which is created with the
// first of them; "" if the system has no folder for caches: then nothing is kept.
func Folder() string {
	folder, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(folder, "inev-tests")
}

// Lend links the compiled files into another folder. Files that are compiled there later are not
// kept. It does nothing if links cannot be made.
func Lend(to string) {
	kept, _ := filepath.Glob(filepath.Join(Folder(), "graphviz-*"))
	for _, folder := range kept {
		_ = os.Symlink(folder, filepath.Join(to, filepath.Base(folder)))
	}
}
