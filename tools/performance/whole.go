package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
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
	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/format"
	"github.com/inev-lts/inev/internal/counterexample/buchi"
	"github.com/inev-lts/inev/internal/lts/generate"
	"github.com/inev-lts/inev/internal/progress"
)

// subject is a model with a question about it.
type subject struct {
	name    string
	spec    generate.Spec
	formula string // "" for the formula of the kind
	command string
	// peers are the further routes through mCRL2's tools that are measured; each of them takes
	// minutes.
	peers routes
	// judge compares the result with a target; nil if there is none.
	judge func(l *laboratory, about question)
	// otherFormula is another formula that is checked in turn with this one, "" for none.
	otherFormula string
}

// routes are the routes through mCRL2's tools.
type routes int

const (
	noRoute routes = iota
	fastestRoute
	// allRoutes includes the route that does not reduce the model first.
	allRoutes
)

// question is a subject whose model is in a file, with the work that is measured on it.
type question struct {
	subject
	model file
	// own is the subject's command of inev. counting counts the lines of the file: the time of the other
	// work is compared with it.
	counting, own *work
	// unassumed is the command without the search for assumptions, nil if that is not compared.
	unassumed *work
	// other is the run with the other formula, nil if there is none.
	other *work
	// direct and fastest are mCRL2's routes, nil if mCRL2 is not installed.
	direct, fastest *work
}

// subjects returns the questions about whole models.
func (l *laboratory) subjects(ctx context.Context) ([]subject, error) {
	n := l.reference()
	philosophers, err := l.dining(ctx, n/10)
	if err != nil {
		return nil, err
	}
	reference := subject{name: "reference model", spec: local(n), command: "check"}
	component := subject{
		name:    "component, targets anywhere",
		spec:    farComponent(n),
		command: "check",
	}
	random := subject{name: "targets anywhere", spec: far(n), command: "check"}
	layered := subject{name: "layers, 102 labels", spec: layers(n / 5), command: "check"}
	return []subject{
		reference.explained(judgeExplained),
		reference,
		reference.about("Inev(ACTION_NO_0)"),
		reference.about("Inev(BACK)"),
		reference.about("Response(ACTION_NO_1; ACTION_NO_0)").against("Inev(ACTION_NO_0)", judgeResponse),
		reference.about("Response(ACTION_NO_0; BACK)").against("Inev(BACK)", judgeResponse),
		reference.about("GF BACK").against("Inev(BACK)", judgeTable),
		component.about("GF BACK").against("Inev(BACK)", judgeTable),
		component.about("GF ACTION_NO_1").against("Inev(ACTION_NO_1)", judgeTable),
		component.about("Response(ACTION_NO_1; BACK)").against("Inev(BACK)", judgeTable),
		component.about("Response(ACTION_NO_1; ACTION_NO_0)").against("Inev(ACTION_NO_0)", judgeTable),
		random.explained(judgeExplained),
		random,
		{
			name:    "one component, degree 7",
			spec:    dense(n * 67 / 20),
			formula: "Inev(BACK)",
			command: "check",
			peers:   fastestRoute,
			judge:   judgeLarge,
		},
		{
			name:    layered.name,
			spec:    layered.spec,
			command: "check",
			peers:   fastestRoute,
			judge:   judgeQuick,
		},
		layered.explained(nil),
		layered.about("Response(ACTION_NO_3; ACTION_NO_4)").against("Inev(ACTION_NO_4)", judgeTable),
		{
			name:    fmt.Sprintf("%d philosophers", philosophers.Processes),
			spec:    philosophers,
			formula: somebodyEats,
			command: "explain",
		},
	}, nil
}

// explained returns the subject with an explanation in place of a check.
func (s subject) explained(judge func(*laboratory, question)) subject {
	s.command = "explain"
	s.judge = judge
	return s
}

// about returns the subject with a formula.
func (s subject) about(formula string) subject {
	s.formula = formula
	return s
}

// against returns the subject with another formula, whose check sets the target.
func (s subject) against(otherFormula string, judge func(*laboratory, question)) subject {
	s.otherFormula = otherFormula
	s.judge = judge
	return s
}

func judgeExplained(l *laboratory, q question) {
	m := q.own.median()
	over := m.Seconds / q.counting.median().Seconds
	each := float64(m.Peak) / float64(m.Transitions)
	inMemory := each <= 40
	found := outcomes{
		inSeconds: m.Seconds <= 3 && inMemory,
		byRatio:   over <= 40 && inMemory,
	}
	l.judgeBoth(found, target{
		work:     "`inev explain`, " + q.name,
		wanted:   "≤ 3 s, ≤ 40 × counting lines, ≤ 40 bytes a transition",
		measured: fmt.Sprintf("%s, %s, %s bytes", seconds(m.Seconds), times(over), digits(each)),
	})
	fairly := m.Seconds / q.unassumed.median().Seconds
	l.judge(fairly <= 1.6, target{
		work:     "assumptions in `inev explain`, " + q.name,
		wanted:   "≤ 1.6 × `inev explain --no-fairness`",
		measured: times(fairly),
	})
}

func judgeResponse(l *laboratory, q question) {
	over := q.own.best() / q.other.best()
	l.judge(over <= 2.5, target{
		work:     q.own.name,
		wanted:   "≤ 2.5 × `" + q.otherFormula + "`",
		measured: times(over),
	})
}

// judgeTable compares a property that is an automaton with a chain that needs as much of the model.
func judgeTable(l *laboratory, q question) {
	over := q.own.best() / q.other.best()
	each := float64(q.own.median().Peak) / float64(q.model.transitions)
	l.judge(over <= 3 && each <= 24, target{
		work:     q.own.name,
		wanted:   "≤ 3 × `" + q.otherFormula + "`, ≤ 24 bytes a transition",
		measured: fmt.Sprintf("%s, %s bytes", times(over), digits(each)),
	})
}

// judgeLarge judges the memory of a check of a large model and, if mCRL2 is there, its time.
func judgeLarge(l *laboratory, q question) {
	m := q.own.median()
	wanted := "≤ 1 GB"
	measured := size(float64(m.Peak))
	met := m.Peak <= 1e9
	if peer, name := q.peer(); name != "" {
		wanted += ", ≤ 1/5 of mCRL2's fastest route"
		measured += fmt.Sprintf(", 1/%s", digits(peer.Seconds/m.Seconds))
		met = met && m.Seconds <= peer.Seconds/5
	}
	l.judge(met, target{
		work:     "`inev check`, " + grouped(m.Transitions) + " transitions in one component",
		wanted:   wanted,
		measured: measured,
	})
}

