package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// process is a program that has run.
type process struct {
	seconds float64
	// processor are the seconds of all processors.
	processor float64
	peak      int64
	code      int
	out       []byte
	errors    string
	stopped   bool
}

// start runs a program to its end, or until the limit; 0 is no limit. It fails
// where the program cannot be run, is killed, or ends with an exit code above 1.
func start(ctx context.Context, limit time.Duration, environment []string, program string, arguments ...string) (process, error) {
	limited, stop := ctx, context.CancelFunc(func() {})
	if limit > 0 {
		limited, stop = context.WithTimeout(ctx, limit)
	}
	defer stop()
	var out, wrong bytes.Buffer
	command := exec.CommandContext(limited, program, arguments...)
	command.Env = append(os.Environ(), environment...)
	command.Stdout, command.Stderr = &out, &wrong
	began := time.Now()
	err := command.Run()
	p := process{seconds: time.Since(began).Seconds(), out: out.Bytes(), errors: wrong.String()}
	if command.ProcessState != nil {
		p.peak, p.code = peakOf(command.ProcessState), command.ProcessState.ExitCode()
		p.processor = (command.ProcessState.UserTime() + command.ProcessState.SystemTime()).Seconds()
	}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return p, ctx.Err()
	case limited.Err() != nil:
		p.stopped = true
	case errors.As(err, &exit) && p.code == 1: // a verdict, of inev
	case err != nil:
		return p, fmt.Errorf("%s %s: %w: %s", program, strings.Join(arguments, " "), err, p.errors)
	}
	return p, nil
}

// command returns a row for a run of inev about a property of a model. It writes
// its result, which nobody looks at, as text.
func (l *laboratory) command(name, command string, f file, formula string, environment ...string) *work {
	return &work{name: name, run: func(ctx context.Context) (sample, error) {
		p, err := start(ctx, 0, environment, l.inev, append(strings.Fields(command), f.path, formula, "--stats", "--no-progress")...)
		if err != nil {
			return sample{}, err
		}
		s, err := readCost(p.errors)
		s.Seconds, s.Transitions, s.Bytes, s.Holds = p.seconds, f.transitions, f.bytes, p.code == 0
		return s, err
	}}
}

// readCost reads what --stats tells.
func readCost(text string) (sample, error) {
	var s sample
	for _, line := range strings.Split(text, "\n") {
		name, value, _ := strings.Cut(line, ": ")
		number, unit, _ := strings.Cut(value, " ")
		phaseName, isTime := strings.CutPrefix(name, "time of ")
		var target *int64
		length := int64(0)
		switch {
		case isTime && unit == "ms" && phaseName != "all phases":
			ms, err := strconv.ParseFloat(number, 64)
			if err != nil {
				return s, fmt.Errorf("--stats: %q", line)
			}
			s.Phases = append(s.Phases, phase{phaseName, ms / 1e3})
			continue
		case name == "peak memory" && unit == "bytes":
			target = &s.Peak
		case name == "length in transitions":
			target = &length
		default:
			continue
		}
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return s, fmt.Errorf("--stats: %q", line)
		}
		*target = n
		s.Length = max(s.Length, int(length))
	}
	if len(s.Phases) == 0 || s.Peak == 0 {
		return s, fmt.Errorf("--stats tells no times or no peak: %q", text)
	}
	return s, nil
}
