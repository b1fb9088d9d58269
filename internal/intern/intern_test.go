package intern_test

import (
	"slices"
	"testing"

	"github.com/inev-lts/inev/internal/intern"
)

// TestFirstUse: values stand in the order in which their keys were first used, and the first value
// of a key stays.
func TestFirstUse(t *testing.T) {
	var l intern.List[string, int]
	var at []int
	for v, key := range []string{"b", "a", "b", "c", "a"} {
		at = append(at, l.Index(key, v))
	}
	if !slices.Equal(at, []int{0, 1, 0, 2, 1}) || !slices.Equal(l.All, []int{0, 1, 3}) {
		t.Errorf("indexes %v of %v", at, l.All)
	}
}