// wholeRuns measures the command on models of all kinds, next to mCRL2's tools, and returns two
// tables: of the results, and of the phases.
func (l *laboratory) wholeRuns(ctx context.Context) (runs, phases string, err error) {
	subjects, err := l.subjects(ctx)
	if err != nil {
		return "", "", err
	}
	all := questionTable()
	parts := newTable("", "read", "components", "enrich", "classify", "search", "fairness",
		"explain", "process besides")
	for _, s := range subjects {
		f, err := l.model(ctx, s.spec, "")
		if err != nil {
			return "", "", err
		}
		q, err := l.ask(ctx, s, f)
		if err != nil {
			return "", "", err
		}
		q.addTo(all)
		parts.add(phaseCells(q.own, parts.head[1:len(parts.head)-1])...)
		if s.judge != nil {
			s.judge(l, q)
		}
	}
	return all.String(), parts.String(), nil
}

// questionTable returns a table for the rows of questions.
func questionTable() *table {
	return newTable("", "transitions", "states", "verdict", "median", "best", "÷ counting",
		"peak", "a transition")
}

// addTo adds the rows of a question to a table.
func (q question) addTo(t *table) {
	base := q.counting.median()
	for _, w := range []*work{q.own, q.unassumed, q.direct, q.fastest} {
		if w == nil {
			continue
		}
		m := w.median()
		t.add(append([]string{w.name, grouped(q.model.transitions), grouped(q.model.states), verdict(m)},
			append(w.timeCells(), times(m.Seconds/base.Seconds), size(float64(m.Peak)),
				bytesEach(m.Peak, q.model.transitions))...)...)
	}
}

// peer returns the fastest of the measured routes of mCRL2 with its name, which is "" if none
// answered.
func (q question) peer() (fastest sample, name string) {
	for _, w := range []*work{q.direct, q.fastest} {
		if w == nil || !w.median().answered() {
			continue
		}
		m := w.median()
		if name == "" || m.Seconds < fastest.Seconds {
			fastest, name = m, w.name
		}
	}
	return fastest, name
}

// ask measures one subject with the model f.
func (l *laboratory) ask(ctx context.Context, s subject, f file) (question, error) {
	formula := s.formula
	if formula == "" {
		formula = f.formula
	}
	// The formula, in backquotes, must have no bar, which would end the cell.
	name := fmt.Sprintf("%s, `%s`", s.name, strings.ReplaceAll(formula, `"`, ""))
	q := question{
		subject:  s,
		model:    f,
		counting: l.task("counting lines", task{Do: "count", Path: f.path}),
	}
	q.own = l.command("`inev "+s.command+"`, "+name, s.command, f, formula)
	rows := []*work{q.counting, q.own}
	if s.command == "explain" && s.judge != nil {
		q.unassumed = l.command("`inev explain --no-fairness`, "+name, "explain --no-fairness",
			f, formula)
		rows = append(rows, q.unassumed)
	}
	if s.otherFormula != "" {
		q.other = l.command("`inev "+s.command+"`, "+s.otherFormula, s.command, f, s.otherFormula)
		rows = append(rows, q.other)
	}
	if s.peers == allRoutes && l.peers.solves() {
		q.direct = l.peerDirectly(f, formula)
		rows = append(rows, q.direct)
	}
	if s.peers != noRoute && l.peers.has("ltsconvert") {
		q.fastest = l.fastest(f, formula)
		rows = append(rows, q.fastest)
	}
	if err := l.measure(ctx, l.runs, rows); err != nil {
		return q, err
	}
	for _, w := range rows[2:] {
		m := w.median()
		if m.answered() && !m.Silent && m.Holds != q.own.median().Holds {
			return q, fmt.Errorf("%s and %s do not agree", q.own.name, w.name)
		}
	}
	return q, nil
}

// fastest returns a row for mCRL2's fastest route, or for the steps of this route that are
// installed.
func (l *laboratory) fastest(f file, formula string) *work {
	if l.peers.solves() {
		return l.peerByReduction(f, formula)
	}
	return l.peerReduction(f, formula)
}

func verdict(s sample) string {
	switch {
	case !s.answered() || s.Silent:
		return ""
	case s.Holds:
		return "holds"
	case s.Length > 0:
		return fmt.Sprintf("violated, %d", s.Length)
	}
	return "violated"
}

// phaseCells returns how the time of a run was spent.
func phaseCells(w *work, names []string) []string {
	m := w.median()
	cells := []string{w.name}
	rest := m.Seconds
	for _, name := range names {
		cell := ""
		for _, p := range m.Phases {
			if p.Name == name {
				cell = seconds(p.Seconds)
				rest -= p.Seconds
			}
		}
		cells = append(cells, cell)
	}
	return append(cells, seconds(max(rest, 0)))
}

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

// comparison has two rows; the second row sets the limit for the first row.
type comparison struct {
	model generate.Spec
	rows  func(f file) []*work
	judge func(f file, rows []*work)
}

// compareWithLimits measures some work in turn with the work that limits it.
func (l *laboratory) compareWithLimits(ctx context.Context) (string, error) {
	all, err := l.comparisons(ctx)
	if err != nil {
		return "", err
	}
	t := newTable("", "transitions", "median", "best", "÷ the row before", "peak",
		"a transition")
	for _, c := range all {
		f, err := l.model(ctx, c.model, "")
		if err != nil {
			return "", err
		}
		rows := c.rows(f)
		if err := l.measure(ctx, l.runs, rows); err != nil {
			return "", err
		}
		for i, w := range rows {
			m := w.median()
			over := "" // the first row has no row before
			if i > 0 {
				over = times(m.Seconds / rows[i-1].median().Seconds)
			}
			t.add(append([]string{w.name, grouped(m.Transitions)},
				append(w.timeCells(), over, size(float64(m.Peak)),
					bytesEach(m.Peak, m.Transitions))...)...)
		}
		c.judge(f, rows)
	}
	return t.String(), nil
}

