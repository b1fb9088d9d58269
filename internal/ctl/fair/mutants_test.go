package fair_test

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/inev-lts/inev/internal/testing/oracle/randomlts"
)

// lists returns the lists of states in a value, and the member that each is in.
func lists(v any, name string, found *[]func(r *rand.Rand)) {
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			below := v[key]
			if list, is := below.([]any); is && (key == "states" || key == "good" || key == "bad" || key == "tasks") {
				*found = append(*found, func(r *rand.Rand) { v[key] = changed(r, list) })
			}
			lists(below, key, found)
		}
	case []any:
		for i, below := range v {
			if list, is := below.([]any); is && (name == "ranks" || name == "loops") {
				*found = append(*found, func(r *rand.Rand) { v[i] = changed(r, list) })
			}
			lists(below, name, found)
		}
	}
}

// changed takes an element out of a list, or puts one in.
func changed(r *rand.Rand, list []any) []any {
	state := float64(r.IntN(6))
	if len(list) > 0 && r.IntN(2) == 0 {
		i := r.IntN(len(list))
		return append(append([]any{}, list[:i]...), list[i+1:]...)
	}
	for i, at := range list {
		if number, is := at.(float64); is && number > state {
			return append(append(append([]any{}, list[:i]...), state), list[i:]...)
		}
	}
	return append(append([]any{}, list...), state)
}

// TestMutantsAreRefused changes lists of states anywhere in evidence, and claims: what is accepted
// all the same is true, and a claim that was turned round is refused.
func TestMutantsAreRefused(t *testing.T) {
	refused, accepted, turned := 0, 0, 0
	for seed := range randomlts.Share(3000) {
		x := newSample(t, seed)
		if len(x.asked) == 0 {
			continue
		}
		r := rand.New(rand.NewPCG(seed, 7))
		data := x.json(t, x.decide(t))
		for range 6 {
			var value map[string]any
			if err := json.Unmarshal(data, &value); err != nil {
				t.Fatal(err)
			}
			if r.IntN(4) == 0 {
				value["good"], value["bad"] = value["bad"], value["good"]
				value["holds"] = len(value["bad"].([]any)) == 0
				turned++
			} else {
				var all []func(*rand.Rand)
				lists(value, "", &all)
				all[r.IntN(len(all))](r)
			}
			mutant, err := json.Marshal(value)
			if err != nil {
				t.Fatal(err)
			}
			result, err := x.verify(mutant)
			if err != nil {
				if strings.Contains(err.Error(), "\n") {
					t.Fatalf("more than one line: %v", err)
				}
				refused++
				continue
			}
			accepted++
			truth := x.truth.sat[x.c.Root()]
			for _, s := range result.Good {
				if !truth[s] {
					t.Fatalf("seed %d: accepted, and false in %d: %s\n%s", seed, s, x, mutant)
				}
			}
			for _, s := range result.Bad {
				if truth[s] {
					t.Fatalf("seed %d: accepted, and true in %d: %s\n%s", seed, s, x, mutant)
				}
			}
		}
	}
	if refused < 10*accepted || turned == 0 {
		t.Errorf("%d refused, %d accepted, %d turned round", refused, accepted, turned)
	}
}
