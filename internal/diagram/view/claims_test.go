package view

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
)

// judge knows by brute force what the arrows of a picture claim.
type judge struct {
	c randomlts.Case
	o *oracle.Oracle
	e *explain.Explanation
	// meanings are those of every transition that leaves a state of the counterexample,
	// for the progress made there; on a loop, in the rounds that repeat.
	meanings map[lts.Transition]oracle.Class
	better   map[lts.Transition]bool
	turns    map[lts.State]Turn // of the states at which something is decided for the run
}

func newJudge(c randomlts.Case, o *oracle.Oracle, e *explain.Explanation) *judge {
	j := &judge{c, o, e, map[lts.Transition]oracle.Class{}, map[lts.Transition]bool{}, map[lts.State]Turn{}}
	if e.Trace() == nil || !o.Free(c.Model.Initial(), 0) {
		return j
	}
	start, loops := e.Trace().LoopStart()
	lost := false
	nearest := j.nearest()
	for i, step := range e.Trace().Steps() {
		progress, onLoop := int(e.Trace().At(i)), loops && i >= start
		if onLoop {
			progress = e.Counterexample.Done
		}
		chosen := o.ClassAfter(progress, step)
		if now := int(e.Trace().At(i)); !lost && o.Free(step.From, now) && o.ClassAfter(now, step) == oracle.Incorrect {
			lost, j.turns[step.From] = true, LostHere
		}
		for t := range c.Model.Transitions() {
			if t.From != step.From {
				continue
			}
			after := o.ClassAfter(progress, t)
			j.meanings[t] = after
			if turn := (map[oracle.Class]Turn{oracle.Correct: CouldBeSaved, oracle.Neutral: CouldBeOpen})[after]; rank(after) > rank(chosen) {
				j.turns[step.From] = max(j.turns[step.From], turn)
			}
			if t != step && (rank(after) > rank(chosen) || onLoop && nearest[t]) {
				j.better[t] = true
			}
		}
	}
	return j
}

// nearest returns the transitions with which the shortest paths begin from the loop to the step of the
// property that the run never does, on which the property is not lost. It computes the distance of
// every state from that step until nothing changes.
func (j *judge) nearest() map[lts.Transition]bool {
	start, loops := j.e.Trace().LoopStart()
	if !loops {
		return nil
	}
	done := j.e.Counterexample.Done
	const far = 1 << 20
	length := func(t lts.Transition, distance []int) int {
		switch {
		case j.o.ClassAfter(done, t) == oracle.Incorrect:
			return far
		case j.o.Advance(done, t.Label) > done:
			return 1
		}
		return 1 + distance[t.To]
	}
	distance := slices.Repeat([]int{far}, j.c.Model.NumStates())
	for range distance {
		for t := range j.c.Model.Transitions() {
			distance[t.From] = min(distance[t.From], length(t, distance))
		}
	}
	least := far
	for _, step := range j.e.Trace().Steps()[start:] {
		least = min(least, distance[step.From])
	}
	first := map[lts.Transition]bool{}
	for _, step := range j.e.Trace().Steps()[start:] {
		for _, t := range j.o.Out(step.From) {
			if least < far && length(t, distance) == least {
				first[t] = true
			}
		}
	}
	return first
}

// decides reports whether something is said about a transition: it leaves a place where
// not all choices mean the same, or the loop.
func (j *judge) decides(t lts.Transition) bool {
	here := func(d explain.Decision) bool { return d.State == t.From }
	onRun := newRun(j.e.Trace()).takes(t)
	return slices.ContainsFunc(j.e.Decisions, here) ||
		!onRun && slices.ContainsFunc(j.e.Exits, func(x explain.Exit) bool { return x.From == t.From })
}

func rank(c oracle.Class) int {
	return slices.Index([]oracle.Class{oracle.Incorrect, oracle.Neutral, oracle.Correct}, c)
}

