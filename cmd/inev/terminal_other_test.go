//go:build !linux

package main

import (
	"errors"
	"os"
)

// openTerminal: only the one of Linux is tried.
func openTerminal() (outside, inside *os.File, err error) {
	return nil, nil, errors.ErrUnsupported
}
