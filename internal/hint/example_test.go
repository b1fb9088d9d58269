package hint_test

import (
	"fmt"

	"github.com/inev-lts/inev/internal/hint"
)

// The library knows what helps, and the command by which flag.
func ExampleSay() {
	err := hint.New(nil, "m.aut:3: found 2 transitions; read it ", hint.Lenient)
	fmt.Println(err)
	fmt.Println(hint.Say(err, func(r hint.Remedy) string {
		if r == hint.Lenient {
			return "with --lenient"
		}
		return r.String()
	}))
	// Output:
	// m.aut:3: found 2 transitions; read it leniently
	// m.aut:3: found 2 transitions; read it with --lenient
}
