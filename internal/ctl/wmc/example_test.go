package wmc_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/internal/ctl/syntax"
	"github.com/inev-lts/inev/internal/ctl/wmc"
)

// After REQ, ACK must come: the request of state 1 may be forgotten.
func ExampleCheck() {
	ctx := context.Background()
	m, _, err := aut.Read(ctx, strings.NewReader("des (0,4,3)\n(0,REQ,1)\n(1,ACK,0)\n(1,DROP,2)\n(2,IDLE,2)\n"), aut.Options{})
	if err != nil {
		log.Fatal(err)
	}
	f, err := syntax.Parse(ctx, "AF <ACK> true && AG [REQ] A[true U {ACK} true]")
	if err != nil {
		log.Fatal(err)
	}
	c := f.Closure()
	means, _, err := c.Bind(ctx, m.Alphabet(), nil)
	if err != nil {
		log.Fatal(err)
	}
	a, err := wmc.Check(ctx, wmc.NewExplicit(m, means, nil), c, wmc.States{0, 2}, wmc.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("good:", a.Good, "bad:", a.Bad)
	af := a.Root.Left.Unfolding
	fmt.Println(c.Nodes[a.Root.Left.Formula].Formula, "holds in", af.Holds, "by rounds", af.Ranks)
	// Output:
	// good: [] bad: [0 2]
	// AF <ACK> true holds in [0 1] by rounds [[1] [0]]
}
