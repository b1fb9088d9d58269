package explain_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// processOf returns the process of a label such as a_1: what follows the underscore.
func processOf(label string) string {
	_, process, _ := strings.Cut(label, "_")
	return process
}

// TestStepsOfAProcessStayTogether: of random models of processes, the run that is shown if processes are known is one in another order: it
// has the same steps and ends and begins its loop where the other run does, it is fair, and violates the property, and never has more
// steps after one of another process. Where the process that has moved last does not go on although processes are independent, it
// cannot without changing where the stem ends.
func TestStepsOfAProcessStayTogether(t *testing.T) {
	ctx := context.Background()
	reordered, loops := 0, 0
	for seed := range randomlts.Share(5000) {
		r := rand.New(rand.NewPCG(seed, 90))
		areIndependent := r.IntN(3) == 0
		m := modelOfProcesses(t, r, areIndependent)
		text := []string{
			"Inev(end_0)", "Inev(end_1, end_0)", "G F end_0", "F G !a_0", "!(F end_0 && F end_1)", "!(F end_0 && F end_1 && F end_2)", "!(F b_0 && G F b_1)",
			"!(G F b_0 && G F b_1)", "!(G F a_1 && G F a_2)", "G (end_0 -> G !end_1)", "G (b_0 -> G !b_1)",
		}[r.IntN(11)]
		f, err := formula.Parse(ctx, text)
		if err != nil {
			t.Fatal(text, err)
		}
		o := explain.Options{}
		if r.IntN(2) == 0 {
			fair, err := actl.ParseAssumption(ctx, []string{"weak", "strong:end_0", "full"}[r.IntN(3)])
			if err != nil {
				t.Fatal(err)
			}
			o.Fair = []*actl.Assumption{fair}
		}
		apart, err := explain.Check(ctx, m, f, o)
		if err != nil {
			t.Fatalf("seed %d, %s: %v", seed, text, err)
		}
		o.Process = processOf
		together, err := explain.Check(ctx, m, f, o)
		if err != nil {
			t.Fatalf("seed %d, %s: %v", seed, text, err)
		}
		p, _, err := f.Bind(ctx, m.Alphabet())
		if err != nil {
			t.Fatal(err)
		}
		if err := checkTogether(apart.Counterexample, together.Counterexample, m, p, o.Fair); err != nil {
			t.Fatalf("seed %d, %s, %v: %v\n%v\n%v", seed, text, o.Fair, err, apart.Counterexample, together.Counterexample)
		}
		if apart.Verdict == explain.Violated && changesIn(together.Counterexample) < changesIn(apart.Counterexample) {
			reordered++
			if o.Fair != nil && !isSameLoop(apart.Counterexample, together.Counterexample) {
				loops++
			}
			if i, could := couldGoOn(together.Counterexample, m, p); could && areIndependent {
				t.Fatalf("seed %d, %s: in step %d the process could go on\n%v", seed, text, i+1, together.Counterexample)
			}
		}
	}
	t.Logf("%d runs have another order, of which %d are fair and have another loop", reordered, loops)
	if randomlts.Whole() && (reordered < 100 || loops < 10) {
		t.Error("too few runs have another order")
	}
}

// checkTogether compares a run with the one that is shown if processes are known.
func checkTogether(apart, together *explain.Counterexample, m *lts.LTS, p *property.Property, fair []*actl.Assumption) error {
	if apart == nil || together == nil {
		if apart != together {
			return fmt.Errorf("only one of them is violated")
		}
		return nil
	}
	before, after := stemOf(apart), stemOf(together)
	switch {
	case apart.Kind != together.Kind, apart.LoopStart != together.LoopStart, apart.Length != together.Length, apart.Minimal != together.Minimal:
		return fmt.Errorf("another shape")
	case !slices.Equal(labelsOf(before), labelsOf(after)), !slices.Equal(labelsOf(apart.Steps), labelsOf(together.Steps)):
		return fmt.Errorf("other steps")
	case len(before) > 0 && before[len(before)-1].To != after[len(after)-1].To:
		return fmt.Errorf("the stem ends elsewhere")
	case propertyAfter(before, m, p) != propertyAfter(after, m, p):
		return fmt.Errorf("the property has another state after the stem")
	case changesIn(together) > changesIn(apart):
		return fmt.Errorf("more changes of the process")
	}
	for _, a := range fair {
		if together.LoopStart >= 0 && !isLoopFair(together.Steps[together.LoopStart:], m, a.String()) {
			return fmt.Errorf("not fair")
		}
	}
	return nil
}

