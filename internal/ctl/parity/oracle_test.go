package parity_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/inev-lts/inev/internal/ctl/parity"
	"github.com/inev-lts/inev/internal/formula/modal"
	"github.com/inev-lts/inev/internal/formula/mucalculus"
	oracle "github.com/inev-lts/inev/internal/testing/oracle/mucalculus"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

var letters = []string{"a", "b", "c"}

// author writes any formulas of the mu-calculus.
type author struct {
	r     *rand.Rand
	isMCL bool
	vars  int
	// noConstants leaves constants out that stand alone, so that no variable vanishes when a formula is simplified.
	noConstants bool
}

func (w *author) below(n int) int { return w.r.IntN(n) }

func (w *author) pick(all ...string) string { return all[w.below(len(all))] }

// either returns the first text in MCL, the second in mCRL2.
func (w *author) either(mcl, mu string) string {
	if w.isMCL {
		return mcl
	}
	return mu
}

func (w *author) action(depth int) string {
	l := w.pick(letters...)
	if depth == 0 || w.below(2) == 0 {
		return w.either(`"`+l+`"`, l)
	}
	switch w.below(3) {
	case 0:
		return "true"
	case 1:
		return "(" + w.action(depth-1) + w.either(" or ", " || ") + w.action(depth-1) + ")"
	}
	return "(" + w.either("not ", "!") + w.action(depth-1) + ")"
}

func (w *author) run(depth int) string {
	if depth == 0 {
		return w.action(1)
	}
	switch w.below(6) {
	case 0:
		return "(" + w.run(depth-1) + " . " + w.run(depth-1) + ")"
	case 1:
		return "(" + w.run(depth-1) + w.either(" | ", " + ") + w.run(depth-1) + ")"
	case 2:
		return "(" + w.run(depth-1) + ")*"
	case 3:
		return "(" + w.run(depth-1) + ")?"
	}
	return w.action(1)
}

// variable is one that may stand in a formula, under an even number of negations between it and its
// fixpoint.
type variable struct {
	name string
	odd  bool // whether there is an odd number up to here
}

func turned(free []variable) []variable {
	var all []variable
	for _, v := range free {
		all = append(all, variable{v.name, !v.odd})
	}
	return all
}

func (w *author) leaf(free []variable) string {
	var all []string
	for _, v := range free {
		if !v.odd {
			all = append(all, v.name)
		}
	}
	if len(all) > 0 && w.below(4) > 0 {
		return w.pick(all...)
	}
	if w.noConstants {
		return w.pick("<true>true", "[true]false", "<"+w.action(0)+">true", "["+w.action(0)+"]false")
	}
	return w.pick("true", "false", "<true>true", "[true]false", "<"+w.action(0)+">true", "["+w.action(0)+"]false")
}

// state writes a formula.
func (w *author) state(depth int, free []variable) string {
	if depth == 0 {
		return w.leaf(free)
	}
	switch w.below(9) {
	case 0, 1:
		sign := w.pick(w.either(" and ", " && "), w.either(" or ", " || "))
		return "(" + w.state(depth-1, free) + sign + w.state(depth-1, free) + ")"
	case 2:
		return "(" + w.either("not ", "!") + w.state(depth-1, turned(free)) + ")"
	case 3, 4, 5, 6:
		name := fmt.Sprintf("X%d", w.vars)
		w.vars++
		return "(" + w.pick("mu ", "nu ") + name + " . (" + w.state(depth-1, append([]variable{{name: name}}, free...)) + "))"
	}
	if w.below(2) == 0 {
		return "<" + w.run(2) + ">" + w.state(depth-1, free)
	}
	return "[" + w.run(2) + "]" + w.state(depth-1, free)
}

