package counterexample_test

import (
	"context"
	"fmt"
	"log"
	"slices"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/counterexample"
)

// A run either ends in a deadlock or loops forever; anything else is refused.
func ExampleNewViolating() {
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
	wait := slices.Collect(m.Transitions())[:2]
	r, err := counterexample.NewViolating(m, p, wait, 1)
	if err != nil {
		log.Fatal(err)
	}
	start, loops := r.LoopStart()
	fmt.Println("a loop:", loops, "from step", start, "satisfies:", r.Satisfies())
	_, err = counterexample.NewViolating(m, p, wait[:1], -1)
	fmt.Println(err)
	// Output:
	// a loop: true from step 1 satisfies: false
	// the run ends in state 1, which is not a deadlock
}
