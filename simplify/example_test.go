package simplify_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/simplify"
)

// Of a counterexample the transitions are kept at which something was decided.
func ExampleAbstract() {
	ctx := context.Background()
	m, _, err := aut.Read(ctx, strings.NewReader(`des (0, 6, 7)
(0, "BOOT", 1)
(1, "REQ", 2)
(2, "WORK", 3)
(3, "ACK", 4)
(3, "DROP", 5)
(5, "LOG", 6)
`), aut.Options{Name: "model.aut"})
	if err != nil {
		log.Fatal(err)
	}
	f, err := actl.Parse(context.Background(), "Inev(REQ, ACK)")
	if err != nil {
		log.Fatal(err)
	}
	e, err := explain.Explain(ctx, m, f, explain.Options{Source: explain.Source{File: "model.aut"}})
	if err != nil {
		log.Fatal(err)
	}
	t := e.Trace()
	for _, i := range simplify.Abstract(t, e.Classification()).Kept {
		step := t.Step(i)
		fmt.Println(step.From, m.Alphabet().Text(step.Label), step.To)
	}
	// Output:
	// 2 WORK 3
	// 3 DROP 5
}
