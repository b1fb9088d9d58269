package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/lts"
)

// specification is one of mCRL2's own examples, in the size that is measured.
type specification struct {
	name string
	// path is the path of its file in the folder of the examples.
	path string
	// changes are lines of the file with their replacements, which contain the size.
	changes [][2]string
	// asked are the commands, with their formulas, that are measured.
	asked [][2]string
	// direct makes mCRL2 check the first formula without a reduction of the model, too.
	direct bool
	judged func(l *laboratory, about question)
}

// specifications returns the examples in the sizes of the targets, or small ones.
func (l *laboratory) specifications() []specification {
	size := func(wanted, small int) int {
		if l.reference() < targetSize {
			return small
		}
		return wanted
	}
	return []specification{
		processesExample(size(7, 2)),
		protocolExample(size(300, 3)),
		schedulerExample(size(14, 3)),
		diningExample(size(11, 9)),
		flexRayExample(),
	}
}

// processesExample has processes in parallel that repeat nine actions.
func processesExample(processes int) specification {
	return specification{
		name: fmt.Sprintf("%d processes of 9 actions", processes),
		path: "academic/parallel/parallel.mcrl2",
		changes: [][2]string{
			{"proc X=a.b.c.d.e.f.g.h.i.j.X;", "proc X=a.b.c.d.e.f.g.h.i.X;"},
			{"init X||X||X;", "init allow({a,b,c,d,e,f,g,h,i}, " + repeated("X", "||", 1, processes) + ");"},
		},
		asked:  [][2]string{{"check", "Inev(i, a)"}},
		judged: judgePeer,
	}
}

// protocolExample is the concurrent alternating bit protocol for a number of different messages.
func protocolExample(messages int) specification {
	return specification{
		name: fmt.Sprintf("concurrent alternating bit protocol, %d messages", messages),
		path: "academic/cabp/cabp.mcrl2",
		changes: [][2]string{
			{"sort DATA = struct d1 | d2;", "sort DATA = struct " + repeated("d%d", " | ", 1, messages) + ";"},
		},
		asked: [][2]string{
			{"check", "Inev(r1_*, s2_*)"},
			{"explain", "Inev(r1_*, s2_*)"},
		},
		judged: judgePeer,
	}
}

// schedulerExample is Milner's scheduler of a number of cyclers.
func schedulerExample(cyclers int) specification {
	cycler := "Cycler(%d," + strconv.Itoa(cyclers) + ")"
	return specification{
		name: fmt.Sprintf("scheduler of %d", cyclers),
		path: "academic/scheduler/scheduler.mcrl2",
		changes: [][2]string{
			{"init hide({tcomm},Scheduler2);", "init hide({tcomm},allow({a,b,tcomm},comm({t|t->tcomm},Start||" + repeated(cycler, "||", 0, cyclers-1) + ")));"},
		},
		asked:  [][2]string{{"check", "Inev(b_0, a_1)"}},
		judged: judgePeer,
	}
}

// diningExample has more philosophers than the eight of the file.
func diningExample(philosophers int) specification {
	return specification{
		name: fmt.Sprintf("dining philosophers, %d", philosophers),
		path: "academic/dining/dining8.mcrl2",
		changes: [][2]string{
			{"eqn K = 8;", fmt.Sprintf("eqn K = %d;", philosophers)},
			{"       ForkPhil(7) || ForkPhil(8);", "       ForkPhil(7) || ForkPhil(8) || " + repeated("ForkPhil(%d)", "||", 9, philosophers) + ";"},
		},
		asked: [][2]string{
			{"check", "Inev(lock_*, lock_*)"},
			{"check", "Inev(eat_*)"},
			{"explain", "Inev(eat_*)"},
		},
		judged: judgePeer,
	}
}

// flexRayExample is an industrial model, in the size of the file.
func flexRayExample() specification {
	return specification{
		name: "FlexRay",
		path: "industrial/flexray/3_Regular.expanded.mcrl2",
		asked: [][2]string{
			{"check", "Inev(enter_operation_1)"},
			{"check", flexRayOrder},
			{"explain", flexRayOrder},
		},
		direct: true,
		judged: judgeQuick,
	}
}

