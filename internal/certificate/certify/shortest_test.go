package certify_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/certificate/certify"
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// TestNoneShorter puts random runs in the place of the counterexample, with evidence that none is shorter: they are
// accepted iff they violate the property and have the length that the oracle finds.
func TestNoneShorter(t *testing.T) {
	accepted, longer := map[bool]int{}, map[string]int{}
	for seed := range randomlts.Share(6000) {
		c := randomlts.Ring(seed)
		if seed%2 == 0 {
			c = randomlts.Seeded(seed, randomlts.Small())
		}
		s := certified(t, c.Model, c.Formula, explain.Options{})
		bound, _, _ := s.f.Bind(context.Background(), s.m.Alphabet())
		p, _ := bound.Chain()
		o, err := oracle.New(s.m, c.Steps)
		if err != nil {
			t.Fatal(err)
		}
		shortest, _ := o.ShortestLength()
		before, _, _ := strings.Cut(s.text, `"counterexample"`)
		r := rand.New(rand.NewPCG(seed, 7))
		for range 10 {
			steps, places := walk(r, s.m)
			loop := r.IntN(len(steps)+2) - 1
			if _, err := counterexample.NewViolating(s.m, p.Property(), steps, loop); err != nil {
				continue
			}
			text := strings.TrimSuffix(before+s.describe(steps, places, loop), "}") + certify.EvidenceOfShortest(s.e, len(steps)) + "}"
			result, err := s.verify(text)
			if (err == nil) != (len(steps) == shortest) || err == nil && !result.Shortest {
				t.Fatalf("%d steps, of %d at least: %+v, %v\n%s\nof %v", len(steps), shortest, result, err, text, c)
			}
			if err == nil {
				accepted[loop >= 0]++
			} else {
				longer[kindOf(err)]++
			}
		}
	}
	t.Log(accepted, longer)
	if randomlts.Whole() && (min(accepted[true], accepted[false]) < 100 || len(longer) < 2) {
		t.Errorf("too few of a kind were met: %v, %v", accepted, longer)
	}
}

var plain = regexp.MustCompile(`[0-9]+`)

// TestShortestFalsified changes each number of the evidence that no counterexample is shorter, leaves it out, or adds a state
// to a search.
func TestShortestFalsified(t *testing.T) {
	searches := 0
	for seed := range randomlts.Share(250) {
		c := randomlts.Ring(seed)
		s := certified(t, c.Model, c.Formula, explain.Options{})
		before, evidence, is := strings.Cut(s.text, `"shortest"`)
		if !is {
			continue
		}
		searches += strings.Count(evidence, `"levels":[[`)
		for k := range c.Model.NumStates() {
			for _, end := range []struct{ old, added string }{{`"levels":[]`, `"levels":[[%d]]`}, {`]]}`, `],[%d]]}`}} {
				text := before + `"shortest"` + strings.Replace(evidence, end.old, fmt.Sprintf(end.added, k), 1)
				if _, err := s.verify(text); err == nil && text != s.text {
					t.Fatalf("not refused:\n%s\nof %s\n%v", text, s.text, c)
				}
			}
		}
		for _, at := range plain.FindAllStringIndex(evidence, -1) {
			value, _ := strconv.Atoi(evidence[at[0]:at[1]])
			for _, other := range []string{fmt.Sprint(value - 1), fmt.Sprint(value + 1), ""} {
				text := before + `"shortest"` + evidence[:at[0]] + other + evidence[at[1]:]
				if other == "" {
					text = strings.Replace(strings.Replace(text, "[,", "[", 1), ",]", "]", 1)
				}
				if _, err := s.verify(text); err == nil {
					t.Fatalf("not refused:\n%s\nof %s\n%v", text, s.text, c)
				}
			}
		}
	}
	if randomlts.Whole() && searches < 30 {
		t.Errorf("only %d searches were changed", searches)
	}
}

// TestManySearches: a certificate has no such evidence where the searches would take longer than all else.
func TestManySearches(t *testing.T) {
	const width, height = 40, 60
	var b lts.Builder
	label := b.Label("X")
	for s := range lts.State(width * height) {
		if s%width > 0 {
			b.Add(s, label, s-1)
		}
		b.Add(s, label, (s+width)%(width*height))
	}
	for i := range lts.State(width) { // from a state before all, so that no other one of a row is nearer
		b.Add(width*height, label, i)
	}
	m, err := b.Build(width*height, width*height+1)
	if err != nil {
		t.Fatal(err)
	}
	s := certified(t, m, "Inev(A)", explain.Options{})
	if result, err := s.verify(s.text); err != nil || result.Shortest || !result.Violated || !s.e.Counterexample.Shortest {
		t.Errorf("%+v, %v", result, err)
	}
}
