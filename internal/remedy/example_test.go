package remedy_test

import (
	"fmt"

	"github.com/inev-lts/inev/internal/remedy"
)

// The library knows what helps, and the command by which flag.
func ExampleSay() {
	err := remedy.New(nil, "m.aut:3: found 2 transitions; read it ", remedy.Lenient)
	fmt.Println(err)
	fmt.Println(remedy.Say(err, func(r remedy.Remedy) string {
		if r == remedy.Lenient {
			return "with --lenient"
		}
		return r.String()
	}))
	// Output:
	// m.aut:3: found 2 transitions; read it leniently
	// m.aut:3: found 2 transitions; read it with --lenient
}
