//go:build unix

package cluster

import (
	"fmt"
	"os"
	"syscall"
)

// fileNumber returns the numbers of device and inode that identify a file on this machine.
func fileNumber(path string) (number string, known bool) {
	info, err := os.Stat(path)
	if err != nil {
		return "", false
	}
	s, known := info.Sys().(*syscall.Stat_t)
	if !known {
		return "", false
	}
	return fmt.Sprintf("%d:%d", s.Dev, s.Ino), true
}
