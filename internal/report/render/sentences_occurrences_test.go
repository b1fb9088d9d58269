package render_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
)

var (
	oftenForm   = regexp.MustCompile(`^A happens a (second|third) time \(step (\d+); (?:the first is step (\d+)|the others are steps (\d+) and (\d+))\)( after C| before B \(step \d+\)| between C \(step \d+\) and B \(step \d+\)| until B)?$`)
	elsewhereIs = regexp.MustCompile(`^(\w+)(?:, which is (not|none of) (.+?),)? happens \(step (\d+)\)(?:, which is (not|none of) ([^,]+|\{.+\}))?(| after C| before B \(step \d+\)| between C \(step \d+\) and B \(step \d+\)| until B)$`)
)

// countedScopes are scopes of a pattern, with what opens and closes them.
var countedScopes = []struct{ text, from, to string }{
	{"", "", ""}, {"; after C", "C", ""}, {"; before B", "", "B"}, {"; between C and B", "C", "B"}, {"; after C until B", "C", "B"},
}

// stepsInScope returns the steps of a word, up to one of them, that lie in the same scope as this one.
func stepsInScope(word []string, last int, from, to string) []int {
	open := from == ""
	var all []int
	for i, label := range word[:last+1] {
		switch {
		case open && to != "" && label == to:
			open = false
			all = nil
			if from != "" && label == from {
				open = true
			}
		case !open && label == from:
			open = true
			all = nil
		case open:
			all = append(all, i)
		}
	}
	return all
}

// sentenceOf returns the diagnosis of a counterexample to a formula, and the labels of its steps; "" if nothing
// forbidden happens.
func sentenceOf(t *testing.T, c randomlts.Case, text string) (said string, word []string) {
	t.Helper()
	o := explain.Options{Source: explain.Source{File: "m.aut"}, NoFairness: true, NoAdvice: true}
	e, err := explain.Explain(context.Background(), c.Model, parseAny(t, text), o)
	if err != nil {
		t.Fatal(err)
	}
	if e.Diagnosis == nil || e.Diagnosis.Kind != explain.KindForbidden {
		return "", nil
	}
	for _, step := range e.Counterexample.Steps {
		word = append(word, step.Label)
	}
	return render.NewSentences(e, func(text string) string { return text }).Diagnosis(), word
}

// TestSentencesAboutOccurrences: the headline says how often a step has happened in its scope, and names the earlier
// steps.
func TestSentencesAboutOccurrences(t *testing.T) {
	met := map[string]int{}
	for seed := range randomlts.Share(4_000) {
		r := rand.New(rand.NewPCG(seed, 29))
		c := randomlts.Seeded(seed, randomlts.Size{States: 5, Transitions: 10, Labels: 3, Steps: 1})
		scope := countedScopes[r.IntN(len(countedScopes))]
		times := 1 + r.IntN(2)
		said, word := sentenceOf(t, c, fmt.Sprintf("AtMost(%d; A%s)", times, scope.text))
		if said == "" {
			continue
		}
		m := oftenForm.FindStringSubmatch(said)
		if m == nil {
			t.Fatalf("seed %d: %q is not understood", seed, said)
		}
		step, _ := strconv.Atoi(m[2])
		var want []string
		for _, i := range stepsInScope(word, step-1, scope.from, scope.to) {
			if word[i] == "A" {
				want = append(want, strconv.Itoa(i+1))
			}
		}
		got := slices.DeleteFunc([]string{m[3], m[4], m[5], m[2]}, func(s string) bool { return s == "" })
		ordinal := map[int]string{1: "second", 2: "third"}[times]
		if m[1] != ordinal || !slices.Equal(got, want) {
			t.Fatalf("seed %d, AtMost(%d; A%s) on %v: %q, and A happens in steps %v of the scope", seed, times, scope.text, word, said, want)
		}
		met[scope.text+m[1]]++
	}
	t.Log(met)
	if randomlts.Whole() && len(met) < 2*len(countedScopes) {
		t.Errorf("only %v were met", met)
	}
}

// TestSentencesAboutUnlistedActions: the headline names the action that is not among those that an Always allows.
func TestSentencesAboutUnlistedActions(t *testing.T) {
	met := map[string]int{}
	for seed := range randomlts.Share(2_000) {
		r := rand.New(rand.NewPCG(seed, 31))
		c := randomlts.Seeded(seed, randomlts.Size{States: 5, Transitions: 10, Labels: 3, Steps: 1})
		scope := countedScopes[r.IntN(len(countedScopes))]
		allowed := []string{"A", "{A, D}"}[r.IntN(2)]
		said, word := sentenceOf(t, c, fmt.Sprintf("Always(%s%s)", allowed, scope.text))
		if said == "" {
			continue
		}
		m := elsewhereIs.FindStringSubmatch(said)
		if m == nil {
			t.Fatalf("seed %d: %q is not understood", seed, said)
		}
		step, _ := strconv.Atoi(m[4])
		which := map[string]string{"A": "not", "{A, D}": "none of"}[allowed]
		isAllowed := word[step-1] == "A" || allowed != "A" && word[step-1] == "D"
		isInScope := slices.Contains(stepsInScope(word, step-1, scope.from, scope.to), step-1)
		if word[step-1] != m[1] || m[2]+m[5] != which || m[3]+m[6] != allowed || isAllowed || !isInScope {
			t.Fatalf("seed %d, Always(%s%s) on %v: %q", seed, allowed, scope.text, word, said)
		}
		met[scope.text+which]++
	}
	t.Log(met)
	if randomlts.Whole() && len(met) < 2*len(countedScopes) {
		t.Errorf("only %v were met", met)
	}
}
