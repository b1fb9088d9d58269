package oracle_test

import (
	"math/rand/v2"
	"testing"

	"github.com/inev-lts/inev/internal/testing/oracle"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// TestFairStates compares the two oracles, which try sets of transitions and sets of
// states.
func TestFairStates(t *testing.T) {
	size := randomlts.Size{States: 5, Transitions: 10, Labels: 4, Steps: 3}
	holds := map[bool]int{}
	for seed := range fairCases(t) {
		c := randomlts.Seeded(seed, size)
		r := rand.New(rand.NewPCG(seed, 5))
		_, a := drawAssumption(r, c.Model.Alphabet(), int(seed%5))
		if seed%3 == 0 {
			a.Choices = map[lts.State]bool{lts.State(r.IntN(c.Model.NumStates())): true, lts.State(r.IntN(c.Model.NumStates())): true}
		}
		byStates, err := oracle.NewFairStates(c.Model, c.Steps)
		if err != nil {
			t.Fatal(err)
		}
		want := oracle.NewFair(c.Model, c.Steps, a)
		if got := byStates.Holds(a); got != want.Holds() {
			t.Fatalf("seed %d:\n%s\n%+v\nholds: %t", seed, c, a, got)
		}
		if byStates.Deadlock() && want.Holds() {
			t.Fatalf("seed %d:\n%s\n%+v\nit holds, in spite of a deadlock", seed, c, a)
		}
		holds[want.Holds()]++
	}
	if holds[true] < holds[false]/10 || holds[false] < holds[true]/10 {
		t.Errorf("%v", holds)
	}
}
