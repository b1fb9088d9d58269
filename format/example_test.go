package format_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/inev-lts/inev/format"
)

// The reader is picked by what a file says, and by its name where that could be either.
func ExampleRead() {
	for _, text := range []string{
		"des (0, 1, 2)\n(0, \"ACK\", 1)\n",
		"des (0, 1, 2)\n(0, \"ACK\":GREEN, 1)\n",
	} {
		m, _, err := format.Read(context.Background(), strings.NewReader(text), format.Options{Name: "model.aut"})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(m)
		fmt.Println(m.Format)
	}
	// Output:
	// model.aut: 2 states, 1 transition, 1 label, initial state 0, .aut
	// .aut
	// model.aut: 2 states, 1 transition, 1 label, initial state 0, CLEAR's .autx
	// CLEAR's .autx
}
