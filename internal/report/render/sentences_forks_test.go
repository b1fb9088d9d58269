package render_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// TestSentencesAboutOtherForks: where a report says that correct runs which leave at the blamed steps lack what triggers the
// property, take a step that the repair forbids or differ in more steps, each such run does.
func TestSentencesAboutOtherForks(t *testing.T) {
	said := map[string]int{}
	blamed := regexp.MustCompile(`(?:A correct run|No correct run that counts(?:, and has what triggers the property,)?)(?: that)? leaves this one at (?:any of )?(steps? [^a-z.]*[0-9])`)
	for seed := range randomlts.Share(12_000) {
		r := rand.New(rand.NewPCG(seed, 117))
		m, err := manyOfALabel(r)
		if err != nil {
			t.Fatal(err)
		}
		text := forkProperties[r.IntN(len(forkProperties))]
		assumption := []string{"", "", "", "weak", "strong", "full"}[r.IntN(6)]
		out, e := reported(t, m, text, assumption)
		if strings.Contains(out, "There is none: each run that ") {
			said["none"]++
			if run := anyCorrectRun(m, e); run != nil {
				t.Fatalf("seed %d, %s:\n%s\n%s\nthere is a correct run: %v", seed, text, texts(m), out, run)
			}
		}
		found := blamed.FindStringSubmatch(out)
		if found == nil {
			if e.Nearest != nil && !e.Nearest.Near && !leavesAtBlamed(e) {
				t.Fatalf("seed %d, %s:\n%s\n%s\nthere is no reason", seed, text, texts(m), out)
			}
			continue
		}
		said[assumption]++
		c := &forkChecker{
			m:          m,
			e:          e,
			assumption: assumption,
			forbidden:  strings.Contains(out, "takes a step that a repair forbids"),
			at:         stepsIn(found[1]),
		}
		least := c.editsOfNearest()
		if assumption != "" {
			least = 20 // no run at all leaves there
		}
		if worse := c.runLeavingThere(least); worse != nil {
			t.Fatalf("seed %d, %s %s:\n%s\n%s\na run that leaves there differs in at most %d steps: %v",
				seed, text, assumption, texts(m), out, least, worse)
		}
	}
	t.Log(said)
	if randomlts.Whole() && (said[""] < 10 || len(said) < 4 || said["none"] < 30) {
		t.Errorf("only %v reports say why the nearest run leaves elsewhere", said)
	}
}

// TestNearestRunThatARepairForbids: if a repair leaves no run that triggers the property, a correct run that it forbids is
// shown.
func TestNearestRunThatARepairForbids(t *testing.T) {
	m := modelOf(t, "0 x 1", "0 y 0", "1 A 2", "2 B 1", "2 tau 2")
	out, e := reported(t, m, "Response(A; B)", "")
	if e.Repair == nil || len(e.Repair.Never) != 1 || e.Repair.Never[0].Label != "x" {
		t.Fatalf("the repair does not forbid x:\n%s", out)
	}
	if e.Nearest == nil || strings.Contains(out, "There is none") || !strings.Contains(out, "  + B") {
		t.Errorf("no correct run is shown:\n%s", out)
	}
}

// TestNearestRunsLeaveInTheFirstRound: the nearest correct run goes round the loop before it leaves only if no correct run
// leaves at a blamed step before that.
func TestNearestRunsLeaveInTheFirstRound(t *testing.T) {
	first, later := 0, 0
	for seed := range randomlts.Share(6_000) {
		r := rand.New(rand.NewPCG(seed, 118))
		m, err := manyOfALabel(r)
		if err != nil {
			t.Fatal(err)
		}
		text := forkProperties[r.IntN(len(forkProperties))]
		out, e := reported(t, m, text, "")
		if e.Nearest == nil || e.Nearest.Near || e.Counterexample.LoopStart < 0 {
			continue
		}
		at := map[int]bool{}
		for i := range e.Counterexample.Steps {
			if e.Blames(explain.StepIndex(i)) {
				at[i] = true
			}
		}
		if e.Nearest.Fork < len(e.Counterexample.Steps) {
			if at[e.Nearest.Fork] {
				first++
			}
			continue
		}
		later++
		c := &forkChecker{m: m, e: e, forbidden: true, at: at, inFirstRound: true}
		if run := c.runLeavingThere(20); run != nil {
			t.Fatalf("seed %d, %s:\n%s\n%s\na correct run leaves in the first round: %v", seed, text, texts(m), out, run)
		}
	}
	t.Log(first, later)
	if randomlts.Whole() && (first < 300 || later < 3) {
		t.Errorf("%d runs left in the first round and %d later", first, later)
	}
}

