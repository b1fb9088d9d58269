package render_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
)

var (
	atDecision  = regexp.MustCompile(`^In [^(]*\(steps? (\d+)[^)]*\) the run takes [^.;]*[.;](.*)$`)
	namedTarget = regexp.MustCompile(`to state ((?:\d+(?: \([^)]*\))?(?:, | or )?)+)`)
	oneTarget   = regexp.MustCompile(`(\d+)(?: \(([^)]*)\))?`)
)

// TestTargetsAreToldApart holds what decisions say of the values of targets against the values of the states: of a target that is
// named they tell those values that differ from the values after the step of the run, and no others.
func TestTargetsAreToldApart(t *testing.T) {
	told := 0
	for seed := range randomlts.Share(3_000) {
		v := drawValuedModel(rand.New(rand.NewPCG(seed, 47)))
		e := v.check(t, []string{"Never(a, X)", "G !(x = 2)", "Inev(b)", "F (y = 1)"}[seed%4])
		if e.Verdict != explain.Violated {
			continue
		}
		for _, said := range render.NewSentences(e, func(text string) string { return text }).InFull().Decisions() {
			n, err := v.checkTargets(e, said)
			if err != nil {
				t.Fatalf("seed %d: %+v: %v", seed, *v, err)
			}
			told += n
		}
	}
	t.Logf("%d targets are told apart", told)
	if told < 20 && randomlts.Whole() {
		t.Errorf("%d targets are told apart", told)
	}
}

// checkTargets checks the targets that the sentence about a decision names as alternatives, and returns how many these are.
func (v *valuedModel) checkTargets(e *explain.Explanation, said string) (n int, err error) {
	m := atDecision.FindStringSubmatch(said)
	if m == nil {
		return 0, fmt.Errorf("%q is not understood", said)
	}
	step, err := strconv.Atoi(m[1])
	if err != nil {
		return 0, err
	}
	taken := int(e.Counterexample.Steps[step-1].To)
	for _, targets := range namedTarget.FindAllStringSubmatch(m[2], -1) {
		for _, m := range oneTarget.FindAllStringSubmatch(targets[1], -1) {
			to, err := strconv.Atoi(m[1])
			if err != nil {
				return n, err
			}
			want := v.differing(taken, to)
			if m[2] != want {
				return n, fmt.Errorf("%q says %q of state %d, want %q", said, m[2], to, want)
			}
			n++
		}
	}
	return n, nil
}

// differing returns the values of a state that differ from those of the state that the run takes.
func (v *valuedModel) differing(taken, other int) string {
	var all []string
	for p, name := range []string{"x", "y"} {
		if v.values[taken][p] != v.values[other][p] {
			all = append(all, fmt.Sprintf("%s = %d instead of %d", name, v.values[other][p], v.values[taken][p]))
		}
	}
	return strings.Join(all, " and ")
}
