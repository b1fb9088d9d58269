package syntax_test

import (
	"context"
	"fmt"
	"log"

	"github.com/inev-lts/inev/internal/ctl/syntax"
)

// A formula is checked by way of those that it is made of.
func ExampleFormula_Closure() {
	f, err := syntax.Parse(context.Background(), "AG [REQ] AF <ACK> true")
	if err != nil {
		log.Fatal(err)
	}
	for i, n := range f.Closure().Nodes {
		fmt.Println(i, n.Formula)
	}
	// Output:
	// 0 false
	// 1 true
	// 2 <ACK> true
	// 3 AF <ACK> true
	// 4 [REQ] AF <ACK> true
	// 5 AG [REQ] AF <ACK> true
}
