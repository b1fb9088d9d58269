package product_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/property/product"
)

// Each state tells how much of Inev(REQ, ACK) is done in it.
func ExampleUnfold() {
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
	p, _, _ := f.Bind(context.Background(), m.Alphabet())
	u, err := product.Unfold(ctx, m, p)
	if err != nil {
		log.Fatal(err)
	}
	for t := range u.LTS().Transitions() {
		fmt.Println(u.At(t.From), m.Alphabet().Text(t.Label), u.At(t.To))
	}
	// Output:
	// 0·0 REQ 1·1
	// 1·1 WAIT 1·1
	// 1·1 ACK 2·2
	// 1·1 DROP 3·1
}