// comparisons returns the measurements on other models than the large one: each names its model, the runs on it, and
// how they are judged.
func (l *laboratory) comparisons(ctx context.Context) ([]comparison, error) {
	n := l.reference()
	dozen, err := l.dining(ctx, n*13/10)
	if err != nil {
		return nil, err
	}
	fewer := dozen
	fewer.Processes--
	return []comparison{
		{
			model: local(n),
			rows:  l.rowsAboutHolding,
			judge: l.judgeHolding,
		},
		{
			model: cycle(n / 10),
			rows:  l.rowsAboutRecurring("FG !ACTION_NO_1"),
			judge: l.judgeRecurring,
		},
		{
			model: cycle(n / 10),
			rows:  l.rowsAboutRecurring("GF ABSENT"),
			judge: l.judgeRecurring,
		},
		{
			model: farComponent(n),
			rows:  l.rowOfPlainExplain("component, targets anywhere"),
			judge: l.judgeByLimits(limits{seconds: 2.5, bytesPerTransition: 22}),
		},
		{
			model: far(n),
			rows:  l.rowOfPlainExplain("targets anywhere"),
			judge: l.judgeByLimits(limits{seconds: 2.5, bytesPerTransition: 22}),
		},
		{
			model: dozen,
			rows:  l.rowsOfPhilosophers(dozen.Processes),
			judge: l.judgeByLimits(limits{seconds: 1.3, peer: 23 / 1.3}),
		},
		{
			model: fewer,
			rows:  l.rowsOfQuotient(fewer.Processes),
			judge: l.judgeByLimits(limits{seconds: 1.6, bytes: 200e6, peer: 3}),
		},
	}, nil
}

// somebodyEats is the formula about the models of philosophers. In generated labels the gate is a part
// of the name.
const somebodyEats = "Inev(EAT_NO_*)"

// rowOfPlainExplain returns the row of an explanation without advice, for the formula of the model.
func (l *laboratory) rowOfPlainExplain(about string) func(f file) []*work {
	return func(f file) []*work {
		return []*work{l.command("`inev "+plainExplain+"`, "+about, plainExplain, f, f.formula)}
	}
}

// rowsOfPhilosophers returns the rows of an explanation without advice and of mCRL2's tools.
func (l *laboratory) rowsOfPhilosophers(philosophers int) func(f file) []*work {
	name := fmt.Sprintf("`inev %s`, %d philosophers", plainExplain, philosophers)
	return func(f file) []*work {
		own := l.command(name, plainExplain, f, somebodyEats)
		return l.withPeer(own, f, somebodyEats)
	}
}

// rowsOfQuotient returns the rows of a picture of the quotient and of mCRL2's reduction.
func (l *laboratory) rowsOfQuotient(philosophers int) func(f file) []*work {
	name := fmt.Sprintf("`inev diagram --view quotient`, %d philosophers", philosophers)
	return func(f file) []*work {
		own := l.run(name, nil, "diagram", f.path, somebodyEats, "--view", "quotient",
			"-o", filepath.Join(l.folder, "quotient.dot"), "--no-progress", "--quiet")
		rows := []*work{withSize(own, f)}
		if l.peers.has("ltsconvert") {
			rows = append(rows, l.peerReduction(f, somebodyEats))
		}
		return rows
	}
}

// withSize makes a row report the size of its model.
func withSize(w *work, f file) *work {
	run := w.run
	w.run = func(ctx context.Context) (sample, error) {
		s, err := run(ctx)
		s.Transitions = f.transitions
		return s, err
	}
	return w
}

// withPeer adds the row of mCRL2's tools, if there is one.
func (l *laboratory) withPeer(own *work, f file, formula string) []*work {
	if !l.peers.has("ltsconvert") {
		return []*work{own}
	}
	return []*work{own, l.fastest(f, formula)}
}

// rowsAboutHolding are the rows about a property that holds.
func (l *laboratory) rowsAboutHolding(f file) []*work {
	const formula = "Inev(BACK)"
	explain := l.command("`inev "+plainExplain+"`, reference model, holds", plainExplain, f,
		formula)
	return append([]*work{explain},
		l.withPeer(l.command("`inev check`, reference model, holds", "check", f, formula), f,
			formula)...)
}

// rowsAboutRecurring returns the rows about a property that something recurs, on one long cycle.
func (l *laboratory) rowsAboutRecurring(formula string) func(f file) []*work {
	return func(f file) []*work {
		info := l.run("`inev info`, cycle", nil, "info", f.path, "--no-progress")
		return []*work{
			withSize(info, f),
			l.command("`inev check`, cycle, `"+formula+"`", "check --allow-unmatched --quiet",
				f, formula),
		}
	}
}

func (l *laboratory) judgeRecurring(_ file, rows []*work) {
	info := rows[0].median().Seconds
	took := rows[1].median().Seconds
	l.judge(took <= 3*info+0.05, target{
		work:     rows[1].name,
		wanted:   "≤ 3 × `inev info` + 50 ms",
		measured: seconds(took) + ", " + times(took/info),
	})
}

// judgeHolding judges the runs about a property that holds.
func (l *laboratory) judgeHolding(f file, rows []*work) {
	explain := rows[0].median()
	check := rows[1].median()
	over := check.Seconds / explain.Seconds
	l.judge(over <= 0.6 && check.Peak <= 200e6, target{
		work:     rows[1].name,
		wanted:   "≤ 0.6 × `inev explain`, ≤ 200 MB",
		measured: times(over) + ", " + size(float64(check.Peak)),
	})
	each := func(s sample) float64 {
		return float64(s.Peak) / float64(f.transitions)
	}
	l.judge(each(check) <= 8 && each(explain) <= 22, target{
		work:     "memory of `inev check` and `inev explain`, reference model",
		wanted:   "≤ 8 and ≤ 22 bytes a transition",
		measured: digits(each(check)) + " and " + digits(each(explain)) + " bytes",
	})
	if len(rows) > 2 && rows[2].median().answered() {
		over := rows[2].median().Seconds / check.Seconds
		l.judge(over >= 8, target{
			work:     rows[1].name,
			wanted:   "≤ 1/8 of " + rows[2].name,
			measured: "1/" + digits(over),
		})
	}
}

// limits are the targets of a row; 0 means that there is no target.
type limits struct {
	seconds float64
	bytes   float64
	// bytesPerTransition is the memory, in bytes, for each transition.
	bytesPerTransition float64
	// peer is the limit of the time as a multiple of the time in mCRL2's row, which follows this
	// row.
	peer float64
}

// judgeByLimits returns a function that judges the first row by limits.
func (l *laboratory) judgeByLimits(most limits) func(file, []*work) {
	return func(f file, rows []*work) {
		m := rows[0].median()
		peak := float64(m.Peak)
		wanted := "≤ " + seconds(most.seconds)
		measured := fmt.Sprintf("%s, %s, %s", seconds(m.Seconds), size(peak),
			bytesEach(m.Peak, f.transitions))
		inMemory := true
		if most.bytes > 0 {
			wanted += ", ≤ " + size(most.bytes)
			inMemory = peak <= most.bytes
		}
		if most.bytesPerTransition > 0 {
			wanted += ", ≤ " + digits(most.bytesPerTransition) + " bytes a transition"
			inMemory = inMemory && peak/float64(f.transitions) <= most.bytesPerTransition
		}
		inSeconds := inMemory && m.Seconds <= most.seconds
		byRatio := inSeconds
		hasPeer := most.peer > 0 && len(rows) > 1 && rows[1].median().answered()
		if hasPeer {
			ratio := rows[1].median().Seconds / m.Seconds
			wanted += fmt.Sprintf(", ≤ 1/%s of %s", digits(most.peer), rows[1].name)
			measured += ", 1/" + digits(ratio)
			byRatio = inMemory && ratio >= most.peer
		}
		l.judgeBoth(outcomes{inSeconds: inSeconds, byRatio: byRatio}, target{
			work:     rows[0].name,
			wanted:   wanted,
			measured: measured,
		})
	}
}

