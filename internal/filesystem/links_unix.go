//go:build unix

package filesystem

import (
	"io/fs"
	"syscall"
)

// names returns the number of names (hard links) of a file, 0 if it is not known.
func names(info fs.FileInfo) uint64 {
	if s, is := info.Sys().(*syscall.Stat_t); is {
		return uint64(s.Nlink)
	}
	return 0
}
