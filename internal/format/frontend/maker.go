//go:build !js

// Package frontend makes models of specifications by the tools that are
// installed: mCRL2, TLC, CADP, and SpinS with LTSmin. It is the only package that
// runs programs.
//
// A tool gets a list of arguments and never a shell, works in a temporary folder
// of its own, and is ended, with all programs that it started, at the limit of
// time or memory. A model is kept in a cache, if there is one, under a key of
// everything that it was made from.
//
// When a call returns, no program that it started runs, and its temporary
// folder holds only models that were made.
package frontend

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
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

	"github.com/inev-lts/inev/format"
	"github.com/inev-lts/inev/internal/contained"
	"github.com/inev-lts/inev/internal/hint"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/internal/stoppable"
	"github.com/inev-lts/inev/internal/wholefile"
)

// Maker makes models. A tool and the programs that it starts get at most the
// memory of the context: this is enforced on Linux only, but TLC obeys it on
// every system. Until [Maker.Close], a Maker makes each model only once. Its
// methods may be called by many goroutines; its fields must be set before. A nil
// Maker makes none.
type Maker struct {
	// Cache is the folder that keeps models between runs; "" for none.
	Cache string

	mu sync.Mutex
	// folder has the models that are in no cache; "" if there are none yet.
	folder string
	made   map[string]*stoppable.Once[string] // the paths of models by key
	closed bool
}

// cache returns where models are kept.
func (m *Maker) cache() cache {
	return cache{
		folder:    m.Cache,
		mostBytes: cacheLimit,
		now:       time.Now,
	}
}

// Close removes the models that are in no cache.
func (m *Maker) Close() error {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	if m.folder == "" {
		return nil
	}
	return removeFolder(m.folder)
}

// Open reads a model as [format.Open] does; if the file is a specification, it
// makes the model first. Then its digest is [Specification.Digest], and the
// values of states are those that the tool wrote.
//
// Errors are as for [format.Open]. If a tool fails, the error has a method Said()
// (lines []string, total int) with the output of the tool: at most 20 of total
// lines, the last one first. Cost: that of the tool.
func (m *Maker) Open(
	ctx context.Context,
	s Specification,
	o format.Options,
) (model *format.Model, warnings []string, err error) {
	o.Name = cmp.Or(o.Name, s.Path)
	f := toolFor(s.Path)
	switch {
	case f == nil:
		return format.Open(ctx, s.Path, o)
	case s.IsComposed():
		return s.compose(ctx, o)
	case m == nil:
		return nil, nil, inputfile.NewError(o.Name, 0,
			fmt.Errorf("this is %s; make a model of it first: %s", f.language,
				f.byHand(s.Path)))
	}
	w, err := newWork(ctx, f, s, o.Name)
	if err != nil {
		return nil, nil, err
	}
	const tries = 2 // another process may remove the model from the cache
	return m.openMade(ctx, w, o, tries)
}

// openMade makes the model if nobody has, and reads it. If the file of the model is gone, it tries again.
func (m *Maker) openMade(
	ctx context.Context,
	w *work,
	o format.Options,
	tries int,
) (*format.Model, []string, error) {
	entry, err := m.entryFor(w.key)
	if err != nil {
		return nil, nil, err
	}
	path, err := entry.Do(ctx, func() (string, error) { return m.produce(ctx, w) }, func(error) bool {
		return false
	})
	if err != nil {
		return nil, nil, err
	}
	model, warnings, err := w.readMade(ctx, path, o)
	switch {
	case errors.Is(err, fs.ErrNotExist) && tries > 1:
		m.forget(w.key, entry)
		return m.openMade(ctx, w, o, tries-1)
	case err == nil && w.spec.Keep != "":
		return model, warnings, copyFile(ctx, path, w.spec.Keep)
	}
	return model, warnings, err
}

// forget removes the entry of a key, so that its model is made anew.
func (m *Maker) forget(key string, entry *stoppable.Once[string]) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.made[key] == entry {
		delete(m.made, key)
	}
}

// readMade reads the model that was made. It returns just the errors of [format.Open].
func (w *work) readMade(
	ctx context.Context,
	path string,
	o format.Options,
) (*format.Model, []string, error) {
	digest := o.Digest
	o.Digest = false
	model, warnings, err := format.Open(ctx, path, o)
	if err != nil {
		return nil, nil, err
	}
	model.Format = model.Format.Made()
	if err := w.checkUnchanged(); err != nil {
		return nil, nil, err
	}
	model.File = w.inputs.files[0].info
	if digest {
		model.Digest = w.inputs.digestOfAll
	}
	return model, warnings, nil
}

