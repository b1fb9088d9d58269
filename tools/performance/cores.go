package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/trace"
	"slices"
	"strconv"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/format"
	"github.com/inev-lts/inev/internal/progress"
)

// cores compares runs on one core with runs on all cores.
func (l *laboratory) cores(ctx context.Context) (string, error) {
	t := newTable("", "one core", "all cores", "one ÷ all")
	for _, s := range []subject{
		{name: "reference model", spec: local(l.reference()), command: "explain"},
		{name: "reference model", spec: local(l.reference()), command: "check"},
		{name: "targets anywhere", spec: far(l.reference()), command: "explain"},
	} {
		f, err := l.model(ctx, s.spec, "")
		if err != nil {
			return "", err
		}
		name := "`inev " + s.command + "`, " + s.name
		one := l.command(name+", one core", s.command, f, f.formula, "GOMAXPROCS=1")
		all := l.command(name, s.command, f, f.formula)
		if err := l.measure(ctx, l.runs, []*work{one, all}); err != nil {
			return "", err
		}
		t.add(name, seconds(one.median().Seconds), seconds(all.median().Seconds),
			times(one.median().Seconds/all.median().Seconds))
	}
	return t.String(), nil
}

// part is a part of a run: one or several of its phases.
type part struct {
	name   string
	phases []string
}

// runParts are the parts of a run; phases that overlap are in one part.
var runParts = []part{
	{"read", []string{"read"}},
	{"components, enrich", []string{"components", "enrich"}},
	{"classify, search, fairness", []string{"classify", "search", "fairness"}},
	{"all else", nil},
}

// secondsByPart returns the time of each part of a run, and of the whole run.
func secondsByPart(s sample) []float64 {
	parts := make([]float64, len(runParts))
	rest := s.Seconds
	for i, part := range runParts {
		for _, p := range s.Phases {
			if slices.Contains(part.phases, p.Name) {
				parts[i] += p.Seconds
				rest -= p.Seconds
			}
		}
	}
	allElse := len(runParts) - 1
	parts[allElse] = max(rest, 0)
	return append(parts, s.Seconds)
}

// lowerMedian returns the median of some numbers; of two in the middle, the smaller one.
func lowerMedian(numbers []float64) float64 {
	sorted := slices.Sorted(slices.Values(numbers))
	return sorted[(len(sorted)-1)/2]
}

// twoCores compares explanations on one core and on two, phase by phase, and replaces the section
// of a page with the figures.
func (l *laboratory) twoCores(ctx context.Context, page string) error {
	t := newTable("", "", "one core", "two cores", "one ÷ two", "alone", "of the run")
	for _, model := range []subject{
		{name: "reference model", spec: local(l.reference())},
		{name: "targets anywhere", spec: far(l.reference())},
	} {
		f, err := l.model(ctx, model.spec, "")
		if err != nil {
			return err
		}
		// each[i][run] has the times of a run on i+1 cores. Runs on one core and on two alternate.
		each := [2][][]float64{}
		for range l.runs {
			for i, environment := range []string{"GOMAXPROCS=1", "GOMAXPROCS=2"} {
				l.logProgress(model.name + ", " + environment)
				s, err := l.command(model.name, "explain", f, f.formula, environment).run(ctx)
				if err != nil {
					return err
				}
				each[i] = append(each[i], secondsByPart(s))
			}
		}
		l.logProgress(model.name + ", goroutines at work")
		alone, err := l.sharesAlone(ctx, f)
		if err != nil {
			return err
		}
		addCores(t, model.name, each, alone)
	}
	return replaceSection(page, "## What stays serial\n",
		fmt.Sprintf(coresText, l.runs, load(), t))
}

// addCores adds the rows of a model, the whole run first: for each part of a run the medians of its
// times on one core and on two, and of their ratio in runs that followed each other; and the share of
// the time during which only one core had work. each[0][run] and each[1][run] have the times of the
// parts, the whole run last.
func addCores(t *table, name string, each [2][][]float64, alone []float64) {
	whole := len(runParts)
	ofWhole := mediansOfPart(each, whole)
	t.add("`inev explain`, "+name, "the whole run", seconds(ofWhole.oneCore),
		seconds(ofWhole.twoCores), times(ofWhole.ratio), percent(alone[whole]), "")
	for i, part := range runParts {
		m := mediansOfPart(each, i)
		t.add("", part.name, seconds(m.oneCore), seconds(m.twoCores), times(m.ratio),
			percent(alone[i]), percent(m.twoCores/ofWhole.twoCores))
	}
}

// coreMedians are the medians of the times of a part on one core and on two, and of their ratio.
type coreMedians struct{ oneCore, twoCores, ratio float64 }

// mediansOfPart returns the medians of the part with an index.
func mediansOfPart(each [2][][]float64, index int) coreMedians {
	var one, two, ratios []float64
	for run := range each[0] {
		onOne := each[0][run][index]
		onTwo := each[1][run][index]
		one = append(one, onOne)
		two = append(two, onTwo)
		ratios = append(ratios, onOne/max(onTwo, 1e-9))
	}
	return coreMedians{lowerMedian(one), lowerMedian(two), lowerMedian(ratios)}
}

