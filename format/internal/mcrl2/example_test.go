package mcrl2_test

import (
	"bytes"
	"context"
	"fmt"
	"log"

	"github.com/inev-lts/inev/format/internal/mcrl2"
)

// A state is a number to the LTS; what the specification calls it stands beside.
func ExampleRead() {
	m, _, err := mcrl2.Read(context.Background(), bytes.NewReader(small()), mcrl2.Options{States: true})
	if err != nil {
		log.Fatal(err)
	}
	for t := range m.LTS.Transitions() {
		fmt.Println(t.From, m.LTS.Alphabet().Text(t.Label), t.To)
	}
	for p := range m.States.NumParameters() {
		fmt.Println(m.States.Parameter(p).Name, "=", m.States.Text(p, m.States.Value(m.LTS.Initial(), p)))
	}
	// Output:
	// 2 up(1) 0
	// 0 tau 1
	// 0 tau 1
	// n = 7
	// b = false
}
