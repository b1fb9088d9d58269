package wmc_test

import (
	"bytes"
	"context"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/ctl/syntax"
	"github.com/inev-lts/inev/internal/ctl/wmc"
	"github.com/inev-lts/inev/internal/ctl/wmc/verify"
	"github.com/inev-lts/inev/internal/testing/mutation"
	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
	"github.com/inev-lts/inev/lts"
)

func (x *sample) json(t testing.TB, a *wmc.Answer[wmc.States]) []byte {
	t.Helper()
	var b bytes.Buffer
	q := wmc.Question{Model: x.m, Formula: x.f.String(), Internal: []string{"C"}}
	if err := q.WriteJSON(&b, a); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func (x *sample) verify(data []byte) (*verify.Result, error) {
	return verify.Verify(context.Background(), x.m, x.f, bytes.NewReader(data), verify.Options{
		Holds: func(p syntax.Predicate, s lts.State) (bool, error) { return x.holds(p, s), nil },
	})
}

// TestEvidenceIsAccepted: what the algorithm writes is found right.
func TestEvidenceIsAccepted(t *testing.T) {
	for seed := range randomlts.Share(3000) {
		x := newSample(t, seed)
		for _, o := range []wmc.Options{{}, {Exhaust: true}} {
			a, _ := x.check(t, o)
			data := x.json(t, a)
			r, err := x.verify(data)
			if err != nil {
				t.Fatalf("seed %d: %v; %s\n%s", seed, err, x, data)
			}
			if !slices.Equal(r.Good, []lts.State(a.Good)) || !slices.Equal(r.Bad, []lts.State(a.Bad)) {
				t.Fatalf("seed %d: %v %v", seed, r.Good, r.Bad)
			}
		}
	}
}

// TestMutantsAreRefused changes claims anywhere in evidence: a state is put into a set, or
// taken out of it, or moved to another one. Such evidence is refused; and what is accepted,
// whatever the change, is true.
func TestMutantsAreRefused(t *testing.T) {
	want := structures(9_000)
	mutants, roots := 0, 0
	for seed := uint64(0); mutants < want; seed++ {
		x := newSample(t, seed)
		a, _ := x.check(t, wmc.Options{Exhaust: seed%2 == 0})
		data := x.json(t, a)
		truth := global(x.m, x.c, x.means, x.holds, x.c.Root())
		r := rand.New(rand.NewPCG(seed, 2))
		for range 6 {
			mutant, what := mutate(t, r, data, x.m.NumStates())
			if mutant == nil {
				continue
			}
			mutants++
			if strings.HasPrefix(what, "claim") {
				roots++
			}
			result, err := x.verify(mutant)
			if err != nil {
				if strings.Contains(err.Error(), "\n") {
					t.Fatalf("more than one line: %v", err)
				}
				continue
			}
			for i, states := range [][]lts.State{result.Bad, result.Good} {
				for _, s := range states {
					if truth[s] != (i == 1) {
						t.Fatalf("seed %d: %s: accepted, and false in state %d; %s", seed, what, s, x)
					}
				}
			}
			t.Fatalf("seed %d: %s: accepted; %s\n%s", seed, what, x, mutant)
		}
	}
	if randomlts.Whole() && (roots < want/40 || roots > want/2) {
		t.Errorf("%d of %d mutants are of what is claimed of the whole", roots, mutants)
	}
}

// claims are the sets of states in evidence.
type claims struct {
	name string
	of   []any
	put  func([]any)
}

// mutate changes one set of states somewhere in evidence; nil if nothing changes.
func mutate(t *testing.T, r *rand.Rand, data []byte, states int) (mutant []byte, what string) {
	t.Helper()
	var top map[string]any
	if err := json.Unmarshal(data, &top); err != nil {
		t.Fatal(err)
	}
	var sets []claims
	collect := func(in map[string]any, prefix string, names ...string) {
		for _, name := range names {
			if of, is := in[name].([]any); is {
				sets = append(sets, claims{prefix + name, of, func(now []any) { in[name] = now }})
			}
		}
	}
	var walk func(in map[string]any)
	walk = func(in map[string]any) {
		collect(in, "", "asked", "good", "bad", "visited", "q", "p", "holds", "fails", "reached")
		if ranks, is := in["ranks"].([]any); is {
			for i := range ranks {
				sets = append(sets, claims{"rank", ranks[i].([]any), func(now []any) { ranks[i] = now }})
			}
			if len(ranks) > 1 && r.IntN(4) == 0 {
				sets = append(sets, claims{"all ranks", ranks, func([]any) { slices.Reverse(ranks) }})
			}
		}
		for _, name := range []string{"left", "right"} {
			if below, is := in[name].(map[string]any); is {
				walk(below)
			}
		}
		if frontiers, is := in["frontiers"].([]any); is {
			for _, f := range frontiers {
				walk(f.(map[string]any))
			}
		}
	}
	collect(top, "claim: ", "good", "bad")
	if root, is := top["evidence"].(map[string]any); is {
		walk(root)
	}
	s := sets[r.IntN(len(sets))]
	if strings.HasPrefix(s.name, "claim") && r.IntN(3) > 0 && len(sets) > 2 {
		s = sets[2+r.IntN(len(sets)-2)]
	}
	before := expanded(s.of)
	state := float64(r.IntN(states))
	now := []any{}
	in := false
	for _, b := range before {
		if b == state {
			in = true
			continue
		}
		now = append(now, b)
	}
	if !in {
		at := 0
		for at < len(now) && now[at].(float64) < state {
			at++
		}
		now = slices.Insert(now, at, any(state))
	}
	if s.name == "claim: good" || s.name == "claim: bad" {
		// That less, or nothing, is said of the whole can be true as well: a state is said
		// to be of the other part.
		good, bad := top["good"].([]any), top["bad"].([]any)
		top["good"], top["bad"] = bad, good
		top["holds"] = len(good) == 0
	} else {
		s.put(now)
	}
	mutant, err := json.Marshal(top)
	if err != nil {
		t.Fatal(err)
	}
	return mutant, s.name
}

// expanded returns the states of a set, one by one.
func expanded(of []any) []float64 {
	var all []float64
	for _, part := range of {
		switch part := part.(type) {
		case float64:
			all = append(all, part)
		case []any:
			if len(part) != 2 {
				continue
			}
			first, is := part[0].(float64) // the ranks of all rounds are lists of lists
			if last, is2 := part[1].(float64); is && is2 {
				for s := first; s <= last; s++ {
					all = append(all, s)
				}
			}
		}
	}
	return all
}

// FuzzVerify: no text makes the checker fail otherwise than with one line, and what it
// accepts is true.
func FuzzVerify(f *testing.F) {
	samples := make([]*sample, 40)
	for i := range samples {
		samples[i] = newSample(f, uint64(i))
		a, _ := samples[i].check(f, wmc.Options{})
		f.Add(byte(i), samples[i].json(f, a))
	}
	f.Fuzz(func(t *testing.T, i byte, data []byte) {
		defer mutation.Limited()()
		x := samples[int(i)%len(samples)]
		r, err := x.verify(data)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Fatalf("more than one line: %v", err)
			}
			return
		}
		if strings.Contains(string(data), `"C"`) {
			truth := global(x.m, x.c, x.means, x.holds, x.c.Root())
			for _, s := range r.Good {
				if !truth[s] {
					t.Fatalf("%s accepted in %d", x, s)
				}
			}
		}
	})
}