// propertyAfter returns the state of the property after some steps.
func propertyAfter(steps []explain.Step, m *lts.LTS, p *property.Property) property.Q {
	q := p.Initial()
	for _, s := range steps {
		q = p.Next(q, labelOf(m, s.Label))
	}
	return q
}

// isSameLoop reports whether the loops of two runs, which begin with the same step, have the same steps.
func isSameLoop(a, b *explain.Counterexample) bool {
	return a.LoopStart < 0 || slices.EqualFunc(a.Steps[a.LoopStart:], b.Steps[b.LoopStart:], func(x, y explain.Step) bool { return x.From == y.From && x.Label == y.Label })
}

// labelsOf returns the labels of steps, sorted.
func labelsOf(steps []explain.Step) (all []string) {
	for _, s := range steps {
		all = append(all, s.Label)
	}
	slices.Sort(all)
	return all
}

// changesIn returns how many steps follow one of another process.
func changesIn(c *explain.Counterexample) (count int) {
	steps := c.Steps
	if c.LoopStart >= 0 {
		steps = append(slices.Clone(steps), steps[c.LoopStart])
	}
	for i := 1; i < len(steps); i++ {
		if processOf(steps[i].Label) != processOf(steps[i-1].Label) {
			count++
		}
	}
	return count
}

// isLoopFair reports whether a loop is weakly fair to each label, or strongly to end_0.
func isLoopFair(loop []explain.Step, m *lts.LTS, assumption string) bool {
	possible, taken := map[string]int{}, map[string]bool{}
	for _, step := range loop {
		taken[step.Label] = true
		labels, _ := m.Out(step.From)
		here := map[string]bool{}
		for i := range labels.Len() {
			here[m.Alphabet().Text(labels.At(i))] = true
		}
		for label := range here {
			possible[label]++
		}
	}
	if assumption == "strong:end_0" {
		return taken["end_0"] || possible["end_0"] == 0
	}
	for label, count := range possible {
		if count == len(loop) && !taken[label] && assumption == "weak" {
			return false
		}
	}
	return true
}

// localStep is a step of a process, which may wait for a value of a shared bit, and set it.
type localStep struct {
	from, to     int
	name         string
	needs, makes int // -1 for neither
}