// flexRayOrder is the property that nodes begin to operate in the order of their numbers.
const flexRayOrder = "Inev(enter_operation_1, enter_operation_2, enter_operation_3)"

// repeated joins copies of a text, with the numbers from first to last instead of %d.
func repeated(text, separator string, first, last int) string {
	var all []string
	for i := first; i <= last; i++ {
		all = append(all, strings.ReplaceAll(text, "%d", strconv.Itoa(i)))
	}
	return strings.Join(all, separator)
}

// text returns the specification in its size. It fails if a line to be replaced is missing, since
// another version of the examples may lack it.
func (s specification) text(folder string) (string, error) {
	path := filepath.Join(folder, filepath.FromSlash(s.path))
	content, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("-mcrl2-examples: %w: give the folder examples of mCRL2's sources", err)
	}
	lines := strings.Split(strings.ReplaceAll(string(content), "\r\n", "\n"), "\n")
	for _, change := range s.changes {
		found := false
		for i, line := range lines {
			if line == change[0] {
				lines[i] = change[1]
				found = true
			}
		}
		if !found {
			return "", fmt.Errorf("-mcrl2-examples: %s has no line %q: the size is set in that line, so these are the examples of another version of mCRL2", path, change[0])
		}
	}
	return strings.Join(lines, "\n"), nil
}

// specified returns the model of a specification. mCRL2's tools generate it if the folder of models
// does not have it yet.
func (l *laboratory) specified(ctx context.Context, s specification) (file, error) {
	text, err := s.text(l.examples)
	if err != nil {
		return file{}, err
	}
	name := strings.TrimSuffix(filepath.Base(s.path), ".mcrl2")
	sum := sha256.Sum256([]byte(text))
	path := filepath.Join(l.models, fmt.Sprintf("%s-%x.aut", name, sum[:6]))
	if _, missing := os.Stat(path); missing != nil {
		if err := l.explore(ctx, s.name, text, path); err != nil {
			return file{}, err
		}
	}
	f := file{path: path}
	f.states, f.transitions, err = headerOf(path)
	if err != nil {
		return f, err
	}
	size, err := os.Stat(path)
	if err != nil {
		return f, err
	}
	f.bytes = size.Size()
	return f, nil
}

// explore generates the model of a specification. The parameters of actions become parts of the
// action names, as in the labels of inev generate.
func (l *laboratory) explore(ctx context.Context, name, text, path string) error {
	l.logProgress("generating " + name)
	base := filepath.Join(l.folder, "specification")
	if err := os.WriteFile(base+".mcrl2", []byte(text), 0o644); err != nil {
		return err
	}
	for _, step := range [][]string{
		{"mcrl22lps", "-q", base + ".mcrl2", base + ".lps"},
		{"lps2lts", "-q", "--cached", base + ".lps", base + ".aut"},
	} {
		var s sample
		if _, err := l.runTool(ctx, &s, step[0], step[1:]...); err != nil {
			return err
		}
		if !s.answered() {
			return fmt.Errorf("%s cannot generate %s: see above, -peer-limit is %s", step[0],
				name, l.peerLimit)
		}
	}
	// A file with the final name is complete.
	part := path + ".part"
	if _, err := l.runTask(ctx, task{Do: "names", Path: base + ".aut", To: part}); err != nil {
		return err
	}
	return errors.Join(os.Rename(part, path), os.Remove(base+".aut"))
}

// headerOf returns the size in the header of a model in .aut.
func headerOf(path string) (states, transitions int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close() // the file was only read
	var initial int64
	if _, err := fmt.Fscanf(f, "des (%d,%d,%d)", &initial, &transitions, &states); err != nil {
		return 0, 0, fmt.Errorf("%s:1: %w", path, err)
	}
	return states, transitions, nil
}

