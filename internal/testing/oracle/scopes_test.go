package oracle_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood/fate"
)

// word is what happens on a run: labels, of which those from loop on recur forever; a run that ends has no loop.
type word struct {
	labels []string
	loop   int
}

// at returns the i-th label.
func (w word) at(i int) (label string, is bool) {
	if i >= len(w.labels) && w.loop >= 0 {
		i = w.loop + (i-w.loop)%(len(w.labels)-w.loop)
	}
	if i >= len(w.labels) {
		return "", false
	}
	return w.labels[i], true
}

// scoped is a pattern in a scope, by its sets of labels.
type scoped struct {
	kind, scope string
	most        int
	steps       []map[string]bool
	x, y        map[string]bool
}

// noEnd is the end of a part of a run that has none.
const noEnd = 1 << 20

// first returns the first place from which on, and before end, a label of the set happens. What does not happen within the stem and
// a round of the loop never does.
func (w word) first(from, end int, set map[string]bool) (int, bool) {
	for i := from; i < min(end, from+len(w.labels)+1); i++ {
		if label, is := w.at(i); is && set[label] {
			return i, true
		}
	}
	return 0, false
}

// inOrder returns the place after the steps, each strictly later than the one before.
func (w word) inOrder(from, end int, steps []map[string]bool) (int, bool) {
	for _, step := range steps {
		at, is := w.first(from, end, step)
		if !is {
			return 0, false
		}
		from = at + 1
	}
	return from, true
}

// parts returns the parts of a run that a scope consists of, each from a place up to another one, as the documents define them.
func (p scoped) parts(w word) (all [][2]int) {
	switch p.scope {
	case "":
		return [][2]int{{0, noEnd}}
	case "before":
		if end, is := w.first(0, noEnd, p.x); is {
			return [][2]int{{0, end}}
		}
		return nil
	case "after":
		if at, is := w.first(0, noEnd, p.x); is {
			return [][2]int{{at + 1, noEnd}}
		}
		return nil
	}
	// Each X begins a part; those of later rounds are as those of the first.
	for i, label := range w.labels {
		if !p.x[label] {
			continue
		}
		end, is := w.first(i+1, noEnd, p.y)
		switch {
		case is:
			all = append(all, [2]int{i + 1, end})
		case p.scope == "until":
			all = append(all, [2]int{i + 1, noEnd})
		}
	}
	return all
}

// holds decides the pattern by its definition, in each part.
func (p scoped) holds(w word) bool {
	for _, part := range p.parts(w) {
		if !p.holdsIn(w, part[0], part[1]) {
			return false
		}
	}
	return true
}

func (p scoped) holdsIn(w word, from, end int) bool {
	// What happens in the part, as far as it does not repeat itself.
	var places []int
	for i := from; i < min(end, from+2*len(w.labels)); i++ {
		if _, is := w.at(i); is {
			places = append(places, i)
		}
	}
	does := func(i int, set map[string]bool) bool {
		label, _ := w.at(i)
		return set[label]
	}
	switch p.kind {
	case "Inev":
		_, is := w.inOrder(from, end, p.steps)
		return is
	case "Never":
		_, is := w.inOrder(from, end, p.steps)
		return !is
	case "Response":
		for _, i := range places {
			if does(i, p.steps[0]) {
				if _, is := w.inOrder(i+1, end, p.steps[1:]); !is {
					return false
				}
			}
		}
		return true
	case "Precedes":
		a, isA := w.first(from, end, p.steps[0])
		b, isB := w.first(from, end, p.steps[1])
		return !isB || isA && a <= b
	case "Always":
		return !slices.ContainsFunc(places, func(i int) bool { return !does(i, p.steps[0]) })
	case "AtMost":
		_, is := w.inOrder(from, end, slices.Repeat(p.steps[:1], p.most+1))
		return !is
	}
	// DeadlockFree: the run does not end inside the part.
	return w.loop >= 0 || end < noEnd
}

// drawScoped draws a pattern in a scope, and its text. Sets may have a label that no transition has, and may overlap.
func drawScoped(r *rand.Rand, labels []string) (p scoped, text string) {
	set := func() (map[string]bool, string) {
		some := r.Perm(len(labels))[:1+r.IntN(2)%len(labels)]
		of := map[string]bool{}
		var names []string
		for _, i := range some {
			of[labels[i]] = true
			names = append(names, labels[i])
		}
		if len(names) == 1 {
			return of, names[0]
		}
		return of, "{" + strings.Join(names, ", ") + "}"
	}
	var texts []string
	step := func(n int) {
		for range n {
			of, name := set()
			p.steps, texts = append(p.steps, of), append(texts, name)
		}
	}
	p.kind = []string{"Inev", "Never", "Response", "Precedes", "Always", "AtMost", "DeadlockFree"}[r.IntN(7)]
	switch p.kind {
	case "Inev", "Never":
		step(1 + r.IntN(2))
		text = strings.Join(texts, ", ")
	case "Response":
		step(2 + r.IntN(2))
		text = texts[0] + "; " + strings.Join(texts[1:], ", ")
	case "Precedes":
		step(2)
		text = strings.Join(texts, "; ")
	case "Always":
		step(1)
		text = texts[0]
	case "AtMost":
		step(1)
		p.most = 1 + r.IntN(2)
		text = fmt.Sprintf("%d; %s", p.most, texts[0])
	}
	var x, y string
	p.x, x = set()
	p.y, y = set()
	p.scope = []string{"", "before", "after", "between", "until", "between", "until", "between", "until"}[r.IntN(9)]
	said := map[string]string{"": "", "before": "before " + x, "after": "after " + x, "between": "between " + x + " and " + y, "until": "after " + x + " until " + y}[p.scope]
	if said != "" && text != "" {
		said = "; " + said
	}
	return p, fmt.Sprintf("%s(%s%s)", p.kind, text, said)
}

