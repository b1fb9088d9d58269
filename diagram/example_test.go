package diagram_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/inev-lts/inev/actl"
	"github.com/inev-lts/inev/aut"
	"github.com/inev-lts/inev/diagram"
	"github.com/inev-lts/inev/explain"
)

// The neighbourhoods of a travel agency, as a picture in which a program finds the choices that decide.
func ExampleDOT() {
	ctx := context.Background()
	m, _, err := aut.Open(ctx, "../examples/travel/travel.aut", aut.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := actl.Parse(ctx, "Inev(BOOKING_REC, TICKET_REC)")
	if err != nil {
		fmt.Println(err)
		return
	}
	e, err := explain.Explain(ctx, m, f, explain.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	var picture bytes.Buffer
	if err := diagram.DOT(ctx, &picture, e, diagram.Options{View: diagram.Neighbourhoods}); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.Count(picture.String(), `class="transition incorrect`), "choices from which the property is lost")
	// Output: 23 choices from which the property is lost
}
