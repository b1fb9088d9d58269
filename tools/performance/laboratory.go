package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/internal/lts/generate"
	"github.com/inev-lts/inev/tools/build"
)

// laboratory is the environment of measurements.
type laboratory struct {
	settings
	folder string
	// inev is the path of the command, self that of this program.
	inev, self string
	peers      peers
	files      map[string]file
	targets    []target
	// nativeDrawing is the program that draws the measured picture without inev, nil if there is none.
	nativeDrawing *work
}

// newLaboratory makes the folder of the measurements, builds the command unless one is given, and finds mCRL2's tools.
func newLaboratory(ctx context.Context, o settings) (*laboratory, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	l := &laboratory{settings: o, self: self, files: map[string]file{}}
	if l.folder, err = os.MkdirTemp("", "inev-performance-"); err != nil {
		return nil, err
	}
	l.inev = o.inev
	if l.inev == "" {
		l.inev = filepath.Join(l.folder, "inev")
		if err := build.Command(ctx, l.inev); err != nil {
			return nil, errors.Join(err, os.RemoveAll(l.folder))
		}
	}
	l.peers = findPeers(ctx, o.mcrl2)
	return l, nil
}

// reference is the number of transitions of the reference model.
func (l *laboratory) reference() int { return l.sizes[len(l.sizes)-1] }

// logProgress prints on standard error which measurement begins.
func (l *laboratory) logProgress(what string) {
	fmt.Fprintf(l.log, "performance: %s %s\n", time.Now().Format("15:04:05"), what)
}

// file is a model that was generated.
type file struct {
	path                string
	states, transitions int64
	bytes               int64 // the size of the text
	formula             string
}

// withoutOffers makes the offers of labels parts of their names: ACTION !12 becomes ACTION_NO_12, since
// mCRL2 accepts a label only if it is the name of an action.
func withoutOffers[T string | []byte](text T) string {
	return strings.ReplaceAll(string(text), " !", "_NO_")
}

// labels is a writer that applies labelled. Each write must consist of whole lines, so that no
// label is cut in two.
type labels struct {
	w     io.Writer
	bytes int64
}

func (l *labels) Write(text []byte) (int, error) {
	n, err := io.WriteString(l.w, withoutOffers(text))
	l.bytes += int64(n)
	if err != nil {
		return 0, err
	}
	return len(text), nil
}

// model returns the file of a model and its formula; it generates a file that is missing.
func (l *laboratory) model(ctx context.Context, s generate.Spec, suffix string) (file, error) {
	key := fmt.Sprintf("%+v%s", s, suffix)
	if f, is := l.files[key]; is {
		return f, nil
	}
	formula, err := s.Formula()
	if err != nil {
		return file{}, err
	}
	f := file{
		path:    filepath.Join(l.folder, fmt.Sprintf("%d.aut%s", len(l.files), suffix)),
		formula: withoutOffers(formula),
	}
	// Other processes find the size and write the model, so that the memory of this process stays
	// small.
	told, err := l.runTask(ctx, task{Do: "size", Spec: s})
	if err != nil {
		return file{}, err
	}
	f.states = told.States
	f.transitions = told.Transitions
	l.logProgress(fmt.Sprintf("generating %s, %d transitions%s", s.Kind, f.transitions, suffix))
	written, err := l.runTask(ctx, task{Do: "model", Path: f.path, Spec: s})
	if err != nil {
		return file{}, err
	}
	f.bytes = written.Bytes
	l.files[key] = f
	return f, nil
}

// generateFile writes a model and returns the length of its text.
func generateFile(ctx context.Context, path string, s generate.Spec) (bytes int64, err error) {
	f, err := os.Create(path)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	packed, err := aut.Compress(f, path)
	if err != nil {
		return 0, err
	}
	out := &labels{w: packed}
	if err := generate.Write(ctx, out, s); err != nil {
		return 0, err
	}
	return out.bytes, packed.Close()
}