// writeNames copies a model in mCRL2's format from t.Path to t.To, and replaces each label by a
// plain name. It fails if two labels would get the same name.
func writeNames(_ context.Context, t task) (s sample, err error) {
	from, err := os.Open(t.Path)
	if err != nil {
		return s, err
	}
	defer from.Close() // the file was only read
	to, err := os.Create(t.To)
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	w := bufio.NewWriterSize(to, 1<<20)
	names := plainNames{names: map[string]string{}, labels: map[string]string{}}
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := strings.TrimRight(lines.Text(), " \r")
		first := strings.Index(line, `"`)
		last := strings.LastIndex(line, `"`)
		if first == last {
			fmt.Fprintln(w, line)
			continue
		}
		name, err := names.of(line[first+1 : last])
		if err != nil {
			return s, fmt.Errorf("%s: %w", t.Path, err)
		}
		w.WriteString(line[:first+1])
		w.WriteString(name)
		w.WriteString(line[last:])
		w.WriteByte('\n')
	}
	return s, errors.Join(lines.Err(), w.Flush())
}

// plainNames gives labels different names of letters, digits and underscores.
type plainNames struct {
	names  map[string]string // by label
	labels map[string]string // by name
}

// of returns the name of a label. It fails if another label has this name.
func (p *plainNames) of(label string) (string, error) {
	name, isNamed := p.names[label]
	if isNamed {
		return name, nil
	}
	name = strings.Join(strings.FieldsFunc(label, isNoNameRune), "_")
	other, isTaken := p.labels[name]
	if isTaken || name == "" {
		return "", fmt.Errorf("the labels %q and %q both become %s", other, label, name)
	}
	label = strings.Clone(label) // the label is a part of a long line
	p.names[label] = name
	p.labels[name] = label
	return name, nil
}

// isNoNameRune reports whether a character cannot be a part of a plain name.
func isNoNameRune(r rune) bool {
	isLetter := 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z'
	isDigit := '0' <= r && r <= '9'
	return !isLetter && !isDigit && r != '_'
}

