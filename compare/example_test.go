package compare_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/compare"
	"github.com/inev-lts/inev/lts"
)

// In the new version a request can be refused.
func ExampleModels() {
	read := func(text string) *lts.LTS {
		m, _, err := aut.Read(context.Background(), strings.NewReader(text), aut.Options{})
		if err != nil {
			log.Fatal(err)
		}
		return m
	}
	old := read("des (0,2,3)\n(0,REQ,1)\n(1,ACK,2)\n")
	latest := read("des (0,3,3)\n(0,REQ,1)\n(1,ACK,2)\n(1,NAK,0)\n")
	b, err := compare.Models(context.Background(), old, latest, compare.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("alike:", b.Alike)
	fmt.Printf("after %v only the %s version can do %s\n", b.Run.Run, b.Run.Only, b.Run.Label)
	for _, c := range b.Edit.Changes {
		fmt.Println(c.Kind, c.Transition.Label, "from", c.Transition.From, "to", c.Transition.To)
	}
	// Output:
	// alike: false
	// after [REQ] only the new version can do NAK
	// added NAK from 1 to 0
}
