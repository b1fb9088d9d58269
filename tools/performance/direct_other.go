//go:build !linux

package main

import "os"

// openDirect opens a file for reading. The system may keep the file in memory.
func openDirect(path string) (*os.File, error) { return os.Open(path) }
