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
	processes, messages, cyclers, philosophers := size(7, 2), size(300, 3), size(14, 3), size(11, 9)
	cycler := "Cycler(%d," + strconv.Itoa(cyclers) + ")"
	return []specification{
		{
			name: fmt.Sprintf("%d processes of 9 actions",
				processes),
			path: "academic/parallel/parallel.mcrl2",
			changes: [][2]string{
				{"proc X=a.b.c.d.e.f.g.h.i.j.X;", "proc X=a.b.c.d.e.f.g.h.i.X;"},
				{"init X||X||X;", "init allow({a,b,c,d,e,f,g,h,i}, " + repeated("X", "||", 1, processes) + ");"},
			},
			asked:  [][2]string{{"check", "Inev(i, a)"}},
			judged: judgePeer,
		}, {
			name: fmt.Sprintf("concurrent alternating bit protocol, %d messages",
				messages),
			path: "academic/cabp/cabp.mcrl2",
			changes: [][2]string{
				{"sort DATA = struct d1 | d2;", "sort DATA = struct " + repeated("d%d", " | ", 1, messages) + ";"},
			},
			asked: [][2]string{
				{"check", "Inev(r1_*, s2_*)"},
				{"explain", "Inev(r1_*, s2_*)"},
			},
			judged: judgePeer,
		}, {
			name: fmt.Sprintf("scheduler of %d",
				cyclers),
			path: "academic/scheduler/scheduler.mcrl2",
			changes: [][2]string{
				{"init hide({tcomm},Scheduler2);", "init hide({tcomm},allow({a,b,tcomm},comm({t|t->tcomm},Start||" + repeated(cycler, "||", 0, cyclers-1) + ")));"},
			},
			asked:  [][2]string{{"check", "Inev(b_0, a_1)"}},
			judged: judgePeer,
		}, {
			name: fmt.Sprintf("dining philosophers, %d",
				philosophers),
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
		}, {
			name: "FlexRay",
			path: "industrial/flexray/3_Regular.expanded.mcrl2",
			asked: [][2]string{
				{"check", "Inev(enter_operation_1)"},
				{"check", flexRayOrder},
				{"explain", flexRayOrder},
			},
			direct: true,
			judged: judgeQuick,
		},
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
				lines[i], found = change[1], true
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
	names, labels := map[string]string{}, map[string]string{}
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := strings.TrimRight(lines.Text(), " \r")
		first, last := strings.Index(line, `"`), strings.LastIndex(line, `"`)
		if first == last {
			fmt.Fprintln(w, line)
			continue
		}
		label := line[first+1 : last]
		name, isNamed := names[label]
		if !isNamed {
			name = strings.Join(strings.FieldsFunc(label, func(r rune) bool {
				return !('0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z' ||
					r == '_')
			}), "_")
			if other, isTaken := labels[name]; isTaken || name == "" {
				return s, fmt.Errorf("%s: the labels %q and %q both become %s", t.Path, other,
					label, name)
			}
			names[strings.Clone(label)], labels[name] = name, label
		}
		w.WriteString(line[:first+1])
		w.WriteString(name)
		w.WriteString(line[last:])
		w.WriteByte('\n')
	}
	return s, errors.Join(lines.Err(), w.Flush())
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

// judgeQuick is judgePeer with an additional limit in seconds, for models of two million transitions.
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

// picturesFormula is a formula that the model of the pictures violates.
const picturesFormula = "Inev(BOOKING_REC, TICKET_REC)"

