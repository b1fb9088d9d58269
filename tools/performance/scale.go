package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/inev-lts/inev/internal/lts/generate"
)

// measureScale measures models of all sizes that inev reads from a pipe while they are made. It replaces
// the section of a page with the figures, and draws the plot of the page. Models of more transitions than
// explained are only checked.
func (l *laboratory) measureScale(ctx context.Context, explained int, page string) error {
	t := newTable("", "transitions", "states", "verdict", "elapsed", "processor",
		"a transition", "peak", "a transition")
	checked := &curve{name: "check", command: "check"}
	analysed := &curve{name: "explain", command: plainExplain}
	largest := l.sizes[len(l.sizes)-1]
	if err := l.addPiped(ctx, t, checked, largest); err != nil {
		return err
	}
	if err := l.addPiped(ctx, t, analysed, explained); err != nil {
		return err
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

    go -C tools run ./performance -sizes %s -explained %s -scale ../docs/research/scale.md

which was run on a machine with %d cores, %s/%s, %s. "inev generate scc --states S
--locality 1000" writes into a pipe, and the command reads from that pipe: there is no file. "Elapsed"
is the time until both have ended; "processor" is the processor time of the command alone, which the plot
shows. The property holds, so the command has to visit the whole model.

![Processor time and memory a transition, by the number of transitions](%s)

%s`, sizesText(l.sizes), powerOfTen(explained), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version(), filepath.Base(plot), t)
	return replaceSection(page, "## Measured\n", text)
}

// addPiped measures the command of a curve on models from a pipe, up to a number of transitions. It adds
// the measurements to the curve, and a row for each of them to a table.
func (l *laboratory) addPiped(ctx context.Context, t *table, c *curve, most int) error {
	for _, n := range l.sizes {
		if n > most {
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
		// The plot shows the processor time of a run and not the elapsed time, since other programs
		// use the machine, too.
		t.add("`inev "+c.command+"`", grouped(s.Transitions), grouped(s.States), verdict,
			seconds(s.Elapsed), seconds(s.Seconds), nanoseconds(s), size(float64(s.Peak)), bytesEach(s.Peak, s.Transitions))
	}
	return nil
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

// replaceSection puts text under a heading of a page in place of the text up to the next heading of
// the same level.
func replaceSection(page, heading, text string) error {
	old, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	before, after, hasSection := strings.Cut(string(old), heading)
	if !hasSection {
		return fmt.Errorf("%s has no section %s", page, strings.TrimSpace(heading))
	}
	if at := strings.Index(after, "\n## "); at >= 0 {
		after = after[at:]
	} else {
		after = ""
	}
	return os.WriteFile(page, []byte(before+heading+strings.TrimRight(text, "\n")+"\n"+after),
		0o644)
}

// fromPipe runs a command of inev on a model that another inev writes to its standard input.
func (l *laboratory) fromPipe(
	ctx context.Context,
	command string,
	spec generate.Spec,
) (*work, error) {
	const formula = "Inev(BACK)" // every cycle of an scc model does this label
	var s sample
	var err error
	if s.States, s.Transitions, err = spec.Size(ctx); err != nil {
		return nil, err
	}
	l.logProgress(fmt.Sprintf("%s, %d transitions from a pipe", command, s.Transitions))
	writer := exec.CommandContext(ctx, l.inev, "generate", spec.Kind, "--states",
		strconv.Itoa(spec.States), "--locality", strconv.Itoa(spec.Locality), "--quiet")
	words := strings.Fields(command)
	reader := exec.CommandContext(ctx, l.inev,
		append([]string{words[0], "-", formula, "--stats", "--no-progress"}, words[1:]...)...)
	var readerMessages, writerMessages bytes.Buffer
	reader.Stderr = &readerMessages
	writer.Stderr = &writerMessages
	if reader.Stdin, err = writer.StdoutPipe(); err != nil {
		return nil, err
	}
	began := time.Now()
	if err := errors.Join(writer.Start(), reader.Start()); err != nil {
		return nil, err
	}
	readerErr := reader.Wait()
	if err := writer.Wait(); err != nil {
		return nil, fmt.Errorf("inev generate: %w: %s%s", err, writerMessages.String(), readerMessages.String())
	}
	s.Elapsed = time.Since(began).Seconds()
	var exit *exec.ExitError
	isViolated := errors.As(readerErr, &exit) && exit.ExitCode() == 1
	if readerErr != nil && !isViolated {
		return nil, fmt.Errorf("inev %s: %w: %s", command, readerErr, readerMessages.String())
	}
	cost, err := readCost(readerMessages.String())
	if err != nil {
		return nil, err
	}
	s.Phases = cost.Phases
	s.Peak = cost.Peak
	s.Holds = !isViolated
	s.Seconds = (reader.ProcessState.UserTime() + reader.ProcessState.SystemTime()).Seconds()
	return &work{name: command, samples: []sample{s}}, nil
}

// largestPiped returns the row of the largest model that was checked from a pipe, as it stands on a
// page with the rows of scale; false if there is none.
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
		s := sample{
			Seconds:     quantity(cells[4]),
			Peak:        int64(quantity(cells[7])),
			Transitions: int64(quantity(strings.ReplaceAll(cells[1], ",", ""))),
		}
		if s.Seconds > 0 && s.Peak > 0 && s.Transitions > largest.Transitions {
			largest = s
		}
	}
	return largest, largest.Transitions > 0
}

// quantity returns the number that a text means, such as a quantity or a size in bytes; 0 if the
// text is neither.
func quantity(text string) float64 {
	number, unit, _ := strings.Cut(text, " ")
	x, err := strconv.ParseFloat(number, 64)
	factor, isUnit := map[string]float64{
		"":   1,
		"s":  1,
		"ms": 1e-3,
		"µs": 1e-6,
		"kB": 1e3,
		"MB": 1e6,
		"GB": 1e9,
	}[unit]
	if err != nil || !isUnit {
		return 0
	}
	return x * factor
}

// measureBandwidths measures the bandwidth of one goroutine and of two, in memory and on disk, and
// replaces the section of a page with the figures.
func (l *laboratory) measureBandwidths(ctx context.Context, extent int64, page string) error {
	t := newTable("", "one", "two together", "two ÷ one")
	for _, row := range []struct{ name, do, unit string }{
		{"arithmetic in registers", "arithmetic", "additions/s"},
		{"memory, written for the first time", "touch", "bytes/s"},
		{"memory, read from its beginning to its end", "sequential", "bytes/s"},
		{"memory, 8 bytes anywhere in it", "anywhere", "reads/s"},
		{"disk, written from its beginning to its end", "write disk", "bytes/s"},
		{"disk, read from its beginning to its end", "read disk", "bytes/s"},
		{"disk, 4 KiB anywhere in it", "blocks", "reads/s"},
	} {
		perSecond := func(goroutines int) (float64, error) {
			l.logProgress(fmt.Sprintf("%s, %d goroutines", row.name, goroutines))
			s, err := l.runTask(ctx, task{
				Do:      row.do,
				Workers: goroutines,
				Path:    filepath.Join(l.folder, "bandwidth"),
				Bytes:   extent,
			})
			return float64(s.Bytes) / s.Seconds, err
		}
		one, err := perSecond(1)
		if err != nil {
			return err
		}
		if row.do == "write disk" { // a file has one writer
			t.add(row.name, rateText(one, row.unit), "", "")
			continue
		}
		two, err := perSecond(2)
		if err != nil {
			return err
		}
		t.add(row.name, rateText(one, row.unit), rateText(two, row.unit), times(two/one))
	}
	return replaceSection(page, "## What the machine gives\n", fmt.Sprintf(`
This section is written by

    go -C tools run ./performance -bandwidth ../docs/research/scale.md

on a machine with %d cores, %s/%s, %s, with %s of memory and of disk; the
disk is read without the system's file cache.

%s`, runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version(), size(float64(extent)), t))
}

// rateText returns a number of units a second, in thousands, millions or thousands of millions.
func rateText(n float64, unit string) string {
	if unit == "bytes/s" {
		return size(n) + "/s"
	}
	switch {
	case n >= 1e9:
		return digits(n/1e9) + " G " + unit
	case n >= 1e6:
		return digits(n/1e6) + " M " + unit
	}
	return digits(n/1e3) + " k " + unit
}

// bandwidthExtent is the amount of memory, and of disk, in bytes, for measurements of bandwidth.
const bandwidthExtent = 1 << 30

// runTogether runs a function in several goroutines, each with its number, and returns the sum of
// their results and the elapsed time.
func runTogether(workers int, do func(worker int) int64) sample {
	var done sync.WaitGroup
	amounts := make([]int64, workers)
	began := time.Now()
	for i := range workers {
		done.Add(1)
		go func() {
			defer done.Done()
			amounts[i] = do(i)
		}()
	}
	done.Wait()
	s := sample{Seconds: time.Since(began).Seconds()}
	for _, n := range amounts {
		s.Bytes += n
	}
	return s
}

// sink keeps the compiler from removing computations. Each worker writes to a cache line of its own, see sinkOf.
var sink [64]uint64

// sinkOf returns the word of a worker in sink.
func sinkOf(worker int) *uint64 {
	const wordsOfLine = 8
	return &sink[wordsOfLine*worker]
}

func arithmetic(_ context.Context, t task) (sample, error) {
	n := t.Bytes / 2
	return runTogether(t.Workers, func(worker int) int64 {
		x := uint64(worker)
		for i := range uint64(n) {
			x += i ^ x>>7
		}
		*sinkOf(worker) = x
		return n
	}), nil
}

func touch(_ context.Context, t task) (sample, error) {
	return runTogether(t.Workers, func(worker int) int64 {
		part := make([]uint64, t.Bytes/8/int64(t.Workers))
		for i := range part {
			part[i] = 1
		}
		*sinkOf(worker) = part[len(part)/2]
		return int64(8 * len(part))
	}), nil
}

// sequential measures reading memory in order: the yardstick of passes.
func sequential(_ context.Context, t task) (sample, error) {
	all := numbersUpTo(t.Bytes)
	return runTogether(t.Workers, func(worker int) int64 {
		const rounds = 4
		part := all[worker*len(all)/t.Workers : (worker+1)*len(all)/t.Workers]
		x := uint64(0)
		for range rounds {
			for _, value := range part {
				x += value
			}
		}
		*sinkOf(worker) = x
		return rounds * int64(8*len(part))
	}), nil
}

func numbersUpTo(bytes int64) []uint64 {
	all := make([]uint64, bytes/8)
	for i := range all {
		all[i] = uint64(i)
	}
	return all
}

// anywhere measures reading memory at random places: the yardstick of work that jumps between states.
func anywhere(_ context.Context, t task) (sample, error) {
	all := numbersUpTo(t.Bytes)
	return runTogether(t.Workers, func(worker int) int64 {
		n := t.Bytes / 64
		x := uint64(0)
		at := uint64(worker)
		for range n {
			at = at*6364136223846793005 + 1442695040888963407 // the generator of Knuth's MMIX
			x += all[at>>32%uint64(len(all))]
		}
		*sinkOf(worker) = x
		return n
	}), nil
}

// pieceSize is the number of bytes read from a disk, or written to it, at a time.
const pieceSize = 1 << 20

// writeDisk measures writing a file: the yardstick of outputs.
func writeDisk(_ context.Context, t task) (sample, error) {
	var failed error
	s := runTogether(1, func(int) int64 {
		f, err := os.Create(t.Path)
		if err != nil {
			failed = err
			return 0
		}
		buffer := make([]byte, pieceSize)
		for range t.Bytes / pieceSize {
			if _, err := f.Write(buffer); err != nil {
				failed = err
				break
			}
		}
		failed = errors.Join(failed, f.Sync(), f.Close())
		return t.Bytes
	})
	return s, failed
}

func readDisk(_ context.Context, t task) (sample, error) {
	n := int(t.Bytes/pieceSize) / t.Workers
	return readPieces(t, pieceSize, func(worker, i int) int64 {
		return (int64(worker)*int64(n) + int64(i)) * pieceSize
	}, n)
}

func readBlocks(_ context.Context, t task) (sample, error) {
	const block = 4096
	n := int(t.Bytes >> 18)
	s, err := readPieces(t, block, func(worker, i int) int64 {
		at := uint64(worker*n+i+1) * 0x9e3779b97f4a7c15
		return int64(at%uint64(t.Bytes/block)) * block
	}, n)
	s.Bytes /= block
	return s, err
}

// readPieces reads n pieces of a file for each worker, past the page cache of the system.
func readPieces(t task, length int, place func(worker, i int) int64, n int) (sample, error) {
	f, err := openDirect(t.Path)
	if err != nil {
		return sample{}, err
	}
	defer f.Close() // the file was only read
	failed := make([]error, t.Workers)
	s := runTogether(t.Workers, func(worker int) int64 {
		buffer := make([]byte, pieceSize)[:length] // page-aligned, as direct reads require
		for i := range n {
			if _, err := f.ReadAt(buffer, place(worker, i)); err != nil {
				failed[worker] = err
				break
			}
		}
		return int64(n * length)
	})
	return s, errors.Join(failed...)
}

// measureLogs measures how long replays of logs with these numbers of events take, and replaces the
// section of a page with the figures.
func (l *laboratory) measureLogs(ctx context.Context, events int, page string) error {
	walk := loggedWalk{states: 3000, transitions: 10_000, labels: 40, events: events}
	t := newTable("deviations in the log", "found", "processor time", "events/s", "peak")
	for _, share := range []float64{0, 0.0001, 0.01, 0.1} {
		m := filepath.Join(l.folder, "logged.aut")
		log := filepath.Join(l.folder, "events.log")
		walk.share = share
		planted, err := writeLogged(m, log, walk)
		if err != nil {
			return err
		}
		name := fmt.Sprintf("%s (%s %%)", grouped(int64(planted)),
			strconv.FormatFloat(100*share, 'f', -1, 64))
		l.logProgress("replay, " + name)
		p, err := runProgram(ctx, 0, nil, l.inev, "replay", m, log, "Response(A0; A1)", "--format",
			"tsv", "--no-progress")
		if err != nil && p.code != 3 { // open
			return err
		}
		found, err := readAligned(p.out)
		if err != nil {
			return err
		}
		t.add(name, grouped(found.Skipped+found.Missing), seconds(p.processor),
			grouped(int64(float64(events)/p.processor)), size(float64(p.peak)))
	}
	return replaceSection(page, "## Logs\n", fmt.Sprintf(`
This section is written by

    go -C tools run ./performance -logs ../docs/research/performance.md

which walks through a random model of %s states, %s transitions and %d labels, and logs %s
events. At random steps, the event is left out, or an event is logged that
did not happen. `+"`inev replay`"+` reads the log and aligns all of it, as one case, with the property
`+"`Response(A0; A1)`"+`. It finds fewer deviations than were made if another run of the model is nearer to the log.

%s`, grouped(int64(walk.states)), grouped(int64(walk.transitions)), walk.labels, grouped(int64(events)), t))
}

// aligned is the result of inev replay for the only case of a log.
type aligned struct{ Skipped, Missing int64 }

// readAligned reads a result of inev replay, in rows.
func readAligned(text []byte) (a aligned, err error) {
	head, row, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	cells := strings.Split(row, "\t")
	for i, name := range strings.Split(head, "\t") {
		to := map[string]*int64{"skipped": &a.Skipped, "missing": &a.Missing}[name]
		if to == nil {
			continue
		}
		if i >= len(cells) {
			return a, fmt.Errorf("inev replay wrote %q", text)
		}
		if *to, err = strconv.ParseInt(cells[i], 10, 64); err != nil {
			return a, fmt.Errorf("inev replay wrote %q: %w", row, err)
		}
	}
	return a, nil
}

// loggedStep is a transition of a model that is logged.
type loggedStep struct{ label, to int }

// loggedWalk describes a walk through a random model, and its log.
type loggedWalk struct {
	states, transitions, labels int // of the model
	events                      int // in the log
	share                       float64
}

// randomModel returns the outgoing transitions of each state, whose labels differ. One cycle passes
// all states.
func (w loggedWalk) randomModel(r *rand.Rand) [][]loggedStep {
	all := make([][]loggedStep, w.states)
	n := 0
	add := func(from, to int) {
		label := r.IntN(w.labels)
		if !slices.ContainsFunc(all[from], func(s loggedStep) bool { return s.label == label }) {
			all[from] = append(all[from], loggedStep{label, to})
			n++
		}
	}
	for s := range w.states {
		for len(all[s]) == 0 {
			add(s, (s+1)%w.states)
		}
	}
	for n < w.transitions {
		add(r.IntN(w.states), r.IntN(w.states))
	}
	return all
}

// writeLogged writes a random model, and the log of a walk through it. At a random share of the
// steps, the log lacks the event, or has another event while the walk waits; writeLogged returns
// the number of these steps.
func writeLogged(model, log string, walk loggedWalk) (deviations int, err error) {
	r := rand.New(rand.NewPCG(1, 36))
	all := walk.randomModel(r)
	err = writeLines(model, func(w *bufio.Writer) {
		fmt.Fprintf(w, "des (0, %d, %d)\n", walk.transitions, walk.states)
		for s, row := range all {
			for _, t := range row {
				fmt.Fprintf(w, "(%d, \"A%d\", %d)\n", s, t.label, t.to)
			}
		}
	})
	if err != nil {
		return 0, err
	}
	err = writeLines(log, func(w *bufio.Writer) {
		deviations = walk.writeLog(w, r, all)
	})
	return deviations, err
}

// writeLog writes the log of a walk through a model, and returns the number of deviations.
func (w loggedWalk) writeLog(out *bufio.Writer, r *rand.Rand, model [][]loggedStep) (deviations int) {
	at := 0
	for n := 0; n < w.events; {
		step := model[at][r.IntN(len(model[at]))]
		deviates := r.Float64() < w.share
		if deviates {
			deviations++
		}
		isMissing := deviates && r.IntN(2) == 0
		if isMissing {
			at = step.to
			continue
		}
		if deviates {
			step = loggedStep{label: r.IntN(w.labels), to: at}
		}
		fmt.Fprintf(out, "A%d\n", step.label)
		at = step.to
		n++
	}
	return deviations
}

// writeLines writes a file by a function.
func writeLines(path string, write func(w *bufio.Writer)) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := bufio.NewWriter(f)
	write(w)
	return w.Flush()
}

// curve has the measurements of models of one kind, by their size.
type curve struct {
	name    string
	spec    func(transitions int) generate.Spec
	command string
	// works are the measurements by ascending size; the largest may be missing.
	works []*work
}

func curves() []*curve {
	return []*curve{
		{name: "explain, near targets", spec: local, command: "explain"},
		{name: "check, near targets", spec: local, command: "check"},
		{name: "explain, targets anywhere", spec: far, command: "explain"},
	}
}

// growth measures the command on models of all sizes.
func (l *laboratory) growth(ctx context.Context) (string, []*curve, error) {
	all := curves()
	for _, n := range l.sizes {
		if err := l.grow(ctx, n, l.runs, all); err != nil {
			return "", nil, err
		}
	}
	if l.largest > 0 {
		if err := l.forget(); err != nil {
			return "", nil, err
		}
		if err := l.grow(ctx, l.largest, 1, all[:2]); err != nil {
			return "", nil, err
		}
	}
	t := newTable("", "transitions", "median", "best", "time a transition", "peak",
		"a transition")
	for _, c := range all {
		for _, w := range c.works {
			m := w.median()
			t.add(append([]string{"`inev` " + c.name, grouped(m.Transitions)},
				append(w.timeCells(), nanoseconds(m), size(float64(m.Peak)),
					bytesEach(m.Peak, m.Transitions))...)...)
		}
		l.judgeGrowth(c)
	}
	if l.largest > 0 {
		m := all[0].works[len(all[0].works)-1].median()
		l.judge(m.Peak <= 6e9, target{
			work:     "`inev explain` of " + grouped(m.Transitions) + " transitions",
			wanted:   "explained, ≤ 6 GB",
			measured: seconds(m.Seconds) + ", " + size(float64(m.Peak)),
		})
	}
	return t.String(), all, nil
}

// forget removes the models made so far, since the largest one needs the disk, and its cache, for
// itself.
func (l *laboratory) forget() error {
	for key, f := range l.files {
		if err := os.Remove(f.path); err != nil {
			return err
		}
		delete(l.files, key)
	}
	return nil
}

func nanoseconds(s sample) string {
	return digits(s.Seconds/float64(s.Transitions)*1e9) + " ns"
}

// grow measures one size.
func (l *laboratory) grow(ctx context.Context, transitions, runs int, all []*curve) error {
	var rows []*work
	for _, c := range all {
		f, err := l.model(ctx, c.spec(transitions), "")
		if err != nil {
			return err
		}
		w := l.command(fmt.Sprintf("%s, %d transitions", c.name, transitions), c.command, f,
			f.formula)
		c.works = append(c.works, w)
		rows = append(rows, w)
	}
	return l.measure(ctx, runs, rows)
}

// judgeGrowth compares the largest size with a million transitions or, if all sizes are smaller,
// with the first size.
func (l *laboratory) judgeGrowth(c *curve) {
	from := 0
	for from < len(c.works)-2 && c.works[from].median().Transitions < 999_000 {
		from++
	}
	first := c.works[from].median()
	last := c.works[len(c.works)-1].median()
	each := func(s sample) float64 { return s.Seconds / float64(s.Transitions) }
	memory := func(s sample) float64 {
		return float64(s.Peak) / float64(s.Transitions)
	}
	inTime := each(last) / each(first)
	inMemory := memory(last) / memory(first)
	l.judge(inTime <= 1.5 && inMemory <= 1.5, target{
		work:     fmt.Sprintf("growth of `inev` %s, from %s to %s transitions", c.name, grouped(first.Transitions), grouped(last.Transitions)),
		wanted:   "time and memory a transition ≤ 1.5 ×",
		measured: times(inTime) + " and " + times(inMemory),
	})
}
