package report_test

import (
	"context"
	"log"
	"os"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/report"
)

func ExampleNew() {
	ctx := context.Background()
	m, _, err := aut.Read(ctx, strings.NewReader(`des (0, 4, 4)
(0, "REQ", 1)
(1, "WAIT", 1)
(1, "ACK", 2)
(1, "DROP", 3)
`), aut.Options{Name: "model.aut"})
	if err != nil {
		log.Fatal(err)
	}
	f, err := actl.Parse(context.Background(), "Inev(REQ, ACK)")
	if err != nil {
		log.Fatal(err)
	}
	e, err := explain.Explain(ctx, m, f, explain.Options{Source: explain.Source{File: "model.aut"}})
	if err != nil {
		log.Fatal(err)
	}
	w, err := report.New("text", report.Options{})
	if err != nil {
		log.Fatal(err)
	}
	if err := w.Explanation(os.Stdout, e); err != nil {
		log.Fatal(err)
	}
	// Output:
	// model.aut violates Inev(REQ, ACK): ACK is possible in the only state of the
	// loop, and WAIT is taken instead.
	//
	//    step  state  action
	//       1      0  REQ   1 of 2 done
	//  ↻    2      1  WAIT  decision; back to state 1
	// No counterexample is shorter.
	//
	// Decision
	//   In state 1 (step 2) ACK would have made the property certain.
	//
	// What would make it hold
	//   Forbid WAIT in state 1 (step 2 of this run), and DROP in state 1.
	//   Fairness alone does not help: a run that ends in a deadlock violates the
	//   property.
	//
	// The nearest correct run
	//     (1 step as above: to state 1)
	//   - WAIT
	//   + ACK
	//
	// In full: what each choice led to.
}
