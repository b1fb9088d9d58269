package stateset_test

import (
	"fmt"

	"github.com/inev-lts/inev/internal/property/stateset"
	"github.com/inev-lts/inev/property"
)

// Two states and one letter, which leads from the first to the second, and from the second to itself.
func ExampleImages() {
	all := func(from, to property.Q, marks property.Marks) bool { return true }
	t := property.Automaton{Letters: []uint16{0}, Columns: 1, Next: []property.Q{1, 1}, Stop: []bool{false, true}}
	ahead, before := stateset.Forward[uint8](&t, all), stateset.Backward[uint8](&t, all)
	fmt.Printf("%02b %02b\n", ahead.Of(0, 0b01), before.Of(0, 0b10))
	// Output: 10 11
}