// wordsOf calls do with the words of all runs with at most so many transitions, and the transitions; it ends when do returns false.
func wordsOf(m *lts.LTS, most int, do func(w word, run []lts.Transition) bool) {
	var run []lts.Transition
	var labels []string
	var walk func(at lts.State) bool
	walk = func(at lts.State) bool {
		if m.IsDeadlock(at) && !do(word{labels, -1}, run) {
			return false
		}
		for i, t := range run {
			if t.From == at && !do(word{labels, i}, run) {
				return false
			}
		}
		if len(run) == most {
			return true
		}
		out, targets := m.Out(at)
		for i, to := range targets {
			run, labels = append(run, lts.Transition{From: at, Label: out.At(i), To: to}), append(labels, m.Alphabet().Text(out.At(i)))
			goes := walk(to)
			run, labels = run[:len(run)-1], labels[:len(labels)-1]
			if !goes {
				return false
			}
		}
		return true
	}
	walk(m.Initial())
}

// lost reports whether no word that begins so satisfies the pattern, of those that go on for a few labels, and end or repeat the last of them.
func (p scoped) lost(begin, labels []string) bool {
	var tried func(more int, w []string) bool
	tried = func(more int, w []string) bool {
		if p.holds(word{w, -1}) {
			return true
		}
		for i := max(len(begin), len(w)-2); i < len(w); i++ {
			if p.holds(word{w, i}) {
				return true
			}
		}
		if more == 0 {
			return false
		}
		for _, label := range labels {
			if tried(more-1, append(slices.Clone(w), label)) {
				return true
			}
		}
		return false
	}
	return !tried(4, slices.Clone(begin))
}

// TestScopes compares what is told of patterns in scopes with the definitions, which are read off each run: the verdict, the run that
// violates and that none is shorter, or violates sooner, and what transitions mean.
func TestScopes(t *testing.T) {
	ctx := context.Background()
	const most = 6
	met := map[string]int{}
	for seed := range randomlts.Share(400) {
		r := rand.New(rand.NewPCG(seed, 4704))
		m := randomlts.Seeded(seed+1<<32, randomlts.Size{States: 5, Transitions: 8, Labels: 4, Steps: 1}).Model
		var labels, happening []string
		for _, text := range m.Alphabet().All() {
			labels = append(labels, text)
		}
		for tr := range m.Transitions() {
			if text := m.Alphabet().Text(tr.Label); m.Reachable().Has(tr.From) && !slices.Contains(happening, text) {
				happening = append(happening, text)
			}
		}
		if len(labels) == 0 {
			continue
		}
		p, text := drawScoped(r, labels)
		f, err := read(ctx, text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		e, err := explain.Explain(ctx, m, f, explain.Options{NoAdvice: true})
		if err != nil {
			t.Fatalf("seed %d: %s: %v", seed, text, err)
		}
		fail := func(format string, args ...any) {
			t.Fatalf("seed %d: %s is %s: %s\n%v", seed, text, e.Verdict, fmt.Sprintf(format, args...), slices.Collect(m.Transitions()))
		}
		met[e.Verdict.String()+" "+p.scope]++
		length := noEnd
		if c := e.Counterexample; c != nil {
			w := word{loop: int(c.LoopStart)}
			for _, step := range c.Steps {
				w.labels = append(w.labels, step.Label)
			}
			met[c.Kind.String()]++
			switch {
			case c.Kind == counterexample.Prefix:
				if !p.lost(w.labels, happening) {
					fail("some word goes on from %v", w)
				}
				for end := range len(w.labels) {
					// No path with fewer transitions is lost.
					wordsOfPaths(m, end, func(begin []string) {
						if p.lost(begin, happening) {
							fail("%v is lost sooner than %v", begin, w)
						}
					})
				}
			case c.Kind == counterexample.Lasso && p.holds(w), c.Kind == counterexample.Deadlock && p.holds(word{w.labels, -1}):
				fail("%v satisfies it", w)
			case c.Minimal == counterexample.InModel:
				length = c.Length
			}
		}
		wordsOf(m, most, func(w word, run []lts.Transition) bool {
			holds := p.holds(w)
			if !holds && (e.Verdict == explain.Satisfied || len(run) < length && length < noEnd) {
				fail("%v violates it", w)
			}
			for _, tr := range run {
				if class := e.Classification().Class(tr.From, tr.Label, tr.To); class == fate.Correct && !holds || class == fate.Incorrect && holds {
					fail("%v is %v, and %v satisfies it: %t", tr, class, w, holds)
				}
			}
			return true
		})
	}
	if randomlts.Whole() && (len(met) < 10 || met["violated until"] < 25 || met["violated between"] < 10) {
		t.Errorf("too little was met: %v", met)
	}
}

// wordsOfPaths calls do with the labels of all paths with so many transitions.
func wordsOfPaths(m *lts.LTS, length int, do func([]string)) {
	var walk func(at lts.State, labels []string)
	walk = func(at lts.State, labels []string) {
		if len(labels) == length {
			do(labels)
			return
		}
		out, targets := m.Out(at)
		for i, to := range targets {
			walk(to, append(slices.Clone(labels), m.Alphabet().Text(out.At(i))))
		}
	}
	walk(m.Initial(), nil)
}
