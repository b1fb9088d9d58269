//go:build !js

package frontend

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/internal/remedy"
	"github.com/inev-lts/inev/internal/resources"
)

// run runs a program until it ends, or until a limit or ctx ends it.
func (w *work) run(ctx context.Context, s step, own string) error {
	meter := progress.Start(ctx, "make the model by "+s.shown(), progress.States, 0)
	said := &output{states: func(line string) { s.count(meter, line) }}
	limited, end := context.WithCancelCause(ctx)
	defer end(nil)
	cmd := exec.CommandContext(limited, w.programs[s.program], s.arguments...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = own, said, said
	cmd.Env = environment(own)
	together(cmd)
	cmd.Cancel = func() error { return endAll(cmd.Process) }
	// Programs that hold the output open are ended, too, and not waited for.
	cmd.WaitDelay = time.Second
	err := started(limited, cmd, func() {
		defer guard(limited, end, cmd.Process.Pid, own)()
		<-limited.Done()
	}, func() { end(nil) })
	switch cause := context.Cause(limited); {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(cause, new(*tooMuchError)):
		return inputfile.NewError(w.name, 0, w.excess(s, cause))
	case err == nil || errors.Is(err, exec.ErrWaitDelay):
		// Some programs do not report that they could not write everything: their
		// output may look complete, and is not.
		if room, known := roomAt(own); known && room < writtenAtOnce {
			much := &tooMuchError{disk: true, bytes: room}
			return inputfile.NewError(w.name, 0, w.excess(s, much))
		}
		return nil
	}
	return w.failed(s, err, said)
}

// writtenAtOnce is more than any program writes by one call, in bytes: with less room on the disk,
// a call may have failed.
const writtenAtOnce = 1 << 20

// shown returns the name of the program for people.
func (s step) shown() string {
	if s.program == "java" || s.program == "tlc" {
		return "TLC"
	}
	return s.program
}

// started runs the command, with watch at the same time, and calls ended once
// the command has ended. One thread does all of this, because the system ends
// the child process with the thread that started it.
func started(ctx context.Context, cmd *exec.Cmd, watch, ended func()) error {
	begun, done := make(chan struct{}), make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		// While the program begins, this thread counts as one of GOMAXPROCS. If that is 1, no other
		// goroutine could handle a signal to this process.
		if runtime.GOMAXPROCS(0) == 1 {
			runtime.GOMAXPROCS(2)
			defer runtime.GOMAXPROCS(1)
		}
		err := cmd.Start()
		close(begun)
		if err != nil {
			done <- err
			return
		}
		over := make(chan struct{})
		go func() {
			defer close(over)
			watch()
		}()
		err = cmd.Wait()
		// This ends programs that the program has left after.
		_ = endAll(cmd.Process)
		awaitEnd(cmd.Process)
		ended()
		<-over
		done <- err
	}()
	return outcome(ctx, begun, done, 5*time.Second)
}

// outcome returns the value of done. Once ctx is done, it waits at most the time
// patience for the program to begin. A program that a signal stops before it has
// begun keeps [exec.Cmd.Start] waiting until it is continued; the system ends it
// with this process.
func outcome(ctx context.Context, begun <-chan struct{}, done <-chan error, patience time.Duration) error {
	select {
	case <-begun:
		return <-done
	case <-ctx.Done():
	}
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case <-begun:
		return <-done
	case <-late.C:
		return ctx.Err()
	}
}

// environment is that of this process, with another folder for temporary files.
func environment(own string) []string {
	return append(os.Environ(), "TMPDIR="+own, "TMP="+own, "TEMP="+own)
}

// count reads the number of states from a line of the output.
func (s step) count(meter *progress.Meter, line string) {
	if s.states == nil || meter == nil {
		return
	}
	found := s.states.FindStringSubmatch(line)
	if found == nil {
		return
	}
	n, err := strconv.ParseInt(strings.ReplaceAll(found[1], ",", ""), 10, 64)
	if err == nil && n > meter.Done() {
		meter.Add(n - meter.Done())
	}
}

// tooMuchError is the error of a program that exceeded a limit.
type tooMuchError struct {
	disk  bool
	bytes int64
	limit resources.Limit
}

func (e *tooMuchError) Error() string {
	if e.disk {
		return fmt.Sprintf("only %s are left where temporary files are", progress.Bytes.Format(e.bytes))
	}
	return fmt.Sprintf("it took %s of memory, and %s are %s", progress.Bytes.Format(e.bytes), progress.Bytes.Format(e.limit.Bytes), e.limit.By)
}

// excess is the error of a program that was ended because it exceeded a limit.
func (w *work) excess(s step, cause error) error {
	var much *tooMuchError
	if errors.As(cause, &much) && much.disk {
		return remedy.New(cause, fmt.Sprintf("%s was ended: %v; make room there, name another folder by TMPDIR, or make the specification smaller", s.shown(), cause))
	}
	return remedy.New(cause, fmt.Sprintf("%s was ended: %v; make the specification smaller, or ", s.shown(), cause), remedy.MoreMemory)
}
