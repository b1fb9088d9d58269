// Command inev explains why a property fails on a labelled transition system:
// inev --help shows how to use it. A command turns flags into calls of the
// packages, and their results into output; it computes nothing itself. All
// arguments are checked before a model is read, results are written only when
// they are complete, and every error is one line on standard error.
package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"github.com/inev-lts/inev/cmd/wording"
	"github.com/inev-lts/inev/internal/contained"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/resources"
	"github.com/inev-lts/inev/internal/stoppable"
)

// listening returns a context that ends at the first signal, and a function that stops listening. A
// process that is about to end need not call stop; not calling it saves some switches of threads.
func listening() (ctx context.Context, stop func()) {
	ctx, deaf := signal.NotifyContext(context.Background(), interruptions()...)
	// A second signal ends the process at once, even if work continues after the first signal.
	context.AfterFunc(ctx, deaf)
	end := outliveReaders()
	return ctx, func() {
		end()
		deaf()
	}
}

// runWithin is the whole program; it ends early when ctx is done, and keeps in w, for later runs,
// the part of the model that was explored.
func runWithin(
	ctx context.Context,
	w *walked,
	patience time.Duration,
	args []string,
	stdin io.Reader,
	stdout, stderr io.Writer,
) int {
	if err := cmp.Or(enoughFiles(), resources.Addresses()); err != nil {
		fmt.Fprintf(stderr, "inev: %v\n", err)
		return exitFailed
	}
	p := &program{
		stdin:    stdin,
		stdout:   newResults(ctx, stdout),
		stderr:   stderr,
		terminal: isTerminal(stdout),
		columns:  columnsOf(stdout),
		attended: watched || isTerminal(stderr),
		patience: patience,
		walked:   w,
	}
	err := contained.Call(func() error { return p.run(ctx, args) })
	var unanswered *unansweredError
	hasResults := err == nil || errors.Is(err, errViolated) || errors.Is(err, errOpen) ||
		errors.Is(err, errFailing) || errors.Is(err, errUndecided)
	if hasResults || errors.As(err, &unanswered) {
		unwritten := p.stdout.finish()
		if unwritten != nil {
			err = unwritten
		}
	}
	return p.exitCode(ctx, err)
}

// program is the environment of all commands: their input and outputs, and whether terminals show
// these.
type program struct {
	stdin  io.Reader
	stdout *results
	stderr io.Writer
	// line is the command line; its first word is the name of the program.
	line []string
	// terminal reports whether a terminal shows the results; columns is its width in cells, 0
	// if that is not known.
	terminal bool
	columns  int
	// attended reports whether standard error is a terminal; patience is the delay before progress
	// is shown there.
	attended bool
	patience time.Duration
	walked   *walked
}

// completionFlag is the last argument of a call by which a shell asks for completions of the
// argument before it.
const completionFlag = "--generate-bash-completion"

// run carries out a command line, the name of the program included.
func (p *program) run(ctx context.Context, args []string) error {
	words := args[min(1, len(args)):]
	p.line = append([]string{programName}, words...)
	last := len(words) - 1
	if last >= 0 && words[last] == completionFlag {
		return p.complete(ctx, words[:last])
	}
	app, arranged, err := p.arranged(words)
	if err != nil {
		return err
	}
	return app.RunContext(ctx, append([]string{programName}, arranged...))
}

// complete prints the completions of the last word of a command line.
func (p *program) complete(ctx context.Context, words []string) error {
	app := p.app()
	app.BashComplete = func(*cli.Context) { suggest(p.stdout, app, words) }
	return app.RunContext(ctx, []string{programName, completionFlag})
}

// arranged returns the words of a command line in the order that cli reads, and the app for them.
// Making all commands takes a large part of the time of a short run. So if the first word is a
// command, arranged makes the others only for help, and for errors that mention them.
func (p *program) arranged(words []string) (*cli.App, []string, error) {
	app := p.app(words[:min(1, len(words))]...)
	arranged, err := arrange(app, words)
	isHelp := len(arranged) > 0 && arranged[0] == "help"
	if err == nil && !isHelp {
		return app, arranged, nil
	}
	app = p.app()
	arranged, err = arrange(app, words)
	return app, arranged, err
}

