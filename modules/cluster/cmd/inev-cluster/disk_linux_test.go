package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// smallDisk is a file system of some megabytes that only a server sees, and whose content
// outlives the server.
type smallDisk struct {
	holder *exec.Cmd
	path   string // as it is seen from outside
}

// diskSize is enough for what a batch of the history keeps.
const diskSize = "128m"

// newSmallDisk makes a disk that is mounted at a path for who is started with the words that
// it returns. Where that is not permitted, there is none, and the words are none.
func newSmallDisk(t *testing.T, at string) (*smallDisk, []string) {
	t.Helper()
	if err := os.Mkdir(at, 0o755); err != nil {
		t.Fatal(err)
	}
	holder := exec.Command("unshare", "--user", "--map-root-user", "--mount", "--propagation", "private", "sh", "-c",
		fmt.Sprintf("mount -t tmpfs -o size=%s tmpfs '%s' && echo mounted && exec sleep 100000", diskSize, at))
	holder.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out, err := holder.StdoutPipe()
	if err == nil {
		err = holder.Start()
	}
	if err != nil {
		t.Logf("no disk is full in this history: %v", err)
		return nil, nil
	}
	t.Cleanup(func() { _ = holder.Process.Kill(); _ = holder.Wait() })
	late := time.AfterFunc(time.Minute, func() {
		t.Error("unshare and mount have not ended after a minute")
		_ = holder.Process.Kill()
	})
	defer late.Stop()
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || strings.TrimSpace(line) != "mounted" {
		t.Logf("no disk is full in this history: nothing can be mounted")
		return nil, nil
	}
	d := &smallDisk{holder, filepath.Join("/proc", fmt.Sprint(holder.Process.Pid), "root", at)}
	return d, []string{"nsenter", "--target", fmt.Sprint(holder.Process.Pid), "--user", "--mount", "--preserve-credentials"}
}

// fill writes until nothing fits any more; empty takes that back.
func (d *smallDisk) fill() error {
	f, err := os.Create(filepath.Join(d.path, "ballast"))
	if err != nil {
		return err
	}
	defer f.Close()
	block := make([]byte, 64<<10)
	for err == nil {
		_, err = f.Write(block)
	}
	if errors.Is(err, syscall.ENOSPC) {
		return nil
	}
	return err
}

func (d *smallDisk) empty() error { return os.Remove(filepath.Join(d.path, "ballast")) }

// fill lets the disk of a server be full for some time. A server that has met that keeps
// nothing until it is started again.
func (h *history) fill(server int, long time.Duration) string {
	d := h.disks[server]
	if d == nil {
		return ""
	}
	if err := d.fill(); err != nil {
		h.t.Error(err)
	}
	h.hold(long)
	if err := d.empty(); err != nil {
		h.t.Error(err)
	}
	h.servers[server].restart()
	return "a disk is full"
}
