package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/inev-lts/inev/lts/generate"
)

// subject is a model with a question about it.
type subject struct {
	name    string
	spec    generate.Spec
	formula string // "" for that of the kind
	command string
	// peers are the routes that mCRL2's tools are measured by, too, which takes minutes each time.
	peers routes
	// judged is the aim, nil if there is none.
	judged func(l *laboratory, about question)
	// beside is another formula that is checked in turns with this one, "" if none is.
	beside string
}

// routes are ways to ask mCRL2's tools.
type routes int

const (
	noRoute routes = iota
	fastestRoute
	// allRoutes have the one without a reduction first, too.
	allRoutes
)

// question is a subject with all its rows.
type question struct {
	subject
	f             file
	counting, own *work
	// unassumed is the same without the search for assumptions, nil if that is not
	// compared.
	unassumed *work
	// other is the other formula, nil if there is none.
	other *work
	// direct and fastest are mCRL2's routes, nil if it is not there.
	direct, fastest *work
}

func (l *laboratory) subjects(ctx context.Context) ([]subject, error) {
	n := l.reference()
	philosophers, err := l.dining(ctx, n/10)
	if err != nil {
		return nil, err
	}
	return []subject{
		{"reference model", local(n), "", "explain", noRoute, judgeExplained, ""},
		{"reference model", local(n), "", "check", noRoute, nil, ""},
		{"reference model", local(n), "Inev(ACTION_NO_0)", "check", noRoute, nil, ""},
		{"reference model", local(n), "Inev(BACK)", "check", noRoute, nil, ""},
		{"reference model", local(n), "Response(ACTION_NO_1; ACTION_NO_0)", "check", noRoute, judgeResponse, "Inev(ACTION_NO_0)"},
		{"reference model", local(n), "Response(ACTION_NO_0; BACK)", "check", noRoute, judgeResponse, "Inev(BACK)"},
		{"reference model", local(n), "GF BACK", "check", noRoute, judgeTable, "Inev(BACK)"},
		{"component, targets anywhere", farComponent(n), "GF BACK", "check", noRoute, judgeTable, "Inev(BACK)"},
		{"component, targets anywhere", farComponent(n), "GF ACTION_NO_1", "check", noRoute, judgeTable, "Inev(ACTION_NO_1)"},
		{"component, targets anywhere", farComponent(n), "Response(ACTION_NO_1; BACK)", "check", noRoute, judgeTable, "Inev(BACK)"},
		{"component, targets anywhere", farComponent(n), "Response(ACTION_NO_1; ACTION_NO_0)", "check", noRoute, judgeTable, "Inev(ACTION_NO_0)"},
		{"targets anywhere", far(n), "", "explain", noRoute, judgeExplained, ""},
		{"targets anywhere", far(n), "", "check", noRoute, nil, ""},
		{"one component, degree 7", dense(n * 67 / 20), "Inev(BACK)", "check", fastestRoute, judgeLarge, ""},
		{"layers, 102 labels", layers(n / 5), "", "check", fastestRoute, judgeQuick, ""},
		{"layers, 102 labels", layers(n / 5), "", "explain", noRoute, nil, ""},
		{"layers, 102 labels", layers(n / 5), "Response(ACTION_NO_3; ACTION_NO_4)", "check", noRoute, judgeTable, "Inev(ACTION_NO_4)"},
		// The gate of the generated labels is a part of their names here.
		{fmt.Sprintf("%d philosophers", philosophers.Processes), philosophers, "Inev(EAT_NO_*)", "explain", noRoute, nil, ""},
	}, nil
}

func judgeExplained(l *laboratory, q question) {
	m := q.own.median()
	over := m.Seconds / q.counting.median().Seconds
	each := float64(m.Peak) / float64(m.Transitions)
	l.judgeBoth(m.Seconds <= 3 && each <= 40, over <= 40 && each <= 40, "`inev explain`, "+q.name, "≤ 3 s, ≤ 40 × counting lines, ≤ 40 bytes a transition",
		fmt.Sprintf("%s, %s, %s bytes", seconds(m.Seconds), times(over), digits(each)))
	fairly := m.Seconds / q.unassumed.median().Seconds
	l.judge(fairly <= 1.6, "assumptions in `inev explain`, "+q.name, "≤ 1.6 × `inev explain --no-fairness`", times(fairly))
}

func judgeResponse(l *laboratory, q question) {
	over := q.own.best() / q.other.best()
	l.judge(over <= 2.5, q.own.name, "≤ 2.5 × `"+q.beside+"`", times(over))
}

