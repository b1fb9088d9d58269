package citest

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// alone returns a call of the program in a folder. Who may do so runs it where there
// are no files but the program, as a user who owns nothing.
func alone(folder string, args []string) *exec.Cmd {
	if os.Geteuid() != 0 {
		return &exec.Cmd{Path: filepath.Join(folder, "inev"), Args: append([]string{"inev"}, args...), Env: []string{}}
	}
	// The folder is that of a test, which others cannot enter.
	if err := os.Chmod(folder, 0o755); err != nil {
		return &exec.Cmd{Err: err}
	}
	return &exec.Cmd{
		Path: "/inev", Args: append([]string{"inev"}, args...), Dir: "/", Env: []string{},
		SysProcAttr: &syscall.SysProcAttr{Chroot: folder, Credential: &syscall.Credential{Uid: 65532, Gid: 65532}},
	}
}
