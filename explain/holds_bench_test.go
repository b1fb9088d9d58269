package explain_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/lts"
)

// large returns a model with so many transitions, in which DONE comes after all states have
// been passed one after the other, or some left out; REQ begins it anew if it loops. One
// transition of eight is a LOSS.
func large(b *testing.B, transitions int, loops bool) *lts.LTS {
	b.Helper()
	var builder lts.Builder
	step, loss, done, request := builder.Label("STEP"), builder.Label("LOSS"), builder.Label("DONE"), builder.Label("REQ")
	n := transitions / 3
	for s := range n - 4 {
		label := step
		if s == 0 {
			label = request
		}
		builder.Add(lts.State(s), label, lts.State(s+1))
		builder.Add(lts.State(s), step, lts.State(s+2))
		if s%3 == 0 {
			label = loss
		}
		builder.Add(lts.State(s), label, lts.State(s+3))
	}
	end := lts.State(n - 1)
	for s := n - 4; s < n-1; s++ {
		builder.Add(lts.State(s), done, end)
	}
	if loops {
		builder.Add(end, step, 0)
	} else {
		builder.Add(end, step, end)
	}
	m, err := builder.Build(0, n)
	if err != nil {
		b.Fatal(err)
	}
	return m
}

// BenchmarkHolds compares what is asked of a property that holds with checking it: bounds and
// the slowest run should take no more than half as long again.
func BenchmarkHolds(b *testing.B) {
	for _, c := range []struct {
		formula string
		loops   bool
	}{{"Inev(DONE)", false}, {"Inev({STEP, LOSS, REQ}, DONE)", false}, {"Response(REQ; DONE)", true}, {"GF DONE", true}} {
		b.Run(c.formula, func(b *testing.B) {
			m := large(b, 10_000_000, c.loops)
			f := parseAny(b, c.formula)
			faults := patternsOf(b, "LOSS")
			for b.Loop() {
				start := time.Now()
				checked, err := explain.Check(context.Background(), m, f, explain.Options{})
				if err != nil || checked.Verdict != explain.Satisfied {
					b.Fatal(checked, err)
				}
				check := time.Since(start)
				e, err := explain.Explain(context.Background(), m, f, explain.Options{NoAdvice: true, Faults: faults})
				if err != nil {
					b.Fatal(err)
				}
				said := fmt.Sprintf("check %v;", check)
				for _, p := range e.Timings.Totals() {
					said += fmt.Sprintf(" %s %v", p.Name, p.Took)
				}
				b.Log(said)
			}
		})
	}
}
