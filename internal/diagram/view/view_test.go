package view

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/internal/testing/oracle/specimens"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
	"pgregory.net/rapid"
)

func view(t *testing.T, e *explain.Explanation, o Options) *Graph {
	t.Helper()
	return selected(t, subjectOf(e), o).graph()
}

// selected is [selectView], which must not fail.
func selected(t *testing.T, s subject, o Options) *selection {
	t.Helper()
	selected, err := selectView(context.Background(), s, o)
	if err != nil {
		t.Fatal(err)
	}
	return selected
}

func (p *Graph) numbers() []int {
	var states []int
	for _, n := range p.Nodes {
		states = append(states, int(n.State))
	}
	return states
}

// stubOf returns the number of transitions that a state's stub stands for.
func stubOf(p *Graph, state lts.State) int {
	for _, s := range p.Stubs {
		if s.State == state {
			return s.Count
		}
	}
	return 0
}

// TestExcerptOfRealModels: both can be lost in one place, by a step beside which there
// is one more state, from which two transitions are left out.
func TestExcerptOfRealModels(t *testing.T) {
	for _, c := range []struct {
		file, formula    string
		states           []int
		steps            int
		shown, reachable Size
		// In decided the run is decided, by the step to lost; it ends in end; beside is
		// the state beside it.
		decided, lost, end, beside lts.State
	}{
		{"examples/travel/travel.aut", "Inev(BOOKING_REC, TICKET_REC)", []int{0, 1, 2, 3, 5, 4}, 4, Size{6, 5}, Size{102, 217}, 2, 3, 5, 4},
		{"sanitary_agency.aut", "Inev(REQ_EM, PROVT_REC)", []int{0, 90, 89, 88, 87, 86, 85, 83, 80, 84}, 8, Size{10, 9}, Size{91, 172}, 85, 83, 80, 84},
	} {
		m := real(t, c.file)
		if m == nil {
			continue
		}
		p := view(t, explained(t, m, "", c.formula), Options{Kind: Excerpt})
		if got := p.numbers(); !slices.Equal(got, c.states) {
			t.Errorf("states %v, want %v", got, c.states)
		}
		if p.Steps() != c.steps || p.Shown != c.shown || p.Reachable != c.reachable {
			t.Errorf("%d steps, %v of %v shown", p.Steps(), p.Shown, p.Reachable)
		}
		for _, n := range p.Nodes {
			if n.State == c.decided && n.Kind != neighbourhood.IncorrectChoice || n.State != c.decided && n.Kind != 0 {
				t.Errorf("state %d has kind %d", n.State, n.Kind)
			}
			if n.Deadlock != (n.State == c.end) || n.Initial != (n.State == 0) || n.OnRun == (n.State == c.beside) {
				t.Errorf("state %d is marked wrongly: %+v", n.State, n)
			}
		}
		if len(p.Stubs) != 1 || stubOf(p, c.beside) != 2 {
			t.Errorf("stubs %v, want one with 2 transitions at %d", p.Stubs, c.beside)
		}
		for _, a := range p.Arrows {
			if a.NoReturn != (a.From == c.decided && a.To == c.lost) {
				t.Errorf("point of no return: %v at %d to %d", a.NoReturn, a.From, a.To)
			}
		}
	}
}

func TestExcerptOfALassoShowsItsExits(t *testing.T) {
	p := view(t, explained(t, lasso(t), "", "Inev(DONE)"), Options{Kind: Excerpt})
	if got, want := p.numbers(), []int{0, 1, 2, 3, 4}; !slices.Equal(got, want) {
		t.Errorf("states %v, want %v", got, want)
	}
	for _, a := range p.Arrows {
		onLoop := a.From == 1 || a.From == 2 && a.To == 1
		if a.Loop != onLoop || a.Closing != (a.From == 2 && a.To == 1) {
			t.Errorf("%d to %d: loop %v, closing %v", a.From, a.To, a.Loop, a.Closing)
		}
	}
	if stubOf(p, 3) != 1 || stubOf(p, 4) != 1 || len(p.Stubs) != 2 {
		t.Errorf("stubs %v, want one transition each at 3 and 4", p.Stubs)
	}
}

