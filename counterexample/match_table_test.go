package counterexample_test

import (
	"context"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/fromproperty"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
)

// tableSubject is a subject whose property is no chain.
type tableSubject struct {
	*subject
	fates *fate.Map
	g     *oracle.General
	a     oracle.Automaton
	p     *property.Property
}

func drawTableSubject(t *rapid.T) *tableSubject {
	c := randomlts.Generator(randomlts.Small()).Draw(t, "case")
	text := rapid.SampledFrom([]string{
		"Response(A; B)", "Response(A; B, A)", "Never(A, B)", "Precedes(B; A)", "AtMost(1; A)", "DeadlockFree",
		"G F A -> G F B", "A U B", "G (A -> X B)", "F G !A", "X A", "G (A -> F B) && G (B -> F A)",
	}).Draw(t, "formula")
	f, err := formula.Parse(context.Background(), text)
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := f.Bind(context.Background(), c.Model.Alphabet())
	if err != nil {
		t.Fatal(err)
	}
	components, err := scc.Find(context.Background(), c.Model, "")
	if err != nil {
		t.Fatal(err)
	}
	fates, err := fate.Compute(context.Background(), components, p, enrich.Options{})
	if err != nil {
		t.Fatal(err)
	}
	a := fromproperty.Automaton(p)
	return &tableSubject{&subject{m: c.Model}, fates, oracle.NewGeneral(c.Model, a), a, p}
}

// violates goes round a loop until it comes to a state of the automaton for the second time,
// and looks at what it meets from then on.
func (x *tableSubject) violates(word []lts.Label, loop int) bool {
	q := x.a.Initial
	for _, l := range word[:loop] {
		q = x.a.Next(q, l)
	}
	round := func() (met map[int]bool) {
		met = map[int]bool{}
		for _, l := range word[loop:] {
			for c := range x.a.Marks(q, l) {
				met[c] = true
			}
			q = x.a.Next(q, l)
		}
		return met
	}
	for range x.a.States {
		round()
	}
	met := map[int]bool{}
	for begin, first := q, true; first || q != begin; first = false {
		for c := range round() {
			met[c] = true
		}
	}
	return !x.a.Accepts(met)
}

func (x *tableSubject) loopsBack(run []lts.Transition) bool {
	for loop, step := range run {
		if step.From == run[len(run)-1].To && x.violates(labelsOf(run), loop) {
			return true
		}
	}
	return false
}

func labelsOf(run []lts.Transition) []lts.Label {
	var labels []lts.Label
	for _, step := range run {
		labels = append(labels, step.Label)
	}
	return labels
}

func (x *tableSubject) isCounterexample(g given) bool {
	if g.loop != oracle.NoLoop {
		return x.isLasso(g)
	}
	for _, run := range x.runs(g.steps) {
		at, q := x.m.Initial(), x.a.Initial
		for _, step := range run {
			at, q = step.To, x.a.Next(q, step.Label)
		}
		accept, _ := x.g.Can(at, q)
		switch {
		case x.m.IsDeadlock(at):
			if !x.a.Stops(q) {
				return true
			}
		case !g.deadlock && (x.loopsBack(run) || !accept):
			return true
		}
	}
	return false
}

// isLasso reports whether the labels violate the property, and whether the model can do
// them forever: as often as it has states.
func (x *tableSubject) isLasso(g given) bool {
	var word []lts.Label
	for _, text := range g.steps {
		l, known := x.m.Alphabet().Lookup(text)
		if !known {
			return false
		}
		word = append(word, l)
	}
	if !x.violates(word, g.loop) {
		return false
	}
	states := map[lts.State]bool{x.m.Initial(): true}
	for i := range len(g.steps) * (x.m.NumStates() + 1) {
		text, _ := g.step(i)
		next := map[lts.State]bool{}
		for s := range states {
			labels, targets := x.m.Out(s)
			for j := range labels.Len() {
				l := labels.At(j)
				if x.m.Alphabet().Text(l) == text {
					next[targets[j]] = true
				}
			}
		}
		states = next
	}
	return len(states) > 0
}

// TestMatchOfTablesAgreesWithEnumeration is TestMatchAgreesWithEnumeration for properties
// that are no chains.
func TestMatchOfTablesAgreesWithEnumeration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := drawTableSubject(t)
		g := x.drawGiven(t)
		trace, note, err := counterexample.Match(context.Background(), x.fates, g.evidence(t), counterexample.MatchOptions{Internal: []string{}})
		if want := x.isCounterexample(g); want != (err == nil) {
			t.Fatalf("%v is a counterexample: %v, but: %v", g, want, err)
		}
		if err == nil {
			x.checkTrace(t, g, trace, note)
		}
	})
}

