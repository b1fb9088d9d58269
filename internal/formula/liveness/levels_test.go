package liveness_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
)

// TestLevelsInConstraints: what constraints with TLCGet("level") leave of random graphs is compared with the layers of a search: the
// steps of a layer are those from its states that both constraints allow, and the next layer has their targets that no layer before has.
func TestLevelsInConstraints(t *testing.T) {
	ctx := context.Background()
	folder := t.TempDir()
	cutBack, begunOutside := 0, 0
	for seed := range randomlts.Share(2_000) {
		r := rand.New(rand.NewPCG(seed, 61))
		g := &graph{n: 2 + r.IntN(5), edges: map[[2]int]bool{}, initial: []int{0}}
		if r.IntN(3) == 0 {
			g.initial = append(g.initial, 1)
		}
		for range g.n + r.IntN(2*g.n) {
			g.edges[[2]int{r.IntN(g.n), r.IntN(g.n)}] = true
		}
		most, unless, without := r.IntN(5), r.IntN(g.n), r.IntN(4)
		allows := func(s, level int) bool { return level <= most || s == unless }
		layers := [][]int{nil}
		level := map[int]int{}
		enter := func(s, n int) {
			if level[s] == 0 {
				level[s] = n
				layers[n-1] = append(layers[n-1], s)
			}
		}
		for _, s := range g.initial {
			if allows(s, 1) {
				enter(s, 1)
			}
		}
		kept := map[[2]int]bool{}
		for n := 1; len(layers[n-1]) > 0; n++ {
			layers = append(layers, nil)
			for _, s := range layers[n-1] {
				for to := range g.n {
					step := [2]int{s, to}
					if g.edges[step] && allows(to, n+1) && (n != without || to <= s) {
						kept[step] = true
						enter(to, n+1)
					}
				}
			}
		}
		from, to := r.IntN(g.n), r.IntN(g.n)
		asked, violated := fmt.Sprintf("[](x # %d)", to), level[to] > 0
		if r.IntN(3) > 0 && from != to {
			asked = fmt.Sprintf("[][~(x = %d /\\ x' = %d)]_x", from, to)
			violated = kept[[2]int{from, to}]
		}
		if len(layers[0]) == 0 { // TLC asks predicates of states in the initial states alone
			begunOutside++
			continue
		}
		if step := [2]int{from, to}; g.edges[step] && !kept[step] && level[from] > 0 && level[to] > 0 {
			cutBack++
		}
		module := fmt.Sprintf(`---- MODULE Random ----
EXTENDS Integers, TLC
VARIABLE x
Far(n) == TLCGet("level") > n
Near == LET far == Far(%d) IN ~far \/ x = %d
Steps == TLCGet("level") # %d \/ x' <= x
Spec == [][TRUE]_x
Asked == %s
====
`, most, unless, without, asked)
		write(t, folder, "Random.tla", module)
		write(t, folder, "Random.cfg", "SPECIFICATION Spec\nCONSTRAINT Near\nACTION_CONSTRAINT Steps\nPROPERTY Asked\n")
		write(t, folder, "Random.dot", g.dot())
		want := map[bool]string{true: "violated", false: "satisfied"}[violated]
		if got, err := verdictOf(ctx, folder); err != nil || got != want {
			t.Fatalf("seed %d: %s (%v), want %s\n%s%s", seed, got, err, want, module, g.dot())
		}
	}
	if randomlts.Whole() && (cutBack < 50 || begunOutside < 50) {
		t.Errorf("%d steps back are cut, and %d times all initial states", cutBack, begunOutside)
	}
}

// TestLevelIsRefusedElsewhere: a property that depends on the level is refused by name, and what does not depend on it is answered.
func TestLevelIsRefusedElsewhere(t *testing.T) {
	ctx := context.Background()
	folder := t.TempDir()
	g := &graph{n: 2, edges: map[[2]int]bool{{0, 1}: true}, initial: []int{0}}
	write(t, folder, "Random.dot", g.dot())
	write(t, folder, "Random.tla", "---- MODULE Random ----\nEXTENDS Integers, TLC\nVARIABLE x\nSpec == [][TRUE]_x\nLow == TLCGet(\"level\") < 5\nAsked == [](x = 0 => Low)\n====\n")
	write(t, folder, "Random.cfg", "SPECIFICATION Spec\nPROPERTY Asked\n")
	_, err := verdictOf(ctx, folder)
	if err == nil || !strings.Contains(err.Error(), `depends on TLCGet("level"), which has a value only in a CONSTRAINT or ACTION_CONSTRAINT; elsewhere, count the steps in a variable`) {
		t.Error(err)
	}
}
