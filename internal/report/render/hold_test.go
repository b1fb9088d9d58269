package render_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/lts"
)

// modelOf makes a model of lines such as "0 req 1".
func modelOf(t *testing.T, lines ...string) *lts.LTS {
	t.Helper()
	var b lts.Builder
	last := lts.State(0)
	for _, line := range lines {
		var from, to lts.State
		var label string
		if _, err := fmt.Sscan(line, &from, &label, &to); err != nil {
			t.Fatal(err)
		}
		b.Add(from, b.Label(label), to)
		last = max(last, from, to)
	}
	m, err := b.Build(0, int(last)+1)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// inARow returns steps with a label, one after the other.
func inARow(from, to int, label string) []string {
	var lines []string
	for s := from; s < to; s++ {
		lines = append(lines, fmt.Sprintf("%d %s %d", s, label, s+1))
	}
	return lines
}

// TestCostlyChangesComeLast: what takes much from the model is told after assumptions and lighter changes,
// and only if there is no lighter change as short; less than half of the states is told only if nothing else
// helps. Labels that vanish are named.
func TestCostlyChangesComeLast(t *testing.T) {
	long := append(inARow(1, 30, "s"), "0 go 1", "0 ok 31", "30 tau 32", "32 tau 30")
	causes := append(inARow(5, 40, "work"), "0 a 1", "0 b 2", "0 c 3", "1 arm 4", "2 arm 4", "3 arm 4", "4 boom 5", "4 idle 4", "0 idle 0", "40 idle 40", "0 work 5")
	for _, c := range []struct {
		name    string
		model   *lts.LTS
		formula string
		first   string
		more    string
		lacking *explain.LackingFairness
	}{
		{"an assumption comes first", modelOf(t, "0 send 1", "1 timeout 1", "1 answer 2"), "Inev(answer)",
			"timeout happens finitely often.|answer is eventually taken once it stays enabled (weak fairness of this action).|Forbid timeout in state 1 (step 2 of this run).", "", nil},
		{"an assumption is enough", modelOf(t, append(long, "30 ok 31", "32 ok 31")...), "Inev(ok)",
			"tau happens finitely often.|ok is eventually taken once it stays enabled (weak fairness of this action).",
			"Forbid go in state 0 (step 1 of this run): 2 of 33 states stay reachable, and s and tau no longer happen.", nil},
		{"nothing else helps", modelOf(t, append(inARow(1, 30, "s"), "0 go 1", "0 ok 31")...), "Inev(ok)",
			"Forbid go in state 0 (step 1 of this run): 2 of 32 states stay reachable, and s no longer happens.", "", nil},
		{"the specification lacks fairness", modelOf(t, append(inARow(1, 30, "s"), "0 go 1", "0 ok 31")...), "Inev(ok)",
			"", "Forbid go in state 0 (step 1 of this run): 2 of 32 states stay reachable, and s no longer happens.", &explain.LackingFairness{Conjuncts: []string{"WF_v(ok)"}}},
		{"no fairness is enough", modelOf(t, append(inARow(1, 30, "s"), "0 go 1", "0 ok 31")...), "Inev(ok)",
			"Forbid go in state 0 (step 1 of this run): 2 of 32 states stay reachable, and s no longer happens.", "", &explain.LackingFairness{Unhelpful: true}},
		{"another choice is named", modelOf(t, causes...), "Never(boom)",
			"Forbid boom in state 4 (step 3 of this run): idle is the other choice.", "", nil},
		{"a condition keeps all labels", modelOf(t, "0 a 3", "0 go 1", "1 a 3", "1 skip 3", "1 x 1", "3 both 4", "3 rest 3", "4 a 5", "5 fine 5"), "AtMost(1; a)",
			"Forbid both in state 3 after the first a.", "", nil},
		{"a scope is named", modelOf(t, "0 open 0", "0 write 1", "0 close 0", "1 open 1", "1 write 2", "1 close 1", "2 open 2", "2 write 0", "2 close 2"), "Never(write; between open and close)",
			"Forbid write in states 0, 1, 2 between open and close.", "Forbid write in state 0 (step 2 of this run): close and open are the other choices; 1 of 3 states stays reachable.", nil},
		{"an inevitable chain is done then", modelOf(t, "0 A 1", "1 X 2", "2 B 3", "2 Y 4", "3 C 1", "3 C 5"), "Inev(A, B, C)",
			"Forbid Y in state 2 (step 3 of this run).", "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, err := explain.Explain(context.Background(), c.model, parseAny(t, c.formula), explain.Options{NoPaths: true, Lacking: c.lacking})
			if err != nil {
				t.Fatal(err)
			}
			s := render.NewSentences(e, printable.Text)
			var first []string
			for _, said := range s.Hold() {
				if !strings.HasPrefix(said, "Fairness") {
					first = append(first, said)
				}
			}
			if got := strings.Join(first, "|"); got != c.first {
				t.Errorf("told is %q,\nwant    %q", got, c.first)
			}
			var all []string
			for _, r := range s.Remedies() {
				all = append(all, r.Sentence)
			}
			if c.more != "" && (!slices.Contains(all, c.more) || slices.Contains(first, c.more)) {
				t.Errorf("a full report tells %q,\nand should add %q", all, c.more)
			}
		})
	}
}

// TestInternalActionsAreNoAdvice: where only internal actions could be forbidden, advice says which action comes
// before them, or that the environment decides; fair choices are one line.
func TestInternalActionsAreNoAdvice(t *testing.T) {
	for _, c := range []struct {
		name    string
		model   *lts.LTS
		formula string
		want    string
	}{
		{"after an action", modelOf(t, "0 a 1", "1 i 2", "1 c 3", "2 x 2", "3 d 3"), "Inev(d)",
			"Forbidding actions does not make it true: i in state 1, after a, is internal, and cannot be forbidden."},
		{"at the start", modelOf(t, "0 i 1", "0 c 2", "1 x 1", "2 d 2"), "Inev(d)",
			"Forbidding actions does not make it true: i in state 0 is internal, and no action comes before it: the environment decides."},
		{"only triggers", modelOf(t, "0 req 1", "0 idle 0", "1 i 2", "1 ack 0", "2 x 2"), "Response(req; ack)",
			"Only forbidding req everywhere would make it true: i in state 1, after req, is internal, and cannot be forbidden."},
		{"choices are fair", modelOf(t, "0 go 1", "0 bad 5", "1 a 1", "1 n 2", "2 b 2", "2 g 3", "5 x 5"), "Inev(g)",
			"Forbid bad in state 0: x no longer happens; and all choices are fair (full fairness)."},
	} {
		e, err := explain.Explain(context.Background(), c.model, parseAny(t, c.formula), explain.Options{NoPaths: true})
		if err != nil {
			t.Fatal(err)
		}
		said := render.NewSentences(e, printable.Text).Hold()
		for _, r := range render.NewSentences(e, printable.Text).Remedies() {
			said = append(said, r.Sentence)
		}
		if !slices.Contains(said, c.want) {
			t.Errorf("%s: %q", c.name, said)
		}
	}
}
