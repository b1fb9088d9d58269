//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package batch

import (
	"os"

	"golang.org/x/sys/unix"
)

// lock fails where another process has locked the file. The end of a process,
// however it comes, is the end of its locks.
func lock(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) }
