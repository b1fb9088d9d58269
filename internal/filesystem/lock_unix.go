//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package filesystem

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Lock locks a file until all handles of it are closed, or the process ends in
// whatever way. It reports whether nobody else has locked the file; in a file
// system without locks it reports true.
func Lock(f *os.File) bool { return lock(int(f.Fd())) }

func lock(descriptor int) bool {
	return !errors.Is(unix.Flock(descriptor, unix.LOCK_EX|unix.LOCK_NB), unix.EWOULDBLOCK)
}

// hold locks a file until release is called, even after f is closed.
func hold(f *os.File) (release func(), locked bool) {
	second, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return func() {}, true
	}
	return func() { _ = unix.Close(second) }, lock(second)
}
