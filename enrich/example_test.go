package enrich_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
)

// How much of Inev(REQ, ACK) is done on the way to each state, on all runs and at
// most, and how much of its end follows.
func ExampleEnrich() {
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
	chain, _ := p.Chain()
	e, err := enrich.Enrich(ctx, c, chain, enrich.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(e)
	for s := range lts.State(m.NumStates()) {
		fmt.Printf("state %d: prefix %d to %d, suffix %d to %d\n", s, e.CP(s), e.MP(s), e.CS(s), e.MS(s))
	}
	fmt.Println("holds:", e.Holds())
	// Output:
	// Inev(REQ, ACK) in state 0: max prefix 0, common prefix 0, max suffix 2, common suffix 0
	// state 0: prefix 0 to 0, suffix 0 to 2
	// state 1: prefix 1 to 1, suffix 0 to 1
	// state 2: prefix 2 to 2, suffix 0 to 0
	// state 3: prefix 1 to 1, suffix 0 to 0
	// holds: false
}
