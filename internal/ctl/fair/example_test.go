package fair_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/internal/ctl/fair"
	"github.com/inev-lts/inev/internal/ctl/syntax"
	"github.com/inev-lts/inev/lts"
)

// ACK comes on all runs that do not lose forever.
func ExampleDecide() {
	ctx := context.Background()
	m, _, err := aut.Read(ctx, strings.NewReader("des (0,3,2)\n(0,LOSS,0)\n(0,ACK,1)\n(1,IDLE,1)\n"), aut.Options{})
	if err != nil {
		log.Fatal(err)
	}
	if err := m.FindPredecessors(ctx); err != nil {
		log.Fatal(err)
	}
	f, err := syntax.Parse(ctx, "A[true U {ACK} true]")
	if err != nil {
		log.Fatal(err)
	}
	c := f.Closure()
	means, _, err := c.Bind(ctx, m.Alphabet(), nil)
	if err != nil {
		log.Fatal(err)
	}
	assumption, err := actl.ParseAssumption(ctx, "finitely:LOSS")
	if err != nil {
		log.Fatal(err)
	}
	fairness, _, err := actl.BindAssumptions(ctx, []*actl.Assumption{assumption}, m.Alphabet())
	if err != nil {
		log.Fatal(err)
	}
	d, err := fair.Decide(ctx, fair.Question{Model: m, Closure: c, Means: means, Asked: []lts.State{0}, Fairness: fairness})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("good:", d.Good, "bad:", d.Bad)
	// Output:
	// good: [0] bad: []
}
