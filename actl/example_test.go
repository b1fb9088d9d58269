package actl_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
)

// A formula is text without a model until it is bound to the labels of one.
func ExampleFormula_Bind() {
	ctx := context.Background()
	m, _, err := aut.Read(ctx, strings.NewReader(`des (0, 4, 4)
(0, "REQ", 1)
(1, "WAIT", 1)
(1, "ACK", 2)
(1, "DROP", 3)
`), aut.Options{Name: "model.aut"})
	if err != nil {
		log.Fatal(err)
	}
	f, err := actl.Parse(context.Background(), "Inev(REQ, {ACK, DROP})")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("for any model:", f.ACTL())
	p, warnings, _ := f.Bind(context.Background(), m.Alphabet())
	chain, _ := p.Chain()
	for i := range chain.Len() {
		step := chain.Step(i + 1)
		fmt.Println(step.Pattern, "is done by", len(step.Labels), "labels")
	}
	fmt.Println(len(warnings), "warnings")
	// Output:
	// for any model: A[true_{true} U_{REQ} A[true_{true} U_{ACK or DROP} true]]
	// REQ is done by 1 labels
	// {ACK, DROP} is done by 2 labels
	// 0 warnings
}