// sample has the figures of one run.
type sample struct {
	Seconds float64
	// Processor is the processor time in seconds, summed over processors, of a run of inev that
	// reports nothing else.
	Processor float64
	// Elapsed is the elapsed time, if Seconds are processor time.
	Elapsed float64
	// Peak is the largest resident memory of the process, in bytes.
	Peak int64
	// Transitions and Bytes are the amount of work: the size of the input or, for work in memory,
	// the number of bytes allocated in Allocations pieces.
	Transitions, States, Bytes, Allocations int64
	Phases                                  []phase
	// Holds is the verdict, Length the number of transitions of the counterexample.
	Holds  bool
	Length int
	// Texts are the answers of a task in words.
	Texts []string
	// Stopped reports that the time limit was reached; Failed, that another tool ended without an
	// answer.
	Stopped, Failed bool
	// Silent reports whether the run has no verdict.
	Silent bool
}

func (s sample) answered() bool { return !s.Stopped && !s.Failed }

type phase struct {
	Name    string
	Seconds float64
}

// work is the work that a row of a table measures.
type work struct {
	name string
	run  func(ctx context.Context) (sample, error)
	// once makes the work run only once, since it takes long.
	once    bool
	samples []sample
}

// measure runs the works of a table in turn, several rounds.
func (l *laboratory) measure(ctx context.Context, runs int, all []*work) error {
	for round := range runs {
		for _, w := range all {
			if round > 0 && (w.once || !w.samples[0].answered()) {
				continue
			}
			if runs <= 10 || round == 0 {
				l.logProgress(w.name)
			}
			s, err := w.run(ctx)
			if err != nil {
				return fmt.Errorf("%s: %w", w.name, err)
			}
			w.samples = append(w.samples, s)
		}
	}
	return nil
}

// taskArgument is the first argument of this program if it must only do the task that the second
// argument describes.
const taskArgument = "task"

// runTask runs a task in a process of its own.
func (l *laboratory) runTask(ctx context.Context, t task) (sample, error) {
	var s sample
	text, err := json.Marshal(t)
	if err != nil {
		return s, err
	}
	var out, wrong bytes.Buffer
	command := exec.CommandContext(ctx, l.self, taskArgument, string(text))
	command.Stdout = &out
	command.Stderr = &wrong
	if err := command.Run(); err != nil {
		return s, fmt.Errorf("%w: %s", err, wrong.String())
	}
	return s, json.Unmarshal(out.Bytes(), &s)
}

// task returns a row for a task.
func (l *laboratory) task(name string, t task) *work {
	return &work{
		name: name,
		run:  func(ctx context.Context) (sample, error) { return l.runTask(ctx, t) },
	}
}

// process is a program that has run.
type process struct {
	seconds float64
	// processor is the processor time in seconds, summed over processors.
	processor float64
	peak      int64
	code      int
	out       []byte
	errors    string
	stopped   bool
}

// runProgram runs a program to its end, or until the limit; 0 is no limit. It fails if the program
// cannot be run, is killed, or ends with an exit code above 1.
func runProgram(
	ctx context.Context,
	limit time.Duration,
	environment []string,
	program string,
	arguments ...string,
) (process, error) {
	limited := ctx
	stop := context.CancelFunc(func() {})
	if limit > 0 {
		limited, stop = context.WithTimeout(ctx, limit)
	}
	defer stop()
	var out, wrong bytes.Buffer
	command := exec.CommandContext(limited, program, arguments...)
	command.Env = append(os.Environ(), environment...)
	command.Stdout = &out
	command.Stderr = &wrong
	began := time.Now()
	err := command.Run()
	p := process{
		seconds: time.Since(began).Seconds(),
		out:     out.Bytes(),
		errors:  wrong.String(),
	}
	if command.ProcessState != nil {
		p.peak = peakOf(command.ProcessState)
		p.code = command.ProcessState.ExitCode()
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
		return p, fmt.Errorf("%s %s: %w: %s", program, strings.Join(arguments, " "), err,
			p.errors)
	}
	return p, nil
}

// command returns a row for a run of inev about a property of a model. Its result, as text, is
// discarded.
func (l *laboratory) command(
	name, command string,
	f file,
	formula string,
	environment ...string,
) *work {
	return &work{
		name: name,
		run: func(ctx context.Context) (sample, error) {
			p, err := runProgram(ctx, 0, environment, l.inev,
				append(strings.Fields(command), f.path, formula, "--stats", "--no-progress")...)
			if err != nil {
				return sample{}, err
			}
			s, err := readCost(p.errors)
			s.Seconds = p.seconds
			s.Transitions = f.transitions
			s.Bytes = f.bytes
			s.Holds = p.code == 0
			return s, err
		},
	}
}