// programName is the name of the program.
const programName = "inev"

// app returns inev with the commands of these names, with all its commands if there are none.
func (p *program) app(names ...string) *cli.App {
	var commands []*cli.Command
	for _, purpose := range purposes() {
		for _, offer := range purpose.offers {
			if len(names) == 0 || slices.Contains(names, offer.name) {
				commands = append(commands, offer.newCommand(p))
			}
		}
	}
	return &cli.App{
		Name:    programName,
		Usage:   "explain why a property fails on a model (.aut, .exp, .lts, .fsm, TLC)",
		Writer:  p.stdout,
		Version: version(),
		// Help and version are inev's own: help has a text and an exit code like any command,
		// and version names the platform.
		HideHelp:                  true,
		HideVersion:               true,
		EnableBashCompletion:      true,
		DisableSliceFlagSeparator: true, // labels hold commas
		Flags: withNames([]cli.Flag{
			toggle(generalFlags, "help", "show this help, or the help of a command"),
			toggle(generalFlags, "version", "show the version"),
		}),
		Action: func(c *cli.Context) error {
			if c.Bool("version") {
				return printVersion(p.stdout, c.App)
			}
			return showOverview(p, c)
		},
		// Errors are shown in one place, by exitCode.
		ExitErrHandler: func(*cli.Context, error) {},
		OnUsageError: func(_ *cli.Context, err error, _ bool) error {
			return err
		},
		Commands: commands,
	}
}

// purpose is a reason to use inev, and the commands for it.
type purpose struct {
	title  string
	offers []offer
}

// offer is a command by its name, made on demand.
type offer struct {
	name    string
	command func(*program) *cli.Command
}

// newCommand makes the command.
func (o offer) newCommand(p *program) *cli.Command {
	command := o.command(p)
	command.Name = o.name
	command.Flags = withNames(command.Flags)
	return command
}

// page gives a command the examples of its help, as its UsageText. Each is a command line
// that runs on the model of the quick start.
func page(command *cli.Command, examples ...string) *cli.Command {
	command.UsageText = strings.Join(examples, "\n")
	// A model may be named like the command help, which cli would add to each command.
	command.HideHelp = true
	return command
}

// Exit codes.
const (
	exitDone        = 0 // the property holds, or the command did its work
	exitViolated    = 1
	exitFailed      = 2
	exitOpen        = 3   // of inev watch and inev replay: the property is neither satisfied nor violated yet
	exitInterrupted = 130 // as shells count: 128 and the number of the signal
)

// errViolated is the error of a command that did its work and found the property violated.
var errViolated = errors.New("the property is violated")

// errOpen is the error of a watch whose verdict is still open.
var errOpen = errors.New("the property is open")

// errFailing is the error of a batch that was done and has failing jobs.
var errFailing = errors.New("jobs of the batch fail")

// errUndecided is the error of a batch that was done and has failing jobs without a verdict.
var errUndecided = errors.New("jobs of the batch have no verdict")

// violatedIf returns errViolated if the command has found the property violated, else nil.
func violatedIf(isViolated bool) error {
	if isViolated {
		return errViolated
	}
	return nil
}

// unansweredError is the error of a command that did its work for some properties of a specification,
// and could not for others.
type unansweredError struct{ counted string }

func (e *unansweredError) Error() string { return e.counted }

// interruptedError is the error of a batch that was stopped: it names the results that are kept.
type interruptedError struct{ kept string }

func (e *interruptedError) Error() string { return "interrupted: " + e.kept }

// usageError is the error of a wrong command line.
type usageError struct {
	command string // "" if no command was recognised
	message string
}

func (e *usageError) Error() string {
	if e.command == "" {
		return e.message
	}
	return e.command + ": " + e.message
}

