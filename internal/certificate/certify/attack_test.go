package certify_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/certificate/certify"
	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// claimedOf returns the claims of an explanation.
func claimedOf(e *enrich.Enriched) *certify.Claimed {
	c := &certify.Claimed{}
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
func alter(r *rand.Rand, e *enrich.Enriched, c *certify.Claimed, excludes bool) {
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
func level(rounds int, e *enrich.Enriched, c *certify.Claimed) {
	m, p := e.LTS(), e.Property()
	for range rounds {
		for i := range m.NumStates() {
			s := lts.State(i)
			labels, targets := m.Out(s)
			least, greatest := p.Len()+1, -1
			for j, t := range targets {
				if !c.Outcast[t] {
					least = min(least, p.AdvanceSuffix(c.CommonSuffix[t], labels.At(j)))
					greatest = max(greatest, p.AdvanceSuffix(c.MaxSuffix[t], labels.At(j)))
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
	for seed := range randomlts.Share(8000) {
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
		var everything *enrich.Enriched
		if enriched.Fairness().Excludes() {
			everything, _ = fairly(t, c.Model, c.Formula, explain.Options{}).e.Classification().Fates().Enriched()
		}
		for range 4 {
			claimed := claimedOf(from)
			if !enriched.Fairness().Excludes() {
				clear(claimed.Outcast)
			}
			if r.IntN(4) == 0 && everything != nil {
				// Steps that only runs do which do not count.
				claimed = claimedOf(enriched)
				claimed.MaxSuffix = claimedOf(everything).MaxSuffix
			}
			alter(r, enriched, claimed, enriched.Fairness().Excludes())
			g := &certify.Forger{R: r, M: c.Model, P: enriched.Property(), F: enriched.Fairness(), Formula: s.f.String(), Claims: claimed, Loop: -1}
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
	if randomlts.Whole() && (accepted < 1000 || len(refused) < 30) {
		t.Errorf("%d attacks were accepted, the others refused for %d reasons", accepted, len(refused))
	}
}

// TestFairTraps forges, thousands of times, that a property holds on models where it
// almost does, or that no run counts.
func TestFairTraps(t *testing.T) {
	for _, c := range []struct {
		model, formula string
		fair           []string
		outcast        bool
	}{
		// Each state enables one of two tasks, weakly: a run that neglects both is fair.
		{"des (0,5,3)\n(0,X,1)\n(1,X,0)\n(0,A,2)\n(1,B,2)\n(2,Y,2)\n", "Inev(Y)", []string{"weak:A,B"}, false},
		{"des (0,5,3)\n(0,X,1)\n(1,X,0)\n(0,A,2)\n(1,B,2)\n(2,Y,2)\n", "Inev(Y)", []string{"weak:A,B", "strong:Y"}, false},
		// A task is taken by the loop, but not where it leads away.
		{"des (0,6,5)\n(0,X,1)\n(1,T,2)\n(2,X,0)\n(0,T,3)\n(3,V,4)\n(4,Y,4)\n", "Inev(Y)", []string{"strong:T,V"}, false},
		// Two loops with one task each, and ways between them.
		{"des (0,7,3)\n(0,X,0)\n(0,A,1)\n(1,X,1)\n(1,B,0)\n(0,B,2)\n(1,A,2)\n(2,Y,2)\n", "Inev(Y)", []string{"strong:A,B"}, false},
		{"des (0,6,3)\n(0,X,1)\n(1,X,0)\n(0,A,0)\n(1,B,1)\n(0,C,2)\n(2,Y,2)\n", "Inev(Y)", []string{"strong!:A,B", "weak:C"}, false},
		// No run counts, and some do.
		{"des (0,1,1)\n(0,A,0)\n", "Inev(B)", []string{"finitely:A"}, true},
		{"des (0,2,1)\n(0,A,0)\n(0,B,0)\n", "Inev(C)", []string{"finitely:A"}, true},
		{"des (0,2,1)\n(0,A,0)\n(0,B,0)\n", "Inev(C)", []string{"finitely:A", "weak:B"}, true},
	} {
		m, _, err := aut.Read(context.Background(), strings.NewReader(c.model), aut.Options{})
		if err != nil {
			t.Fatal(err)
		}
		f, err := actl.Parse(context.Background(), c.formula)
		if err != nil {
			t.Fatal(err)
		}
		bound, _, err := f.Bind(context.Background(), m.Alphabet())
		if err != nil {
			t.Fatal(err)
		}
		p, _ := bound.Chain()
		fair := parseFair(t, c.fair...)
		means, _, err := actl.BindAssumptions(context.Background(), fair, m.Alphabet())
		if err != nil {
			t.Fatal(err)
		}
		all := func(value int) []int { return slices.Repeat([]int{value}, m.NumStates()) }
		claimed := &certify.Claimed{Max: all(0), Common: all(0), MaxSuffix: all(1), CommonSuffix: all(1), Outcast: slices.Repeat([]bool{c.outcast}, m.NumStates())}
		if last := m.NumStates() - 1; last > 0 {
			claimed.Max[last] = 1 // Y is done there
		}
		refuseAll(t, m, f, p, fair, means, claimed, nil, -1)
	}
}

// refuseAll forges certificates for wrong claims, thousands of times.
func refuseAll(t *testing.T, m *lts.LTS, f *actl.Formula, p *property.Chain, fair []*actl.Assumption, means *property.Fairness, claimed *certify.Claimed, steps []lts.Transition, loop int) {
	t.Helper()
	s := &subject{m: m, f: f, fair: fair}
	for seed := range randomlts.Share(2000) {
		g := &certify.Forger{R: rand.New(rand.NewPCG(seed, 9)), M: m, P: p, F: means, Formula: f.String(), Claims: claimed, Steps: steps, Loop: loop}
		for _, a := range fair {
			g.Asked = append(g.Asked, a.String())
		}
		text := g.Forge()
		if _, err := s.verify(text); err == nil {
			t.Fatalf("accepted under %v\n%s", fair, text)
		} else if strings.Contains(err.Error(), ": mp is ") {
			t.Fatalf("no test of fairness: %v\n%s", err, text)
		}
	}
}

// TestFairDecoys forges, beside a verdict that is true, claims about other states: that a
// fair run stays where none does, and that what does not count brings a step.
func TestFairDecoys(t *testing.T) {
	for _, c := range []struct {
		model, fair           string
		mp, ms, cs            []int
		outcast               []bool
		from, label, to, loop int
	}{
		// State 1 is no home with state 0, to which no way leads back; and the same with the
		// numbers exchanged.
		{"des (0,5,3)\n(0,T,0)\n(0,X,1)\n(1,X,1)\n(1,T,2)\n(2,Y,2)\n", "strong:T", []int{0, 0, 1}, []int{1, 1, 1}, []int{0, 0, 1}, make([]bool, 3), 0, 0, 0, 0},
		{"des (1,5,3)\n(1,T,1)\n(1,X,0)\n(0,X,0)\n(0,T,2)\n(2,Y,2)\n", "strong:T", []int{0, 0, 1}, []int{1, 1, 1}, []int{0, 0, 1}, make([]bool, 3), 1, 0, 1, 0},
		// State 2 is no home alone.
		{"des (0,6,5)\n(0,Z,4)\n(0,X,1)\n(1,X,2)\n(2,X,1)\n(1,Y,3)\n(3,Y,3)\n", "strong:Y", []int{0, 0, 0, 1, 0}, []int{1, 1, 1, 1, 0}, []int{0, 0, 0, 1, 0}, make([]bool, 5), 0, 0, 4, -1},
		// Y leads only to where no run counts.
		{"des (0,3,3)\n(0,X,2)\n(0,Y,1)\n(1,A,1)\n", "finitely:A", []int{0, 1, 0}, []int{1, 0, 0}, []int{0, 0, 0}, []bool{false, true, false}, 0, 0, 2, -1},
	} {
		m, _, err := aut.Read(context.Background(), strings.NewReader(c.model), aut.Options{})
		if err != nil {
			t.Fatal(err)
		}
		f, err := actl.Parse(context.Background(), "Inev(Y)")
		if err != nil {
			t.Fatal(err)
		}
		bound, _, err := f.Bind(context.Background(), m.Alphabet())
		if err != nil {
			t.Fatal(err)
		}
		p, _ := bound.Chain()
		fair := parseFair(t, c.fair)
		means, _, err := actl.BindAssumptions(context.Background(), fair, m.Alphabet())
		if err != nil {
			t.Fatal(err)
		}
		common := make([]int, m.NumStates())
		if c.outcast[1] {
			common[1] = 1 // Y was done on the way
		} else if m.NumStates() == 5 {
			common[3] = 1
		}
		claimed := &certify.Claimed{Max: c.mp, Common: common, MaxSuffix: c.ms, CommonSuffix: c.cs, Outcast: c.outcast}
		steps := []lts.Transition{{From: lts.State(c.from), Label: lts.Label(c.label), To: lts.State(c.to)}}
		refuseAll(t, m, f, p, fair, means, claimed, steps, c.loop)
	}
}