// anyCorrectRun returns a correct run that triggers the property if the counterexample does; nil if there is none with up to
// nine steps.
func anyCorrectRun(m *lts.LTS, e *explain.Explanation) []string {
	c := &forkChecker{m: m, e: e, at: map[int]bool{}}
	for i := range len(e.Counterexample.Steps) + 1 {
		c.at[i] = true
	}
	return c.runLeavingThere(20)
}

var forkProperties = []string{
	"Inev(A)", "Inev(B)", "Inev(A, B)", "DeadlockFree", "Response(A; B)", "Response(B; A)", "G F A", "F G !B", "F G !A",
}

// leavesAtBlamed reports whether the nearest run leaves where the explanation blames a step, if it blames any.
func leavesAtBlamed(e *explain.Explanation) bool {
	n := len(e.Counterexample.Steps)
	fork := e.Nearest.Fork
	if loop := int(e.Counterexample.LoopStart); fork >= n && loop >= 0 {
		fork = loop + (fork-loop)%(n-loop)
	}
	any := false
	for i := range n {
		any = any || e.Blames(explain.StepIndex(i))
	}
	return !any || fork >= n || e.Blames(explain.StepIndex(fork))
}

// stepsIn returns the indices of steps that a list such as "steps 1, 3–5" names.
func stepsIn(list string) map[int]bool {
	all := map[int]bool{}
	for _, part := range strings.Split(strings.TrimLeft(list, "step "), ", ") {
		first, last, isRange := strings.Cut(part, "–")
		if !isRange {
			last = first
		}
		for i := atoi(first); i <= atoi(last); i++ {
			all[i-1] = true
		}
	}
	return all
}

