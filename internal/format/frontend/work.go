//go:build !js

package frontend

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/inev-lts/inev/internal/contained"
	"github.com/inev-lts/inev/internal/hint"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/internal/resources"
)

// work is the making of one model.
type work struct {
	tool *tool
	spec Specification
	// name is the name of the specification for people, folder is its folder, and path is the
	// path of its copy for the tool, which cannot be mistaken for an option.
	name, folder, path string
	programs           map[string]string
	inputs             inputs
	// key is the digest of everything on which the model depends.
	key    string
	memory int64
	// copiesToOriginals has pairs: the path of each copy, and the name of the file for
	// people.
	copiesToOriginals []string
}

// newWork finds the programs, and reads the files, for the making of a model.
func newWork(ctx context.Context, t *tool, s Specification, name string) (*work, error) {
	if err := inputfile.CheckModel(s.Path, name); err != nil {
		return nil, err
	}
	if !isFile(s.Path) {
		return nil, inputfile.NewError(name, 0,
			errors.New("is not a regular file, which a specification has to be, since its name is given to "+t.suite))
	}
	folder, err := filepath.Abs(filepath.Dir(s.Path))
	if err != nil {
		return nil, inputfile.FileError(name, err)
	}
	find := t.find
	if t.isTLC() {
		find = t.findTLC
	}
	programs, err := find(name, s.Path)
	if err != nil {
		return nil, err
	}
	read, err := t.inputsOf(ctx, s, name)
	if err != nil {
		return nil, err
	}
	key, err := read.cacheKey(programs)
	if err != nil {
		return nil, err
	}
	return &work{
		tool:     t,
		spec:     s,
		name:     name,
		folder:   folder,
		programs: programs,
		inputs:   read,
		key:      key,
	}, nil
}

func (t *tool) isTLC() bool { return t.suite == "TLC" }

// make runs the programs, and returns the path of the file that they wrote.
func (w *work) make(ctx context.Context, ownFolder string) (path string, err error) {
	w.memory = resources.LimitOf(ctx).Bytes
	w.path, err = w.copyInputs(ctx, ownFolder)
	if err != nil {
		return "", err
	}
	at := ownFolder
	if w.tool.usesShell {
		at = "" // programs run in that folder, whose name scripts need not take
	}
	steps, err := w.tool.steps(w, at)
	if err != nil {
		return "", err
	}
	for _, s := range steps {
		if err := w.run(ctx, s, ownFolder); err != nil {
			return "", err
		}
	}
	if err := w.checkUnchanged(); err != nil {
		return "", err
	}
	path = filepath.Join(ownFolder, "model"+w.tool.made)
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		last := steps[len(steps)-1]
		return "", inputfile.NewError(w.name, 0,
			fmt.Errorf("%s ended without an error, but wrote no model; run it by hand to see why: %s",
				last.program, w.tool.byHand(w.spec.Path)))
	}
	return path, w.addInitialStates(ctx, path, ownFolder)
}

// mostBytesOfInitialStates is the largest size of a graph of initial states.
const mostBytesOfInitialStates = 256 << 20

// addInitialStates replaces a graph of TLC without states, if there are constraints on states, by the
// graph of the initial states, all of them marked as outside of the constraints. Without constraints,
// it refuses a graph without states.
func (w *work) addInitialStates(ctx context.Context, path, ownFolder string) error {
	const header = 1 << 10 // more bytes than a graph without states has
	info, err := os.Stat(path)
	if err != nil {
		return inputfile.NewError(w.name, 0, err)
	}
	if !w.tool.isTLC() || info.Size() > header || statesIn(ctx, path) > 0 {
		return nil
	}
	if w.inputs.forGraph.withStepConstraints == "" {
		return inputfile.NewError(w.name, 0,
			errors.New("no state satisfies the initial predicate, so that TLC finds neither states nor violations: check the predicate and the values of constants"))
	}
	s, err := initialStatesStep(w, ownFolder)
	if err != nil {
		return err
	}
	if err := w.run(ctx, s, ownFolder); err != nil {
		return err
	}
	text, err := inputfile.ReadRegular(ctx, path, inputfile.Limit{
		Bytes:  mostBytesOfInitialStates,
		Remedy: "take a smaller constant",
	})
	if err != nil {
		return inputfile.FileError(w.name, err)
	}
	marked := bytes.ReplaceAll(text, []byte("\",style = filled]"),
		[]byte("\",style = filled,fillcolor=lightyellow]"))
	if err := os.WriteFile(path, marked, 0o600); err != nil {
		return inputfile.NewError(w.name, 0, noRoom(err))
	}
	return nil
}

