package view

import (
	"context"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// walkOf draws a run that may come by a state many times, and take one transition many
// times, as runs of other tools do; nil if there is none that violates the property.
func walkOf(rt *rapid.T, c randomlts.Case) *counterexample.Trace {
	f, err := actl.Parse(context.Background(), c.Formula)
	if err != nil {
		rt.Fatal(err)
	}
	p, _, _ := f.Bind(context.Background(), c.Model.Alphabet())
	var steps []lts.Transition
	at := c.Model.Initial()
	for range rapid.IntRange(0, 40).Draw(rt, "steps") {
		labels, targets := c.Model.Out(at)
		if len(targets) == 0 {
			break
		}
		i := rapid.IntRange(0, len(targets)-1).Draw(rt, "next")
		steps = append(steps, lts.Transition{From: at, Label: labels.At(i), To: targets[i]})
		at = targets[i]
	}
	loop := slices.IndexFunc(steps, func(s lts.Transition) bool { return s.From == at })
	t, err := counterexample.NewViolating(c.Model, p, steps, loop)
	if err != nil {
		return nil
	}
	return t
}

// TestRunsAreFound: what a run says of transitions and states is what its steps say, one
// by one.
func TestRunsAreFound(t *testing.T) {
	cases := randomlts.Generator(randomlts.Small())
	rapid.Check(t, func(rt *rapid.T) {
		c := cases.Draw(rt, "case")
		trace := walkOf(rt, c)
		if trace == nil {
			return
		}
		r := newRun(trace)
		if trace.Len() > 0 {
			r.noReturn = rapid.IntRange(1, trace.Len()).Draw(rt, "point of no return")
		}
		start, isLasso := trace.LoopStart()
		visited, looping, marks := map[lts.State]bool{trace.Initial(): true}, map[lts.State]bool{}, map[lts.Transition]Mark{}
		for i, step := range trace.Steps() {
			visited[step.To] = true
			inLoop := isLasso && i >= start
			looping[step.From] = looping[step.From] || inLoop
			m := marks[step]
			m.Steps = append(m.Steps, i+1)
			m.Loop = m.Loop || inLoop
			m.Closing = isLasso && i+1 == trace.Len()
			m.NoReturn = m.NoReturn || i+1 == r.noReturn
			marks[step] = m
		}
		for s := range lts.State(c.Model.NumStates()) {
			if r.visits(s) != visited[s] || r.isOnLoop(s) != looping[s] {
				rt.Fatalf("state %d: visited %v, on the loop %v", s, r.visits(s), r.isOnLoop(s))
			}
		}
		for transition := range c.Model.Transitions() {
			m, on := r.mark(transition)
			want, is := marks[transition]
			if on != is || r.takes(transition) != is || !reflect.DeepEqual(m, want) {
				rt.Fatalf("%v is marked %+v, want %+v", transition, m, want)
			}
		}
	})
}

// TestWalksSayEnough: of the runs that are drawn many violate the property, and take a
// transition again.
func TestWalksSayEnough(t *testing.T) {
	walks := rapid.Custom(func(rt *rapid.T) *counterexample.Trace {
		return walkOf(rt, randomlts.Generator(randomlts.Small()).Draw(rt, "case"))
	})
	runs, repeated := 0, 0
	for seed := range 200 {
		trace := walks.Example(seed)
		if trace == nil {
			continue
		}
		runs++
		taken := map[lts.Transition]bool{}
		for _, step := range trace.Steps() {
			if taken[step] {
				repeated++
			}
			taken[step] = true
		}
	}
	if runs < 20 || repeated < 20 {
		t.Errorf("%d runs with %d steps taken again say too little", runs, repeated)
	}
}
