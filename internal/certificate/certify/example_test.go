package certify_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/certificate/certify"
	"github.com/inev-lts/inev/internal/certificate/verify"
)

// What is written can be checked by somebody else, who trusts the model and the
// formula only.
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
	e, err := explain.Explain(ctx, m, f, explain.Options{Source: explain.Source{File: "model.aut"}})
	if err != nil {
		log.Fatal(err)
	}
	var evidence bytes.Buffer
	if err := certify.Write(ctx, &evidence, e); err != nil {
		log.Fatal(err)
	}
	r, err := verify.Verify(ctx, m, f, nil, &evidence)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("violated:", r.Violated, "in", r.States, "states")
	// Output:
	// violated: true in 4 states
}
