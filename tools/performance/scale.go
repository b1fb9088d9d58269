package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/inev-lts/inev/lts/generate"
)

// scale measures models that inev reads from a pipe while they are made, of all sizes. It
// puts the figures into a page, in place of the section that is there, and draws the plot
// beside it.
func (l *laboratory) scale(ctx context.Context, explained int, page string) error {
	took := newTable("", "transitions", "states", "verdict", "elapsed", "processor", "a transition", "peak", "a transition")
	checked := &curve{name: "check"}
	analysed := &curve{name: "explain"}
	for _, c := range []struct {
		*curve
		command string
		most    int
	}{{checked, "check", l.sizes[len(l.sizes)-1]}, {analysed, "explain --no-fairness --no-advice", explained}} {
		for _, n := range l.sizes {
			if n > c.most {
				break
			}
			w, err := l.fromPipe(ctx, c.command, local(n))
			if err != nil {
				return err
			}
			c.works = append(c.works, w)
			s := w.samples[0]
			verdict := "violated"
			if s.Holds {
				verdict = "holds"
			}
			// The processor time of a run takes the place of its time in the plot: others use
			// the machine too.
			elapsed := s.Elapsed
			took.add("`inev "+c.command+"`", grouped(s.Transitions), grouped(s.States), verdict, seconds(elapsed), seconds(s.Seconds), nanoseconds(s), size(float64(s.Peak)), bytesEach(s.Peak, s.Transitions))
		}
	}
	plot := strings.TrimSuffix(page, filepath.Ext(page)) + ".svg"
	picture, err := draw([]*curve{checked, analysed})
	if err != nil {
		return err
	}
	if err := os.WriteFile(plot, picture, 0o644); err != nil {
		return err
	}
	text := fmt.Sprintf(`
This section and the plot are written by

    go -C tools run ./performance -sizes %s -explained %s -scale ../docs/scale.md

which was run on a machine with %d cores, %s/%s, %s. "inev generate scc --states S
--locality 1000" writes into a pipe, and the command reads from it: there is no file. Elapsed
is the time until both have ended, processor time that of the command alone, and the plot
shows the latter. The property holds, so that all of the model has to be looked at.

![Processor time and memory a transition, by the number of transitions](%s)

%s`, sizesText(l.sizes), powerOfTen(explained), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version(), filepath.Base(plot), took)
	return replaceSection(page, "## Measured\n", text)
}

func sizesText(sizes []int) string {
	texts := make([]string, len(sizes))
	for i, n := range sizes {
		texts[i] = powerOfTen(n)
	}
	return strings.Join(texts, ",")
}

func powerOfTen(n int) string {
	return strings.Replace(strconv.FormatFloat(float64(n), 'g', -1, 64), "e+0", "e", 1)
}

// replaceSection puts text under a heading of a page, in place of what is there up to the
// next heading of its level.
func replaceSection(page, heading, text string) error {
	old, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	before, after, is := strings.Cut(string(old), heading)
	if !is {
		return fmt.Errorf("%s has no section %s", page, strings.TrimSpace(heading))
	}
	if at := strings.Index(after, "\n## "); at >= 0 {
		after = after[at:]
	} else {
		after = ""
	}
	return os.WriteFile(page, []byte(before+heading+strings.TrimRight(text, "\n")+"\n"+after), 0o644)
}

// fromPipe runs a command of inev on a model that another inev writes into its standard input.
func (l *laboratory) fromPipe(ctx context.Context, command string, spec generate.Spec) (*work, error) {
	const formula = "Inev(BACK)" // which every cycle of an scc does
	var s sample
	var err error
	if s.States, s.Transitions, err = spec.Size(ctx); err != nil {
		return nil, err
	}
	l.tell(fmt.Sprintf("%s, %d transitions from a pipe", command, s.Transitions))
	writer := exec.CommandContext(ctx, l.inev, "generate", spec.Kind, "--states", strconv.Itoa(spec.States), "--locality", strconv.Itoa(spec.Locality), "--quiet")
	words := strings.Fields(command)
	reader := exec.CommandContext(ctx, l.inev, append([]string{words[0], "-", formula, "--stats", "--no-progress"}, words[1:]...)...)
	var told, wrong bytes.Buffer
	reader.Stderr, writer.Stderr = &told, &wrong
	if reader.Stdin, err = writer.StdoutPipe(); err != nil {
		return nil, err
	}
	began := time.Now()
	if err := errors.Join(writer.Start(), reader.Start()); err != nil {
		return nil, err
	}
	verdict := reader.Wait()
	if err := writer.Wait(); err != nil {
		return nil, fmt.Errorf("inev generate: %w: %s%s", err, wrong.String(), told.String())
	}
	elapsed := time.Since(began).Seconds()
	var exit *exec.ExitError
	if verdict != nil && (!errors.As(verdict, &exit) || exit.ExitCode() != 1) {
		return nil, fmt.Errorf("inev %s: %w: %s", command, verdict, told.String())
	}
	cost, err := readCost(told.String())
	if err != nil {
		return nil, err
	}
	s.Phases, s.Peak, s.Holds = cost.Phases, cost.Peak, verdict == nil
	s.Elapsed, s.Seconds = elapsed, (reader.ProcessState.UserTime() + reader.ProcessState.SystemTime()).Seconds()
	return &work{name: command, samples: []sample{s}}, nil
}

// largestPiped returns the largest model from a pipe that was checked for a page, in the rows
// that scale writes; false if there is none.
func largestPiped(page string) (sample, bool) {
	text, err := os.ReadFile(page)
	if err != nil {
		return sample{}, false
	}
	var largest sample
	for _, line := range strings.Split(string(text), "\n") {
		cells := strings.Split(line, " | ")
		if len(cells) != 9 || cells[0] != "| `inev check`" {
			continue
		}
		s := sample{Seconds: quantity(cells[4]), Peak: int64(quantity(cells[7])), Transitions: int64(quantity(strings.ReplaceAll(cells[1], ",", "")))}
		if s.Seconds > 0 && s.Peak > 0 && s.Transitions > largest.Transitions {
			largest = s
		}
	}
	return largest, largest.Transitions > 0
}

// quantity reads what seconds and size write, 0 if that is something else.
func quantity(text string) float64 {
	number, unit, _ := strings.Cut(text, " ")
	x, err := strconv.ParseFloat(number, 64)
	factor, is := map[string]float64{"": 1, "s": 1, "ms": 1e-3, "µs": 1e-6, "kB": 1e3, "MB": 1e6, "GB": 1e9}[unit]
	if err != nil || !is {
		return 0
	}
	return x * factor
}
