package product

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/inev-lts/inev/internal/property/stateset"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/property"
)

// ascending draws a model whose transitions lead to larger numbers, most of them.
func ascending(t *testing.T, r *rand.Rand) *lts.LTS {
	t.Helper()
	n := 2 + r.IntN(20)
	var b lts.Builder
	labels := []lts.Label{b.Label("A"), b.Label("B"), b.Label("C")}
	for range 2 * n {
		from, to := r.IntN(n), r.IntN(n)
		if from > to && r.IntN(4) > 0 {
			from, to = to, from
		}
		b.Add(lts.State(from), labels[r.IntN(len(labels))], lts.State(to))
	}
	m, err := b.Build(0, n)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// meaningless draws a property of so many states.
func meaningless(t *testing.T, r *rand.Rand, a *lts.Alphabet, states int) *property.Property {
	t.Helper()
	x := property.Automaton{Columns: 3, Letters: []uint16{0, 1, 2}, Acceptance: property.Inf(0)}
	for range states {
		x.Stop = append(x.Stop, true)
		for range x.Columns {
			marks := property.Marks(0)
			for c := range 2 {
				if r.IntN(4) == 0 {
					marks |= property.Mark(c)
				}
			}
			x.Next, x.Marks = append(x.Next, property.Q(r.IntN(states))), append(x.Marks, marks)
		}
	}
	p, err := property.Table(a, x)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestWhatIsTakenAwayAheadIsOnNoLoop compares what passes ahead leave with the places that lie on loops,
// found by walking from each.
func TestWhatIsTakenAwayAheadIsOnNoLoop(t *testing.T) {
	taken, meet, miss := 0, 0, 0
	for seed := range randomlts.Share(1_000) {
		r := rand.New(rand.NewPCG(seed, 83))
		m := ascending(t, r)
		p := meaningless(t, r, m.Alphabet(), 1+r.IntN(8))
		pair := property.Pair{Fin: property.Mark(0), Inf: property.Marks(r.IntN(2)) << 1}
		a := &avoidance[uint8]{Levels: NewLevels(m, p)}
		on := a.prepare(pair)
		a.remaining = make([]uint8, m.NumStates())
		for s := range a.remaining {
			a.remaining[s] = on
		}
		before := a.narrow(context.Background())
		after := a.passAhead(context.Background(), before)
		if after != stateset.Count(a.remaining) {
			t.Fatalf("seed %d: %d productStates are left, not %d", seed, stateset.Count(a.remaining), after)
		}
		taken += before - after
		met := property.Marks(0)
		for s := range lts.State(m.NumStates()) {
			for q := range property.Q(p.States()) {
				marks, loops := a.around(State{s, q}, pair.Fin)
				if loops && on>>q&1 != 0 && a.remaining[s]>>q&1 == 0 {
					t.Fatalf("seed %d: %d·%d lies on a loop, and is taken away", seed, s, q)
				}
				if loops && marks&pair.Inf == pair.Inf {
					met = pair.Inf
				}
			}
		}
		meets := a.meetsColours(pair)
		switch {
		case met == pair.Inf && !meets:
			t.Fatalf("seed %d: a loop has the colours, and they are said to be missing", seed)
		case meets:
			meet++
		default:
			miss++
		}
	}
	if taken == 0 || meet == 0 || miss == 0 {
		t.Errorf("%d productStates were taken away, colours were met %d times and missed %d times", taken, meet, miss)
	}
}

// around returns whether a place comes back to itself by transitions without some colours, and the
// colours of those between places from where it does.
func (a *avoidance[W]) around(at State, fin property.Marks) (met property.Marks, loops bool) {
	behind := a.walk(at, fin)
	if !behind[at] {
		return 0, false
	}
	for from := range behind {
		if !a.walk(from, fin)[at] {
			continue
		}
		labels, targets := a.model.Out(from.State)
		for j, t := range targets {
			i := int(from.Q)*a.table.Columns + int(a.table.Letters[labels.At(j)])
			to := State{t, a.table.Next[i]}
			if a.marks(i)&fin == 0 && (to == at || a.walk(to, fin)[at]) {
				met |= a.marks(i)
			}
		}
	}
	return met, true
}

// walk returns the places behind one.
func (a *avoidance[W]) walk(at State, fin property.Marks) map[State]bool {
	behind := map[State]bool{}
	for line := []State{at}; len(line) > 0; line = line[1:] {
		labels, targets := a.model.Out(line[0].State)
		for j, t := range targets {
			i := int(line[0].Q)*a.table.Columns + int(a.table.Letters[labels.At(j)])
			if to := (State{t, a.table.Next[i]}); a.marks(i)&fin == 0 && !behind[to] {
				behind[to] = true
				line = append(line, to)
			}
		}
	}
	return behind
}
