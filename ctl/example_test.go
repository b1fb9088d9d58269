package ctl_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/ctl"
)

// A request is always possible again, unless an answer was lost.
func ExampleCheck() {
	ctx := context.Background()
	m, _, err := aut.Read(ctx, strings.NewReader("des (0,4,3)\n(0,REQ,1)\n(1,ACK,0)\n(1,DROP,2)\n(2,IDLE,2)\n"), aut.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, text := range []string{"AG EF <REQ> true", "EG EF <REQ> true", "E(G F <REQ> true)"} {
		f, err := ctl.Parse(ctx, text)
		if err != nil {
			log.Fatal(err)
		}
		a, err := ctl.Check(ctx, m, f, ctl.Options{})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(f, "holds:", a.Holds)
	}
	// Output:
	// AG EF <REQ> true holds: false
	// EG EF <REQ> true holds: true
	// E[G F <REQ> true] holds: true
}