// entryFor returns the place for the model of a key, which is empty until the model is made.
func (m *Maker) entryFor(key string) (*stoppable.Once[string], error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, errors.New("the maker of models is closed")
	}
	if m.made == nil {
		m.made = map[string]*stoppable.Once[string]{}
	}
	if m.made[key] == nil {
		m.made[key] = &stoppable.Once[string]{}
	}
	return m.made[key], nil
}

// produce makes a model, unless the cache has it, and returns its path.
func (m *Maker) produce(ctx context.Context, w *work) (path string, err error) {
	if path, found := m.cache().find(ctx, w.key, w.tool.made); found {
		return path, nil
	}
	folder, err := m.temporaryFolder()
	runFolder := ""
	if err == nil {
		runFolder, err = os.MkdirTemp(folder, "run-")
	}
	if err != nil {
		return "", inputfile.NewError(w.name, 0,
			hint.New(err, "no temporary folder to make a model in: "+err.Error()))
	}
	defer func() { err = errors.Join(err, removeFolder(runFolder)) }()
	written, err := w.make(ctx, runFolder)
	if err != nil {
		return "", err
	}
	// A tool may have read another version of a file that was not copied.
	readsOriginals := slices.ContainsFunc(w.inputs.files, func(f input) bool { return f.isOutside })
	if !readsOriginals {
		if kept := m.cache().store(ctx, w, written); kept != "" {
			return kept, nil
		}
	}
	path = filepath.Join(folder, w.key+w.tool.made)
	return path, os.Rename(written, path)
}

// temporaryFolder returns the folder for models that are in no cache.
func (m *Maker) temporaryFolder() (folder string, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.folder != "" {
		return m.folder, nil
	}
	temporary, err := filepath.Abs(os.TempDir())
	if err != nil {
		return "", err
	}
	m.folder, err = os.MkdirTemp(temporary, "inev-model-")
	return m.folder, err
}

func copyFile(ctx context.Context, from, to string) error {
	in, err := inputfile.OpenRegular(ctx, from)
	if err != nil {
		return err
	}
	defer in.Close()
	return wholefile.WriteContext(ctx, to, func(out io.Writer) error {
		_, err := io.Copy(out, stoppable.EachRead(ctx, in))
		return err
	})
}

