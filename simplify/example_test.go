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

// An abstraction keeps the transitions where a run to a message that is lost was still open.
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
	f, err := actl.Parse(ctx, "Inev(REQ, ACK)")
	if err != nil {
		log.Fatal(err)
	}
	e, err := explain.Explain(ctx, m, f, explain.Options{})
	if err != nil {
		log.Fatal(err)
	}
	run := e.Trace()
	abstraction := simplify.Abstract(run, e.Classification())
	for _, i := range abstraction.Kept {
		step := run.Step(i)
		fmt.Println(step.From, m.Alphabet().Text(step.Label), step.To)
	}
	fmt.Println(abstraction)
	// Output:
	// 2 WORK 3
	// 3 DROP 5
	// step 3 WORK, step 4 DROP; point of no return: step 4
}
