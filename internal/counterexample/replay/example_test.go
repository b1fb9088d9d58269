package replay_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/internal/counterexample/eventlog"
	"github.com/inev-lts/inev/internal/counterexample/replay"
)

func ExampleAligner_Replay() {
	ctx := context.Background()
	m, _, err := aut.Read(ctx, strings.NewReader(`des (0, 3, 3)
(0, "REQ", 1)
(1, "ACK", 0)
(1, "DROP", 2)
`), aut.Options{Name: "model.aut"})
	if err != nil {
		log.Fatal(err)
	}
	events, err := eventlog.NewReader(ctx, strings.NewReader("REQ\nACK\nACK\n"), eventlog.Options{Name: "log"})
	if err != nil {
		log.Fatal(err)
	}
	logged, err := replay.Gather(ctx, events, nil)
	if err != nil {
		log.Fatal(err)
	}
	a, err := replay.New(ctx, m, replay.Options{})
	if err != nil {
		log.Fatal(err)
	}
	r, err := a.Replay(ctx, logged, -1)
	if err != nil {
		log.Fatal(err)
	}
	for _, d := range r.Cases[0].Deviations {
		fmt.Printf("event %d, %s: possible in state %d: %v\n", d.Event, d.Label, d.State, d.Possible)
	}
	// Output: event 3, ACK: possible in state 0: [REQ]
}
