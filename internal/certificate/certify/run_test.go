package certify_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// walk returns a random run of m, and the place of each of its transitions among
// those that leave its source.
func walk(r *rand.Rand, m *lts.LTS) (steps []lts.Transition, places []int) {
	at := m.Initial()
	for range r.IntN(8) {
		labels, targets := m.Out(at)
		if labels.Len() == 0 {
			break
		}
		i := r.IntN(labels.Len())
		steps = append(steps, lts.Transition{From: at, Label: labels.At(i), To: targets[i]})
		places = append(places, i)
		at = targets[i]
	}
	return steps, places
}

// describe returns a run as it stands in a certificate, all that is said of its
// steps being true.
func (s *subject) describe(steps []lts.Transition, places []int, loop int) string {
	types := s.e.Classification()
	enriched, _ := types.Fates().Enriched()
	start, progress := "null", 0
	if loop >= 0 {
		start = fmt.Sprint(loop)
	}
	var lines []string
	n := enriched.Property().Len()
	hopeless, fated := enriched.MS(s.m.Initial()) < n, false
	for i, step := range steps {
		wasFated := fated || hopeless
		progress = enriched.Property().Advance(progress, step.Label)
		fate := "free"
		if fated = progress+enriched.MS(step.To) < n; fated {
			fate = "fated"
		}
		abstracted := !hopeless && (types.Has(step.From) || types.Has(step.To) || fated && !wasFated)
		lines = append(lines, fmt.Sprintf(
			`{"from":%d,"out":%d,"label":%q,"to":%d,"class":%q,"progress":%d,"fate":%q,"neighbourhood":%v,"abstracted":%v}`,
			step.From, places[i], s.m.Alphabet().Text(step.Label), step.To, types.Class(step.From, step.Label, step.To).String(),
			progress, fate, types.Has(step.From), abstracted))
	}
	return fmt.Sprintf(`"counterexample": {"length":%d,"loop_start":%s,"steps":[%s]}}`, len(steps), start, strings.Join(lines, ","))
}

// TestOtherRuns puts a random run in the place of the counterexample: it is
// accepted iff it is maximal and violates the property, which package
// counterexample tells.
func TestOtherRuns(t *testing.T) {
	accepted, refused := map[bool]int{}, map[string]int{}
	for seed := range randomlts.Share(3000) {
		c := randomlts.Seeded(seed, randomlts.Small())
		s := certified(t, c.Model, c.Formula, explain.Options{})
		before, _, _ := strings.Cut(s.text, `"counterexample"`)
		bound, _, _ := s.f.Bind(context.Background(), s.m.Alphabet())
		p, _ := bound.Chain()
		r := rand.New(rand.NewPCG(seed, 3))
		for range 5 {
			steps, places := walk(r, s.m)
			loop := r.IntN(len(steps)+2) - 1
			_, wrong := counterexample.NewViolating(s.m, p.Property(), steps, loop)
			_, err := s.verify(before + s.describe(steps, places, loop))
			switch {
			case (wrong == nil) != (err == nil):
				t.Fatalf("%v, but as a counterexample: %v\n%s\nloop %d of %v", err, wrong, c, loop, steps)
			case err == nil:
				accepted[loop >= 0]++
			default:
				refused[kindOf(err)]++
			}
		}
	}
	for _, loops := range []bool{false, true} {
		if randomlts.Whole() && accepted[loops] < 100 {
			t.Errorf("%d runs were accepted with a loop: %v", accepted[loops], loops)
		}
	}
	if randomlts.Whole() && len(refused) != 5 {
		t.Errorf("not all grounds for a refusal were met: %v", refused)
	}
}

// kindOf returns an error without its numbers.
func kindOf(err error) string {
	return strings.Map(func(c rune) rune {
		if c >= '0' && c <= '9' {
			return -1
		}
		return c
	}, err.Error())
}

// TestRunOfAnotherSearch: the certificate holds the run that was explained,
// whichever it is.
func TestRunOfAnotherSearch(t *testing.T) {
	for seed := range randomlts.Share(500) {
		c := randomlts.Seeded(seed, randomlts.Small())
		certified(t, c.Model, c.Formula, explain.Options{Search: explain.Search{Prefer: "most"}}).isRight(t)
	}
}
