package repair

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/property"
)

// arena is a game as its definition has it.
type arena struct {
	accept property.Acceptance
	marks  []property.Marks
	mine   []bool
	next   [][]int
}

// randomArena has nodes on a line with edges to near ones, and some to anywhere.
func randomArena(r *rand.Rand, accept property.Acceptance, most int) arena {
	a := arena{accept: accept}
	n, coloured, owned := 2+r.IntN(most), 1+r.IntN(6), r.IntN(5)
	for v := range n {
		marks := property.Marks(0)
		if r.IntN(coloured) == 0 {
			marks = property.Mark(r.IntN(3))
		}
		var next []int
		for range 1 + r.IntN(3) {
			to := max(0, min(n-1, v-1+r.IntN(3)))
			if r.IntN(6) == 0 {
				to = r.IntN(n)
			}
			next = append(next, to)
		}
		a.marks, a.mine, a.next = append(a.marks, marks), append(a.mine, r.IntN(4) < owned), append(a.next, next)
	}
	return a
}

// board returns the same game as one that is solved.
func (a arena) board(t *testing.T) *board {
	t.Helper()
	good, few := a.accept.Pairs(mostPairs)
	bad, fewBad := a.accept.Not().Pairs(mostPairs)
	if !few || !fewBad {
		t.Fatal("too many pairs")
	}
	b := &board{budget: budget{ctx: context.Background()}, condition: &condition{a.accept, good, bad}, marks: a.marks}
	for _, mine := range a.mine {
		b.mover = append(b.mover, player(mine))
	}
	var edges []edge
	for v, next := range a.next {
		for _, to := range next {
			edges = append(edges, edge{uint32(v), uint32(to)})
		}
	}
	b.connect(edges)
	return b
}

// forced adds to some nodes of a set the nodes where a player forces a run there, until nothing changes.
func (a arena) forced(to, in map[int]bool, mine bool) map[int]bool {
	all := map[int]bool{}
	for v := range to {
		all[v] = true
	}
	for changed := true; changed; {
		changed = false
		for v := range in {
			some, every := false, true
			for _, w := range a.next[v] {
				some, every = some || all[w], every && (all[w] || !in[w])
			}
			if !all[v] && some && (a.mine[v] == mine || every) {
				all[v], changed = true, true
			}
		}
	}
	return all
}

// won returns the nodes of a set where runs can be made to satisfy the condition: one set of colours
// after the other that the winner of all would lose with is tried, down to single ones.
func (a arena) won(in map[int]bool) map[int]bool {
	all, wins := property.Marks(0), map[int]bool{}
	for v := range in {
		all |= a.marks[v]
	}
	mine := a.accept.Holds(all)
	for fewer := range property.Marks(8) {
		if fewer&^all != 0 || a.accept.Holds(fewer) == mine {
			continue
		}
		more, sub := map[int]bool{}, map[int]bool{}
		for v := range in {
			if a.marks[v]&^fewer != 0 {
				more[v] = true
			}
		}
		kept := a.forced(more, in, mine)
		for v := range in {
			if !kept[v] {
				sub[v] = true
			}
		}
		lost := map[int]bool{}
		below := a.won(sub)
		for v := range sub {
			if below[v] != mine {
				lost[v] = true
			}
		}
		if len(lost) == 0 {
			continue
		}
		out, rest := a.forced(lost, in, !mine), map[int]bool{}
		for v := range in {
			if !out[v] {
				rest[v] = true
			}
		}
		for v := range a.won(rest) {
			wins[v] = true
		}
		for v := range out {
			if !mine {
				wins[v] = true
			}
		}
		return wins
	}
	for v := range in {
		if mine {
			wins[v] = true
		}
	}
	return wins
}

// conditionsOfThree are of each kind over three colours.
func conditionsOfThree() []property.Acceptance {
	all, any, inf, fin := property.All, property.Any, property.Inf, property.Fin
	return []property.Acceptance{
		inf(0), fin(0), all(inf(0), inf(1)), any(fin(0), fin(1)), any(fin(0), inf(1)), all(fin(0), inf(1)),
		all(inf(0), inf(1), inf(2)), all(any(fin(0), inf(1)), any(fin(1), inf(2))), any(inf(0), all(fin(1), inf(2))),
	}
}

// TestGamesAgainstTheirDefinition compares who wins where, found by keeping what is attracted from round to
// round, with attractors of their own in each.
func TestGamesAgainstTheirDefinition(t *testing.T) {
	conditions := conditionsOfThree()
	split := map[int]int{}
	games := randomlts.Share(20_000)
	for seed := range games {
		r := rand.New(rand.NewPCG(seed, 7))
		k := int(seed % uint64(len(conditions)))
		a := randomArena(r, conditions[k], 24)
		in, all := map[int]bool{}, []uint32{}
		b := a.board(t)
		for v := range a.next {
			in[v], all = true, append(all, uint32(v))
		}
		b.zielonka(all, 1)
		want := a.won(in)
		for v, winner := range b.winner {
			if got := winner == supervisor; got != want[v] {
				t.Fatalf("seed %d, %v: node %d is won: %t, want %t\n%v", seed, a.accept, v, got, want[v], fmt.Sprint(a))
			}
		}
		if len(want) > 0 && len(want) < len(b.winner) {
			split[k]++
		}
	}
	for k, c := range conditions {
		if randomlts.Whole() && split[k] < 30 {
			t.Errorf("only %d games of %v are won in some places and lost in others", split[k], c)
		}
	}
}

// TestLostOneByOne: on a line of places where each is lost once the next one is, the work grows as the line does.
func TestLostOneByOne(t *testing.T) {
	worked := func(n int) int64 {
		a := arena{accept: property.Inf(0)}
		for v := range n {
			// From an even node the supervisor stays, or goes on through an odd one, whose colour is to recur.
			next, marks := []int{v, min(v+1, n-1)}, property.Marks(0)
			if v%2 != 0 {
				next, marks = []int{min(v+1, n-1)}, property.Mark(0)
			}
			if v == n-1 {
				next, marks = []int{v}, 0
			}
			a.marks, a.mine, a.next = append(a.marks, marks), append(a.mine, v%2 == 0), append(a.next, next)
		}
		b := a.board(t)
		var all []uint32
		for v := range b.depth {
			all = append(all, uint32(v))
		}
		b.zielonka(all, 1)
		for v, winner := range b.winner {
			if winner == supervisor {
				t.Fatalf("of %d nodes, %d is won", n, v)
			}
		}
		return b.work
	}
	if few, many := worked(1_000), worked(8_000); many > 9*few {
		t.Errorf("%d nodes and edges are looked at for 1,000 nodes, %d for 8,000", few, many)
	}
}
