package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// called returns what a command line leads to.
func called(stdin io.Reader, args ...string) (code int, stdout, stderr string) {
	var out, err strings.Builder
	code = run(append([]string{"inev"}, args...), stdin, &out, &err)
	return code, out.String(), err.String()
}

// silent is standard input at which nobody types; reading is closed when
// somebody begins to wait for it.
type silent struct {
	reading chan struct{}
	until   chan struct{}
}

func newSilent(t *testing.T) silent {
	s := silent{make(chan struct{}), make(chan struct{})}
	t.Cleanup(func() { close(s.until) })
	return s
}

func (s silent) Read([]byte) (int, error) {
	close(s.reading)
	<-s.until
	return 0, io.EOF
}

func TestInterrupt(t *testing.T) {
	stdin := newSilent(t)
	go func() {
		<-stdin.reading
		self, err := os.FindProcess(os.Getpid())
		if err == nil {
			err = self.Signal(os.Interrupt)
		}
		if err != nil {
			t.Error(err)
		}
	}()
	code, stdout, stderr := called(stdin, "check", "-", "Inev(A)")
	if code != exitInterrupted || stdout != "" || stderr != "inev: interrupted\n" {
		t.Errorf("code %d, output %q, errors %q", code, stdout, stderr)
	}
}

func TestTimeout(t *testing.T) {
	code, stdout, stderr := called(newSilent(t), "check", "-", "Inev(A)", "--timeout", "1ms")
	want := "inev: stopped after 1ms (--timeout); allow it more time, or leave --timeout out\n"
	if code != exitFailed || stdout != "" || stderr != want {
		t.Errorf("code %d, output %q, errors %q, want %q", code, stdout, stderr, want)
	}
}

// TestWritingStops: a result can take longer to write than to compute.
func TestWritingStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	j := &call{program: &program{stdout: newResults(context.Background(), io.Discard)}, ctx: ctx, c: emptyContext()}
	endless := func(w io.Writer) error {
		for range 1000 {
			if _, err := w.Write([]byte("row\n")); err != nil {
				return err
			}
			cancel()
		}
		return nil
	}
	if err := j.print(endless); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	path := filepath.Join(t.TempDir(), "x")
	if err := j.save(path, endless); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Errorf("a file was written")
	}
}

func TestStandardInputInPieces(t *testing.T) {
	text := "des (0, 1, 2)\n(0, \"A\", 1)\n"
	code, stdout, stderr := called(iotestOneByte{strings.NewReader(text)}, "check", "-", "Inev(A)")
	if code != exitDone || !strings.HasPrefix(stdout, "- satisfies") || stderr != "" {
		t.Errorf("code %d, output %q, errors %q", code, stdout, stderr)
	}
}

// TestClosedPipe: results that do not fit the buffer meet a closed pipe while
// they are written, not when all is done.
func TestClosedPipe(t *testing.T) {
	model := filepath.Join(t.TempDir(), "m.aut")
	label := strings.Repeat("A", 100_000)
	if err := os.WriteFile(model, []byte(`des (0, 1, 2)
(0, "`+label+`", 1)
`), 0o644); err != nil {
		t.Fatal(err)
	}
	nobody, stdout, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdout.Close()
	if err := nobody.Close(); err != nil {
		t.Fatal(err)
	}
	var stderr strings.Builder
	args := []string{"inev", "check", model, "Inev(B)", "--allow-unmatched", "--format", "tsv", "--quiet"}
	if code := run(args, nil, stdout, &stderr); code != exitViolated || stderr.Len() > 0 {
		t.Errorf("code %d, errors %q", code, stderr.String())
	}
}

type iotestOneByte struct{ r io.Reader }

func (o iotestOneByte) Read(data []byte) (int, error) { return o.r.Read(data[:1]) }

func TestColours(t *testing.T) {
	model := filepath.Join("testdata", "models", "m.aut")
	for _, c := range []struct {
		name     string
		terminal bool
		noColor  string
		term     string
		args     []string
		want     bool
	}{
		{name: "terminal", terminal: true, term: "xterm", want: true},
		{name: "pipe", terminal: false, term: "xterm"},
		{name: "flag", terminal: true, term: "xterm", args: []string{"--no-color"}},
		{name: "environment", terminal: true, noColor: "1", term: "xterm"},
		{name: "dumb terminal", terminal: true, term: "dumb"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("NO_COLOR", c.noColor)
			t.Setenv("TERM", c.term)
			var out strings.Builder
			p := &program{stdout: newResults(context.Background(), &out), stderr: io.Discard, terminal: c.terminal}
			args := append([]string{"inev", "explain", model, "Inev(REQ, ACK)"}, c.args...)
			if err := p.run(context.Background(), args); !errors.Is(err, errViolated) {
				t.Fatal(err)
			}
			if err := p.stdout.finish(); err != nil {
				t.Fatal(err)
			}
			if got := strings.Contains(out.String(), "\x1b["); got != c.want {
				t.Errorf("coloured: %v, want %v", got, c.want)
			}
		})
	}
	t.Run("file", func(t *testing.T) {
		t.Setenv("NO_COLOR", "")
		t.Setenv("TERM", "xterm")
		path := filepath.Join(t.TempDir(), "r.txt")
		p := &program{stdout: newResults(context.Background(), io.Discard), stderr: io.Discard, terminal: true}
		if err := p.run(context.Background(), []string{"inev", "explain", model, "Inev(REQ, ACK)", "-o", path}); !errors.Is(err, errViolated) {
			t.Fatal(err)
		}
		if text, err := os.ReadFile(path); err != nil || strings.Contains(string(text), "\x1b[") || len(text) == 0 {
			t.Errorf("the file holds %q (error %v)", text, err)
		}
	})
}

