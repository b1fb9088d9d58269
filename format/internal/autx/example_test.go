package autx_test

import (
	"context"
	"log"
	"os"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/enrich"
	"github.com/inev-lts/inev/format/internal/autx"
	"github.com/inev-lts/inev/lts/scc"
	"github.com/inev-lts/inev/neighbourhood"
	"github.com/inev-lts/inev/neighbourhood/fate"
)

// The model with its classes, for the visualiser of CLEAR.
func ExampleWrite() {
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
	c, err := scc.Find(ctx, m, "")
	if err != nil {
		log.Fatal(err)
	}
	fates, err := fate.Compute(ctx, c, p, enrich.Options{})
	if err != nil {
		log.Fatal(err)
	}
	n, err := neighbourhood.Classify(ctx, fates, neighbourhood.Some)
	if err != nil {
		log.Fatal(err)
	}
	_, err = autx.Write(os.Stdout, n)
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// des (0, 4, 4)
	// (0, "REQ":BLACK, 1)
	// (1:N:GRB, "WAIT":BLACK, 1)
	// (1:N:GRB, "ACK":GREEN, 2)
	// (1:N:GRB, "DROP":RED, 3)
}