// load describes how busy the machine is; "" if that is not known.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return ""
	}
	average, _, _ := strings.Cut(string(text), " ")
	return fmt.Sprintf("\nThe load average of the machine, of %d cores, was %s at the end: above the number of cores, times tell little.", runtime.NumCPU(), average)
}

func percent(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) }

const coresText = `
This section is written by

    go -C tools run ./performance -sizes 1e7 -runs %d -cores ../docs/research/performance.md

which explains the reference model and one with random targets, alternately on one core and on two. The table has the
medians of the times, and of the ratios of two runs that followed each other. Other programs that
run meanwhile make this ratio smaller. They do not change the column "alone", the share of a phase's time
during which it has work for one core only, as the trace of a run on two cores shows. Phases that run
at the same time share a row.%s

%s
While components are found, one goroutine finds the reachable states, and another one the common prefixes, level by
level. One goroutine finds the component of the initial state by passes through the rows; a depth-first search finds
all other components. Depths of components depend on each other, and so do the suffixes of small ones. When inev looks
for helpful fairness, two goroutines find the predecessors and the successors of a state. All cores share reading,
the passes for exits, the classes, the labels of fair sets, and the common suffixes of a large component.
`

// traceAlone explains a model on two cores, and traces when goroutines have work: while only one
// goroutine has work, a second core has nothing to do, whatever other programs do. The phases of
// the returned sample are these shares.
func traceAlone(ctx context.Context, t task) (sample, error) {
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

// explainFile explains the formula of a task on the model in a file.
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

// sharesAlone traces an explanation, and returns the share of the time of each part, by [runParts],
// during which only one core has work; the last share is that of the whole run.
func (l *laboratory) sharesAlone(ctx context.Context, f file) ([]float64, error) {
	path := filepath.Join(l.folder, "trace")
	defer os.Remove(path)
	if _, err := l.runTask(ctx, task{
		Do:      "alone",
		Path:    f.path,
		Formula: f.formula,
		To:      path,
	}); err != nil {
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

// readTrace reads the output of go tool trace -d=parsed. It returns, for each part and for the whole
// run, the share of the time during which at most one goroutine has work.
func readTrace(r io.Reader) ([]float64, error) {
	s := newShareMeter()
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if err := s.readLine(lines.Bytes()); err != nil {
			return nil, err
		}
	}
	return s.shares(), lines.Err()
}

// shareMeter measures during which share of the time at most one goroutine has work.
type shareMeter struct {
	// total and alone have, for each part and then for the whole run, the whole time, and the time during
	// which at most one goroutine had work, both in nanoseconds.
	total, alone []float64
	ready        map[string]bool // the goroutines that have work
	part         int             // the present part; noPart before the first phase
	last         float64         // the time of the last event
}

// noPart is the part of events before the first phase.
const noPart = -1

func newShareMeter() *shareMeter {
	numbers := len(runParts) + 1
	return &shareMeter{
		total: make([]float64, numbers),
		alone: make([]float64, numbers),
		ready: map[string]bool{},
		part:  noPart,
	}
}

// readLine reads a line of a trace, which may have no event.
func (s *shareMeter) readLine(line []byte) error {
	at := traceTime.FindSubmatch(line)
	if at == nil {
		return nil
	}
	now, err := strconv.ParseFloat(string(at[1]), 64)
	if err != nil {
		return err
	}
	s.spend(now - s.last)
	s.last = now
	p := tracePhase.FindSubmatch(line)
	if p != nil {
		s.part = partOf(string(p[1]))
	}
	t := traceTransition.FindSubmatch(line)
	if t != nil {
		s.change(string(t[1]), string(t[2]), string(t[3]))
	}
	return nil
}

// spend adds the time between two events to the present part and to the whole run.
func (s *shareMeter) spend(time float64) {
	if s.part == noPart {
		return
	}
	whole := len(runParts)
	for _, i := range []int{s.part, whole} {
		s.total[i] += time
		if len(s.ready) < 2 {
			s.alone[i] += time
		}
	}
}

// change records that a goroutine changes its state.
func (s *shareMeter) change(goroutine, before, after string) {
	// A goroutine that waits in a system call from the beginning waits for signals.
	inSystemCall := after == "Syscall" && before == "Running"
	if after == "Running" || after == "Runnable" || inSystemCall {
		s.ready[goroutine] = true
	} else {
		delete(s.ready, goroutine)
	}
}

// shares returns, for each part and for the whole run, the share of the time during which at most one
// goroutine had work.
func (s *shareMeter) shares() []float64 {
	shares := make([]float64, len(s.alone))
	for i, alone := range s.alone {
		shares[i] = alone / max(s.total[i], 1)
	}
	return shares
}

// partOf returns the part of a run that a phase belongs to.
func partOf(name string) int {
	i := slices.IndexFunc(runParts, func(p part) bool {
		return slices.Contains(p.phases, name)
	})
	if i < 0 {
		return len(runParts) - 1
	}
	return i
}
