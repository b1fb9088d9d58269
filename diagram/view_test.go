package diagram

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
	"pgregory.net/rapid"
)

// star has an initial state that n transitions leave, all correct but the one to
// the last state, a deadlock.
func star(t *testing.T, n int) *lts.LTS {
	var edges []edge
	for i := 0; i < n; i++ {
		edges = append(edges, edge{0, "go" + strconv.Itoa(i), i + 1})
		if i != n-1 {
			edges = append(edges, edge{i + 1, "DONE", n + 1})
		}
	}
	return model(t, n+2, edges...)
}

// longRun has a counterexample of 200 steps, the last of which leads back to
// state 120. States 150, 180 and 183 are its neighbourhoods, the last two with a
// single step between what is kept of them; there are 20 ways round the step from
// 149 to 150.
func longRun(t *testing.T) *lts.LTS {
	var edges []edge
	for i := 0; i < 199; i++ {
		edges = append(edges, edge{i, "step", i + 1})
	}
	edges = append(edges, edge{199, "back", 120}, edge{5, "skip", 6}, edge{150, "DONE", 300}, edge{180, "DONE", 300}, edge{183, "DONE", 300})
	for i := 0; i < 20; i++ {
		edges = append(edges, edge{149, "aside", 210 + i}, edge{210 + i, "join", 150})
	}
	return model(t, 301, edges...)
}

func view(t *testing.T, e *explain.Explanation, o Options) *picture {
	t.Helper()
	s, err := selectView(subjectOf(e), o)
	if err != nil {
		t.Fatal(err)
	}
	return s.picture()
}

func (p *picture) numbers() []int {
	var states []int
	for _, n := range p.nodes {
		states = append(states, int(n.state))
	}
	return states
}

// stubOf returns the number of transitions that a state's stub stands for.
func stubOf(p *picture, state lts.State, incoming bool) int {
	for _, s := range p.stubs {
		if s.state == state && s.incoming == incoming {
			return s.count
		}
	}
	return 0
}

func TestExcerptOfSanitaryAgency(t *testing.T) {
	p := view(t, explained(t, shared(t, "sanitary_agency.aut"), "", "Inev(REQ_EM, PROVT_REC)"), Options{View: Excerpt})
	if got, want := p.numbers(), []int{0, 90, 89, 88, 87, 86, 85, 83, 80, 84}; !slices.Equal(got, want) {
		t.Errorf("states %v, want %v", got, want)
	}
	if p.steps() != 8 || p.shown != (size{10, 9}) || p.reachable != (size{91, 172}) {
		t.Errorf("%d steps, %v of %v shown", p.steps(), p.shown, p.reachable)
	}
	for _, n := range p.nodes {
		if n.state == 85 && n.kind != neighbourhood.IncorrectChoice || n.state != 85 && n.kind != 0 {
			t.Errorf("state %d has kind %d", n.state, n.kind)
		}
		if n.deadlock != (n.state == 80) || n.initial != (n.state == 0) || n.onRun == (n.state == 84) {
			t.Errorf("state %d is marked wrongly: %+v", n.state, n)
		}
	}
	if len(p.stubs) != 1 || stubOf(p, 84, false) != 2 {
		t.Errorf("stubs %v, want one with 2 transitions at 84", p.stubs)
	}
	for _, a := range p.arrows {
		if a.noReturn != (a.from == 85 && a.to == 83) {
			t.Errorf("point of no return: %v at %d to %d", a.noReturn, a.from, a.to)
		}
	}
}

func TestExcerptOfALassoShowsItsExits(t *testing.T) {
	p := view(t, explained(t, lasso(t), "", "Inev(DONE)"), Options{View: Excerpt})
	if got, want := p.numbers(), []int{0, 1, 2, 3, 4}; !slices.Equal(got, want) {
		t.Errorf("states %v, want %v", got, want)
	}
	for _, a := range p.arrows {
		onLoop := a.from == 1 || a.from == 2 && a.to == 1
		if a.loop != onLoop || a.closing != (a.from == 2 && a.to == 1) {
			t.Errorf("%d to %d: loop %v, closing %v", a.from, a.to, a.loop, a.closing)
		}
	}
	if stubOf(p, 3, false) != 1 || stubOf(p, 4, false) != 1 || len(p.stubs) != 2 {
		t.Errorf("stubs %v, want one transition each at 3 and 4", p.stubs)
	}
}

func TestExcerptOfAStarKeepsTheRareClass(t *testing.T) {
	p := view(t, explained(t, star(t, 1000), "", "Inev(DONE)"), Options{})
	if p.whole {
		t.Fatal("a model of 1002 states is shown as a whole")
	}
	// The counterexample takes the one incorrect transition itself.
	if p.shown != (size{2 + maxBetter, 1 + maxBetter}) || stubOf(p, 0, false) != 999-maxBetter {
		t.Errorf("%v shown, %d left out at 0", p.shown, stubOf(p, 0, false))
	}
	fan := newSelection(subjectOf(explained(t, star(t, 1000), "", "Inev(DONE)")))
	fan.bounds = boundsOf(Options{})
	chosen := fan.fan(fan.out(0))
	if len(chosen) != maxFan || chosen[maxFan-1].To != 1000 || chosen[0].To != 1 {
		t.Errorf("the fan is %v, want the first correct transitions and the last, incorrect one", chosen)
	}
}

