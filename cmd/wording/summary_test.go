//go:build !js

package wording_test

import (
	"strings"
	"testing"

	"github.com/inev-lts/inev/batch"
	"github.com/inev-lts/inev/cmd/wording"
	"github.com/inev-lts/inev/internal/batch/baseline"
	"github.com/inev-lts/inev/internal/batch/summary"
)

// TestFailingRowsHaveCauses: each row says why its job fails, once in all, and names no file twice.
func TestFailingRowsHaveCauses(t *testing.T) {
	violated := &batch.Counterexample{Sentence: "After step 3 (REFUSE) PAY can no longer happen."}
	results := []batch.Result{
		{Job: batch.Job{Name: "m.aut: Inev(PAY)", Model: "m.aut"}, Status: batch.Violated, Counterexample: violated},
		{Job: batch.Job{Name: "late", Expect: "satisfied"}, Status: batch.Violated, Unexpected: true, Counterexample: violated},
		{Job: batch.Job{Name: "states"}, Status: batch.Violated, Argument: "State 2 has no way on."},
		{Job: batch.Job{Name: "m.aut: AG A", Model: "m.aut", Path: "d/m.aut"}, Status: batch.Failed, Error: "d/m.aut:3: expected a state"},
		{Job: batch.Job{Name: "m.aut: AG B", Model: "m.aut", Path: "d/m.aut"}, Status: batch.TimedOut, Error: "stopped after 5s"},
		{Job: batch.Job{Name: "mended", Expect: "violated"}, Status: batch.Satisfied, Unexpected: true},
		{Job: batch.Job{Name: "slow"}, Status: batch.Satisfied, Exceeds: []string{"it takes up to 9 actions, and at most 4 are expected"}},
	}
	b := summary.Batch{Differences: &baseline.Differences{Baseline: "old", List: []baseline.Difference{
		{Name: "late", Change: baseline.NewlyViolated, Old: "satisfied", New: "violated, 4 transitions: After step 3 (REFUSE) PAY can no longer happen"},
		{Name: "other", Change: baseline.Repaired, Old: "violated, 4 transitions: The run stops", New: "satisfied"},
	}}}
	want := `7 jobs: 2 satisfied, 3 violated, 2 without a verdict

Failing (--fail-on any):
  violated   m.aut: Inev(PAY): After step 3 (REFUSE) PAY can no longer happen
  violated   late, expected: satisfied: After step 3 (REFUSE) PAY can no longer happen
  violated   states: State 2 has no way on
  error      AG A: d/m.aut:3: expected a state
  timeout    m.aut: AG B: stopped after 5s
  satisfied  mended, expected: violated: it holds now; remove the expectation
  satisfied  slow: it takes up to 9 actions, and at most 4 are expected

Changed since old: 2 jobs
  newly-violated   late (satisfied before, now violated, 4 transitions)
  repaired         other (violated, 4 transitions: The run stops before, now satisfied)

More in out/index.html
`
	got := wording.Summary(&batch.Outcome{Results: results}, b, results, "any", "out")
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if n := strings.Count(got, "d/m.aut"); n != 1 {
		t.Errorf("the file is named %d times", n)
	}
}
