package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/lts"
)

// example returns a file of the examples, which are in a folder above this one.
func example(name string) (string, error) {
	folder, err := os.Getwd()
	for err == nil {
		path := filepath.Join(folder, "examples", filepath.FromSlash(name))
		if _, missing := os.Stat(path); missing == nil {
			return path, nil
		}
		above := filepath.Dir(folder)
		if above == folder {
			err = fmt.Errorf("there is no examples/%s above the working directory", name)
		}
		folder = above
	}
	return "", err
}

// picturesFormula is one that the model of the pictures violates.
const picturesFormula = "Inev(BOOKING_REC, TICKET_REC)"

// pictures measures the pictures and pages of a model of 217 transitions.
func (l *laboratory) pictures(ctx context.Context) (string, error) {
	model, err := example("travel/travel.aut")
	if err != nil {
		return "", err
	}
	kept := []string{"INEV_CACHE=" + filepath.Join(l.folder, "compiled")}
	dot := filepath.Join(l.folder, "p.dot")
	draw := func(name string, environment []string, file string) *work {
		return l.run(name, environment, "diagram", model, picturesFormula, "-o", filepath.Join(l.folder, file), "--quiet")
	}
	page := func(name string, environment []string) *work {
		return l.run(name, environment, "explain", model, picturesFormula, "--html", filepath.Join(l.folder, "page.html"), "--quiet", "--no-progress")
	}
	cold := []string{"INEV_CACHE=off"}
	rows := []*work{
		l.run("no picture", nil, "explain", model, picturesFormula, "--quiet", "--no-progress"),
		draw("SVG", kept, "p.svg"), page("page", kept), draw("PNG", kept, "p.png"),
		draw("SVG, nothing kept", cold, "p.svg"), page("page, nothing kept", cold),
	}
	// The first picture of all leaves Graphviz compiled.
	if _, err := rows[1].run(ctx); err != nil {
		return "", err
	}
	if _, err := draw("DOT", kept, "p.dot").run(ctx); err != nil {
		return "", err
	}
	if l.peers.dot != "" {
		l.native = &work{name: "Graphviz: `dot -Tsvg`", run: func(ctx context.Context) (sample, error) {
			p, err := start(ctx, 0, nil, l.peers.dot, "-Tsvg", "-o", filepath.Join(l.folder, "native.svg"), dot)
			return sample{Seconds: p.seconds, Peak: p.peak, Silent: true}, err
		}}
		rows = append(rows, l.native)
	}
	if err := l.measure(ctx, l.runs, rows); err != nil {
		return "", err
	}
	t := newTable("", "median", "best", "÷ no picture", "peak")
	most := []float64{0, 0.15, 0.2, 0.4, 0.4, 0.4, 0}
	for i, w := range rows {
		m := w.median()
		t.add(append([]string{w.name}, append(w.span(), times(m.Seconds/rows[0].median().Seconds), size(float64(m.Peak)))...)...)
		if most[i] > 0 {
			l.judgeDrawn(m.Seconds, most[i], "217 transitions: "+w.name, "≤ "+seconds(most[i]), seconds(m.Seconds))
		}
	}
	return t.String(), nil
}

// nativeThen is how long dot took for the picture where the targets were set.
const nativeThen = 0.02

// judgeDrawn compares a time with the most it may be, and with as many times that of dot: its
// best one, as so short a run is often disturbed, and a yardstick that is makes targets easy.
func (l *laboratory) judgeDrawn(took, most float64, work, wanted, measured string) {
	if l.native == nil {
		l.judge(took <= most, work, wanted, measured)
		return
	}
	over, ratio := most/nativeThen, took/l.native.best()
	l.judgeBoth(took <= most, ratio <= over, work, wanted+fmt.Sprintf(", ≤ %s `dot -Tsvg`", times(over)), measured+", "+times(ratio))
}

