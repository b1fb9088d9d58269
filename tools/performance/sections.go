package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/inev-lts/inev/buchi"
	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/lts/generate"
)

// reading measures the reader on the reference model.
func (l *laboratory) reading(ctx context.Context) (string, error) {
	s := local(l.reference())
	plain, err := l.model(ctx, s, "")
	if err != nil {
		return "", err
	}
	rows := []*work{
		l.task("counting lines", task{Do: "count", Path: plain.path}),
		l.task("all cores", task{Do: "read", Path: plain.path}),
		l.task("one worker", task{Do: "read", Path: plain.path, Workers: 1}),
	}
	shuffled := s
	shuffled.Shuffle = true
	for _, other := range []struct {
		name   string
		spec   generate.Spec
		suffix string
	}{
		{"all cores, sources in random order", shuffled, ""},
		{"all cores, gzip", s, ".gz"},
		{"all cores, zstd", s, ".zst"},
	} {
		f, err := l.model(ctx, other.spec, other.suffix)
		if err != nil {
			return "", err
		}
		rows = append(rows, l.task(other.name, task{Do: "read", Path: f.path}))
	}
	if l.peers.has("ltsinfo") {
		rows = append(rows, l.peerRead(plain))
	}
	if err := l.measure(ctx, l.runs, rows); err != nil {
		return "", err
	}
	t := newTable("", "median", "best", "transitions", "text", "÷ counting", "peak a transition", "allocations")
	for i, w := range rows {
		m := w.median()
		allocations := ""
		if i > 0 && m.Allocations > 0 {
			allocations = grouped(m.Allocations)
		}
		t.add(append([]string{w.name}, append(w.span(), rate(plain.transitions, m.Seconds), size(float64(plain.bytes)/m.Seconds)+"/s",
			times(m.Seconds/rows[0].median().Seconds), bytesEach(m.Peak, plain.transitions), allocations)...)...)
	}
	all, random := rows[1].median(), rows[3].median()
	perSecond := float64(plain.transitions) / all.Seconds / 1e6
	l.judge(perSecond >= 30, "reading, sources ascend", "≥ 30 M transitions/s on two cores", digits(perSecond)+" M/s")
	perSecond = float64(plain.transitions) / random.Seconds / 1e6
	l.judge(perSecond >= 8, "reading, sources in random order", "≥ 8 M transitions/s on two cores", digits(perSecond)+" M/s")
	each := float64(all.Peak) / float64(plain.transitions)
	l.judge(each <= 12, "memory for reading, sources ascend", "≤ 12 bytes a transition", digits(each)+" bytes, the whole process at its peak")
	return fmt.Sprintf("The reference model: %s transitions, %s states, %d bytes a line. Counting lines reads the\n"+
		"file as `wc -l` does, 1 MiB at a time.\n\n%s", grouped(plain.transitions), grouped(plain.states), plain.bytes/plain.transitions, t), nil
}

func bytesEach(bytes, n int64) string {
	if bytes == 0 || n == 0 {
		return ""
	}
	return digits(float64(bytes)/float64(n)) + " bytes"
}

// resultBytes is what components themselves take for each state, where every state
// is one: its number, its place in the list, and where the list of the component
// begins, its depth, and whether it has a cycle.
const resultBytes = 4 + 4 + 4 + 4 + 1

