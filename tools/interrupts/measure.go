package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// laboratory is the environment in which commands are run.
type laboratory struct {
	program, folder string
	// dumpAfter is the time after which a command that still runs must dump its stacks, 0 for never.
	dumpAfter time.Duration
}

// measurement describes how a command reacted to an interrupt.
type measurement struct {
	duration time.Duration   // to the end, if nobody interrupts
	delays   []time.Duration // from an interrupt to the end
	// longest is the largest of delays; longestAfter is how long the command had run before that
	// interrupt.
	longest, longestAfter time.Duration
	faults                []string
	// exitCode is the exit code of the command without an interrupt.
	exitCode int
	// stacks are the functions that were running dumpAfter after an interrupt.
	stacks []string
}

func (m *measurement) median() time.Duration {
	if len(m.delays) == 0 {
		return 0
	}
	sorted := slices.Clone(m.delays)
	slices.Sort(sorted)
	return sorted[len(sorted)/2]
}

// patience is the longest time that a command may run and, after an interrupt, the longest time
// until it ends.
const patience = 2 * time.Minute

// measure runs a command to its end once, and then interrupts it this number of times.
func (l *laboratory) measure(args []string, times int, seed uint64) (*measurement, error) {
	m := &measurement{}
	whole, err := l.start(args)
	if err != nil {
		return nil, err
	}
	if m.duration, err = whole.wait(patience); err != nil {
		return nil, fmt.Errorf("%s: %w", shortened(args), err)
	}
	m.exitCode = whole.cmd.ProcessState.ExitCode()
	r := rand.New(rand.NewPCG(seed, 3))
	for i := range times {
		// One moment in four is within the first 300 ms, however long the command takes: early
		// interrupts matter as much as late ones.
		at := time.Duration(r.Float64() * float64(m.duration))
		if i%4 == 0 {
			at = min(at, time.Duration(r.IntN(300))*time.Millisecond)
		}
		if err := l.interrupt(m, args, at); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// interrupt starts a command and interrupts it some time later.
func (l *laboratory) interrupt(m *measurement, args []string, after time.Duration) error {
	p, err := l.start(args)
	if err != nil {
		return err
	}
	if _, err := p.wait(after); err == nil {
		return nil // the command was done before
	}
	start := time.Now()
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		return err
	}
	if l.dumpAfter > 0 {
		if _, err := p.wait(l.dumpAfter); err != nil {
			return l.dump(m, p, after)
		}
	} else if _, err := p.wait(patience); err != nil {
		return fmt.Errorf("%s, interrupted after %v: %w", shortened(args), after, err)
	}
	delay := time.Since(start)
	m.delays = append(m.delays, delay)
	if delay > m.longest {
		m.longest = delay
		m.longestAfter = after
	}
	return l.checkEnd(m, p, after)
}

// dump has a process dump its stacks, and records the functions that are running.
func (l *laboratory) dump(m *measurement, p *process, after time.Duration) error {
	_ = p.cmd.Process.Signal(syscall.SIGQUIT)
	if _, err := p.wait(patience); err != nil {
		return err
	}
	m.stacks = append(m.stacks,
		fmt.Sprintf("interrupted after %v, then %v:%s", after, p.cmd.ProcessState,
			runningFunctions(p.stderr.String())))
	return nil
}

// checkEnd records what is wrong with how an interrupted process has ended.
func (l *laboratory) checkEnd(m *measurement, p *process, after time.Duration) error {
	complain := func(format string, a ...any) {
		m.faults = append(m.faults,
			fmt.Sprintf("interrupted after %v: ", after)+fmt.Sprintf(format, a...))
	}
	exitCode := p.cmd.ProcessState.ExitCode()
	messages := p.stderr.String()
	switch {
	case exitCode == m.exitCode:
		return nil // the command was just done
	case exitCode == -1 && messages == "" && strings.Contains(p.cmd.ProcessState.String(), "interrupt"):
		return nil // the command had not begun
	}
	if exitCode != 130 || !strings.Contains("\n"+messages, "\ninev: interrupted") {
		complain("%v, %q", p.cmd.ProcessState, messages)
	}
	left, err := filepath.Glob(filepath.Join(l.folder, "out", ".inev-*"))
	if len(left) > 0 {
		complain("left %v", left)
	}
	return err
}

// runningFunctions returns the functions of the goroutines that were running.
func runningFunctions(stacks string) string {
	var text strings.Builder
	for _, goroutine := range strings.Split(stacks, "\n\n") {
		head, calls, _ := strings.Cut(goroutine, "\n")
		isRunning := strings.Contains(head, "[run") || strings.Contains(head, "[syscall")
		if !strings.HasPrefix(head, "goroutine ") || !isRunning ||
			strings.Contains(calls, "os/signal.") {
			continue
		}
		names := functionsOf(calls)
		const most = 12
		for _, name := range names[:min(len(names), most)] {
			fmt.Fprintf(&text, " < %s", name)
		}
	}
	return text.String()
}

// functionsOf returns the names of the functions on a stack, the innermost first.
func functionsOf(calls string) (names []string) {
	for _, line := range strings.Split(calls, "\n") {
		name, _, isCall := strings.Cut(line, "(")
		if !isCall || strings.HasPrefix(line, "\t") {
			continue
		}
		end := max(len(name), strings.LastIndex(line, "(")) // a receiver has parentheses, too
		names = append(names, strings.TrimPrefix(line[:end], "github.com/inev-lts/inev/"))
	}
	return names
}

// process is a command that runs.
type process struct {
	cmd    *exec.Cmd
	stderr strings.Builder
	start  time.Time
	ended  chan error
}

// start starts a command with an empty folder for its files.
func (l *laboratory) start(args []string) (*process, error) {
	out := filepath.Join(l.folder, "out")
	if err := errors.Join(os.RemoveAll(out), os.Mkdir(out, 0o755)); err != nil {
		return nil, err
	}
	p := &process{
		cmd:   exec.Command(l.program, args...),
		start: time.Now(),
		ended: make(chan error, 1),
	}
	p.cmd.Dir, p.cmd.Stderr = l.folder, &p.stderr
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() { p.ended <- p.cmd.Wait() }()
	return p, nil
}

var errStillRunning = errors.New("it is still running")

// wait waits at most this time for the end of a process, and returns how long it waited.
func (p *process) wait(most time.Duration) (time.Duration, error) {
	select {
	case err := <-p.ended:
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			return 0, err
		}
		return time.Since(p.start), nil
	case <-time.After(most):
		if most == patience {
			_ = p.cmd.Process.Kill()
			<-p.ended
		}
		return 0, errStillRunning
	}
}
