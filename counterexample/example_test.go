package counterexample_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/counterexample"
)

func ExampleShortest() {
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
	f, err := actl.Parse(context.Background(), "Inev(REQ, ACK)")
	if err != nil {
		log.Fatal(err)
	}
	p, _, _ := f.Bind(context.Background(), m.Alphabet())
	found, err := counterexample.Shortest(ctx, m, p, counterexample.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, step := range found.Trace.Steps() {
		fmt.Println(step.From, m.Alphabet().Text(step.Label), step.To)
	}
	fmt.Println(found.Trace.Kind(), "minimal in the", found.Minimal)
	// Output:
	// 0 REQ 1
	// 1 WAIT 1
	// lasso minimal in the model
}
