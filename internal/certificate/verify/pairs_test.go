package verify_test

import (
	"testing"

	"github.com/inev-lts/inev/internal/certificate/verify"
	"github.com/inev-lts/inev/property"
)

// TestPairsOfTooLargeParts: a condition with too many pairs has no list of pairs, wherever in it they
// are; an empty list would say that no run satisfies it.
func TestPairsOfTooLargeParts(t *testing.T) {
	var choices []property.Acceptance
	for i := range 11 {
		choices = append(choices, property.Any(property.Inf(2*i), property.Inf(2*i+1)))
	}
	large := property.All(choices...) // 2,048 pairs
	small := property.All(choices[:10]...)
	for name, condition := range map[string]property.Acceptance{
		"itself":                        large,
		"in a disjunction":              property.Any(large, property.Inf(30)),
		"in a conjunction":              property.All(property.Any(large, property.Inf(30)), property.Fin(31)),
		"first in a conjunction":        property.All(property.Fin(31), property.Any(large, property.Inf(30))),
		"two small ones together":       property.Any(small, property.All(choices[1:]...)),
		"in a disjunction of the above": property.Any(property.All(property.Any(large, property.Inf(30)), property.Fin(31)), property.Fin(29)),
	} {
		if pairs, ok := verify.Pairs(condition); ok {
			t.Errorf("%s: %d pairs, want none and false", name, len(pairs))
		}
	}
	if pairs, ok := verify.Pairs(small); !ok || len(pairs) != 1024 {
		t.Errorf("%d pairs, %v; want 1024 and true", len(pairs), ok)
	}
	impossible := property.All(property.Inf(31), property.Fin(31), property.Any(large, property.Inf(30)))
	if pairs, ok := verify.Pairs(impossible); !ok || len(pairs) != 0 {
		t.Errorf("%d pairs, %v; want none and true", len(pairs), ok)
	}
}
