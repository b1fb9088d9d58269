package counterexample_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood/fate"
	"github.com/inev-lts/inev/property"
)

// given is a trace as another tool could give it.
type given struct {
	steps    []string
	loop     int // oracle.NoLoop for a path
	deadlock bool
}

func (g given) String() string {
	return fmt.Sprintf("%q loop %d deadlock %v", g.steps, g.loop, g.deadlock)
}

func (g given) evidence(t *rapid.T) *counterexample.Given {
	return lineEvidence(t, new(lts.Builder), g.steps, g.loop, g.deadlock)
}

// step returns label i of the trace, unrolled; false beyond its end.
func (g given) step(i int) (string, bool) {
	switch {
	case i < len(g.steps):
		return g.steps[i], true
	case g.loop == oracle.NoLoop:
		return "", false
	}
	length := len(g.steps) - g.loop
	return g.steps[g.loop+(i-g.loop)%length], true
}

// subject is a random model and property, for the packages and for the oracle.
type subject struct {
	m *lts.LTS
	o *oracle.Oracle
	e *enrich.Enriched
	n int
	p *property.Chain
}

func drawSubject(t *rapid.T) *subject {
	c := randomlts.Generator(randomlts.Small()).Draw(t, "case")
	o, err := oracle.New(c.Model, c.Steps)
	if err != nil {
		t.Fatal(err)
	}
	f, err := actl.Parse(context.Background(), c.Formula)
	if err != nil {
		t.Fatal(err)
	}
	bound, _, _ := f.Bind(context.Background(), c.Model.Alphabet())
	p, _ := bound.Chain()
	components, err := scc.Find(context.Background(), c.Model, "")
	if err != nil {
		t.Fatal(err)
	}
	e, err := enrich.Enrich(context.Background(), components, p, enrich.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return &subject{c.Model, o, e, len(c.Steps), p}
}

func (x *subject) texts(steps []lts.Transition) []string {
	var all []string
	for _, s := range steps {
		all = append(all, x.m.Alphabet().Text(s.Label))
	}
	return all
}

// drawWalk walks through the model for a while, and is sometimes led astray.
func (x *subject) drawWalk(t *rapid.T) []string {
	var steps []string
	at := x.m.Initial()
	for range rapid.IntRange(0, 5).Draw(t, "steps") {
		labels, targets := x.m.Out(at)
		if labels.Len() == 0 {
			break
		}
		i := rapid.IntRange(0, labels.Len()-1).Draw(t, "transition")
		at = targets[i]
		steps = append(steps, x.m.Alphabet().Text(labels.At(i)))
	}
	if len(steps) > 0 && rapid.IntRange(0, 4).Draw(t, "astray") == 4 {
		steps[rapid.IntRange(0, len(steps)-1).Draw(t, "where")] = rapid.SampledFrom([]string{"A", "B", "NONE"}).Draw(t, "what")
	}
	return steps
}

func (x *subject) drawGiven(t *rapid.T) given {
	g := given{steps: x.drawWalk(t), loop: oracle.NoLoop}
	kind := rapid.IntRange(0, 2).Draw(t, "kind")
	switch {
	case kind == 1:
		g.deadlock = true
	case kind == 2 && len(g.steps) > 0:
		g.loop = rapid.IntRange(0, len(g.steps)-1).Draw(t, "loop")
	}
	return g
}

// TestMatchAgreesWithEnumeration compares what is found, and whether anything is,
// with what the enumeration of all runs with these labels says.
func TestMatchAgreesWithEnumeration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := drawSubject(t)
		g := x.drawGiven(t)
		trace, note, err := counterexample.Match(context.Background(), fate.OfChain(x.e), g.evidence(t), counterexample.MatchOptions{Internal: []string{}})
		if want := x.isCounterexample(g); want != (err == nil) {
			t.Fatalf("%v is a counterexample: %v, but: %v", g, want, err)
		}
		if err != nil {
			checkRefusal(t, err)
			return
		}
		x.checkTrace(t, g, trace, note)
	})
}

func checkRefusal(t *rapid.T, err error) {
	text := err.Error()
	for _, known := range []string{"is not a step of the model", "the trace ends in a deadlock, but", "the trace does not violate the property: step", "the trace is only the beginning of a run: "} {
		if strings.Contains(text, known) && !strings.Contains(text, "\n") {
			return
		}
	}
	t.Fatalf("refused with %q", text)
}

