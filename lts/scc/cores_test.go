package scc

import (
	"context"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

// TestCoresFindTheSame: on one core and on several, around one state or another, components are the
// same, with the states from which transitions lead to others; and they are those of gonum.
func TestCoresFindTheSame(t *testing.T) {
	ctx := context.Background()
	cases, whole, large := uint64(3_000), 0, 0
	if !randomlts.Whole() {
		cases /= 40
	}
	for seed := range cases {
		r := rand.New(rand.NewPCG(seed, 11))
		n := 1 + r.IntN(300)
		var b lts.Builder
		l := b.Label("a")
		for range r.IntN(3 * n) {
			b.Add(lts.State(r.IntN(n)), l, lts.State(r.IntN(n)))
		}
		// A ring makes one component large, or all.
		for s := range [...]int{0, n / 2, n - 1, n}[r.IntN(4)] {
			b.Add(lts.State(s), l, lts.State((s+1)%n))
		}
		m, err := b.Build(lts.State(r.IntN(n)), n)
		if err != nil {
			t.Fatal(err)
		}
		want := find(ctx, m, gonum, 1)
		initial := bitset.New[lts.State](n)
		for _, s := range want.States(0) {
			initial.Add(s)
		}
		for cores := 1; cores <= 4; cores++ {
			got := find(ctx, m, iterative, cores)
			for s := range lts.State(n) {
				if _, reachable := want.Of(s); reachable && got.Leaves(s) != want.Leaves(s) {
					t.Fatalf("seed %d, %d cores: state %d leaves its component: %t", seed, cores, s, got.Leaves(s))
				}
			}
			if !slices.Equal(got.ofState, want.ofState) || !slices.Equal(got.states, want.states) || !slices.Equal(got.first, want.first) ||
				!slices.Equal(got.depth, want.depth) || !slices.Equal(got.cyclic, want.cyclic) || !slices.Equal(got.most, want.most) {
				t.Fatalf("seed %d, %d cores: %+v, want %+v", seed, cores, got, want)
			}
			search, found := newSearch(ctx, m, cores)
			findOutside(ctx, m, search, found, initial)
			if around := number(ctx, m, found, cores); !reflect.DeepEqual(around, got) {
				t.Fatalf("seed %d, %d cores: around the initial state %+v, want %+v", seed, cores, around, got)
			}
		}
		if want.Len() == 1 {
			whole++
		} else if want.most != nil {
			large++
		}
	}
	if randomlts.Whole() && (whole < 300 || large < 300) {
		t.Errorf("%d models are one component, %d have a large one", whole, large)
	}
}
