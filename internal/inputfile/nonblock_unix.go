//go:build unix

package inputfile

import "syscall"

// nonblock opens a named pipe without waiting for somebody who writes to it.
const nonblock = syscall.O_NONBLOCK
