package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/cmd/wording"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/format"
	"github.com/inev-lts/inev/internal/inputfile"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/progress"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/internal/stoppable"
	"github.com/inev-lts/inev/internal/wholefile"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
)

// call is one run of a command with its command line: operands, flags, notes, and the files
// that it writes.
type call struct {
	*program
	c        *cli.Context
	ctx      context.Context
	operands []string
	notes    []string // remarks to be shown at the end
	bars     *bars    // nil if progress is not shown
	format   string   // of the result
}

// refuse ends the command with an error about its arguments.
func (j *call) refuse(format string, args ...any) error {
	return &usageError{j.c.Command.Name, fmt.Sprintf(format, args...)}
}

// flag returns the value of a flag, "" if the command does not have it.
func (j *call) flag(name string) string { return j.c.String(name) }

// wholeNumber returns the value of a flag that is a whole number from least to most; 0 if the flag is not
// given. For any other value, mistake is the end of the error, such as "is not a number above zero".
func (j *call) wholeNumber(name string, least, most int, mistake string) (int, error) {
	text := j.flag(name)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		return 0, j.refuse("--%s %s %s", name, text, mistake)
	}
	return n, nil
}

// duration returns the value of a flag that is a time; 0 if the flag is not given. The error of any
// other value shows the examples.
func (j *call) duration(name, examples string) (time.Duration, error) {
	text := j.flag(name)
	if text == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, j.refuse("--%s %s is not a duration above zero, such as %s", name, text,
			examples)
	}
	return d, nil
}

// looksLikeFormula reports whether a word may be a formula rather than the name of a
// model.
func looksLikeFormula(word string) bool { return strings.ContainsAny(word, "([{") }

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

// expectedOperands returns the names of the operands of the command. The last one may be optional,
// which brackets show; it is expected only if it is there.
func (j *call) expectedOperands() []string {
	if j.c.Bool(playgroundFlag) {
		return nil
	}
	names := strings.Fields(j.c.Command.ArgsUsage)
	last := len(names) - 1
	isOptional := last >= 0 && strings.HasPrefix(names[last], "[")
	if !isOptional {
		return names
	}
	if len(j.operands) <= last {
		return names[:last]
	}
	names[last] = strings.Trim(names[last], "[]")
	return names
}

func without(names []string, name string) []string {
	return slices.DeleteFunc(names, func(n string) bool { return n == name })
}

func operandNames(names []string) string {
	return cmp.Or(printable.List(names, "and"), "no arguments")
}

// note adds a note, which is no warning and is shown at the end of the run.
func (j *call) note(text string) {
	if !slices.Contains(j.notes, text) {
		j.notes = append(j.notes, text)
	}
}

// warn shows warnings, unless --quiet is given.
func (j *call) warn(warnings []string) {
	if j.c.Bool("quiet") {
		return
	}
	for _, w := range warnings {
		fmt.Fprintf(j.stderr, "inev: warning: %s\n", j.brief(wording.Warning(w)))
	}
}

// writesModel reports whether the output file that -o names is a model, or a run of one.
func (j *call) writesModel() bool {
	isSuffixOfOutput := func(suffix string) bool { return strings.HasSuffix(j.flag("o"), suffix) }
	return slices.Contains([]string{"repair", "replay"}, j.c.Command.Name) &&
		slices.ContainsFunc([]string{".aut", ".aut.gz", ".aut.zst", ".fsm", ".lts"}, isSuffixOfOutput)
}

// resultFile returns the file that the result is written to; "" for standard output.
func (j *call) resultFile() string {
	if j.writesModel() {
		return ""
	}
	return j.flag("o")
}

// These are the flags that name files, grouped by what the command does with the files. Files that
// are operands are read.
var (
	writtenFlags = []string{
		"o",
		"json",
		"html",
		"svg",
		"dot",
		"png",
		"hoa-out",
		"steps-out",
		"product",
		"trace",
		"abstracted",
		"autx",
		"certificate",
		"evidence",
		"write-states",
		"keep-model",
	}
	readFlags = []string{
		"formula",
		"hoa",
		"never",
		"counterexample",
		"model",
		"states",
		"source",
		"map",
		"cfg",
		"tla",
	}
	readOperands = []string{"MODEL", "OLD", "NEW", "FILE", "CERTIFICATE", "LOG"}
)

