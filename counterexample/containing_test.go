package counterexample_test

import (
	"context"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
)

// shortestByTrial returns the length of a shortest counterexample that does the
// pattern, by trying all runs of up to most transitions; -1 if there is none.
func shortestByTrial(m *lts.LTS, p, pattern *property.Chain, most int) int {
	var extend func(steps []lts.Transition, at lts.State, length int) bool
	fits := func(steps []lts.Transition, loop int) bool {
		done := 0
		for _, step := range steps {
			done = pattern.Advance(done, step.Label)
		}
		if done < pattern.Len() {
			return false
		}
		_, err := counterexample.NewViolating(m, p.Property(), append([]lts.Transition(nil), steps...), loop)
		return err == nil
	}
	extend = func(steps []lts.Transition, at lts.State, length int) bool {
		if len(steps) == length {
			if fits(steps, -1) {
				return true
			}
			for i, step := range steps {
				if step.From == at && fits(steps, i) {
					return true
				}
			}
			return false
		}
		labels, targets := m.Out(at)
		for i, to := range targets {
			if extend(append(steps, lts.Transition{From: at, Label: labels.At(i), To: to}), to, length) {
				return true
			}
		}
		return false
	}
	for length := 0; length <= most; length++ {
		if extend(nil, m.Initial(), length) {
			return length
		}
	}
	return -1
}

func TestShortestContainingAgreesWithTrial(t *testing.T) {
	const most = 6
	size := randomlts.Small()
	rapid.Check(t, func(t *rapid.T) {
		c := randomlts.Generator(size).Draw(t, "model")
		for s := range c.Model.NumStates() {
			if labels, _ := c.Model.Out(lts.State(s)); labels.Len() > 4 {
				t.Skip("too many runs to try")
			}
		}
		parsed, err := actl.Parse(context.Background(), c.Formula)
		if err != nil {
			t.Fatal(err)
		}
		bound, _, _ := parsed.Bind(context.Background(), c.Model.Alphabet())
		p, _ := bound.Chain()
		text := rapid.SampledFrom([]string{"Inev(a)", "Inev(b)", "Inev(a, b)", "Inev(b, a)", "Inev(a, a)", "Inev(c, a, b)", "Inev({a, b}, c)"}).Draw(t, "pattern")
		parsed, err = actl.Parse(context.Background(), text)
		if err != nil {
			t.Fatal(err)
		}
		boundPattern, _, _ := parsed.Bind(context.Background(), c.Model.Alphabet())
		pattern, _ := boundPattern.Chain()
		components, err := scc.Find(context.Background(), c.Model, "")
		if err != nil {
			t.Fatal(err)
		}
		found, err := counterexample.ContainingOfChain(context.Background(), components, p, pattern.Property())
		if err != nil {
			t.Fatal(err)
		}
		length := -1
		if found != nil {
			length = found.Len()
			done := 0
			for _, step := range found.Steps() {
				done = pattern.Advance(done, step.Label)
			}
			if done < pattern.Len() {
				t.Fatalf("%s does %d steps of %s", labels(c.Model, found), done, text)
			}
		}
		want := shortestByTrial(c.Model, p, pattern, most)
		if want != length && (want >= 0 || length >= 0 && length <= most) {
			t.Fatalf("length %d, want %d", length, want)
		}
	})
}

func TestShortestContaining(t *testing.T) {
	m := model(t, "0 x 0", "0 b 1", "1 x 0", "1 c 2", "2 c 2")
	for _, c := range []struct{ pattern, want string }{
		{"Inev(x)", "[ x ]"},
		{"Inev(b)", "[ b x ]"},
		{"Inev(b, b)", "b [ x b ]"},
		{"Inev(x, b)", "[ x b x ]"},
		{"Inev(c)", "b c [ c ]"},
		{"Inev(c, b)", "none"},
	} {
		components, err := scc.Find(context.Background(), m, "")
		if err != nil {
			t.Fatal(err)
		}
		found, err := counterexample.ContainingOfChain(context.Background(), components, bind(t, m, "Inev(y)"), bind(t, m, c.pattern).Property())
		if err != nil {
			t.Fatal(err)
		}
		if got := labels(m, found); got != c.want {
			t.Errorf("%s: %s, want %s", c.pattern, got, c.want)
		}
	}
}
