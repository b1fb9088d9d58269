package explain_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/explain"
)

func ExampleExplain() {
	ctx := context.Background()
	model := strings.NewReader(`des (0, 3, 4)
(0, "REQ", 1)
(1, "ACK", 2)
(1, "DROP", 3)
`)
	m, warnings, err := aut.Read(ctx, model, aut.Options{Name: "model.aut"})
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := actl.Parse(context.Background(), "Inev(REQ, ACK)")
	if err != nil {
		fmt.Println(err)
		return
	}
	e, err := explain.Explain(ctx, m, f, explain.Options{Source: explain.Source{File: "model.aut", Warnings: warnings}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(e.Verdict)
	for _, d := range e.Decisions {
		fmt.Println("in state", d.State, "the run takes", d.Chosen.Label)
		for _, other := range d.Alternatives {
			fmt.Println("instead,", other.Label, "would have been", other.After)
		}
	}
	// Output:
	// violated
	// in state 1 the run takes DROP
	// instead, ACK would have been correct
}