// namedFile is a file as the command line names it.
type namedFile struct {
	role string // the flag, with its dashes, or the operand
	path string
	// found is the existing file, nil if there is none.
	found fs.FileInfo
	// place is the absolute path of a file that does not exist yet.
	place string
}

// checkFiles refuses, before any work, to overwrite an input, or to write one file twice, even
// under different names.
func (j *call) checkFiles() error {
	written := j.flaggedFiles(writtenFlags)
	for i, out := range written {
		for _, in := range j.inputFiles() {
			if sameFile(in, out) {
				return j.refuse("%s would overwrite %s, %s; choose another name", out.role,
					in.role, in.path)
			}
		}
		for _, other := range written[:i] {
			if !sameFile(other, out) {
				continue
			}
			names := out.path
			if other.path != out.path {
				names = other.path + " and " + out.path
			}
			return j.refuse("%s and %s name the same file, %s", other.role, out.role, names)
		}
	}
	return nil
}

// inputFiles returns the files that the command reads.
func (j *call) inputFiles() []namedFile {
	files := j.flaggedFiles(readFlags)
	names := j.expectedOperands()
	if j.flag("formula") != "" {
		names = without(names, "FORMULA")
	}
	for i, path := range j.operands {
		if i >= len(names) || !slices.Contains(readOperands, names[i]) {
			continue
		}
		role := "the " + strings.ToLower(names[i])
		if path != standardInput {
			files = append(files, newNamedFile(role, path))
			continue
		}
		redirected, ok := j.stdin.(*os.File)
		if !ok {
			continue
		}
		if info, err := redirected.Stat(); err == nil {
			files = append(files, namedFile{role: role, path: "standard input", found: info})
		}
	}
	return files
}

func (j *call) flaggedFiles(names []string) []namedFile {
	var files []namedFile
	for _, name := range names {
		path := j.flag(name)
		if path != "" {
			files = append(files, newNamedFile(dashed(name), path))
		}
	}
	return files
}

// newNamedFile finds out which file a path denotes now, so that [sameFile] can compare it with others.
func newNamedFile(role, path string) namedFile {
	f := namedFile{role: role, path: path}
	if info, err := os.Stat(path); err == nil {
		f.found = info
		return f
	}
	// If the file is a link without a target, the link itself is replaced.
	f.place = filepath.Clean(path)
	if absolute, err := filepath.Abs(path); err == nil {
		f.place = absolute
	}
	if folder, err := filepath.EvalSymlinks(filepath.Dir(f.place)); err == nil {
		f.place = filepath.Join(folder, filepath.Base(f.place))
	}
	return f
}

// sameFile reports whether two names denote one file. Files that are not regular, such as
// /dev/stdout, can be written twice and do not count.
func sameFile(a, b namedFile) bool {
	ignoresCase := runtime.GOOS == "windows" || runtime.GOOS == "darwin"
	switch {
	case a.found != nil && b.found != nil:
		return a.found.Mode().IsRegular() && os.SameFile(a.found, b.found)
	case a.found != nil || b.found != nil:
		return false
	case ignoresCase:
		return strings.EqualFold(a.place, b.place)
	}
	return a.place == b.place
}