// picture checks every claim of a picture with no bound in the way: every better choice
// is drawn as such and no other transition; the sign is what the arrow means; the point
// of no return is where the property becomes lost; a hexagon is a decision of the run, as
// its words say, and no other state of the run says anything.
func (j *judge) picture(t *testing.T, p *Graph) {
	text := j.c.Model.Alphabet().Text
	drawn := map[string]bool{}
	for _, a := range p.Arrows {
		for _, l := range a.Labels {
			label, _ := j.c.Model.Alphabet().Lookup(l.Text)
			at := lts.Transition{From: a.From, Label: label, To: a.To}
			drawn[fmt.Sprint(at.From, text(label), at.To)] = true
			meaning, known := j.meanings[at]
			if !known || !j.decides(at) {
				// A place where all choices mean the same is not worth a word.
				meaning = j.o.Class(at)
			}
			if a.Better != j.better[at] {
				t.Fatalf("%d %s %d is drawn as a better choice: %v\n%v", a.From, l.Text, a.To, a.Better, j.c)
			}
			want := map[oracle.Class]string{oracle.Correct: CertainSign, oracle.Incorrect: LostSign}[meaning]
			if got := p.Sign(a.Meaning); got != want {
				t.Fatalf("%d %s %d has the sign %q, want %q\n%v", a.From, l.Text, a.To, got, want, j.c)
			}
		}
		if a.NoReturn {
			progress := int(j.e.Trace().At(a.Steps[0] - 1))
			step := j.e.Trace().Step(a.Steps[0] - 1)
			if !j.o.Free(step.From, progress) || j.o.ClassAfter(progress, step) != oracle.Incorrect {
				t.Fatalf("%v is no point of no return\n%v", step, j.c)
			}
		}
	}
	for choice := range j.better {
		if !drawn[fmt.Sprint(choice.From, text(choice.Label), choice.To)] {
			t.Fatalf("the better choice %v is not drawn\n%v", choice, j.c)
		}
	}
	kinds := j.o.Neighbourhoods(oracle.All)
	for _, n := range p.Nodes {
		kind, is := kinds[n.State]
		if j.e.Trace() == nil || !j.o.Free(j.c.Model.Initial(), 0) {
			is = false
		}
		if (n.Kind != 0) != is || is && n.Kind.String() != string(kind) {
			t.Fatalf("state %d is drawn as a neighbourhood of kind %d, it is %q\n%v", n.State, n.Kind, kind, j.c)
		}
		if n.Turn != j.turns[n.State] {
			t.Fatalf("state %d says %q, want %q\n%v", n.State, n.DecisionText(), j.turns[n.State], j.c)
		}
		want := j.turns[n.State].String()
		if n.OnRun && want == "" && is {
			want = "decides other runs"
		}
		if said := n.DecisionText(); n.OnRun && said != want || !n.OnRun && (said != "") != is {
			t.Fatalf("state %d says %q\n%v", n.State, said, j.c)
		}
	}
}

// ahead checks that what the run waits for is drawn, or how far it is from where: by going from
// state to state until a transition with one of the labels leaves one.
func (j *judge) ahead(t *testing.T, p *Graph, met map[string]int) {
	d := j.e.Diagnosis
	if d == nil || len(d.Pending) == 0 {
		if len(p.Ahead) > 0 {
			t.Fatalf("%v is ahead, and nothing is pending\n%v", p.Ahead, j.c)
		}
		return
	}
	drawn := slices.ContainsFunc(p.Arrows, func(a Arrow) bool {
		return slices.ContainsFunc(a.Labels, func(l Label) bool { return slices.Contains(d.Pending, l.Text) })
	})
	if drawn == (len(p.Ahead) > 0) && (drawn || d.Kind == explain.KindTurnedBack && len(d.Way) > 0) {
		t.Fatalf("what is pending is drawn: %v, and ahead is %v\n%v", drawn, p.Ahead, j.c)
	}
	for _, a := range p.Ahead {
		met["ahead"]++
		states, steps, found := map[lts.State]bool{a.State: true}, 1, false
		for ; !found && steps <= j.c.Model.NumStates(); steps++ {
			next := maps.Clone(states)
			for state := range states {
				for _, out := range j.o.Out(state) {
					next[out.To] = true
					found = found || slices.Contains(d.Pending, j.c.Model.Alphabet().Text(out.Label))
				}
			}
			states = next
		}
		if !found || a.Steps != steps-1 || !slices.Contains(d.Pending, a.Label) {
			t.Fatalf("%+v is ahead, %d steps\n%v", a, steps-1, j.c)
		}
	}
}

