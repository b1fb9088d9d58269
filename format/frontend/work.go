//go:build !js

package frontend

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/inev-lts/inev/internal/abort"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/internal/remedy"
	"github.com/inev-lts/inev/internal/resources"
)

// work is the making of one model.
type work struct {
	tool *tool
	spec Specification
	// name is the name of the specification for people, folder its folder, and
	// path the path of its copy for the tool, which cannot be mistaken for an
	// option.
	name, folder, path string
	programs           map[string]string
	inputs             inputs
	// key is the digest of everything on which the model depends.
	key    string
	memory int64
	// shown has pairs: the path of each copy, and the name of the file for
	// people.
	shown []string
}

func newWork(ctx context.Context, t *tool, s Specification, name string) *work {
	abort.On(inputfile.CheckModel(s.Path, name))
	if !isFile(s.Path) {
		abort.On(inputfile.NewError(name, 0, errors.New("is not a regular file, which a specification has to be: "+t.suite+" reads it by its name")))
	}
	folder, err := filepath.Abs(filepath.Dir(s.Path))
	if err != nil {
		abort.On(inputfile.FileError(name, err))
	}
	w := &work{tool: t, spec: s, name: name, folder: folder}
	if t.isTLC() {
		w.programs = abort.Must(t.findTLC(name, s.Path))
	} else {
		w.programs = t.find(name, s.Path)
	}
	w.inputs = t.inputsOf(ctx, s, name)
	w.key = abort.Must(w.inputs.with(w.programs))
	return w
}

func (t *tool) isTLC() bool { return t.suite == "TLC" }

// make runs the programs, and returns the path of the file that they wrote.
func (w *work) make(ctx context.Context, own string) (path string, warnings []string) {
	w.memory = resources.LimitOf(ctx).Bytes
	w.path = w.copyInputs(ctx, own)
	at := own
	if w.tool.shells {
		at = "" // programs run in that folder, whose name scripts need not take
	}
	steps := w.tool.steps(w, at)
	for _, s := range steps {
		w.run(ctx, s, own)
	}
	w.unchanged()
	path = filepath.Join(own, "model"+w.tool.made)
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		last := steps[len(steps)-1]
		abort.On(inputfile.NewError(w.name, 0, fmt.Errorf("%s ended without an error, and wrote no model; run it by hand to see why: %s",
			last.program, w.tool.byHand(word(w.spec.Path), stemOf(w.spec.Path)))))
	}
	return path, w.cautions()
}

// cautions are warnings about a model that was made in this way.
func (w *work) cautions() (warnings []string) {
	if !w.tool.isTLC() {
		return nil
	}
	if statement := merges(w.inputs.configText); statement != "" {
		warnings = append(warnings, fmt.Sprintf("%s: %s lets TLC take different states for one, so what is said of runs may be wrong; leave it out to be sure", w.inputs.config.path, statement))
	}
	return warnings
}

// run runs a program until it ends, or until a limit or ctx ends it.
func (w *work) run(ctx context.Context, s step, own string) {
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
		abort.On(ctx.Err())
	case errors.As(cause, new(*tooMuchError)):
		abort.On(inputfile.NewError(w.name, 0, w.excess(s, cause)))
	case err == nil || errors.Is(err, exec.ErrWaitDelay):
		// Some programs do not report that they could not write everything: their
		// output may look complete, and is not.
		if room, known := roomAt(own); known && room < writtenAtOnce {
			much := &tooMuchError{disk: true, bytes: room}
			abort.On(inputfile.NewError(w.name, 0, w.excess(s, much)))
		}
	default:
		abort.On(w.failed(s, err, said))
	}
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

const (
	// keptLines is the number of lines that are kept at the beginning and at the
	// end of the output, and keptBytes the number of bytes of each line: a
	// program may write without end.
	keptLines = 200
	keptBytes = 500
	// shownLines is the largest number of kept lines that a message shows.
	shownLines = 20
)

// output is the output of a program. Writing to it never fails.
type output struct {
	states      func(line string)
	line        []byte
	cut         bool // the rest of the line is left out
	first, last []string
	total       int
}

func (o *output) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		end := bytes.IndexAny(p, "\n\r")
		if end < 0 {
			o.add(p)
			break
		}
		o.add(p[:end])
		o.endLine()
		p = p[end+1:]
	}
	return n, nil
}