func TestLongCounterexampleHasGaps(t *testing.T) {
	e := explained(t, longRun(t), "", "Inev(DONE)")
	if n := len(e.Counterexample.Steps); n != 200 {
		t.Fatalf("the counterexample has %d steps, want 200", n)
	}
	p := view(t, e, Options{})
	kept := p.steps()
	for _, g := range p.gaps {
		kept += g.last - g.first + 1
		if g.last == g.first {
			t.Errorf("the gap at step %d holds a single step", g.first)
		}
		if g.loop != (g.first > 120) || !g.loop && g.last > 120 {
			t.Errorf("the gap from step %d to %d is on the loop: %v", g.first, g.last, g.loop)
		}
	}
	if kept != 200 || len(p.gaps) == 0 || p.steps() > 40 {
		t.Errorf("%d steps and %v make %d, want 200 in few steps", p.steps(), p.gaps, kept)
	}
	for _, state := range []int{0, 120, 199, 300} {
		if !slices.Contains(p.numbers(), state) {
			t.Errorf("state %d is not shown", state)
		}
	}
}

func TestStubsOfALongCounterexample(t *testing.T) {
	p := view(t, explained(t, longRun(t), "", "Inev(DONE)"), Options{})
	for _, g := range p.gaps {
		if stubOf(p, g.from, false) != 0 {
			t.Errorf("state %d, where a gap begins, has a stub", g.from)
		}
	}
	if got := stubOf(p, 5, false); got != 1 {
		t.Errorf("%d transitions are left out that leave 5, before the loop, want 1", got)
	}
	if got := stubOf(p, 149, false); got != 0 {
		t.Errorf("%d transitions are left out that leave the loop in 149, want 0", got)
	}
	if got := stubOf(p, 150, true); got != 20-maxFan {
		t.Errorf("%d transitions are left out that enter 150, want %d", got, 20-maxFan)
	}
}

// TestManyDecisionsShareTheRoom has 60 neighbourhoods with 11 choices each, more
// than an excerpt takes in.
func TestManyDecisionsShareTheRoom(t *testing.T) {
	var edges []edge
	for i := 0; i < 60; i++ {
		edges = append(edges, edge{i, "step", i + 1})
		for j := 0; j < 10; j++ {
			edges = append(edges, edge{i, "DONE", 100 + 10*i + j})
		}
	}
	p := view(t, explained(t, model(t, 700, edges...), "", "Inev(DONE)"), Options{})
	if p.steps() != 60 || p.shown.transitions != 60+maxBeside {
		t.Errorf("%d steps and %d transitions shown, want 60 and %d", p.steps(), p.shown.transitions, 60+maxBeside)
	}
	if stubOf(p, 59, false) != 0 || stubOf(p, 0, false) != 10 {
		t.Errorf("%d left out at the last decision and %d at the first, want 0 and 10", stubOf(p, 59, false), stubOf(p, 0, false))
	}
}

func TestSelfLoopsAreCountedOnce(t *testing.T) {
	edges := []edge{{0, "END", 1}, {0, "DONE", 2}}
	for i := 0; i < 30; i++ {
		edges = append(edges, edge{0, "self" + strconv.Itoa(i), 0})
	}
	p := view(t, explained(t, model(t, 3, edges...), "", "Inev(DONE)"), Options{View: Excerpt})
	left := len(edges) - 2 - maxFan
	if p.shown.transitions != 2+maxFan || len(p.stubs) != 1 || stubOf(p, 0, false) != left {
		t.Errorf("%d transitions shown, stubs %v; want %d, and one stub of %d", p.shown.transitions, p.stubs, 2+maxFan, left)
	}
}

func TestExcerptWhereThePropertyHolds(t *testing.T) {
	var edges []edge
	for i := 0; i < 500; i++ {
		edges = append(edges, edge{i, "l", 2*i + 1}, edge{i, "r", 2*i + 2})
	}
	e := explained(t, model(t, 1001, edges...), "", "Inev({l, r})")
	if e.Verdict != explain.Satisfied {
		t.Fatal("the property does not hold")
	}
	p := view(t, e, Options{})
	if got := p.numbers(); len(got) != maxSurroundings || got[maxSurroundings-1] != maxSurroundings-1 {
		t.Errorf("states %v, want the %d nearest to the initial one", got, maxSurroundings)
	}
	if p.shown.transitions != maxSurroundings-1 || stubOf(p, 14, false) != 1 || stubOf(p, 29, false) != 2 {
		t.Errorf("%d transitions shown, stubs %v", p.shown.transitions, p.stubs)
	}
}