// judgeTable is for properties that are automata and no chains, next to a chain that takes a look
// at as much of the model.
func judgeTable(l *laboratory, q question) {
	over, each := q.own.best()/q.other.best(), float64(q.own.median().Peak)/float64(q.f.transitions)
	l.judge(over <= 3 && each <= 24, q.own.name, "≤ 3 × `"+q.beside+"`, ≤ 24 bytes a transition", fmt.Sprintf("%s, %s bytes", times(over), digits(each)))
}

func judgeLarge(l *laboratory, q question) {
	m := q.own.median()
	wanted, measured := "≤ 1 GB", size(float64(m.Peak))
	met := m.Peak <= 1e9
	if peer, name := q.peer(); name != "" {
		wanted += ", ≤ 1/5 of mCRL2's fastest route"
		measured += fmt.Sprintf(", 1/%s", digits(peer.Seconds/m.Seconds))
		met = met && m.Seconds <= peer.Seconds/5
	}
	l.judge(met, "`inev check`, "+grouped(m.Transitions)+" transitions in one component", wanted, measured)
}

// wholeRuns measures the command on models of all kinds, next to mCRL2's tools, and returns the
// table of them and the table of the phases.
func (l *laboratory) wholeRuns(ctx context.Context) (runs, phases string, err error) {
	subjects, err := l.subjects(ctx)
	if err != nil {
		return "", "", err
	}
	all := questionTable()
	parts := newTable("", "read", "components", "enrich", "classify", "search", "fairness", "explain", "process besides")
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
		if s.judged != nil {
			s.judged(l, q)
		}
	}
	return all.String(), parts.String(), nil
}

// questionTable returns a table for the rows of questions.
func questionTable() *table {
	return newTable("", "transitions", "states", "verdict", "median", "best", "÷ counting", "peak", "a transition")
}

// addTo adds the rows of a question to a table.
func (q question) addTo(t *table) {
	base := q.counting.median()
	for _, w := range []*work{q.own, q.unassumed, q.direct, q.fastest} {
		if w == nil {
			continue
		}
		m := w.median()
		t.add(append([]string{w.name, grouped(q.f.transitions), grouped(q.f.states), verdict(m)},
			append(w.span(), times(m.Seconds/base.Seconds), size(float64(m.Peak)), bytesEach(m.Peak, q.f.transitions))...)...)
	}
}

// peer returns the fastest of mCRL2's routes that were measured, and "" if none answered,
// with its name.
func (q question) peer() (fastest sample, name string) {
	for _, w := range []*work{q.direct, q.fastest} {
		if w == nil || !w.median().answered() {
			continue
		}
		if m := w.median(); name == "" || m.Seconds < fastest.Seconds {
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
	// The formula, in backquotes, may hold no bar: it would end the cell.
	name := fmt.Sprintf("%s, `%s`", s.name, strings.ReplaceAll(formula, `"`, ""))
	q := question{subject: s, f: f, counting: l.task("counting lines", task{Do: "count", Path: f.path})}
	q.own = l.command("`inev "+s.command+"`, "+name, s.command, f, formula)
	rows := []*work{q.counting, q.own}
	if s.command == "explain" && s.judged != nil {
		q.unassumed = l.command("`inev explain --no-fairness`, "+name, "explain --no-fairness", f, formula)
		rows = append(rows, q.unassumed)
	}
	if s.beside != "" {
		q.other = l.command("`inev "+s.command+"`, "+s.beside, s.command, f, s.beside)
		rows = append(rows, q.other)
	}
	if s.peers == allRoutes && l.peers.solves() {
		q.direct = l.peerVerdict("mCRL2: `lts2pbes`, `pbessolve`", f, formula, false)
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
		if m := w.median(); m.answered() && !m.Silent && m.Holds != q.own.median().Holds {
			return q, fmt.Errorf("%s and %s do not agree", q.own.name, w.name)
		}
	}
	return q, nil
}

// fastest returns a row for mCRL2's fastest route, or as much of it as there is.
func (l *laboratory) fastest(f file, formula string) *work {
	if l.peers.solves() {
		return l.peerVerdict("mCRL2: `ltsconvert` first", f, formula, true)
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

// cores compares one core with all of them.
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
		t.add(name, seconds(one.median().Seconds), seconds(all.median().Seconds), times(one.median().Seconds/all.median().Seconds))
	}
	return t.String(), nil
}
