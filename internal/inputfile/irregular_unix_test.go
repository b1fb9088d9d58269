//go:build unix

package inputfile_test

import (
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// irregular returns paths of what is no regular file, with links to them.
func irregular(t *testing.T) []string {
	t.Helper()
	folder := t.TempDir()
	fifo := filepath.Join(folder, "fifo")
	if err := syscall.Mkfifo(fifo, 0o644); err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(folder, "s")
	if l, err := net.Listen("unix", socket); err == nil {
		t.Cleanup(func() { l.Close() })
	} else {
		socket = fifo
	}
	all := []string{folder, fifo, socket, "/dev/zero", "/dev/tty", os.DevNull}
	for i, name := range []string{"to-fifo", "to-zero"} {
		link := filepath.Join(folder, name)
		if err := os.Symlink([]string{fifo, "/dev/zero"}[i], link); err != nil {
			t.Fatal(err)
		}
		all = append(all, link)
	}
	return all
}
