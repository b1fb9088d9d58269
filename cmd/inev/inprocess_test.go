package main

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/inev-lts/inev/cmd/wording"
)

// Starting a process takes ten times as long as most commands of the scripts. With -short, the
// scripts therefore run their commands inside the test, one after another, since the working
// directory and the environment belong to the process.

// passed are the variables that inev, or a tool that it starts, looks at.
var passed = []string{
	"PATH", "HOME", "TMPDIR", "TERM", "NO_COLOR", wording.CacheVariable,
	"TLA2TOOLS", "MCRL2_HOME", "CADP", "MANWIDTH", "MANPAGER",
}

// inside runs the commands of scripts: inside the test if it is true, and in processes otherwise.
type inside bool

// isApart reports whether a command runs in a process even so: if it reads standard input, which
// testscript keeps for processes, or if the runtime reads its environment at the start.
func isApart(ts *testscript.TestScript, command []string) bool {
	return command[0] != "inev" || slices.Contains(command, "-") || len(command) > 1 && command[1] == "watch" || ts.Getenv("GOMEMLIMIT") != ""
}

// run runs the program of a line of a script, and returns its exit code and what it wrote.
func (in inside) run(ts *testscript.TestScript, command []string) (code int, stdout, stderr string) {
	if !bool(in) || isApart(ts, command) {
		code = exitCodeOf(ts, ts.Exec(command[0], command[1:]...))
		return code, ts.ReadFile("stdout"), ts.ReadFile("stderr")
	}
	defer restoring(ts)()
	for _, name := range passed {
		ts.Check(os.Setenv(name, ts.Getenv(name)))
	}
	ts.Check(os.Chdir(ts.MkAbs(".")))
	var out, err bytes.Buffer
	code = run(slices.Clone(command), strings.NewReader(""), &out, &err)
	// What the script's next commands look at.
	_, _ = ts.Stdout().Write(out.Bytes())
	_, _ = ts.Stderr().Write(err.Bytes())
	return code, out.String(), err.String()
}

// restoring returns a function that brings back the working directory and the environment.
func restoring(ts *testscript.TestScript) func() {
	folder, err := os.Getwd()
	ts.Check(err)
	before := map[string]string{}
	for _, name := range passed {
		before[name] = os.Getenv(name)
	}
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