// timeoutError is the cause of a context that --timeout has ended.
type timeoutError struct{ after time.Duration }

func (e *timeoutError) Error() string {
	return fmt.Sprintf("stopped after %v (--timeout); allow it more time, or leave --timeout out", e.after)
}

// exitCode shows an error, unless the error is only a verdict, and returns the exit code.
func (p *program) exitCode(ctx context.Context, err error) int {
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, errViolated), errors.Is(err, errFailing):
		return exitViolated
	case errors.Is(err, errOpen):
		return exitOpen
	case errors.Is(err, errUndecided):
		return exitFailed // the summary names these jobs, and why
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		fmt.Fprintln(p.stderr, "inev: interrupted")
		return exitInterrupted
	}
	var interrupted *interruptedError
	if errors.As(err, &interrupted) {
		fmt.Fprintf(p.stderr, "inev: %s\n", p.brief(wording.Text(err)))
		return exitInterrupted
	}
	if tellManifest(p.stderr, err) {
		return exitFailed
	}
	var panicked *contained.Panic
	if errors.As(err, &panicked) {
		tellPanic(p.stderr, panicked)
		return exitFailed
	}
	fmt.Fprintf(p.stderr, "inev: %s\n", p.brief(wording.Text(err)))
	tellFailure(p.stderr, err)
	var placed interface {
		error
		Caret() string
	}
	if errors.As(err, &placed) && placed.Caret() != "" {
		fmt.Fprintln(p.stderr, placed.Caret())
	}
	return exitFailed
}

// brief returns a message as it is shown, with long arguments of the command line cut.
func (p *program) brief(message string) string {
	given := make([]string, 0, len(p.line))
	for _, word := range p.line {
		if name, value, hasValue := strings.Cut(word, "="); hasValue && strings.HasPrefix(name, "-") {
			word = value
		}
		given = append(given, strings.TrimLeft(word, "-"), filepath.Dir(word))
	}
	return printable.Brief(message, given...)
}

// tellPanic shows a mistake in inev, and what to report it with.
func tellPanic(w io.Writer, panicked *contained.Panic) {
	fmt.Fprintf(w, "inev: %s; this is a mistake in inev: report it with the lines below\n",
		printable.Brief(panicked.Error()))
	fmt.Fprintf(w, "  %s\n", versionLine(version()))
	for line := range strings.Lines(string(panicked.Stack)) {
		fmt.Fprintf(w, "  %s\n", printable.Text(strings.TrimSpace(line)))
	}
}

// tellFailure shows the output of a tool that failed, below the error, the last line first.
func tellFailure(w io.Writer, err error) {
	var failed interface{ Said() ([]string, int) }
	if !errors.As(err, &failed) {
		return
	}
	lines, total := failed.Said()
	if total == 0 {
		return
	}
	extent := "all that it said"
	if len(lines) < total {
		extent = fmt.Sprintf("%d of %d lines that it said", len(lines), total)
	}
	fmt.Fprintf(w, "inev: %s, the last one first:\n", extent)
	for _, line := range lines {
		fmt.Fprintf(w, "  %s\n", printable.Text(line))
	}
}

// results is buffered standard output. Output of up to 64 kB is written only by finish, so that
// a command which fails early has written nothing.
type results struct {
	buffer *bufio.Writer
	output *stoppable.Writer // nil for a regular file, to which writes never wait for a reader
}

// newResults returns results that go to w. A blocked write, as to a pipe that nobody reads, is
// given up once ctx is done.
func newResults(ctx context.Context, w io.Writer) *results {
	r := &results{}
	if file, isOSFile := w.(*os.File); isOSFile {
		if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
			r.output = &stoppable.Writer{Ctx: ctx, W: w}
			w = r.output
		}
	}
	r.buffer = bufio.NewWriterSize(namedWriter{w}, 64<<10)
	return r
}