// checkTrace checks that the labels of the trace are those given, and that only
// what is missing was added, and as little as possible.
func (x *subject) checkTrace(t *rapid.T, g given, trace *counterexample.Trace, note counterexample.MatchNote) {
	run := oracle.Run{Transitions: trace.Steps(), Loop: oracle.NoLoop}
	if loop, ok := trace.LoopStart(); ok {
		run.Loop = loop
	}
	if err := x.o.Check(run); err != nil {
		t.Fatalf("%v gives %v: %v", g, run, err)
	}
	is := given{steps: x.texts(run.Transitions), loop: run.Loop}
	g.leadsTo(t, is, note)
	if note.Skipped != 0 || note.Closed && (run.Loop == oracle.NoLoop || len(is.steps) != len(g.steps)) {
		t.Fatalf("%v gives %v, note %+v", g, is, note)
	}
	if note.Completed != max(0, len(is.steps)-len(g.steps)) && note.Rounds == 0 {
		t.Fatalf("%v gives %v, note %+v", g, is, note)
	}
	if begin := run.Transitions[:len(g.steps)*min(1, note.Completed)]; note.Completed > 1 && completes(x.m, begin, note.Completed-1, x.loopsBack) {
		t.Fatalf("%v gives %v, which is completed by %d transitions, but fewer would do", g, is, note.Completed)
	}
}

// leadsTo demands that a trace goes as it was given, and further only where that is noted.
func (g given) leadsTo(t *rapid.T, is given, note counterexample.MatchNote) {
	for i := range 100 {
		want, ok := g.step(i)
		got, goes := is.step(i)
		if ok && (!goes || got != want) || !ok && goes && note.Completed == 0 && !note.Closed {
			t.Fatalf("%v gives %v (%+v), which differs at step %d", g, is, note, i+1)
		}
	}
}

// completes reports whether at most this many transitions can be added to a run so
// that it ends in a deadlock or loops back.
func completes(m *lts.LTS, run []lts.Transition, most int, loopsBack func([]lts.Transition) bool) bool {
	at := m.Initial()
	if len(run) > 0 {
		at = run[len(run)-1].To
	}
	if m.IsDeadlock(at) || loopsBack(run) {
		return true
	}
	if most == 0 {
		return false
	}
	labels, targets := m.Out(at)
	for i, to := range targets {
		if completes(m, append(slices.Clone(run), lts.Transition{From: at, Label: labels.At(i), To: to}), most-1, loopsBack) {
			return true
		}
	}
	return false
}

// loopsBack reports whether the run ends in a state that it went through before, so
// that the lasso violates the property.
func (x *subject) loopsBack(run []lts.Transition) bool {
	for loop, step := range run {
		if step.From == run[len(run)-1].To && x.o.Violates(oracle.Run{Transitions: run, Loop: loop}) {
			return true
		}
	}
	return false
}

// isCounterexample reports whether what is given is a counterexample, the beginning
// of one, or a lasso written once round.
func (x *subject) isCounterexample(g given) bool {
	if g.loop != oracle.NoLoop {
		return x.isLasso(g)
	}
	for _, run := range x.runs(g.steps) {
		at, progress := x.m.Initial(), 0
		for _, step := range run {
			at = step.To
			progress = x.p.Advance(progress, step.Label)
		}
		switch {
		case progress == x.n:
		case x.m.IsDeadlock(at):
			return true
		case !g.deadlock && (x.loopsBack(run) || !x.o.Free(at, progress)):
			return true
		}
	}
	return false
}

// runs returns all runs of the model with these labels.
func (x *subject) runs(steps []string) [][]lts.Transition {
	runs := [][]lts.Transition{nil}
	for _, text := range steps {
		var longer [][]lts.Transition
		for _, run := range runs {
			at := x.m.Initial()
			if len(run) > 0 {
				at = run[len(run)-1].To
			}
			labels, targets := x.m.Out(at)
			for i := range labels.Len() {
				l := labels.At(i)
				step := lts.Transition{From: at, Label: l, To: targets[i]}
				if x.m.Alphabet().Text(l) == text && !has(at, labels, targets[:i], step) {
					longer = append(longer, append(slices.Clone(run), step))
				}
			}
		}
		runs = longer
	}
	return runs
}

