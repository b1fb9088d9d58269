package render_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// TestNeverFollowed: if no run satisfies F (A && X B) although both happen, the reason is that no B
// directly follows an A.
func TestNeverFollowed(t *testing.T) {
	form := regexp.MustCompile(`(?s)since (\w)\s+is\s+never\s+followed\s+at\s+once\s+by\s+(\w)\.`)
	met := 0
	for seed := range randomlts.Share(2_000) {
		m := randomlts.Seeded(seed, randomlts.Size{States: 4, Transitions: 7, Labels: 3, Steps: 1}).Model
		text := []string{"F (A && X B)", "F (X B && A)", "F (A && X A)"}[seed%3]
		next := []string{"B", "B", "A"}[seed%3]
		out, _ := reported(t, m, text, "")
		said := form.FindStringSubmatch(out)
		if said == nil {
			continue
		}
		met++
		if said[1] != "A" || said[2] != next || happensRightAfter(m, next, "A") {
			t.Fatalf("seed %d, %s:\n%s\n%s", seed, text, m, out)
		}
	}
	if t.Log(met); randomlts.Whole() && met < 50 {
		t.Errorf("it was met %d times", met)
	}
}

// happensRightAfter reports whether some run does the label next directly after the label first.
func happensRightAfter(m *lts.LTS, next, first string) bool {
	type place struct {
		state lts.State
		after string // the last label
	}
	visited := map[place]bool{}
	open := []place{{state: m.Initial()}}
	for len(open) > 0 {
		at := open[0]
		open = open[1:]
		if visited[at] {
			continue
		}
		visited[at] = true
		labels, targets := m.Out(at.state)
		for k, to := range targets {
			label := m.Alphabet().Text(labels.At(k))
			if at.after == first && label == next {
				return true
			}
			open = append(open, place{to, label})
		}
	}
	return false
}

// TestOnNoLoop: if no run satisfies G F A although A happens, the reason is that no loop has A.
func TestOnNoLoop(t *testing.T) {
	met := 0
	for seed := range randomlts.Share(2_000) {
		m := randomlts.Seeded(seed, randomlts.Size{States: 4, Transitions: 6, Labels: 3, Steps: 1}).Model
		out, _ := reported(t, m, "G F A", "")
		if !strings.Contains(strings.Join(strings.Fields(out), " "), "since no loop that runs reach has A.") {
			continue
		}
		met++
		for step := range m.Transitions() {
			isA := m.Alphabet().Text(step.Label) == "A"
			if isA && leadsTo(m, m.Initial(), step.From) && leadsTo(m, step.To, step.From) {
				t.Fatalf("seed %d: %v is on a loop\n%s\n%s", seed, step, m, out)
			}
		}
	}
	if t.Log(met); randomlts.Whole() && met < 50 {
		t.Errorf("it was met %d times", met)
	}
}

// leadsTo reports whether a path, perhaps an empty one, leads from one state to another.
func leadsTo(m *lts.LTS, from, to lts.State) bool {
	visited := map[lts.State]bool{from: true}
	for range m.NumStates() {
		for step := range m.Transitions() {
			if visited[step.From] {
				visited[step.To] = true
			}
		}
	}
	return visited[to]
}