// pictures measures the pictures and pages of a model of 217 transitions.
func (l *laboratory) pictures(ctx context.Context) (string, error) {
	model, err := example("travel/travel.aut")
	if err != nil {
		return "", err
	}
	kept := []string{"INEV_CACHE=" + filepath.Join(l.folder, "compiled")}
	draw := func(name string, environment []string, file string) *work {
		return l.run(name, environment, "diagram", model, picturesFormula, "-o",
			filepath.Join(l.folder, file), "--quiet")
	}
	page := func(name string, environment []string) *work {
		return l.run(name, environment, "explain", model, picturesFormula, "--html",
			filepath.Join(l.folder, "page.html"), "--quiet", "--no-progress")
	}
	cold := []string{"INEV_CACHE=off"}
	withoutPicture := l.run("no picture", nil, "explain", model, picturesFormula, "--quiet", "--no-progress")
	drawings := []struct {
		*work
		most float64 // the target, in seconds
	}{
		{draw("SVG", kept, "p.svg"), 0.15},
		{page("page", kept), 0.2},
		{draw("PNG", kept, "p.png"), 0.4},
		{draw("SVG, nothing kept", cold, "p.svg"), 0.4},
		{page("page, nothing kept", cold), 0.4},
	}
	// The first picture that a process draws compiles Graphviz.
	if _, err := drawings[0].run(ctx); err != nil {
		return "", err
	}
	dot := "p.dot"
	if _, err := draw("DOT", kept, dot).run(ctx); err != nil {
		return "", err
	}
	rows := []*work{withoutPicture}
	for _, d := range drawings {
		rows = append(rows, d.work)
	}
	if l.peers.dot != "" {
		l.nativeDrawing = l.drawNatively(filepath.Join(l.folder, dot))
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

// batches measures batches of small jobs, with and without pages.
func (l *laboratory) batches(ctx context.Context) (string, error) {
	jobs := 300
	pages := 60
	if l.reference() < targetSize {
		jobs = 20
		pages = 4
	}
	few, each, err := exampleFormulas(ctx)
	if err != nil {
		return "", err
	}
	manyJobs, err := l.manifest("many", jobs, few)
	if err != nil {
		return "", err
	}
	fewJobs, err := l.manifest("few", pages, few)
	if err != nil {
		return "", err
	}
	formulaEach, err := l.manifest("each", pages, each)
	if err != nil {
		return "", err
	}
	kept := "INEV_CACHE=" + filepath.Join(l.folder, "compiled")
	run := func(name, manifest string, environment []string, flags ...string) *work {
		command := append([]string{"batch", manifest, "-o", filepath.Join(l.folder, "results"), "--force", "--fail-on", "none", "--no-progress", "--quiet"}, flags...)
		return l.run(name, append(environment, kept), command...)
	}
	cores := runtime.NumCPU()
	onOneCore := run(fmt.Sprintf("%d small jobs, one core", jobs), manyJobs,
		[]string{"GOMAXPROCS=1"}, "--jobs", "1")
	oneAtATime := run(fmt.Sprintf("%d small jobs, one at a time", jobs), manyJobs, nil, "--jobs",
		"1")
	onAllCores := run(fmt.Sprintf("%d small jobs, as many as cores", jobs), manyJobs, nil)
	small := []*work{onOneCore, oneAtATime, onAllCores}
	withPages := []*work{
		run(fmt.Sprintf("%d jobs with pages", pages), fewJobs, nil, "--html"),
		run(fmt.Sprintf("%d jobs with pages, a formula each", pages), formulaEach, nil,
			"--html"),
	}
	if err := l.measure(ctx, l.runs, slices.Concat(small, withPages)); err != nil {
		return "", err
	}
	t := newTable("", "median", "best", "jobs/s", "÷ one core", "peak")
	addRow := func(w *work, numJobs int, overOneCore string) {
		m := w.median()
		rate := digits(float64(numJobs) / m.Seconds)
		cells := slices.Concat([]string{w.name}, w.timeCells(), []string{rate, overOneCore, size(float64(m.Peak))})
		t.add(cells...)
	}
	for _, w := range small {
		addRow(w, jobs, times(w.median().Seconds/onOneCore.median().Seconds))
	}
	for _, w := range withPages {
		addRow(w, pages, "")
	}
	gain := onOneCore.median().Seconds / onAllCores.median().Seconds
	l.judge(gain >= 1.7, target{
		work:     fmt.Sprintf("%d small jobs on %d cores against one", jobs, cores),
		wanted:   "≥ 1.7 ×",
		measured: times(gain),
	})
	for i, name := range []string{
		"pages of 217 transitions in a batch",
		"pages of 217 transitions in a batch, a formula each",
	} {
		rate := float64(pages) / withPages[i].median().Seconds / float64(cores)
		l.judgeDrawn(1/rate, 1/20., target{
			work:     name,
			wanted:   "≥ 20 a second and core",
			measured: digits(rate),
		})
	}
	return t.String(), nil
}

// exampleFormulas returns the formulas of the model of the pictures. For batches of many jobs, it
// also returns a formula for each pair of labels of the model: that they happen one after the
// other.
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
				pairs = append(pairs,
					fmt.Sprintf("Inev(%s, %s)", actl.Quoted(labels.Text(lts.Label(a))),
						actl.Quoted(labels.Text(lts.Label(b)))))
			}
		}
	}
	return own, pairs, nil
}

// manifest writes a manifest of this many jobs on the model of the pictures, with these formulas in
// turn.
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
