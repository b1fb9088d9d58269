package counterexample_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/lts/scc"
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
	c, err := scc.Find(ctx, m, scc.Auto)
	if err != nil {
		log.Fatal(err)
	}
	chain, _ := p.Chain()
	t, err := counterexample.Shortest(ctx, c, chain)
	if err != nil {
		log.Fatal(err)
	}
	for _, step := range t.Steps() {
		fmt.Println(step.From, m.Alphabet().Text(step.Label), step.To)
	}
	fmt.Println(t.Kind())
	// Output:
	// 0 REQ 1
	// 1 WAIT 1
	// lasso
}