func TestExcerptOfAStarKeepsTheRareClass(t *testing.T) {
	p := view(t, explained(t, star(t, 1000), "", "Inev(DONE)"), Options{})
	if p.Whole {
		t.Fatal("a model of 1002 states is shown as a whole")
	}
	// The counterexample takes the one incorrect transition itself.
	if p.Shown != (Size{2 + betterOfMany, 1 + betterOfMany}) || stubOf(p, 0) != 999-betterOfMany {
		t.Errorf("%v shown, %d left out at 0", p.Shown, stubOf(p, 0))
	}
	fan := newSelection(subjectOf(explained(t, star(t, 1000), "", "Inev(DONE)")))
	fan.bounds = boundsOf(Options{})
	chosen := fan.fewOf(fan.out(0))
	if len(chosen) != fanOfMany || chosen[fanOfMany-1].To != 1000 || chosen[0].To != 1 {
		t.Errorf("the fan is %v, want the first correct transitions and the last, incorrect one", chosen)
	}
}

func TestLongCounterexampleHasGaps(t *testing.T) {
	e := explained(t, longRun(t), "", "Inev(DONE)")
	if n := len(e.Counterexample.Steps); n != 200 {
		t.Fatalf("the counterexample has %d steps, want 200", n)
	}
	p := view(t, e, Options{})
	kept := p.Steps()
	for _, g := range p.Gaps {
		kept += g.Last - g.First + 1
		if g.Last == g.First {
			t.Errorf("the gap at step %d holds a single step", g.First)
		}
		if g.Loop != (g.First > 120) || !g.Loop && g.Last > 120 {
			t.Errorf("the gap from step %d to %d is on the loop: %v", g.First, g.Last, g.Loop)
		}
	}
	if kept != 200 || len(p.Gaps) == 0 || p.Steps() > 40 {
		t.Errorf("%d steps and %v make %d, want 200 in few steps", p.Steps(), p.Gaps, kept)
	}
	for _, state := range []int{0, 120, 199, 300} {
		if !slices.Contains(p.numbers(), state) {
			t.Errorf("state %d is not shown", state)
		}
	}
}

func TestStubsOfALongCounterexample(t *testing.T) {
	p := view(t, explained(t, longRun(t), "", "Inev(DONE)"), Options{})
	for _, g := range p.Gaps {
		if stubOf(p, g.From) != 0 {
			t.Errorf("state %d, where a gap begins, has a stub", g.From)
		}
	}
	if got := stubOf(p, 5); got != 1 {
		t.Errorf("%d transitions are left out that leave 5, before the loop, want 1", got)
	}
	// The detours come back to the loop, and are no better choices.
	if got := stubOf(p, 149); got != 20-fanOfMany {
		t.Errorf("%d transitions are left out that leave the loop in 149, want %d", got, 20-fanOfMany)
	}
}

// TestManyDecisionsShareTheRoom has 60 neighbourhoods with 6 choices each, more
// than an excerpt takes in.
func TestManyDecisionsShareTheRoom(t *testing.T) {
	var edges []edge
	for i := 0; i < 60; i++ {
		edges = append(edges, edge{i, "step", i + 1})
		for j := 0; j < 5; j++ {
			edges = append(edges, edge{i, "DONE", 100 + 10*i + j})
		}
	}
	p := view(t, explained(t, model(t, 700, edges...), "", "Inev(DONE)"), Options{})
	if p.Steps() != 60 || p.Shown.Transitions != 60+maxBeside {
		t.Errorf("%d steps and %d transitions shown, want 60 and %d", p.Steps(), p.Shown.Transitions, 60+maxBeside)
	}
	if stubOf(p, 59) != 0 || stubOf(p, 0) != 5 {
		t.Errorf("%d left out at the last decision and %d at the first, want 0 and 5", stubOf(p, 59), stubOf(p, 0))
	}
}

