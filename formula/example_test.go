package formula_test

import (
	"context"
	"fmt"

	"github.com/inev-lts/inev/formula"
)

// How a text begins says how it is read.
func ExampleParse() {
	for _, text := range []string{"Inev(PUT, GET)", "[](PUT -> <>GET)", "Inv(PUT)"} {
		f, err := formula.Parse(context.Background(), text)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Printf("%T: %s\n", f, f)
	}
	// Output:
	// *actl.Formula: Inev(PUT, GET)
	// *ltl.Formula: G (PUT -> F GET)
	// formula: expected a property (did you mean Inev?), found "Inv" (column 1)
}