// showsOnTerminal reports whether the result goes straight to a terminal: by standard output or, as with
// -o /dev/stdout, by the file of -o.
func (j *call) showsOnTerminal() bool {
	path := j.flag("o")
	if path == "" {
		return j.terminal
	}
	if path == os.DevNull {
		return false
	}
	info, err := os.Stat(path)
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// print writes the result to standard output, or to the file of -o.
func (j *call) print(write func(io.Writer) error) error {
	path := j.resultFile()
	if path != "" {
		return j.save(path, write)
	}
	j.unwatch()
	defer j.stdout.within(j.ctx)()
	progress.Start(j.ctx, "write the result", progress.Nothing, 0)
	err := write(stoppable.EachWrite(j.ctx, j.stdout))
	if errors.Is(err, syscall.EPIPE) { // the reader of the output has closed it, see results.finish
		return nil
	}
	return err
}

// printf writes the result as [fmt.Fprintf] does.
func (j *call) printf(format string, args ...any) error {
	return j.print(func(w io.Writer) error {
		_, err := fmt.Fprintf(w, format, args...)
		return err
	})
}

// save writes a file, as a whole or not at all.
func (j *call) save(path string, write func(io.Writer) error) error {
	progress.Start(j.ctx, "write "+filepath.Base(path), progress.Nothing, 0)
	return wholefile.WriteContext(j.ctx, path, func(w io.Writer) error {
		return write(stoppable.EachWrite(j.ctx, w))
	})
}

// outlive lets results be written although the search was stopped and its context is done.
func (j *call) outlive() { j.ctx = context.WithoutCancel(j.ctx) }

// watch shows progress, if standard error is a terminal and no flag forbids it.
func (j *call) watch() {
	isForbidden := j.c.Bool("no-progress") || j.c.Bool("quiet")
	canBeShown := j.attended && os.Getenv("TERM") != "dumb"
	if isForbidden || !canBeShown {
		return
	}
	b := newBars(j.stderr, time.Now)
	b.showAfter(j.patience)
	j.bars = b
	j.stderr = b
	j.ctx = progress.With(j.ctx, b.observe)
}

// unwatch removes the line of progress for good, after everything written to standard error.
func (j *call) unwatch() {
	if j.bars != nil {
		j.bars.stop()
	}
}

// readSmall reads a small file, which may be a pipe. In errors, noun is the word for the content of the
// file.
func (j *call) readSmall(path, noun string, limit inputfile.Limit) ([]byte, error) {
	text, err := inputfile.Read(j.ctx, path, limit)
	if err != nil {
		return nil, unreadable(path, noun, err)
	}
	return text, nil
}

// unreadable is the error of a file that cannot be read; noun is the word for its content.
func unreadable(path, noun string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return inputfile.FileError(path, err)
	}
	var inPath *fs.PathError
	if errors.As(err, &inPath) {
		err = inPath.Err
	}
	return fmt.Errorf("%s: the %s cannot be read: %w", path, noun, err)
}

// artefact is a file that a command writes beside its result, if its flag is given.
type artefact struct {
	flag, suffix string
	write        func(io.Writer) error
}

// checkArtefacts checks that the requested files can be written.
func (j *call) checkArtefacts(all []artefact) error {
	for _, a := range all {
		path := j.flag(a.flag)
		if path != "" {
			if err := checkOutput(path, a.suffix); err != nil {
				return err
			}
		}
	}
	return nil
}

// saveArtefacts writes the requested files.
func (j *call) saveArtefacts(all []artefact) error {
	for _, a := range all {
		path := j.flag(a.flag)
		if path != "" {
			if err := j.save(path, a.write); err != nil {
				return err
			}
		}
	}
	return nil
}

// limited is a call with a limit on memory and an account of its cost.
type limited struct {
	call
	memory resources.Allowance
	// large reports whether the model is so large that it pays to save memory.
	large    bool
	accounts accounts
}

// limitMemory reads --memory.
func (j *limited) limitMemory() error {
	var err error
	if j.memory, err = resources.ParseAllowance(j.flag("memory")); err != nil {
		return j.refuse("%v", err)
	}
	return nil
}

// guardMemory makes j.ctx end before the process exceeds its memory, until leave is called.
func (j *limited) guardMemory() (leave func()) {
	forgetBudget := j.budgetMemory()
	joined, leaveBudget := resources.Join(j.ctx)
	j.ctx = progress.Also(joined, j.freeBeforeEnriching)
	return func() {
		leaveBudget()
		forgetBudget()
	}
}

// budgetMemory sets the budget of all work in the process to the memory of the job. The function
// forget removes the budget; call it when all work is done.
func (j *limited) budgetMemory() (forget func()) {
	j.ctx, forget = j.memory.Keep(j.ctx)
	return forget
}

// exceeded returns an error with the name of the file if work on the file was stopped for lack of
// memory; else err.
func (j *limited) exceeded(file string, err error) error {
	err = resources.Because(j.ctx, err)
	var exceeded *resources.ExceededError
	if errors.As(err, &exceeded) && file != "" {
		return fmt.Errorf("%s: %w", file, err)
	}
	return err
}

// manyTransitions is the number of transitions above which garbage is collected twice as often, so
// that the garbage stays smaller than the model. A collection is cheap: large models are arrays
// without pointers, which are not scanned.
const manyTransitions = 1 << 20

