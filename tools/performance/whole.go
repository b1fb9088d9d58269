package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/inev-lts/inev/internal/lts/generate"
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
