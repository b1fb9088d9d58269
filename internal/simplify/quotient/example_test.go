package quotient_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/internal/simplify/quotient"
)

func ExampleForProperty() {
	ctx := context.Background()
	// An order is packed and labelled in either order, then sent or forgotten; one
	// that is forgotten is looked for forever.
	model := strings.NewReader(`des (0, 9, 7)
(0, "ORDER", 1)
(1, "PACK", 2)
(1, "LABEL", 3)
(2, "LABEL", 4)
(3, "PACK", 4)
(4, "SEND", 5)
(4, "FORGET", 6)
(6, "LOOK", 6)
(5, "ARCHIVE", 5)
`)
	m, _, err := aut.Read(ctx, model, aut.Options{Name: "model.aut"})
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := actl.Parse(context.Background(), "Inev(ORDER, SEND)")
	if err != nil {
		fmt.Println(err)
		return
	}
	bound, _, _ := f.Bind(context.Background(), m.Alphabet())
	p, _ := bound.Chain()
	q, err := quotient.ForProperty(ctx, m, p.Property(), quotient.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for t := range q.LTS().Transitions() {
		fmt.Println(q.States(t.From), q.LTS().Alphabet().Text(t.Label), q.States(t.To))
	}
	// Output:
	// [0] ORDER [1 2 3 4]
	// [1 2 3 4] SEND [5 6]
	// [1 2 3 4] i [5 6]
	// [5 6] i [5 6]
}