// measureGrowth measures how much more time larger models take, next to a plain search through them.
func (l *laboratory) measureGrowth(ctx context.Context) (string, error) {
	n := l.reference()
	t := newTable("", "from", "to", "median", "median", "times")
	for _, c := range []struct {
		what, command string
		spec          func(int) generate.Spec
		from, to      int
		most          float64
	}{
		{"layers", "check", layers, n / 10, n, 12},
		{"component (`scc`), targets anywhere", plainExplain, farComponent, n, 3 * n, 4},
		{"`random`, targets anywhere", plainExplain, far, n, 3 * n, 4},
	} {
		from, err := l.model(ctx, c.spec(c.from), "")
		if err != nil {
			return "", err
		}
		to, err := l.model(ctx, c.spec(c.to), "")
		if err != nil {
			return "", err
		}
		name := "`inev " + c.command + "`, " + c.what
		searched := "a breadth-first search, " + c.what
		own := growth{
			from: l.command(name, c.command, from, from.formula),
			to:   l.command(name, c.command, to, to.formula),
		}
		plain := growth{
			from: l.task(searched, task{Do: "visit", Path: from.path}),
			to:   l.task(searched, task{Do: "visit", Path: to.path}),
		}
		isLong := c.to > n
		own.to.once = isLong
		plain.to.once = isLong
		if err := l.measure(ctx, l.runs, []*work{own.from, own.to, plain.from, plain.to}); err != nil {
			return "", err
		}
		for _, g := range []growth{own, plain} {
			t.add(g.from.name, grouped(from.transitions), grouped(to.transitions),
				seconds(g.from.median().Seconds), seconds(g.to.median().Seconds), times(g.factor()))
		}
		subject := fmt.Sprintf("%s, from %s to %s transitions", name, grouped(from.transitions),
			grouped(to.transitions))
		measured := fmt.Sprintf("%s, a breadth-first search %s", times(own.factor()), times(plain.factor()))
		l.judge(own.factor() <= c.most, target{
			work:     subject,
			wanted:   "≤ " + digits(c.most) + " × the time",
			measured: measured,
		})
	}
	return t.String(), nil
}

// growth is the work on a model and on a larger one.
type growth struct{ from, to *work }

// factor returns how many times as much time the larger model takes.
func (g growth) factor() float64 { return g.to.median().Seconds / g.from.median().Seconds }

// piped measures the check of a model that is generated at the same time and is never on a disk.
func (l *laboratory) piped(ctx context.Context) (string, error) {
	w, err := l.fromPipe(ctx, "check", local(l.pipe))
	if err != nil {
		return "", err
	}
	w.name = "`inev generate` to `inev check`"
	m := w.median()
	m.Seconds = m.Elapsed
	t := newTable("", "transitions", "verdict", "elapsed", "peak", "a transition")
	t.add(w.name, grouped(m.Transitions), verdict(m), seconds(m.Seconds), size(float64(m.Peak)),
		bytesEach(m.Peak, m.Transitions))
	l.judgePiped(m, "")
	return t.String(), nil
}

// judgePiped judges the check of a model from a pipe.
func (l *laboratory) judgePiped(m sample, where string) {
	l.judge(m.Seconds <= 240 && m.Peak <= 10e9, target{
		work:     "`inev generate` to `inev check`, " + grouped(m.Transitions) + " transitions",
		wanted:   "≤ 4 minutes, ≤ 10 GB",
		measured: seconds(m.Seconds) + ", " + size(float64(m.Peak)) + where,
	})
}

// comparedRun is a run of inev, with another run on the same model for comparison.
type comparedRun struct {
	f file
	// name is the question, as a command; about describes the model, or says what is special.
	name, about string
	// command and yardstick are the arguments of the two runs, and yardstickName names the other one.
	yardstickName      string
	command, yardstick []string
	judge              func(own, yardstick sample) // nil if there is no target
}

// questions measures rarer questions than whether a property holds: each row next to a run that
// reads the same model and does less. The result is processor time, since on most machines other
// programs share the processors.
func (l *laboratory) questions(ctx context.Context) (string, error) {
	all, err := l.comparedRuns(ctx)
	if err != nil {
		return "", err
	}
	t := newTable("", "transitions", "processor", "next to", "processor", "ratio",
		"peak a transition")
	for _, a := range all {
		rows := []*work{l.run(a.name, nil, a.command...), l.run(a.yardstickName, nil, a.yardstick...)}
		if err := l.measure(ctx, l.runs, rows); err != nil {
			return "", err
		}
		own := rows[0].leastProcessor()
		yardstick := rows[1].leastProcessor()
		t.add("`inev "+a.name+"`, "+a.about, grouped(a.f.transitions), seconds(own.Processor),
			"`inev "+a.yardstickName+"`", seconds(yardstick.Processor),
			times(own.Processor/yardstick.Processor), bytesEach(own.Peak, a.f.transitions))
		if a.judge != nil {
			a.judge(own, yardstick)
		}
	}
	return t.String(), nil
}

// leastProcessor returns the run with the least processor time.
func (w *work) leastProcessor() sample {
	least := w.samples[0]
	for _, s := range w.samples[1:] {
		if s.Processor < least.Processor {
			least = s
		}
	}
	return least
}

// owners are the lanes of a table of philosophers: the numbers in their labels.
const owners = `/_NO_([0-9]+)/`

// comparedModels are the models of [laboratory.comparedRuns].
type comparedModels struct {
	dining       file
	philosophers int // the number of philosophers in dining
	reference    file
	shuffled     file // the reference model with its states in another order
	small        file // a reference model for which inev still searches for the slowest run
	hub          file
}

