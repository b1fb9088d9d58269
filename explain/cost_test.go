package explain_test

import (
	"context"
	"errors"
	"math"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/lts"
)

func TestCostOfPhases(t *testing.T) {
	c := explain.Phases{{Name: "read", Took: time.Second}, {Name: "search", Took: time.Hour}, {Name: "read", Took: time.Second}}.Cost(1000)
	if c.ReadPerSecond != 500 || math.Abs(c.BytesPerTransition-float64(c.PeakMemory)/1000) > 0.05 || c.PeakMemory <= 0 || c.PeakHeap <= 0 {
		t.Errorf("%+v", c)
	}
	if c := explain.Phases(nil).Cost(0); c.ReadPerSecond != 0 || c.BytesPerTransition != 0 {
		t.Errorf("%+v", c)
	}
}

// TestResultsHoldTheirCost: where it is asked for, all results have it when they are
// returned, and nowhere else.
func TestResultsHoldTheirCost(t *testing.T) {
	m, _, err := aut.Read(context.Background(), strings.NewReader("des (0, 2, 2)\n(0, A, 1)\n(1, B, 0)\n"), aut.Options{})
	if err != nil {
		t.Fatal(err)
	}
	f, err := actl.Parse(context.Background(), "Inev(C)")
	if err != nil {
		t.Fatal(err)
	}
	for _, measure := range []bool{false, true} {
		o := explain.Options{Source: explain.Source{Measure: measure, Before: []explain.Phase{{Name: "read", Took: time.Second}}}}
		explained, err1 := explain.Explain(context.Background(), m, f, o)
		checked, err2 := explain.Check(context.Background(), m, f, o)
		described, err3 := explain.Describe(context.Background(), m, []string{"A", "B"}, o.Engine, o.Source)
		listed, err4 := explain.ListLabels(context.Background(), m, o.Source)
		if err := errors.Join(err1, err2, err3, err4); err != nil {
			t.Fatal(err)
		}
		for i, c := range []*explain.Cost{explained.Cost, checked.Cost, described.Cost, listed.Cost} {
			if (c != nil) != measure || measure && c.ReadPerSecond != 2 {
				t.Errorf("result %d, measured %v: %+v", i, measure, c)
			}
		}
	}
}

// TestLongLoopsAreKeptOnce: a violating loop of many steps takes little more memory than its steps.
func TestLongLoopsAreKeptOnce(t *testing.T) {
	const length = 100_000
	ctx := context.Background()
	var b lts.Builder
	step := b.Label("STEP")
	for s := range lts.State(length - 1) {
		b.Add(s, step, s+1)
	}
	b.Add(length-1, b.Label("BACK"), 0)
	m, err := b.Build(0, length)
	if err != nil {
		t.Fatal(err)
	}
	f, err := formula.Parse(ctx, "F G !BACK")
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	checked, err := explain.Check(ctx, m, f, explain.Options{})
	runtime.ReadMemStats(&after)
	if err != nil || checked.Counterexample.Length != length {
		t.Fatal(checked, err)
	}
	each := (after.TotalAlloc - before.TotalAlloc) / length
	if each > 200 {
		t.Errorf("%d bytes were allocated for each step", each)
	}
}
