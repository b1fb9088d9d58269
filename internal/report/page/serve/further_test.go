package serve

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/testing/oracle/specimens"
	"github.com/inev-lts/inev/lts"
)

// TestFurtherQuestions: a page asks for another counterexample, and for the nearest ways on.
func TestFurtherQuestions(t *testing.T) {
	var b lts.Builder
	for _, step := range []struct {
		from  lts.State
		label string
		to    lts.State
	}{{0, "START", 1}, {1, "BAD", 2}, {1, "GOOD", 3}, {1, "LOSE", 4}} {
		b.Add(step.from, b.Label(step.label), step.to)
	}
	m, err := b.Build(0, 5)
	if err != nil {
		t.Fatal(err)
	}
	s := served(t, specimens.Asked(t, m, "Inev(GOOD)", explain.Options{}))
	ask := func(question string, code int, answer any) {
		t.Helper()
		w := do(s, "/"+s.token+"/"+question, nil)
		if w.Code != code {
			t.Fatalf("%s: %d %s", question, w.Code, w.Body)
		}
		if answer != nil {
			if err := json.Unmarshal(w.Body.Bytes(), answer); err != nil {
				t.Fatalf("%s: %v: %s", question, err, w.Body)
			}
		}
	}
	var one, all []string
	ask("another?state=1", 200, &one)
	ask("another?state=3", 200, &all)
	if len(one) != 1 || len(all) != 2 || one[0] != all[0] || !strings.HasPrefix(all[1], "There is no further one") {
		t.Errorf("one: %q, all: %q", one, all)
	}
	for _, wrong := range []string{"another", "another?state=0", "another?state=21", "another?state=x", "fork?state=1&q=7", "fork?state=1"} {
		ask(wrong, 400, nil)
	}
	var ways fork
	ask("fork?state=1&q=0", 200, &ways)
	if ways.Correct == nil || ways.Correct.Labels[0] != "GOOD" || !ways.Correct.Decided || ways.Violating == nil || len(ways.Violating.Labels) != 1 || ways.Violating.Decided {
		t.Errorf("the ways on are %+v, %+v", ways.Correct, ways.Violating)
	}
	ask("fork?state=2&q=0", 200, &ways)
	if ways.Correct != nil || ways.Violating == nil || len(ways.Violating.Labels) != 0 {
		t.Errorf("the ways on from the end are %+v, %+v", ways.Correct, ways.Violating)
	}
}