// checkRun checks that a trace is a run of the model that violates the property.
func (x *tableSubject) checkRun(t *rapid.T, trace *counterexample.Trace) {
	steps := trace.Steps()
	at, q := x.m.Initial(), x.a.Initial
	for _, step := range steps {
		labels, targets := x.m.Out(at)
		if step.From != at || !has(at, labels, targets, step) {
			t.Fatalf("%v is no run", steps)
		}
		at, q = step.To, x.a.Next(q, step.Label)
	}
	loop, loops := trace.LoopStart()
	accept, _ := x.g.Can(at, q)
	switch trace.Kind() {
	case counterexample.Prefix:
		if accept {
			t.Fatalf("the property can hold after %v", steps)
		}
	case counterexample.Lasso:
		if steps[loop].From != at || !x.violates(labelsOf(steps), loop) {
			t.Fatalf("%v with a loop from step %d does not violate the property", steps, loop)
		}
	default:
		if loops || !x.m.IsDeadlock(at) || x.a.Stops(q) {
			t.Fatalf("%v does not violate the property", steps)
		}
	}
}

func (x *tableSubject) checkTrace(t *rapid.T, g given, trace *counterexample.Trace, note counterexample.MatchNote) {
	x.checkRun(t, trace)
	steps := trace.Steps()
	is := given{steps: x.texts(steps), loop: loopOf(trace)}
	g.leadsTo(t, is, note)
	if begin := steps[:len(g.steps)*min(1, note.Completed)]; note.Completed > 1 && completes(x.m, begin, note.Completed-1, x.loopsBack) {
		t.Fatalf("%v gives %v, which is completed by %d transitions, but fewer would do", g, is, note.Completed)
	}
}

// TestMatchOfTablesWithTheModelItself takes the whole model for evidence.
func TestMatchOfTablesWithTheModelItself(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := drawTableSubject(t)
		v, err := counterexample.NewGiven(x.m, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, violates := x.g.Can(x.m.Initial(), x.a.Initial)
		trace, note, err := counterexample.Match(context.Background(), x.fates, v, counterexample.MatchOptions{})
		if violates != (err == nil) {
			t.Fatalf("the property is violated: %v, but: %v", violates, err)
		}
		if err == nil && (note.Skipped != 0 || note.Completed != 0 || note.Closed) {
			t.Fatalf("%v, note %+v", trace.Steps(), note)
		}
	})
}

// TestMatchOfTablesFindsWhatHidesInternalActions takes the internal actions out of a
// counterexample, or out of a run that may be none. Whatever is found has the same labels
// but for these.
func TestMatchOfTablesFindsWhatHidesInternalActions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := drawTableSubject(t)
		found, err := counterexample.Shortest(context.Background(), x.m, x.p, counterexample.Options{})
		if err != nil {
			t.Fatal(err)
		}
		hidden := rapid.SampledFrom([]string{"A", "B", "C"}).Draw(t, "hidden")
		run, violates := oracle.Run{Loop: oracle.NoLoop}, found.Trace != nil && found.Trace.Kind() != counterexample.Prefix
		if violates {
			run.Transitions = found.Trace.Steps()
			if loop, loops := found.Trace.LoopStart(); loops {
				run.Loop = loop
			}
		} else if run, violates = x.drawRun(t); len(run.Transitions) == 0 {
			t.Skip("no run")
		}
		g := hide(x.subject, run, hidden)
		o := counterexample.MatchOptions{SkipInternal: true, Internal: []string{hidden}}
		trace, note, err := counterexample.Match(context.Background(), x.fates, g.evidence(t), o)
		if err != nil {
			if violates {
				t.Fatalf("%v of %v: %v", g, run, err)
			}
			return
		}
		x.checkRun(t, trace)
		is := hide(x.subject, oracle.Run{Transitions: trace.Steps(), Loop: loopOf(trace)}, hidden)
		if !note.Closed && note.Completed == 0 && !is.sameAs(g) {
			t.Fatalf("%v gives %v, which shows %v, note %+v", g, trace.Steps(), is, note)
		}
	})
}

// drawRun walks to a deadlock or round a loop; a run of no transitions where it does not
// come to either.
func (x *tableSubject) drawRun(t *rapid.T) (run oracle.Run, violates bool) {
	run.Loop = oracle.NoLoop
	at, q := x.m.Initial(), x.a.Initial
	met := map[lts.State]int{at: 0}
	for {
		labels, targets := x.m.Out(at)
		if labels.Len() == 0 {
			return run, !x.a.Stops(q)
		}
		i := rapid.IntRange(0, labels.Len()-1).Draw(t, "transition")
		run.Transitions = append(run.Transitions, lts.Transition{From: at, Label: labels.At(i), To: targets[i]})
		at, q = targets[i], x.a.Next(q, labels.At(i))
		if loop, again := met[at]; again {
			run.Loop = loop
			return run, x.violates(labelsOf(run.Transitions), loop)
		}
		met[at] = len(run.Transitions)
	}
}

func loopOf(trace *counterexample.Trace) int {
	if loop, loops := trace.LoopStart(); loops {
		return loop
	}
	return oracle.NoLoop
}
