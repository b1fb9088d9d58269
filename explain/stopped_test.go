package explain_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/lts"
)

// stoppedAt returns a context that is cancelled as soon as a phase begins.
func stoppedAt(phase string) context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	return explain.WithProgress(ctx, func(p explain.Progress) {
		if p.Phase() == phase {
			cancel()
		}
	})
}

// twoWays is a model in which A may never happen: there is a loop, which one can leave, before it.
func twoWays(t *testing.T) *lts.LTS {
	t.Helper()
	var b lts.Builder
	x, a, y := b.Label("x"), b.Label("A"), b.Label("y")
	b.Add(0, x, 1)
	b.Add(1, x, 2)
	b.Add(2, y, 1)
	b.Add(2, a, 3)
	b.Add(3, x, 0)
	m, err := b.Build(0, 4)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestKnownVerdictIsKept: whatever phase is stopped after the verdict, the result has it with the
// run, and the error says what was not done.
func TestKnownVerdictIsKept(t *testing.T) {
	m := twoWays(t)
	for _, c := range []struct {
		formula, phase, before string
		unfold, noRun          bool
	}{
		{formula: "Inev(A)", phase: "fairness", before: "it was known which fairness would help"},
		{formula: "Inev(A)", phase: "advice", before: "advice"},
		{formula: "Inev(A)", phase: "explain", before: "all decisions were known"},
		{formula: "Inev(A)", phase: "search", before: "a shortest counterexample was known", noRun: true},
		{formula: "Inev(A)", phase: "classify", before: "a shortest counterexample was known", noRun: true},
		{formula: "G F A", phase: "classify", before: "a shortest counterexample was known", noRun: true},
		{formula: "Inev(A, A)", phase: "explain", before: "all decisions were known", unfold: true},
		{formula: "G F A", phase: "advice", before: "advice"},
		{formula: "G F A", phase: "explain", before: "all decisions were known"},
		{formula: "Response(x; A)", phase: "advice", before: "advice"},
	} {
		f, err := formula.Parse(context.Background(), c.formula)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := explain.Explain(context.Background(), m, f, explain.Options{})
		if err != nil {
			t.Fatal(err)
		}
		e, err := explain.Explain(stoppedAt(c.phase), m, f, explain.Options{Unfold: c.unfold})
		var stopped *explain.StoppedError
		if !errors.As(err, &stopped) || !errors.Is(err, context.Canceled) || stopped.Before != c.before || e == nil {
			t.Errorf("%s, %s: %v, want one before %s", c.formula, c.phase, err, c.before)
			continue
		}
		if e.Verdict != whole.Verdict || e.Verdict != explain.Violated {
			t.Errorf("%s, %s: %s", c.formula, c.phase, e.Verdict)
		}
		if c.noRun {
			continue
		}
		if e.Counterexample == nil || e.Counterexample.Length != whole.Counterexample.Length || e.Trace() == nil || e.Classes != nil {
			t.Errorf("%s, %s: %+v", c.formula, c.phase, e.Counterexample)
		}
	}
}

// TestSatisfiedIsKept: so it is if the property holds.
func TestSatisfiedIsKept(t *testing.T) {
	f, err := formula.Parse(context.Background(), "Inev(x)")
	if err != nil {
		t.Fatal(err)
	}
	e, err := explain.Explain(stoppedAt("explain"), twoWays(t), f, explain.Options{})
	if err == nil {
		t.Skip("nothing was left to be done")
	}
	if !errors.As(err, new(*explain.StoppedError)) || e.Verdict != explain.Satisfied {
		t.Errorf("%v, %v", e, err)
	}
}

// stoppedAfter is a context that is done after its error was asked for some times.
type stoppedAfter struct {
	context.Context
	left int
}

func (c *stoppedAfter) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestWarningsOfStoppedCheck: wherever a check is stopped, its result has only warnings that say something.
func TestWarningsOfStoppedCheck(t *testing.T) {
	f, err := formula.Parse(context.Background(), "Response(B; A)")
	if err != nil {
		t.Fatal(err)
	}
	full, err := actl.ParseAssumption(context.Background(), "full")
	if err != nil {
		t.Fatal(err)
	}
	model := func() *lts.LTS { // of which no run does B
		var b lts.Builder
		b.Add(0, b.Label("A"), 0)
		b.Add(1, b.Label("B"), 1)
		m, err := b.Build(0, 2)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	stopped := 0
	for looks, err := 0, context.Canceled; err != nil; looks++ {
		var e *explain.Explanation
		if e, err = explain.Check(&stoppedAfter{context.Background(), looks}, model(), f, explain.Options{Fair: []*actl.Assumption{full}}); err == nil || e == nil {
			continue
		}
		stopped++
		if slices.Contains(e.Warnings, "") {
			t.Errorf("after %d looks: %v, warnings %q", looks, err, e.Warnings)
		}
	}
	if stopped == 0 {
		t.Error("no check was stopped after it knew something")
	}
}

// TestUnknownVerdictIsNone: before the verdict is known there is no result.
func TestUnknownVerdictIsNone(t *testing.T) {
	f, err := formula.Parse(context.Background(), "G F A")
	if err != nil {
		t.Fatal(err)
	}
	for _, phase := range []string{"components", "enrich"} {
		e, err := explain.Explain(stoppedAt(phase), twoWays(t), f, explain.Options{})
		if err != nil && (e != nil || errors.As(err, new(*explain.StoppedError))) {
			t.Errorf("%s: %v, %v", phase, e, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := explain.Check(ctx, twoWays(t), f, explain.Options{}); err == nil || errors.As(err, new(*explain.StoppedError)) {
		t.Errorf("%v", err)
	}
}