// modelOfProcesses returns the product of three random processes, which share a bit unless they are independent.
func modelOfProcesses(t *testing.T, r *rand.Rand, areIndependent bool) *lts.LTS {
	t.Helper()
	const locals = 3
	var steps [3][]localStep
	for p := range steps {
		for k := range locals + 2 {
			one := localStep{from: k % locals, to: (k + 1) % locals, name: []string{"a", "b", "end"}[k%3], needs: -1, makes: -1}
			if k >= locals {
				one.from = r.IntN(locals)
				one.to = r.IntN(locals)
			}
			if r.IntN(4) == 0 {
				one.needs = r.IntN(2)
			}
			if r.IntN(4) == 0 {
				one.makes = r.IntN(2)
			}
			if areIndependent {
				one.needs = -1
				one.makes = -1
			}
			steps[p] = append(steps[p], one)
		}
	}
	var b lts.Builder
	for _, name := range []string{"a", "b", "end"} {
		for p := range steps {
			b.Label(fmt.Sprintf("%s_%d", name, p))
		}
	}
	number := func(local [3]int, bit int) lts.State {
		return lts.State(((local[0]*locals+local[1])*locals+local[2])*2 + bit)
	}
	for code := range locals * locals * locals * 2 {
		local := [3]int{code / 18 % 3, code / 6 % 3, code / 2 % 3}
		bit := code % 2
		for p := range steps {
			for _, one := range steps[p] {
				if local[p] != one.from || one.needs >= 0 && one.needs != bit {
					continue
				}
				next := local
				next[p] = one.to
				after := bit
				if one.makes >= 0 {
					after = one.makes
				}
				b.Add(number(local, bit), b.Label(fmt.Sprintf("%s_%d", one.name, p)), number(next, after))
			}
		}
	}
	m, err := b.Build(0, locals*locals*locals*2)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// couldGoOn returns a step of the stem of a run that is one of another process, although the next step of the process that has moved last
// could come first, and the steps between after it, with the same states of model and property behind them.
func couldGoOn(c *explain.Counterexample, m *lts.LTS, p *property.Property) (step int, could bool) {
	stem := stemOf(c)
	at := p.Initial()
	for i, s := range stem {
		later := -1
		if i > 0 {
			later = slices.IndexFunc(stem[i:], func(other explain.Step) bool { return processOf(other.Label) == processOf(stem[i-1].Label) })
		}
		if later > 0 {
			between := slices.Clone(stem[i : i+later+1])
			behind := between[later].To
			wanted := at
			for _, other := range between {
				wanted = p.Next(wanted, labelOf(m, other.Label))
			}
			between = slices.Insert(between[:later:later], 0, between[later])
			got := at
			reached := []lts.State{s.From}
			for _, other := range between {
				l := labelOf(m, other.Label)
				got = p.Next(got, l)
				reached = after(m, reached, l)
			}
			if got == wanted && slices.Contains(reached, behind) {
				return i, true
			}
		}
		at = p.Next(at, labelOf(m, s.Label))
	}
	return 0, false
}

func labelOf(m *lts.LTS, text string) lts.Label {
	for l, other := range m.Alphabet().All() {
		if other == text {
			return l
		}
	}
	panic("no label " + text)
}

// after returns the states that transitions with a label lead to from some of these states.
func after(m *lts.LTS, from []lts.State, l lts.Label) (all []lts.State) {
	for _, s := range from {
		labels, targets := m.Out(s)
		for i, to := range targets {
			if labels.At(i) == l {
				all = append(all, to)
			}
		}
	}
	return all
}

// stemOf returns the steps of a run before its loop.
func stemOf(c *explain.Counterexample) []explain.Step {
	if c.LoopStart < 0 {
		return c.Steps
	}
	return c.Steps[:c.LoopStart]
}

// TestLoopsInAnotherOrderAreFair: the steps of a loop keep their order where another one passes a state in which an action is possible that
// the run would have to take.
func TestLoopsInAnotherOrderAreFair(t *testing.T) {
	m := modelOf(t, `des (0, 7, 6)
(0, "a_0", 1)
(1, "a_1", 2)
(2, "b_0", 3)
(3, "b_1", 0)
(1, "b_0", 4)
(4, "a_1", 3)
(4, "end_0", 5)
`)
	f, err := actl.Parse(t.Context(), "Inev(end_0)")
	if err != nil {
		t.Fatal(err)
	}
	for assumption, want := range map[string]string{
		"strong:end_0": "a_0, a_1, b_0, b_1",
		"weak:end_0":   "a_0, b_0, a_1, b_1",
	} {
		fair, err := actl.ParseAssumption(t.Context(), assumption)
		if err != nil {
			t.Fatal(err)
		}
		e, err := explain.Check(t.Context(), m, f, explain.Options{Source: explain.Source{Process: processOf}, Fair: []*actl.Assumption{fair}})
		if err != nil {
			t.Fatal(err)
		}
		if got := e.Counterexample.String(); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", assumption, got, want)
		}
	}
}