// readCost reads the output of --stats.
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
		return s, fmt.Errorf("--stats reports no times or no peak: %q", text)
	}
	return s, nil
}

// median returns the run with the median time; of two runs, the longer.
func (w *work) median() sample {
	sorted := slices.Clone(w.samples)
	slices.SortStableFunc(sorted, func(a, b sample) int {
		switch {
		case a.Seconds < b.Seconds:
			return -1
		case a.Seconds > b.Seconds:
			return 1
		}
		return 0
	})
	return sorted[len(sorted)/2]
}

// best returns the least time of all runs.
func (w *work) best() float64 {
	least := math.Inf(1)
	for _, s := range w.samples {
		least = min(least, s.Seconds)
	}
	return least
}

// timeCells returns the median time and, of several runs, also the best time.
func (w *work) timeCells() []string {
	m := w.median()
	switch {
	case m.Stopped:
		return []string{"over " + seconds(m.Seconds), ""}
	case m.Failed:
		return []string{"failed, " + seconds(m.Seconds), ""}
	}
	if len(w.samples) == 1 {
		return []string{seconds(m.Seconds), "once"}
	}
	return []string{seconds(m.Seconds), seconds(w.best())}
}

// digits writes a number with three significant digits.
func digits(x float64) string {
	if x == 0 {
		return "0"
	}
	places := 2 - int(math.Floor(math.Log10(math.Abs(x))))
	return strconv.FormatFloat(x, 'f', max(0, min(places, 4)), 64)
}

func seconds(s float64) string {
	switch {
	case s < 1e-3:
		return digits(s*1e6) + " µs"
	case s < 1:
		return digits(s*1e3) + " ms"
	}
	return digits(s) + " s"
}

// size writes a number of bytes.
func size(bytes float64) string {
	switch {
	case bytes < 1e6:
		return digits(bytes/1e3) + " kB"
	case bytes < 1e9:
		return digits(bytes/1e6) + " MB"
	}
	return digits(bytes/1e9) + " GB"
}