// within makes writes end with ctx, until end is called.
func (r *results) within(ctx context.Context) (end func()) {
	if r.output == nil {
		return func() {}
	}
	before := r.output.Ctx
	r.output.Ctx = ctx
	return func() { r.output.Ctx = before }
}

func (r *results) Write(data []byte) (int, error) { return r.buffer.Write(data) }

// finish writes the buffered rest. A reader that has closed the pipe is no error.
func (r *results) finish() error {
	if err := r.buffer.Flush(); !errors.Is(err, syscall.EPIPE) {
		return err
	}
	return nil
}

// namedWriter says in each of its errors that the error is about standard output.
type namedWriter struct{ io.Writer }

func (w namedWriter) Write(data []byte) (int, error) {
	n, err := w.Writer.Write(data)
	if err != nil {
		var path *fs.PathError
		if errors.As(err, &path) {
			err = path.Err
		}
		err = fmt.Errorf("standard output cannot be written: %w", err)
	}
	return n, err
}

// isTerminal reports whether w is a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// columnsOf returns the width of the terminal w, 0 if w is no terminal or its width is not
// known.
func columnsOf(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok {
		return 0
	}
	columns, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return columns
}

// checkOutput checks, before a long run, that a file can be written and that its name ends in
// one of the suffixes.
func checkOutput(path string, suffixes ...string) error {
	if !isDevice(path) && !slices.ContainsFunc(suffixes, func(s string) bool { return strings.HasSuffix(path, s) }) {
		return suffixError(path, suffixes[0],
			"inev writes "+printable.List(suffixes, "or")+" here")
	}
	return checkPlace(path)
}

// suffixError is the error of a file whose name does not show what it holds; first is a suffix
// that the name may have.
func suffixError(path, first, remedy string) error {
	suffix := filepath.Ext(path)
	if suffix != "" {
		return fmt.Errorf("%s: unknown output suffix %q; %s", path, suffix, remedy)
	}
	return fmt.Errorf("%s: the suffix is missing, as in %s%s; %s", path, path, first, remedy)
}

// isDevice reports whether a file of this name is a device, such as /dev/null, which takes any format.
func isDevice(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode()&os.ModeDevice != 0
}

// checkPlace checks that a file of this name can be written.
func checkPlace(path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("%s: is a folder; give the name of a file in it", path)
	}
	folder := filepath.Dir(path)
	info, err := os.Stat(folder)
	switch { // any other cause is reported when the file is written
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: there is no folder %s; create it first", path, folder)
	case err == nil && !info.IsDir(), errors.Is(err, syscall.ENOTDIR):
		return fmt.Errorf("%s: %s is a file, not a folder", path, folder)
	}
	return nil
}

// versionCommand returns inev version, which shows the version.
func versionCommand(p *program) *cli.Command {
	return page(&cli.Command{
		Usage:       "show the version",
		Description: `inev --version shows the same.`,
		Flags:       []cli.Flag{toggle(runFlags, "help", "show this help")},
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return &usageError{
					"version",
					fmt.Sprintf("expected no arguments, found %d", c.NArg()),
				}
			}
			return printVersion(p.stdout, c.App)
		},
	},
		`inev version`)
}

// printVersion prints the version, and how and for which system the program was built.
func printVersion(w io.Writer, app *cli.App) error {
	_, err := fmt.Fprintln(w, versionLine(app.Version))
	return err
}

// release is the version of a release, for builds that know it better than Go does: go build
// -ldflags '-X main.release=v1.2.3'. Nothing else sets it.
var release string

// version returns the version of the program.
func version() string {
	info, _ := debug.ReadBuildInfo()
	return wording.Version(release, info)
}

// committed returns the day of the commit that the program was built from, as
// 2006-01-02, or "" if the build does not know it.
func committed(info *debug.BuildInfo) string {
	day := wording.Setting(info, "vcs.time")
	return day[:min(len("2006-01-02"), len(day))]
}

func versionLine(version string) string {
	return "inev " + version + " (" + runtime.Version() + " " + runtime.GOOS + "/" +
		runtime.GOARCH + ")"
}
