package frontend

import (
	"context"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/inev-lts/inev/internal/contained"
	"github.com/inev-lts/inev/internal/resources"
)

// endedWithParent makes the system end a program when this process ends, in
// whatever way.
func endedWithParent(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGKILL }

// leastRoom is the space, in bytes, that must stay free on the disk with the
// temporary files, for other programs.
const leastRoom = 256 << 20

// guard calls end, which ends the programs of a group, once they take too much memory, or once the
// disk with the folder own has less than leastRoom free. wait waits until the guard has stopped.
func guard(
	ctx context.Context,
	end context.CancelCauseFunc,
	group int,
	own string,
) (wait func()) {
	limit := resources.LimitOf(ctx)
	guarding := contained.Go(func() {
		defer end(nil) // a program must not run unguarded
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			if room, known := roomAt(own); known && room < leastRoom {
				end(&limitExceededError{disk: true, bytes: room})
			}
			if limit.Bytes == 0 {
				continue
			}
			if taken, _ := groupOf(os.DirFS("/proc"), group); taken > limit.Bytes {
				end(&limitExceededError{bytes: taken, limit: limit})
			}
		}
	})
	return guarding.Wait
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

// groupOf returns how much memory the programs of a process group take, from
// /proc, and whether any of them runs.
func groupOf(proc fs.FS, group int) (bytes int64, runs bool) {
	entries, err := fs.ReadDir(proc, ".")
	if err != nil {
		return 0, false
	}
	page := int64(os.Getpagesize())
	for _, e := range entries {
		if name := e.Name(); name[0] < '0' || name[0] > '9' {
			continue
		}
		text, err := fs.ReadFile(proc, e.Name()+"/stat")
		if err != nil {
			continue // it has ended
		}
		// The fields after the name, which may contain any characters, are
		// state, parent, group and so on; the 22nd is the size.
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		const state, inGroup, resident = 0, 2, 21
		if len(fields) <= resident || fields[inGroup] != strconv.Itoa(group) {
			continue
		}
		runs = runs || fields[state] != "Z" && fields[state] != "X"
		if pages, err := strconv.ParseInt(fields[resident], 10, 64); err == nil {
			bytes += pages * page
		}
	}
	return bytes, runs
}