// components measures the engines on random graphs, beside a search of the same model and
// Pearce's algorithm without anything around it.
func (l *laboratory) components(ctx context.Context) (string, error) {
	t := newTable("", "states", "median", "best", "÷ states reached", "÷ Pearce", "allocated a state")
	for _, c := range []struct {
		spec  generate.Spec
		gonum bool
		// then is what Pearce's algorithm took where the target was set.
		then float64
	}{{far(3 * l.reference() / 10), true, 0.144}, {far(3 * l.reference()), false, 3.3}} {
		reached := l.task("states reached", task{Do: "reach", Spec: c.spec})
		plain := l.task("Pearce's algorithm alone", task{Do: "plain components", Spec: c.spec})
		own := l.task("iterative", task{Do: "components", Spec: c.spec, Engine: "iterative"})
		rows := []*work{reached, plain, own}
		if c.gonum {
			rows = append(rows, l.task("gonum", task{Do: "components", Spec: c.spec, Engine: "gonum"}))
		}
		if err := l.measure(ctx, l.runs, rows); err != nil {
			return "", err
		}
		states := int64(c.spec.States)
		for _, w := range rows {
			m := w.median()
			t.add(append([]string{w.name, grouped(states)}, append(w.span(), times(m.Seconds/reached.median().Seconds),
				times(m.Seconds/plain.median().Seconds), bytesEach(m.Bytes, states))...)...)
		}
		m := own.median()
		over, each := m.Seconds/plain.median().Seconds, float64(m.Bytes)/float64(states)
		l.judge(over <= 1.2 && each <= 1.2*12+resultBytes, "components, "+grouped(states)+" states, random",
			fmt.Sprintf("≤ 1.2 × Pearce's algorithm (≤ %s where that took %s), ≤ 14.4 bytes a state beside the result", seconds(1.2*c.then), seconds(c.then)),
			fmt.Sprintf("%s, %s, %s bytes with a result of up to %d", times(over), seconds(m.Seconds), digits(each), resultBytes))
	}
	return t.String(), nil
}

// passes measures prefixes and suffixes, with both queues.
func (l *laboratory) passes(ctx context.Context) (string, error) {
	var rows []*work
	for _, m := range []struct {
		name string
		spec generate.Spec
	}{{"near targets", local(l.reference())}, {"targets anywhere", far(l.reference())}} {
		f, err := l.model(ctx, m.spec, "")
		if err != nil {
			return "", err
		}
		for _, q := range []enrich.Queue{"", "heap"} {
			rows = append(rows, l.task(m.name+", "+q.String(), task{Do: "enrich", Path: f.path, Formula: f.formula, Queue: q}))
		}
	}
	if err := l.measure(ctx, l.runs, rows); err != nil {
		return "", err
	}
	t := newTable("", "median", "best", "÷ buckets", "allocated a state")
	for i, w := range rows {
		m := w.median()
		t.add(append([]string{w.name}, append(w.span(), times(m.Seconds/rows[i/2*2].median().Seconds), bytesEach(m.Bytes, int64(l.reference()/3)))...)...)
	}
	for _, w := range []*work{rows[0], rows[2]} {
		m := w.median()
		l.judge(m.Seconds <= 0.5, "common prefixes, "+w.name, "≤ 500 ms", seconds(m.Seconds)+" for all four values")
	}
	return t.String(), nil
}

// searches compares the searches for a counterexample.
func (l *laboratory) searches(ctx context.Context) (string, error) {
	names := append([]string{plainSearch, ownSearch}, buchi.Algorithms()...)
	t := newTable(append([]string{"states"}, names...)...)
	for states := 1000; states <= max(1000, l.reference()/10); states *= 10 {
		s := generate.Spec{Kind: "scc", States: states, Locality: 50}
		var rows []*work
		for _, name := range names {
			rows = append(rows, l.task("search "+name, task{Do: "search", Spec: s, Formula: `Inev("ACTION !1", "ACTION !2")`, Algorithm: name, Limit: 10}))
		}
		if err := l.measure(ctx, l.runs, rows); err != nil {
			return "", err
		}
		base := rows[0].median().Seconds
		cells := []string{grouped(int64(states)), seconds(base)}
		for _, w := range rows[1:] {
			if m := w.median(); m.Stopped {
				cells = append(cells, "over 10 s")
			} else {
				cells = append(cells, times(m.Seconds/base))
			}
		}
		t.add(cells...)
	}
	return t.String(), nil
}

