package fate_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood/fate"
)

func ExampleCompute() {
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
	c, err := scc.Find(ctx, m, "")
	if err != nil {
		log.Fatal(err)
	}
	fates, err := fate.Compute(ctx, c, p, enrich.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for t := range m.Transitions() {
		fmt.Println(t.From, m.Alphabet().Text(t.Label), t.To, fates.Class(t.From, t.Label, t.To))
	}
	// Output:
	// 0 REQ 1 neutral
	// 1 WAIT 1 neutral
	// 1 ACK 2 correct
	// 1 DROP 3 incorrect
}
