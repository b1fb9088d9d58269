package main

import (
	"bytes"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/inev-lts/inev/cmd/wording"
)

// Starting a process takes ten times as long as most commands of the scripts. Without CI, the
// scripts therefore run their commands inside the test, one after another, since the working
// directory and the environment belong to the process.

// passed are the variables that inev, or a tool that it starts, looks at; the stand-ins for tools that
// a script has look at its folder.
var passed = []string{
	"PATH", "HOME", "TMPDIR", "TERM", "NO_COLOR", wording.CacheVariable,
	"TLA2TOOLS", "MCRL2_HOME", "CADP", "MANWIDTH", "MANPAGER", "WORK",
}

// inside runs the commands of scripts: inside the test if it is true, and in processes otherwise.
type inside bool

// isApart reports whether a command runs in a process even so: if its memory is limited, which
// other tests take, too, if the runtime reads its environment at the start, or if it names the
// standard output of a process.
func isApart(ts *testscript.TestScript, command []string) bool {
	return !slices.Contains([]string{"inev", "impatient", ts.Getenv("INEV")}, command[0]) ||
		slices.Contains(command, "--memory") || slices.Contains(command, "/dev/stdout") || ts.Getenv("GOMEMLIMIT") != ""
}

// givenTo returns the standard input of a command: "" if it reads none, and false if there is no
// program by which it is had, since testscript keeps it for processes.
func givenTo(ts *testscript.TestScript, command []string) (text string, is bool) {
	if !slices.Contains(command, "-") && (len(command) < 2 || command[1] != "watch") {
		return "", true
	}
	cat, err := exec.LookPath("cat")
	if err != nil {
		return "", false
	}
	ts.Check(ts.Exec(cat))
	return ts.ReadFile("stdout"), true
}

// run runs the program of a line of a script, and returns its exit code and what it wrote.
func (in inside) run(ts *testscript.TestScript, command []string) (code int, stdout, stderr string) {
	if bool(in) && !isApart(ts, command) {
		if given, is := givenTo(ts, command); is {
			return runInside(ts, command, given)
		}
	}
	code = exitCodeOf(ts, ts.Exec(command[0], command[1:]...))
	return code, ts.ReadFile("stdout"), ts.ReadFile("stderr")
}

// runInside is run inside the test.
func runInside(ts *testscript.TestScript, command []string, given string) (code int, stdout, stderr string) {
	defer entering(ts)()
	var out, err bytes.Buffer
	code = run(append([]string{"inev"}, command[1:]...), strings.NewReader(given), &out, &err)
	// What the script's next commands look at.
	_, _ = ts.Stdout().Write(out.Bytes())
	_, _ = ts.Stderr().Write(err.Bytes())
	return code, out.String(), err.String()
}

// entering makes the working directory and the environment of a script those of the process, and
// returns a function that brings back what was there.
func entering(ts *testscript.TestScript) (leave func()) {
	folder, err := os.Getwd()
	ts.Check(err)
	before := map[string]string{}
	for _, name := range passed {
		before[name] = os.Getenv(name)
		ts.Check(os.Setenv(name, ts.Getenv(name)))
	}
	ts.Check(os.Chdir(ts.MkAbs(".")))
	return func() {
		ts.Check(os.Chdir(folder))
		for name, value := range before {
			ts.Check(os.Setenv(name, value))
		}
	}
}

// inOrder is a test whose scripts run one after another.
type inOrder struct{ *testing.T }

func (t inOrder) Parallel()     {}
func (t inOrder) Verbose() bool { return testing.Verbose() }

func (t inOrder) Run(name string, f func(testscript.T)) {
	t.T.Run(name, func(t *testing.T) { f(inOrder{t}) })
}
