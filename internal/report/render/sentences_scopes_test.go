package render_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
)

// closedPattern is a safety property with the first place of a part of a run at which it is violated;
// -1 if there is none.
type closedPattern struct {
	text     string
	violated func(part []string) int
}

// nth returns the n-th place of a label, from 1; -1 if there is none.
func nth(part []string, label string, n int) int {
	for i, at := range part {
		if at == label {
			n--
		}
		if n == 0 {
			return i
		}
	}
	return -1
}

var closedPatterns = []closedPattern{
	{"Never(A%s)", func(part []string) int { return nth(part, "A", 1) }},
	{"Never(B, A%s)", func(part []string) int {
		first := nth(part, "B", 1)
		second := nth(part[first+1:], "A", 1)
		if first < 0 || second < 0 {
			return -1
		}
		return first + 1 + second
	}},
	{"Precedes(B; A%s)", func(part []string) int {
		at := nth(part, "A", 1)
		if slices.Contains(part[:max(at, 0)], "B") {
			return -1
		}
		return at
	}},
	{"AtMost(1; A%s)", func(part []string) int { return nth(part, "A", 2) }},
	{"Always({B, D}%s)", func(part []string) int {
		return slices.IndexFunc(part, func(label string) bool { return label != "B" && label != "D" })
	}},
}

// violatedPart returns the first part of a word that a scope closes although the pattern is violated in
// it: its first place, and the places of the violation and of the end of the scope.
func (c closedPattern) violatedPart(word []string, from, to string) (begin, violation, end int, is bool) {
	open := from == ""
	for i, label := range word {
		if open && label == to {
			at := c.violated(word[begin:i])
			if at >= 0 {
				return begin, begin + at, i, true
			}
			if from == "" {
				return 0, 0, 0, false
			}
			open = false
		}
		if !open && label == from {
			begin = i + 1
			open = true
		}
	}
	return 0, 0, 0, false
}

var inScopeForm = regexp.MustCompile(`happens(?: a \w+ time)? \(step (\d+)(?:; [^)]*)?\).*(?: before| between D \(step (\d+)\) and|, and) (\w+) (?:follows )?\(step (\d+)\)$`)

// TestSentencesAboutClosedScopes: in a scope that counts only once it ends, the headline names the
// step that does what is forbidden, the later one that ends the scope and, where it is short, the one that opens it.
func TestSentencesAboutClosedScopes(t *testing.T) {
	scopes := []struct{ text, from, to string }{
		{"; before C", "", "C"},
		{"; between D and C", "D", "C"},
	}
	met := 0
	for seed := range randomlts.Share(3_000) {
		r := rand.New(rand.NewPCG(seed, 83))
		c := randomlts.Seeded(seed, randomlts.Size{States: 5, Transitions: 10, Labels: 4, Steps: 1})
		pattern := closedPatterns[r.IntN(len(closedPatterns))]
		scope := scopes[r.IntN(len(scopes))]
		text := fmt.Sprintf(pattern.text, scope.text)
		e, err := explain.Explain(context.Background(), c.Model, parseAny(t, text), explain.Options{Source: explain.Source{File: "m.aut"}, NoFairness: true, NoAdvice: true})
		if err != nil {
			t.Fatal(err)
		}
		if e.Diagnosis == nil || e.Diagnosis.Kind != explain.KindForbidden {
			continue
		}
		var word []string
		for _, step := range e.Counterexample.Steps {
			word = append(word, step.Label)
		}
		said := render.NewSentences(e, func(text string) string { return text }).Diagnosis()
		m := inScopeForm.FindStringSubmatch(said)
		begin, violation, end, is := pattern.violatedPart(word, scope.from, scope.to)
		opening := strconv.Itoa(begin)
		if scope.from == "" || m == nil || strings.Contains(said, " follows ") {
			opening = ""
		}
		want := []string{strconv.Itoa(violation + 1), opening, scope.to, strconv.Itoa(end + 1)}
		if !is || m == nil || !slices.Equal(m[1:], want) {
			t.Fatalf("seed %d, %s on %v: %q, not %v", seed, text, word, said, want)
		}
		met++
	}
	if randomlts.Whole() && met < 200 {
		t.Errorf("only %d violations were met", met)
	}
}
