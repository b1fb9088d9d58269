package explain_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/lts"
)

// large returns a model with so many transitions, in layers of 1,000 states, and the last layer
// does DONE; then it begins anew, or stays. One transition of nine is a LOSS.
func large(b *testing.B, transitions int, loops bool) *lts.LTS {
	b.Helper()
	const width = 1000
	var builder lts.Builder
	step, loss, done, request := builder.Label("STEP"), builder.Label("LOSS"), builder.Label("DONE"), builder.Label("REQ")
	n := transitions / 3
	end := lts.State(n)
	for s := range n {
		for i, further := range []int{0, 1, 7} {
			label, to := step, lts.State(s+width+further)
			switch {
			case s+width+7 >= n:
				label, to = done, end
			case s == 0:
				label = request
			case i == 2 && s%3 == 0:
				label = loss
			}
			builder.Add(lts.State(s), label, to)
		}
	}
	back := end
	if loops {
		back = 0
	}
	builder.Add(end, step, back)
	m, err := builder.Build(0, n+1)
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

// BenchmarkFaults compares the search for the fewest faults with checking the property: it
// should take no more than twice as long.
func BenchmarkFaults(b *testing.B) {
	for _, formula := range []string{"Inev(DONE, DONE)", "Response(REQ; LOSS)"} {
		b.Run(formula, func(b *testing.B) {
			m := large(b, 10_000_000, false)
			f := parseAny(b, formula)
			for b.Loop() {
				start := time.Now()
				checked, err := explain.Check(context.Background(), m, f, explain.Options{})
				if err != nil || checked.Verdict != explain.Violated {
					b.Fatal(checked, err)
				}
				check := time.Since(start)
				e, err := explain.Explain(context.Background(), m, f, explain.Options{NoAdvice: true, NoFairness: true, NoPaths: true, Faults: patternsOf(b, "LOSS")})
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