// comparedModels generates the models.
func (l *laboratory) comparedModels(ctx context.Context) (models comparedModels, err error) {
	n := l.reference() / 10
	table, err := l.dining(ctx, n/3)
	if err != nil {
		return models, err
	}
	table.Asymmetric = true
	models.philosophers = table.Processes
	shuffled := local(n)
	shuffled.Shuffle = true
	for _, wanted := range []struct {
		model *file
		spec  generate.Spec
	}{
		{&models.dining, table},
		{&models.reference, local(n)},
		{&models.shuffled, shuffled},
		{&models.small, local(n / 10)},
	} {
		*wanted.model, err = l.model(ctx, wanted.spec, "")
		if err != nil {
			return models, err
		}
	}
	h := hub(n)
	models.hub = file{
		path:        filepath.Join(l.folder, "hub.aut"),
		states:      int64(h.states),
		transitions: h.transitions,
	}
	_, err = l.runTask(ctx, task{
		Do:          "shape",
		Path:        models.hub.path,
		Shape:       len(shapes(n)),
		Transitions: n,
	})
	return models, err
}

// asking returns the words of a command about a model. What it asks for is a formula or another model.
func asking(command string, f file, what string, options ...string) []string {
	return slices.Concat([]string{command, f.path, what}, options, []string{"--no-progress", "--quiet"})
}

// comparedRuns returns runs of commands, each with a cheaper run of the same model beside which it is judged.
func (l *laboratory) comparedRuns(ctx context.Context) ([]comparedRun, error) {
	models, err := l.comparedModels(ctx)
	if err != nil {
		return nil, err
	}
	return slices.Concat(
		models.runsOfDining(),
		[]comparedRun{{
			f:             models.hub,
			name:          "check 'Response(y; x)'",
			about:         "hub",
			yardstickName: "check 'Inev(x)'",
			command:       asking("check", models.hub, "Response(y; x)"),
			yardstick:     asking("check", models.hub, "Inev(x)"),
			judge:         l.judgeHub,
		}},
		models.runsOfReference(),
		[]comparedRun{{
			f:             models.small,
			name:          "explain",
			about:         "a property that holds, with bounds",
			yardstickName: "explain --no-holds",
			command:       asking("explain", models.small, "Inev(BACK)"),
			yardstick:     asking("explain", models.small, "Inev(BACK)", "--no-holds"),
		}},
	), nil
}

// runsOfDining returns the runs on the table of philosophers.
func (m *comparedModels) runsOfDining() []comparedRun {
	const eats = "Inev(EAT_NO_0)"
	about := fmt.Sprintf("%d philosophers", m.philosophers)
	return []comparedRun{
		{
			f:             m.dining,
			name:          "repair --by-owner",
			about:         about,
			yardstickName: plainExplain,
			command:       asking("repair", m.dining, eats, "--by-owner", "--lanes", owners),
			yardstick:     asking("explain", m.dining, eats, "--no-fairness", "--no-advice"),
		},
		{
			f:             m.dining,
			name:          "check --fair just",
			about:         about,
			yardstickName: "check",
			command:       asking("check", m.dining, eats, "--fair", "just", "--lanes", owners),
			yardstick:     asking("check", m.dining, eats),
		},
	}
}

// runsOfReference returns the runs on the reference model.
func (m *comparedModels) runsOfReference() []comparedRun {
	const (
		steps    = "Inev(BACK, ACTION_NO_0)"
		internal = "ACTION_NO_1"
	)
	info := []string{"info", m.reference.path, "--no-progress"}
	return []comparedRun{
		{
			f:             m.reference,
			name:          "explain --faults",
			about:         "reference model",
			yardstickName: plainExplain,
			command: asking("explain", m.reference, steps,
				"--no-fairness", "--no-advice", "--faults", "ACTION_NO_1"),
			yardstick: asking("explain", m.reference, steps, "--no-fairness", "--no-advice"),
		},
		{
			f:             m.reference,
			name:          "compare",
			about:         "states in another order",
			yardstickName: "info",
			command:       asking("compare", m.reference, m.shuffled.path),
			yardstick:     info,
		},
		{
			f:             m.reference,
			name:          "compare --by branching",
			about:         "states in another order",
			yardstickName: "compare",
			command: asking("compare", m.reference, m.shuffled.path,
				"--by", "branching", "--internal", internal),
			yardstick: asking("compare", m.reference, m.shuffled.path),
		},
		{
			f:             m.reference,
			name:          "info --internal",
			about:         "divergence",
			yardstickName: "info",
			command:       []string{"info", m.reference.path, "--internal", internal, "--no-progress"},
			yardstick:     info,
		},
	}
}

