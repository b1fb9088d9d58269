package quotient

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// blocksOf contracts m with some labels hidden, goes so many rounds of splitting by
// signatures, and then on by bunches. It returns the numbers of the blocks of the
// states. What signatures take for the bisimulation must be what bunches do not split.
func blocksOf(t *testing.T, m *lts.LTS, hides func(lts.Label) bool, rounds int) (blocks []uint32, stable bool) {
	t.Helper()
	ctx := context.Background()
	g := contract(ctx, m, hide(m.Alphabet(), hides, nil), nil)
	s := newSignatures(ctx, g, 0)
	for range rounds {
		s.round(ctx)
	}
	stable = s.stable(ctx)
	g.key, g.keys = s.block, s.blocks
	of := refineByBunches(ctx, g, 0)
	if after := int(slices.Max(of)) + 1; stable != (after == s.blocks) {
		t.Errorf("stable after %d rounds: %v, with %d blocks of %d", rounds, stable, s.blocks, after)
	}
	number := map[uint32]uint32{}
	for v, b := range of {
		if _, known := number[b]; !known {
			number[b] = uint32(v)
		}
	}
	for s := range lts.State(m.NumStates()) {
		if m.Reachable().Has(s) {
			blocks = append(blocks, number[of[g.nodeOf[s]]])
		}
	}
	return blocks, stable
}

// TestSignaturesAndBunchesAgree: however many rounds are made by signatures before bunches
// take over, the blocks are the same.
func TestSignaturesAndBunchesAgree(t *testing.T) {
	size := randomlts.Size{States: 30, Transitions: 70, Labels: 4, Steps: 3}
	var enough [8]int
	for seed := range randomlts.Share(500) {
		c := randomlts.Seeded(seed, size)
		for set := range 4 {
			hides := func(l lts.Label) bool { return set>>l&1 != 0 }
			want, _ := blocksOf(t, c.Model, hides, 0)
			for rounds := range enough {
				got, stable := blocksOf(t, c.Model, hides, rounds)
				if t.Failed() || !slices.Equal(got, want) {
					t.Fatalf("seed %d, hidden labels %b: after %d rounds\n%v, want\n%v\n%s", seed, set, rounds, got, want, c)
				}
				if stable {
					enough[rounds]++
				}
			}
		}
	}
	if randomlts.Whole() && (enough[1] == 0 || !slices.IsSorted(enough[:]) || enough[7] == enough[2]) {
		t.Errorf("models for which so many rounds are enough: %v", enough)
	}
}

// wide returns a model whose states have so many different pairs of label and block that
// 64 bits are always all set: from each of some states transitions lead to all rungs of a
// ladder but one.
func wide(t *testing.T, rungs int) *lts.LTS {
	t.Helper()
	var b lts.Builder
	down := b.Label("down")
	for rung := 1; rung < rungs; rung++ {
		b.Add(lts.State(rung-1), down, lts.State(rung))
	}
	for without := range rungs {
		from := lts.State(rungs + without)
		b.Add(0, b.Label(fmt.Sprintf("to %d", without)), from)
		for rung := range rungs {
			if rung != without {
				b.Add(from, down, lts.State(rung))
			}
		}
	}
	m, err := b.Build(0, 2*rungs)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestSketchesMayBeFull: what 64 bits cannot tell apart is told apart all the same.
func TestSketchesMayBeFull(t *testing.T) {
	const rungs = 700
	m := wide(t, rungs)
	blocks, stable := blocksOf(t, m, func(lts.Label) bool { return false }, 3)
	if stable {
		t.Error("signatures took blocks for equivalent that are not")
	}
	if slices.Sort(blocks); len(slices.Compact(blocks)) != 2*rungs {
		t.Error("states are merged that are different")
	}
	q, err := New(context.Background(), m, func(lts.Label) bool { return false })
	if err != nil || q.LTS().NumStates() != 2*rungs {
		t.Errorf("%d blocks, want %d: %v", q.LTS().NumStates(), 2*rungs, err)
	}
}

// TestMissingPairsAreFound: of two bottoms of a block one lacks a pair of the other, in
// either order.
func TestMissingPairsAreFound(t *testing.T) {
	for _, order := range [][]lts.State{{1, 2}, {2, 1}} {
		var b lts.Builder
		go1, x, y := b.Label("go"), b.Label("x"), b.Label("y")
		for _, s := range order {
			b.Add(0, go1, s)
		}
		b.Add(order[0], x, 3)
		b.Add(order[0], y, 3)
		b.Add(order[1], x, 3)
		m, err := b.Build(0, 4)
		if err != nil {
			t.Fatal(err)
		}
		if blocks, stable := blocksOf(t, m, func(lts.Label) bool { return false }, 0); stable || blocks[1] == blocks[2] {
			t.Errorf("blocks %v", blocks)
		}
	}
}

// A pair has one number, and no two pairs have the same: those with the same sketch in many
// blocks, and those that lie beside each other in the table, too.
func TestNumbering(t *testing.T) {
	ctx := context.Background()
	var n numbering
	for range 2 { // the table is used again
		n.restart(ctx, 0)
		known := map[numbered]uint32{}
		for i := range 60_000 {
			p := numbered{sketch: uint64(i % 7), block: uint32(i / 2 % 20_000)}
			want, seen := known[p]
			if !seen {
				want = uint32(len(known))
				known[p] = want
			}
			if got := n.numberOf(ctx, p.block, p.sketch); got != want {
				t.Fatalf("block %d with sketch %d is %d, want %d", p.block, p.sketch, got, want)
			}
		}
	}
}
