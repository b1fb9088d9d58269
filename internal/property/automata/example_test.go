package automata_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/inev-lts/inev/internal/property/automata"
)

// Runs that do a forever take the edge in set 0 again and again.
func ExampleReadAutomaton() {
	text := `HOA: v1
States: 1
Start: 0
AP: 1 "a"
Acceptance: 1 Inf(0)
--BODY--
State: 0
[0] 0 {0}
[!0] 0
--END--
`
	g, err := automata.ReadAutomaton(context.Background(), strings.NewReader(text), "again.hoa")
	if err != nil {
		log.Fatal(err)
	}
	for _, e := range g.Edges {
		fmt.Printf("%d to %d, sets %b\n", e.From, e.To, e.Marks)
	}
	// Output:
	// 0 to 0, sets 1
	// 0 to 0, sets 0
}
