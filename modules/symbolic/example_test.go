package symbolic_test

import (
	"context"
	"fmt"
	"log"

	"github.com/inev-lts/inev/internal/ctl/syntax"
	"github.com/inev-lts/inev/modules/symbolic"
)

// An arbiter of 47 cells, which has more states than could be listed.
func ExampleCheck() {
	ctx := context.Background()
	a, err := symbolic.NewArbiter(47, symbolic.OneHot, true)
	if err != nil {
		log.Fatal(err)
	}
	f, err := syntax.Parse(ctx, "AG exclusive")
	if err != nil {
		log.Fatal(err)
	}
	answer, _, err := symbolic.Check(ctx, a.Model, f, a.Initial)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(symbolic.Rounds(a.Model, answer), "rounds,", len(answer.Root.Unfolding.Frontiers), "frontiers")
	// Output:
	// 3 rounds, 3 frontiers
}
