package inev_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/explain"
)

// A coffee machine can take the money and give nothing: where is that decided?
func Example() {
	const machine = `des (0, 5, 4)
(0, "coin", 1)
(1, "grind", 2)
(1, "jam", 3)
(2, "coffee", 0)
(3, "service", 1)
`
	ctx := context.Background()
	model, _, err := aut.Read(ctx, strings.NewReader(machine), aut.Options{})
	if err != nil {
		log.Fatal(err)
	}
	property, err := actl.Parse(ctx, "Inev(coin, coffee)")
	if err != nil {
		log.Fatal(err)
	}
	explanation, err := explain.Explain(ctx, model, property, explain.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, d := range explanation.Decisions {
		fmt.Printf("In state %d, %s is taken; better: %s.\n", d.State, d.Chosen.Label, d.Alternatives[0].Label)
	}
	// Output: In state 1, jam is taken; better: grind.
}