// removeFolder removes a folder, with several attempts, because a program that was
// ended may still write its last bytes.
func removeFolder(folder string) (err error) {
	for range 20 {
		if err = os.RemoveAll(folder); err == nil {
			return nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	return err
}

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
func (w *work) make(ctx context.Context, own string) (path string, err error) {
	w.memory = resources.LimitOf(ctx).Bytes
	w.path, err = w.copyInputs(ctx, own)
	if err != nil {
		return "", err
	}
	at := own
	if w.tool.usesShell {
		at = "" // programs run in that folder, whose name scripts need not take
	}
	steps, err := w.tool.steps(w, at)
	if err != nil {
		return "", err
	}
	for _, s := range steps {
		if err := w.run(ctx, s, own); err != nil {
			return "", err
		}
	}
	if err := w.checkUnchanged(); err != nil {
		return "", err
	}
	path = filepath.Join(own, "model"+w.tool.made)
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		last := steps[len(steps)-1]
		return "", inputfile.NewError(w.name, 0,
			fmt.Errorf("%s ended without an error, but wrote no model; run it by hand to see why: %s",
				last.program, w.tool.byHand(w.spec.Path)))
	}
	return path, w.addInitialStates(ctx, path, own)
}

// mostBytesOfInitialStates is the largest size of a graph of initial states.
const mostBytesOfInitialStates = 256 << 20

// addInitialStates replaces a graph of TLC without states, if there are constraints on states, by the
// graph of the initial states, all of them marked as outside of the constraints. Without constraints,
// it refuses a graph without states.
func (w *work) addInitialStates(ctx context.Context, path, own string) error {
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
	s, err := initialStatesStep(w, own)
	if err != nil {
		return err
	}
	if err := w.run(ctx, s, own); err != nil {
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
func (w *work) run(ctx context.Context, s step, own string) error {
	meter := progress.Start(ctx, "make the model by "+s.displayName(), progress.States, 0)
	printed := &output{states: func(line string) { s.countStates(meter, line) }}
	limited, end := context.WithCancelCause(ctx)
	defer end(nil)
	cmd := exec.CommandContext(limited, w.programs[s.program], s.arguments...)
	cmd.Dir = own
	cmd.Stdout = contained.Writer(printed)
	cmd.Stderr = contained.Writer(printed)
	cmd.Env = append(os.Environ(), "TMPDIR="+own, "TMP="+own, "TEMP="+own)
	inOwnGroup(cmd)
	cmd.Cancel = func() error { return endGroup(cmd.Process) }
	// Programs that hold the output open are ended, too, and not waited for.
	cmd.WaitDelay = time.Second
	watch := func() {
		defer end(nil) // a program must not run unwatched
		defer guard(limited, end, cmd.Process.Pid, own)()
		<-limited.Done()
	}
	err := runToEnd(limited, cmd, watch, func() { end(nil) })
	var exceeded *limitExceededError
	switch {
	case ctx.Err() != nil:
		return w.endedBy(ctx, s, own)
	case errors.As(context.Cause(limited), &exceeded):
		return w.endedByLimit(ctx, s, exceeded, own)
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		return w.failure(ctx, s, err, printed)
	}
	// Some programs do not report that they could not write everything: their
	// output may look complete, and is not.
	if room, known := roomAt(own); known && room < writtenAtOnce {
		exceeded = &limitExceededError{disk: true, bytes: room}
		return w.endedByLimit(ctx, s, exceeded, own)
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
func (w *work) endedBy(ctx context.Context, s step, own string) error {
	switch {
	case !errors.Is(ctx.Err(), context.DeadlineExceeded):
		return ctx.Err()
	case w.inputs.forGraph.merging != "":
		return w.graphTooLarge(ctx, context.Cause(ctx), own, "the time is over")
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
	return fmt.Sprintf("it took %s of memory, and %s are %s", progress.Bytes.Format(e.bytes),
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

// output is the output of a program. Writing to it never fails.
type output struct {
	states      func(line string)
	line        []byte
	lineIsCut   bool // the rest of the line is left out
	first, last []string
	total       int
}

// Write takes what a program prints, in pieces of any length. A carriage return ends a line, too, since programs
// show their progress by it.
func (o *output) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		end := bytes.IndexAny(p, "\n\r")
		if end < 0 {
			o.appendToLine(p)
			break
		}
		o.appendToLine(p[:end])
		o.endLine()
		p = p[end+1:]
	}
	return n, nil
}

func (o *output) appendToLine(p []byte) {
	room := keptBytes - len(o.line)
	if len(p) > room {
		p = p[:max(room, 0)]
		o.lineIsCut = true
	}
	o.line = append(o.line, p...)
}

// endLine ends a line of the output. Unless it is blank, it is kept among the first or the last lines.
func (o *output) endLine() {
	text := strings.TrimRight(strings.ToValidUTF8(string(o.line), string(utf8.RuneError)),
		" \t")
	if o.lineIsCut {
		text += " …"
	}
	o.line = o.line[:0]
	o.lineIsCut = false
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
	// file is the specification, program is the program that failed, and reason is
	// how it ended.
	file, program, reason string
	// cause is the most informative line of the output; "" if there is no output.
	cause string
	// isRefused reports that the tool does not take the specification, and that cause says where and why.
	isRefused bool
	lines     []string
	total     int
	err       error
}

// Error returns one line.
func (e *failedError) Error() string {
	text := fmt.Sprintf("%s: %s failed (%s)", e.file, e.program, e.reason)
	if e.isRefused {
		text = fmt.Sprintf("%s: %s does not take the specification", e.file, e.program)
	}
	if e.cause != "" {
		text += ": " + e.cause
		remedy := remedyFor(e.cause)
		if remedy != "" {
			text = strings.TrimSuffix(text, ".") + remedy
		}
	} else {
		text += ", and said nothing"
	}
	return text
}

// remedyFor returns a clause about what to do where a module, an operator of one, a constant or the next-state relation is missing, and where TLC evaluates a failing
// assertion: it then writes no more states, and so the graph is not whole. It returns "" for other errors.
func remedyFor(cause string) string {
	constant := unassigned().FindStringSubmatch(cause)
	module := missingModule().FindStringSubmatch(cause)
	operator := undefinedOperator().FindStringSubmatch(cause)
	switch {
	case operator != nil && definedBy()[operator[1]] != "":
		return fmt.Sprintf("; EXTENDS %s defines it", definedBy()[operator[1]])
	case constant != nil:
		return "; write " + constant[1] + " = VALUE after CONSTANT in the configuration"
	case module != nil && ofProofs()[module[1]]:
		return "; it belongs to the proof system, whose folder library has it (https://github.com/tlaplus/tlapm): name this folder as a library"
	case module != nil && ofCommunity()[module[1]]:
		return "; it is a community module: put CommunityModules-deps.jar (https://github.com/tlaplus/CommunityModules) beside tla2tools.jar"
	case strings.Contains(cause, "did not specify the initial state predicate"):
		return "; write SPECIFICATION Spec, or INIT and NEXT, in the configuration"
	case strings.Contains(cause, "No next state actions defined"):
		return "; SPECIFICATION needs a definition such as Spec == Init /\\ [][Next]_vars"
	case strings.Contains(cause, "Cannot find source file for module"):
		return "; put the module next to the specification, or name its folder as a library"
	case !strings.Contains(cause, "argument of Assert evaluated to FALSE"):
		return ""
	}
	return "; TLC ends at an assertion that fails: leave it out, and write what it asserts as an INVARIANT, which inev explains"
}

// ofProofs are modules of the proof system TLAPS, which TLC needs to read proofs. ofCommunity are community modules.
var (
	ofProofs = sync.OnceValue(func() map[string]bool {
		return namesIn("TLAPS BagsTheorems FiniteSetTheorems NaturalsInduction SequenceTheorems WellFoundedInduction")
	})
	ofCommunity = sync.OnceValue(func() map[string]bool {
		return namesIn("BagsExt Bitwise CSV Combinatorics DyadicRationals FiniteSetsExt FiniteSetsExtTheorems Folds FoldsTheorems FunctionTheorems Functions GraphTheorems GraphViz Graphs HTML IOUtils Quorum QuorumTheorems Relation SVG SequencesExt SequencesExtTheorems ShiViz Statistics UndirectedGraphs VectorClocks")
	})
)

// definedBy maps the operators of the standard modules that users forget to extend to these modules.
var definedBy = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for module, operators := range map[string]string{
		"Naturals":   `+ - * ^ < > =< <= >= \leq \geq % \div .. Nat`,
		"Integers":   "-. Int",
		"Sequences":  `Append Head Len SelectSeq Seq SubSeq Tail \o \circ`,
		"FiniteSets": "Cardinality IsFiniteSet",
		"TLC":        ":> @@ Assert Permutations Print PrintT SortSeq ToString",
	} {
		for operator := range namesIn(operators) {
			all[operator] = module
		}
	}
	return all
})

func namesIn(list string) map[string]bool {
	all := map[string]bool{}
	for _, name := range strings.Fields(list) {
		all[name] = true
	}
	return all
}

// Said returns the output of the tool, the last line first, at most 20 of total
// lines, with positions in files as FILE:LINE:COLUMN.
func (e *failedError) Said() (lines []string, total int) { return e.lines, e.total }

// Unwrap returns the error of the system.
func (e *failedError) Unwrap() error { return e.err }

// failure returns the error of a program that failed.
func (w *work) failure(ctx context.Context, s step, err error, printed *output) error {
	printed.endLine()
	e := &failedError{
		file:    w.name,
		program: s.displayName(),
		reason:  err.Error(),
		total:   printed.total,
		err:     err,
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.Exited() {
		e.reason = fmt.Sprintf("exit code %d", exit.ExitCode())
	}
	var lines []string
	for _, line := range slices.Concat(printed.first, printed.last) {
		lines = append(lines, w.withFilePositions(line))
	}
	e.cause = w.withPlaceOfName(ctx, w.likelyCause(lines))
	if slices.ContainsFunc(lines, failingAtPercent().MatchString) {
		e.cause = "Unknown operator: '%'"
		e.isRefused = true
		e.total = 0
		return e
	}
	if numErrors, isRefusal := refusalOfTLC(lines); isRefusal && aPlace().MatchString(e.cause) {
		e.isRefused = true
		e.total = 0 // the other lines repeat the error, or list the constructs around it
		if numErrors > 1 {
			e.cause = fmt.Sprintf("%s (the first of %d errors)", strings.TrimSuffix(e.cause, "."), numErrors)
		}
		return e
	}
	slices.Reverse(lines)
	e.lines = lines[:min(len(lines), shownLines)]
	return e
}

// refusalOfTLC reports whether TLC's parser has refused the specification, and how many errors it counts.
func refusalOfTLC(lines []string) (numErrors int, isRefusal bool) {
	isRefusal = slices.Contains(lines, "Error: Parsing or semantic analysis failed.")
	for _, line := range lines {
		count := countOfErrors().FindStringSubmatch(line)
		if count != nil {
			numErrors, _ = strconv.Atoi(count[1])
		}
	}
	return numErrors, isRefusal
}

var (
	inModule = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\bline (\d+), col(?:umn)? (\d+)(?: to line \d+, col(?:umn)? \d+)? (?:of module|in) (\w+)`)
	})
	inLine = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\bline (\d+),? col(?:umn)? (\d+)`)
	})
)

// withFilePositions rewrites positions in files to FILE:LINE:COLUMN, which programs
// and terminals follow, with the names that the user gave.
func (w *work) withFilePositions(line string) string {
	line = inModule().ReplaceAllStringFunc(line, func(found string) string {
		m := inModule().FindStringSubmatch(found)
		file := filepath.Join(filepath.Dir(w.spec.Path), m[3]+filepath.Ext(w.spec.Path))
		if !isFile(file) {
			return found
		}
		return file + ":" + m[1] + ":" + m[2]
	})
	if inModule().MatchString(line) {
		return strings.NewReplacer(w.copiesToOriginals...).Replace(line) // of a module elsewhere
	}
	line = inLine().ReplaceAllString(line, strings.ReplaceAll(w.spec.Path, "$", "$$")+":$1:$2")
	return strings.NewReplacer(w.copiesToOriginals...).Replace(line)
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

var (
	errorWords = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)error|exception|fail|cannot|not found|invalid|unknown`)
	})
	// placeAlone matches a line that has only a place, perhaps in another module.
	placeAlone = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\s*\S+\.\w+:\d+:\d+\s*$`)
	})
	// aPlace matches a text with a place in a file, and countOfErrors the line that counts the errors of TLC's parser.
	aPlace = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\.\w+:\d+`)
	})
	countOfErrors = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\*\*\* Errors: (\d+)$`)
	})
	// afterAnnouncement matches a cause that TLC prints on a line after the announcement of an error.
	afterAnnouncement = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`does not match the name|Cannot find source file for module`)
	})
	// unassigned matches TLC's error about a constant without a value.
	unassigned = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`constant parameter (\w+) is not assigned a value`)
	})
	// undefinedOperator matches the errors of TLC's parser about an operator without a definition. failingAtPercent
	// matches its exception if the operator is %: its errors are formats, in which %' is no verb.
	undefinedOperator = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("(?:Unknown operator: [`']|definition of symbol ')([^'\\s]+)'")
	})
	failingAtPercent = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`UnknownFormatConversionException: Conversion = '''$`)
	})
	// missingModule matches TLC's error about a module that has no file, and the module that names it.
	missingModule = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`Cannot find source file for module (\w+) imported in module (\w+)`)
	})
	// unset matches a variable without a value in a state that TLC prints.
	unset = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)^(?:/\\ )?(\w+) = null$`)
	})
	// ofTLC matches an error of TLC. announcing matches one whose cause is on other lines.
	ofTLC = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^Error: `)
	})
	announcing = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^Error: (The (behavior|following|error occurred)|TLC (was unable|threw)|Parsing|Could not parse|Error |$)`)
	})
	// nested matches an expression that TLC was evaluating; the last one of a list is the innermost.
	nested = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\d+\. `)
	})
)

