package main

import (
	"context"
	"path"
	"path/filepath"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/format"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/internal/explain/specification"
	"github.com/inev-lts/inev/internal/formula/liveness"
)

// subject is an example that is shown, with a property that it violates.
type subject struct {
	title   string
	folder  string // the subject's folder in the folder of the examples
	model   string // the name of its file
	formula string // a formula in its .inev file, or in the specification
	about   string // what the picture shows
	views   []shown
	// specification is the file in TLA+ that has the properties; then the formula is the name of a
	// violated property, and the folder has several subjects.
	specification string
}

// shown is a picture of a subject.
type shown struct {
	name      string
	maxStates int // 0 stands for the default
	text      string
	pattern   string // a pattern that the run must have; "" for the shortest run of all
}

var (
	excerpt = shown{
		name: "excerpt",
		text: "The counterexample, its decisions, and what leads away from them",
	}
	settled = shown{
		name: "neighbourhoods",
		text: "The neighbourhoods, and how they follow each other",
	}
	figure7 = shown{
		name:    "excerpt",
		pattern: "REQ_EM",
		text:    "The run of the paper's Figure 7: it leaves the first of its two neighbourhoods correctly, the second incorrectly",
	}
	whole    = shown{name: "whole", text: "The whole model"}
	quotient = shown{
		name: "quotient",
		text: "The whole model, in which states that mean the same for the property are one",
	}
)

// nearest limits a picture to n states, for neighbourhoods on the run and nearest to the run.
func nearest(n int) shown {
	return shown{
		name:      "neighbourhoods",
		maxStates: n,
		text:      "The neighbourhoods nearest to the run, and how they follow each other",
	}
}

// subjects returns the subjects, the easiest to understand first.
func subjects() []subject {
	return []subject{
		{"Figure 2 of SEFM 2018", "figure2", "figure2.aut", "Inev(A, B, C)",
			"Small enough to compute by hand: one decision, at which B would have been right.",
			[]shown{excerpt, settled}, ""},
		{"Figures 1 and 4 of SEFM 2018", "figures", "figure1.aut", "Inev(A, Y)",
			"Made from the paper's text about the figures: the property can be saved in state 9, and lost in states 1, 6 and 8; states 4, 5, 6, 8, 9 and 12 form a loop.",
			[]shown{whole, settled}, ""},
		{"Figure 3 of SEFM 2018", "figures", "figure3.aut", "Inev(A)",
			"The four types of neighbourhoods, in states 1 to 4: transitions out of them are correct (1), incorrect (2) or both (3, 4); states 1, 2 and 4 also have neutral ones.",
			[]shown{whole}, ""},
		{"Figure 5 of SEFM 2018", "figures", "figure5.aut", "Inev(GOAL)",
			"A counterexample with two neighbourhoods: of its six transitions, the four into and out of these are kept.",
			[]shown{whole}, ""},
		{"Sanitary agency", "agency", "agency.aut", "Inev(REQ_EM, PROVT_REC)",
			"The case study of SEFM 2018: the agency can refuse, and the cooperative can send meals although the property asks for a transport.",
			[]shown{excerpt, figure7, settled, quotient}, ""},
		{"Travel agency", "travel", "travel.aut", "Inev(BOOKING_REC, TICKET_REC)",
			"A composition of services in which two choices violate one property: the agency refuses, or the carrier later sends a voucher. " +
				"Payments interleave, so the second choice appears in 22 states; the quotient merges them into one.",
			[]shown{excerpt, nearest(6), quotient}, ""},
		{"Dining philosophers", "philosophers", "philosophers.aut", "Inev(EAT)",
			"All philosophers take their left fork. Only the last one decides: until then, somebody could still have eaten.",
			[]shown{excerpt, settled}, ""},
		{"Election with lost messages", "election", "lossy.aut", "Inev(LEADER)",
			"The name of the station that ought to win is sent once, and can get lost each time it is passed on.",
			[]shown{excerpt, nearest(6)}, ""},
		{"Peterson's algorithm", "peterson", "once.aut", `Inev("ENTER !0", "ENTER !1")`,
			"The two processes race to enter. One step, WRITE_TURN, decides which one is first.",
			[]shown{excerpt, settled}, ""},
		{"Dekker's algorithm", "dekker", "once.aut", `Inev("ENTER !0", "ENTER !1")`,
			"The same race is decided earlier than one would think, long before somebody enters.",
			[]shown{excerpt, settled}, ""},
		{"Hyman's algorithm", "hyman", "once.aut", "Inev(DONE)",
			"The famous bug, as an inevitability that fails: at each of nine decisions the two processes could still have been kept apart.",
			[]shown{excerpt, settled}, ""},
		{"Dijkstra's algorithm", "dijkstra", "dijkstra.aut", `Inev("ENTER !0")`,
			"A loop that a scheduler can take forever. None of its states is a neighbourhood: process 0 can begin at any time, which would end the loop, and never does.",
			[]shown{excerpt, nearest(4)}, ""},
		{"Alternating bit protocol", "abp", "abp.aut", "Inev(PUT)",
			"A loop of time-outs and lost acknowledgements. Each of its states is a decision: PUT is always possible, and never forced.",
			[]shown{excerpt, settled}, ""},
		{"Production line", "pipeline", "pipeline.aut", "Inev({DONE, REWORK})",
			"Two parts are damaged and rejected, and the line halts. Three times a part could have been reworked instead.",
			[]shown{excerpt, nearest(4)}, ""},
		{"Two jugs, in TLA+", "jugs", "jugs.dot", "[](big # 4)",
			"A property of states, on the state graph that TLC writes. The run that violates it solves the puzzle; its last step decides.",
			[]shown{excerpt}, ""},
		{"A lock that is never granted, in TLA+", "tla", "Lock.dot", "Served",
			"A property of the specification under the fairness of its Spec: the lock is free again and again, and always goes to the other client.",
			[]shown{excerpt}, "Lock.tla"},
		{"A lost wake-up, in TLA+", "tla", "Queue.dot", "Progress",
			"A notification wakes the wrong thread; in the end all wait, and the system can only stutter.",
			[]shown{excerpt}, "Queue.tla"},
	}
}