// TestClaims holds what pictures claim against brute force on many models, loops that
// make progress in their first round, repeated labels and long properties among them.
func TestClaims(t *testing.T) {
	betters, turns, inLoops, met := 0, 0, 0, map[string]int{}
	for seed := range randomlts.Share(10_000) {
		c := randomlts.Seeded(seed, randomlts.Small())
		o, err := oracle.New(c.Model, c.Steps)
		if err != nil {
			t.Fatal(err)
		}
		e := explained(t, c.Model, "", c.Formula)
		e.Reasons = nil // see TestTheSlowestRunIsDrawn
		if e.Trace() != nil {
			if start, loops := e.Trace().LoopStart(); loops && int(e.Trace().At(start)) != e.Counterexample.Done {
				inLoops++
			}
		}
		j := newJudge(c, o, e)
		for _, v := range []Kind{Whole, Excerpt} {
			j.picture(t, view(t, e, Options{Kind: v, Full: true}))
			p, err := Of(context.Background(), e, Options{Kind: v})
			if err != nil {
				t.Fatal(err)
			}
			j.ahead(t, p, met)
		}
		betters += len(j.better)
		if e.PointOfNoReturn != nil {
			turns++
		}
	}
	if randomlts.Whole() && met["ahead"] < 100 {
		t.Errorf("%d ways ahead: too few to say anything", met["ahead"])
	}
	if randomlts.Whole() && (betters < 1_000 || turns < 500 || inLoops < 20) {
		t.Errorf("%d better choices, %d points of no return, %d loops that make progress: too few to say anything", betters, turns, inLoops)
	}
}

// TestBetterChoicesAreNotHidden: what has no room is counted apart, in words, in the
// excerpt of a state with a thousand better choices and one with a few.
func TestBetterChoicesAreNotHidden(t *testing.T) {
	many := view(t, explained(t, star(t, 1000), "", "Inev(DONE)"), Options{Kind: Excerpt})
	if want := (Stub{State: 0, Count: 999 - betterOfMany, What: Certain}); !slices.Contains(many.Stubs, want) {
		t.Errorf("stubs %v, want %v", many.Stubs[:1], want)
	}
	few := view(t, explained(t, star(t, 7), "", "Inev(DONE)"), Options{Kind: Excerpt})
	drawn := 0
	for _, a := range few.Arrows {
		if a.Better {
			drawn++
		}
	}
	if drawn != 6 || slices.ContainsFunc(few.Stubs, func(s Stub) bool { return s.State == 0 }) {
		t.Errorf("%d better choices are drawn, want 6; stubs %v", drawn, few.Stubs)
	}
}

// TestParallelBetterChoices: an arrow names all of its labels where they are better
// choices, five elsewhere, and all with Full.
func TestParallelBetterChoices(t *testing.T) {
	var edges []edge
	for i := range 12 {
		edges = append(edges, edge{0, fmt.Sprint("good", i), 1}, edge{1, fmt.Sprint("then", i), 2})
	}
	e := explained(t, model(t, 4, append(edges, edge{0, "bad", 3}, edge{2, "DONE", 3})...), "", "Inev(DONE)")
	for _, full := range []bool{false, true} {
		for _, a := range view(t, e, Options{Kind: Whole, Full: full}).Arrows {
			if a.Better && (len(a.Labels) != 12 || a.More > 0) {
				t.Errorf("the better choices are %v and %d more", a.Labels, a.More)
			}
			if a.From == 1 && full != (a.More == 0) {
				t.Errorf("full %v: the others are %v and %d more", full, a.Labels, a.More)
			}
		}
	}
}

// TestGapsTellOfBetterChoices: where steps are not shown, the better choices at them are
// counted.
func TestGapsTellOfBetterChoices(t *testing.T) {
	var edges []edge
	for i := range 100 {
		edges = append(edges, edge{i, "wait", i + 1}, edge{i, "DONE", 101})
	}
	p := view(t, explained(t, model(t, 102, edges...), "", "Inev(DONE)"), Options{Kind: Excerpt})
	shown, told := 0, 0
	for _, a := range p.Arrows {
		if a.Better {
			shown++
		}
	}
	for _, g := range p.Gaps {
		told += g.Better
	}
	if shown+told != 100 || told == 0 || shown < keptDecisions {
		t.Errorf("%d better choices are shown and %d told, want 100", shown, told)
	}
}

// TestNothingIsDecided: where no run satisfies the property, no picture has a decision.
func TestNothingIsDecided(t *testing.T) {
	e := explained(t, model(t, 3, edge{0, "a", 1}, edge{0, "b", 2}), "", "Inev(DONE)")
	for _, v := range []Kind{Whole, Excerpt, Neighbourhoods, Quotient} {
		p, err := Of(context.Background(), e, Options{Kind: v})
		if err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(p.Nodes, func(n Node) bool { return n.Kind != neighbourhood.Kind(0) }) {
			t.Errorf("view %d has a decision", v)
		}
	}
}
