package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/inev-lts/inev/cmd/wording"
	"github.com/inev-lts/inev/internal/testing/compiledonce"
	"github.com/inev-lts/inev/internal/testing/golden"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
)

func TestMain(m *testing.M) {
	// Tests leave nothing in the folders of whoever runs them.
	if os.Getenv(wording.CacheVariable) == "" {
		os.Setenv(wording.CacheVariable, "off")
	}
	testscript.Main(compilingOnce{m}, map[string]func(){"inev": main, "impatient": impatient})
}

// compilingOnce runs the tests with a folder for what takes long to compile, so that only
// the first picture of all waits for Graphviz, unless the tests of another package have left it.
type compilingOnce struct{ *testing.M }

func (m compilingOnce) Run() int {
	flag.Parse()
	if !randomlts.Whole() {
		shortenHostileLabels()
	}
	if os.Getenv(wording.CacheVariable) == "off" {
		folder, err := os.MkdirTemp("", "inev-compiled-")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(folder)
		compiledonce.Lend(folder)
		os.Setenv(wording.CacheVariable, folder)
	}
	return m.M.Run()
}

// impatient is inev, but shows progress at once.
func impatient() { os.Exit(runPatiently(0, os.Args, os.Stdin, os.Stdout, os.Stderr)) }

// TestScripts runs inev as a user does. Every script finds the files of
// testdata/models in its folder, beside its own.
func TestScripts(t *testing.T) {
	in := inside(!randomlts.Whole())
	params := testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       golden.Updating(),
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv(wording.CacheVariable, os.Getenv(wording.CacheVariable))
			// The program, for scripts that take away the PATH.
			for _, folder := range filepath.SplitList(env.Getenv("PATH")) {
				if program, err := exec.LookPath(filepath.Join(folder, "inev")); err == nil {
					env.Setenv("INEV", program)
					break
				}
			}
			return os.CopyFS(env.WorkDir, os.DirFS(filepath.Join("testdata", "models")))
		},
		Condition: func(name string) (bool, error) {
			if name != "hasty" {
				return false, fmt.Errorf("there is no condition %q", name)
			}
			return !randomlts.Whole(), nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"lend":       lend,
			"exits":      in.exits,
			"refused":    in.refused,
			"unread":     unread,
			"onterminal": in.onTerminal,
		},
	}
	if in {
		testscript.RunT(inOrder{t}, params)
		return
	}
	testscript.Run(t, params)
}

// lend FOLDER makes a folder for what takes long to compile, with what is compiled already.
func lend(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: lend FOLDER")
	}
	folder := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(folder, 0o700))
	compiledonce.Lend(folder)
}

// exits CODE PROGRAM [ARGS...] runs a program that must exit with the code.
func (in inside) exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM [ARGS...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	if got, _, _ := in.run(ts, args[1:]); got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// refused MESSAGE PROGRAM [ARGS...] runs a program that must exit with code 2,
// write nothing to standard output, and to standard error nothing but the line
// "inev: MESSAGE".
func (in inside) refused(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: refused MESSAGE PROGRAM [ARGS...]")
	}
	got, stdout, stderr := in.run(ts, args[1:])
	if got != exitFailed {
		ts.Fatalf("exit code %d, want %d", got, exitFailed)
	}
	if stdout != "" {
		ts.Fatalf("standard output is not empty: %s", stdout)
	}
	if want := "inev: " + args[0] + "\n"; stderr != want {
		ts.Fatalf("standard error:\n%swant:\n%s", stderr, want)
	}
}

// unread CODE [ARGS...] runs inev where nobody reads the standard output: it must
// exit with the code and write nothing to standard error.
func unread(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: unread CODE [ARGS...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	nobody, out, err := os.Pipe()
	ts.Check(err)
	ts.Check(nobody.Close())
	defer out.Close()
	var stderr strings.Builder
	cmd := golden.Command(scripted{ts}, ts.Getenv("INEV"), args[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = ts.MkAbs("."), out, &stderr
	if got := exitCodeOf(ts, cmd.Run()); got != want || stderr.Len() > 0 {
		ts.Fatalf("exit code %d, want %d; standard error: %s", got, want, stderr.String())
	}
}

// onterminal CODE [-all] PROGRAM [ARGS...] runs a program the standard error of
// which is a terminal, with -all its standard output too. It must exit with the
// code. What the terminal was sent becomes the file terminal, with ^[ for escape
// and without carriage returns.
func (in inside) onTerminal(ts *testscript.TestScript, neg bool, args []string) {
	all := len(args) > 1 && args[1] == "-all"
	if all {
		args = slices.Delete(args, 1, 2)
	}
	if neg || len(args) < 2 {
		ts.Fatalf("usage: onterminal CODE [-all] PROGRAM [ARGS...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	outside, terminal, err := openTerminal()
	ts.Check(err)
	defer outside.Close()
	seen := make(chan string)
	go func() {
		// The end of a terminal is an error on Linux.
		text, _ := io.ReadAll(outside)
		seen <- strings.NewReplacer("\x1b", "^[", "\r", "").Replace(string(text))
	}()
	got := in.runOnTerminal(ts, args[1:], terminal, all)
	ts.Check(terminal.Close())
	text := <-seen
	ts.Check(os.WriteFile(ts.MkAbs("terminal"), []byte(text), 0o644))
	if got != want {
		ts.Fatalf("exit code %d, want %d; on the terminal:\n%s", got, want, text)
	}
}

// runOnTerminal runs a program the standard error of which is a terminal, and if all is true its
// standard output, too. It returns its exit code.
func (in inside) runOnTerminal(ts *testscript.TestScript, command []string, terminal *os.File, all bool) (code int) {
	if bool(in) && !isApart(ts, command) {
		defer entering(ts)()
		var stdout io.Writer = io.Discard
		if all {
			stdout = terminal
		}
		after := patience
		if command[0] == "impatient" {
			after = 0
		}
		return runPatiently(after, command, strings.NewReader(""), stdout, terminal)
	}
	cmd := golden.Command(scripted{ts}, filepath.Join(filepath.Dir(ts.Getenv("INEV")), command[0]), command[1:]...)
	cmd.Dir, cmd.Stderr = ts.MkAbs("."), terminal
	cmd.Env = append(os.Environ(), "TERM="+ts.Getenv("TERM"))
	if all {
		cmd.Stdout = terminal
	}
	return exitCodeOf(ts, cmd.Run())
}

// scripted is a script as a test: what it is told fails it by the exit code of the program that was ended.
type scripted struct{ ts *testscript.TestScript }

func (s scripted) Errorf(format string, args ...any) { s.ts.Logf(format, args...) }
func (s scripted) Cleanup(f func())                  { s.ts.Defer(f) }

func exitCodeOf(ts *testscript.TestScript, err error) int {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case !errors.As(err, &exit):
		ts.Fatalf("%v", err)
	}
	return exit.ExitCode()
}
