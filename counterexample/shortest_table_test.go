package counterexample_test

import (
	"context"
	"fmt"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/lts"
)

// every returns all paths of this length from the initial state that violate the property
// in a way that [counterexample.AllShortestOf] counts, as texts: bad prefixes, or runs into
// deadlocks and lassos that close in the product, or, where inModel says so, in the model.
func (x *tableSubject) every(length int, prefix, inModel bool) []string {
	var all []string
	paths(x.m, length, func(path []lts.Transition) bool {
		if len(path) < length {
			return true
		}
		states := []int{x.a.Initial}
		for _, step := range path {
			states = append(states, x.a.Next(states[len(states)-1], step.Label))
		}
		at, q := x.m.Initial(), states[len(path)]
		if len(path) > 0 {
			at = path[len(path)-1].To
		}
		accept, _ := x.g.Can(at, q)
		switch {
		case prefix:
			if !accept && x.isBad(q) {
				all = append(all, fmt.Sprint(path))
			}
			return true
		case x.m.IsDeadlock(at) && !x.a.Stops(q):
			all = append(all, fmt.Sprint(path))
		}
		for loop, step := range path {
			if step.From == at && (inModel || states[loop] == q) && x.violates(labelsOf(path), loop) {
				all = append(all, fmt.Sprint(path, loop))
			}
		}
		return true
	})
	slices.Sort(all)
	return slices.Compact(all)
}

// isBad reports whether no word is accepted from a state of the property.
func (x *tableSubject) isBad(q int) bool {
	var b lts.Builder
	for _, text := range x.m.Alphabet().All() {
		b.Add(0, b.Label(text), 0)
		b.Add(0, b.Label(text), 1)
	}
	words, err := b.Build(0, 2)
	if err != nil {
		return false
	}
	a := x.a
	a.Initial = q
	accept, _ := oracle.NewGeneral(words, a).Can(0, q)
	return !accept
}

// TestAllShortestOfTables compares what is listed, counted and preferred with the
// enumeration of all paths.
func TestAllShortestOfTables(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := drawTableSubject(t)
		ctx := context.Background()
		found, err := counterexample.Shortest(ctx, x.m, x.p, counterexample.Options{})
		if err != nil {
			t.Fatal(err)
		}
		family, err := counterexample.All(ctx, x.m, x.p, counterexample.Options{})
		if err != nil || (family == nil) != (found.Trace == nil) {
			t.Fatalf("%v, %v: %v", family, found.Trace, err)
		}
		if family == nil {
			return
		}
		inModel := found.Minimal == counterexample.InModel
		if family.Minimal() != found.Minimal {
			t.Fatalf("all are minimal in the %s, and one is in the %s", family.Minimal(), found.Minimal)
		}
		if family.Len() > 7 {
			t.Skip("too long to be enumerated")
		}
		prefix := found.Trace.Kind() == counterexample.Prefix
		want := x.every(family.Len(), prefix, inModel && !prefix)
		var got []string
		weight := func(s lts.State) int { return int(s) * int(s) % 7 }
		weights := map[int]bool{}
		var weighed []int
		for trace, err := range family.Each(ctx) {
			if err != nil {
				t.Fatal(err)
			}
			text := fmt.Sprint(trace.Steps())
			if loop, loops := trace.LoopStart(); loops {
				text = fmt.Sprint(trace.Steps(), loop)
			}
			sum := 0
			for _, step := range trace.Steps() {
				sum += weight(step.From)
			}
			got, weighed = append(got, text), append(weighed, sum)
			weights[sum] = true
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Fatalf("%s: listed\n%v\nwant\n%v", x.p, got, want)
		}
		if n, err := family.Count(ctx); err != nil || n.Int64() != int64(len(want)) {
			t.Fatalf("counted %v of %d: %v", n, len(want), err)
		}
		for most, extreme := range map[bool]int{false: slices.Min(weighed), true: slices.Max(weighed)} {
			best, err := family.Best(ctx, weight, most)
			if err != nil {
				t.Fatal(err)
			}
			sum := 0
			for _, step := range best.Steps() {
				sum += weight(step.From)
			}
			if sum != extreme {
				t.Fatalf("the best one weighs %d, most: %v, of %v", sum, most, weighed)
			}
		}
		x.sameTransitions(t, family)
	})
}

// sameTransitions compares the transitions of a family with those of its members.
func (x *tableSubject) sameTransitions(t *rapid.T, family *counterexample.Family) {
	all, looping := map[lts.Transition]bool{}, map[lts.Transition]bool{}
	for trace := range family.Each(context.Background()) {
		loop, loops := trace.LoopStart()
		for i, step := range trace.Steps() {
			all[step] = true
			if loops && i >= loop {
				looping[step] = true
			}
		}
	}
	listed, round := family.Transitions()
	for _, c := range []struct {
		got  []lts.Transition
		want map[lts.Transition]bool
	}{{listed, all}, {round, looping}} {
		if len(c.got) != len(c.want) || !slices.IsSortedFunc(c.got, func(a, b lts.Transition) int { return int(a.From) - int(b.From) }) {
			t.Fatalf("transitions %v, want %v", c.got, c.want)
		}
		for _, tr := range c.got {
			if !c.want[tr] {
				t.Fatalf("transitions %v, want %v", c.got, c.want)
			}
		}
	}
}

// TestAllShortestLeaveWaysOutThatViolateNothing: on a ladder with steps of one and of two states the
// loops of all lengths that violate nothing are many, and the one that violates is alone. To go through
// the others takes memory that is quadratic in the states.
func TestAllShortestLeaveWaysOutThatViolateNothing(t *testing.T) {
	const states = 2000
	var b lts.Builder
	for s := range lts.State(states - 2) {
		b.Add(s, b.Label("a"), s+1)
		b.Add(s, b.Label("b"), s+2)
	}
	b.Add(states-2, b.Label("c"), 0)
	b.Add(states-1, b.Label("d"), states-1)
	m, err := b.Build(0, states)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"Response(a; b)", "GF a -> GF b"} {
		p := boundTo(t, m, text)
		var count *big.Int
		taken := testing.AllocsPerRun(1, func() {
			all, err := counterexample.All(t.Context(), m, p, counterexample.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if count, err = all.Count(t.Context()); err != nil {
				t.Fatal(err)
			}
		})
		if count.Int64() != 1 {
			t.Errorf("%s: %v counterexamples, want the loop of all states", text, count)
		}
		if taken > 20*states {
			t.Errorf("%s: %v allocations for %d states", text, taken, states)
		}
	}
}