// batches measures batches of small jobs, and such with pages.
func (l *laboratory) batches(ctx context.Context) (string, error) {
	jobs, pages := 300, 60
	if l.reference() < targetSize {
		jobs, pages = 20, 4
	}
	few, each, err := exampleFormulas(ctx)
	if err != nil {
		return "", err
	}
	manifests := make([]string, 3)
	for i, m := range []struct {
		name     string
		jobs     int
		formulas []string
	}{{"many", jobs, few}, {"few", pages, few}, {"each", pages, each}} {
		if manifests[i], err = l.manifest(m.name, m.jobs, m.formulas); err != nil {
			return "", err
		}
	}
	kept := "INEV_CACHE=" + filepath.Join(l.folder, "compiled")
	run := func(name, manifest string, environment []string, arguments ...string) *work {
		all := append([]string{"batch", manifest, "-o", filepath.Join(l.folder, "results"), "--force", "--fail-on", "none", "--no-progress", "--quiet"}, arguments...)
		return l.run(name, append(environment, kept), all...)
	}
	cores := runtime.NumCPU()
	one := run(fmt.Sprintf("%d small jobs, one core", jobs), manifests[0], []string{"GOMAXPROCS=1"}, "--jobs", "1")
	alone := run(fmt.Sprintf("%d small jobs, one at a time", jobs), manifests[0], nil, "--jobs", "1")
	all := run(fmt.Sprintf("%d small jobs, as many as cores", jobs), manifests[0], nil)
	drawn := []*work{
		run(fmt.Sprintf("%d jobs with pages", pages), manifests[1], nil, "--html"),
		run(fmt.Sprintf("%d jobs with pages, a formula each", pages), manifests[2], nil, "--html"),
	}
	rows := append([]*work{one, alone, all}, drawn...)
	if err := l.measure(ctx, l.runs, rows); err != nil {
		return "", err
	}
	t := newTable("", "median", "best", "jobs/s", "÷ one core", "peak")
	for _, w := range rows {
		m, n, over := w.median(), jobs, times(w.median().Seconds/one.median().Seconds)
		if slices.Contains(drawn, w) {
			n, over = pages, ""
		}
		t.add(append([]string{w.name}, append(w.span(), digits(float64(n)/m.Seconds), over, size(float64(m.Peak)))...)...)
	}
	gain := one.median().Seconds / all.median().Seconds
	l.judge(gain >= 1.7, fmt.Sprintf("%d small jobs on %d cores against one", jobs, cores), "≥ 1.7 ×", times(gain))
	for i, name := range []string{"pages of 217 transitions in a batch", "pages of 217 transitions in a batch, a formula each"} {
		rate := float64(pages) / drawn[i].median().Seconds / float64(cores)
		l.judgeDrawn(1/rate, 1/20., name, "≥ 20 a second and core", digits(rate))
	}
	return t.String(), nil
}

// exampleFormulas returns the formulas that the model of the pictures has, and others, enough
// for many jobs: of each two of its labels, one after the other.
func exampleFormulas(ctx context.Context) (own, pairs []string, err error) {
	model, err := example("travel/travel.aut")
	if err != nil {
		return nil, nil, err
	}
	text, err := os.ReadFile(strings.TrimSuffix(model, ".aut") + ".inev")
	if err != nil {
		return nil, nil, err
	}
	for _, line := range strings.Split(string(text), "\n") {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			own = append(own, line)
		}
	}
	in, err := os.Open(model)
	if err != nil {
		return nil, nil, err
	}
	defer in.Close()
	m, _, err := aut.Read(ctx, in, aut.Options{})
	if err != nil {
		return nil, nil, err
	}
	labels := m.Alphabet()
	for a := range labels.Len() {
		for b := range labels.Len() {
			if a != b {
				pairs = append(pairs, fmt.Sprintf("Inev(%s, %s)", actl.Quoted(labels.Text(lts.Label(a))), actl.Quoted(labels.Text(lts.Label(b)))))
			}
		}
	}
	return own, pairs, nil
}

// manifest writes one of so many jobs on the model of the pictures, by these formulas in turn.
func (l *laboratory) manifest(name string, jobs int, formulas []string) (string, error) {
	model, err := example("travel/travel.aut")
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("name\tmodel\tformula\n")
	for i := range jobs {
		fmt.Fprintf(&b, "job%03d\t%s\t%s\n", i, model, formulas[i%len(formulas)])
	}
	path := filepath.Join(l.folder, name+".tsv")
	return path, os.WriteFile(path, []byte(b.String()), 0o644)
}

// serving measures how long after its start a server has shown its page, beside an
// explanation of the same model.
func (l *laboratory) serving(ctx context.Context) (string, error) {
	f, err := l.model(ctx, local(l.reference()), "")
	if err != nil {
		return "", err
	}
	explain := l.command("`inev explain`, reference model", "explain", f, f.formula)
	serve := &work{name: "`inev serve`, reference model, until its page is there", run: func(ctx context.Context) (sample, error) {
		s, err := l.firstPage(ctx, f)
		s.Transitions = f.transitions
		return s, err
	}}
	rows := []*work{explain, serve}
	if err := l.measure(ctx, l.runs, rows); err != nil {
		return "", err
	}
	t := newTable("", "transitions", "median", "best", "÷ explain")
	for _, w := range rows {
		m := w.median()
		t.add(append([]string{w.name, grouped(m.Transitions)}, append(w.span(), times(m.Seconds/explain.median().Seconds))...)...)
	}
	return t.String(), nil
}

// firstPage starts a server, asks it for its page, and ends it.
func (l *laboratory) firstPage(ctx context.Context, f file) (s sample, err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	command := exec.CommandContext(ctx, l.inev, "serve", f.path, f.formula, "--quiet", "--no-progress")
	command.Env = append(os.Environ(), "INEV_CACHE="+filepath.Join(l.folder, "compiled"))
	out, err := command.StdoutPipe()
	if err != nil {
		return s, err
	}
	began := time.Now()
	if err := command.Start(); err != nil {
		return s, err
	}
	defer func() {
		stop()
		_ = command.Wait() // it was ended
	}()
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return s, fmt.Errorf("inev serve tells no address: %w", err)
	}
	answer, err := http.Get(strings.TrimSpace(address))
	if err != nil {
		return s, err
	}
	length, err := io.Copy(io.Discard, answer.Body)
	err = errors.Join(err, answer.Body.Close())
	if err == nil && (answer.StatusCode != http.StatusOK || length == 0) {
		err = fmt.Errorf("inev serve answers %s", answer.Status)
	}
	return sample{Seconds: time.Since(began).Seconds(), Silent: true}, err
}
