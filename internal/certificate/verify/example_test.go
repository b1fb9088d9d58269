package verify_test

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

// A claim that is not true is found out.
func ExampleVerify() {
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
	forged := strings.Replace(evidence.String(), "violated", "satisfied", 1)
	_, err = verify.Verify(ctx, m, f, nil, strings.NewReader(forged))
	fmt.Println(err)
	// Output:
	// verdict is satisfied, but cs of the initial state 0 is 0 of 2 steps
}
