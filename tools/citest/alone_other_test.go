//go:build !linux

package citest

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/inev-lts/inev/internal/testing/golden"
)

// alone returns a call of the program in a folder.
func alone(t *testing.T, folder string, args []string) *exec.Cmd {
	return golden.Command(t, filepath.Join(folder, "inev"), args...)
}