// generating measures the generator, on one core.
func (l *laboratory) generating(ctx context.Context) (string, error) {
	n := l.reference() / 10
	var rows []*work
	shuffled := far(n)
	shuffled.Shuffle = true
	for _, s := range []generate.Spec{
		far(n), shuffled, local(n), layers(n), {Kind: "datarich", States: n / 3}, {Kind: "chain", States: n}, {Kind: "parallel", Transitions: n},
	} {
		name := s.Kind
		if s.Shuffle {
			name += ", shuffled"
		}
		rows = append(rows, l.task(name, task{Do: "generate", Spec: s}))
	}
	if err := l.measure(ctx, l.runs, rows); err != nil {
		return "", err
	}
	t := newTable("kind", "median", "best", "transitions", "text")
	slowest := rows[0]
	throughput := func(w *work) float64 { m := w.median(); return float64(m.Bytes) / m.Seconds }
	for _, w := range rows {
		m := w.median()
		t.add(append([]string{w.name}, append(w.span(), rate(m.Transitions, m.Seconds), size(throughput(w))+"/s")...)...)
		if throughput(w) < throughput(slowest) {
			slowest = w
		}
	}
	l.judge(throughput(slowest) >= 200e6, "generating models", "≥ 200 MB/s", size(throughput(slowest))+"/s, the slowest: "+slowest.name)
	return t.String(), nil
}

// emptyProgram builds a program that does nothing: what starting any takes.
func (l *laboratory) emptyProgram(ctx context.Context) (string, error) {
	source, program := filepath.Join(l.folder, "empty.go"), filepath.Join(l.folder, "empty")
	if err := os.WriteFile(source, []byte("package main\n\nfunc main() {}\n"), 0o644); err != nil {
		return "", err
	}
	build := exec.CommandContext(ctx, "go", "build", "-o", program, source)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if said, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("an empty program cannot be built: %w\n%s", err, said)
	}
	return program, nil
}

// What inev of the day on which the targets were set takes to start, and to explain a small
// model without advice, as many times an empty program: measured beside each other, later.
const (
	versionThen = 5.1
	explainThen = 5.9
)

// smallModel measures what a run costs at least.
func (l *laboratory) smallModel(ctx context.Context) (string, error) {
	f, err := l.model(ctx, generate.Spec{Kind: "scc", States: 50, Degree: 2}, "")
	if err != nil {
		return "", err
	}
	program, err := l.emptyProgram(ctx)
	if err != nil {
		return "", err
	}
	started := func(name, program string, arguments ...string) *work {
		return &work{name: name, run: func(ctx context.Context) (sample, error) {
			p, err := start(ctx, 0, nil, program, arguments...)
			return sample{Seconds: p.seconds}, err
		}}
	}
	empty, version := started("a Go program that does nothing", program), started("`inev --version`", l.inev, "--version")
	plain := l.command("`inev "+plainExplain+"`", plainExplain, f, f.formula)
	explain := l.command("`inev explain`", "explain", f, f.formula)
	rows := []*work{empty, version, l.command("`inev check`", "check", f, f.formula), plain, explain}
	if err := l.measure(ctx, l.smallRuns, rows); err != nil {
		return "", err
	}
	t := newTable("", "median", "best", "÷ `inev --version`")
	for _, w := range rows {
		t.add(append([]string{w.name}, append(w.span(), times(w.median().Seconds/version.median().Seconds))...)...)
	}
	took := explain.median().Seconds
	l.judge(took <= 0.015, fmt.Sprintf("`inev explain` of %d transitions, whole process", f.transitions), "≤ 15 ms", seconds(took))
	l.stays(version, empty, 0.0044, versionThen)
	l.stays(plain, empty, 0.0054, explainThen)
	return fmt.Sprintf("A model of %d transitions, the median of %d runs.\n\n%s", f.transitions, l.smallRuns, t), nil
}

// stays judges whether a small piece of work takes no more than on the day on which the
// targets were set, in seconds and beside an empty program, and a tenth of that for the clock.
func (l *laboratory) stays(w, base *work, then, ratioThen float64) {
	const clock = 1.1
	took := w.median().Seconds
	over := took / base.median().Seconds
	l.judgeBoth(took <= clock*then, over <= clock*ratioThen, w.name,
		fmt.Sprintf("as when the target was set, + 10 %%: ≤ %s, ≤ %s %s", seconds(clock*then), times(clock*ratioThen), base.name), seconds(took)+", "+times(over))
}