func TestIsTerminal(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "x"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if isTerminal(f) || isTerminal(io.Discard) {
		t.Error("a file is taken for a terminal")
	}
}

// TestErrorOfStandardOutput: the cause is kept, the name is said.
func TestErrorOfStandardOutput(t *testing.T) {
	r := newResults(context.Background(), refusing{})
	if _, err := r.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	err := r.finish()
	if !errors.Is(err, syscall.ENOSPC) || err.Error() != "standard output cannot be written: "+syscall.ENOSPC.Error() {
		t.Errorf("error %v", err)
	}
}

type refusing struct{}

func (refusing) Write([]byte) (int, error) {
	return 0, &os.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.ENOSPC}
}

// TestErrorsAreBrief: of what somebody wrote, however long it is, an error repeats the beginning.
func TestErrorsAreBrief(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	folder := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	m := file("m.aut", "des (0, 1, 2)\n(0, \""+long+"\", 1)\n")
	for _, args := range [][]string{
		{"check", m, "[ " + long + "(1) . \"a\" ] false"}, {"check", m, "Inev(" + long[1:] + ")"}, {"check", m, "G ( " + long + " a"}, {"ctl", m, "AG " + long + " = 1"},
		{"check", m, "--formula", file("f.mcl", "macro M = "+long+" end_macro M")}, {"check", m, "--never", file("f.never", "never { goto "+long+" }")},
		{"batch", file("j.yaml", "jobs:\n  - model: m.aut\n    formula: Inev(a)\n    expect: "+long+"\n")}, {"info", file("n.aut", "des (0, 1, 2)\n(0, \"a\", "+long+")\n")},
		{"check", m, "F x = 1", "--states", file("s.tsv", "state\t"+long+"\n0\t1\n1\t1\n")}, {"check", m, "Inev(a)", "--fair", long}, {"verify", m, "Inev(a)", file("c.json", "{\"schema\": \""+long+"\"}")},
	} {
		if code, _, stderr := called(nil, args...); code != exitFailed || len(stderr) > 2_000 || !strings.HasPrefix(stderr, "inev: ") {
			t.Errorf("%.60q: code %d, %d bytes: %.300s", args, code, len(stderr), stderr)
		}
	}
	blanks := strings.Repeat("x y ", 1_000) + "z"
	m = file("s.aut", "des (0, 1, 2)\n(0, \"a\", 1)\n")
	values := file("v.tsv", "state\tx\n0\t\""+blanks+"\"\n1\t1\n")
	for _, args := range [][]string{
		{"check", m, "Inev(a)", "--algorithm", blanks}, {"check", m, "Inev(a)", "--algorithm=" + blanks}, {"check", m, "Inev(a)", "--memory", blanks}, {"check", m, "Inev(a)", "--" + blanks},
		{"check", m, "Inev(a)", "--fair", blanks}, {"why", m, "Inev(a)", "--not", blanks}, {"info", blanks}, {blanks}, {"explain", m, "Inev(a)", "-o", blanks + ".txt/x.txt"},
		{"check", m, "F x = \"" + blanks + "\"", "--states", values}, {"ctl", m, "AG x = \"" + blanks + "\"", "--states", values}, {"check", m, "F x = 3", "--states", values},
		{"ctl", m, "AG x = 3", "--states", values}, {"check", m, "Inev(a; after x = \"" + blanks + "\")"}, {"diagram", m, "--formula", blanks}, {"check", m, "F x \\in {" + strings.Repeat("1, ", 1_000) + "2}"},
		{"check", m, "Inev(x = \"" + blanks + "\")", "--fair", "weak:x=\"" + blanks + "\""},
	} {
		code, _, stderr := called(nil, args...)
		if code != exitFailed || len(stderr) > 500 || !strings.HasPrefix(stderr, "inev: ") || strings.Contains(stderr, blanks[:150]) {
			t.Errorf("%.60q: code %d, %d bytes: %.300s", args, code, len(stderr), stderr)
		}
	}
}

// run is the whole program: it returns the exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return runPatiently(patience, args, stdin, stdout, stderr)
}

// runPatiently is run with another delay before progress is shown.
func runPatiently(patience time.Duration, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := listening()
	defer stop()
	return runWithin(ctx, &walked{}, patience, args, stdin, stdout, stderr)
}
