//go:build unix

package frontend

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// inOwnGroup puts a program and all programs that it starts into a group of its
// own.
func inOwnGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	endedWithParent(cmd.SysProcAttr)
}

// awaitEnd waits, for a limited time, until no program of a group that is being
// ended runs.
func awaitEnd(p *os.Process) {
	const pauses, pause = 500, 2 * time.Millisecond
	for i := 0; i < pauses && areRunning(p.Pid); i++ {
		time.Sleep(pause)
	}
}

// endGroup ends the programs of a group.
func endGroup(p *os.Process) error {
	if err := syscall.Kill(-p.Pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) && !errors.Is(err, syscall.EPERM) {
		return err
	}
	return nil
}
