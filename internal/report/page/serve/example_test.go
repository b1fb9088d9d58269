package serve_test

import (
	"context"
	"fmt"
	"log"
	"strings"
	"time"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/report/page/serve"
)

func ExampleNew() {
	ctx := context.Background()
	m, _, err := aut.Read(ctx, strings.NewReader("des (0, 2, 3)\n(0, \"REQ\", 1)\n(1, \"ACK\", 2)\n"), aut.Options{Name: "model.aut"})
	if err != nil {
		log.Fatal(err)
	}
	f, err := actl.Parse(ctx, "Inev(ACK)")
	if err != nil {
		log.Fatal(err)
	}
	e, err := explain.Explain(ctx, m, f, explain.Options{Source: explain.Source{File: "model.aut"}})
	if err != nil {
		log.Fatal(err)
	}
	// The page is what page.New and Write give, with Served set.
	s, err := serve.New(e, []byte("<!DOCTYPE html>"), 0)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.HasPrefix(s.URL(), "http://127.0.0.1:"))
	fmt.Println(s.Run(ctx, time.Nanosecond)) // nobody asks
	// Output:
	// true
	// <nil>
}
