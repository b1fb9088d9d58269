package sequence_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/inev-lts/inev/neighbourhood/fate"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/counterexample"
	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/internal/counterexample/sequence"
	"github.com/inev-lts/inev/lts/scc"
)

// A trace that another tool found, in mCRL2's plain form, is looked up in the
// model. It is written once round its loop, since that form has no loops.
func ExampleRead() {
	const (
		model = "des (0, 4, 3)\n(0, \"send(1,2)\", 1)\n(1, \"lost\", 2)\n(2, \"again\", 1)\n(1, \"received\", 0)\n"
		trace = "send(1, 2)\nlost\nagain\n"
	)
	ctx := context.Background()
	m, _, err := aut.Read(ctx, strings.NewReader(model), aut.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := actl.Parse(context.Background(), "Inev(received)")
	if err != nil {
		fmt.Println(err)
		return
	}
	bound, _, _ := f.Bind(context.Background(), m.Alphabet())
	p, _ := bound.Chain()
	c, err := scc.Find(ctx, m, "")
	if err != nil {
		fmt.Println(err)
		return
	}
	e, err := enrich.Enrich(ctx, c, p, enrich.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	found, _, err := sequence.Read(ctx, strings.NewReader(trace), "lost.trc")
	if err != nil {
		fmt.Println(err)
		return
	}
	t, note, err := counterexample.Match(ctx, fate.OfChain(e), found[0], counterexample.MatchOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, step := range t.Steps() {
		fmt.Println(step.From, m.Alphabet().Text(step.Label), step.To)
	}
	fmt.Println(strings.Join(note.Sentences(), "\n"))
	// Output:
	// 0 send(1,2) 1
	// 1 lost 2
	// 2 again 1
	// the trace ends neither in a deadlock nor in a loop; it is read as a lasso whose loop is written once, from state 1
}
