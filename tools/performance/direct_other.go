//go:build !linux

package main

import "os"

// openDirect opens a file to be read. The system may keep it in memory.
func openDirect(path string) (*os.File, error) { return os.Open(path) }