// name returns the beginning of the names of the subject's files.
func (s subject) name() string {
	if s.folder == "figures" {
		return strings.TrimSuffix(s.model, ".aut")
	}
	if s.specification != "" {
		return strings.ToLower(strings.TrimSuffix(s.specification, ".tla"))
	}
	return s.folder
}

// file returns the path of the model in the folder of the examples, as commands name it.
func (s subject) file() string { return path.Join(s.folder, s.model) }

// picture returns the name, in docs, of the file of a picture or of another output.
func (s subject) picture(name string) string { return "gallery/" + s.name() + "-" + name }

// pageCommand returns the arguments that make the page.
func (s subject) pageCommand() []string {
	command := []string{"inev", "explain", s.file(), s.formula}
	if s.specification != "" {
		command = append(command, "--tla", path.Join(s.folder, s.specification))
	}
	return append(command, "--html", s.name()+".html")
}

// explained explains the property of a subject. If pattern is not "", the run contains it; a subject
// with a specification ignores pattern.
func (s subject) explained(
	ctx context.Context,
	root, pattern string,
) (*explain.Explanation, error) {
	m, _, err := format.Open(ctx, filepath.Join(root, "examples", s.folder, s.model), format.Options{
		Name:   s.file(),
		States: true,
	})
	if err != nil {
		return nil, err
	}
	if s.specification != "" {
		return s.specified(ctx, root, m)
	}
	f, err := formula.Parse(ctx, s.formula)
	if err != nil {
		return nil, err
	}
	o := explain.Options{Source: explain.Source{File: s.file(), States: m.States}}
	if pattern != "" {
		if o.Search.Pattern, err = actl.Parse(ctx, "Inev("+pattern+")"); err != nil {
			return nil, err
		}
	}
	return explain.Explain(ctx, m.LTS, f, o)
}

// specified explains the first violated instance of a property of a specification.
func (s subject) specified(
	ctx context.Context,
	root string,
	m *format.Model,
) (*explain.Explanation, error) {
	t, err := liveness.Load(ctx, filepath.Join(root, "examples", s.folder, s.specification), "",
		nil)
	if err != nil {
		return nil, err
	}
	instances, err := t.Instances(ctx, s.formula)
	if err != nil {
		return nil, err
	}
	g, err := t.On(ctx, m.LTS, m.States, false)
	if err != nil {
		return nil, err
	}
	o := explain.Options{Source: explain.Source{
		File:   s.file(),
		States: m.States,
		Idle:   g.Stuttering(),
	}}
	chosen, err := g.First(ctx, instances, func(ctx context.Context, q liveness.Question) (bool, error) {
		return o.IsViolated(ctx, q.Model, q.Formula, q.Fair)
	}, nil)
	if err != nil {
		return nil, err
	}
	o.Fair = chosen.Question.Fair
	files, err := specification.Read(ctx, t.Files()[:1])
	if err != nil {
		return nil, err
	}
	o.Specification = files.Find
	return explain.Explain(ctx, chosen.Question.Model, chosen.Question.Formula, o)
}

// file returns the end of the name of a picture's file.
func (s shown) file() string {
	if s.pattern != "" {
		return s.name + "-" + s.pattern + ".svg"
	}
	return s.name + ".svg"
}

// options returns the options of a view's command.
func (s shown) options() (view.Options, error) {
	var kind view.Kind
	err := kind.Set(s.name)
	return view.Options{Kind: kind, MaxStates: s.maxStates}, err
}
