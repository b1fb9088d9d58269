package render_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
)

// TestSentencesAboutStepsTooEarly: a step that is said to come before the awaited action is none of those that may happen
// before it, or is the one that must not; all earlier steps are allowed, and the awaited action is none of them.
func TestSentencesAboutStepsTooEarly(t *testing.T) {
	form := regexp.MustCompile(`: ([A-D]) happens \(step (\d+)\)(?:, though only ([A-D](?: or [A-D])?) may happen)? before ([A-D])\.`)
	met := map[string]int{}
	for seed := range randomlts.Share(3_000) {
		m := randomlts.Seeded(seed, randomlts.Size{States: 5, Transitions: 10, Labels: 4, Steps: 1}).Model
		text := []string{"A U B", "(A || C) U B", "!D U B", "(!D && !C) U A"}[seed%4]
		allowed := [][]string{{"A"}, {"A", "C"}, {"A", "C"}, {"B"}}[seed%4]
		awaited := []string{"B", "B", "B", "A"}[seed%4]
		out, e := reported(t, m, text, "")
		if strings.Contains(out, "until then") && strings.Contains(strings.SplitN(out, "\n", 2)[0], "still waiting") {
			t.Fatalf("seed %d, %s:\n%s", seed, text, out)
		}
		told := form.FindStringSubmatch(out)
		if told == nil {
			continue
		}
		step, err := strconv.Atoi(told[2])
		if err != nil {
			t.Fatal(err)
		}
		steps := e.Counterexample.Steps
		isRight := steps[step-1].Label == told[1] && told[4] == awaited && told[1] != awaited && !slices.Contains(allowed, told[1])
		for _, s := range steps[:step-1] {
			isRight = isRight && slices.Contains(allowed, s.Label)
		}
		if told[3] != "" {
			isRight = isRight && slices.Equal(strings.Split(told[3], " or "), allowed)
		}
		if !isRight || (told[3] != "") != (seed%4 < 2) {
			t.Fatalf("seed %d, %s:\n%s", seed, text, out)
		}
		met[text]++
	}
	t.Log(met)
	if randomlts.Whole() && len(met) < 4 {
		t.Errorf("met %v", met)
	}
}

// TestHeadlinesNamePatterns: a headline names a pattern or a gate of the formula if it stands for more than three labels, all of which are
// awaited, and the labels otherwise.
func TestHeadlinesNamePatterns(t *testing.T) {
	met := map[bool]int{}
	for seed := range randomlts.Share(300) {
		r := rand.New(rand.NewPCG(seed, 44))
		lines := []string{"0 ask 1", "1 idle 1", "2 idle 2"}
		answers := 1 + r.IntN(6)
		for i := range answers {
			lines = append(lines, fmt.Sprintf("1 s4(d%d) %d", i, r.IntN(3)))
		}
		lines = append(lines, []string{"1 s(x) 0", "1 rs4 0", "1 idle 0"}[r.IntN(3)])
		pattern := []string{"s4*", "s4"}[seed%2]
		out, _ := reported(t, modelOf(t, lines...), "Response(ask; "+pattern+")", "")
		headline, _, _ := strings.Cut(out, "\n")
		_, reason, _ := strings.Cut(headline, "): ")
		namesPattern := strings.HasPrefix(reason, pattern+" ")
		if namesPattern != (answers > 3) || !namesPattern && !strings.HasPrefix(reason, "s4(d0)") {
			t.Fatalf("seed %d, %d answers:\n%s", seed, answers, out)
		}
		met[namesPattern]++
	}
	t.Log(met)
}
