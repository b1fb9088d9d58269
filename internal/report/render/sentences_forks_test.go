package render_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// TestSentencesAboutEarlyForks: where a report says that correct runs which leave later differ in more steps, each such run
// does, or takes a step that the repair forbids.
func TestSentencesAboutEarlyForks(t *testing.T) {
	said := 0
	for seed := range randomlts.Share(6_000) {
		r := rand.New(rand.NewPCG(seed, 117))
		m, err := manyOfALabel(r)
		if err != nil {
			t.Fatal(err)
		}
		text := []string{"Inev(A)", "Inev(B)", "Inev(A, B)", "DeadlockFree"}[r.IntN(4)]
		out, e := reported(t, m, text)
		if !strings.Contains(out, "A correct run that leaves this one later differs") {
			continue
		}
		said++
		c := &forkChecker{m: m, e: e, forbidden: strings.Contains(out, "or takes a step that a repair forbids")}
		least := c.editsOfNearest()
		if worse := c.laterRun(least); worse != nil {
			t.Fatalf("seed %d, %s:\n%s\n%s\na run that leaves later differs in at most %d steps: %v",
				seed, text, texts(m), out, least, worse)
		}
	}
	if said < int(randomlts.Share(6_000))/600 {
		t.Errorf("only %d reports say why the nearest run leaves early", said)
	}
}

// reported returns the explanation of a property of a model, and the report as text, in lines without a bound.
func reported(t *testing.T, m *lts.LTS, text string) (string, *explain.Explanation) {
	t.Helper()
	f, err := formula.Parse(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	o := explain.Options{Source: explain.Source{File: "m.aut"}, NoFairness: true}
	e, err := explain.Explain(t.Context(), m, f, o)
	if err != nil {
		t.Fatal(err)
	}
	writer, err := render.New("text", render.Options{Width: 1_000})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := writer.Explanation(&out, e); err != nil {
		t.Fatal(err)
	}
	return out.String(), e
}

// forkChecker lists all correct runs of a small model and counts how they differ from the counterexample.
type forkChecker struct {
	m         *lts.LTS
	e         *explain.Explanation
	forbidden bool // runs that the repair forbids do not count
}

// wanted are the labels that inevitability asks for; none for DeadlockFree.
func (c *forkChecker) wanted() []string {
	var all []string
	for _, s := range c.e.Property.Steps {
		all = append(all, s.Labels...)
	}
	return all
}

// editsOfNearest counts the differences of the run that is shown.
func (c *forkChecker) editsOfNearest() int {
	var labels []string
	for _, s := range c.e.Nearest.Steps {
		if s.Op != explain.Remove {
			labels = append(labels, s.Label)
		}
	}
	loop := c.e.Nearest.Loop
	return c.edits(labels[:len(labels)-loop], loop)
}

// edits counts the steps that are removed from the counterexample, or inserted into it. What follows the last step that
// inevitability asks for is no difference.
func (c *forkChecker) edits(run []string, loop int) int {
	var other []string
	for _, s := range c.e.Counterexample.Steps {
		other = append(other, s.Label)
	}
	least := distance(run, other)
	for n := range other {
		if loop == 0 {
			least = min(least, distance(run, other[:n]))
		}
	}
	return least + loop
}

// distance is the number of insertions and deletions between two texts of labels.
func distance(a, b []string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j := range b {
			next := min(row[j], row[j+1]) + 1
			if a[i] == b[j] {
				next = min(next, diagonal)
			}
			diagonal, row[j+1] = row[j+1], next
		}
	}
	return row[len(b)]
}

// laterRun returns the labels of a correct run that leaves the counterexample later than the nearest one and has no more
// differences; nil if there is none.
func (c *forkChecker) laterRun(most int) []string {
	wanted := c.wanted()
	steps := c.e.Counterexample.Steps
	longest := min(len(steps)+most, 9)
	var found, labels []string
	var states []lts.State
	var visit func(s lts.State, done int, same bool, fork int)
	visit = func(s lts.State, done int, same bool, fork int) {
		isLater := fork > c.e.Nearest.Fork
		if len(wanted) > 0 && done == len(wanted) {
			if isLater && !same && c.edits(labels, 0) <= most {
				found = append([]string{"run"}, labels...)
			}
			return
		}
		for begin, earlier := range states {
			if len(wanted) == 0 && earlier == s && isLater && !same && c.edits(labels[:begin], len(labels)-begin) <= most {
				found = append([]string{"lasso"}, labels...)
				return
			}
		}
		if found != nil || len(labels) == longest {
			return
		}
		states = append(states, s)
		out, targets := c.m.Out(s)
		for i := range out.Len() {
			label := c.m.Alphabet().Text(out.At(i))
			if c.forbidden && c.isForbidden(s, label, targets[i]) {
				continue
			}
			n := len(labels)
			isNext := same && n < len(steps) && steps[n].Label == label && steps[n].To == targets[i]
			next := done
			if done < len(wanted) && wanted[done] == label {
				next++
			}
			at := fork
			if isNext {
				at = n + 1
			}
			labels = append(labels, label)
			visit(targets[i], next, isNext, at)
			labels = labels[:n]
		}
		states = states[:len(states)-1]
	}
	visit(c.m.Initial(), 0, true, 0)
	return found
}

// isForbidden reports whether the repair forbids a transition in some state of the property.
func (c *forkChecker) isForbidden(from lts.State, label string, to lts.State) bool {
	if c.e.Repair == nil {
		return false
	}
	for _, f := range c.e.Repair.Never {
		if f.Label == label && f.From == explain.ModelState(from) && f.To == explain.ModelState(to) {
			return true
		}
	}
	return false
}