// judgeHub compares a property whose automaton is no chain with a chain.
func (l *laboratory) judgeHub(own, yardstick sample) {
	over := own.Processor / yardstick.Processor
	l.judge(over <= 3, target{
		work:     "`inev check`, hub, `Response(y; x)`",
		wanted:   "≤ 3 × `Inev(x)`",
		measured: times(over),
	})
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

// readings are the rows that read the reference model.
type readings struct {
	counting *work // counts the lines of the file
	// These read the file in its plain form: with all cores, and with one worker.
	onAllCores, byOneWorker *work
	shuffled                *work // all cores, the sources are in random order
	gzip, zstd              *work // all cores, the file is compressed
	peer                    *work // mCRL2's reader; nil if it is not installed
}

// all returns the rows in the order of their table.
func (r *readings) all() []*work {
	all := []*work{r.counting, r.onAllCores, r.byOneWorker, r.shuffled, r.gzip, r.zstd}
	if r.peer != nil {
		all = append(all, r.peer)
	}
	return all
}

// reading measures the reader on the reference model.
func (l *laboratory) reading(ctx context.Context) (string, error) {
	plain, err := l.model(ctx, local(l.reference()), "")
	if err != nil {
		return "", err
	}
	rows, err := l.readings(ctx, plain)
	if err != nil {
		return "", err
	}
	if err := l.measure(ctx, l.runs, rows.all()); err != nil {
		return "", err
	}
	l.judgeReading(rows, plain)
	return fmt.Sprintf("The reference model: %s transitions, %s states, %d bytes a line. Counting lines reads the\n"+
		"file as `wc -l` does, 1 MiB at a time.\n\n%s", grouped(plain.transitions), grouped(plain.states), plain.bytes/plain.transitions, rows.table(plain)), nil
}

// readings returns the rows that read the reference model, which is given in its plain form.
func (l *laboratory) readings(ctx context.Context, plain file) (*readings, error) {
	rows := &readings{
		counting:    l.task("counting lines", task{Do: "count", Path: plain.path}),
		onAllCores:  l.task("all cores", task{Do: "read", Path: plain.path}),
		byOneWorker: l.task("one worker", task{Do: "read", Path: plain.path, Workers: 1}),
	}
	reference := local(l.reference())
	shuffled := reference
	shuffled.Shuffle = true
	for _, other := range []struct {
		row    **work
		name   string
		spec   generate.Spec
		suffix string
	}{
		{row: &rows.shuffled, name: "all cores, sources in random order", spec: shuffled},
		{row: &rows.gzip, name: "all cores, gzip", spec: reference, suffix: ".gz"},
		{row: &rows.zstd, name: "all cores, zstd", spec: reference, suffix: ".zst"},
	} {
		f, err := l.model(ctx, other.spec, other.suffix)
		if err != nil {
			return nil, err
		}
		*other.row = l.task(other.name, task{Do: "read", Path: f.path})
	}
	if l.peers.has("ltsinfo") {
		rows.peer = l.peerRead(plain)
	}
	return rows, nil
}

// table returns the measured rows as a table.
func (r *readings) table(plain file) *table {
	t := newTable("", "median", "best", "transitions", "text", "÷ counting",
		"peak a transition", "allocations")
	for _, w := range r.all() {
		m := w.median()
		allocations := ""
		if w != r.counting && m.Allocations > 0 {
			allocations = grouped(m.Allocations)
		}
		textPerSecond := size(float64(plain.bytes)/m.Seconds) + "/s"
		overCounting := times(m.Seconds / r.counting.median().Seconds)
		t.add(slices.Concat([]string{w.name}, w.timeCells(), []string{
			rate(plain.transitions, m.Seconds),
			textPerSecond,
			overCounting,
			bytesEach(m.Peak, plain.transitions),
			allocations,
		})...)
	}
	return t
}

// judgeReading judges the speed and the memory of the reader.
func (l *laboratory) judgeReading(rows *readings, plain file) {
	millionsPerSecond := func(w *work) float64 {
		return float64(plain.transitions) / w.median().Seconds / 1e6
	}
	ascending := millionsPerSecond(rows.onAllCores)
	l.judge(ascending >= 30, target{
		work:     "reading, sources ascend",
		wanted:   "≥ 30 M transitions/s on two cores",
		measured: digits(ascending) + " M/s",
	})
	inRandomOrder := millionsPerSecond(rows.shuffled)
	l.judge(inRandomOrder >= 8, target{
		work:     "reading, sources in random order",
		wanted:   "≥ 8 M transitions/s on two cores",
		measured: digits(inRandomOrder) + " M/s",
	})
	each := float64(rows.onAllCores.median().Peak) / float64(plain.transitions)
	l.judge(each <= 12, target{
		work:     "memory for reading, sources ascend",
		wanted:   "≤ 12 bytes a transition",
		measured: digits(each) + " bytes, the whole process at its peak",
	})
}

func bytesEach(bytes, n int64) string {
	if bytes == 0 || n == 0 {
		return ""
	}
	return digits(float64(bytes)/float64(n)) + " bytes"
}

// resultBytes is the memory of the components themselves for each state, if every state is a
// component of its own: its number, its index in the list, the beginning of the component in the
// list, its depth, and whether it has a cycle.
const resultBytes = 4 + 4 + 4 + 4 + 1

// componentsCase is a random graph whose components are measured.
type componentsCase struct {
	spec generate.Spec
	// measuresGonum reports whether gonum's engine is measured, too, which needs more memory.
	measuresGonum bool
	// pearceThen is the time, in seconds, that Pearce's algorithm took on the day when the target was set.
	pearceThen float64
}

// components measures the engines on random graphs, next to a search of the same model and Pearce's
// algorithm alone.
func (l *laboratory) components(ctx context.Context) (string, error) {
	t := newTable("", "states", "median", "best", "÷ states reached", "÷ Pearce",
		"allocated a state")
	for _, c := range []componentsCase{
		{spec: far(3 * l.reference() / 10), measuresGonum: true, pearceThen: 0.144},
		{spec: far(3 * l.reference()), pearceThen: 3.3},
	} {
		if err := l.addComponents(ctx, t, c); err != nil {
			return "", err
		}
	}
	return t.String(), nil
}

// addComponents measures one graph, adds its rows to a table, and judges inev's own engine.
func (l *laboratory) addComponents(ctx context.Context, t *table, c componentsCase) error {
	reached := l.task("states reached", task{Do: "reach", Spec: c.spec})
	pearce := l.task("Pearce's algorithm alone", task{Do: "plain components", Spec: c.spec})
	own := l.task("iterative", task{Do: "components", Spec: c.spec, Engine: "iterative"})
	rows := []*work{reached, pearce, own}
	if c.measuresGonum {
		gonum := l.task("gonum", task{Do: "components", Spec: c.spec, Engine: "gonum"})
		rows = append(rows, gonum)
	}
	if err := l.measure(ctx, l.runs, rows); err != nil {
		return err
	}
	states := int64(c.spec.States)
	for _, w := range rows {
		m := w.median()
		overReached := times(m.Seconds / reached.median().Seconds)
		overPearce := times(m.Seconds / pearce.median().Seconds)
		t.add(slices.Concat([]string{w.name, grouped(states)}, w.timeCells(),
			[]string{overReached, overPearce, bytesEach(m.Bytes, states)})...)
	}
	m := own.median()
	over := m.Seconds / pearce.median().Seconds
	each := float64(m.Bytes) / float64(states)
	l.judge(over <= 1.2 && each <= 1.2*12+resultBytes, target{
		work:     "components, " + grouped(states) + " states, random",
		wanted:   fmt.Sprintf("≤ 1.2 × Pearce's algorithm (≤ %s where that took %s), ≤ 14.4 bytes a state beside the result", seconds(1.2*c.pearceThen), seconds(c.pearceThen)),
		measured: fmt.Sprintf("%s, %s, %s bytes with a result of up to %d", times(over), seconds(m.Seconds), digits(each), resultBytes),
	})
	return nil
}

// passes measures the passes for prefixes and suffixes, with both queues.
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
		for _, q := range []enrich.Queue{"buckets", "heap"} {
			rows = append(rows, l.task(m.name+", "+q.String(), task{
				Do:      "enrich",
				Path:    f.path,
				Formula: f.formula,
				Queue:   q,
			}))
		}
	}
	if err := l.measure(ctx, l.runs, rows); err != nil {
		return "", err
	}
	t := newTable("", "median", "best", "÷ buckets", "allocated a state")
	for i, w := range rows {
		m := w.median()
		t.add(append([]string{w.name},
			append(w.timeCells(), times(m.Seconds/rows[i/2*2].median().Seconds),
				bytesEach(m.Bytes, int64(l.reference()/3)))...)...)
	}
	for _, w := range []*work{rows[0], rows[2]} {
		m := w.median()
		l.judge(m.Seconds <= 0.5, target{
			work:     "common prefixes, " + w.name,
			wanted:   "≤ 500 ms",
			measured: seconds(m.Seconds) + " for all four values",
		})
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
			rows = append(rows, l.task("search "+name, task{
				Do:        "search",
				Spec:      s,
				Formula:   `Inev("ACTION !1", "ACTION !2")`,
				Algorithm: name,
				Limit:     10,
			}))
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
	throughput := func(w *work) float64 {
		m := w.median()
		return float64(m.Bytes) / m.Seconds
	}
	for _, w := range rows {
		m := w.median()
		t.add(append([]string{w.name},
			append(w.timeCells(), rate(m.Transitions, m.Seconds), size(throughput(w))+"/s")...)...)
		if throughput(w) < throughput(slowest) {
			slowest = w
		}
	}
	l.judge(throughput(slowest) >= 200e6, target{
		work:     "generating models",
		wanted:   "≥ 200 MB/s",
		measured: size(throughput(slowest)) + "/s, the slowest: " + slowest.name,
	})
	return t.String(), nil
}

