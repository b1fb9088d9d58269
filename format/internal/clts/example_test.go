package clts_test

import (
	"bytes"
	"context"
	"fmt"

	"github.com/inev-lts/inev/format/internal/clts"
	"github.com/inev-lts/inev/lts"
)

func Example() {
	var b lts.Builder
	b.Add(0, b.Label("REQ"), 1)
	b.Add(1, b.Label("ACK"), 0)
	m, err := b.Build(0, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	var file bytes.Buffer
	if err := clts.Write(&file, m); err != nil {
		fmt.Println(err)
		return
	}
	back, err := clts.Read(context.Background(), &file, clts.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for t := range back.Transitions() {
		fmt.Println(t.From, back.Alphabet().Text(t.Label), t.To)
	}
	// Output:
	// 0 REQ 1
	// 1 ACK 0
}
