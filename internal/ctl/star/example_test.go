package star_test

import (
	"context"
	"fmt"
	"log"

	"github.com/inev-lts/inev/internal/ctl/star"
	"github.com/inev-lts/inev/internal/ctl/syntax"
	"github.com/inev-lts/inev/internal/ctl/wmc"
	"github.com/inev-lts/inev/lts"
)

// A run that does RETRY forever.
func ExampleReduce() {
	ctx := context.Background()
	var b lts.Builder
	b.Add(0, b.Label("SEND"), 1)
	b.Add(1, b.Label("RETRY"), 1)
	b.Add(1, b.Label("ACK"), 0)
	m, err := b.Build(0, 2)
	if err != nil {
		log.Fatal(err)
	}
	f, err := syntax.ParseStar(ctx, "E[F G {RETRY}]")
	if err != nil {
		log.Fatal(err)
	}
	r, err := star.Reduce(ctx, star.Question{Model: m, Formula: f, Asked: wmc.States{0}})
	if err != nil {
		log.Fatal(err)
	}
	c := r.Formula.Closure()
	run, err := r.Run(c.Nodes[c.Root()].Predicate, 0)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(run.Steps, "and round from step", run.LoopStart)
	// Output:
	// [{0 0 1} {1 1 1}] and round from step 1
}
