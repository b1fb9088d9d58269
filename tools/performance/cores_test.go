package main

import (
	"strings"
	"testing"
)

// TestCores: a table has medians of times and ratios, part by part.
func TestCores(t *testing.T) {
	parts := secondsByPart(sample{Seconds: 10, Phases: []phase{{"read", 1}, {"components", 2}, {"enrich", 3}, {"classify", 1}, {"explain", 1}}})
	if got, want := parts, []float64{1, 5, 1, 3, 10}; len(got) != len(want) || got[1] != want[1] || got[3] != want[3] || got[4] != want[4] {
		t.Errorf("parts of a run: %v, want %v", got, want)
	}
	rows := newTable("", "", "one core", "two cores", "one ÷ two", "alone", "of the run")
	one, two := []float64{2, 4, 2, 2, 10}, []float64{1, 4, 1, 2, 8}
	addCores(rows, "model", [2][][]float64{{one, one, {9, 9, 9, 9, 90}}, {two, two, two}}, []float64{0.125, 0, 0.25, 0, 0.5})
	for _, want := range []string{"| the whole run | 10.0 s | 8.00 s | 1.25 × | 50 % | |", "| components, enrich | 4.00 s | 4.00 s | 1.00 × | 0 % | 50 % |", "| read | 2.00 s | 1.00 s | 2.00 × | 12 % | 12 % |"} {
		if !strings.Contains(rows.String(), want) {
			t.Errorf("no row %q in\n%s", want, rows)
		}
	}
}

// TestReadTrace: a part of a run has work for one core only while one goroutine is ready, at most.
func TestReadTrace(t *testing.T) {
	const text = `M=1 P=0 G=-1 StateTransition Time=90 GoID=9 Undetermined->Syscall Reason=""
M=1 P=0 G=-1 StateTransition Time=95 GoID=1 Undetermined->Running Reason=""
M=1 P=0 G=1 Log Time=100 Task=0 Category="phase" Message="read"
M=1 P=0 G=1 StateTransition Time=110 GoID=2 NotExist->Runnable Reason=""
Stack=
M=2 P=1 G=-1 StateTransition Time=120 GoID=2 Runnable->Running Reason=""
M=2 P=1 G=2 StateTransition Time=130 GoID=2 Running->Syscall Reason=""
M=2 P=1 G=2 StateTransition Time=150 GoID=2 Running->Waiting Reason="chan"
M=1 P=0 G=1 Log Time=180 Task=0 Category="phase" Message="components"
M=1 P=0 G=1 StateTransition Time=280 GoID=1 Running->NotExist Reason=""
`
	got, err := readTrace(strings.NewReader(text))
	if err != nil || len(got) != 5 || got[0] != 0.5 || got[1] != 1 || got[3] != 0 || got[4] != 140.0/180 {
		t.Errorf("%v (error %v)", got, err)
	}
}
