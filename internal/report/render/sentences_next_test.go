package render_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
)

// TestSentencesAboutLaterActions: the table of a run says after how many actions an action must come, counted from each step,
// and no operator of the formula.
func TestSentencesAboutLaterActions(t *testing.T) {
	for next := 1; next <= 4+int(randomlts.Share(4)); next++ {
		var lines []string
		for i := range 10 {
			lines = append(lines, fmt.Sprintf("%d A %d", i, i+1), fmt.Sprintf("%d B %d", i, i+1))
		}
		out, e := reported(t, modelOf(t, lines...), strings.Repeat("X ", next)+"B", "")
		for i := range min(next, len(e.Counterexample.Steps)) {
			left := next - i - 1
			want := fmt.Sprintf("B must come after the next %d actions", left)
			switch left {
			case 0:
				want = "B must come next"
			case 1:
				want = "B must come after the next action"
			}
			pending := e.Counterexample.Steps[i].Pending
			if pending == nil || pending.Words.String() != want {
				t.Errorf("%d of X, after step %d: %v, want %s\n%s", next, i+1, pending, want, out)
			}
		}
	}
}

// TestSentencesAboutWaitingUntil: what is not allowed before the awaited action is named by its label, without operators.
func TestSentencesAboutWaitingUntil(t *testing.T) {
	m := modelOf(t, "0 A 1", "1 B 0", "1 D 2", "2 C 2")
	out, _ := reported(t, m, "G (A -> (!D U B))", "")
	for _, want := range []string{
		"D happens (step 2), but the run was still waiting for B, until then without D.",
		"A  waiting for B, until then without D",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	out, _ = reported(t, m, "G (A -> ((!D && !C) U B))", "")
	if !strings.Contains(out, "until then without D or C") {
		t.Error(out)
	}
}