// run runs a program until it ends, or until a limit or ctx ends it.
func (w *work) run(ctx context.Context, s step, ownFolder string) error {
	meter := progress.Start(ctx, "make the model by "+s.displayName(), progress.States, 0)
	printed := &output{states: func(line string) { s.countStates(meter, line) }}
	limited, end := context.WithCancelCause(ctx)
	defer end(nil)
	cmd := exec.CommandContext(limited, w.programs[s.program], s.arguments...)
	cmd.Dir = ownFolder
	cmd.Stdout = contained.Writer(printed)
	cmd.Stderr = contained.Writer(printed)
	cmd.Env = append(os.Environ(), "TMPDIR="+ownFolder, "TMP="+ownFolder, "TEMP="+ownFolder)
	inOwnGroup(cmd)
	cmd.Cancel = func() error { return endGroup(cmd.Process) }
	// Programs that hold the output open are ended, too, and not waited for.
	cmd.WaitDelay = time.Second
	watch := func() {
		defer end(nil) // a program must not run unwatched
		defer guard(limited, end, cmd.Process.Pid, ownFolder)()
		<-limited.Done()
	}
	err := runToEnd(limited, cmd, watch, func() { end(nil) })
	var exceeded *limitExceededError
	switch {
	case ctx.Err() != nil:
		return w.endedBy(ctx, s, ownFolder)
	case errors.As(context.Cause(limited), &exceeded):
		return w.endedByLimit(ctx, s, exceeded, ownFolder)
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		return w.failure(ctx, s, err, printed)
	}
	// Some programs do not report that they could not write everything: their
	// output may look complete, and is not.
	if room, known := roomAt(ownFolder); known && room < writtenAtOnce {
		exceeded = &limitExceededError{disk: true, bytes: room}
		return w.endedByLimit(ctx, s, exceeded, ownFolder)
	}
	return nil
}

// endedByLimit returns the error of a program that was ended since it took too much memory or room.
func (w *work) endedByLimit(ctx context.Context, s step, exceeded *limitExceededError, own string) error {
	switch {
	case w.inputs.forGraph.merging != "":
		return w.graphTooLarge(ctx, exceeded, own, exceeded.Error())
	case exceeded.disk:
		return inputfile.NewError(w.name, 0,
			hint.New(exceeded,
				fmt.Sprintf("%s was ended: %v; make room there, name another folder by TMPDIR, or make the specification smaller", s.displayName(), exceeded)))
	}
	return inputfile.NewError(w.name, 0,
		hint.New(exceeded,
			fmt.Sprintf("%s was ended: %v; make the specification smaller, or ", s.displayName(),
				exceeded), hint.MoreMemory))
}

// endedBy returns the error of a program that the context ended. If the time was over, the error names the
// program: the time may have been too short for a model that is large, or the program may stand still.
func (w *work) endedBy(ctx context.Context, s step, ownFolder string) error {
	switch {
	case !errors.Is(ctx.Err(), context.DeadlineExceeded):
		return ctx.Err()
	case w.inputs.forGraph.merging != "":
		return w.graphTooLarge(ctx, context.Cause(ctx), ownFolder, "the time is over")
	}
	return inputfile.NewError(w.name, 0,
		hint.New(&limitError{context.Cause(ctx)},
			fmt.Sprintf("%s was still making the model when the time was over; allow more time, or make the specification smaller",
				s.displayName())))
}

// graphTooLarge returns the error of a graph that exceeded a limit. The reason may be that inev leaves
// out the statement of the configuration that merges states.
func (w *work) graphTooLarge(ctx context.Context, cause error, own, limit string) error {
	c := w.inputs.forGraph
	size := "is not whole"
	n := statesIn(context.WithoutCancel(ctx), filepath.Join(own, "model"+w.tool.made))
	if n > 0 {
		size = fmt.Sprintf("has more than %s states", progress.States.Format(n))
	}
	text := fmt.Sprintf("without %s, which temporal properties do not survive, the graph %s, and %s; take a smaller constant", c.merging, size, limit)
	return inputfile.NewError(w.inputs.config.path, c.mergingLine,
		hint.New(&limitError{cause}, text))
}

