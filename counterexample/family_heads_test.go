package counterexample

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
)

// membersIn returns the shortest runs whose loops close in the product, as the search finds them that
// has done this work before, and what it has done.
func membersIn(t *testing.T, m *lts.LTS, p *property.Property, length, work int) (*Family, int) {
	t.Helper()
	x := &memberSearch{members: &members{m: m, p: p, length: length, minimal: InProduct}, work: work}
	x.find(t.Context(), p, Options{})
	did := x.work - work
	for _, pair := range x.pairs {
		did += pair.work
	}
	return &Family{parts: []*members{x.members}, byEnds: true}, did
}

// TestMembersAreThoseOfAllStates: the members are the same, and in the same order, whether states are
// sifted before the first loop is searched or never.
func TestMembersAreThoseOfAllStates(t *testing.T) {
	lassos, ofChains := 0, 0
	for seed := range randomlts.Share(2_000) {
		r := rand.New(rand.NewPCG(seed, 37))
		chain := "Inev(a, b, a)"
		var m *lts.LTS
		switch seed % 4 {
		case 0:
			m = randomlts.Seeded(seed, randomlts.Small()).Model
		case 1:
			m = randomlts.Seeded(seed, randomlts.Medium()).Model
		case 2:
			m, chain = roundabout(t, r)
		default:
			m, chain = turning(t, r)
		}
		ofChains += sameMembers(t, seed, func(work int) *Family {
			return chainMembers(t, m, chain, work)
		})
		p := drawnAutomaton(t, r, m.Alphabet())
		found, err := SearchProduct(t.Context(), m, p, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if found.Trace == nil || found.Minimal == MinimalUnknown {
			continue
		}
		lassos += sameMembers(t, seed, func(work int) *Family {
			all, _ := membersIn(t, m, p, found.Trace.Len(), work)
			return all
		})
	}
	if lassos < 100 || ofChains < 100 {
		t.Errorf("only %d lassos, and %d of chains", lassos, ofChains)
	}
}

// chainMembers returns all shortest counterexamples to a chain, as the search finds them that has done
// this work before; nil if there are none.
func chainMembers(t *testing.T, m *lts.LTS, formula string, work int) *Family {
	t.Helper()
	c, err := scc.Find(t.Context(), m, "")
	if err != nil {
		t.Fatal(err)
	}
	s := newShortest(t.Context(), m, bound(t, m, formula), Options{Components: c})
	if s.patience = 1 << 40; work > 0 {
		s.patience = -1
	}
	all := s.all(c)
	if all == nil {
		return nil
	}
	return all
}

// sameMembers compares the members that two searches find: one sifts states at once, and the other
// never. It returns the number of lassos.
func sameMembers(t *testing.T, seed uint64, find func(work int) *Family) (lassos int) {
	t.Helper()
	listed := func(work int) (lines []string, number string) {
		all := find(work)
		if all == nil {
			return nil, ""
		}
		for trace, err := range all.Each(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			loop, loops := trace.LoopStart()
			if lines = append(lines, fmt.Sprint(trace.Steps(), loop, loops)); loops {
				lassos++
			}
			if len(lines) == 1_000 {
				break
			}
		}
		count, err := all.Count(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return lines, count.String()
	}
	want, number := listed(math.MinInt / 2)
	got, counted := listed(math.MaxInt / 2)
	if fmt.Sprint(got) != fmt.Sprint(want) || counted != number || len(want) == 0 && number != "" {
		t.Fatalf("seed %d: %s\n%v\nwant %s\n%v", seed, counted, got, number, want)
	}
	return lassos
}

// TestMembersOfLongLoopsAreSoonFound: the work is that for the members that are found, and linear in
// the size of the model, where loops begin in many places, and in few of them those of members.
func TestMembersOfLongLoopsAreSoonFound(t *testing.T) {
	const states = 1_000
	all := goingRound(t, states)
	delete(all, "fan and ring") // each of its states begins the loop of a member
	all["there and back"] = thereAndBack(t, states)
	for shape, m := range all {
		for class, condition := range classes {
			if class == "FG !A | FG !B" {
				continue // a loop takes two colours, which the sieve examines one by one
			}
			p := ofOneState(t, m, condition)
			found, err := SearchProduct(t.Context(), m, p, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if found.Trace == nil {
				continue
			}
			members, did := membersIn(t, m, p, found.Trace.Len(), 0)
			size := 0
			for _, f := range members.parts {
				for _, c := range f.cycles {
					size += len(c.moves)
				}
			}
			if most := 15*m.NumTransitions() + 15*size; did > most {
				t.Errorf("%s, %s: work of %d for %d transitions, and %d in loops of members", shape, class, did, m.NumTransitions(), size)
			}
		}
	}
}

// thereAndBack is a ring with steps in both directions, and A and B in one place each.
func thereAndBack(t *testing.T, states int) *lts.LTS {
	t.Helper()
	var b lts.Builder
	labels := []lts.Label{b.Label("x"), b.Label("A"), b.Label("B")}
	for s := range states {
		l := labels[0]
		switch s {
		case states / 3:
			l = labels[1]
		case states / 2:
			l = labels[2]
		}
		b.Add(lts.State(s), l, lts.State((s+1)%states))
		b.Add(lts.State(s), labels[0], lts.State((s+states-1)%states))
	}
	m, err := b.Build(0, states)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestMembersOfChainsAreSoonFound: a loop of half the length makes all those of a longer ring too long,
// which begin in all of its states.
func TestMembersOfChainsAreSoonFound(t *testing.T) {
	const states = 2_000
	var b lts.Builder
	b.Add(0, b.Label("A"), 0)
	b.Add(0, b.Label("x"), states+1)
	for s := range lts.State(states) {
		b.Add(0, b.Label("x"), s+1)
		b.Add(s+1, b.Label("x"), (s+1)%states+1)
		if s < states/2 {
			b.Add(states+1+s, b.Label("x"), states+1+(s+1)%(states/2))
		}
	}
	m, err := b.Build(0, states+states/2+1)
	if err != nil {
		t.Fatal(err)
	}
	c, err := scc.Find(t.Context(), m, "")
	if err != nil {
		t.Fatal(err)
	}
	s := newShortest(t.Context(), m, bound(t, m, "Inev(A)"), Options{Components: c})
	all := s.all(c)
	if count, err := all.Count(t.Context()); err != nil || count.Int64() != 1 {
		t.Errorf("%v members, want the one in the shorter ring: %v", count, err)
	}
	if s.bounded.work > 20*m.NumTransitions() {
		t.Errorf("work of %d for %d transitions", s.bounded.work, m.NumTransitions())
	}
}
