// Package compiledonce keeps the Graphviz that tests compile for the tests of other packages,
// and for the next run: to compile it takes a second of one core. Only tests import it.
//
// The invariant that holds inside: the folder is one of the user, and no other part of a test
// writes to it.
package compiledonce

import (
	"os"
	"path/filepath"
)

// Folder returns the folder, which is made when something is kept; "" if the system has none
// for such things, and then nothing is kept.
func Folder() string {
	folder, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(folder, "inev-tests")
}

// Lend makes what is kept available in another folder, without a copy. What is compiled there
// later is not kept. Where links cannot be made it does nothing.
func Lend(to string) {
	kept, _ := filepath.Glob(filepath.Join(Folder(), "graphviz-*"))
	for _, folder := range kept {
		_ = os.Symlink(folder, filepath.Join(to, filepath.Base(folder)))
	}
}
