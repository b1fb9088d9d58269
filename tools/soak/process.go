//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// command is a call of inev.
type command struct {
	args  []string
	stdin string // the file that is its standard input, "" for none
	// files are the files that the command may write, or the folder of a batch.
	files []string
	// ulimit are options of the shell's ulimit for the command: "-n 20".
	ulimit string
	// signal is sent after a delay; 0 for none.
	signal syscall.Signal
	after  time.Duration
	memory uint64 // the bytes that --memory allows, 0 for any number
	limit  time.Duration
	stdout string // the file that is its standard output, "" if the output is read
}

func (c *command) with(args ...string) *command {
	d := *c
	d.args = append(slices.Clone(c.args), args...)
	return &d
}

// String returns the command line, so that a reader can run it again.
func (c *command) String() string {
	var text strings.Builder
	if c.ulimit != "" {
		fmt.Fprintf(&text, "ulimit %s; ", c.ulimit)
	}
	text.WriteString("inev")
	for _, a := range c.args {
		if len(a) > 200 {
			a = a[:200] + "…"
		}
		if strings.ContainsAny(a, " \"(){}*?$&;\\\n") || a == "" {
			a = "'" + a + "'"
		}
		text.WriteString(" " + a)
	}
	if c.stdin != "" {
		text.WriteString(" < " + c.stdin)
	}
	if c.signal != 0 {
		fmt.Fprintf(&text, " [%v after %v]", c.signal, c.after)
	}
	return text.String()
}

// ended is the end of a command.
type ended struct {
	code           int // the exit code, -1 if the command was killed
	by             syscall.Signal
	stdout, stderr string
	took           time.Duration
	peak           uint64 // bytes of memory
}

func (e *ended) end() string {
	if e.code < 0 {
		return "killed"
	}
	return strconv.Itoa(e.code)
}

// slack is how long a command may continue after its limit or a signal, on a busy machine.
const slack = 30 * time.Second

// longest is the largest time that a command may take in all.
const longest = 5 * time.Minute

// execute runs a command to its end, and checks the rules for all commands.
func (r *round) execute(c *command) (*ended, error) {
	before, err := r.filesInFolder()
	if err != nil {
		return nil, err
	}
	e, err := r.start(c)
	if err != nil {
		return nil, err
	}
	name := c.args[0]
	r.tally.count(name, e.end())
	r.judge(c, e)
	after, err := r.filesInFolder()
	if err != nil {
		return nil, err
	}
	for path := range after {
		_, was := before[path]
		if was || allowed(c, path) {
			continue
		}
		if e.by == syscall.SIGKILL && strings.HasPrefix(filepath.Base(path), ".inev-") {
			if err := os.Remove(filepath.Join(r.folder, path)); err != nil {
				return nil, err
			}
			continue
		}
		r.complain(c, e, "left %s", path)
	}
	for _, path := range c.files {
		if text, is := after[path]; is && !bytes.Equal(text, before[path]) {
			if err := checkComplete(path, text); err != nil {
				r.complain(c, e, "%s: %v", path, err)
			}
		}
	}
	return e, nil
}

func allowed(c *command, path string) bool {
	return slices.ContainsFunc(c.files, func(f string) bool {
		return f == path || strings.HasPrefix(path, f+"/")
	})
}