// withPlaceOfName adds a place to an error about a constant without a value or about a missing
// module: the line that declares the constant, or names the module. TLC itself writes no place.
func (w *work) withPlaceOfName(ctx context.Context, cause string) string {
	constant := unassigned().FindStringSubmatch(cause)
	module := missingModule().FindStringSubmatch(cause)
	for _, f := range w.inputs.files {
		isModule := module != nil && filepath.Base(f.path) == module[2]+filepath.Ext(w.spec.Path)
		if constant == nil && !isModule {
			continue
		}
		text, err := inputfile.ReadRegular(ctx, f.path, inputfile.Limit{Bytes: mostBytes})
		if err != nil {
			continue // the error needs no place
		}
		line := 0
		if isModule {
			line = lineInList(string(text), module[1], "EXTENDS", "INSTANCE")
		} else {
			line = lineInList(string(text), constant[1], "CONSTANT", "CONSTANTS")
		}
		if line > 0 {
			return fmt.Sprintf("%s (%s:%d)", strings.TrimSuffix(cause, "."), f.path, line)
		}
	}
	return cause
}

// errorOfTLC returns the first error that TLC names, or the text of its exception, with the place in the
// specification; "" if there is none.
func errorOfTLC(lines []string, place *regexp.Regexp) string {
	for i, line := range lines {
		cause := strings.TrimSpace(line)
		isTextOfException := i > 0 && strings.HasPrefix(lines[i-1], "The exception was ") && strings.HasPrefix(cause, ": ")
		if isTextOfException {
			cause = "Error" + cause
		}
		if !ofTLC().MatchString(cause) || announcing().MatchString(cause) {
			continue
		}
		if cause == incompleteInitialState {
			return cause + unsetByInit(lines[i:])
		}
		continues := strings.HasSuffix(cause, ":") && i+1 < len(lines)
		if continues {
			cause += " " + strings.TrimSpace(lines[i+1])
		}
		at := placeOfError(lines[i:], place)
		if at != "" && !place.MatchString(cause) {
			cause = strings.TrimSuffix(cause, ".") + " (" + at + ")"
		}
		return cause
	}
	return ""
}

