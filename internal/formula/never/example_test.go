package never_test

import (
	"context"
	"fmt"
	"log"

	"github.com/inev-lts/inev/internal/formula/never"
	"github.com/inev-lts/inev/lts"
)

// A claim becomes a deterministic automaton for the runs on which it is not fulfilled.
func ExampleParse() {
	f, err := never.Parse(context.Background(), `
#define req REQ
never { /* a request, and no answer from then on */
T0_init:
	do
	:: (req) -> goto accept_S1
	:: (1) -> goto T0_init
	od;
accept_S1:
	do
	:: (!ACK) -> goto accept_S1
	od;
}`)
	if err != nil {
		log.Fatal(err)
	}
	a, err := lts.NewAlphabet([]string{"REQ", "ACK", "WAIT"})
	if err != nil {
		log.Fatal(err)
	}
	p, warnings, err := f.Bind(context.Background(), a)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(p.States(), p.Acceptance(), len(warnings))
	// Output:
	// 2 Inf(0) 0
}
