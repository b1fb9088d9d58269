package certificate_test

import (
	"math/rand/v2"
	"testing"

	"github.com/inev-lts/inev/certificate"
	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/oracle"
	"github.com/inev-lts/inev/lts"
)

// claimedOf returns the claims of an explanation.
func claimedOf(e *enrich.Enriched) *certificate.Claimed {
	c := &certificate.Claimed{}
	for i := range e.LTS().NumStates() {
		s := lts.State(i)
		if !e.LTS().Reachable().Has(s) {
			c.Max, c.Common, c.MaxSuffix, c.CommonSuffix = append(c.Max, 0), append(c.Common, 0), append(c.MaxSuffix, 0), append(c.CommonSuffix, 0)
			c.Outcast = append(c.Outcast, false)
			continue
		}
		c.Max, c.Common = append(c.Max, e.MP(s)), append(c.Common, e.CP(s))
		c.MaxSuffix, c.CommonSuffix = append(c.MaxSuffix, e.MS(s)), append(c.CommonSuffix, e.CS(s))
		c.Outcast = append(c.Outcast, !e.Admits(s))
	}
	return c
}

// alter changes some of the claims.
func alter(r *rand.Rand, e *enrich.Enriched, c *certificate.Claimed, excludes bool) {
	m, p := e.LTS(), e.Property()
	some := func() lts.State { return lts.State(r.IntN(m.NumStates())) }
	for range r.IntN(3) {
		s := some()
		switch r.IntN(6) {
		case 0, 1:
			c.CommonSuffix[s] = r.IntN(p.Len() + 1)
		case 2:
			c.MaxSuffix[s] = r.IntN(p.Len() + 1)
		case 3:
			for i := range c.CommonSuffix {
				c.CommonSuffix[i] = min(p.Len(), c.CommonSuffix[i]+1)
			}
		default:
			c.Outcast[s] = excludes && !c.Outcast[s]
		}
	}
	if r.IntN(2) == 0 {
		// What is not admitted leads to nothing that is.
		for range m.NumStates() {
			for t := range m.Transitions() {
				c.Outcast[t.To] = c.Outcast[t.To] || c.Outcast[t.From]
			}
		}
	}
	for i := range c.CommonSuffix {
		if s := lts.State(i); m.IsDeadlock(s) && r.IntN(8) > 0 {
			c.CommonSuffix[s], c.MaxSuffix[s], c.Outcast[s] = 0, 0, c.Outcast[s] && r.IntN(2) == 0
		}
	}
	if r.IntN(4) > 0 {
		level(m.NumStates()*(p.Len()+1), e, c)
	}
}

// level makes cs and ms what the transitions make them, if it can.
func level(rounds int, e *enrich.Enriched, c *certificate.Claimed) {
	m, p := e.LTS(), e.Property()
	for range rounds {
		for i := range m.NumStates() {
			s := lts.State(i)
			labels, targets := m.Out(s)
			least, greatest := p.Len()+1, -1
			for j, t := range targets {
				if !c.Outcast[t] {
					least = min(least, p.AdvanceSuffix(c.CommonSuffix[t], labels[j]))
					greatest = max(greatest, p.AdvanceSuffix(c.MaxSuffix[t], labels[j]))
				}
			}
			if least <= p.Len() {
				c.CommonSuffix[s] = least
				c.MaxSuffix[s] = max(greatest, c.MaxSuffix[s])
			}
		}
	}
}

// TestFairAttacks claims what is not so, with all that follows from it and the best
// evidence that there is for each part: what is accepted is true by the oracle.
func TestFairAttacks(t *testing.T) {
	accepted, refused := 0, map[string]int{}
	for seed := range uint64(8000) {
		r := rand.New(rand.NewPCG(seed, 8))
		s, c := fairSubject(t, seed, fairSize())
		if s == nil {
			continue
		}
		enriched, _ := s.e.Classification().Fates().Enriched()
		o := oracle.NewFair(c.Model, c.Steps, assumed(t, s.fair, c.Model.Alphabet()))
		from := enriched
		if r.IntN(2) == 0 {
			// Claims that are true under another assumption.
			var other []string
			if r.IntN(4) > 0 {
				other = drawFair(r, c.Model.Alphabet())
			}
			if x := fairly(t, c.Model, c.Formula, explain.Options{Fair: parseFair(t, other...)}); x != nil {
				from, _ = x.e.Classification().Fates().Enriched()
			}
		}
		for range 4 {
			claimed := claimedOf(from)
			if !enriched.Fairness().Excludes() {
				clear(claimed.Outcast)
			}
			alter(r, enriched, claimed, enriched.Fairness().Excludes())
			g := &certificate.Forger{R: r, M: c.Model, P: enriched.Property(), F: enriched.Fairness(), Formula: s.f.String(), Claims: claimed, Loop: -1}
			for _, a := range s.fair {
				g.Asked = append(g.Asked, a.String())
			}
			if trace := s.e.Trace(); trace != nil && r.IntN(2) == 0 {
				for i := range trace.Len() {
					g.Steps = append(g.Steps, trace.Step(i))
				}
				if start, loops := trace.LoopStart(); loops {
					g.Loop = start
				}
			} else {
				g.Steps, _ = walk(r, c.Model)
				g.Loop = r.IntN(len(g.Steps)+1) - 1
			}
			text := g.Forge()
			if _, err := s.verify(text); err != nil {
				refused[kindOf(err)]++
				continue
			}
			accepted++
			f, err := parse(text)
			if err != nil {
				t.Fatal(err)
			}
			if err := f.isTrue(s, o, len(c.Steps), advanceIn(c)); err != nil {
				t.Fatalf("seed %d: accepted: %v\n%s\nof %s\nunder %v", seed, err, text, c, s.fair)
			}
		}
	}
	if accepted < 1000 || len(refused) < 30 {
		t.Errorf("%d attacks were accepted, the others refused for %d reasons", accepted, len(refused))
	}
}
