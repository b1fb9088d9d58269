package render_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"testing"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/report/render"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

var fasterForm = regexp.MustCompile(`^(\w)(?: to state (\d+))?: (\d+) steps? left(?:, .*)?, not (\d+)$`)

// TestFasterChoices: beside a step of the slowest run stands how many steps a faster choice takes at
// most, and how many are left on the slowest run.
func TestFasterChoices(t *testing.T) {
	met := 0
	for seed := range randomlts.Share(3_000) {
		m := forwardTo(t, rand.New(rand.NewPCG(seed, 92)))
		e, err := explain.Explain(context.Background(), m, parseAny(t, "Inev(B)"), explain.Options{NoFairness: true})
		if err != nil {
			t.Fatal(err)
		}
		said, _ := render.NewSentences(e, printable.Text).SlowestRun()
		for i, text := range said {
			if text == "" {
				continue
			}
			step := e.Reasons.Slowest.Steps[i]
			is := fasterForm.FindStringSubmatch(text)
			if is == nil {
				t.Fatalf("seed %d: %q is not understood", seed, text)
			}
			fastest := 0
			labels, targets := m.Out(step.From)
			for k, to := range targets {
				isMeant := m.Alphabet().Text(labels.At(k)) == is[1] && (is[2] == "" || is[2] == fmt.Sprint(to))
				if n := longestTo(m, to, is[1] == "B"); isMeant && (fastest == 0 || n < fastest) {
					fastest = n
				}
			}
			if atoi(is[3]) != fastest || atoi(is[4]) != len(said)-i {
				t.Fatalf("seed %d: %q, want %d and %d\n%s", seed, text, fastest, len(said)-i, m)
			}
			met++
		}
	}
	if t.Log(met); randomlts.Whole() && met < 200 {
		t.Errorf("%d were met", met)
	}
}

// forwardTo draws a model without cycles before B, which each run does.
func forwardTo(t *testing.T, r *rand.Rand) *lts.LTS {
	var b lts.Builder
	labels := []lts.Label{b.Label("A"), b.Label("B"), b.Label("C")}
	n := 4 + r.IntN(3)
	for s := range n - 1 {
		for range 1 + r.IntN(2) {
			b.Add(lts.State(s), labels[r.IntN(3)], lts.State(s+1+r.IntN(n-s-1)))
		}
	}
	b.Add(lts.State(n-1), labels[1], lts.State(n-1))
	m, err := b.Build(0, n)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// longestTo returns the largest number of steps that a run takes up to B, counting a step to state s;
// isDone says that this step is B.
func longestTo(m *lts.LTS, s lts.State, isDone bool) int {
	if isDone {
		return 1
	}
	most := 0
	labels, targets := m.Out(s)
	for k, to := range targets {
		most = max(most, longestTo(m, to, m.Alphabet().Text(labels.At(k)) == "B"))
	}
	return most + 1
}