// incompleteInitialState is TLC's error about an initial state in which a variable has no value.
const incompleteInitialState = "Error: current state is not a legal state"

// unsetByInit returns a clause that names the variables without a value; "" if TLC printed none.
func unsetByInit(lines []string) string {
	var names []string
	for _, found := range unset().FindAllStringSubmatch(strings.Join(lines, "\n"), -1) {
		names = append(names, found[1])
	}
	if len(names) == 0 {
		return ""
	}
	return ": the initial predicate gives no value to " + printable.List(names, "and")
}

// placeOfError returns the place of the innermost expression that TLC was evaluating, else the first place.
func placeOfError(lines []string, place *regexp.Regexp) string {
	innermost := ""
	for _, line := range lines {
		switch {
		case nested().MatchString(line) && place.MatchString(line):
			innermost = place.FindString(line)
		case innermost != "" && !nested().MatchString(line):
			return innermost
		}
	}
	return cmp.Or(innermost, place.FindString(strings.Join(lines, "\n")))
}

// likelyCause returns the error that TLC names, with a place in the specification. If TLC names none, it
// returns the first line of the first of these kinds that occurs: a place in the specification, a place in
// another module, a known cause, a mention of an error. Otherwise it returns the last line. If the line
// consists of the place alone, the result also has the next line.
func (w *work) likelyCause(lines []string) string {
	name := regexp.QuoteMeta(strings.TrimSuffix(w.spec.Path, filepath.Ext(w.spec.Path)))
	place := regexp.MustCompile(name + `\.\w+:\d+(:\d+)?`)
	cause := errorOfTLC(lines, place)
	if cause != "" {
		return cause
	}
	for _, sign := range []*regexp.Regexp{place, placeAlone(), afterAnnouncement(), errorWords()} {
		for i, line := range lines {
			if !sign.MatchString(line) {
				continue
			}
			words := strings.Fields(line)
			if len(words) > 1 {
				return strings.TrimSpace(line)
			}
			next := strings.TrimSpace(strings.Join(lines[i+1:], "\n"))
			cause, _, _ := strings.Cut(next, "\n")
			if (sign == place || sign == placeAlone()) && cause != "" {
				return words[0] + ": " + cause
			}
		}
	}
	if len(lines) == 0 {
		return ""
	}
	return strings.TrimSpace(lines[len(lines)-1])
}