// limitError is the error of a limit that ended a program. It hides the context's own error from
// callers, which would replace that error by a message without the remedy.
type limitError struct{ cause error }

func (e *limitError) Error() string { return e.cause.Error() }

// statesIn counts the states that TLC has written to a graph, at most those in its first part.
func statesIn(ctx context.Context, path string) (n int64) {
	const most = 256 << 20
	file, err := inputfile.OpenRegular(ctx, path)
	if err != nil {
		return 0
	}
	defer file.Close()
	in := bufio.NewScanner(io.LimitReader(file, most))
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		name, _, is := bytes.Cut(in.Bytes(), []byte(` [label="`))
		if is && !bytes.Contains(name, []byte("->")) {
			n++
		}
	}
	return n
}

// writtenAtOnce is more than any program writes by one call, in bytes: with less room on the disk,
// a call may have failed.
const writtenAtOnce = 1 << 20

// displayName returns the name of the program for people.
func (s step) displayName() string {
	if s.program == "java" || s.program == "tlc" {
		return "TLC"
	}
	return s.program
}

// runToEnd runs the command, with watch at the same time, and calls ended once
// the command has ended. One thread does all of this, because the system ends
// the child process with the thread that started it.
func runToEnd(ctx context.Context, cmd *exec.Cmd, watch, ended func()) error {
	begun := make(chan struct{})
	var failed error
	running := contained.Go(func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		// While the program begins, this thread counts as one of GOMAXPROCS. If that is 1, no other
		// goroutine could handle a signal to this process.
		if runtime.GOMAXPROCS(0) == 1 {
			runtime.GOMAXPROCS(2)
			defer runtime.GOMAXPROCS(1)
		}
		func() {
			defer close(begun)
			failed = cmd.Start()
		}()
		if failed != nil {
			return
		}
		watching := contained.Go(watch)
		failed = cmd.Wait()
		// This ends programs that the program has started and left running.
		_ = endGroup(cmd.Process)
		awaitEnd(cmd.Process)
		ended()
		watching.Wait()
	})
	if !hasBegun(ctx, begun, 5*time.Second) {
		return ctx.Err()
	}
	running.Wait()
	contained.Again(failed) // panics if the writer of the program's output has panicked
	return failed
}

// hasBegun waits for a program to begin, and reports whether it has; once ctx is done, it waits at most
// for patience. A program that a signal stops before it has begun keeps [exec.Cmd.Start] waiting
// until it is continued; the system ends it with this process.
func hasBegun(ctx context.Context, started <-chan struct{}, patience time.Duration) bool {
	select {
	case <-started:
		return true
	case <-ctx.Done():
	}
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	select {
	case <-started:
		return true
	case <-deadline.C:
		return false
	}
}

// countStates reads the number of states from a line of the output.
func (s step) countStates(meter *progress.Meter, line string) {
	if s.states == nil || meter == nil {
		return
	}
	found := s.states().FindStringSubmatch(line)
	if found == nil {
		return
	}
	n, err := strconv.ParseInt(strings.ReplaceAll(found[1], ",", ""), 10, 64)
	if err == nil && n > meter.Done() {
		meter.Add(n - meter.Done())
	}
}

// limitExceededError is the error of a program that exceeded a limit.
type limitExceededError struct {
	disk  bool
	bytes int64
	limit resources.Limit
}

func (e *limitExceededError) Error() string {
	if e.disk {
		return fmt.Sprintf("only %s are left where temporary files are",
			progress.Bytes.Format(e.bytes))
	}
	return fmt.Sprintf("it took %s of memory, but only %s are %s", progress.Bytes.Format(e.bytes),
		progress.Bytes.Format(e.limit.Bytes), e.limit.By)
}

const (
	// keptLines is the number of lines that are kept at the beginning and at the end of the
	// output, and keptBytes is the number of bytes of each line: a program may write without
	// end.
	keptLines = 200
	keptBytes = 500
	// shownLines is the largest number of kept lines that a message shows.
	shownLines = 20
)
