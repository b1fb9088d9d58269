package main

import (
	"os"
	"syscall"
)

// openDirect opens a file for reading past the page cache of the system, or normally if the file
// system does not support that.
func openDirect(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_DIRECT, 0)
	if err != nil {
		return os.Open(path)
	}
	return f, nil
}
