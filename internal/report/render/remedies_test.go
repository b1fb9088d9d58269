package render_test

import (
	"context"
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/explain/remedy"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/fromproperty"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// reached returns the states, the number of distinct and other transitions, and the labels of runs.
func reached(m *lts.LTS) (states, transitions int, labels []string) {
	seen := map[lts.State]bool{}
	var visit func(s lts.State)
	visit = func(s lts.State) {
		if seen[s] {
			return
		}
		seen[s] = true
		of, targets := m.Out(s)
		for i, to := range targets {
			transitions++
			labels = append(labels, m.Alphabet().Text(of.At(i)))
			visit(to)
		}
	}
	visit(m.Initial())
	slices.Sort(labels)
	return len(seen), transitions, slices.Compact(labels)
}

// isTrueIn reports whether brute force finds that all runs of a model satisfy a formula, or all fully fair ones.
func isTrueIn(t *testing.T, m *lts.LTS, f property.Formula, fully bool) bool {
	t.Helper()
	p, _, err := f.Bind(context.Background(), m.Alphabet())
	if err != nil {
		t.Fatal(err)
	}
	if fully {
		of, is := oracle.NewFairGeneral(m, fromproperty.Automaton(p), oracle.Assumption{Full: true})
		if !is {
			return true // too large to be decided
		}
		_, dead := of.ShortestDeadlock()
		_, lost := of.ShortestLoss()
		return !dead && !lost
	}
	_, reject := oracle.NewGeneral(m, fromproperty.Automaton(p)).Can(m.Initial(), int(p.Initial()))
	return !reject
}

// TestRemediesWork applies each remedy: then the property is true, and what is said to be lost is lost.
func TestRemediesWork(t *testing.T) {
	ctx := context.Background()
	met := map[string]int{}
	for seed := range randomlts.Share(8_000) {
		r := rand.New(rand.NewPCG(seed, 73))
		m := randomlts.Seeded(seed, randomlts.Size{States: 5, Transitions: 9, Labels: 3, Steps: 1}).Model
		texts := []string{"Inev(A)", "Inev(A, B)", "Response(A; B)", "Never(C)", "Precedes(A; B)", "F G !A", "G F A"}
		text := texts[r.IntN(len(texts))]
		f := parseAny(t, text)
		e, err := explain.Explain(ctx, m, f, explain.Options{NoPaths: true})
		if err != nil {
			t.Fatal(err)
		}
		if e.Verdict == explain.Satisfied {
			continue
		}
		for _, advised := range render.NewSentences(e, printable.Text).Remedies() {
			if advised.Assumption != "" {
				assumed, err := actl.ParseAssumption(ctx, advised.Assumption)
				if err != nil {
					t.Fatal(err)
				}
				under, err := explain.Check(ctx, m, f, explain.Options{Fair: []*actl.Assumption{assumed}})
				if err != nil || under.Verdict != explain.Satisfied {
					t.Fatalf("seed %d: %s is violated under %s (%v)\n%s", seed, text, advised.Assumption, err, randomlts.Case{Model: m, Formula: text})
				}
				met["assumption"]++
				continue
			}
			var applied *remedy.Applied
			if advised.Supervised {
				applied, err = remedy.Supervised(ctx, m, f, explain.Source{}, nil)
				met["supervisor"]++
			} else {
				applied, err = remedy.WithoutSteps(ctx, m, f, advised.Without, explain.Source{}, nil)
				met["cut"]++
			}
			if err != nil {
				t.Fatal(err)
			}
			if applied.FairVerdict != explain.Satisfied || !advised.Supervised && applied.Verdict != explain.Satisfied ||
				!isTrueIn(t, applied.Model, f, applied.Verdict != explain.Satisfied) {
				t.Fatalf("seed %d: %s is violated after %q\n%s", seed, text, advised.Sentence, randomlts.Case{Model: m, Formula: text})
			}
			states, transitions, labels := reached(m)
			left, leftTransitions, leftLabels := reached(applied.Model)
			if !applied.Unfolded && (applied.States != states-left || applied.Transitions != transitions-leftTransitions || applied.OfStates != states || applied.OfTransitions != transitions) {
				t.Fatalf("seed %d: %+v are lost; %d of %d states and %d of %d transitions are left", seed, applied, left, states, leftTransitions, transitions)
			}
			lost := slices.DeleteFunc(labels, func(l string) bool { return slices.Contains(leftLabels, l) })
			if !slices.Equal(lost, applied.Labels) {
				t.Fatalf("seed %d: %q are lost, and not %q", seed, lost, applied.Labels)
			}
		}
	}
	t.Log(met)
	if randomlts.Whole() && (met["cut"] < 200 || met["supervisor"] < 200 || met["assumption"] < 200) {
		t.Errorf("met %v", met)
	}
}

// TestNoRemedyIsToldTwice: what the supervisor always forbids is not the set of transitions of another remedy.
func TestNoRemedyIsToldTwice(t *testing.T) {
	supervised, both := 0, 0
	for seed := range randomlts.Share(2_000) {
		c := randomlts.Seeded(seed, randomlts.Size{States: 5, Transitions: 9, Labels: 3, Steps: 2})
		for _, text := range []string{"Inev(A, B)", "Never(B)", "Precedes(A; B)"} {
			e, err := explainedText(c.Model, text)
			if err != nil {
				t.Fatal(err)
			}
			if e.Repair == nil || len(e.Repair.NotForEver) > 0 {
				continue
			}
			var always []explain.ModelStep
			for _, f := range e.Repair.Never {
				if len(f.Progress) == len(f.Comes) {
					always = append(always, explain.ModelStep{From: f.From, Label: f.Label, To: f.To})
				}
			}
			sentences := render.NewSentences(e, printable.Text)
			remedies := sentences.Remedies()
			isSupervised := slices.ContainsFunc(remedies, func(r render.Remedy) bool { return r.Supervised })
			isAdvice := func(c render.Claim) bool { return c.Kind() == "advice" }
			if slices.ContainsFunc(sentences.Story().All(), isAdvice) != isSupervised {
				t.Fatalf("seed %d, %s: the claims and the remedies %+v differ\n%s", seed, text, remedies, c)
			}
			if !isSupervised || len(always) < len(e.Repair.Never) {
				continue
			}
			supervised++
			for _, r := range remedies {
				isOther := func(s explain.ModelStep) bool { return !slices.Contains(always, s) }
				if r.Without != nil {
					both++
				}
				if r.Without != nil && len(r.Without) == len(always) && !slices.ContainsFunc(r.Without, isOther) {
					t.Fatalf("seed %d, %s: told twice: %s\n%s", seed, text, r.Sentence, c)
				}
			}
		}
	}
	if randomlts.Whole() && (supervised < 50 || both < 1) {
		t.Errorf("%d supervisors, %d beside another remedy: nothing is known of them", supervised, both)
	}
}

// TestNoRemedyRestatesTheProperty: that A stops is no remedy for "A stops" if there is another one; and where only what
// the property prohibits can be forbidden in many states, the sentence says more than that.
func TestNoRemedyRestatesTheProperty(t *testing.T) {
	alone, beside, prohibited := 0, 0, 0
	stays := regexp.MustCompile("^No run may stay in .* forever and do `A` again and again\\.$")
	stops := regexp.MustCompile("^(?:`A`|.*likewise.*`A`.*) happens? finitely often|happens? finitely often.*likewise.*`A`")
	own := regexp.MustCompile("^Forbid `A` (?:everywhere[^:`]*|in [^:`]*)(: .*)?\\.$")
	for seed := range randomlts.Share(4_000) {
		m := randomlts.Seeded(seed, randomlts.Size{States: 7, Transitions: 16, Labels: 3, Steps: 1}).Model
		e, err := explainedText(m, "F G !A")
		if err != nil {
			t.Fatal(err)
		}
		if e.Verdict == explain.Violated {
			said := render.NewSentences(e, printable.Code).Hold()
			for _, sentence := range said {
				isRestated := stays.MatchString(sentence) || stops.MatchString(sentence)
				switch {
				case isRestated && len(said) > 1:
					t.Fatalf("seed %d: %q restates the property, beside %q\n%s", seed, sentence, said, randomlts.Case{Model: m})
				case isRestated:
					alone++
				default:
					beside++
				}
			}
		}
		e, err = explainedText(m, "Never(A)")
		if err != nil {
			t.Fatal(err)
		}
		if e.Verdict == explain.Satisfied || e.Repair == nil || len(e.Repair.Never) <= 3 || !e.Repair.Prohibited {
			continue
		}
		for _, sentence := range render.NewSentences(e, printable.Code).Hold() {
			found := own.FindStringSubmatch(sentence)
			if found == nil {
				continue
			}
			prohibited++
			if found[1] == "" {
				t.Fatalf("seed %d: %q restates the property\n%s", seed, sentence, randomlts.Case{Model: m})
			}
		}
	}
	t.Log(alone, beside, prohibited)
	if randomlts.Whole() && (alone < 20 || beside < 100 || prohibited < 20) {
		t.Errorf("met %d, %d and %d", alone, beside, prohibited)
	}
}
