package temporal_test

import (
	"fmt"

	"github.com/inev-lts/inev/internal/formula/temporal"
)

// Formulas are built of functions; atoms have numbers.
func ExampleFormula_Text() {
	request, answer := temporal.Atom(0), temporal.Atom(1)
	f := temporal.Always(temporal.Implies(request, temporal.Eventually(answer)))
	fmt.Println(f.Text([]string{"REQ", "ACK"}))
	fmt.Println(temporal.Not(f).Text([]string{"REQ", "ACK"}))
	// Output:
	// G (REQ -> F ACK)
	// !G (REQ -> F ACK)
}
