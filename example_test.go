package inev_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/format"
	"github.com/inev-lts/inev/formula"
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
	model, _, err := format.Read(ctx, strings.NewReader(machine), format.Options{})
	if err != nil {
		log.Fatal(err)
	}
	property, err := formula.Parse(ctx, "Inev(coin, coffee)")
	if err != nil {
		log.Fatal(err)
	}
	explanation, err := explain.Explain(ctx, model.LTS, property, explain.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, d := range explanation.Decisions {
		fmt.Println(d)
	}
	// Output: in state 1 jam (neutral), not grind (correct)
}