// specify generates all models of the requested examples, so that failures are reported before
// anything is measured.
func (l *laboratory) specify(ctx context.Context) error {
	if l.examples == "" {
		return nil
	}
	if !l.peers.has("mcrl22lps", "lps2lts") {
		return errors.New("-mcrl2-examples: mcrl22lps and lps2lts are not found: give the folder of mCRL2's tools by -mcrl2")
	}
	if l.models == "" {
		l.models = l.folder
	}
	for _, s := range l.specifications() {
		if _, err := l.specified(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// specifiedRuns measures the command on models of mCRL2's own examples, next to mCRL2's tools.
func (l *laboratory) specifiedRuns(ctx context.Context) (string, error) {
	t := questionTable()
	for _, s := range l.specifications() {
		f, err := l.specified(ctx, s)
		if err != nil {
			return "", err
		}
		for i, asked := range s.asked {
			// mCRL2 answers each formula once.
			peers := fastestRoute
			if i == 0 && s.direct {
				peers = allRoutes
			} else if i > 0 && asked[1] == s.asked[i-1][1] {
				peers = noRoute
			}
			q, err := l.ask(ctx,
				subject{name: s.name, formula: asked[1], command: asked[0], peers: peers}, f)
			if err != nil {
				return "", err
			}
			q.addTo(t)
			if peers != noRoute {
				s.judged(l, q)
			}
		}
	}
	return t.String(), nil
}

// The target beside mCRL2's fastest route: the fraction of its time that inev may take.
const (
	mostOfPeer = 1. / 5
	wantOfPeer = "≤ 1/5 of mCRL2's fastest route"
)

// judgePeer compares the time until inev's verdict with that of mCRL2's fastest route, if mCRL2 is there.
func judgePeer(l *laboratory, q question) {
	peer, name := q.peer()
	if name == "" {
		return
	}
	took := q.own.median().Seconds
	meetsRatio := took <= peer.Seconds*mostOfPeer
	l.judge(meetsRatio, target{
		work:     q.titled(),
		wanted:   wantOfPeer,
		measured: seconds(took) + ", 1/" + digits(peer.Seconds/took),
	})
}

// judgeQuick judges a check of two million transitions: it must keep the ratio of [judgePeer], and take at most
// 0.3 seconds.
func judgeQuick(l *laboratory, q question) {
	const most = 0.3
	took := q.own.median().Seconds
	meetsLimit := took <= most
	peer, name := q.peer()
	if name == "" {
		l.judge(meetsLimit, target{
			work:     q.titled(),
			wanted:   "≤ " + seconds(most),
			measured: seconds(took),
		})
		return
	}
	meetsRatio := took <= peer.Seconds*mostOfPeer
	l.judgeBoth(outcomes{inSeconds: meetsLimit, byRatio: meetsRatio}, target{
		work:     q.titled(),
		wanted:   "≤ " + seconds(most) + ", " + wantOfPeer,
		measured: seconds(took) + ", 1/" + digits(peer.Seconds/took),
	})
}

// titled returns the name of a question with the size of its model.
func (q *question) titled() string {
	return q.own.name + ", " + grouped(q.model.transitions) + " transitions"
}

// example returns the path of a file of the examples, whose folder is in some folder above this
// one.
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

// picturesFormula is a formula that the travel example violates.
const picturesFormula = "Inev(BOOKING_REC, TICKET_REC)"

// drawing is the work of making a picture or a page.
type drawing struct {
	*work
	most float64 // the target, in seconds
}

// pictures measures the pictures and pages of a model of 217 transitions.
func (l *laboratory) pictures(ctx context.Context) (string, error) {
	model, err := example("travel/travel.aut")
	if err != nil {
		return "", err
	}
	drawings, err := l.drawings(ctx, model)
	if err != nil {
		return "", err
	}
	withoutPicture := l.run("no picture", nil, "explain", model, picturesFormula, "--quiet", "--no-progress")
	rows := []*work{withoutPicture}
	for _, d := range drawings {
		rows = append(rows, d.work)
	}
	if l.nativeDrawing != nil {
		rows = append(rows, l.nativeDrawing)
	}
	if err := l.measure(ctx, l.runs, rows); err != nil {
		return "", err
	}
	t := newTable("", "median", "best", "÷ no picture", "peak")
	for _, w := range rows {
		m := w.median()
		overhead := times(m.Seconds / withoutPicture.median().Seconds)
		cells := slices.Concat([]string{w.name}, w.timeCells(), []string{overhead, size(float64(m.Peak))})
		t.add(cells...)
	}
	for _, d := range drawings {
		took := d.median().Seconds
		l.judgeDrawn(took, d.most, target{
			work:     "217 transitions: " + d.name,
			wanted:   "≤ " + seconds(d.most),
			measured: seconds(took),
		})
	}
	return t.String(), nil
}

// drawings returns the works that are measured by [laboratory.pictures]. It draws once before, since the
// first picture that a process draws compiles Graphviz and keeps the result. If dot is installed,
// drawings also sets nativeDrawing.
func (l *laboratory) drawings(ctx context.Context, model string) ([]drawing, error) {
	kept := []string{"INEV_CACHE=" + filepath.Join(l.folder, "compiled")}
	nothingKept := []string{"INEV_CACHE=off"}
	draw := func(name string, environment []string, file string) *work {
		return l.run(name, environment, "diagram", model, picturesFormula, "-o",
			filepath.Join(l.folder, file), "--quiet")
	}
	page := func(name string, environment []string) *work {
		return l.run(name, environment, "explain", model, picturesFormula, "--html",
			filepath.Join(l.folder, "page.html"), "--quiet", "--no-progress")
	}
	const (
		vector = "p.svg"
		raster = "p.png"
		dot    = "p.dot"
	)
	drawings := []drawing{
		{work: draw("SVG", kept, vector), most: 0.15},
		{work: page("page", kept), most: 0.2},
		{work: draw("PNG", kept, raster), most: 0.4},
		{work: draw("SVG, nothing kept", nothingKept, vector), most: 0.4},
		{work: page("page, nothing kept", nothingKept), most: 0.4},
	}
	for _, file := range []string{vector, dot} {
		if _, err := draw("once before", kept, file).run(ctx); err != nil {
			return nil, err
		}
	}
	if l.peers.dot != "" {
		l.nativeDrawing = l.drawNatively(filepath.Join(l.folder, dot))
	}
	return drawings, nil
}

// drawNatively returns the work of drawing a graph in the DOT language by an installed Graphviz.
func (l *laboratory) drawNatively(graph string) *work {
	return &work{
		name: "Graphviz: `dot -Tsvg`",
		run: func(ctx context.Context) (sample, error) {
			p, err := runProgram(ctx, 0, nil, l.peers.dot, "-Tsvg", "-o",
				filepath.Join(l.folder, "native.svg"), graph)
			return sample{Seconds: p.seconds, Peak: p.peak, Silent: true}, err
		},
	}
}

// nativeSecondsThen is the time, in seconds, that dot took for the picture on the day when the targets
// were set.
const nativeSecondsThen = 0.02

// judgeDrawn judges a time twice: in seconds, and as a multiple of dot's best time. The limit for
// the multiple is the limit in seconds divided by the time that dot took when the targets were set.
// Other programs often disturb so short a run; if they disturb dot, the target becomes easy.
func (l *laboratory) judgeDrawn(took, most float64, t target) {
	inSeconds := took <= most
	if l.nativeDrawing == nil {
		l.judge(inSeconds, t)
		return
	}
	mostRatio := most / nativeSecondsThen
	ratio := took / l.nativeDrawing.best()
	t.wanted += fmt.Sprintf(", ≤ %s `dot -Tsvg`", times(mostRatio))
	t.measured += ", " + times(ratio)
	l.judgeBoth(outcomes{inSeconds: inSeconds, byRatio: ratio <= mostRatio}, t)
}

// batchRuns are the batches that are measured, by the numbers of their jobs.
type batchRuns struct {
	jobs                              int // in each of the next three batches
	onOneCore, oneAtATime, onAllCores *work
	pages                             int // in each of the next two batches, whose jobs write a page each
	fewFormulas, formulaEach          *work
}

// all returns the batches in the order of their table.
func (b *batchRuns) all() []*work {
	return []*work{b.onOneCore, b.oneAtATime, b.onAllCores, b.fewFormulas, b.formulaEach}
}

// batches measures batches of small jobs, with and without pages.
func (l *laboratory) batches(ctx context.Context) (string, error) {
	b := &batchRuns{jobs: 300, pages: 60}
	if l.reference() < targetSize {
		b.jobs = 20
		b.pages = 4
	}
	if err := l.prepareBatches(ctx, b); err != nil {
		return "", err
	}
	if err := l.measure(ctx, l.runs, b.all()); err != nil {
		return "", err
	}
	l.judgeBatches(b)
	return b.table().String(), nil
}

// prepareBatches writes the manifests, and sets the works of b.
func (l *laboratory) prepareBatches(ctx context.Context, b *batchRuns) error {
	few, each, err := exampleFormulas(ctx)
	if err != nil {
		return err
	}
	manyJobs, err := l.manifest("many", b.jobs, few)
	if err != nil {
		return err
	}
	fewJobs, err := l.manifest("few", b.pages, few)
	if err != nil {
		return err
	}
	jobOfEach, err := l.manifest("each", b.pages, each)
	if err != nil {
		return err
	}
	kept := "INEV_CACHE=" + filepath.Join(l.folder, "compiled")
	run := func(name, manifest string, environment []string, flags ...string) *work {
		command := append([]string{"batch", manifest, "-o", filepath.Join(l.folder, "results"), "--force", "--fail-on", "none", "--no-progress", "--quiet"}, flags...)
		return l.run(name, append(environment, kept), command...)
	}
	small := fmt.Sprintf("%d small jobs", b.jobs)
	b.onOneCore = run(small+", one core", manyJobs, []string{"GOMAXPROCS=1"}, "--jobs", "1")
	b.oneAtATime = run(small+", one at a time", manyJobs, nil, "--jobs", "1")
	b.onAllCores = run(small+", as many as cores", manyJobs, nil)
	withPages := fmt.Sprintf("%d jobs with pages", b.pages)
	b.fewFormulas = run(withPages, fewJobs, nil, "--html")
	b.formulaEach = run(withPages+", a formula each", jobOfEach, nil, "--html")
	return nil
}

// table returns the measured batches as a table.
func (b *batchRuns) table() *table {
	t := newTable("", "median", "best", "jobs/s", "÷ one core", "peak")
	for _, w := range b.all() {
		m := w.median()
		jobs := b.jobs
		overOneCore := times(m.Seconds / b.onOneCore.median().Seconds)
		if w == b.fewFormulas || w == b.formulaEach {
			jobs = b.pages
			overOneCore = ""
		}
		rate := digits(float64(jobs) / m.Seconds)
		cells := slices.Concat([]string{w.name}, w.timeCells(), []string{rate, overOneCore, size(float64(m.Peak))})
		t.add(cells...)
	}
	return t
}

// judgeBatches judges how much all cores gain, and how fast pages are written.
func (l *laboratory) judgeBatches(b *batchRuns) {
	cores := runtime.NumCPU()
	gain := b.onOneCore.median().Seconds / b.onAllCores.median().Seconds
	l.judge(gain >= 1.7, target{
		work:     fmt.Sprintf("%d small jobs on %d cores against one", b.jobs, cores),
		wanted:   "≥ 1.7 ×",
		measured: times(gain),
	})
	for _, pages := range []struct {
		*work
		name string
	}{
		{b.fewFormulas, "pages of 217 transitions in a batch"},
		{b.formulaEach, "pages of 217 transitions in a batch, a formula each"},
	} {
		rate := float64(b.pages) / pages.median().Seconds / float64(cores)
		l.judgeDrawn(1/rate, 1/20., target{
			work:     pages.name,
			wanted:   "≥ 20 a second and core",
			measured: digits(rate),
		})
	}
}

// exampleFormulas returns the formulas of the travel example, which the pictures show. For batches of
// many jobs, it also returns a formula for each ordered pair of labels of this model: the first
// inevitably happens, and then the second.
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
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "#") {
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
				pairs = append(pairs,
					fmt.Sprintf("Inev(%s, %s)", actl.Quoted(labels.Text(lts.Label(a))),
						actl.Quoted(labels.Text(lts.Label(b)))))
			}
		}
	}
	return own, pairs, nil
}