// has reports whether a step is among these transitions that leave a state.
func has(from lts.State, labels lts.Labels, targets []lts.State, step lts.Transition) bool {
	for i, to := range targets {
		if step == (lts.Transition{From: from, Label: labels.At(i), To: to}) {
			return true
		}
	}
	return false
}

// isLasso reports whether the labels violate the property, and whether the model
// can do them forever: it follows the set of states that it can be in.
func (x *subject) isLasso(g given) bool {
	word := oracle.Run{Loop: g.loop}
	for _, text := range g.steps {
		l, known := x.m.Alphabet().Lookup(text)
		if !known {
			return false
		}
		word.Transitions = append(word.Transitions, lts.Transition{Label: l})
	}
	if !x.o.Violates(word) {
		return false
	}
	states := map[lts.State]bool{x.m.Initial(): true}
	seen := map[string]bool{}
	for i := 0; len(states) > 0; i++ {
		if i >= g.loop && (i-g.loop)%(len(g.steps)-g.loop) == 0 {
			key := fmt.Sprint(states) // fmt sorts the keys of maps
			if seen[key] {
				return true
			}
			seen[key] = true
		}
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
	return false
}

// TestMatchFindsWhatHidesInternalActions takes the internal actions out of a
// counterexample. Whatever is found has the same labels but for these.
func TestMatchFindsWhatHidesInternalActions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := drawSubject(t)
		shortest := x.o.ShortestCounterexamples()
		if len(shortest) == 0 {
			t.Skip("the property holds")
		}
		run := rapid.SampledFrom(shortest).Draw(t, "run")
		hidden := rapid.SampledFrom([]string{"A", "B"}).Draw(t, "hidden")
		g := hide(x, run, hidden)
		o := counterexample.MatchOptions{SkipInternal: true, Internal: []string{hidden}}
		trace, note, err := counterexample.Match(context.Background(), fate.OfChain(x.e), g.evidence(t), o)
		if err != nil {
			t.Fatalf("%v of %v: %v", g, run, err)
		}
		found := oracle.Run{Transitions: trace.Steps(), Loop: oracle.NoLoop}
		if loop, ok := trace.LoopStart(); ok {
			found.Loop = loop
		}
		if err := x.o.Check(found); err != nil {
			t.Fatal(err)
		}
		is := hide(x, found, hidden)
		if note.Closed || note.Completed > 0 || !is.sameAs(g) {
			t.Fatalf("%v gives %v, which shows %v, note %+v", g, found, is, note)
		}
	})
}

// hide returns the run as given without a label.
func hide(x *subject, run oracle.Run, label string) given {
	g := given{loop: oracle.NoLoop, deadlock: run.Loop == oracle.NoLoop}
	for i, text := range x.texts(run.Transitions) {
		if i == run.Loop {
			g.loop = len(g.steps)
		}
		if text != label {
			g.steps = append(g.steps, text)
		}
	}
	if g.loop == len(g.steps) {
		g.loop = oracle.NoLoop // nothing is seen of the loop
	}
	return g
}

// sameAs reports whether the labels are the same for as long as can be seen, whether
// or not a deadlock is known to follow.
func (g given) sameAs(other given) bool {
	for i := range 100 {
		a, goes := g.step(i)
		b, ok := other.step(i)
		if goes != ok || a != b {
			return false
		}
	}
	return true
}

// TestMatchWithTheModelItself takes the whole model for evidence: it fits all runs,
// and so a counterexample is found iff there is one.
func TestMatchWithTheModelItself(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := drawSubject(t)
		v, err := counterexample.NewGiven(x.m, nil)
		if err != nil {
			t.Fatal(err)
		}
		trace, note, err := counterexample.Match(context.Background(), fate.OfChain(x.e), v, counterexample.MatchOptions{})
		if (err == nil) == x.o.Satisfied() {
			t.Fatalf("the property is satisfied: %v, but: %v", x.o.Satisfied(), err)
		}
		if err == nil && (note.Skipped != 0 || note.Completed != 0 || note.Closed) {
			t.Fatalf("%v, note %+v", trace.Steps(), note)
		}
		if errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	})
}