func (o *output) add(p []byte) {
	room := keptBytes - len(o.line)
	if len(p) > room {
		p, o.cut = p[:max(room, 0)], true
	}
	o.line = append(o.line, p...)
}

func (o *output) endLine() {
	text := strings.TrimRight(strings.ToValidUTF8(string(o.line), string(utf8.RuneError)), " \t")
	if o.cut {
		text += " …"
	}
	o.line, o.cut = o.line[:0], false
	if strings.TrimSpace(text) == "" {
		return
	}
	o.states(text)
	o.total++
	switch {
	case len(o.first) < keptLines:
		o.first = append(o.first, text)
	case len(o.last) == keptLines:
		copy(o.last, o.last[1:])
		o.last[keptLines-1] = text
	default:
		o.last = append(o.last, text)
	}
}

// failedError is the error of a tool that did not make a model.
type failedError struct {
	// file is the specification, program the program that failed, and reason how
	// it ended.
	file, program, reason string
	// cause is the most informative line of the output; "" if there is no output.
	cause string
	lines []string
	total int
	err   error
}

// Error returns one line.
func (e *failedError) Error() string {
	text := fmt.Sprintf("%s: %s failed (%s)", e.file, e.program, e.reason)
	if e.cause != "" {
		text += ": " + e.cause
	} else {
		text += ", and said nothing"
	}
	return text
}

// Said returns the output of the tool, the last line first, at most 20 of total
// lines, with positions in files as FILE:LINE:COLUMN.
func (e *failedError) Said() (lines []string, total int) { return e.lines, e.total }

// Unwrap returns the error of the system.
func (e *failedError) Unwrap() error { return e.err }

// failed returns the error of a program that failed.
func (w *work) failed(s step, err error, said *output) error {
	said.endLine()
	e := &failedError{file: w.name, program: s.shown(), reason: err.Error(), total: said.total, err: err}
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Exited() {
		e.reason = fmt.Sprintf("exit code %d", exit.ExitCode())
	}
	var lines []string
	for _, line := range slices.Concat(said.first, said.last) {
		lines = append(lines, w.clickable(line))
	}
	e.cause = w.mostTelling(lines)
	slices.Reverse(lines)
	e.lines = lines[:min(len(lines), shownLines)]
	return e
}

var (
	inModule = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\bline (\d+), col(?:umn)? (\d+)(?: to line \d+, col(?:umn)? \d+)? (?:of module|in) (\w+)`)
	})
	inLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)\bline (\d+),? col(?:umn)? (\d+)`) })
)

// clickable rewrites positions in files to FILE:LINE:COLUMN, which programs
// and terminals follow, with the names that the user gave.
func (w *work) clickable(line string) string {
	line = inModule().ReplaceAllStringFunc(line, func(found string) string {
		m := inModule().FindStringSubmatch(found)
		file := filepath.Join(filepath.Dir(w.spec.Path), m[3]+filepath.Ext(w.spec.Path))
		if !isFile(file) {
			return found
		}
		return file + ":" + m[1] + ":" + m[2]
	})
	line = inLine().ReplaceAllString(line, strings.ReplaceAll(w.spec.Path, "$", "$$")+":$1:$2")
	return strings.NewReplacer(w.shown...).Replace(line)
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

var (
	telling = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)error|exception|fail|cannot|not found|invalid|unknown`)
	})
	// mismatch matches a cause that TLC prints on the line after the
	// announcement of an error.
	mismatch = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`does not match the name`) })
)

// mostTelling returns the first line with a position in the specification,
// else the first with a known cause, else the first that mentions an error,
// else the last line.
func (w *work) mostTelling(lines []string) string {
	place := regexp.MustCompile(regexp.QuoteMeta(strings.TrimSuffix(w.spec.Path, filepath.Ext(w.spec.Path))) + `\.\w+:\d+`)
	for _, sign := range []*regexp.Regexp{place, mismatch(), telling()} {
		for _, line := range lines {
			if sign.MatchString(line) && len(strings.Fields(line)) > 1 {
				return strings.TrimSpace(line)
			}
		}
	}
	if len(lines) == 0 {
		return ""
	}
	return strings.TrimSpace(lines[len(lines)-1])
}
