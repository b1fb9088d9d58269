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
	// patience is the time after which a command that still runs must dump its stacks, 0 for never.
	patience time.Duration
}

// measurement describes how a command reacted to an interrupt.
type measurement struct {
	takes time.Duration // to the end, if nobody interrupts
	ends  []time.Duration
	// longest is the largest time in ends; at is how long the command had run before the interrupt
	// with this time.
	longest, at time.Duration
	wrong       []string
	// code is the exit code of the command without an interrupt.
	code int
	// stacks are the functions that were running when patience ended.
	stacks []string
}

func (m *measurement) median() time.Duration {
	if len(m.ends) == 0 {
		return 0
	}
	sorted := slices.Clone(m.ends)
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
	if m.takes, err = whole.wait(patience); err != nil {
		return nil, fmt.Errorf("%s: %w", shown(args), err)
	}
	m.code = whole.cmd.ProcessState.ExitCode()
	r := rand.New(rand.NewPCG(seed, 3))
	for i := range times {
		// One moment in four is within the first 300 ms, however long the command takes: early
		// interrupts matter as much as late ones.
		at := time.Duration(r.Float64() * float64(m.takes))
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
func (l *laboratory) interrupt(m *measurement, args []string, at time.Duration) error {
	p, err := l.start(args)
	if err != nil {
		return err
	}
	if _, err := p.wait(at); err == nil {
		return nil // the command was done before
	}
	start := time.Now()
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		return err
	}
	if l.patience > 0 {
		if _, err := p.wait(l.patience); err != nil {
			_ = p.cmd.Process.Signal(syscall.SIGQUIT)
			if _, err = p.wait(patience); err != nil {
				return err
			}
			m.stacks = append(m.stacks,
				fmt.Sprintf("interrupted after %v, then %v:%s", at, p.cmd.ProcessState,
					working(p.stderr.String())))
			return nil
		}
	} else if _, err := p.wait(patience); err != nil {
		return fmt.Errorf("%s, interrupted after %v: %w", shown(args), at, err)
	}
	took := time.Since(start)
	m.ends = append(m.ends, took)
	if took > m.longest {
		m.longest, m.at = took, at
	}
	complain := func(format string, a ...any) {
		m.wrong = append(m.wrong,
			fmt.Sprintf("interrupted after %v: ", at)+fmt.Sprintf(format, a...))
	}
	code, said := p.cmd.ProcessState.ExitCode(), p.stderr.String()
	switch {
	case code == m.code:
		return nil // the command was just done
	case code == -1 && said == "" && strings.Contains(p.cmd.ProcessState.String(), "interrupt"):
		return nil // the command had not begun
	}
	if code != 130 || !strings.Contains("\n"+said, "\ninev: interrupted") {
		complain("%v, %q", p.cmd.ProcessState, said)
	}
	left, err := filepath.Glob(filepath.Join(l.folder, "out", ".inev-*"))
	if len(left) > 0 {
		complain("left %v", left)
	}
	return err
}

// working returns the functions of the goroutines that were running.
func working(stacks string) string {
	var text strings.Builder
	for _, g := range strings.Split(stacks, "\n\n") {
		head, calls, _ := strings.Cut(g, "\n")
		if !strings.HasPrefix(head, "goroutine ") ||
			!strings.Contains(head, "[run") && !strings.Contains(head, "[syscall") ||
			strings.Contains(calls, "os/signal.") {
			continue
		}
		n := 0
		for _, line := range strings.Split(calls, "\n") {
			if name, _, is := strings.Cut(line, "("); is && !strings.HasPrefix(line, "\t") && n < 12 {
				fmt.Fprintf(&text, " < %s",
					strings.TrimPrefix(line[:max(len(name), strings.LastIndex(line, "("))],
						"github.com/inev-lts/inev/"))
				n++
			}
		}
	}
	return text.String()
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