func TestSelfLoopsAreCountedOnce(t *testing.T) {
	edges := []edge{{0, "END", 1}, {0, "DONE", 2}}
	for i := 0; i < 30; i++ {
		edges = append(edges, edge{0, "self" + strconv.Itoa(i), 0})
	}
	p := view(t, explained(t, model(t, 3, edges...), "", "Inev(DONE)"), Options{Kind: Excerpt})
	left := len(edges) - 2 - fanOfMany
	if p.Shown.Transitions != 2+fanOfMany || len(p.Stubs) != 1 || stubOf(p, 0) != left {
		t.Errorf("%d transitions shown, stubs %v; want %d, and one stub of %d", p.Shown.Transitions, p.Stubs, 2+fanOfMany, left)
	}
}

func TestExcerptWhereThePropertyHolds(t *testing.T) {
	var edges []edge
	for i := 0; i < 500; i++ {
		edges = append(edges, edge{i, "l", 2*i + 1}, edge{i, "r", 2*i + 2})
	}
	e := explained(t, model(t, 1001, edges...), "", "Inev({l, r})")
	e.Reasons = nil // there is no slowest run to be shown
	if e.Verdict != explain.Satisfied {
		t.Fatal("the property does not hold")
	}
	p := view(t, e, Options{})
	if got := p.numbers(); len(got) != maxSurroundings || got[maxSurroundings-1] != maxSurroundings-1 {
		t.Errorf("states %v, want the %d nearest to the initial one", got, maxSurroundings)
	}
	if p.Shown.Transitions != maxSurroundings-1 || stubOf(p, 14) != 1 || stubOf(p, 29) != 2 {
		t.Errorf("%d transitions shown, stubs %v", p.Shown.Transitions, p.Stubs)
	}
}

func TestArrowsShareLabels(t *testing.T) {
	var edges []edge
	for i := 0; i < 8; i++ {
		edges = append(edges, edge{0, "l" + strconv.Itoa(i), 1})
	}
	edges = append(edges, edge{0, "l0", 1})
	p := selected(t, subject{m: model(t, 2, edges...)}, Options{Kind: Whole}).graph()
	if len(p.Arrows) != 1 {
		t.Fatalf("%d arrows, want 1", len(p.Arrows))
	}
	a := p.Arrows[0]
	if len(a.Labels) != maxLabels || a.Labels[0] != (Label{"l0", 2}) || a.Labels[4] != (Label{"l4", 1}) || a.More != 3 {
		t.Errorf("labels %v and %d more", a.Labels, a.More)
	}
}

func TestAutoChoosesBySize(t *testing.T) {
	e := explained(t, figure2(t), "", "Inev(A, B, C)")
	if !view(t, e, Options{}).Whole {
		t.Error("6 states are not shown as a whole")
	}
	if view(t, e, Options{MaxStates: 5}).Whole {
		t.Error("6 states are shown as a whole though at most 5 should be")
	}
	var edges []edge
	for i := 0; i < 21; i++ {
		edges = append(edges, edge{0, "l" + strconv.Itoa(i), 1})
	}
	if view(t, explained(t, model(t, 2, edges...), "", "Inev(l0)"), Options{MaxStates: 2}).Whole {
		t.Error("21 transitions are shown as a whole though at most 20 should be")
	}
	if !view(t, e, Options{Kind: Whole, MaxStates: 5}).Whole {
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
		for _, v := range []Kind{Whole, Excerpt} {
			p := view(t, e, Options{Kind: v})
			if v == Whole && (p.Shown != p.Reachable || len(p.Stubs)+len(p.Gaps) > 0) {
				rt.Fatalf("the whole shows %v of %v, %d stubs, %d gaps", p.Shown, p.Reachable, len(p.Stubs), len(p.Gaps))
			}
			checkComplete(rt, c.Model, p)
			all := view(t, e, together(t, e, v))
			checkComplete(rt, c.Model, all)
			if v == Excerpt && all.Union != nil && all.OnUnion < min(p.Steps(), all.Union.Transitions) {
				rt.Fatalf("%d transitions of all counterexamples are shown, %d of one", all.OnUnion, p.Steps())
			}
			if tr := e.Trace(); tr != nil && p.Steps() != distinct(tr) {
				rt.Fatalf("%d steps are shown of %d", p.Steps(), tr.Len())
			}
		}
	})
}

// fataler is a test, of rapid or not.
type fataler interface {
	Fatalf(format string, args ...any)
}

