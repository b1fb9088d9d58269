package proof_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/neighbourhood"
	"github.com/inev-lts/inev/property"
)

// several returns the model with a state before it from which Init leads to a few of its states, marked as such.
func several(t *testing.T, r *rand.Rand, m *lts.LTS) *lts.LTS {
	t.Helper()
	var b lts.Builder
	for step := range m.Transitions() {
		b.Add(step.From, b.Label(m.Alphabet().Text(step.Label)), step.To)
	}
	before := lts.State(m.NumStates())
	for range 1 + r.IntN(3) {
		b.Add(before, b.Label("Init"), lts.State(r.IntN(m.NumStates())))
	}
	all, err := b.Build(before, m.NumStates()+1)
	if err != nil {
		t.Fatal(err)
	}
	marked, err := all.Refined(context.Background(), nil, func(lts.State) lts.Facts { return 0 }, true)
	if err != nil {
		t.Fatal(err)
	}
	return marked
}

// TestSeveralInitialStates has right and forged certificates of models judged in which runs begin in several states.
func TestSeveralInitialStates(t *testing.T) {
	proof := program(t)
	const each = 50
	total, accepted := 0, 0
	for seed := range randomlts.Share(share(400)) {
		r := rand.New(rand.NewPCG(seed, 9))
		var m *lts.LTS
		var f property.Formula
		var fair []*actl.Assumption
		switch seed % 3 {
		case 0:
			m, f = drawTable(t, r, 30_000+seed, false)
		case 1:
			var c randomlts.Case
			c, fair = fairCase(t, 20_000+seed)
			m, f = c.Model, parsed(t, c.Formula)
		default:
			c := randomlts.Seeded(50_000+seed, randomlts.Small())
			m, f = c.Model, parsed(t, c.Formula)
		}
		if _, is := m.Alphabet().Lookup("Init"); is {
			t.Fatal("the model has a label Init")
		}
		s := certified(t, several(t, r, m), f, neighbourhood.Reading(seed%2), fair...)
		if s == nil {
			continue
		}
		if s.judge(t, proof, []string{s.text}) != 1 {
			t.Fatalf("refused:\n%s\nof %s", s.text, f)
		}
		for len(s.forged) < each {
			s.forged = append(s.forged, forge(r, s.text))
		}
		accepted += s.judge(t, proof, s.forged)
		total += each
	}
	t.Logf("%d of %d forged certificates are right", accepted, total)
}
