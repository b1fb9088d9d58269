package render_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// demands are properties that a step can trigger when the answer is out of reach.
var demands = []string{
	"Response(A; B)", "Response({A, D}; B)", "Response(A; B, C)", "Response(A; B; after C until D)", "G (A -> F B)", "G F A -> G F B",
	"F G !A && G F B", "G (A -> X F B)", "(F A) && (G (C -> F B))", "Inev(A; after B)", "Inev(A; after B until C)", "G (C -> G F A)", "G (B -> F G (A || D))",
}

// manyOfALabel draws a model of few labels, so that a state often has several transitions of one label; it
// has deadlocks and loops.
func manyOfALabel(r *rand.Rand) (*lts.LTS, error) {
	var b lts.Builder
	labels := []lts.Label{b.Label("A"), b.Label("B"), b.Label("C"), b.Label("D")}
	states := 4 + r.IntN(4)
	for range states + r.IntN(states) {
		from, to := r.IntN(states), r.IntN(states)
		if r.IntN(4) > 0 && to < from {
			from, to = to, from
		}
		b.Add(lts.State(from), labels[r.IntN(1+r.IntN(len(labels)))], lts.State(to))
	}
	return b.Build(0, states)
}

// TestSentencesAboutWhatIsGone: the step that a headline names is the one after which something can no
// longer happen: it could happen before.
func TestSentencesAboutWhatIsGone(t *testing.T) {
	understood := map[string]int{}
	several := 0
	for seed := range randomlts.Share(9_000) {
		r := rand.New(rand.NewPCG(seed, 91))
		draw := manyOfALabel
		if seed%3 == 0 {
			draw = randomlts.Nondeterministic
		}
		m, err := draw(r)
		if err != nil {
			t.Fatal(err)
		}
		text := demands[r.IntN(len(demands))]
		o := explain.Options{Source: explain.Source{File: "m.aut"}, NoFairness: true, NoAdvice: true}
		checker, e, err := tableChecker(m, text, "", o)
		if err != nil {
			t.Fatalf("seed %d, %s:\n%s\n%v", seed, text, texts(m), err)
		}
		if checker == nil || e.Diagnosis == nil || e.Diagnosis.Kind != explain.KindLost {
			continue
		}
		said := render.NewSentences(e, printable.Code).Title() + "."
		if err := checker.Sentence(said); err != nil {
			t.Fatalf("seed %d, %s:\n%s\n%v\n%v", seed, text, texts(m), e.Trace().Steps(), err)
		}
		for form, n := range checker.Understood {
			understood[form] += n
		}
		if strings.Contains(said, "where the run begins") {
			several++
		}
	}
	t.Log(understood, several)
	for _, form := range []string{"gone before", "asked for", "must not end", "all end", "called too late"} {
		if randomlts.Whole() && understood[form] < 2 {
			t.Errorf("%q was met %d times", form, understood[form])
		}
	}
}

// TestSentencesAboutRounds: where the loop is unrolled, the run with one round of it is as short as the
// sentence says, and the rounds differ.
func TestSentencesAboutRounds(t *testing.T) {
	met := 0
	for seed := range randomlts.Share(12_000) {
		r := rand.New(rand.NewPCG(seed, 93))
		m, err := manyOfALabel(r)
		if err != nil {
			t.Fatal(err)
		}
		text := demands[r.IntN(len(demands))]
		o := explain.Options{Source: explain.Source{File: "m.aut"}, NoFairness: true, NoAdvice: true}
		checker, e, err := tableChecker(m, text, "", o)
		if err != nil {
			t.Fatalf("seed %d, %s:\n%s\n%v", seed, text, texts(m), err)
		}
		if checker == nil || e.Counterexample == nil || e.Counterexample.Unrolled == nil {
			continue
		}
		met++
		_, said, err := sentencesOf(e, func(string) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		for _, sentence := range said {
			if !strings.Contains(sentence, "The loop is shown in ") {
				continue
			}
			if err := checker.Sentence(sentence); err != nil {
				t.Fatalf("seed %d, %s:\n%s\n%v\n%v", seed, text, texts(m), e.Trace().Steps(), err)
			}
		}
		if checker.Understood["rounds"] == 0 {
			t.Fatalf("seed %d, %s:\n%s\nthe rounds are not told: %q", seed, text, texts(m), said)
		}
	}
	if t.Log(met); randomlts.Whole() && met < 5 {
		t.Errorf("it was met %d times", met)
	}
}

// TestSentencesAboutUnavoidableDeadlocks: the headline of a deadlock names the step after which it could not be
// avoided.
func TestSentencesAboutUnavoidableDeadlocks(t *testing.T) {
	met := 0
	for seed := range randomlts.Share(6_000) {
		r := rand.New(rand.NewPCG(seed, 94))
		draw := manyOfALabel
		if seed%3 == 0 {
			draw = randomlts.Nondeterministic
		}
		m, err := draw(r)
		if err != nil {
			t.Fatal(err)
		}
		o := explain.Options{Source: explain.Source{File: "m.aut"}, NoFairness: true, NoAdvice: true}
		checker, e, err := tableChecker(m, "DeadlockFree", "", o)
		if err != nil {
			t.Fatalf("seed %d:\n%s\n%v", seed, texts(m), err)
		}
		if checker == nil || e.Diagnosis == nil || e.Diagnosis.Kind != explain.KindStops {
			continue
		}
		said := render.NewSentences(e, printable.Code).Title() + "."
		if err := checker.Sentence(said); err != nil {
			t.Fatalf("seed %d:\n%s\n%v\n%v", seed, texts(m), e.Trace().Steps(), err)
		}
		met += checker.Understood["unavoidable"]
	}
	if t.Log(met); randomlts.Whole() && met < 200 {
		t.Errorf("it was met %d times", met)
	}
}
