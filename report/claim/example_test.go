package claim_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/report/claim"
)

func ExampleOf() {
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
	story := claim.Of(e)
	fmt.Println("satisfied:", story.Verdict.Satisfied)
	for _, c := range story.All() {
		fmt.Println(c.Kind())
	}
	// Output:
	// satisfied: false
	// verdict
	// diagnosis
	// shape
	// missing
	// minimal
	// better
	// decision
	// always_possible
	// fairness_unhelpful
	// cut
	// advice
	// classes
	// elsewhere
}
