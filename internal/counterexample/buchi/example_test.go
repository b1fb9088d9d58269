package buchi_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/inev-lts/inev/internal/counterexample/buchi"
)

func ExampleReadHOA() {
	ctx := context.Background()
	d, err := buchi.ReadHOA(ctx, strings.NewReader(`HOA: v1
States: 3
Start: 0
AP: 0
acc-name: Buchi
Acceptance: 1 Inf(0)
--BODY--
State: 0
[t] 1
[t] 2
State: 1
[t] 1
State: 2 {0}
[t] 0
--END--
`), "small.hoa")
	if err != nil {
		log.Fatal(err)
	}
	lasso, _, err := buchi.Find(ctx, d.Automaton, buchi.FindOptions{Algorithm: buchi.ByContrex}, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("stem", lasso.Stem(), "loop", lasso.Loop())
	// Output:
	// stem [] loop [0 2]
}
