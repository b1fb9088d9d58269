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
	"github.com/inev-lts/inev/formula"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

var neverComesForm = regexp.MustCompile(`^a state with (x = \d) never comes: (.+) happens? in every round$`)

// drawWayToValue draws a model with a chain of states, of which the last one has x = 2, and other transitions
// between them.
func drawWayToValue(r *rand.Rand) *valuedModel {
	v := &valuedModel{}
	n := 3 + r.IntN(4)
	for i := range n {
		x := r.IntN(2)
		if i == n-1 {
			x = 2
		}
		v.state([2]int{x, r.IntN(2)})
	}
	for i := range n - 1 {
		v.add(i, string("ab"[r.IntN(2)]), i+1)
	}
	for range 1 + r.IntN(3) {
		arc := valuedArc{r.IntN(n), string("abcd"[r.IntN(4)]), r.IntN(n - 1)}
		if !slices.Contains(v.arcs, arc) {
			v.add(arc.from, arc.label, arc.to)
		}
	}
	return v
}

// avoids reports whether some run never comes to a state with x = value, and does the labels only
// finitely often.
func (v *valuedModel) avoids(value int, rare []string) bool {
	isFree := func(s int) bool { return v.values[s][0] != value }
	if !isFree(0) {
		return false
	}
	ways := func(from int, isAllowed func(valuedArc) bool) map[int]bool {
		reached := map[int]bool{}
		open := []int{from}
		for len(open) > 0 {
			s := open[len(open)-1]
			open = open[:len(open)-1]
			for _, arc := range v.arcs {
				if arc.from == s && isFree(arc.to) && isAllowed(arc) && !reached[arc.to] {
					reached[arc.to] = true
					open = append(open, arc.to)
				}
			}
		}
		return reached
	}
	reached := ways(0, func(valuedArc) bool { return true })
	reached[0] = true
	for s := range reached {
		isEnd := !slices.ContainsFunc(v.arcs, func(arc valuedArc) bool { return arc.from == s })
		recurs := ways(s, func(arc valuedArc) bool { return !slices.Contains(rare, arc.label) })[s]
		if isEnd || recurs {
			return true
		}
	}
	return false
}

// TestSentencesAboutCausesOfValues: where a loop keeps a run from a state with some value, the labels that
// the headline names are on the loop, and no run does without them, and at most one other, forever.
func TestSentencesAboutCausesOfValues(t *testing.T) {
	met := 0
	for seed := range randomlts.Share(8_000) {
		r := rand.New(rand.NewPCG(seed, 69))
		v := drawWayToValue(r)
		f, err := formula.Parse(context.Background(), "F (x = 2)")
		if err != nil {
			t.Fatal(err)
		}
		m, table := v.build(t)
		e, err := explain.Explain(context.Background(), m, f, explain.Options{Source: explain.Source{States: table}})
		if err != nil {
			t.Fatal(err)
		}
		if e.Diagnosis == nil || e.Diagnosis.Cause == nil {
			continue
		}
		said := render.NewSentences(e, func(text string) string { return text }).Diagnosis()
		form := neverComesForm.FindStringSubmatch(said)
		if form == nil || form[1] != "x = 2" {
			t.Fatalf("seed %d: %q is not understood", seed, said)
		}
		labels := strings.Split(form[2], " and ")
		run := e.Counterexample
		for _, label := range labels {
			if !slices.ContainsFunc(run.Steps[run.LoopStart:], func(s explain.Step) bool { return s.Label == label }) {
				t.Fatalf("seed %d: %q; %s is not on the loop\n%+v", seed, said, label, *v)
			}
		}
		// Other such loops may have another label in its place.
		isEnough := !v.avoids(2, labels)
		for _, other := range []string{"a", "b", "c", "d"} {
			isEnough = isEnough || len(labels) == 1 && !v.avoids(2, append(slices.Clone(labels), other))
		}
		if !isEnough {
			t.Fatalf("seed %d: %q\n%+v", seed, said, *v)
		}
		met++
	}
	if randomlts.Whole() && met < 50 {
		t.Errorf("only %d causes were met", met)
	}
	t.Log(met)
}

// awaitingOneOf are formulas about the labels that they await, of which one is enough.
var awaitingOneOf = []string{
	"Inev({P, Q})", "Inev({P, Q, S, T, Y})", "F (P || Q)", "G F (P || Q)", "G F (P || Q || S || T || Y)", "Response({a, b}; {P, Q})",
	"Response(a; {P, Q, S, T, Y})", "G (a -> F (P || Q))", "Inev(a, {P, Q})", "Inev({P, Q}; after a)", "F (P && F Q || Q && F P)",
}

