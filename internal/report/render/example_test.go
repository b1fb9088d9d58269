package render_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/printable"
	"github.com/inev-lts/inev/internal/report/render"
)

func ExampleSentences_Story() {
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
	s := render.NewSentences(e, printable.Text)
	for _, c := range s.Story().All() {
		fmt.Printf("%s: %s\n", c.Kind(), s.Say(c))
	}
	// Output:
	// verdict: model.aut violates Inev(REQ, ACK): ACK is possible in the only state of the loop, and WAIT is taken instead.
	// diagnosis: ACK is possible in the only state of the loop, and WAIT is taken instead.
	// shape: A shortest counterexample has 2 transitions, of which the last one is a loop that is repeated forever.
	// missing: It does REQ, but after that never ACK.
	// minimal: No counterexample is shorter.
	// better: In state 1 (step 2) ACK would have made the property certain.
	// decision: In state 1 (step 2, in every round) the run takes WAIT; the property stays possible. ACK would have made the property certain; DROP would have lost it.
	// always_possible: There is no point of no return: at every moment of this run the property is still possible, but nothing forces it.
	// fairness_unhelpful: Fairness alone does not help: a run that ends in a deadlock violates the property.
	// cut: Forbid WAIT in state 1 (step 2 of this run), and DROP in state 1.
	// advice: Forbid DROP in state 1; and in state 1 not WAIT forever, but sooner or later ACK.
	// classes: Of the 4 transitions, 1 makes the property certain, 1 loses it and 2 leave it open.
	// elsewhere: There is no other decision in the model.
}