// freeBeforeEnriching returns the memory of the search for components to the system before a large model is
// enriched. Enrichment needs as much memory, but in blocks of other sizes, so it could not reuse
// it.
func (j *limited) freeBeforeEnriching(m *progress.Meter) {
	if j.large && m.Phase == "enrich" {
		debug.FreeOSMemory()
	}
}

// accounts are the data from which the cost of a run is reported.
type accounts struct {
	transitions int
	phases      []explain.Phase
}

// account records the phases so far for the cost of the run, and prints warnings.
func (j *limited) account(phases []explain.Phase, warnings []string) {
	j.accounts.phases = phases
	j.warn(warnings)
}

// tellCost reports the cost of the run at its end, if --stats is given.
func (j *limited) tellCost() error {
	if !j.c.Bool("stats") {
		return nil
	}
	j.unwatch()
	return render.Cost(j.stderr, j.accounts.phases,
		explain.Phases(j.accounts.phases).Cost(j.accounts.transitions))
}

// keepVerdict returns e if err is nil. If a limit of time or memory stopped the explanation after the
// verdict was known, it returns e with a warning about the missing results. Otherwise it fails
// with err: there is no verdict, or the user has interrupted the run.
func (j *limited) keepVerdict(e *explain.Explanation, err error) (*explain.Explanation, error) {
	if err == nil {
		return e, nil
	}
	var stopped *explain.StoppedError
	if e == nil || !errors.As(err, &stopped) {
		return nil, err
	}
	cause := resources.Because(j.ctx, stopped.Err)
	var timeout *timeoutError
	if errors.As(context.Cause(j.ctx), &timeout) {
		cause = timeout
	}
	isInterrupted := isDone(cause)
	if isInterrupted {
		return nil, err
	}
	text := strings.TrimPrefix(wording.Text(cause), "stopped ")
	j.outlive()
	return e.Warned("stopped before " + stopped.Before + ": " + text), nil
}

// isDone reports whether a search failed because its context is done.
func isDone(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// writeModel writes a model in the format of the suffix of path: .clts, or .lts or .fsm with the values
// of states if there are any, or else .aut, compressed if the suffix says so.
func writeModel(
	w io.Writer,
	m *lts.LTS,
	values *lts.Values,
	path string,
) (warnings []string, err error) {
	switch {
	case strings.HasSuffix(path, ".clts"):
		return nil, format.WriteCompressed(w, m)
	case isValued(path):
		return format.WriteMCRL2(w, filepath.Ext(path), m, values)
	}
	err = compressed(w, path, func(w io.Writer) error {
		warnings, err = aut.Write(w, m)
		return err
	})
	return warnings, err
}

// compressed calls write with a writer that compresses by the method that the suffix of path names, if any.
func compressed(w io.Writer, path string, write func(io.Writer) error) error {
	to, err := aut.Compress(w, path)
	if err != nil {
		return err
	}
	return cmp.Or(write(to), to.Close())
}

// valued are the suffixes of the formats that are written with values of states.
var valued = []string{".fsm", ".lts"}

// isValued reports whether a file is written with values of states.
func isValued(path string) bool { return slices.Contains(valued, filepath.Ext(path)) }

// saveModel writes a model to a file, with the values of its states if they are known and the format
// has a place for them.
func saveModel(j *call, m *lts.LTS, values *lts.Values, path string) error {
	var warnings []string
	if err := j.save(path, func(w io.Writer) (err error) {
		warnings, err = writeModel(w, m, values, path)
		return err
	}); err != nil {
		return err
	}
	j.warn(warnings)
	return nil
}

// writeAutx writes classes and neighbourhoods in CLEAR's format.
func writeAutx(j *call, w io.Writer, n *neighbourhood.Classification, unfolded bool) error {
	warnings, err := format.WriteAUTX(w, n)
	if unfolded {
		warnings = append(warnings,
			"the states in the .autx file are those of the unfolded model, numbered anew")
	}
	if err == nil {
		j.warn(warnings)
	}
	return err
}

// writesAutx reports whether a file of this name is written in CLEAR's format.
func writesAutx(path string) bool { return strings.EqualFold(filepath.Ext(path), ".autx") }
