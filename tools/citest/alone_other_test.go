//go:build !linux

package citest

import (
	"os/exec"
	"path/filepath"
)

// alone returns a call of the program in a folder.
func alone(folder string, args []string) *exec.Cmd {
	return exec.Command(filepath.Join(folder, "inev"), args...)
}
