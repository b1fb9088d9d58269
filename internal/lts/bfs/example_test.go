package bfs_test

import (
	"context"
	"fmt"
	"log"

	"github.com/inev-lts/inev/internal/lts/bfs"
	"github.com/inev-lts/inev/lts"
)

// A shortest path to the nearest deadlock that does not need a failure.
func ExampleFrom() {
	var b lts.Builder
	fail, work, end := b.Label("FAIL"), b.Label("WORK"), b.Label("END")
	b.Add(0, fail, 1)
	b.Add(0, work, 2)
	b.Add(2, end, 3)
	m, err := b.Build(0, 4)
	if err != nil {
		log.Fatal(err)
	}
	var nearest lts.State
	found, err := bfs.From(context.Background(), m, []lts.State{m.Initial()}, bfs.Options{
		Along: func(t lts.Transition) bool { return t.Label != fail },
		Until: func(s lts.State) bool { nearest = s; return m.IsDeadlock(s) },
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, t := range found.Path(nearest) {
		fmt.Println(t.From, m.Alphabet().Text(t.Label), t.To)
	}
	// Output:
	// 0 WORK 2
	// 2 END 3
}