func TestArrowsShareLabels(t *testing.T) {
	var edges []edge
	for i := 0; i < 8; i++ {
		edges = append(edges, edge{0, "l" + strconv.Itoa(i), 1})
	}
	edges = append(edges, edge{0, "l0", 1})
	s, err := selectView(subject{m: model(t, 2, edges...)}, Options{View: Whole})
	if err != nil {
		t.Fatal(err)
	}
	p := s.picture()
	if len(p.arrows) != 1 {
		t.Fatalf("%d arrows, want 1", len(p.arrows))
	}
	a := p.arrows[0]
	if len(a.labels) != maxLabels || a.labels[0] != (label{"l0", 2}) || a.labels[4] != (label{"l4", 1}) || a.more != 3 {
		t.Errorf("labels %v and %d more", a.labels, a.more)
	}
}

func TestAutoChoosesBySize(t *testing.T) {
	e := explained(t, figure2(t), "", "Inev(A, B, C)")
	if !view(t, e, Options{}).whole {
		t.Error("6 states are not shown as a whole")
	}
	if view(t, e, Options{MaxStates: 5}).whole {
		t.Error("6 states are shown as a whole though at most 5 should be")
	}
	var edges []edge
	for i := 0; i < 21; i++ {
		edges = append(edges, edge{0, "l" + strconv.Itoa(i), 1})
	}
	if view(t, explained(t, model(t, 2, edges...), "", "Inev(l0)"), Options{MaxStates: 2}).whole {
		t.Error("21 transitions are shown as a whole though at most 20 should be")
	}
	if !view(t, e, Options{View: Whole, MaxStates: 5}).whole {
		t.Error("Whole is not the whole")
	}
}

// TestNothingIsLeftOutSilently counts, for every state that is shown, whether
// arrows, gaps and stubs make up all transitions that leave it.
func TestNothingIsLeftOutSilently(t *testing.T) {
	cases := randomlts.Generator(randomlts.Medium())
	rapid.Check(t, func(rt *rapid.T) {
		c := cases.Draw(rt, "case")
		e := explained(t, c.Model, "", c.Formula)
		for _, v := range []View{Whole, Excerpt} {
			p := view(t, e, Options{View: v})
			if v == Whole && (p.shown != p.reachable || len(p.stubs)+len(p.gaps) > 0) {
				rt.Fatalf("the whole shows %v of %v, %d stubs, %d gaps", p.shown, p.reachable, len(p.stubs), len(p.gaps))
			}
			checkComplete(rt, c.Model, p)
			all := view(t, e, together(t, e, v))
			checkComplete(rt, c.Model, all)
			if v == Excerpt && all.union != nil && all.onUnion < min(p.steps(), all.union.transitions) {
				rt.Fatalf("%d transitions of all counterexamples are shown, %d of one", all.onUnion, p.steps())
			}
			if tr := e.Trace(); tr != nil && p.steps() != len(subjectOf(e).run.marks) {
				rt.Fatalf("%d steps are shown of %d", p.steps(), tr.Len())
			}
		}
	})
}

// fataler is a test, of rapid or not.
type fataler interface {
	Fatalf(format string, args ...any)
}

func checkComplete(rt fataler, m *lts.LTS, p *picture) {
	shown := p.numbers()
	counted := map[lts.State]int{}
	total := 0
	for _, a := range p.arrows {
		n := a.more
		for _, l := range a.labels {
			n += l.times
		}
		counted[a.from] += n
		total += n
		if !slices.Contains(shown, int(a.from)) || !slices.Contains(shown, int(a.to)) {
			rt.Fatalf("an arrow from %d to %d, but the states shown are %v", a.from, a.to, shown)
		}
	}
	for _, s := range p.stubs {
		if !s.incoming {
			counted[s.state] += s.count
		}
	}
	for _, g := range p.gaps {
		counted[g.from]++
	}
	for _, state := range shown {
		if labels, _ := m.Out(lts.State(state)); counted[lts.State(state)] != len(labels) {
			rt.Fatalf("state %d has %d transitions, %d are accounted for", state, len(labels), counted[lts.State(state)])
		}
	}
	if total != p.shown.transitions || len(shown) != p.shown.states {
		rt.Fatalf("caption %v, but %d states and %d transitions", p.shown, len(shown), total)
	}
}

// TestWideRunsGoDownwards: an excerpt is read from left to right while it fits a screen,
// which depends on the length of the run and on that of its labels.
func TestWideRunsGoDownwards(t *testing.T) {
	run := func(steps int, label string) string {
		var edges []edge
		for i := range steps {
			edges = append(edges, edge{i, label, i + 1})
		}
		var b strings.Builder
		if err := DOT(&b, explained(t, model(t, steps+1, edges...), "run.aut", "Inev(A)"), Options{View: Excerpt}); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	for _, c := range []struct {
		steps int
		label string
		want  string
	}{
		{4, "SHORT", "LR"}, {10, "SHORT", "LR"}, {20, "SHORT", "TB"}, {4, strings.Repeat("LONG", 8), "LR"}, {10, strings.Repeat("LONG", 8), "TB"},
	} {
		if got := run(c.steps, c.label); !strings.Contains(got, `rankdir="`+c.want+`"`) {
			t.Errorf("%d steps with %s are not drawn %s", c.steps, c.label, c.want)
		}
	}
}