// grouped writes a whole number in groups of three digits.
func grouped(n int64) string {
	text := strconv.FormatInt(n, 10)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// rate writes a number per second in millions.
func rate(n int64, s float64) string { return digits(float64(n)/s/1e6) + " M/s" }

func times(ratio float64) string { return digits(ratio) + " ×" }

// A table has its rows in the order of its lines; the first column has text, the other columns
// figures.
type table struct {
	head []string
	rows [][]string
}

func newTable(head ...string) *table { return &table{head: head} }

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// String returns the table in Markdown.
func (t *table) String() string {
	var b strings.Builder
	line := func(cells []string) {
		b.WriteString("|")
		for i := range t.head {
			cell := ""
			if i < len(cells) {
				cell = cells[i]
			}
			if cell == "" {
				b.WriteString(" |")
			} else {
				fmt.Fprintf(&b, " %s |", cell)
			}
		}
		b.WriteString("\n")
	}
	line(t.head)
	rule := slices.Repeat([]string{"---:"}, len(t.head))
	rule[0] = "---"
	line(rule)
	for _, row := range t.rows {
		line(row)
	}
	return b.String()
}

// target is a target: the work that was measured, what is wanted of it, and what was found.
type target struct {
	work, wanted, measured string
	met                    string // the answer, once the target is judged
}

const (
	yes = "yes"
	no  = "**no**"
)

// judge records whether a target was met.
func (l *laboratory) judge(isMet bool, t target) {
	t.met = no
	if isMet {
		t.met = yes
	}
	l.targets = append(l.targets, t)
}

// outcomes are the outcomes for a target in seconds that was set on another day: whether the
// seconds meet it, and whether their ratio to a yardstick does. The yardstick was measured on both
// days.
type outcomes struct{ inSeconds, byRatio bool }

// judgeBoth records whether a target was met by the seconds and by the ratio.
func (l *laboratory) judgeBoth(o outcomes, t target) {
	switch {
	case o.inSeconds == o.byRatio:
		l.judge(o.inSeconds, t)
		return
	case o.inSeconds:
		t.met = yes + " in seconds, " + no + " by the ratio"
	default:
		t.met = yes + " by the ratio, " + no + " in seconds"
	}
	l.targets = append(l.targets, t)
}

// peers are the tools of others that answer the same questions.
type peers struct {
	// tools maps the names of the installed tools of mCRL2 to their paths.
	tools   map[string]string
	version string
	// dot is the path of Graphviz's dot, "" if it is not installed.
	dot string
}

// findPeers searches for each of mCRL2's tools in these folders, and then on PATH.
func findPeers(ctx context.Context, folders string) peers {
	p := peers{tools: map[string]string{}}
	if dot, err := exec.LookPath("dot"); err == nil {
		p.dot = dot
	}
	for _, name := range []string{
		"ltsinfo",
		"ltsconvert",
		"lts2pbes",
		"pbessolve",
		"mcrl22lps",
		"lps2lts",
	} {
		for _, folder := range append(filepath.SplitList(folders), "") {
			path, err := exec.LookPath(filepath.Join(folder, name))
			if err != nil {
				continue
			}
			ran, err := runProgram(ctx, 0, nil, path, "--version")
			if err != nil {
				continue
			}
			p.tools[name] = path
			first, _, _ := strings.Cut(string(ran.out), "\n")
			p.version = strings.TrimSpace(strings.TrimPrefix(first, name))
			break
		}
	}
	return p
}

// has reports whether all these tools are installed.
func (p peers) has(names ...string) bool {
	return !slices.ContainsFunc(names, func(name string) bool {
		return p.tools[name] == ""
	})
}

// solves reports whether the tools to check a property are installed.
func (p peers) solves() bool { return p.has("lts2pbes", "pbessolve") }

// runTool runs one of mCRL2's tools, and adds its figures to s: times are added up, and the peak is
// the largest. If the tool reaches the limit or fails, usually since it lacks memory, s records
// that, and there is no error.
func (l *laboratory) runTool(
	ctx context.Context,
	s *sample,
	name string,
	arguments ...string,
) ([]byte, error) {
	p, err := runProgram(ctx, l.peerLimit, nil, l.peers.tools[name], arguments...)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	s.Seconds += p.seconds
	s.Peak = max(s.Peak, p.peak)
	s.Stopped = p.stopped
	s.Failed = err != nil || p.code != 0 && !p.stopped
	if s.Failed {
		l.logProgress(fmt.Sprintf("%s failed, %v: %s", name, err, p.errors))
	}
	return p.out, nil
}

// peerRead returns a row for mCRL2's reader.
func (l *laboratory) peerRead(f file) *work {
	return &work{
		name: "mCRL2: `ltsinfo`",
		run: func(ctx context.Context) (sample, error) {
			s := sample{Transitions: f.transitions}
			_, err := l.runTool(ctx, &s, "ltsinfo", f.path)
			return s, err
		},
	}
}

// peerReduction returns a row for the first half of mCRL2's fastest route: reducing the model, with
// all labels hidden that do not concern the property. It gives no verdict.
func (l *laboratory) peerReduction(f file, formula string) *work {
	return &work{
		name: "mCRL2: `ltsconvert` alone",
		once: true,
		run: func(ctx context.Context) (sample, error) {
			s := sample{Transitions: f.transitions, Silent: true}
			told, err := l.runTask(ctx, task{Do: "translate", Path: f.path, Formula: formula})
			if err != nil {
				return s, err
			}
			return s, l.reduce(ctx, &s, f, told.Texts[slices.Index(told.Texts, "")+1:],
				filepath.Join(l.folder, "reduced.aut"))
		},
	}
}

// reduce reduces a model after hiding these labels.
func (l *laboratory) reduce(
	ctx context.Context,
	s *sample,
	f file,
	hidden []string,
	reduced string,
) error {
	_, err := l.runTool(ctx, s, "ltsconvert", "-edpbranching-bisim",
		"--tau="+strings.Join(hidden, ","), f.path, reduced)
	return err
}

// peerDirectly returns a row for mCRL2's verdict about a property of a model.
func (l *laboratory) peerDirectly(f file, formula string) *work {
	return &work{
		name: "mCRL2: `lts2pbes`, `pbessolve`",
		once: true,
		run: func(ctx context.Context) (sample, error) {
			s := sample{Transitions: f.transitions, Bytes: f.bytes}
			_, err := l.translate(ctx, f, formula)
			if err != nil {
				return s, err
			}
			err = l.solve(ctx, &s, f.path)
			return s, err
		},
	}
}

// peerByReduction returns a row for mCRL2's verdict by the fastest route, which reduces the model first, with
// all labels hidden that do not concern the property.
func (l *laboratory) peerByReduction(f file, formula string) *work {
	return &work{
		name: "mCRL2: `ltsconvert` first",
		once: true,
		run: func(ctx context.Context) (sample, error) {
			s := sample{Transitions: f.transitions, Bytes: f.bytes}
			others, err := l.translate(ctx, f, formula)
			if err != nil {
				return s, err
			}
			reduced := filepath.Join(l.folder, "reduced.aut")
			err = l.reduce(ctx, &s, f, others, reduced)
			if err != nil || !s.answered() {
				return s, err
			}
			err = l.solve(ctx, &s, reduced)
			return s, err
		},
	}
}

// Files of a question to mCRL2, in the folder of the laboratory.
const (
	actionsFile  = "actions.mcrl2"
	propertyFile = "property.mcf"
)

// translate writes the actions of a model and a property as mCRL2 reads them, and returns the labels that
// do not concern the property.
func (l *laboratory) translate(ctx context.Context, f file, formula string) (others []string, err error) {
	translated, err := l.runTask(ctx, task{Do: "translate", Path: f.path, Formula: formula})
	if err != nil {
		return nil, err
	}
	// The texts are the property, the labels that concern it, an empty text, and the other labels.
	property := translated.Texts[0]
	end := slices.Index(translated.Texts, "")
	concerned := translated.Texts[1:end]
	others = translated.Texts[end+1:]
	declared := "act " + strings.Join(slices.Concat(concerned, others), ", ") + ";\ninit delta;\n"
	err = os.WriteFile(filepath.Join(l.folder, actionsFile), []byte(declared), 0o644)
	if err != nil {
		return nil, err
	}
	return others, os.WriteFile(filepath.Join(l.folder, propertyFile), []byte(property+"\n"), 0o644)
}

// solve lets mCRL2 decide the translated property of a model.
func (l *laboratory) solve(ctx context.Context, s *sample, model string) error {
	equations := filepath.Join(l.folder, "equations.pbes")
	_, err := l.runTool(ctx, s, "lts2pbes", "-m", filepath.Join(l.folder, actionsFile),
		"-f", filepath.Join(l.folder, propertyFile), model, equations)
	if err != nil || !s.answered() {
		return err
	}
	out, err := l.runTool(ctx, s, "pbessolve", equations)
	if err != nil || !s.answered() {
		return err
	}
	switch answer := string(bytes.TrimSpace(out)); answer {
	case "true":
		s.Holds = true
	case "false":
	default:
		return fmt.Errorf("pbessolve answers %q", answer)
	}
	return nil
}

// The models are of the kinds of inev generate, with the wanted number of transitions.

// local is the reference model: one strongly connected component whose transitions all lead to near
// states.
func local(transitions int) generate.Spec {
	return generate.Spec{Kind: "scc", States: transitions / 3, Locality: 1000}
}

// far has transitions to random states: every transition is a cache miss.
func far(transitions int) generate.Spec {
	return generate.Spec{Kind: "random", States: transitions / 3}
}

// farComponent is one strongly connected component with transitions to random states.
func farComponent(transitions int) generate.Spec {
	return generate.Spec{Kind: "scc", States: transitions / 3}
}

// dense is one strongly connected component with seven transitions a state.
func dense(transitions int) generate.Spec {
	return generate.Spec{
		Kind:     "scc",
		States:   transitions / 7,
		Degree:   7,
		Locality: 1000,
	}
}

// cycle goes once through all states.
func cycle(transitions int) generate.Spec {
	return generate.Spec{Kind: "cycle", States: transitions, Labels: 5}
}

// layers has as many components as states.
func layers(transitions int) generate.Spec {
	const height = 100
	return generate.Spec{
		Kind:   "layered",
		Width:  max(1, transitions/2/height),
		Height: height,
		Degree: 2,
		Labels: 102,
	}
}

// dining is the largest table of philosophers with at most this many transitions.
func (l *laboratory) dining(ctx context.Context, transitions int) (generate.Spec, error) {
	s := generate.Spec{Kind: "philosophers", Processes: 2}
	for {
		next := s
		next.Processes++
		told, err := l.runTask(ctx, task{Do: "size", Spec: next})
		if err != nil || told.Transitions > int64(transitions) {
			return s, err
		}
		s = next
	}
}

const graphsIntro = `
## Reading state graphs of TLC

A graph as TLC writes it with ` + "`-dump dot,actionlabels`" + `: four steps a state, two variables, about 120 bytes a step.

`

// graphs measures the reader of state graphs, with the start of the process.
func (l *laboratory) graphs(ctx context.Context) (string, error) {
	steps := min(1_000_000, l.reference())
	path := filepath.Join(l.folder, "graph.dot")
	if err := writeGraph(path, steps/4); err != nil {
		return "", err
	}
	w := l.run("`inev info`, graph of TLC", nil, "info", path, "--no-progress")
	if err := l.measure(ctx, l.runs, []*work{w}); err != nil {
		return "", err
	}
	m := w.median()
	if !m.Holds {
		return "", errors.New("the graph is not read")
	}
	t := newTable("", "median", "best", "steps", "peak")
	t.add(append([]string{w.name},
		append(w.timeCells(), rate(int64(steps), m.Seconds), size(float64(m.Peak)))...)...)
	l.judge(m.Seconds <= 0.5 && m.Peak <= 60e6, target{
		work:     w.name + ", " + grouped(int64(steps)) + " steps",
		wanted:   "≤ 0.5 s, ≤ 60 MB",
		measured: seconds(m.Seconds) + ", " + size(float64(m.Peak)),
	})
	return t.String(), os.Remove(path)
}

// writeGraph writes a graph of this many states in TLC's format.
func writeGraph(path string, states int) (err error) {
	out, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	w := bufio.NewWriterSize(out, 1<<20)
	fingerprint := func(s int) int64 {
		return int64(uint64(s+1) * 0x9e3779b97f4a7c15)
	}
	text := func(s int) string {
		return fmt.Sprintf(`/\\ big = %d\n/\\ small = %d`, s%5, s%3)
	}
	fmt.Fprint(w,
		"strict digraph DiskGraph {\nnodesep=0.35;\nsubgraph cluster_graph {\ncolor=\"white\";\n")
	fmt.Fprintf(w, "%d [label=\"%s\",style = filled]\n", fingerprint(0), text(0))
	declared := make([]bool, states)
	declared[0] = true
	for s := range states {
		for k, action := range []string{"Fill", "Empty", "Pour(1)", "Pour(2)"} {
			to := (s + 17*k*k + 1) % states
			fmt.Fprintf(w, "%d -> %d [label=\"%s\",color=\"black\",fontcolor=\"black\"];\n",
				fingerprint(s), fingerprint(to), action)
			if !declared[to] {
				declared[to] = true
				fmt.Fprintf(w, "%d [label=\"%s\",tooltip=\"%s\"];\n", fingerprint(to), text(to),
					text(to))
			}
		}
	}
	fmt.Fprintf(w, "{rank = same; %d;}\n}\n}\n", fingerprint(0))
	return w.Flush()
}

// plainExplain leaves out the advice, which is measured separately.
const plainExplain = "explain --no-fairness --no-advice"

// run returns a row for a run of inev without --stats.
func (l *laboratory) run(name string, environment []string, arguments ...string) *work {
	return &work{
		name: name,
		run: func(ctx context.Context) (sample, error) {
			p, err := runProgram(ctx, 0, environment, l.inev, arguments...)
			return sample{
				Seconds:   p.seconds,
				Processor: p.processor,
				Peak:      p.peak,
				Holds:     p.code == 0,
				Silent:    true,
			}, err
		},
	}
}