func checkComplete(rt fataler, m *lts.LTS, p *Graph) {
	shown := p.numbers()
	counted := map[lts.State]int{}
	total := 0
	for _, a := range p.Arrows {
		n := a.More
		for _, l := range a.Labels {
			n += l.Times
		}
		counted[a.From] += n
		total += n
		if !slices.Contains(shown, int(a.From)) || !slices.Contains(shown, int(a.To)) {
			rt.Fatalf("an arrow from %d to %d, but the states shown are %v", a.From, a.To, shown)
		}
	}
	for _, s := range p.Stubs {
		counted[s.State] += s.Count
	}
	for _, g := range p.Gaps {
		counted[g.From]++
	}
	for _, state := range shown {
		if labels, _ := m.Out(lts.State(state)); counted[lts.State(state)] != labels.Len() {
			rt.Fatalf("state %d has %d transitions, %d are accounted for", state, labels.Len(), counted[lts.State(state)])
		}
	}
	if total != p.Shown.Transitions || len(shown) != p.Shown.States {
		rt.Fatalf("caption %v, but %d states and %d transitions", p.Shown, len(shown), total)
	}
}

func TestModelOfAnySizeIsWholeByDefault(t *testing.T) {
	g, err := OfModel(star(t, 300), "star.aut", Options{MaxStates: 1})
	if err != nil || len(g.Nodes) != 302 {
		t.Errorf("error %v, %d states", err, len(g.Nodes))
	}
}

func TestTooLargeForAWholePicture(t *testing.T) {
	m := star(t, MaxWholeTransitions/2+1)
	_, err := OfModel(m, "star.aut", Options{Kind: Whole})
	if err == nil || !strings.Contains(err.Error(), "choose the excerpt") {
		t.Errorf("error is %v, want one that proposes the excerpt", err)
	}
	if g, err := OfModel(m, "star.aut", Options{Kind: Excerpt}); err != nil || len(g.Nodes) > 50 {
		t.Errorf("the excerpt has %d states, error %v", len(g.Nodes), err)
	}
}

// TestWithoutAProperty: nothing is decided in a model alone, and not by Check.
func TestWithoutAProperty(t *testing.T) {
	for _, kind := range []Kind{Neighbourhoods, Quotient} {
		if _, err := OfModel(figure2(t), "", Options{Kind: kind}); err == nil || !strings.Contains(err.Error(), "explain one") {
			t.Errorf("error is %v", err)
		}
		if _, err := Of(context.Background(), answer(t, specimens.Checked, figure2(t), "", "Inev(A)"), Options{Kind: kind}); err == nil {
			t.Error("the result of Check has decisions")
		}
	}
}

// TestSmall: of what is too large as a quotient and as an excerpt, the decisions are shown.
func TestSmall(t *testing.T) {
	for nodes, decisions := range map[int]bool{1: true, 1000: false} {
		g, err := Small(context.Background(), explained(t, longRun(t), "", "Inev(DONE)"), Options{}, nodes)
		if err != nil || g.OfNeighbourhoods != decisions {
			t.Errorf("at most %d nodes: error %v, decisions %v", nodes, err, g.OfNeighbourhoods)
		}
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	if _, err := Small(stopped, explained(t, figure2(t), "", "Inev(A, B, C)"), Options{Kind: Neighbourhoods}, 60); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v, want that of the context", err)
	}
}

func TestKindByName(t *testing.T) {
	for name, want := range map[string]Kind{"auto": Auto, "whole": Whole, "excerpt": Excerpt, "neighbourhoods": Neighbourhoods, "quotient": Quotient} {
		var got Kind
		if err := got.Set(name); err != nil || got != want {
			t.Errorf("%q: %v, %v", name, got, err)
		}
	}
	if err := new(Kind).Set("all"); err == nil || !strings.Contains(err.Error(), "choose") {
		t.Errorf("error is %v", err)
	}
}

// distinct returns the number of different transitions of a run.
func distinct(r *counterexample.Trace) int {
	visited := map[lts.Transition]bool{}
	for _, step := range r.Steps() {
		visited[step] = true
	}
	return len(visited)
}
