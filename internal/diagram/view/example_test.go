package view_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/diagram/view"
)

func ExampleOf() {
	ctx := context.Background()
	m, _, err := aut.Read(ctx, strings.NewReader(`des (0, 3, 4)
(0, "REQ", 1)
(1, "ACK", 2)
(1, "DROP", 3)
`), aut.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := actl.Parse(context.Background(), "Inev(REQ, ACK)")
	if err != nil {
		fmt.Println(err)
		return
	}
	e, err := explain.Explain(ctx, m, f, explain.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	g, err := view.Of(ctx, e, view.Options{Kind: view.Excerpt})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, a := range g.Arrows {
		fmt.Println(a.From, "to", a.To, g.Lines(a, view.LabelLength), a.Class)
	}
	// Output:
	// 0 to 1 [1: REQ] neutral
	// 1 to 2 [✓ ACK] correct
	// 1 to 3 [✗ 2: DROP point of no return] incorrect
}