// manifest writes a manifest of this many jobs about the travel example, with these formulas in turn.
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

// serving measures how long a server takes from its start until it has sent its page, next to an
// explanation of the same model.
func (l *laboratory) serving(ctx context.Context) (string, error) {
	model, err := l.model(ctx, local(l.reference()), "")
	if err != nil {
		return "", err
	}
	explain := l.command("`inev explain`, reference model", "explain", model, model.formula)
	serve := &work{
		name: "`inev serve`, reference model, until its page is there",
		run: func(ctx context.Context) (sample, error) {
			s, err := l.firstPage(ctx, model)
			s.Transitions = model.transitions
			return s, err
		},
	}
	rows := []*work{explain, serve}
	if err := l.measure(ctx, l.runs, rows); err != nil {
		return "", err
	}
	t := newTable("", "transitions", "median", "best", "÷ explain")
	for _, w := range rows {
		m := w.median()
		t.add(append([]string{w.name, grouped(m.Transitions)},
			append(w.timeCells(), times(m.Seconds/explain.median().Seconds))...)...)
	}
	return t.String(), nil
}

// firstPage starts a server, requests its page, and ends it.
func (l *laboratory) firstPage(ctx context.Context, f file) (s sample, err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	command := exec.CommandContext(ctx, l.inev, "serve", f.path, f.formula, "--quiet",
		"--no-progress")
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
		_ = command.Wait() // the server was ended
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
