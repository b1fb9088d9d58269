package generate_test

import (
	"context"
	"fmt"
	"log"

	"github.com/inev-lts/inev/internal/lts/generate"
)

func ExampleLTS() {
	ctx := context.Background()
	table := generate.Spec{Kind: "philosophers", Processes: 2}
	m, err := generate.LTS(ctx, table)
	if err != nil {
		log.Fatal(err)
	}
	formula, err := table.Formula()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.NumStates(), "states,", m.NumTransitions(), "transitions, and", formula)
	// Output:
	// 10 states, 12 transitions, and Inev(EAT)
}
