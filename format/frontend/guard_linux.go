package frontend

import (
	"context"
	"os"
	"syscall"
	"time"

	"github.com/inev-lts/inev/internal/resources"
)

// endedWithParent makes the system end a program when this process ends, in
// whatever way.
func endedWithParent(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGKILL }

// leastRoom is the space, in bytes, that must stay free on the disk with the
// temporary files, for other programs.
const leastRoom = 256 << 20

// guard ends the programs of a group once they take too much memory or disk
// space. wait waits until the guard has stopped.
func guard(ctx context.Context, end context.CancelCauseFunc, group int, own string) (wait func()) {
	over := make(chan struct{})
	limit := resources.LimitOf(ctx)
	go func() {
		defer close(over)
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if room, known := roomAt(own); known && room < leastRoom {
				end(&tooMuchError{disk: true, bytes: room})
			}
			if limit.Bytes == 0 {
				continue
			}
			if taken, _ := groupOf(os.DirFS("/proc"), group); taken > limit.Bytes {
				end(&tooMuchError{bytes: taken, limit: limit})
			}
		}
	}()
	return func() { <-over }
}

// areRunning reports whether any program of a group runs. A program that has
// ended, but was not waited for, does not run.
func areRunning(group int) bool {
	_, runs := groupOf(os.DirFS("/proc"), group)
	return runs
}

// roomAt returns how many bytes may be written to a folder.
func roomAt(folder string) (int64, bool) {
	var stat syscall.Statfs_t
	if err := syscall.Statfs(folder, &stat); err != nil {
		return 0, false
	}
	return int64(stat.Bavail) * stat.Bsize, true
}
