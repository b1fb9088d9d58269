package frontend_test

import (
	"fmt"

	"github.com/inev-lts/inev/internal/format/frontend"
)

// What a model has to be made of is seen by the name of the file.
func ExampleSpecification_Made() {
	for _, path := range []string{"jugs.tla", "link.mcrl2", "m.aut"} {
		fmt.Printf("%s %q\n", path, frontend.Specification{Path: path}.Made())
	}
	// Output:
	// jugs.tla ".dot"
	// link.mcrl2 ".lts"
	// m.aut ""
}
