package draw_test

import (
	"fmt"
	"os"

	"github.com/inev-lts/inev/internal/diagram/draw"
	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/lts"
)

func ExampleMermaid() {
	var b lts.Builder
	b.Add(0, b.Label("REQ"), 1)
	b.Add(1, b.Label("ACK"), 0)
	m, err := b.Build(0, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	g, err := view.OfModel(m, "model.aut", view.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := draw.Mermaid(os.Stdout, g, "LR"); err != nil {
		fmt.Println(err)
	}
	// Output:
	// flowchart LR
	//   s0(["0<br/>initial"])
	//   s1(("1"))
	//   s0 -->|"REQ"| s1
	//   s1 -->|"ACK"| s0
}
