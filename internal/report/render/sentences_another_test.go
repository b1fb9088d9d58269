package render_test

import (
	"context"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/fromproperty"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

var (
	aboutRun   = regexp.MustCompile(`^Run (\d+), of (\d+) transitions?: (.*)\. (It never takes|It takes neither) (.*)\.$`)
	aboutEvery = regexp.MustCompile(`^There is no further one: every violation takes (.*)\.$`)
	toldStep   = regexp.MustCompile(`^step (\d+) (above|of run (\d+))$`)
	leftOut    = regexp.MustCompile(`^… \((\d+) more\)$`)
	ofStep     = regexp.MustCompile(`^(\w+) from state (\d+) to state (\d+) \(step (\d+) (above|of run (\d+))\)$`)
	ofLoop     = regexp.MustCompile(`^each step of the loop (above|of run (\d+))$`)
	theEnd     = regexp.MustCompile(`^(?:(.*): )?(deadlock|lost) in state (\d+)$`)
	theLoop    = regexp.MustCompile(`^(?:(.*), )?forever \[(.*)\]$`)
	many       = regexp.MustCompile(`^(\w+) ×(\d+)$`)
)

// otherReader reads sentences about further runs, by the model and the counterexample alone.
type otherReader struct {
	t      *testing.T
	seed   uint64
	m      *lts.LTS
	p      *property.Property
	loops  [][]lts.Transition // of each run so far, nil without a loop
	runs   [][]lts.Transition
	elided int              // lists that leave labels out
	told   []lts.Transition // what earlier runs are said to avoid
}

func (b *otherReader) fail(sentence, why string) {
	b.t.Helper()
	b.t.Fatalf("seed %d: %q: %s\n%s", b.seed, sentence, why, randomlts.Case{Model: b.m, Formula: b.p.String()})
}

// labels reads a list of labels, A ×3 for three of one label. It takes those that the list leaves out from the run.
func (b *otherReader) labels(text string, run []lts.Label) (all []lts.Label) {
	if text == "" {
		return nil
	}
	for _, word := range strings.Split(text, ", ") {
		times := 1
		if found := leftOut.FindStringSubmatch(word); found != nil {
			more, _ := strconv.Atoi(found[1])
			b.elided++
			all = append(all, run[len(all):len(all)+more]...)
			continue
		}
		if found := many.FindStringSubmatch(word); found != nil {
			word = found[1]
			times, _ = strconv.Atoi(found[2])
		}
		l, is := b.m.Alphabet().Lookup(word)
		if !is {
			b.fail(text, "no label "+word)
		}
		all = append(all, slices.Repeat([]lts.Label{l}, times)...)
	}
	return all
}

// step reads one step of an earlier run.
func (b *otherReader) step(text string) lts.Transition {
	if found := toldStep.FindStringSubmatch(text); found != nil {
		run := 1
		if found[3] != "" {
			run, _ = strconv.Atoi(found[3])
		}
		number, _ := strconv.Atoi(found[1])
		t := b.runs[run-1][number-1]
		if !slices.Contains(b.told, t) {
			b.fail(text, "no sentence before names this step")
		}
		return t
	}
	found := ofStep.FindStringSubmatch(text)
	if found == nil {
		b.fail(text, "no step")
	}
	run := 1
	if found[6] != "" {
		run, _ = strconv.Atoi(found[6])
	}
	number, _ := strconv.Atoi(found[4])
	t := b.runs[run-1][number-1]
	l, _ := b.m.Alphabet().Lookup(found[1])
	if t.Label != l || strconv.Itoa(int(t.From)) != found[2] || strconv.Itoa(int(t.To)) != found[3] {
		b.fail(text, "is not that step")
	}
	return t
}

// without returns the model without some transitions, and whether its initial state keeps a run of the model.
func (b *otherReader) without(drops []lts.Transition, endless bool) (*lts.LTS, bool) {
	var left []lts.Transition
	for t := range b.m.Transitions() {
		if !slices.Contains(drops, t) {
			left = append(left, t)
		}
	}
	goesOn := func(s lts.State) bool {
		return b.m.IsDeadlock(s) || slices.ContainsFunc(left, func(t lts.Transition) bool { return t.From == s })
	}
	for n := -1; endless && n != len(left); {
		n = len(left)
		left = slices.DeleteFunc(left, func(t lts.Transition) bool { return !goesOn(t.To) })
	}
	var builder lts.Builder
	builder.Over(b.m.Alphabet())
	for _, t := range left {
		builder.Add(t.From, t.Label, t.To)
	}
	m, err := builder.Build(b.m.Initial(), b.m.NumStates())
	if err != nil {
		b.t.Fatal(err)
	}
	return m, goesOn(b.m.Initial())
}

// paths returns all paths of m with these labels from a state.
func paths(m *lts.LTS, from lts.State, labels []lts.Label) (all [][]lts.Transition) {
	if len(labels) == 0 {
		return [][]lts.Transition{nil}
	}
	of, targets := m.Out(from)
	for i, to := range targets {
		if of.At(i) != labels[0] {
			continue
		}
		for _, rest := range paths(m, to, labels[1:]) {
			all = append(all, append([]lts.Transition{{From: from, Label: labels[0], To: to}}, rest...))
		}
	}
	return all
}

// accepted reports whether the automaton accepts a word: an end, or a loop from an index on.
func accepted(a oracle.Automaton, word []lts.Label, loop int) bool {
	q := a.Initial
	for _, l := range word {
		q = a.Next(q, l)
	}
	if loop < 0 {
		return a.Stops(q)
	}
	round := func() map[int]bool {
		marks := map[int]bool{}
		for _, l := range word[loop:] {
			for c := range a.Marks(q, l) {
				marks[c] = true
			}
			q = a.Next(q, l)
		}
		return marks
	}
	for range a.States {
		round()
	}
	all := map[int]bool{}
	for range a.States {
		for c := range round() {
			all[c] = true
		}
	}
	return a.Accepts(all)
}

// run checks a sentence about a further run. The run itself is taken from the result, since labels do not
// give its states.
func (b *otherReader) run(sentence string, o *explain.Other) {
	b.t.Helper()
	found := aboutRun.FindStringSubmatch(sentence)
	if found == nil || found[1] != strconv.Itoa(len(b.runs)+1) {
		b.fail(sentence, "not understood")
	}
	var avoided []lts.Transition
	for _, text := range strings.Split(strings.Replace(found[5], " nor ", ", ", 1), ", ") {
		avoided = append(avoided, b.step(text))
	}
	b.told = append(b.told, avoided...)
	if (found[4] == "It never takes") != (len(avoided) == 1) {
		b.fail(sentence, "one or several")
	}
	a := fromproperty.Automaton(b.p)
	m, _ := b.without(avoided, false)
	var labels []lts.Label
	for _, s := range o.Steps {
		l, _ := b.m.Alphabet().Lookup(s.Label)
		labels = append(labels, l)
	}
	stem, loop := b.shape(sentence, found[3], m, labels)
	word := slices.Concat(stem, loop)
	if length, _ := strconv.Atoi(found[2]); length != len(word) {
		b.fail(sentence, "another length")
	}
	if !strings.Contains(found[3], "lost in") && accepted(a, word, map[bool]int{true: len(stem), false: -1}[len(loop) > 0]) {
		b.fail(sentence, "satisfies the property")
	}
	var steps []lts.Transition
	for _, s := range o.Steps {
		l, _ := b.m.Alphabet().Lookup(s.Label)
		steps = append(steps, lts.Transition{From: s.From, Label: l, To: s.To})
	}
	b.runs = append(b.runs, steps)
	b.loops = append(b.loops, steps[len(stem):])
}

// shape reads the labels of a run, for which m must have a path of this shape.
func (b *otherReader) shape(sentence, text string, m *lts.LTS, run []lts.Label) (stem, loop []lts.Label) {
	b.t.Helper()
	if end := theEnd.FindStringSubmatch(text); end != nil {
		stem = b.labels(end[1], run)
		n, _ := strconv.Atoi(end[3])
		state := lts.State(n)
		if !slices.ContainsFunc(paths(m, m.Initial(), stem), func(path []lts.Transition) bool {
			return len(path) == 0 || path[len(path)-1].To == state
		}) || end[2] == "deadlock" && !b.m.IsDeadlock(state) {
			b.fail(sentence, "no such path")
		}
		return stem, nil
	}
	lasso := theLoop.FindStringSubmatch(text)
	if lasso == nil {
		b.fail(sentence, "neither an end nor a loop")
	}
	stem = b.labels(lasso[1], run)
	loop = b.labels(lasso[2], run[len(stem):])
	if !slices.ContainsFunc(paths(m, m.Initial(), slices.Concat(stem, loop)), func(path []lts.Transition) bool {
		return path[len(path)-1].To == path[len(stem)].From
	}) {
		b.fail(sentence, "no such loop")
	}
	return stem, loop
}

// every checks a sentence about what each violating run takes: without one step, and without one step of a
// loop, whichever, no run violates the property.
func (b *otherReader) every(sentence string, prefix bool) {
	b.t.Helper()
	found := aboutEvery.FindStringSubmatch(sentence)
	if found == nil {
		if sentence != "There is no other run." {
			b.fail(sentence, "not understood")
		}
		return
	}
	parts := strings.Split(found[1], ", or ")
	var choose func(i int, drops []lts.Transition)
	choose = func(i int, drops []lts.Transition) {
		if i == len(parts) {
			m, goesOn := b.without(drops, !prefix)
			if !goesOn && !prefix {
				return
			}
			_, reject := oracle.NewGeneral(m, fromproperty.Automaton(b.p)).Can(m.Initial(), int(b.p.Initial()))
			if reject {
				b.fail(sentence, "a violation takes none of them")
			}
			return
		}
		if of := ofLoop.FindStringSubmatch(parts[i]); of != nil {
			run := 1
			if of[2] != "" {
				run, _ = strconv.Atoi(of[2])
			}
			for _, t := range b.loops[run-1] {
				choose(i+1, append(slices.Clone(drops), t))
			}
			return
		}
		choose(i+1, append(slices.Clone(drops), b.step(parts[i])))
	}
	choose(0, nil)
}

// stretched returns m with three more transitions after each one, so that its runs are long.
func stretched(t *testing.T, m *lts.LTS) *lts.LTS {
	var b lts.Builder
	b.Over(m.Alphabet())
	z := b.Label("Z")
	n := lts.State(m.NumStates())
	for transition := range m.Transitions() {
		b.Add(transition.From, transition.Label, n)
		b.Add(n, z, n+1)
		b.Add(n+1, transition.Label, n+2)
		b.Add(n+2, z, transition.To)
		n += 3
	}
	long, err := b.Build(m.Initial(), int(n))
	if err != nil {
		t.Fatal(err)
	}
	return long
}

// TestSentencesAboutOtherCounterexamples reads the section about further runs back.
func TestSentencesAboutOtherCounterexamples(t *testing.T) {
	ctx := context.Background()
	met := map[string]int{}
	schema := compiledSchema(t)
	for seed := range randomlts.Share(4_000) {
		r := rand.New(rand.NewPCG(seed, 71))
		m := randomlts.Seeded(seed, randomlts.Size{States: 5, Transitions: 10, Labels: 3, Steps: 1}).Model
		if seed%4 == 0 {
			m = stretched(t, m)
		}
		text := []string{"Inev(A)", "Inev(A, B)", "Response(A; B)", "Never(C)", "Precedes(A; B)", "GF A || GF B", "FG !B"}[r.IntN(7)]
		f := parseAny(t, text)
		e, err := explain.Explain(ctx, m, f, explain.Options{NoFairness: true, NoAdvice: true, Another: 1 + r.IntN(3)})
		if err != nil {
			t.Fatal(err)
		}
		if e.Verdict == explain.Satisfied {
			continue
		}
		p, _, err := f.Bind(ctx, m.Alphabet())
		if err != nil {
			t.Fatal(err)
		}
		if seed%20 == 0 {
			asJSON(t, schema, e)
		}
		b := &otherReader{t: t, seed: seed, m: m, p: p}
		b.runs = append(b.runs, e.Trace().Steps())
		start, loops := e.Trace().LoopStart()
		b.loops = append(b.loops, nil)
		if loops {
			b.loops[0] = e.Trace().Steps()[start:]
		}
		for i, sentence := range render.NewSentences(e, printable.Text).Others() {
			if i < len(e.Others) {
				b.run(sentence, &e.Others[i])
				met["run"]++
				continue
			}
			b.every(sentence, text == "Never(C)" || text == "Precedes(A; B)")
			met["every"]++
		}
		met["elided"] += b.elided
	}
	t.Log(met)
	if randomlts.Whole() && (met["run"] < 500 || met["every"] < 500 || met["elided"] < 10) {
		t.Errorf("met %v", met)
	}
}

// TestOtherCounterexamplesChangeNothingElse: the text about a run is the same with and without further ones.
func TestOtherCounterexamplesChangeNothingElse(t *testing.T) {
	section := regexp.MustCompile(`\nOther counterexamples\n(?:  .*\n)+`)
	met := 0
	properties := []string{"Inev(A)", "Inev(A, B)", "Response(A; B)", "Never(A, B)", "G F A -> G F B", "DeadlockFree"}
	for seed := range randomlts.Share(3_000) {
		r := rand.New(rand.NewPCG(seed, 66))
		m := randomlts.Seeded(seed, randomlts.Size{States: 6, Transitions: 13, Labels: 4, Steps: 1}).Model
		f := parseAny(t, properties[r.IntN(len(properties))])
		var texts []string
		for _, another := range []int{0, 2} {
			e, err := explain.Explain(context.Background(), m, f, explain.Options{Source: explain.Source{File: "m.aut"}, Another: another})
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			if err := newWriter(t, "text", render.Options{}).Explanation(&b, e); err != nil {
				t.Fatal(err)
			}
			texts = append(texts, b.String())
		}
		alone := section.ReplaceAllString(texts[1], "")
		if alone != texts[0] {
			t.Fatalf("seed %d, %s:\n%s\nand with further counterexamples\n%s", seed, f, texts[0], texts[1])
		}
		if alone != texts[1] {
			met++
		}
	}
	if t.Log(met); randomlts.Whole() && met < 500 {
		t.Errorf("%d texts had further counterexamples", met)
	}
}
