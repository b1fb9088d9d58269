//go:build unix

package main

import (
	"errors"
	"fmt"
	"syscall"
)

// fewestFiles is the number of files that the program must be able to open. Go opens some for
// itself together with the first file; if it cannot, it crashes and prints the stacks of all
// goroutines.
const fewestFiles = 8

// enoughFiles returns an error where the program may open too few files.
func enoughFiles() error {
	var opened []int
	defer func() {
		for _, fd := range opened {
			_ = syscall.Close(fd)
		}
	}()
	for range fewestFiles {
		fd, err := syscall.Dup(2)
		if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
			return fmt.Errorf("%w: allow at least 64 (ulimit -n 64)", err)
		}
		if err != nil {
			return nil // standard error is closed: nobody would read it
		}
		opened = append(opened, fd)
	}
	return nil
}
