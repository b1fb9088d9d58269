package bitset_test

import (
	"fmt"
	"slices"

	"github.com/inev-lts/inev/internal/lts/bitset"
	"github.com/inev-lts/inev/lts"
)

// A set has room for the states below its size, and lists them in ascending order.
func ExampleSet() {
	s := bitset.New[lts.State](100)
	s.Add(70)
	s.Add(3)
	fmt.Println(s.Len(), s.Has(3), s.Has(4), slices.Collect(s.All))
	// Output:
	// 2 true false [3 70]
}