func randomModel(t *rapid.T) *lts.LTS {
	n := rapid.IntRange(1, 6).Draw(t, "states")
	var b lts.Builder
	for range rapid.IntRange(0, 3*n).Draw(t, "transitions") {
		from := lts.State(rapid.IntRange(0, n-1).Draw(t, "from"))
		label := rapid.SampledFrom(letters).Draw(t, "label")
		b.Add(from, b.Label(label), lts.State(rapid.IntRange(0, n-1).Draw(t, "to")))
	}
	m, err := b.Build(0, n)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// solve solves the game of a formula from the initial state.
func solve(t rapid.TB, m *lts.LTS, text string) *parity.Solution {
	t.Helper()
	ctx := context.Background()
	f, err := modal.Graph(ctx, text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	means, _, err := f.Bind(ctx, m.Alphabet())
	if err != nil {
		t.Fatal(err)
	}
	if err := m.FindPredecessors(ctx); err != nil {
		t.Fatal(err)
	}
	s, err := parity.Solve(ctx, m, f, means, []lts.State{m.Initial()})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return s
}

// nested writes fixpoints of alternating kinds, each around the next one, about a formula without
// further fixpoints.
func (w *author) nested() string {
	fixpoints := 2 + w.below(4)
	var free []variable
	text := ""
	kinds := []string{"mu ", "nu "}
	first := w.below(2)
	for i := range fixpoints {
		name := fmt.Sprintf("X%d", i)
		free = append(free, variable{name: name})
		text += "(" + kinds[(first+i)%2] + name + " . ("
	}
	return text + w.modal(5, free) + strings.Repeat("))", fixpoints)
}

// modal writes a formula without fixpoints, and mostly with its variables under modalities.
func (w *author) modal(depth int, free []variable) string {
	choice := w.below(7)
	switch {
	case depth == 0 || choice == 0:
		return w.leaf(free)
	case choice < 3:
		return "(" + w.modal(depth-1, free) + w.either(" and ", " && ") + w.modal(depth-1, free) + ")"
	case choice < 5:
		return "(" + w.modal(depth-1, free) + w.either(" or ", " || ") + w.modal(depth-1, free) + ")"
	case choice == 5:
		return "<" + w.run(1) + ">" + w.modal(depth-1, free)
	}
	return "[" + w.run(1) + "]" + w.modal(depth-1, free)
}

// tooDeep reports whether a formula is refused because its fixpoints alternate too deep.
func tooDeep(text string) bool {
	_, err := modal.Graph(context.Background(), text)
	return err != nil && strings.Contains(err.Error(), "alternate at most 6 deep")
}

// TestSolve compares the verdicts on random formulas with iteration over sets of states, and lets
// the strategies win: each move of the winner leads to a position that is won, all cycles that the
// other player can force are won by their largest priority, and a play without a move is won.
func TestSolve(t *testing.T) {
	verdicts := map[bool]int{}
	depths := map[int]int{}
	for range randomlts.Share(200) {
		rapid.Check(t, func(t *rapid.T) {
			w := &author{r: rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 71)), isMCL: rapid.Bool().Draw(t, "MCL")}
			text := ""
			if w.below(2) == 0 {
				text = w.state(1+w.below(6), nil)
			} else {
				text = w.nested()
			}
			if tooDeep(text) {
				t.Skip(text)
			}
			m := randomModel(t)
			holds, err := oracle.Holds(m, text)
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			s := solve(t, m, text)
			if holds != (len(s.Good) == 1) || holds != (len(s.Bad) == 0) {
				t.Fatalf("%s on %v: %t", text, m, holds)
			}
			verdicts[holds]++
			depths[s.Formula.Depth()]++
			wins(t, s, text)
		})
	}
	t.Log(verdicts, depths)
	if randomlts.Whole() && (verdicts[true] < 2000 || verdicts[false] < 2000 || depths[2] < 500 || depths[3] < 50) {
		t.Errorf("too little was met: %v, %v", verdicts, depths)
	}
}

// place is a position of the game.
type place struct {
	node  int
	state lts.State
}

// wins checks that the strategy for the initial position wins.
func wins(t rapid.TB, s *parity.Solution, text string) {
	t.Helper()
	next := map[place][]place{}
	waiting := []place{{s.Formula.Root(), s.Model.Initial()}}
	for len(waiting) > 0 {
		p := waiting[len(waiting)-1]
		waiting = waiting[:len(waiting)-1]
		if _, known := next[p]; known {
			continue
		}
		next[p] = []place{}
		n, holds := s.Formula.Node(p.node), s.Holds(p.node, p.state)
		nodes, states := s.Winning(p.node, p.state)
		if len(nodes) == 0 && (n.Kind == mucalculus.Fixpoint || n.All != holds) {
			t.Fatalf("%s on %v: no move at %v", text, s.Model, p)
		}
		for i := range nodes {
			to := place{nodes[i], states[i]}
			if s.Holds(to.node, to.state) != holds {
				t.Fatalf("%s on %v: %v leads to %v, which is lost", text, s.Model, p, to)
			}
			next[p] = append(next[p], to)
			waiting = append(waiting, to)
		}
	}
	for p := range next {
		// A cycle through p on which its priority is the largest one is won by p's parity.
		n := s.Formula.Node(p.node)
		if n.Kind != mucalculus.Fixpoint || !n.Cyclic || (n.Priority%2 == 0) == s.Holds(p.node, p.state) {
			continue
		}
		seen := map[place]bool{}
		waiting := []place{p}
		for len(waiting) > 0 {
			q := waiting[len(waiting)-1]
			waiting = waiting[:len(waiting)-1]
			for _, to := range next[q] {
				other := s.Formula.Node(to.node)
				if to == p {
					t.Fatalf("%s on %v: the cycle through %v is lost", text, s.Model, p)
				}
				if other.Component == n.Component && other.Priority <= n.Priority && !seen[to] {
					seen[to] = true
					waiting = append(waiting, to)
				}
			}
		}
	}
}
