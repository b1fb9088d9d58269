package explain_test

import (
	"context"
	"strings"
	"testing"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
)

// TestQuestionsAboutACheck: a result of Check refuses the questions that need the classes of transitions.
func TestQuestionsAboutACheck(t *testing.T) {
	ctx := context.Background()
	m := randomlts.Seeded(1, randomlts.Size{States: 5, Transitions: 9, Labels: 3, Steps: 1}).Model
	e, err := explain.Check(ctx, m, parseAny(t, "Inev(A, B)"), explain.Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, errAll := e.AllShortest(ctx)
	_, errFaults := e.LeastFaults(ctx, nil)
	for _, err := range []error{errAll, errFaults} {
		if err == nil || !strings.Contains(err.Error(), "call Explain") {
			t.Errorf("%v", err)
		}
	}
}
