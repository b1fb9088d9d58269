package scc_test

import (
	"context"
	"fmt"
	"log"

	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
)

func ExampleFind() {
	ctx := context.Background()
	var b lts.Builder
	work, done := b.Label("WORK"), b.Label("DONE")
	b.Add(0, work, 1)
	b.Add(1, work, 0)
	b.Add(1, done, 2)
	m, err := b.Build(0, 3)
	if err != nil {
		log.Fatal(err)
	}
	c, err := scc.Find(ctx, m, "")
	if err != nil {
		log.Fatal(err)
	}
	for i := range scc.Component(c.Len()) {
		fmt.Println("depth", c.Depth(i), "states", c.States(i), "cyclic", c.IsCyclic(i))
	}
	// Output:
	// depth 0 states [0 1] cyclic true
	// depth 1 states [2] cyclic false
}
