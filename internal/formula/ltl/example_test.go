package ltl_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/internal/formula/ltl"
)

// A formula becomes a property of a model: a deterministic automaton over its labels.
func ExampleParse() {
	f, err := ltl.Parse(context.Background(), "[](REQ -> <>ACK)")
	if err != nil {
		log.Fatal(err)
	}
	m, _, err := aut.Read(context.Background(), strings.NewReader("des (0,2,2)\n(0,REQ,1)\n(1,ACK,0)\n"), aut.Options{})
	if err != nil {
		log.Fatal(err)
	}
	p, warnings, err := f.Bind(context.Background(), m.Alphabet())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s: %d states, %s, %d warnings\n", p, p.States(), p.Acceptance(), len(warnings))
	// Output:
	// G (REQ -> F ACK): 2 states, Inf(0), 0 warnings
}

// A pattern is a formula of linear temporal logic, too.
func ExampleOf() {
	pattern, err := actl.Parse(context.Background(), "Precedes(LOGIN; READ; after START until LOGOUT)")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(ltl.Of(pattern))
	// Output: G (START -> X (!READ W (LOGOUT || LOGIN)))
}