// cacheLimit is the largest total size of the models in a cache.
const cacheLimit = 1 << 30

// cache keeps the most recently used models between runs. A model is in it
// once its note exists. Errors of the cache are ignored: then the model is
// made.
type cache struct {
	folder    string // "" for none
	mostBytes int64
	now       func() time.Time
}

// note describes a model in the cache.
type note struct {
	Schema string `json:"schema"`
	// Model is the name of the model's file; SHA256 and Bytes are the hash and the size of its
	// content.
	Model  string `json:"model"`
	SHA256 string `json:"sha256"`
	Bytes  int64  `json:"bytes"`
	Made   string `json:"made_of"`
}

const noteSchema = "inev.made/1"

// find returns the model of a key, and records its use.
func (c cache) find(ctx context.Context, key, suffix string) (path string, found bool) {
	if c.folder == "" {
		return "", false
	}
	at := filepath.Join(c.folder, key+".json")
	text, err := inputfile.ReadRegular(ctx, at, inputfile.Limit{Bytes: 16 << 20})
	if err != nil {
		return "", false
	}
	var n note
	path = filepath.Join(c.folder, key+suffix)
	if json.Unmarshal(text, &n) != nil || n.Schema != noteSchema {
		return "", false
	}
	if sum, size, err := inputfile.Digest(ctx, path); err != nil || sum != n.SHA256 || size != n.Bytes {
		return "", false
	}
	now := c.now()
	_ = os.Chtimes(at, now, now)
	return path, true
}

