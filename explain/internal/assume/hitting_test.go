package assume

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
)

// family draws the conflicts of a question of so many members: a set suffices where it
// meets all of them, and is wanted where it is in no unwanted one.
func family(r *rand.Rand, members int) (conflicts, unwanted []int) {
	for range 1 + r.IntN(6) {
		conflicts = append(conflicts, 1+r.IntN(1<<members-1)&r.IntN(1<<members))
	}
	for range r.IntN(3) {
		unwanted = append(unwanted, 1+r.IntN(1<<members-1))
	}
	return conflicts, unwanted
}

func mask(set []int) (m int) {
	for _, x := range set {
		m |= 1 << x
	}
	return m
}

func members(mask int) []int {
	list := []int{}
	for x := 0; mask>>x != 0; x++ {
		if mask>>x&1 != 0 {
			list = append(list, x)
		}
	}
	return list
}

// TestAnswers compares the search, for all answers and for some, with all subsets, and
// what it says about those that it has not found.
func TestAnswers(t *testing.T) {
	const of = 6
	beyond := 0
	for seed := range randomlts.Share(20_000) {
		r := rand.New(rand.NewPCG(seed, 0))
		conflicts, unwanted := family(r, of)
		sufficient := func(m int) bool {
			return !slices.ContainsFunc(conflicts, func(c int) bool { return m&c == 0 }) &&
				!slices.ContainsFunc(unwanted, func(u int) bool { return m&u == u })
		}
		var minimal []int
		for m := range 1 << of {
			is := sufficient(m)
			for other := range m {
				is = is && !(other&m == other && sufficient(other))
			}
			if is {
				minimal = append(minimal, m)
			}
		}
		most, size := 1+r.IntN(10), 1+r.IntN(of)
		var limit int64
		if r.IntN(4) == 0 {
			limit = 1 + r.Int64N(200)
		}
		answer, err := answers(&budget{ctx: context.Background(), most: limit}, Limits{Answers: most, Members: size}, func(set []int) (bool, []int, error) {
			m := mask(set)
			switch {
			case sufficient(m):
				return true, nil, nil
			case slices.ContainsFunc(unwanted, func(u int) bool { return m&u == u }):
				return false, nil, nil
			default:
				at := slices.IndexFunc(conflicts, func(c int) bool { return m&c == 0 })
				return false, members(conflicts[at]), nil
			}
		})
		if err != nil || answer.Stopped && limit == 0 {
			t.Fatalf("seed %d: %+v, %v", seed, answer, err)
		}
		found, through, complete := answer.Sets, answer.Through, answer.Complete
		got := map[int]bool{}
		for _, set := range found {
			got[mask(set)] = true
		}
		wrong := len(got) != len(found) || len(found) > most
		for m := range got {
			wrong = wrong || !slices.Contains(minimal, m) || len(members(m)) > size
		}
		missing := false
		for _, m := range minimal {
			missing = missing || !got[m]
			wrong = wrong || !got[m] && len(members(m)) <= through
		}
		if len(found) < most && !answer.Stopped {
			wrong = wrong || size == of && !complete
			if missing {
				beyond++
			}
		}
		if wrong || complete && missing || complete && answer.Stopped {
			t.Fatalf("seed %d: conflicts %b, unwanted %b, %d of size %d, limit %d: found %+v; want %b", seed, conflicts, unwanted, most, size, limit, answer, minimal)
		}
	}
	if randomlts.Whole() && beyond < 100 {
		t.Errorf("only %d families have larger sets than those looked for", beyond)
	}
}

// canceledAfter is a context that is done after it has been asked so many times.
type canceledAfter struct {
	context.Context
	asks int
}

func (c *canceledAfter) Err() error {
	if c.asks--; c.asks < 0 {
		return context.Canceled
	}
	return nil
}

// TestWideConflicts: the search for sets, which can take as many steps as there are sets
// of labels, ends at its limit and with its context.
func TestWideConflicts(t *testing.T) {
	const labels = 100_000
	// Each conflict lacks one label: no label alone meets all, every pair does, at last.
	lacking := func(x int) []int {
		var c []int
		for l := range labels {
			if l != x {
				c = append(c, l)
			}
		}
		return c
	}
	never := func(set []int) (bool, []int, error) {
		// Disjoint conflicts, one for each set that is tried, with many members each.
		return false, lacking(set0(set)), nil
	}
	b := &budget{ctx: context.Background(), most: 3_000_000}
	found, err := answers(b, Limits{Answers: 10, Members: 3}, never)
	if err != nil || !found.Stopped || found.Sets != nil || found.Complete || found.Through > 1 {
		t.Errorf("found %+v, error %v", found, err)
	}
	if b.work > b.most+labels {
		t.Errorf("%d of %d", b.work, b.most)
	}
	disjoint := hitting{most: 3, budget: &budget{ctx: &canceledAfter{context.Background(), 3}}}
	for k := range 4 {
		var c []int
		for l := range labels / 4 {
			c = append(c, k*labels/4+l)
		}
		disjoint.conflicts = append(disjoint.conflicts, c)
	}
	if set, err := disjoint.next(); err != context.Canceled || set != nil || disjoint.work > 10<<14 {
		t.Errorf("set %v, error %v after %d", set, err, disjoint.work)
	}
	disjoint = hitting{most: 3, conflicts: disjoint.conflicts, budget: &budget{ctx: context.Background(), most: 1_000_000}}
	if set, err := disjoint.next(); err != errLimit || set != nil || disjoint.size != 3 && disjoint.size != 2 {
		t.Errorf("set %v, error %v at size %d", set, err, disjoint.size)
	}
}

func set0(set []int) int {
	if len(set) == 0 {
		return -1
	}
	return set[0]
}

// TestOthersOfAnySize: what is left out of the answers may be larger by more than one.
func TestOthersOfAnySize(t *testing.T) {
	h := hitting{conflicts: [][]int{{0}, {1}, {2}, {3}, {4}}, blocked: [][]int{{5}}, budget: &budget{ctx: context.Background()}}
	if some, err := h.existsWithout(nil); !some || err != nil {
		t.Errorf("there are none, %v", err)
	}
	h.blocked = [][]int{{0, 1}, {5}}
	if some, err := h.existsWithout(nil); some || err != nil {
		t.Errorf("there are some with %v, %v", h.blocked, err)
	}
}
