package fairset_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/internal/property/fairset"
	"github.com/inev-lts/inev/lts"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/property"
)

// A run that is strongly fair to ACK does not wait forever where it can do ACK.
func ExampleTasks() {
	ctx := context.Background()
	m, _, err := aut.Read(ctx, strings.NewReader(`des (0, 4, 3)
(0, "WAIT", 1)
(1, "WAIT", 0)
(1, "WAIT", 1)
(1, "ACK", 2)
`), aut.Options{Name: "model.aut"})
	if err != nil {
		log.Fatal(err)
	}
	ack, _ := m.Alphabet().Lookup("ACK")
	parts, err := scc.NewParts(ctx, m)
	if err != nil {
		log.Fatal(err)
	}
	all := func(lts.State, lts.Label, lts.State) bool { return true }
	for _, strong := range []bool{false, true} {
		f, err := property.NewFairness(m.Alphabet(), false, []property.Task{{Name: "ACK", Labels: []lts.Label{ack}, Strong: strong}}, nil)
		if err != nil {
			log.Fatal(err)
		}
		tasks, err := fairset.NewTasks(ctx, m, f, parts, nil)
		if err != nil {
			log.Fatal(err)
		}
		waiting := []lts.State{0, 1}
		tasks.Count(waiting, all)
		left, _ := tasks.Refine(waiting)
		fmt.Println("strong:", strong, "left:", left)
	}
	// Output:
	// strong: false left: [0 1]
	// strong: true left: [0]
}