// start runs a command, sends it the signal that it is to get, and returns how it ended. It complains if the command
// ends late, or leaves a process behind.
func (r *round) start(c *command) (*ended, error) {
	var out, errs bytes.Buffer
	cmd := r.process(c)
	cmd.Stdout = &out
	cmd.Stderr = &errs
	if c.stdin != "" {
		f, err := os.Open(filepath.Join(r.folder, c.stdin))
		if err != nil {
			return nil, err
		}
		defer f.Close()
		cmd.Stdin = f
	}
	if c.stdout != "" {
		f, err := os.OpenFile(c.stdout, os.O_WRONLY, 0)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		cmd.Stdout = f
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	over := make(chan error, 1)
	go func() { over <- cmd.Wait() }()
	var signal <-chan time.Time
	if c.signal != 0 {
		signal = time.After(c.after)
	}
	most := time.After(longest)
	var signalled time.Time
	for {
		select {
		case err := <-over:
			var exit *exec.ExitError
			if err != nil && !errors.As(err, &exit) {
				return nil, err
			}
			e := endOf(cmd, time.Since(began))
			e.stdout = out.String()
			e.stderr = errs.String()
			if !signalled.IsZero() && time.Since(signalled) > slack {
				r.complain(c, e, "went on for %v after the signal", time.Since(signalled))
			}
			if err := syscall.Kill(-cmd.Process.Pid, 0); !errors.Is(err, syscall.ESRCH) {
				r.complain(c, e, "left a process behind (%v)", err)
			}
			return e, nil
		case <-signal:
			signalled = time.Now()
			if err := cmd.Process.Signal(c.signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
				return nil, err
			}
		case <-most:
			_ = cmd.Process.Signal(syscall.SIGQUIT)
			err := <-over
			r.complain(c, &ended{code: -1, stderr: errs.String()}, "took longer than %v (%v)",
				longest, err)
			return &ended{code: -1, by: syscall.SIGQUIT}, nil
		}
	}
}

// process returns the process of a command, in a group of its own and under the limits of the command.
func (r *round) process(c *command) *exec.Cmd {
	cmd := exec.Command(r.program, c.args...)
	if c.ulimit != "" {
		script := "ulimit " + c.ulimit + ` && exec "$0" "$@"`
		cmd = exec.Command("/bin/sh", append([]string{"-c", script, r.program}, c.args...)...)
	}
	cmd.Dir = r.folder
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

// endOf describes how a process has ended.
func endOf(cmd *exec.Cmd, took time.Duration) *ended {
	e := &ended{
		code: cmd.ProcessState.ExitCode(),
		took: took,
		peak: uint64(cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss) << 10,
	}
	status := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if status.Signaled() {
		e.by = status.Signal()
	}
	return e
}

var crash = regexp.MustCompile(`(?m)^panic:|^goroutine \d+ \[|^fatal error:|runtime error|\.go:\d+`)

// judge checks exit code, messages, memory and time.
func (r *round) judge(c *command, e *ended) {
	if text := e.stdout + e.stderr; crash.MatchString(text) {
		r.complain(c, e, "crashed")
		return
	}
	r.judgeExit(c, e)
	r.judgeErrors(c, e)
	r.judgeLimits(c, e)
}

// judgeExit checks how a command ended.
func (r *round) judgeExit(c *command, e *ended) {
	if e.code < 0 {
		// A signal can arrive before the program listens for it, or after its work is done.
		isEarly := c.signal != 0 && e.by == c.signal && e.stderr == ""
		isKilled := c.signal == syscall.SIGKILL && e.by == syscall.SIGKILL
		if !isEarly && !isKilled {
			r.complain(c, e, "ended by signal %v", e.by)
		}
		return
	}
	switch e.code {
	case 0, 1, 2:
	case 130:
		if c.signal == 0 || !strings.Contains("\n"+e.stderr, "\ninev: interrupted") {
			r.complain(c, e, "exit code 130 without an interruption")
		}
	default:
		r.complain(c, e, "exit code %d", e.code)
	}
}

// judgeErrors checks that there is one line of error if and only if the exit code is that of an error.
func (r *round) judgeErrors(c *command, e *ended) {
	errs := 0
	isOfManifest := false
	for _, line := range strings.Split(e.stderr, "\n") {
		isRemark := strings.HasPrefix(line, "inev: warning: ") || strings.HasPrefix(line, "inev: note: ")
		if strings.HasPrefix(line, "inev: ") && !isRemark {
			errs++
			isOfManifest = isOfManifest || strings.HasSuffix(line, "mistakes; nothing was run")
		}
	}
	// These commands write a verdict even if a further file could not be written.
	goesOn := c.args[0] == "diagram" || c.args[0] == "explain"
	switch {
	case e.code == 2 && errs != 1 && !isOfManifest:
		r.complain(c, e, "%d lines of error", errs)
	case (e.code == 0 || e.code == 1) && errs > 0 && !goesOn:
		r.complain(c, e, "an error, and exit code %d", e.code)
	}
}

// judgeLimits checks the memory and the time of a command.
func (r *round) judgeLimits(c *command, e *ended) {
	// A program that has just started takes some 20 MB. Linux counts in its peak also the memory
	// that this process had when it started the program.
	if c.memory >= 50<<20 && e.peak > own() && e.peak > c.memory+c.memory/10+code {
		r.complain(c, e, "took %d MB of memory, allowed are %d", e.peak>>20, c.memory>>20)
	}
	if c.limit > 0 && e.took > c.limit+slack {
		r.complain(c, e, "took %v, allowed are %v", e.took, c.limit)
	}
}

// complain reports a fault of inev.
func (r *round) complain(c *command, e *ended, format string, a ...any) {
	text := fmt.Sprintf("%s\n  %s", fmt.Sprintf(format, a...), c)
	if e != nil {
		text += fmt.Sprintf("\n  ended: %s %s\n  %s", e.end(), e.took, shortened(e.stderr))
	}
	r.faults = append(r.faults, text)
}

func shortened(text string) string {
	if len(text) > 1500 {
		text = text[:1500] + "…"
	}
	return strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ")
}

// code is the approximate memory of the program itself, its text and tables, in bytes.
const code = 12 << 20

// own returns the peak memory of this process.
func own() uint64 {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return uint64(usage.Maxrss) << 10
}
