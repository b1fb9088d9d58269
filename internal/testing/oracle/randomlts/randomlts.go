// Package randomlts draws small random models, each with a random property, for
// tests that compare two algorithms. Only tests and tools/soak import it.
//
// The models have features that real models have and textbook examples lack: an
// initial state that is not 0 or lies on a cycle, unreachable states, self-loops,
// parallel and duplicate transitions, deadlocks, models without transitions; the
// properties have repeated and overlapping steps, and steps that no label does.
//
// A model is a function of the numbers that were chosen, and smaller numbers
// give simpler models. Therefore one generator serves both fixed seeds and
// package rapid, which shrinks.
package randomlts

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/inev-lts/inev/lts"
	"pgregory.net/rapid"
)

// Size limits the size of a case.
type Size struct{ States, Transitions, Labels, Steps int }

// Small is the size up to which all elementary runs of a model can be enumerated
// quickly.
func Small() Size {
	return Size{
		States:      8,
		Transitions: 16,
		Labels:      4,
		Steps:       4,
	}
}

// Medium is the size at which cycles are long enough to overlap, for tests that
// need no enumeration.
func Medium() Size {
	return Size{
		States:      40,
		Transitions: 90,
		Labels:      5,
		Steps:       4,
	}
}

// absent is a label of no model: a step of this label alone can never be done.
const absent = "ABSENT"

// Case is a model with a property.
type Case struct {
	Model *lts.LTS
	// Steps[i] has the labels that do step i+1; it is empty if no label does.
	Steps []map[lts.Label]bool
	// Formula is the same property as a formula.
	Formula string
}

// Seeded returns the case of at most this size for a seed. Cost O(size).
func Seeded(seed uint64, size Size) Case {
	collectSeldom()
	r := rand.New(rand.NewPCG(seed, 0))
	return draw(func(low, high int) int { return low + r.IntN(high-low+1) }, size)
}

// Generator returns a generator of cases of at most this size that shrink
// towards few states, few transitions, few labels and few steps.
func Generator(size Size) *rapid.Generator[Case] {
	collectSeldom()
	return rapid.Custom(func(t *rapid.T) Case {
		return draw(func(low, high int) int { return rapid.IntRange(low, high).Draw(t, "choice") }, size)
	})
}

// String returns the model in the .aut format, followed by the formula.
func (c Case) String() string {
	var text strings.Builder
	fmt.Fprintf(&text, "des (%d,%d,%d)\n", c.Model.Initial(), c.Model.NumTransitions(),
		c.Model.NumStates())
	for t := range c.Model.Transitions() {
		fmt.Fprintf(&text, "(%d,%q,%d)\n", t.From, c.Model.Alphabet().Text(t.Label), t.To)
	}
	text.WriteString(c.Formula)
	return text.String()
}

// GoString is String, because package rapid prints failing cases by it.
func (c Case) GoString() string { return "\n" + c.String() + "\n" }

// choose chooses a number from low to high, both included.
type choose func(low, high int) int

// oneIn is true with probability 1/n; false is the simpler choice.
func (pick choose) oneIn(n int) bool { return pick(0, n-1) == n-1 }

// draw returns a case within a size, whose random numbers are those that pick returns.
func draw(pick choose, size Size) Case {
	var b lts.Builder
	labels := make([]lts.Label, pick(1, size.Labels))
	for i := range labels {
		labels[i] = b.Label(string(rune('A' + i)))
	}
	states := pick(1, size.States)
	initial := 0
	if pick.oneIn(4) {
		initial = pick(0, states-1)
	}
	d := drawing{
		pick:   pick,
		b:      &b,
		states: states,
		labels: labels,
		most:   size.Transitions,
	}
	d.addTransitions(initial)
	model, err := b.Build(lts.State(initial), states)
	if err != nil {
		panic(err) // every number above is in range
	}
	c := Case{Model: model}
	c.Steps = drawSteps(pick, labels, size.Steps)
	c.Formula = formula(model.Alphabet(), c.Steps)
	return c
}

// drawing is a model that is being drawn.
type drawing struct {
	pick   choose
	b      *lts.Builder
	states int
	labels []lts.Label
	most   int // the largest number of transitions
}

// addTransitions draws the transitions. Most of them leave a state that is
// already reached; otherwise most states would be unreachable. Half of the models
// are mostly acyclic; otherwise nearly every trace could go on forever without
// the next step. Each transition can be left out on its own, as the simplest
// choice, so that models shrink well.
func (d *drawing) addTransitions(initial int) {
	forward := d.pick.oneIn(2)
	met := []int{initial}
	for range d.pick(0, d.most) {
		from := met[d.pick(0, len(met)-1)]
		if d.pick.oneIn(8) {
			from = d.pick(0, d.states-1)
		}
		lowest := 0
		if forward && !d.pick.oneIn(8) {
			lowest = min(from+1, d.states-1)
		}
		to := d.pick(lowest, d.states-1)
		label := d.labels[d.pick(0, len(d.labels)-1)]
		leaveOut := d.pick(0, 7) == 0
		if leaveOut {
			continue
		}
		met = append(met, to)
		d.add(from, label, to)
	}
}

// add adds a transition, and sometimes a duplicate of it.
func (d *drawing) add(from int, label lts.Label, to int) {
	copies := 1
	if d.pick.oneIn(24) {
		copies = 2
	}
	for range min(copies, d.most-d.b.NumTransitions()) {
		d.b.Add(lts.State(from), label, lts.State(to))
	}
}

// drawSteps draws steps of no label, one label or two.
func drawSteps(pick choose, labels []lts.Label, most int) []map[lts.Label]bool {
	steps := make([]map[lts.Label]bool, pick(1, most))
	for i := range steps {
		steps[i] = make(map[lts.Label]bool)
		if pick.oneIn(24) {
			continue
		}
		steps[i][labels[pick(0, len(labels)-1)]] = true
		if pick.oneIn(3) {
			steps[i][labels[pick(0, len(labels)-1)]] = true
		}
	}
	return steps
}

// formula writes the steps as a formula of quoted labels.
func formula(a *lts.Alphabet, steps []map[lts.Label]bool) string {
	patterns := make([]string, len(steps))
	for i, step := range steps {
		patterns[i] = pattern(a, step)
	}
	return "Inev(" + strings.Join(patterns, ", ") + ")"
}

// pattern writes a step as a quoted label, or as a set of them. A step without labels is a label that is absent
// from the model.
func pattern(a *lts.Alphabet, step map[lts.Label]bool) string {
	var texts []string
	for l := range step {
		texts = append(texts, `"`+a.Text(l)+`"`)
	}
	slices.Sort(texts)
	switch len(texts) {
	case 0:
		return `"` + absent + `"`
	case 1:
		return texts[0]
	}
	return "{" + strings.Join(texts, ", ") + "}"
}
