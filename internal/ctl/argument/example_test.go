package argument_test

import (
	"context"
	"log"
	"os"
	"strings"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/internal/ctl/argument"
	"github.com/inev-lts/inev/internal/ctl/syntax"
	"github.com/inev-lts/inev/internal/ctl/wmc"
)

// An acknowledgement comes, whatever happens; and it need not, where the model can wait
// forever.
func ExampleCase_Argue() {
	ctx := context.Background()
	m, _, err := aut.Read(ctx, strings.NewReader("des (0,4,4)\n(0,REQ,1)\n(1,ACK,2)\n(0,SKIP,2)\n(2,ACK,3)\n"), aut.Options{})
	if err != nil {
		log.Fatal(err)
	}
	f, err := syntax.Parse(ctx, "AF <ACK> true && !EG <ACK> true")
	if err != nil {
		log.Fatal(err)
	}
	c := f.Closure()
	means, _, err := c.Bind(ctx, m.Alphabet(), nil)
	if err != nil {
		log.Fatal(err)
	}
	from := wmc.States{0}
	checked, err := wmc.Check(ctx, wmc.NewExplicit(m, means, nil), c, from, wmc.Options{})
	if err != nil {
		log.Fatal(err)
	}
	x, err := argument.New(ctx, m, checked, means, from)
	if err != nil {
		log.Fatal(err)
	}
	a, err := x.Argue(0)
	if err != nil {
		log.Fatal(err)
	}
	if err := a.WriteText(os.Stdout, m); err != nil {
		log.Fatal(err)
	}
	// Output:
	// AF <ACK> true && !EG <ACK> true holds in 0, since both parts hold.
	//   - AF <ACK> true holds in 0: after at most 1 step every run is in one of 2 states (1, 2), where <ACK> true holds.
	//       after 0 steps: 1 state {0}; on by REQ, SKIP
	//       after 1 step: 2 states {1, 2}, decided in 2
	//       - <ACK> true holds in 1: 1 -ACK-> 2.
	//           The same holds in 1 other state.
	//   - EG <ACK> true does not hold in 0, since <ACK> true does not hold there.
	//       - <ACK> true does not hold in 0: no transition from there has such a label.
}
