package page_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/explain"
	"github.com/inev-lts/inev/internal/diagram/graphviz"
	"github.com/inev-lts/inev/internal/diagram/view"
	"github.com/inev-lts/inev/internal/report/page"
)

func ExampleNew() {
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
	tour, err := view.NewTour(ctx, e, 0)
	if err != nil {
		log.Fatal(err)
	}
	engine := graphviz.New(1, "")
	defer engine.Close()
	p, err := page.New(ctx, engine, e, tour, page.Options{})
	if err != nil {
		log.Fatal(err)
	}
	var html bytes.Buffer
	if err := p.Write(ctx, &html); err != nil {
		log.Fatal(err)
	}
	fmt.Println(bytes.HasPrefix(html.Bytes(), []byte("<!DOCTYPE html>")), len(p.Omitted()), "pictures left out")
	// Output:
	// true 0 pictures left out
}