// emptyProgram builds a program that does nothing: its time is that of starting any program.
func (l *laboratory) emptyProgram(ctx context.Context) (string, error) {
	source := filepath.Join(l.folder, "empty.go")
	program := filepath.Join(l.folder, "empty")
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

// Times of starting inev and of explaining a small model without advice, as multiples of the time
// of an empty program, for the version on the day of the targets. They were measured later, both in
// the same run.
const (
	versionThen = 5.1
	explainThen = 5.9
)

// smallModel measures the least time that a run takes.
func (l *laboratory) smallModel(ctx context.Context) (string, error) {
	f, err := l.model(ctx, generate.Spec{Kind: "scc", States: 50, Degree: 2}, "")
	if err != nil {
		return "", err
	}
	program, err := l.emptyProgram(ctx)
	if err != nil {
		return "", err
	}
	empty := startOf("a Go program that does nothing", program)
	version := startOf("`inev --version`", l.inev, "--version")
	plain := l.command("`inev "+plainExplain+"`", plainExplain, f, f.formula)
	explain := l.command("`inev explain`", "explain", f, f.formula)
	rows := []*work{
		empty,
		version,
		l.command("`inev check`", "check", f, f.formula),
		plain,
		explain,
	}
	if err := l.measure(ctx, l.smallRuns, rows); err != nil {
		return "", err
	}
	t := newTable("", "median", "best", "÷ `inev --version`")
	for _, w := range rows {
		t.add(append([]string{w.name},
			append(w.timeCells(), times(w.median().Seconds/version.median().Seconds))...)...)
	}
	took := explain.median().Seconds
	l.judge(took <= 0.015, target{
		work:     fmt.Sprintf("`inev explain` of %d transitions, whole process", f.transitions),
		wanted:   "≤ 15 ms",
		measured: seconds(took),
	})
	l.judgeUnchanged(version, empty, 0.0044, versionThen)
	l.judgeUnchanged(plain, empty, 0.0054, explainThen)
	return fmt.Sprintf("A model of %d transitions, the median of %d runs.\n\n%s", f.transitions,
		l.smallRuns, t), nil
}

// startOf returns a row for the time in which a program starts and ends.
func startOf(name, program string, arguments ...string) *work {
	return &work{
		name: name,
		run: func(ctx context.Context) (sample, error) {
			p, err := runProgram(ctx, 0, nil, program, arguments...)
			return sample{Seconds: p.seconds}, err
		},
	}
}

// judgeUnchanged judges whether a small piece of work takes no more than on the day of the targets, both in
// seconds and in comparison with an empty program, with an allowance of a tenth for the clock.
func (l *laboratory) judgeUnchanged(w, base *work, then, ratioThen float64) {
	const clock = 1.1
	took := w.median().Seconds
	over := took / base.median().Seconds
	most := clock * then
	mostRatio := clock * ratioThen
	l.judgeBoth(outcomes{inSeconds: took <= most, byRatio: over <= mostRatio}, target{
		work: w.name,
		wanted: fmt.Sprintf("as when the target was set, + 10 %%: ≤ %s, ≤ %s %s",
			seconds(most), times(mostRatio), base.name),
		measured: seconds(took) + ", " + times(over),
	})
}

// shape is a model on which the search for a shortest counterexample has much work: no label does
// the step, and there are no short loops.
type shape struct {
	name        string
	states      int
	transitions int64
	// transitionsOf makes a function that yields the transitions of all states, one state after the
	// other.
	transitionsOf func() func(state int) []int
	// formulas are the properties to be checked; chainOfNone if there are none.
	formulas []string
	// mostSeconds is the largest time for a check, in seconds; 0 means mostTimesInfo times the time of
	// inev info, plus 50 ms.
	mostSeconds float64
	// mostTimesInfo is a multiple of the time of inev info; 0 means 3.
	mostTimesInfo float64
	// peers reports whether mCRL2 reduces the model, too.
	peers bool
}

// ringLayers is the number of layers of rings.
const ringLayers = 100

// ring returns a tail and layers of states; each state has two transitions to the next layer, and
// the last layer leads to the first.
func ring(name string, layers, width, tail int) shape {
	n := layers * width
	return shape{
		name:        name,
		states:      tail + n,
		transitions: int64(tail) + 2*int64(n),
		transitionsOf: func() func(int) []int {
			r := rand.New(rand.NewPCG(1, 2))
			return func(s int) []int {
				if s < tail {
					return []int{s + 1}
				}
				first := tail + ((s-tail)/width+1)%layers*width
				return []int{first + r.IntN(width), first + r.IntN(width)}
			}
		},
	}
}

// fanOut is the number of transitions of the inner states of trees.
const fanOut = 8

// treeOverRing returns a ring below a tree whose leaves are all states of the ring, in random
// order: each state of the ring may be the first of its loop.
func treeOverRing(name string, layers, width int, most float64) shape {
	leaves := layers * width
	inner := (leaves + fanOut - 2) / (fanOut - 1)
	below := ring(name, layers, width, 0)
	all := shape{name: name, states: inner + leaves, mostSeconds: most}
	all.transitions = below.transitions + int64(inner+leaves-1)
	all.transitionsOf = func() func(int) []int {
		order := rand.New(rand.NewPCG(3, 4)).Perm(leaves)
		next := below.transitionsOf()
		return func(state int) (to []int) {
			if state >= inner {
				for _, t := range next(state - inner) {
					to = append(to, inner+t)
				}
				return to
			}
			for t := fanOut*state + 1; t <= fanOut*state+fanOut && t < inner+leaves; t++ {
				if t < inner {
					to = append(to, t)
				} else {
					to = append(to, inner+order[t-inner])
				}
			}
			return to
		}
	}
	return all
}

// chainOfNone is a chain whose step is done by no label.
const chainOfNone = "Inev(K)"

// The properties of shapes that are no chains: a loop violates the first if it has some x, the
// second if it has x and y.
const (
	finallyWithout = "F G !x"
	withoutEither  = "!(G F x && G F y)"
)

// cycleShape goes once through all states.
func cycleShape(n int) shape {
	return shape{
		name:        "cycle",
		states:      n,
		transitions: int64(n),
		formulas:    []string{finallyWithout},
		transitionsOf: func() func(int) []int {
			return func(s int) []int { return []int{(s + 1) % n} }
		},
	}
}

// torus is a square whose transitions lead down and to the right and wrap around: all loops with
// both directions have the same length.
func torus(side int) shape {
	n := side * side
	return shape{
		name:          "torus",
		states:        n,
		transitions:   2 * int64(n),
		formulas:      []string{finallyWithout, withoutEither},
		mostTimesInfo: 10,
		transitionsOf: func() func(int) []int {
			return func(s int) []int { return []int{(s + side) % n, s/side*side + (s+1)%side} }
		},
	}
}

// hub leads from one state to all others and back.
func hub(transitions int) shape {
	others := max(2, transitions/2)
	return shape{
		name:        "hub",
		states:      others + 1,
		transitions: 2 * int64(others),
		transitionsOf: func() func(int) []int {
			return func(s int) []int {
				if s > 0 {
					return []int{0}
				}
				to := make([]int, others)
				for i := range to {
					to[i] = i + 1
				}
				return to
			}
		},
	}
}

// allShapes are all shapes that a task can write; the hub is the last.
func allShapes(n int) []shape { return append(shapes(n), hub(n)) }

// shapes are models whose check was slow once, in the sizes that belong to a reference model of n
// transitions.
func shapes(n int) []shape {
	width := func(share int) int { return max(2, n/share) }
	wide := ring("ring of 100 layers, wide", ringLayers, width(3_333), 0)
	wide.peers = true
	wide.formulas = []string{chainOfNone, finallyWithout}
	tail := ring("tail, then a ring", ringLayers, width(100), max(1, n/10_000))
	tail.mostSeconds = 5
	return []shape{
		ring("ring of 100 layers, small", ringLayers, width(33_333), 0),
		ring("ring of 100 layers", ringLayers, width(10_000), 0),
		wide,
		tail,
		treeOverRing("tree over a ring", 24, width(3_125), 0.78),
		treeOverRing("larger tree over a ring", 24, width(1_562), 1.77),
		cycleShape(max(2, n/10)), torus(max(2, int(math.Sqrt(float64(n)/20)))),
	}
}

// write writes a shape as .aut.
func (s shape) write(path string) (err error) {
	out, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	w := bufio.NewWriterSize(out, 1<<20)
	fmt.Fprintf(w, "des (0, %d, %d)\n", s.transitions, s.states)
	var line []byte
	next := s.transitionsOf()
	written := int64(0)
	for from := range s.states {
		for i, to := range next(from) {
			line = append(strconv.AppendInt(append(line[:0], '('), int64(from), 10), ", \""...)
			line = append(append(line, 'x'+byte(i%2)), "\", "...)
			line = append(strconv.AppendInt(line, int64(to), 10), ")\n"...)
			if _, err := w.Write(line); err != nil {
				return err
			}
			written++
		}
	}
	if written != s.transitions {
		return fmt.Errorf("%s: %d transitions instead of %d", s.name, written, s.transitions)
	}
	return w.Flush()
}

// badShapes measures the searches on shapes in comparison with the time to read the shapes.
func (l *laboratory) badShapes(ctx context.Context) (string, error) {
	t := newTable("", "transitions", "verdict", "median", "best", "÷ `inev info`", "peak",
		"a transition")
	for i, s := range shapes(l.reference()) {
		l.logProgress("generating " + s.name)
		f := file{
			path:        filepath.Join(l.folder, fmt.Sprintf("shape%d.aut", i)),
			states:      int64(s.states),
			transitions: s.transitions,
		}
		if _, err := l.runTask(ctx, task{
			Do:          "shape",
			Path:        f.path,
			Shape:       i,
			Transitions: l.reference(),
		}); err != nil {
			return "", err
		}
		if s.formulas == nil {
			s.formulas = []string{chainOfNone}
		}
		for _, formula := range s.formulas {
			if err := l.badShape(ctx, t, s, f, formula); err != nil {
				return "", err
			}
		}
		if err := os.Remove(f.path); err != nil {
			return "", err
		}
	}
	return t.String(), nil
}

// badShape measures the search for one property of a shape.
func (l *laboratory) badShape(
	ctx context.Context,
	t *table,
	s shape,
	f file,
	formula string,
) error {
	name := "`inev check`, " + s.name
	f.formula = formula
	if formula != chainOfNone {
		name = "`inev check '" + formula + "'`, " + s.name
	}
	own := l.command(name, "check --allow-unmatched --quiet", f, formula)
	info := l.run("`inev info`, "+s.name, nil, "info", f.path, "--no-progress")
	rows := []*work{own, info}
	if s.peers && formula == chainOfNone && l.peers.has("ltsconvert") {
		rows = append(rows, l.fastest(f, formula))
	}
	if err := l.measure(ctx, l.runs, rows); err != nil {
		return err
	}
	for _, w := range rows {
		m := w.median()
		if m.answered() && !m.Silent && m.Holds != own.median().Holds {
			return fmt.Errorf("%s and %s do not agree", own.name, w.name)
		}
		t.add(append([]string{w.name, grouped(f.transitions), verdict(m)},
			append(w.timeCells(), times(m.Seconds/info.median().Seconds), size(float64(m.Peak)),
				bytesEach(m.Peak, f.transitions))...)...)
	}
	took := own.median().Seconds
	base := info.median().Seconds
	subject := own.name + ", " + grouped(f.transitions) + " transitions"
	if s.mostSeconds > 0 {
		l.judge(took <= s.mostSeconds, target{
			work:     subject,
			wanted:   "≤ " + seconds(s.mostSeconds),
			measured: fmt.Sprintf("%s, %s `inev info`", seconds(took), times(took/base)),
		})
		return nil
	}
	over := cmp.Or(s.mostTimesInfo, 3)
	l.judge(took <= over*base+0.05, target{
		work:     subject,
		wanted:   fmt.Sprintf("≤ %v × `inev info` + 50 ms", over),
		measured: fmt.Sprintf("%s, %s", seconds(took), times(took/base)),
	})
	return nil
}
