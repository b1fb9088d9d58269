package citest

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/inev-lts/inev/internal/testing/golden"
)

// alone returns a call of the program in a folder. Who may do so runs it where there
// are no files but the program, as a user who owns nothing.
func alone(t *testing.T, folder string, args []string) *exec.Cmd {
	if os.Geteuid() != 0 {
		run := golden.Command(t, filepath.Join(folder, "inev"), args...)
		run.Env = []string{}
		return run
	}
	// The folder is that of a test, which others cannot enter.
	if err := os.Chmod(folder, 0o755); err != nil {
		return &exec.Cmd{Err: err}
	}
	run := golden.Command(t, "/inev", args...)
	run.Dir, run.Env = "/", []string{}
	run.SysProcAttr = &syscall.SysProcAttr{Chroot: folder, Credential: &syscall.Credential{Uid: 65532, Gid: 65532}}
	return run
}
