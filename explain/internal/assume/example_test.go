package assume_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/explain/internal/assume"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood/fate"
)

// A message can be lost again and again, and is sent again each time: it arrives on
// every run on which it is lost finitely often.
func ExampleSearch_Finitely() {
	ctx := context.Background()
	const model = "des (0,3,3)\n(0,SEND,1)\n(1,LOSE,0)\n(1,ARRIVE,2)\n"
	m, _, err := aut.Read(ctx, strings.NewReader(model), aut.Options{})
	if err != nil {
		panic(err)
	}
	f, _ := actl.Parse(context.Background(), "Inev(ARRIVE)")
	p, _, _ := f.Bind(context.Background(), m.Alphabet())
	chain, _ := p.Chain()
	c, err := scc.Find(ctx, m, "")
	if err != nil {
		panic(err)
	}
	e, err := enrich.Enrich(ctx, c, chain, enrich.Options{})
	if err != nil {
		panic(err)
	}
	search, err := assume.Of(ctx, fate.OfChain(e))
	if err != nil {
		panic(err)
	}
	found, err := search.Finitely(assume.Limits{})
	if err != nil {
		panic(err)
	}
	for _, labels := range found.Sets {
		for _, l := range labels {
			fmt.Println(m.Alphabet().Text(lts.Label(l)))
		}
	}
	// Output:
	// SEND
	// LOSE
}