// store stores a model, and returns its path; "" if it is not stored.
func (c cache) store(ctx context.Context, w *work, path string) (kept string) {
	if c.folder == "" {
		return ""
	}
	sum, size, err := inputfile.Digest(ctx, path)
	if err != nil || size > c.mostBytes || os.MkdirAll(c.folder, 0o755) != nil {
		return ""
	}
	kept = filepath.Join(c.folder, w.key+w.tool.made)
	if copyFile(ctx, path, kept) != nil {
		return ""
	}
	text, err := json.MarshalIndent(note{
		Schema: noteSchema,
		Model:  filepath.Base(kept),
		SHA256: sum,
		Bytes:  size,
		Made:   w.name,
	}, "", "  ")
	if err != nil {
		return ""
	}
	err = wholefile.WriteContext(ctx, filepath.Join(c.folder, w.key+".json"), func(out io.Writer) error {
		_, err := out.Write(append(text, '\n'))
		return err
	})
	if err != nil {
		return ""
	}
	c.tidy(w.key)
	return kept
}

// tidy removes files without a note. Then it removes models, the least recently used first, until
// the others fit, but never the model of the key.
func (c cache) tidy(key string) {
	entries, err := os.ReadDir(c.folder)
	if err != nil {
		return
	}
	var kept []*cachedModel
	total := int64(0)
	for _, m := range cachedModels(entries) {
		if !m.hasNote {
			c.removeAbandoned(m)
			continue
		}
		if len(m.files) > 0 {
			kept = append(kept, m)
			total += m.size
		}
	}
	slices.SortFunc(kept, func(a, b *cachedModel) int {
		return cmp.Or(a.used.Compare(b.used), cmp.Compare(a.key, b.key))
	})
	for _, m := range kept {
		if total <= c.mostBytes {
			return
		}
		if m.key != key {
			total -= m.size
			c.remove(m)
		}
	}
}

// cachedModel is a model in the cache: the files of one key.
type cachedModel struct {
	key     string
	hasNote bool      // there is a note
	used    time.Time // the time of the note
	size    int64     // of the files beside the note
	files   []fs.FileInfo
}

// cachedModels returns the models among the entries of a folder, by their keys.
func cachedModels(entries []fs.DirEntry) map[string]*cachedModel {
	models := map[string]*cachedModel{}
	for _, e := range entries {
		info, err := e.Info()
		suffix := filepath.Ext(e.Name())
		key := strings.TrimSuffix(e.Name(), suffix)
		if err != nil || !e.Type().IsRegular() || !isCacheKey(key) {
			continue
		}
		m := models[key]
		if m == nil {
			m = &cachedModel{key: key}
			models[key] = m
		}
		if suffix == ".json" {
			m.hasNote = true
			m.used = info.ModTime()
			continue
		}
		m.files = append(m.files, info)
		m.size += info.Size()
	}
	return models
}

func isCacheKey(name string) bool {
	return len(name) == 2*sha256.Size && strings.Trim(name, "0123456789abcdef") == ""
}

// removeAbandoned removes the files of a model without a note, unless somebody may be about to write the
// note.
func (c cache) removeAbandoned(m *cachedModel) {
	const making = time.Hour
	for _, info := range m.files {
		if c.now().Sub(info.ModTime()) > making {
			_ = os.Remove(filepath.Join(c.folder, info.Name()))
		}
	}
}

func (c cache) remove(m *cachedModel) {
	_ = os.Remove(filepath.Join(c.folder, m.key+".json"))
	for _, info := range m.files {
		_ = os.Remove(filepath.Join(c.folder, info.Name()))
	}
}
