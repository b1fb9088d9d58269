//go:build unix

package filesystem

import (
	"io/fs"
	"syscall"
)

// names returns how many names a file has, 0 if that is not known.
func names(info fs.FileInfo) uint64 {
	if s, is := info.Sys().(*syscall.Stat_t); is {
		return uint64(s.Nlink)
	}
	return 0
}
