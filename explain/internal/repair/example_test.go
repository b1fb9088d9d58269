package repair_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/explain/internal/repair"
)

// A message may be lost, and a sender that gives up never sends it again.
const sender = `des (0, 5, 4)
(0, "SEND", 1)
(1, "LOSS", 0)
(1, "ACK", 2)
(0, "GIVE_UP", 3)
(3, "SLEEP", 3)
`

func ExampleFind() {
	ctx := context.Background()
	m, _, err := aut.Read(ctx, strings.NewReader(sender), aut.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := actl.Parse(ctx, "Inev(ACK)")
	if err != nil {
		fmt.Println(err)
		return
	}
	p, _, err := f.Bind(ctx, m.Alphabet())
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := repair.Find(ctx, m, p, repair.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, g := range r.Never {
		fmt.Println("never", m.Alphabet().Text(g.Transition.Label), "in state", g.Transition.From)
	}
	for _, part := range r.NotForEver {
		fmt.Println("not forever in", part.Places)
	}
	// Output:
	// never GIVE_UP in state 0
	// not forever in [0·0 1·0]
}
