package render_test

import (
	"math/rand/v2"
	"regexp"
	"testing"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
)

// withPits draws a model in which actions lead to where all is lost, at times only after A, or only before B.
func withPits(t *testing.T, r *rand.Rand) randomlts.Case {
	t.Helper()
	var b lts.Builder
	names := []string{"A", "B", "C", "D", "E"}
	for _, name := range names {
		b.Label(name)
	}
	places, pits := 4+r.IntN(2), []int{1, 2, 5}[r.IntN(3)]
	lost := lts.State(2 * places) // a state is twice a place, plus one if the last of A and B was A
	once := r.IntN(3)
	for s := range lost {
		for l := range lts.Label(len(names)) {
			bit := s % 2
			switch {
			case names[l] == "A" && once != 1:
				bit = 1
			case names[l] == "B" && once != 2:
				bit = 0
			case r.IntN(5) == 0:
				continue
			}
			to := 2*lts.State(r.IntN(places)) + bit
			if names[l] == "C" && s%2 == 1 || names[l] == "E" && r.IntN(12) == 0 {
				to = lost + lts.State(r.IntN(pits))
			}
			b.Add(s, l, to)
		}
	}
	if r.IntN(2) == 0 {
		b.Add(lost, lts.Label(r.IntN(len(names)-2)), lost)
	}
	m, err := b.Build(lts.State(r.IntN(2)), int(lost)+pits)
	if err != nil {
		t.Fatal(err)
	}
	return randomlts.Case{Model: m, Formula: "Inev(D)", Steps: []map[lts.Label]bool{{3: true}}}
}

// TestRulesAreExact reads advice back that forbids much: runs that follow its rules, with what they have done before,
// are those of a supervisor that brute force finds. Such advice names an action or a state, and is no bare number.
func TestRulesAreExact(t *testing.T) {
	forms := map[string]*regexp.Regexp{
		"everywhere": regexp.MustCompile("` everywhere"),
		"after":      regexp.MustCompile("^Forbid `[^`]*` after `[^`]*`(?:,|\\.| (?:once|before|\\())"),
		"until":      regexp.MustCompile("^Forbid `[^`]*` until `[^`]*`(?:,|\\.| (?:once|before|\\())"),
		"between":    regexp.MustCompile("` after `[^`]*` until `"),
		"again":      regexp.MustCompile(" and again after "),
		"into":       regexp.MustCompile(`whatever leads to states? `),
		"deadlocks":  regexp.MustCompile(`whatever leads to the deadlock`),
	}
	bare := regexp.MustCompile(`\(\d+ transitions?\)`)
	met := map[string]int{}
	note := func(said []string) {
		for _, sentence := range said {
			for name, form := range forms {
				if form.MatchString(sentence) {
					met[name]++
				}
			}
			if bare.MatchString(sentence) {
				t.Fatalf("%q is a number", sentence)
			}
		}
	}
	for seed := range randomlts.Share(1_500) {
		c := withPits(t, rand.New(rand.NewPCG(seed, 13)))
		e, err := explained(c, explain.Options{Source: explain.Source{File: "m.aut"}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := readExplanation(c, e, neighbourhood.All); err != nil {
			t.Fatalf("seed %d:\n%s\n%v", seed, c, err)
		}
		note(render.NewSentences(e, printable.Code).Hold())
		text := []string{"Response(A; D)", "Precedes(A; B)", "Never(B; before A)", "Response(E; D)"}[seed%4]
		checker, e, err := tableChecker(c.Model, text, "", explain.Options{Source: explain.Source{File: "m.aut"}})
		if err != nil {
			t.Fatal(err)
		}
		if checker == nil {
			continue
		}
		said := render.NewSentences(e, printable.Code).Hold()
		for _, sentence := range said {
			if err := checker.Sentence(sentence); err != nil {
				t.Fatalf("seed %d, %s:\n%s\n%v", seed, text, texts(c.Model), err)
			}
		}
		note(said)
	}
	t.Log(met)
	for name := range forms {
		if randomlts.Whole() && met[name] < 5 {
			t.Errorf("%q was met %d times", name, met[name])
		}
	}
}