// countForm matches the beginning of a headline that counts labels.
var countForm = regexp.MustCompile(`^n?one of [^(]*\((\d+) more\)`)

// TestHeadlinesNameAllThatIsAwaited: a headline of a loop names all labels of the model that the run waits
// for, or counts those that it leaves out, and as causes only labels that occur in each round.
func TestHeadlinesNameAllThatIsAwaited(t *testing.T) {
	form := regexp.MustCompile(`^(none of )?(.+?)(?: never| ever)? happens(?: again)?: (.+) happens? in every round$|^(.+?) is (?:possible on the loop, but the nearest one that counts is )?\d+ steps away from (?:the loop|state \d+)[ ,]`)
	causes, ways, counted := 0, 0, 0
	for seed := range randomlts.Share(6_000) {
		r := rand.New(rand.NewPCG(seed, 71))
		text := awaitingOneOf[r.IntN(len(awaitingOneOf))]
		m := drawAwaiting(r, t)
		e, err := explain.Explain(context.Background(), m, parseAny(t, text), explain.Options{NoPaths: true})
		if err != nil {
			t.Fatal(err)
		}
		if e.Diagnosis == nil || e.Diagnosis.Kind != explain.KindTurnedBack {
			continue
		}
		said := render.NewSentences(e, func(text string) string { return text }).Diagnosis()
		found := form.FindStringSubmatch(said)
		if found == nil {
			t.Fatalf("seed %d, %s: %q is not understood", seed, text, said)
		}
		if found[2]+found[4] == "a" {
			continue // the first step of two is awaited
		}
		names := regexp.MustCompile(`\b[PQSTY]\b`).FindAllString(found[2]+found[4], -1)
		possible := map[string]bool{}
		for transition := range m.Transitions() {
			label := m.Alphabet().Text(transition.Label)
			possible[label] = strings.Contains(text, label) && strings.Contains("PQSTY", label)
		}
		awaited := 0
		for label, is := range possible {
			if is {
				awaited++
			}
			if is && len(names) < 3 && !slices.Contains(names, label) {
				t.Fatalf("seed %d, %s: %q lacks %s", seed, text, said, label)
			}
		}
		more := 0
		if left := countForm.FindStringSubmatch(said); left != nil {
			more, _ = strconv.Atoi(left[1])
			counted++
		}
		if len(names)+more != awaited {
			t.Fatalf("seed %d, %s: %q names %q and %d more of %d", seed, text, said, names, more, awaited)
		}
		run := e.Counterexample
		for _, label := range regexp.MustCompile(`\b[a-d]\b`).FindAllString(found[3], -1) {
			causes++
			if !slices.ContainsFunc(run.Steps[run.LoopStart:], func(s explain.Step) bool { return s.Label == label }) {
				t.Fatalf("seed %d, %s: %q, and %s is not on the loop", seed, text, said, label)
			}
		}
		if found[4] != "" {
			ways++
		}
	}
	if t.Log(causes, ways, counted); randomlts.Whole() && min(causes, ways, counted) < 50 {
		t.Errorf("%d causes, %d ways and %d counts were met", causes, ways, counted)
	}
}

// drawAwaiting draws a model with loops of the labels a to d, and with ways to some of P to Y, all of them reached.
func drawAwaiting(r *rand.Rand, t *testing.T) *lts.LTS {
	var b lts.Builder
	n := 3 + r.IntN(3)
	for s := range n {
		b.Add(lts.State(s), b.Label("a"), lts.State((s+1)%n))
	}
	for range 1 + r.IntN(4) {
		b.Add(lts.State(r.IntN(n)), b.Label(string("bcd"[r.IntN(3)])), lts.State(r.IntN(n)))
	}
	for i := range 1 + r.IntN(2) {
		b.Add(lts.State(r.IntN(n)), b.Label("c"), lts.State(n+i))
		b.Add(lts.State(n+i), b.Label("d"), lts.State(r.IntN(n)))
		for range 1 + r.IntN(4) {
			b.Add(lts.State(n+i), b.Label(string("PQSTY"[r.IntN(5)])), lts.State(r.IntN(n+i+1)))
		}
	}
	m, err := b.Build(0, n+2)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
