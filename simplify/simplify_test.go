package simplify_test

import (
	"context"
	"slices"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/simplify"
)

// TestAbstract compares abstractions with the definitions, by an oracle that decides by brute force
// what can become of a run.
func TestAbstract(t *testing.T) {
	ctx := context.Background()
	kept := map[bool]int{}
	for seed := range randomlts.Share(3_000) {
		c := randomlts.Seeded(70_000+seed, randomlts.Small())
		f, err := actl.Parse(ctx, c.Formula)
		if err != nil {
			t.Fatal(err)
		}
		e, err := explain.Explain(ctx, c.Model, f, explain.Options{NoAdvice: true, NoFairness: true, NoReasons: true, NoPaths: true})
		if err != nil {
			t.Fatal(err)
		}
		run := e.Trace()
		if run == nil {
			continue
		}
		o, err := oracle.New(c.Model, c.Steps)
		if err != nil {
			t.Fatal(err)
		}
		var fates []simplify.Fate
		for i := range run.Len() + 1 {
			at := run.Initial()
			if i > 0 {
				at = run.Step(i - 1).To
			}
			fate := simplify.Fated
			if o.Free(at, int(run.At(i))) {
				fate = simplify.Free
			}
			fates = append(fates, fate)
		}
		noReturn := slices.Index(fates, simplify.Fated) - 1
		noReturn = max(noReturn, -1)
		decides := []int{}
		for i := range run.Len() {
			step := run.Step(i)
			isNear := e.Classification().Has(step.From) || e.Classification().Has(step.To)
			if fates[0] == simplify.Free && (isNear || i == noReturn) {
				decides = append(decides, i)
			}
		}
		a := simplify.Abstract(run, e.Classification())
		if !slices.Equal(a.Fates, fates) || a.PointOfNoReturn != noReturn || !slices.Equal(a.Kept, decides) {
			t.Fatalf("seed %d:\n%v\n%v, want %v, %d, %v", seed, c, a, fates, noReturn, decides)
		}
		kept[len(a.Kept) > 0]++
	}
	if len(kept) < 2 {
		t.Errorf("abstractions that keep something: %v", kept)
	}
}

// TestDecisions compares decisions with their definition, by an oracle that decides by brute force what can
// become of a run after a transition.
func TestDecisions(t *testing.T) {
	ctx := context.Background()
	hope := map[oracle.Class]int{oracle.Correct: 2, oracle.Neutral: 1}
	onLoops, onStems := 0, 0
	for seed := range randomlts.Share(3_000) {
		c := randomlts.Seeded(80_000+seed, randomlts.Small())
		f, err := actl.Parse(ctx, c.Formula)
		if err != nil {
			t.Fatal(err)
		}
		e, err := explain.Explain(ctx, c.Model, f, explain.Options{NoAdvice: true, NoFairness: true, NoReasons: true, NoPaths: true})
		if err != nil {
			t.Fatal(err)
		}
		run := e.Trace()
		if run == nil {
			continue
		}
		o, err := oracle.New(c.Model, c.Steps)
		if err != nil {
			t.Fatal(err)
		}
		a := simplify.Abstract(run, e.Classification())
		progress := progressOf(run, c.Steps)
		ignored := lts.Label(seed % uint64(c.Model.Alphabet().Len()))
		want := []int{}
		for i := range run.Len() {
			taken := run.Step(i)
			decides := i == a.PointOfNoReturn
			for other := range c.Model.Transitions() {
				isChoice := other.From == taken.From && other.Label != ignored
				isBetter := hope[o.ClassAfter(progress[i], other)] > hope[o.ClassAfter(progress[i], taken)]
				decides = decides || isChoice && isBetter
			}
			if !decides || a.Fates[0] == simplify.Fated {
				continue
			}
			want = append(want, i)
			start, loops := run.LoopStart()
			if loops && i >= start {
				onLoops++
			} else {
				onStems++
			}
		}
		got := a.Decisions(func(l lts.Label) bool { return l == ignored })
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d:\n%v\ndecisions %v, want %v", seed, c, got, want)
		}
	}
	if onLoops == 0 || onStems == 0 {
		t.Errorf("%d decisions on loops and %d on stems", onLoops, onStems)
	}
}

// progressOf returns how many steps of a chain are done before each transition of a run; on its loop, after
// as many rounds as there are steps.
func progressOf(run *counterexample.Trace, steps []map[lts.Label]bool) []int {
	progress := make([]int, run.Len())
	done := 0
	do := func(first int) {
		for i := first; i < run.Len(); i++ {
			progress[i] = done
			if done < len(steps) && steps[done][run.Step(i).Label] {
				done++
			}
		}
	}
	do(0)
	start, loops := run.LoopStart()
	if loops {
		for range len(steps) + 1 {
			do(start)
		}
	}
	return progress
}
