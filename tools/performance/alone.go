package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/trace"
	"slices"
	"strconv"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/format"
	"github.com/inev-lts/inev/internal/progress"
)

// alone explains a model on two cores, and traces when goroutines have work: if only one has, a second
// core has nothing to do, whatever other programs do meanwhile. The phases of the sample have these
// shares of their time.
func alone(ctx context.Context, t task) (sample, error) {
	runtime.GOMAXPROCS(2)
	f, err := os.Create(t.To)
	if err != nil {
		return sample{}, err
	}
	if err := trace.Start(f); err != nil {
		return sample{}, errors.Join(err, f.Close())
	}
	err = explainFile(progress.With(ctx, func(m *progress.Meter) { trace.Log(ctx, "phase", m.Phase) }), t)
	trace.Stop()
	return sample{}, errors.Join(err, f.Close())
}

func explainFile(ctx context.Context, t task) error {
	m, _, err := format.Open(ctx, t.Path, format.Options{})
	if err != nil {
		return err
	}
	f, err := actl.Parse(ctx, t.Formula)
	if err != nil {
		return err
	}
	_, err = explain.Explain(ctx, m.LTS, f, explain.Options{NoPaths: true})
	return err
}

// aloneIn traces an explanation, and returns the share of its time while each part has work for one core
// only, by [atOnce], and last the whole.
func (l *laboratory) aloneIn(ctx context.Context, f file) ([]float64, error) {
	path := filepath.Join(l.folder, "trace")
	defer os.Remove(path)
	if _, err := l.do(ctx, task{Do: "alone", Path: f.path, Formula: f.formula, To: path}); err != nil {
		return nil, err
	}
	command := exec.CommandContext(ctx, "go", "tool", "trace", "-d=parsed", path)
	out, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	shares, err := readTrace(out)
	return shares, errors.Join(err, command.Wait())
}

var (
	traceTime       = regexp.MustCompile(` Time=(\d+)`)
	traceTransition = regexp.MustCompile(` StateTransition .*GoID=(\d+) (\w+)->(\w+)`)
	tracePhase      = regexp.MustCompile(` Log .*Category="phase" Message="([^"]*)"`)
)

// readTrace reads what go tool trace -d=parsed writes.
func readTrace(r io.Reader) ([]float64, error) {
	time, alone := make([]float64, len(atOnce)+1), make([]float64, len(atOnce)+1)
	ready := map[string]bool{}
	part, last := -1, 0.0
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Bytes()
		at := traceTime.FindSubmatch(line)
		if at == nil {
			continue
		}
		now, err := strconv.ParseFloat(string(at[1]), 64)
		if err != nil {
			return nil, err
		}
		for _, i := range []int{part, len(atOnce)} {
			if part < 0 {
				break
			}
			if time[i] += now - last; len(ready) < 2 {
				alone[i] += now - last
			}
		}
		last = now
		if p := tracePhase.FindSubmatch(line); p != nil {
			part = partOf(string(p[1]))
		}
		if t := traceTransition.FindSubmatch(line); t != nil {
			// What waits in the system from the beginning waits for signals.
			switch to := string(t[3]); {
			case to == "Running" || to == "Runnable" || to == "Syscall" && string(t[2]) == "Running":
				ready[string(t[1])] = true
			default:
				delete(ready, string(t[1]))
			}
		}
	}
	for i := range alone {
		alone[i] /= max(time[i], 1)
	}
	return alone, lines.Err()
}

// partOf returns the part of a run that a phase belongs to.
func partOf(name string) int {
	i := slices.IndexFunc(atOnce, func(p part) bool { return slices.Contains(p.phases, name) })
	if i < 0 {
		return len(atOnce) - 1
	}
	return i
}