// reported returns the explanation of a property of a model, and the report as text, in lines without a bound.
func reported(t *testing.T, m *lts.LTS, text, assumption string) (string, *explain.Explanation) {
	t.Helper()
	f, err := formula.Parse(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	o := explain.Options{Source: explain.Source{File: "m.aut"}, NoFairness: true}
	if assumption != "" {
		a, err := actl.ParseAssumption(t.Context(), assumption)
		if err != nil {
			t.Fatal(err)
		}
		o.Fair = []*actl.Assumption{a}
	}
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
	m          *lts.LTS
	e          *explain.Explanation
	assumption string
	forbidden  bool         // runs that the repair forbids do not count
	at         map[int]bool // the steps where the runs leave
	// inFirstRound reports that runs which leave in a later round of the loop do not count.
	inFirstRound bool
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

// lassoRun is a run of the model: to a loop that begins at a step or, if that is negative, to its end.
type lassoRun struct {
	steps []lts.Transition
	loop  int
}

// runLeavingThere returns a correct run that leaves the counterexample at one of the steps in question and has no more
// differences than given; nil if there is none with up to nine steps.
func (c *forkChecker) runLeavingThere(most int) []string {
	steps := c.e.Counterexample.Steps
	longest := min(len(steps)+most, 9)
	var found []string
	var walked []lts.Transition
	var visit func(s lts.State, same bool, left int)
	consider := func(loop int) {
		w := lassoRun{steps: walked, loop: loop}
		if c.inFirstRound && c.returns(walked) {
			return
		}
		if found == nil && c.isCorrect(w) && c.editsOf(w) <= most {
			found = append([]string{fmt.Sprint(loop)}, c.labels(walked)...)
		}
	}
	visit = func(s lts.State, same bool, left int) {
		if !same && c.at[left] {
			if c.isDone(walked) {
				consider(-1)
				return
			}
			if c.m.IsDeadlock(s) {
				consider(-1)
			}
			for begin, step := range walked {
				if step.From == s {
					consider(begin)
				}
			}
		}
		if found != nil || len(walked) == longest {
			return
		}
		for e := range c.m.Transitions() {
			label := c.m.Alphabet().Text(e.Label)
			if e.From != s || c.forbidden && c.isForbidden(s, label, e.To) {
				continue
			}
			n := len(walked)
			isNext := same && c.stepAt(n) != nil && c.stepAt(n).Label == label && c.stepAt(n).To == e.To
			leaves := left
			if same && !isNext {
				leaves = c.indexOf(n)
			}
			if c.inFirstRound && leaves >= 0 && leaves < n && same {
				leaves = -1
			}
			walked = append(walked, e)
			visit(e.To, isNext, leaves)
			walked = walked[:n]
		}
	}
	visit(c.m.Initial(), true, -1)
	return found
}

// returns reports whether a run comes back to the state where it leaves the counterexample.
func (c *forkChecker) returns(walked []lts.Transition) bool {
	for i, step := range walked {
		at := c.stepAt(i)
		isKept := at != nil && at.Label == c.m.Alphabet().Text(step.Label) && at.To == step.To
		if !isKept {
			return slices.ContainsFunc(walked[i:], func(later lts.Transition) bool { return later.To == step.From })
		}
	}
	return true
}

// indexOf returns the index of a step of the counterexample, further rounds of whose loop count as well.
func (c *forkChecker) indexOf(n int) int {
	all, loop := len(c.e.Counterexample.Steps), int(c.e.Counterexample.LoopStart)
	if n >= all && loop >= 0 {
		return loop + (n-loop)%(all-loop)
	}
	return n
}

// stepAt returns such a step; nil after the end of the counterexample.
func (c *forkChecker) stepAt(n int) *explain.Step {
	i := c.indexOf(n)
	if i >= len(c.e.Counterexample.Steps) {
		return nil
	}
	return &c.e.Counterexample.Steps[i]
}

func (c *forkChecker) labels(steps []lts.Transition) (all []string) {
	for _, e := range steps {
		all = append(all, c.m.Alphabet().Text(e.Label))
	}
	return all
}

// isDone reports whether a run has just done the last step that inevitability asks for.
func (c *forkChecker) isDone(steps []lts.Transition) bool {
	wanted := c.wanted()
	done := 0
	for _, label := range c.labels(steps) {
		if done < len(wanted) && label == wanted[done] {
			done++
		}
	}
	return len(wanted) > 0 && done == len(wanted)
}

// editsOf counts the differences of a run.
func (c *forkChecker) editsOf(w lassoRun) int {
	labels := c.labels(w.steps)
	if w.loop < 0 {
		return c.edits(labels, 0)
	}
	return c.edits(labels[:w.loop], len(labels)-w.loop)
}

// isCorrect reports whether a run satisfies the property, counts, and triggers the property if the counterexample does.
func (c *forkChecker) isCorrect(w lassoRun) bool {
	if c.isDone(w.steps) {
		return c.assumption == ""
	}
	labels := c.labels(w.steps)
	var loop []string
	stem := labels
	if w.loop >= 0 {
		stem, loop = labels[:w.loop], labels[w.loop:]
	}
	satisfied := false
	switch text := c.e.Property.AsWritten(); text {
	case "DeadlockFree":
		satisfied = w.loop >= 0
	case "G F A":
		satisfied = slices.Contains(loop, "A")
	case "F G !A":
		satisfied = !slices.Contains(loop, "A")
	case "F G !B":
		satisfied = !slices.Contains(loop, "B")
	case "Response(A; B)", "Response(B; A)":
		asked, answer := text[9:10], text[12:13]
		triggered := func(s explain.Step) bool { return s.Label == asked }
		if slices.ContainsFunc(c.e.Counterexample.Steps, triggered) && !slices.Contains(labels, asked) {
			return false
		}
		twice := slices.Concat(stem, loop, loop)
		last := -1
		for i, label := range slices.Concat(stem, loop) {
			if label == asked {
				last = i
			}
		}
		satisfied = last < 0 || slices.Contains(twice[last+1:], answer)
	}
	return satisfied && (w.loop < 0 || c.counts(w.steps[w.loop:]))
}

// counts reports whether a run that repeats a loop meets the assumption.
func (c *forkChecker) counts(loop []lts.Transition) bool {
	takes := func(e lts.Transition) bool {
		return slices.ContainsFunc(loop, func(step lts.Transition) bool { return step.Label == e.Label })
	}
	for e := range c.m.Transitions() {
		visits := func(step lts.Transition) bool { return step.From == e.From }
		offers := func(step lts.Transition) bool {
			for other := range c.m.Transitions() {
				if other.From == step.From && other.Label == e.Label {
					return true
				}
			}
			return false
		}
		lacks := func(step lts.Transition) bool { return !offers(step) }
		switch c.assumption {
		case "full":
			if slices.ContainsFunc(loop, visits) && !slices.Contains(loop, e) {
				return false
			}
		case "strong":
			if slices.ContainsFunc(loop, offers) && !takes(e) {
				return false
			}
		case "weak":
			if !slices.ContainsFunc(loop, lacks) && !takes(e) {
				return false
			}
		}
	}
	return true
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
